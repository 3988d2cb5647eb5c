// Runs code on a thread and answers its calls. The host counts, times and limits; the code's own statements are not
// trusted.

import { randomInt } from 'node:crypto';
import {
  type ApprovalNotice,
  InputError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  messageOf,
  parseJson,
} from '../../core/index.ts';
import { allowedGlobals } from '../../guards/code/names.ts';
import { placeOf, type ToolPlace } from '../../guards/code/tools.ts';
import { CallLog, type CallRecord } from './calls.ts';
import { defaultLimits, type LimitCode, type Limits, limitMessages } from './limits.ts';
import { defaultPool, type Lane, loadEngine, Pool, type PoolOptions } from './pool.ts';
import {
  answerText,
  type Call,
  type CallFailure,
  type CallResult,
  type CallsText,
  type End,
  type Log,
  type Returned,
  type RunError,
  type Standstill,
  type ThreadMessage,
  writeAnswers,
} from './protocol.ts';

/**
 * Makes a call, and calls `sent` when it is passed to the tool; an error that it throws reaches the code, by its `code`
 * and `message`.
 */
export type CallTool = (
  tool: string,
  args: JsonObject,
  signal: AbortSignal,
  sent: () => void,
) => Promise<unknown>;

/** Thrown by a call that requires approval first: the code pauses there. */
export class Held extends Error {
  readonly approval: ApprovalNotice;

  constructor(approval: ApprovalNotice) {
    super('it needs approval');
    this.approval = approval;
  }
}

/** The inputs that make a run repeatable: the clock at its start, its random seed, and the clock at each answer. */
export interface Journal {
  readonly now: number;
  readonly seed: number;
  /** By the number of the call, from 1. */
  readonly answers: Readonly<Record<number, number>>;
}

export interface SandboxJob {
  /** The body of an async function, in JavaScript. */
  readonly source: string;
  /** Tools that the code finds, such as `github.list_issues`. */
  readonly tools: readonly string[];
  readonly call: CallTool;
  /** Code of one tenant never runs on a thread where another's ran. */
  readonly tenant: string;
  readonly limits?: Partial<Limits>;
  readonly signal?: AbortSignal;
  readonly journal?: Journal;
}

export interface SandboxResult {
  readonly status: 'ok' | 'error' | 'timeout' | 'limit' | 'fault' | 'aborted';
  /** The value that the code returned; absent if there is none. It may have returned before something else failed. */
  readonly value?: JsonValue;
  readonly truncated: boolean;
  readonly error?: RunError;
  readonly logs: readonly Log[];
  readonly logsDropped: boolean;
  /** Every call that the code started, awaited or not. */
  readonly calls: readonly CallRecord[];
  /** Further calls that were never sent, beyond those that are listed individually. */
  readonly callsOmitted: number;
  readonly stats: { readonly wallMs: number; readonly cpuMs: number; readonly toolMs: number };
  readonly journal: Journal;
}

/** A call that waits for approval. */
interface HeldCall {
  readonly call: number;
  readonly tool: string;
  /** The arguments, as the code gave them. */
  readonly json: string;
  readonly approval: ApprovalNotice;
}

/** The host's counts and observations of a run. */
interface ChainState {
  readonly tools: readonly string[];
  readonly limits: Limits;
  readonly journal: Journal;
  readonly logs: readonly Log[];
  readonly calls: readonly CallRecord[];
  readonly callsOmitted?: number;
  readonly held: readonly HeldCall[];
  /** The inputs of the code, in their order. */
  readonly results: readonly { readonly tool: string; readonly json: string }[];
  readonly count: number;
  readonly toolMs: number;
  readonly wallMs: number;
}

/** A run that is paused at calls which wait for approval: the complete state to resume it, here or elsewhere. */
export interface PausedChain {
  readonly status: 'paused';
  /** The engine that it began on, as a hash. */
  readonly engine: string;
  readonly standstill: Standstill;
  readonly state: ChainState;
}

/** How a paused run resumes: its pending calls are made again, and throw `Held` again unless they are allowed. */
export interface ResumeJob extends Pick<SandboxJob, 'call' | 'tenant' | 'signal'> {
  readonly paused: PausedChain;
}

/** How code is run: its limits, and the threads for it. */
export interface SandboxOptions {
  readonly pool?: Partial<PoolOptions>;
  readonly limits?: Partial<Limits>;
}

/** How long a thread may continue after a stop request, and the polling interval, in milliseconds. */
const grace = 150;
const lookEvery = 50;

/** The sandbox of one process. */
export class Sandbox {
  readonly #pool: Pool;
  readonly #limits: Limits;

  constructor({ pool = {}, limits = {} }: SandboxOptions = {}) {
    this.#limits = checked({ ...defaultLimits, ...limits });
    this.#pool = new Pool({ ...defaultPool, ...pool }, this.#limits);
  }

  /** Starts the threads that are started in advance; throws `EngineMissing`. */
  async warm(): Promise<void> {
    // Threads do not keep a process alive, but a caller that waits for them needs to stay alive.
    const alive = setInterval(() => {}, 60_000);
    try {
      await this.#pool.warm();
    } finally {
      clearInterval(alive);
    }
  }

  /** How many threads there are. */
  get threads(): number {
    return this.#pool.size;
  }

  /** The engine that code runs on, as a hash; throws `EngineMissing`. */
  async engine(): Promise<string> {
    return (await loadEngine()).mark;
  }

  /** Runs code; whatever the code does is in the result. Throws `EngineMissing`, and `InputError` for a wrong job. */
  async run(job: SandboxJob): Promise<SandboxResult | PausedChain> {
    const limits = checked({ ...this.#limits, ...job.limits });
    return await new Chain(job, this.#held(limits), null).on(this.#pool);
  }

  /** Resumes paused code, on the engine that it began on, under the rest of its limits. */
  async resume({ paused, ...job }: ResumeJob): Promise<SandboxResult | PausedChain> {
    const { tools, limits, journal } = paused.state;
    return await new Chain({ ...job, source: '', tools, journal }, this.#held(limits), paused).on(this.#pool);
  }

  /** Two of the limits are set when a thread is made. */
  #held(limits: Limits): Limits {
    const { memoryMb, stackKb } = this.#limits;
    return { ...limits, memoryMb, stackKb };
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }
}

/** Limits that are numbers which limit something; throws `InputError`. */
function checked(limits: Limits): Limits {
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(defaultLimits, name)) throw new InputError(`there is no limit "${name}"`);
    if (!Number.isSafeInteger(value) || value < (name.startsWith('max') ? 0 : 1) || value > 2 ** 31 - 1)
      throw new InputError(`the limit "${name}" is a whole number above 0`);
  }
  if (limits.stackKb > 512) throw new InputError('the limit "stackKb" is at most 512');
  return limits;
}

/**
 * The paths of tools in code; throws `InputError` if two have the same path, or one replaces a name of the language.
 */
function placesOf(tools: readonly string[]): readonly ToolPlace[] {
  const places = tools.map(placeOf);
  const names = new Set(places.map(({ namespace, name }) => `${namespace}.${name}`));
  const isBoth = places.some(({ namespace, name }) => name !== '' && names.has(`${namespace}.`));
  if (names.size < tools.length || isBoth) throw new InputError('two tools have the same name in code');
  const taken = places.find(({ namespace }) => allowedGlobals.has(namespace) || namespace === 'globalThis');
  if (taken !== undefined)
    throw new InputError(`a tool cannot be called "${taken.namespace}", which the language has already`);
  return places;
}

/** How a run ended: by itself, or from outside. */
type Ended = End | { readonly status: 'timeout' | 'aborted'; readonly error: RunError };

/** One run. */
class Chain {
  readonly #job: SandboxJob;
  readonly #limits: Limits;
  readonly #places: readonly ToolPlace[];
  readonly #stop = new AbortController();
  readonly #started = performance.now();
  readonly #queue: (() => void)[] = [];
  readonly #calls: CallLog;
  readonly #logs: Log[] = [];
  readonly #answers: Record<number, number>;
  readonly #held: HeldCall[] = [];
  readonly #results: { tool: string; json: string }[] = [];
  /** The state to resume from, and the time that it had used before. */
  readonly #paused: PausedChain | null;
  readonly #wallBefore: number;
  readonly #now: number;
  readonly #seed: number;
  /** The time of the code's clock when this began. */
  readonly #clock: number;
  readonly #ended = Promise.withResolvers<void>();
  #logsDropped = false;
  #count = 0;
  /** How many calls its thread has reported. */
  #reported = 0;
  #active = 0;
  #resultBytes = 0;
  #toolMs = 0;
  /** Answers that are about to go. */
  #outbox: { readonly now: number; readonly reached: LimitCode[]; readonly list: string[] } | null = null;
  /** The value that the code returned, if unawaited calls continue. */
  #returned: Returned | null = null;
  #end: Ended | null = null;
  #lane: Lane | null = null;

  constructor(job: SandboxJob, limits: Limits, paused: PausedChain | null) {
    this.#job = job;
    this.#limits = limits;
    this.#places = placesOf(job.tools);
    this.#paused = paused;
    this.#now = job.journal?.now ?? Date.now();
    this.#seed = job.journal?.seed ?? randomInt(2 ** 31);
    this.#answers = { ...paused?.state.journal.answers };
    this.#clock = paused === null ? this.#now : Math.max(Date.now(), paused.standstill.thread.clock);
    this.#wallBefore = paused?.state.wallMs ?? 0;
    this.#calls = new CallLog(paused?.state);
    if (paused === null) return;
    const { logs, results, count, toolMs } = paused.state;
    const { outcome } = paused.standstill.thread;
    if (outcome?.status === 'ok') this.#returned = outcome;
    this.#logs.push(...logs);
    this.#results.push(...results);
    this.#count = count;
    this.#toolMs = toolMs;
    for (const { json } of results) this.#resultBytes += Buffer.byteLength(json);
    this.#logsDropped = paused.standstill.thread.logsDropped;
  }

  async on(pool: Pool): Promise<SandboxResult | PausedChain> {
    const { signal } = this.#job;
    const left = Math.max(1, this.#limits.timeoutMs - this.#wallBefore);
    const timer = setTimeout(() => this.#finish(this.#limit('timeout', 'timeout')), left);
    const abort = () =>
      this.#finish({ status: 'aborted', error: { code: 'aborted', message: 'the run was given up' } });
    if (signal?.aborted === true) abort();
    signal?.addEventListener('abort', abort, { once: true });
    let watch: NodeJS.Timeout | undefined;
    let cpuMs = 0;
    try {
      const lane = await pool.take(this.#job.tenant, this.#stop.signal);
      this.#lane = lane;
      lane.reset(this.#paused?.standstill.thread.used ?? 0);
      watch = setInterval(() => this.#look(lane), lookEvery);
      // A run that ended while it waited does not begin.
      if (this.#end === null) this.#start(lane);
      await this.#ended.promise;
      cpuMs = lane.computed();
      this.#calls.omit(lane.started() - this.#reported);
      // INVARIANT: a thread is used again only if its code ended by itself.
      pool.give(lane, this.#end !== null && byItself.has(this.#end.status));
    } catch (error) {
      if (this.#end === null) throw error;
    } finally {
      clearTimeout(timer);
      clearInterval(watch);
      signal?.removeEventListener('abort', abort);
    }
    const end = this.#end;
    // INVARIANT: the result is not read before there is an end.
    if (end === null) throw new Error('a run without an end');
    if (end.status !== 'paused') return this.#result(end, cpuMs);
    return this.#standing(end.standstill, (await loadEngine()).mark);
  }

  #start(lane: Lane): void {
    lane.onTurn = (message) => this.#turn(message);
    lane.onEnd = () =>
      this.#finish({ status: 'fault', error: { code: 'fault', message: 'the thread of the code ended' } });
    const limits = this.#limits;
    if (this.#paused === null) {
      const { source } = this.#job;
      lane.post({ type: 'start', source, tools: this.#places, limits, now: this.#now, seed: this.#seed });
      return;
    }
    const { standstill, state } = this.#paused;
    lane.post({ type: 'resume', standstill, limits, now: this.#clock });
    for (const { call, tool, json } of state.held) this.#enqueue(call, tool, json);
  }

  /** Ends code that computes where nothing can interrupt it. */
  #look(lane: Lane): void {
    if (lane.isComputing() && lane.computed() > this.#limits.cpuMs + grace)
      this.#finish(this.#limit('cpu_limit', 'limit'));
  }

  #turn(message: ThreadMessage): void {
    if (this.#end !== null) return;
    if (typeof message === 'string') {
      this.#made(message);
      return;
    }
    const { calls, refused, logs, logsDropped, returned, end } = message;
    this.#logs.push(...logs);
    this.#logsDropped ||= logsDropped;
    this.#returned ??= returned;
    this.#reported += refused.list.length + refused.more;
    this.#calls.refuse(refused, (index) => this.#job.tools[index] ?? '');
    // INVARIANT: once the run has ended no call starts.
    if (end !== null) this.#finish(end);
    this.#made(calls);
  }

  #made(text: CallsText): void {
    const calls: readonly Call[] = JSON.parse(text);
    this.#reported += calls.length;
    for (const [call, tool, json] of calls) this.#take(call, tool, json);
  }

  #take(call: number, tool: number, json: string): void {
    const name = this.#job.tools[tool] ?? '';
    if (++this.#count <= this.#limits.maxToolCalls) {
      this.#enqueue(call, name, json);
      return;
    }
    const refused = this.#refused('tool_call_limit');
    this.#calls.begin(call, name);
    this.#calls.settle(call, 0, refused.error);
    this.#answer(call, refused);
  }

  #enqueue(call: number, tool: string, json: string): void {
    this.#calls.begin(call, tool);
    const go = () => {
      this.#active++;
      void this.#call(call, tool, json).finally(() => {
        this.#active--;
        this.#next();
        this.#rest();
      });
    };
    this.#queue.push(go);
    this.#next();
  }

  /** Lets the code pause once it waits for approvals alone. */
  #rest(): void {
    const open = this.#held.length;
    if (this.#end !== null || open === 0 || this.#active + this.#queue.length > 0) return;
    this.#send();
    this.#lane?.post({ type: 'pause', open });
  }

  #next(): void {
    // INVARIANT: once the run has ended no call starts.
    if (this.#end !== null || this.#active >= this.#limits.maxConcurrentCalls) return;
    this.#queue.shift()?.();
  }

  async #call(call: number, tool: string, json: string): Promise<void> {
    const began = performance.now();
    const outcome = await this.#outcome(tool, json, () => this.#calls.sent(call));
    const ms = performance.now() - began;
    this.#toolMs += ms;
    if (this.#end !== null) return;
    if (outcome instanceof Held) {
      this.#held.push({ call, tool, json, approval: outcome.approval });
      return;
    }
    if ('json' in outcome) this.#results.push({ tool, json: outcome.json });
    this.#calls.settle(call, ms, 'error' in outcome ? outcome.error : undefined);
    this.#answer(call, outcome);
  }

  async #outcome(tool: string, json: string, sent: () => void): Promise<CallResult | Held> {
    let args: JsonValue;
    try {
      args = parseJson(json);
      if (!isJsonObject(args)) throw new InputError('the arguments of a tool are an object');
    } catch (error) {
      return { error: { code: 'invalid_arguments', message: messageOf(error) } };
    }
    try {
      const result = JSON.stringify(await this.#job.call(tool, args, this.#stop.signal, sent)) ?? 'null';
      const bytes = Buffer.byteLength(result);
      if (bytes > this.#limits.maxResultBytes) return this.#refused('result_limit');
      this.#resultBytes += bytes;
      const isTooMuch = this.#resultBytes > this.#limits.maxTotalResultBytes;
      return isTooMuch ? this.#refused('total_result_limit') : { json: result };
    } catch (error) {
      if (error instanceof Held) return error;
      const code =
        error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
      return { error: { code: code === '' ? 'tool_error' : code, message: messageOf(error) } };
    }
  }

  #refused(limit: LimitCode): CallFailure {
    return { limit, error: { code: limit, message: limitMessages[limit](this.#limits) } };
  }

  /** Answers go together with those of the same moment: each crossing between threads has its price. */
  #answer(call: number, result: CallResult): void {
    const now =
      this.#job.journal?.answers[call] ?? this.#clock + Math.floor(performance.now() - this.#started);
    this.#answers[call] = now;
    if (this.#outbox !== null && this.#outbox.now !== now) this.#send();
    if (this.#outbox === null) {
      this.#outbox = { now, reached: [], list: [] };
      process.nextTick(() => this.#send());
    }
    const { list, reached } = this.#outbox;
    list.push(answerText(call, result));
    if ('error' in result && result.limit !== undefined) reached.push(result.limit);
  }

  #send(): void {
    const outbox = this.#outbox;
    this.#outbox = null;
    if (outbox === null || this.#end !== null) return;
    const { now, reached, list } = outbox;
    this.#lane?.post(writeAnswers({ now, count: list.length, reached, list: `[${list.join(',')}]` }));
    if (this.#active === 0) this.#lane?.spinWait();
  }

  #limit<Status extends 'timeout' | 'limit'>(
    code: LimitCode,
    status: Status,
  ): { status: Status; error: RunError } {
    return { status, error: { code, message: limitMessages[code](this.#limits) } };
  }

  /** The first end counts; whatever comes later is dropped. */
  #finish(end: Ended): void {
    if (this.#end !== null) return;
    this.#end = end;
    this.#stop.abort();
    this.#ended.resolve();
  }

  #result(end: Exclude<Ended, { readonly status: 'paused' }>, cpuMs: number): SandboxResult {
    const { json, truncated } = (end.status === 'ok' ? end : this.#returned) ?? nothing;
    const value: JsonValue | undefined = json === null ? undefined : JSON.parse(json);
    const unhandled = end.status === 'ok' ? end.unhandled : undefined;
    const { status, error } =
      unhandled === undefined ? { error: undefined, ...end } : this.#calls.floating(unhandled);
    return {
      status,
      ...(value === undefined ? {} : { value }),
      truncated,
      ...(error === undefined ? {} : { error }),
      logs: this.#logs,
      logsDropped: this.#logsDropped,
      calls: this.#calls.all(error?.code ?? status),
      callsOmitted: this.#calls.omitted,
      stats: { wallMs: this.#wall(), cpuMs, toolMs: this.#toolMs },
      journal: this.#journal(),
    };
  }

  #standing(standstill: Standstill, engine: string): PausedChain {
    const state: ChainState = {
      tools: this.#job.tools,
      limits: this.#limits,
      journal: this.#journal(),
      logs: this.#logs,
      calls: this.#calls.settled,
      callsOmitted: this.#calls.omitted,
      held: this.#held.toSorted((a, b) => a.call - b.call),
      results: this.#results,
      count: this.#count,
      toolMs: this.#toolMs,
      wallMs: this.#wall(),
    };
    return { status: 'paused', engine, standstill, state };
  }

  /** The time that the user took to answer is not counted. */
  #wall(): number {
    return this.#wallBefore + performance.now() - this.#started;
  }

  #journal(): Journal {
    return { now: this.#now, seed: this.#seed, answers: this.#answers };
  }
}

const nothing: Returned = { json: null, truncated: false };

/** How code ends that leaves its thread as sound as it was. */
const byItself: ReadonlySet<string> = new Set(['ok', 'error', 'paused']);
