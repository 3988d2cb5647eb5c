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
import { guardOf } from '../guards/index.ts';
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
  push(piece: string): Step | Promise<Step>;
  end(): Step | Promise<Step>;
};
type Step = { readonly emit: string; readonly findings: readonly Finding[] };

/** Opens a stream; its opening is recorded before the first piece is taken. */
export async function openStream(parts: Parts, kind: TextKind, context: Context): Promise<DecisionStream> {
  const { ledger, world } = parts;
  const decisionId = ledger.newId();
  const findings: Finding[] = [];
  let pieces = 0;
  let taken = 0;
  let shown = 0;
  let closed = false;

  const pipe = await openPipe(parts, kind, context).catch((error) => {
    findings.push(pathFinding(pathRules.configInvalid, error instanceof Error ? error.message : undefined));
    return null;
  });
  try {
    await ledger.work.open(entry('stream_opened', {}));
  } catch (error) {
    findings.push(pathFinding(pathRules.recordFailed, error instanceof Error ? error.message : undefined));
  }

  function blocked(): boolean {
    return strongest(findings.map(({ decision }) => decision)) === 'block';
  }

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
  async function recordClosing(decision: Decision): Promise<boolean> {
    const found = findings.map(({ rule, guard }) => ({ rule, guard }));
    const details = { pieces, taken, shown, findings: found };
    return await ledger.work.close({ ...entry('stream_closed', details), decision });
  }

  /** INVARIANT: nothing is emitted by a step that found a block, nor after it. */
  async function step(work: (open: Pipe) => Step | Promise<Step>): Promise<string> {
    if (closed || blocked() || pipe === null) return '';
    try {
      const { emit, findings: found } = await work(pipe);
      for (const finding of found) {
        findings.push(
          finding.decision === 'approve' ? pathFinding(pathRules.streamCannotWait, finding.message) : finding,
        );
      }
      if (blocked()) return '';
      shown += emit.length;
      return emit;
    } catch (error) {
      findings.push(errorFinding(kind, error));
      return '';
    }
  }

  return {
    async push(piece) {
      pieces++;
      taken += piece.length;
      const before = findings.length;
      const emit = await step((open) => open.push(piece));
      return { emit, findings: findings.slice(before) };
    },
    async end() {
      let emit = await step((open) => open.end());
      closed = true;
      const closing = strongest(findings.map(({ decision }) => decision));
      try {
        if (!(await recordClosing(closing)))
          throw new SallyportError('the stream was closed by another daemon');
      } catch (error) {
        findings.push(
          pathFinding(pathRules.recordFailed, error instanceof Error ? error.message : undefined),
        );
        emit = '';
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
      return { emit, verdict };
    },
  };
}

async function openPipe(parts: Parts, kind: TextKind, context: Context): Promise<Pipe> {
  const settings = await parts.config.settingsFor(context);
  const input = guardInput(context, settings, parts.world, () => false);
  const guards = await Promise.all((parts.table.get(kind) ?? []).map(guardOf));
  const streams = guards.flatMap((guard) => guard.stream?.(kind, input) ?? []);
  const pipe =
    streams.length === guards.length && streams.length > 0
      ? chained(streams)
      : held(parts.table, kind, input);
  const part = { pointer: '', action: { kind, text: '' }, facts: {}, sideEffect: false } as const;
  return underPolicy(pipe, async (found) => {
    const judged = { parts: [part], facts: {}, findings: found };
    return (await withPolicy(parts.policy, judged, context, settings)).findings.slice(found.length);
  });
}

/** The policy is asked before anything is shown, and again at the end about what the guards found. */
function underPolicy(pipe: Pipe, ask: (found: readonly Finding[]) => Promise<readonly Finding[]>): Pipe {
  const found: Finding[] = [];
  let opening: Promise<readonly Finding[]> | undefined;
  const step = async (work: () => Step | Promise<Step>): Promise<Step> => {
    const first = opening === undefined;
    opening ??= ask([]);
    const forbidden = await opening;
    if (forbidden.length > 0) return { emit: '', findings: first ? forbidden : [] };
    const done = await work();
    found.push(...done.findings);
    return done;
  };
  return {
    push: (piece) => step(() => pipe.push(piece)),
    end: () =>
      step(async () => {
        const { emit, findings } = await pipe.end();
        return { emit, findings: [...findings, ...(await ask([...found, ...findings]))] };
      }),
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
