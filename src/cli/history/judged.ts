// Judges the calls of a history dry, one after another: nothing is run, recorded or asked, and no program of the user's
// own is started.

import { type Config, configOf } from '../../config/index.ts';
import { excerptOf, shortened } from '../../core/action-text.ts';
import type { Context, Decision, Finding, Verdict, World } from '../../core/index.ts';
import { egressIn } from '../../decide/egress.ts';
import { createDryDecider, type Terms } from '../../decide/index.ts';
import { plainSentence } from '../../guards/command/error.ts';
import { guards } from '../../guards/index.ts';
import type { HistoryCall, Origin } from './call.ts';
import { commandIn, Past } from './past.ts';

/** One call that would have been stopped, with what may be shown of it. */
export interface Stop {
  readonly origin: Origin;
  readonly at: number | null;
  readonly session: string;
  readonly workspace: string;
  readonly decision: 'approve' | 'block';
  /** What was called, in one redacted line. */
  readonly what: string;
  readonly rules: readonly string[];
  /** Why, redacted, one for each rule. */
  readonly messages: readonly string[];
  /** The findings that stop it. */
  readonly findings: readonly Finding[];
  /** Judges the same call under other terms. */
  readonly again: (terms: Terms) => Promise<Decision>;
}

/** What came of one call. */
export interface JudgedCall {
  readonly decision: Decision;
  readonly stop: Stop | null;
}

export interface JudgeOptions {
  readonly config: Config;
  readonly world: World;
  readonly user: string;
  readonly mode: Context['mode'];
  /** The workspace of what names none. */
  readonly folder: string;
}

/** Gives a function that judges calls in the order in which they were made. */
export function historyJudge({ config, world, user, mode, folder }: JudgeOptions) {
  const past = new Past(world);
  // What names refer to in files can only be looked up in the files of then.
  const judging = guards.filter(({ name }) => name !== 'symbols');
  const decider = createDryDecider({
    config: configOf((where) => config.settingsFor(where)),
    world: past.world,
    guards: judging,
  });
  const real = (path: string) => world.realPath(path) ?? path;

  return async (call: HistoryCall): Promise<JudgedCall> => {
    const workspace = real(call.workspace ?? folder);
    const cwd = real(call.cwd ?? workspace);
    const context: Context = {
      ...{ user, tenant: 'local', session: call.session, workspace, mode },
      ...(call.origin === 'shell' ? { agent: 'default' } : { agent: call.origin, host: call.origin }),
      ...(cwd === workspace ? {} : { cwd }),
    };
    const { action } = call;
    past.prepare(action, context);
    const { verdict } = await decider.decide(action, context);
    const stop = isStopped(verdict) ? await stopOf(verdict) : null;
    await past.apply(action, context);
    return { decision: verdict.decision, stop };

    async function stopOf({ decision, findings }: Verdict): Promise<Stop> {
      const deciding = findings.filter((finding) => finding.decision === decision);
      const messages = [
        ...new Map(deciding.map(({ rule, message }) => [rule, plainSentence(message)])).values(),
      ];
      const settings = await config.settingsFor(context);
      const egress = await egressIn(settings, world, { workspace, part: 'secrets' });
      const withoutSecrets = async (text: string) => (await egress.text(text)).text;
      const again = async (terms: Terms): Promise<Decision> => {
        const under = decider.under({ ...terms, dry: true });
        return (await under.decide(action, context)).verdict.decision;
      };
      return {
        ...{ origin: call.origin, at: call.at, session: call.session, workspace },
        decision: decision === 'block' ? 'block' : 'approve',
        what: shortened(await withoutSecrets(whatOf(call))),
        rules: [...new Set(deciding.map(({ rule }) => rule))],
        messages: await Promise.all(messages.map(withoutSecrets)),
        findings: deciding,
        again,
      };
    }
  };
}

function isStopped({ decision }: Verdict): boolean {
  return decision === 'approve' || decision === 'block';
}

function whatOf({ action }: HistoryCall): string {
  if (action.kind !== 'tool') return excerptOf(action);
  const { server: _, ...plain } = action;
  const whole = action.server?.startsWith('host:') === true ? plain : action;
  const command = commandIn(action);
  return command === null
    ? excerptOf(whole)
    : excerptOf({ kind: 'tool', tool: action.tool, arguments: { command } });
}
