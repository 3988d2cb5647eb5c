// Sends long actions and long texts to worker threads. Work that only this thread can do is done here on their behalf.

import { availableParallelism } from 'node:os';
import type { MessagePort } from 'node:worker_threads';
import type { Settings } from '../config/index.ts';
import type {
  Action,
  Atom,
  Code,
  Context,
  GuardInput,
  InputQuestion,
  JsonObject,
  Question as JudgeModelQuestion,
  Kind,
  TextSource,
  Upload,
  World,
} from '../core/index.ts';
import type { Redactions } from '../guards/egress/index.ts';
import { type AnyGuard, carrierGuards, guards, type ListedGuard } from '../guards/index.ts';
import type { Mention } from '../guards/tool/provenance-atoms.ts';
import type { Heard } from '../guards/tool/provenance-session.ts';
import type { EgressPlace } from './detection.ts';
import { applied, type Difference } from './difference.ts';
import {
  askGuard,
  type Granted,
  type GuardTable,
  type Judged,
  judge,
  pathFinding,
  pathRules,
  type Tell,
} from './judge.ts';
import type { OwnRules } from './own-rules.ts';
import { type Serve, WorkerPool } from './worker-pool.ts';

/** Location of a guard of a table: in one of the built-in lists, or only on the requesting thread. */
export type GuardPlace = { readonly list: 'all' | 'carrier' | 'asker'; readonly name: AnyGuard['name'] };

/** Parts of the world that a thread requests from its caller. */
export type RemotePart = 'resolve' | 'classify' | 'opinion' | 'extract' | 'writtenByAgents' | 'madeBySession';

export interface JudgeQuestion {
  readonly ask: 'judge';
  /** Sent as JSON if it has many members: copying each of them to the thread takes several times as long. */
  readonly action: Action | { readonly json: string };
  readonly context: Context;
  readonly settings: Settings;
  readonly world: NonNullable<World['isolation']> & {
    readonly remote: readonly RemotePart[];
    /** The value of `World.restorable` for the workspace; absent if it was not queried. */
    readonly restorable?: boolean;
  };
  readonly guards: readonly (readonly [Kind, readonly GuardPlace[]])[];
  readonly granted: readonly string[];
  /** Whether the session has read any text. */
  readonly origins: boolean;
  /** Whether there is a tracer. */
  readonly traced: boolean;
  readonly port: MessagePort;
}

/** The result of a thread for an action; each action in it as its difference from the one that the thread was given. */
export interface JudgeAnswer extends Omit<Judged, 'action' | 'binding' | 'parts' | 'runs'> {
  readonly action: Difference;
  readonly binding: Difference;
  readonly parts: readonly (Omit<Judged['parts'][number], 'action'> & { readonly action: Difference })[];
  /** Files that it would execute; null for a list that could not be determined. */
  readonly runs: readonly (readonly string[] | null)[];
  /** Effects whose permission was queried. */
  readonly looked: readonly string[];
  /** Data for a tracer. */
  readonly reported: readonly Parameters<Tell>[];
}

interface FollowQuestion {
  readonly ask: 'follow';
  readonly code: Code;
}

interface HeardQuestion {
  readonly ask: 'heard';
  readonly text: string;
}

interface MentionsQuestion {
  readonly ask: 'mentions';
  readonly text: string;
  readonly source: TextSource;
}

/** A text or a value, redacted. */
interface RedactQuestion extends EgressPlace {
  readonly ask: 'redact';
  readonly settings: OwnRules;
  readonly isolation: NonNullable<World['isolation']>;
  readonly given: string | JsonObject;
}

/** The redacted value, and the number of redactions; unchanged if that is zero. */
export type RedactAnswer = { readonly left: string | JsonObject; readonly redactions: Redactions } | 'clean';

export type IsolatedQuestion =
  | FollowQuestion
  | Omit<JudgeQuestion, 'port'>
  | HeardQuestion
  | MentionsQuestion
  | RedactQuestion;

/** Location of the threads' code: beside this file, or beside the bundle whose chunk this file is in. */
function threadCode(): URL {
  const here = import.meta.url;
  return here.endsWith('.ts')
    ? new URL('./isolated-worker.ts', here)
    : new URL('../isolated-worker.cjs', here);
}

const shared = new WorkerPool<IsolatedQuestion>({
  thread: threadCode(),
  size: Math.max(1, Math.min(4, availableParallelism() - 1)),
  deadline: 10_000,
  patience: 30_000,
  most: 64,
  idle: 60_000,
});

/** Follows code on a thread; null if it could not be followed. */
export async function followIsolated(code: Code): Promise<unknown> {
  const asked = await shared.ask({ ask: 'follow', code });
  return 'answer' in asked ? asked.answer : null;
}

/** The meaning of a long text of the user's; null if it could not be read. */
export async function heardIsolated(text: string): Promise<Heard | null> {
  const asked = await shared.ask({ ask: 'heard', text });
  // INVARIANT: a thread answers each request with the type of its answer.
  return 'answer' in asked ? (asked.answer as Heard) : null;
}

/** The mentions in a long text of other authors; null if it could not be read. */
export async function mentionsIsolated(text: string, source: TextSource): Promise<readonly Mention[] | null> {
  const asked = await shared.ask({ ask: 'mentions', text, source });
  return 'answer' in asked ? (asked.answer as readonly Mention[]) : null;
}

/** Redacts long data that leaves; null if that failed. */
export async function redactIsolated(question: Omit<RedactQuestion, 'ask'>): Promise<RedactAnswer | null> {
  const asked = await shared.ask({ ask: 'redact', ...question });
  return 'answer' in asked ? (asked.answer as RedactAnswer) : null;
}

/**
 * Judges an action on a thread; `resolves` states whether the thread may resolve names itself. INVARIANT: never throws;
 * an action that was not judged in time holds a `block`.
 */
export async function judgeIsolated(
  table: GuardTable,
  action: Action,
  input: GuardInput<Settings>,
  granted: Granted,
  resolves: boolean,
): Promise<Judged> {
  const places = placesIn(table);
  const { isolation } = input.world;
  if (isolation === undefined || places === null) {
    return await judge(table, action, input);
  }
  const { context, settings, world, origins } = input;
  const restorable = world.restorable?.(context.workspace);
  const asked = await shared.ask(
    {
      ask: 'judge',
      action: hasManyMembers(action) ? { json: JSON.stringify(action) } : action,
      context,
      settings: withoutSecrets(settings),
      world: {
        ...isolation,
        remote: remoteIn(world, resolves),
        ...(restorable === undefined ? {} : { restorable }),
      },
      guards: places,
      granted: [...granted.effects],
      origins: origins !== null && origins !== undefined,
      traced: world.telemetry !== undefined,
    },
    servant(table, action, input),
  );
  if ('failed' in asked) return unjudged(action, asked.failed);
  const answer = asked.answer as JudgeAnswer;
  for (const effect of answer.looked) granted.looked.add(effect);
  for (const event of answer.reported) world.telemetry?.event(...event);
  return restored(answer, action);
}

const lists = new Map<AnyGuard | ListedGuard, GuardPlace['list']>([
  ...carrierGuards.map((guard) => [guard, 'carrier'] as const),
  ...guards.map((guard) => [guard, 'all'] as const),
]);

const described = new WeakMap<GuardTable, JudgeQuestion['guards'] | null>();

/** The location of each guard of a table; null if one of them can only run here. */
function placesIn(table: GuardTable): JudgeQuestion['guards'] | null {
  let places = described.get(table);
  if (places === undefined) {
    const foreign = [...table.values()].flat().filter((guard) => !lists.has(guard));
    const isPlain = foreign.every((guard) => !('use' in guard) && guard.expand === undefined);
    places = isPlain ? [...table].map(([kind, entries]) => [kind, entries.map(placeOf)] as const) : null;
    described.set(table, places);
  }
  return places;
}

function placeOf(guard: AnyGuard | ListedGuard): GuardPlace {
  return { list: lists.get(guard) ?? 'asker', name: guard.name };
}

/** Rules of the user's own are compiled where they are used. */
function withoutSecrets(settings: Settings & { readonly secrets?: unknown }): Settings {
  if (settings.secrets === undefined) return settings;
  const { secrets: _, ...plain } = settings;
  return plain;
}

function remoteIn(world: World, resolves: boolean): readonly RemotePart[] {
  const wanted: Readonly<Record<RemotePart, boolean>> = {
    classify: world.classify !== undefined,
    opinion: world.opinion !== undefined,
    extract: world.extract !== undefined,
    resolve: !resolves,
    writtenByAgents: world.writtenByAgents !== undefined,
    madeBySession: world.madeBySession !== undefined,
  };
  return (['classify', 'opinion', 'extract', 'resolve', 'writtenByAgents', 'madeBySession'] as const).filter(
    (part) => wanted[part],
  );
}

/** A guard of the requesting thread that is to judge an action; null in place of the action that was requested. */
export interface ForeignCheck {
  readonly kind: Kind;
  readonly place: number;
  readonly action: Action | null;
  readonly parts: NonNullable<GuardInput<Settings>['parts']>;
}

/**
 * Does work for a thread that only this thread can do. INVARIANT: the thread runs our own code, so calls have the
 * declared types.
 */
function servant(table: GuardTable, action: Action, input: GuardInput<Settings>): Serve {
  const { world, origins, context } = input;
  const parts: Readonly<Record<string, (argument: never) => unknown>> = {
    resolve: (name: string) => world.resolve(name),
    classify: (question: JudgeModelQuestion) => world.classify?.(question),
    opinion: (question: InputQuestion) => world.opinion?.(question),
    extract: (upload: Upload) => world.extract?.(upload),
    writtenByAgents: (texts: readonly string[]) => world.writtenByAgents?.(texts, context),
    madeBySession: (files: Parameters<NonNullable<World['madeBySession']>>[0]) =>
      world.madeBySession?.(files, context),
    origins: (groups: readonly (readonly Atom[])[]) => origins?.checkEach(groups),
    check: ({ kind, place, action: inner, parts: inside }: ForeignCheck) =>
      askGuard(table, kind, place, inner ?? action, { ...input, parts: inside }),
  };
  return (name, argument) => parts[name]?.(argument as never);
}

/** The finding for an action that no thread judged. */
function unjudged(action: Action, failed: 'late' | 'busy' | 'ended'): Judged {
  const reasons = {
    late: 'it is long, and judging it took too much time',
    busy: 'it is long, and too many long ones are waiting',
    ended: 'it is long, and judging it failed',
  } as const;
  const findings = [pathFinding(pathRules.budgetExceeded, reasons[failed])];
  const part = { pointer: '', action, facts: {}, sideEffect: true };
  const errors = [{ guard: 'path', error: `isolation_${failed}` }];
  return {
    ...{ action, binding: action, facts: {}, learned: {}, findings, sideEffect: true },
    ...{ events: [], texts: [], runs: [], parts: [part], errors },
  };
}

function restored({ looked: _, reported: __, ...answer }: JudgeAnswer, given: Action): Judged {
  const action = applied(answer.action, given);
  return {
    ...answer,
    action,
    binding: applied(answer.binding, given),
    parts: answer.parts.map((part) => ({ ...part, action: applied(part.action, given) })),
    runs: answer.runs.map((files) => () => {
      if (files === null) throw new Error('the files that it would execute could not be worked out');
      return files;
    }),
  };
}

/** Most members of an action, at any depth, that are copied one by one. */
const mostMembers = 2000;

function hasManyMembers(value: unknown): boolean {
  let left = mostMembers;
  const count = (one: unknown): boolean => {
    if (--left < 0) return true;
    return typeof one === 'object' && one !== null && Object.values(one).some(count);
  };
  return count(value);
}
