// Judges a text as a stream: an opening record, chunks that are shown only once judged, a closing record.

import type { Settings } from '../config/index.ts';
import {
  type ActionOf,
  type Context,
  type Decision,
  type Finding,
  type GuardEvent,
  type GuardInput,
  isPending,
  type JsonObject,
  lazily,
  type MaybePromise,
  SallyportError,
  type StreamGuard,
  type StreamStep,
  strongest,
  type World,
} from '../core/index.ts';
import type { MessageReader } from '../guards/response/message.ts';
import type { Policy } from '../policy/index.ts';
import {
  errorFinding,
  type Granted,
  type GuardTable,
  guardInput,
  guardOf,
  pathFinding,
  pathRules,
} from './judge.ts';
import { explain, type Recorder } from './record.ts';
import { judgeAnywhere, withPolicy } from './steps.ts';
import type { DecisionStream, InForce } from './types.ts';

type TextKind = 'prompt' | 'response';

/** Most UTF-16 units of a text that are buffered for a guard that needs the whole. */
const largestHeld = 4_194_304;

interface Parts {
  inForceFor(context: Context, kind: TextKind): MaybePromise<InForce>;
  readonly recorder: Recorder;
  readonly world: World;
  readonly table: GuardTable;
  readonly policy: Policy;
}

/** A stage of the pipe: text in, judged text out. */
type Pipe = {
  push(piece: string): MaybePromise<Step>;
  end(): MaybePromise<Step>;
};
type Step = {
  readonly emit: string;
  readonly findings: readonly Finding[];
  readonly events?: readonly GuardEvent[];
};

const inPieces: Finding = {
  rule: 'secret_in_response',
  guard: 'response',
  decision: 'block',
  contract: 'AG-OUT-1',
  message: 'Two texts of the response hold a secret together.',
};

const nothing: StreamStep = { emit: '', findings: [] };

/** The state of a stream that may begin: how a channel is created, and the policy's result. */
interface Opened {
  channel(): Pipe;
  ask(found: readonly Finding[]): Promise<readonly Finding[]>;
}

const reading = lazily(() => import('../guards/response/message.ts'));

/** Opens a stream; its opening is recorded, and the policy evaluated, before the first chunk is accepted. */
export async function openStream(
  parts: Parts,
  kind: TextKind,
  context: Context,
  opening: JsonObject = {},
): Promise<DecisionStream> {
  const { recorder } = parts;
  const decisionId = recorder.newId();
  const stream = { kind, context, decisionId };
  const findings: Finding[] = [];
  const events: GuardEvent[] = [];
  const channels = new Map<string, Pipe | null>();
  let pieces = 0;
  let taken = 0;
  let shown = 0;
  let blocked = false;
  let closed = false;
  let message: MessageReader | undefined;

  function add(finding: Finding): void {
    const stops = finding.decision === 'approve';
    const found = stops ? pathFinding(pathRules.streamCannotWait, finding.message) : finding;
    findings.push(found);
    blocked ||= found.decision === 'block';
  }

  if (kind === 'response') message = await reading(({ MessageReader: Reader }) => new Reader());
  const opened = await openPipes(parts, kind, context).catch((error) => {
    add(pathFinding(pathRules.configInvalid, error instanceof Error ? error.message : undefined));
    return null;
  });
  const [recorded, forbidden] = await Promise.allSettled([
    recorder.openStream(stream, opening),
    opened?.ask([]) ?? [],
  ]);
  if (recorded.status === 'rejected') {
    const { reason } = recorded;
    add(pathFinding(pathRules.recordFailed, reason instanceof Error ? reason.message : undefined));
  }
  if (forbidden.status === 'rejected') add(errorFinding(kind, forbidden.reason));
  else for (const finding of forbidden.value) add(finding);

  function recordClosing(decision: Decision, closing: JsonObject): Promise<boolean> {
    const found = findings.map(({ rule, guard }) => ({ rule, guard }));
    const details = { ...closing, pieces, taken, shown, findings: found };
    return recorder.closeStream(stream, decision, events, details);
  }

  /** The channel, if it still accepts text; one that ended accepts none. */
  function open(name: string): Pipe | null {
    if (closed || blocked || opened === null) return null;
    let pipe = channels.get(name);
    if (pipe === undefined) {
      pipe = opened.channel();
      channels.set(name, pipe);
    }
    return pipe;
  }

  /** INVARIANT: nothing is emitted by a stage that found a block, nor after it. */
  function judged({ emit, findings: found, events: happened = [] }: Step): Step {
    events.push(...happened);
    for (const finding of found) add(finding);
    if (blocked) return found.length === 0 ? nothing : { emit: '', findings: findings.slice(-found.length) };
    shown += emit.length;
    return { emit, findings: found };
  }

  function settled(step: MaybePromise<Step>, name: string): MaybePromise<Step> {
    const shownOf = (one: Step) => across(name, judged(one));
    return isPending(step) ? step.then(shownOf).catch(failed) : shownOf(step);
  }

  /** INVARIANT: a text that begins in one channel and ends in another is judged before the second part is shown. */
  function across(name: string, step: Step): Step {
    if (message?.push(name, step.emit) === true) return judged({ emit: '', findings: [inPieces] });
    return step;
  }

  /** Judges the end of a channel together with the others. */
  function ended(name: string, step: Step): MaybePromise<Step> {
    if (message?.finish(name) === true) return judged({ emit: '', findings: [inPieces] });
    return step;
  }

  function failed(error: unknown): Step {
    const finding = errorFinding(kind, error);
    add(finding);
    return { emit: '', findings: [finding] };
  }

  function finish(name: string): MaybePromise<Step> {
    try {
      const pipe = open(name);
      if (pipe === null) return nothing;
      channels.set(name, null);
      const rest = settled(pipe.end(), name);
      return isPending(rest) ? rest.then((step) => ended(name, step)) : ended(name, rest);
    } catch (error) {
      return failed(error);
    }
  }

  let ending: ReturnType<DecisionStream['end']> | undefined;
  async function close(closing: JsonObject): ReturnType<DecisionStream['end']> {
    // A stream without any text is still judged as an empty text.
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
  }

  return {
    decisionId,
    get blocked() {
      return blocked;
    },
    get awaits() {
      return message?.isOpen === true && !closed;
    },
    push(piece, name = '') {
      pieces++;
      taken += piece.length;
      try {
        const pipe = open(name);
        if (pipe !== null) return settled(pipe.push(piece), name);
        if (blocked || closed || piece === '') return nothing;
        // Text after the end of its channel was never judged with it.
        return judged({ emit: '', findings: [pathFinding(pathRules.notReadable, 'text after its end')] });
      } catch (error) {
        return failed(error);
      }
    },
    finish: (name = '') => finish(name),
    stop(why) {
      const found = typeof why === 'string' ? [pathFinding(pathRules.notReadable, why)] : why;
      for (const finding of found) add(finding);
    },
    end: (closing = {}) => {
      ending ??= close(closing);
      return ending;
    },
  };
}

async function openPipes(parts: Parts, kind: TextKind, context: Context): Promise<Opened> {
  const { settings, find } = await parts.inForceFor(context, kind);
  const guards = await Promise.all((parts.table.get(kind) ?? []).map(guardOf));
  const part = { pointer: '', action: { kind, text: '' }, facts: {}, sideEffect: false } as const;
  return {
    channel() {
      const granted: Granted = { effects: new Set(), looked: new Set() };
      const input = guardInput(context, settings, parts.world, granted, find === undefined ? {} : { find });
      const made = guards.map((guard) => guard.stream?.(kind, input));
      if (made.length === 0 || made.includes(undefined)) return held(parts.table, kind, input, granted);
      const streams = made.flatMap((stream) => stream ?? []);
      const inside = async ({ action, weigh }: InsidePart): Promise<readonly Finding[]> => {
        const judged = await judgeAnywhere(parts.table, action, input, granted);
        const { findings } = await withPolicy(parts.policy, judged, context, settings);
        return weigh === undefined ? findings : findings.map(weigh);
      };
      const ready = streams.filter((stream): stream is StreamGuard => !isPending(stream));
      return ready.length === streams.length
        ? chained(ready, inside)
        : awaited(Promise.all(streams).then((all) => chained(all, inside)));
    },
    async ask(found) {
      const judged = { parts: [part], facts: {}, findings: found };
      return (await withPolicy(parts.policy, judged, context, settings)).findings.slice(found.length);
    },
  };
}

/** A pipe that is still being created. */
function awaited(made: Promise<Pipe>): Pipe {
  made.catch(() => {});
  return {
    push: async (piece) => (await made).push(piece),
    end: async () => (await made).end(),
  };
}

type InsidePart = NonNullable<StreamStep['parts']>[number];

/** Every guard reads the stream: the output of one is the input of the next. Actions found inside are judged first. */
function chained(
  streams: readonly StreamGuard[],
  inside: (part: InsidePart) => Promise<readonly Finding[]>,
): Pipe {
  /** Continues from one guard, which may have processed the chunk already. */
  const slowly = async (
    from: number,
    piece: string,
    before: readonly Finding[],
    ending: boolean,
    taken?: MaybePromise<StreamStep>,
  ): Promise<Step> => {
    const findings = [...before];
    let text = piece;
    for (const [place, stream] of streams.slice(from).entries()) {
      const first = place === 0 && taken !== undefined ? taken : text === '' ? nothing : stream.push(text);
      const steps = [await first, ending ? await stream.end() : nothing];
      text = '';
      for (const { emit, findings: found, parts = [] } of steps) {
        text += emit;
        findings.push(...found);
        for (const part of parts) findings.push(...(await inside(part)));
      }
    }
    return { emit: text, findings };
  };
  return {
    // A stream of thousands of small chunks pays for every await, so there is none if no guard is asynchronous.
    push(piece) {
      let text = piece;
      let findings: readonly Finding[] = [];
      for (const [at, stream] of streams.entries()) {
        if (text === '') break;
        const step = stream.push(text);
        if (isPending(step) || (step.parts ?? []).length > 0) {
          return slowly(at, text, findings, false, step);
        }
        text = step.emit;
        if (step.findings.length > 0) findings = [...findings, ...step.findings];
      }
      return { emit: text, findings };
    },
    end: () => slowly(0, '', [], true),
  };
}

/** A guard needs the whole text: nothing is shown before the end. */
function held(table: GuardTable, kind: TextKind, input: GuardInput<Settings>, granted: Granted): Pipe {
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
      const judged = await judgeAnywhere(table, action, input, granted);
      const emit = 'text' in judged.action ? (judged.action.text ?? '') : '';
      return { emit, findings: judged.findings, events: judged.events };
    },
  };
}
