// A text judged while it flows: an opening record, pieces that are shown only once judged, a closing record.

import type { Settings } from '../config/index.ts';
import {
  type ActionOf,
  type Context,
  type Decision,
  type Finding,
  type GuardInput,
  type JsonObject,
  SallyportError,
  type StreamGuard,
  strongest,
  type World,
} from '../core/index.ts';
import type { Policy } from '../policy/index.ts';
import type { DeciderOptions, Records } from './decide.ts';
import { explain } from './explain.ts';
import { errorFinding, type GuardTable, guardInput, judge } from './judge.ts';
import { withPolicy } from './policy.ts';
import { pathFinding, pathRules } from './rules.ts';
import type { DecisionStream } from './types.ts';

type TextKind = 'prompt' | 'response';

/** Most UTF-16 units of a text that are held back for a guard that needs the whole. */
const largestHeld = 4_194_304;

interface Parts {
  readonly config: DeciderOptions['config'];
  readonly ledger: Records;
  readonly world: World;
  readonly table: GuardTable;
  readonly policy: Policy;
}

/** A step of the pipe: text in, judged text out. */
type Pipe = {
  push(piece: string): Step;
  end(): Step | Promise<Step>;
};
type Step = { readonly emit: string; readonly findings: readonly Finding[] };

const nothing: Step = { emit: '', findings: [] };

/** What is known of a stream once it may begin: how a channel is made, and what the policy says. */
interface Opened {
  channel(): Pipe;
  ask(found: readonly Finding[]): Promise<readonly Finding[]>;
}

/** Opens a stream; its opening is recorded, and the policy asked, before the first piece is taken. */
export async function openStream(
  parts: Parts,
  kind: TextKind,
  context: Context,
  opening: JsonObject = {},
): Promise<DecisionStream> {
  const { ledger, world } = parts;
  const decisionId = ledger.newId();
  const findings: Finding[] = [];
  const channels = new Map<string, Pipe | null>();
  let pieces = 0;
  let taken = 0;
  let shown = 0;
  let blocked = false;
  let closed = false;

  function add(finding: Finding): void {
    const stops = finding.decision === 'approve';
    const found = stops ? pathFinding(pathRules.streamCannotWait, finding.message) : finding;
    findings.push(found);
    blocked ||= found.decision === 'block';
  }

  const opened = await openPipes(parts, kind, context).catch((error) => {
    add(pathFinding(pathRules.configInvalid, error instanceof Error ? error.message : undefined));
    return null;
  });
  const [recorded, forbidden] = await Promise.allSettled([
    ledger.work.open(entry('stream_opened', opening)),
    opened?.ask([]) ?? [],
  ]);
  if (recorded.status === 'rejected') {
    const { reason } = recorded;
    add(pathFinding(pathRules.recordFailed, reason instanceof Error ? reason.message : undefined));
  }
  if (forbidden.status === 'rejected') add(errorFinding(kind, forbidden.reason));
  else for (const finding of forbidden.value) add(finding);

  function entry(event: 'stream_opened' | 'stream_closed', details: JsonObject) {
    const { user, tenant, agent, session, workspace, mode } = context;
    return {
      time: world.now(),
      event_type: event,
      user,
      tenant,
      agent,
      decision_id: decisionId,
      details: { kind, session, workspace, mode, ...details },
    } as const;
  }

  /** False if another daemon took this one for dead and closed the stream: then its text counts for nothing. */
  async function recordClosing(decision: Decision, closing: JsonObject): Promise<boolean> {
    const found = findings.map(({ rule, guard }) => ({ rule, guard }));
    const details = { ...closing, pieces, taken, shown, findings: found };
    return await ledger.work.close({ ...entry('stream_closed', details), decision });
  }

  /** The channel, if text may still go through it; one that ended takes no more. */
  function open(name: string): Pipe | null {
    if (closed || blocked || opened === null) return null;
    let pipe = channels.get(name);
    if (pipe === undefined) {
      pipe = opened.channel();
      channels.set(name, pipe);
    }
    return pipe;
  }

  /** INVARIANT: nothing is emitted by a step that found a block, nor after it. */
  function judged({ emit, findings: found }: Step): Step {
    for (const finding of found) add(finding);
    if (blocked) return found.length === 0 ? nothing : { emit: '', findings: findings.slice(-found.length) };
    shown += emit.length;
    return { emit, findings: found };
  }

  function failed(error: unknown): Step {
    const finding = errorFinding(kind, error);
    add(finding);
    return { emit: '', findings: [finding] };
  }

  function finish(name: string): Step | Promise<Step> {
    try {
      const pipe = open(name);
      if (pipe === null) return nothing;
      channels.set(name, null);
      const step = pipe.end();
      return step instanceof Promise ? step.then(judged, failed) : judged(step);
    } catch (error) {
      return failed(error);
    }
  }

  return {
    decisionId,
    get blocked() {
      return blocked;
    },
    push(piece, name = '') {
      pieces++;
      taken += piece.length;
      try {
        const pipe = open(name);
        if (pipe !== null) return judged(pipe.push(piece));
        if (blocked || closed || piece === '') return nothing;
        // What comes after the end of its text was never judged with it.
        return judged({ emit: '', findings: [pathFinding(pathRules.notReadable, 'text after its end')] });
      } catch (error) {
        return failed(error);
      }
    },
    finish: (name = '') => finish(name),
    stop(why) {
      add(pathFinding(pathRules.notReadable, why));
    },
    async end(closing = {}) {
      // A stream that nothing came through is still judged as the empty text that it is.
      if (channels.size === 0) open('');
      let emit = '';
      for (const name of channels.keys()) {
        const rest = (await finish(name)).emit;
        if (name === '') emit = rest;
      }
      if (!blocked && opened !== null) {
        try {
          for (const finding of await opened.ask(findings)) add(finding);
        } catch (error) {
          add(errorFinding(kind, error));
        }
      }
      closed = true;
      const verdictSoFar = strongest(findings.map(({ decision }) => decision));
      try {
        if (!(await recordClosing(verdictSoFar, closing)))
          throw new SallyportError('the stream was closed by another daemon');
      } catch (error) {
        add(pathFinding(pathRules.recordFailed, error instanceof Error ? error.message : undefined));
      }
      const decision = strongest(findings.map((finding) => finding.decision));
      const verdict = {
        decision,
        findings,
        explanation: explain(decision, findings, null),
        action: { kind, text: '' } as const,
        decisionId,
        approval: null,
      };
      return { emit: blocked ? '' : emit, verdict };
    },
  };
}

async function openPipes(parts: Parts, kind: TextKind, context: Context): Promise<Opened> {
  const settings = await parts.config.settingsFor(context);
  const guards = parts.table.get(kind) ?? [];
  const part = { pointer: '', action: { kind, text: '' }, facts: {}, sideEffect: false } as const;
  return {
    channel() {
      const input = guardInput(context, settings, parts.world, () => false);
      const streams = guards.flatMap((guard) => guard.stream?.(kind, input) ?? []);
      return streams.length === guards.length && streams.length > 0
        ? chained(streams)
        : held(parts.table, kind, input);
    },
    async ask(found) {
      const judged = { parts: [part], facts: {}, findings: found };
      return (await withPolicy(parts.policy, judged, context, settings)).findings.slice(found.length);
    },
  };
}

/** Every guard reads the stream: what one lets out, the next one reads. */
function chained(streams: readonly StreamGuard[]): Pipe {
  const run = (piece: string, ending: boolean): Step => {
    const findings: Finding[] = [];
    let text = piece;
    for (const stream of streams) {
      const pushed = text === '' ? { emit: '', findings: [] } : stream.push(text);
      const ended = ending ? stream.end() : { emit: '', findings: [] };
      findings.push(...pushed.findings, ...ended.findings);
      text = pushed.emit + ended.emit;
    }
    return { emit: text, findings };
  };
  return { push: (piece) => run(piece, false), end: () => run('', true) };
}

/** A guard needs the whole text: nothing is shown before the end. */
function held(table: GuardTable, kind: TextKind, input: GuardInput<Settings>): Pipe {
  let text = '';
  return {
    push(piece) {
      text += piece;
      if (text.length <= largestHeld) return { emit: '', findings: [] };
      text = '';
      return {
        emit: '',
        findings: [pathFinding(pathRules.budgetExceeded, 'the text is too long to hold back')],
      };
    },
    async end() {
      const action: ActionOf<TextKind> = { kind, text };
      const judged = await judge(table, action, input);
      return { emit: 'text' in judged.action ? judged.action.text : '', findings: judged.findings };
    },
  };
}
