// Runs code that a model wrote: the code is judged first, and every call that it makes is an action of its own.

import type { ActionOf, ApprovalNotice, Context, Finding, JsonObject, Verdict } from '../../core/index.ts';
import { SallyportError } from '../../core/index.ts';
import { type Cleared, takeClearance } from '../../decide/cleared.ts';
import type { Decided, Decider } from '../../decide/types.ts';
import { reasonOf } from '../../guards/code/rules.ts';
import { TooMuchPaused } from '../../ledger/index.ts';
import { type CallRecord, neverSent } from './calls.ts';
import { type Limits, limitMessages } from './limits.ts';
import { checkRun, type Pausing, packRun, type StoredRun, unpackRun, waitForAny } from './pause.ts';
import type { Log } from './protocol.ts';
import {
  type CallTool,
  Held,
  type Journal,
  type PausedChain,
  Sandbox,
  type SandboxOptions,
  type SandboxResult,
} from './sandbox.ts';

export type { CallRecord, CallStatus } from './calls.ts';
export { defaultLimits, type Limits } from './limits.ts';
export { OtherContext, OtherEngine } from './pause.ts';
export { EngineMissing } from './pool.ts';

export type { Journal, SandboxOptions } from './sandbox.ts';

/** The implementation of a tool; `signal` is aborted when no caller waits for the result any more. */
export type ToolFunction = (
  args: JsonObject,
  options: { readonly signal: AbortSignal },
) => Promise<unknown> | unknown;

/** A tool that has another name than code calls it by, and runs a call as it was cleared. */
export interface ClearedTool {
  readonly server: string;
  readonly tool: string;
  /** Uses the clearance up. */
  call(cleared: Cleared<'tool'>, options: { readonly signal: AbortSignal }): Promise<unknown>;
}

export interface RunJob {
  /** The body of an async function. */
  readonly source: string;
  /** The default is TypeScript. */
  readonly language?: 'js' | 'ts';
  /** By name, such as `github.list_issues`: a server, a dot, and the tool; without a dot it is a tool of the program. */
  readonly tools: Readonly<Record<string, ToolFunction | ClearedTool>>;
  /** From the authenticated session. */
  readonly context: Context;
  readonly limits?: Partial<Limits>;
  readonly signal?: AbortSignal;
  /** An earlier run, whose clock and random numbers this one shall have. */
  readonly journal?: Journal;
  /** How long to wait here for the user before the answer is `waiting`; the default is not at all. */
  readonly waitMs?: number;
}

/** A paused run to check again: it is resumed if a question was answered. */
export interface ResumeJob extends Pick<RunJob, 'tools' | 'context' | 'signal' | 'waitMs'> {
  /** The id that the run was given when it paused. */
  readonly run: string;
}

/** A run of code, or why there was none. */
export type RunResult =
  | ({ readonly verdict: Verdict } & SandboxResult)
  | WaitingRun
  | {
      readonly verdict: Verdict;
      /** It may not run. */
      readonly status: 'blocked';
      readonly error: { readonly code: string; readonly message: string };
    };

/** Needs approval first: to the code, or to calls that it made. */
export interface WaitingRun {
  readonly verdict: Verdict;
  readonly status: 'waiting';
  /** The paused run, for `resume`; null if it is the code that waits, which is then run again. */
  readonly run: string | null;
  /** The questions for the user. */
  readonly approvals: readonly ApprovalNotice[];
  readonly error: { readonly code: 'needs_approval'; readonly message: string };
  /** The activity of the code so far. */
  readonly logs: readonly Log[];
  readonly calls: readonly CallRecord[];
}

export interface RunnerOptions extends SandboxOptions {
  /** Where paused runs are stored. Without it, a call that requires approval throws `needs_approval` in the code. */
  readonly pausing?: Pausing;
}

export interface CodeRunner {
  /** Starts threads ahead of the first run; throws `EngineMissing`. */
  warm(): Promise<void>;
  /** Judges code and runs it; the result contains what the code did. Throws `EngineMissing` and `InputError`. */
  run(job: RunJob): Promise<RunResult>;
  /**
   * Resumes a paused run, in this process or another one on the same store, once. Throws `UnknownRun`, `RunTaken`,
   * `RunExpired`, `OtherContext`, `OtherEngine`, and `StoreDamaged` if it was changed.
   */
  resume(job: ResumeJob): Promise<RunResult>;
  close(): Promise<void>;
}

/** A call that may not be made; the code can catch it by its code. */
class CallRefused extends SallyportError {
  readonly code: 'blocked' | 'needs_approval';

  constructor({ decision, explanation }: Verdict) {
    super(explanation);
    this.code = decision === 'approve' ? 'needs_approval' : 'blocked';
  }
}

/** Makes a runner. Its threads are its own, and end with it. */
export function createRunner(
  decider: Pick<Decider, 'decide' | 'session'>,
  { pausing, ...options }: RunnerOptions = {},
): CodeRunner {
  const sandbox = new Sandbox(options);

  /** Judges code, and waits in place for an approver who must allow it. */
  async function judged(action: ActionOf<'code'>, context: Context, wait: Wait): Promise<Decided<'code'>> {
    const first = await decider.decide(action, context);
    const { approval } = first.verdict;
    if (pausing === undefined || approval === null) return first;
    if (!(await waitForAny(pausing, [approval.id], wait.left(), wait.signal))) return first;
    return await decider.decide(action, context);
  }

  async function run(job: RunJob): Promise<RunResult> {
    const { source, language, tools, context, limits, signal, journal } = job;
    const action: ActionOf<'code'> = {
      kind: 'code',
      source,
      tools: Object.keys(tools),
      ...(language === undefined ? {} : { language }),
    };
    const wait = waitOf(job);
    const { verdict, cleared } = await judged(action, context, wait);
    if (cleared === null) return refused(verdict);
    const result = await runCode(sandbox, cleared, {
      call: caller(context, tools),
      ...(limits === undefined ? {} : { limits }),
      ...(signal === undefined ? {} : { signal }),
      ...(journal === undefined ? {} : { journal }),
    });
    return await after(result, job, { verdict, run: null, wait, written: source });
  }

  async function resume(job: ResumeJob, wait = waitOf(job)): Promise<RunResult> {
    const { run: id, context, signal } = job;
    if (pausing === undefined) throw new SallyportError('this runner has no store to find runs in');
    const { ledger, now } = pausing;
    const { user, tenant, agent } = context;
    const found = await ledger.runs.open(id, { user, tenant, agent }, now());
    const kept = await unpackRun(found.content);
    checkRun(kept, context, await sandbox.engine());
    const { verdict, paused } = kept;
    if (found.answers === 'pending') {
      const answered = await waitForAny(pausing, found.approvals, wait.left(), signal);
      return answered ? await resume(job, wait) : waiting(verdict, id, paused);
    }
    // The texts that the code has read are in the memory of the process that it began in; here the session has to read
    // them again.
    const session = await decider.session(context);
    for (const { tool, json } of paused.state.results) await session.read(json, { kind: 'tool', name: tool });
    await ledger.runs.take(found, now());
    const result = await sandbox.resume({
      paused,
      tenant: threadOf(context),
      call: caller(context, job.tools),
      ...(signal === undefined ? {} : { signal }),
    });
    if (result.status !== 'paused') await ledger.runs.end(id);
    return await after(result, job, { verdict, run: id, wait });
  }

  /** The result of a run that ended or paused: a paused one is stored, and waits as long as the caller does. */
  async function after(
    result: SandboxResult | PausedChain,
    { tools, context, signal }: Pick<RunJob, 'tools' | 'context' | 'signal'>,
    {
      verdict,
      run: before,
      wait,
      written = sourceOf(verdict),
    }: { verdict: Verdict; run: string | null; wait: Wait; written?: string },
  ): Promise<RunResult> {
    if (result.status !== 'paused') return { verdict, ...placed(result, written, sourceOf(verdict)) };
    // INVARIANT: without a place to keep it no call is held.
    if (pausing === undefined) throw new Error('a run that is not stored');
    const id = await keep(pausing, { context, verdict, paused: result }, before);
    if (id === null) return { verdict, ...tooMuch(result) };
    if (wait.left() <= 0) return waiting(verdict, id, result);
    return await resume({ run: id, tools, context, ...(signal === undefined ? {} : { signal }) }, wait);
  }

  function caller(context: Context, tools: RunJob['tools']): CallTool {
    const parts = { context, tools, canWait: pausing !== undefined };
    return (name, args, stop, sent) => callTool(decider, parts, { name, args, sent }, stop);
  }

  return { warm: () => sandbox.warm(), close: () => sandbox.close(), run, resume: (job) => resume(job) };
}

/** How long the caller of a run still waits for approval. */
interface Wait {
  left(): number;
  readonly signal: AbortSignal | undefined;
}

function waitOf({ waitMs = 0, signal }: Pick<RunJob, 'waitMs' | 'signal'>): Wait {
  const until = performance.now() + waitMs;
  return { left: () => (signal?.aborted === true ? 0 : until - performance.now()), signal };
}

/** Stores a run; null if it is too large, and then no question is asked in vain. */
async function keep(
  { ledger, now }: Pausing,
  kept: StoredRun,
  before: string | null,
): Promise<string | null> {
  const { context, verdict, paused } = kept;
  const approvals = [...new Set(paused.state.held.map(({ approval }) => approval.id))];
  try {
    return await ledger.runs.park({
      id: before,
      context,
      code: ledger.fingerprint('code', () => sourceOf(verdict)),
      approvals,
      decisionId: verdict.decisionId,
      content: await packRun(kept),
      now: now(),
    });
  } catch (error) {
    if (!(error instanceof TooMuchPaused)) throw error;
    for (const id of approvals) await ledger.approvals.withdraw(id, now());
    if (before !== null) await ledger.runs.end(before);
    return null;
  }
}

/** A result whose error has its position in the original code, and names the text there. */
function placed(result: SandboxResult, written: string, ran: string): SandboxResult {
  const { error } = result;
  const { line = 0, column = 0 } = error ?? {};
  if (error === undefined || line === 0) return result;
  const [before = '', after = ''] = [written, ran].map((text) => lineOf(text, line));
  // A line that was changed was changed in one place.
  const isBehind = before.slice(0, column - 1) !== after.slice(0, column - 1);
  const place = isBehind ? Math.max(1, column - (after.length - before.length)) : column;
  if (error.message !== 'not a function') return { ...result, error: { ...error, column: place } };
  const [path = ''] = /(?:[\w$]+\??\.)*$/.exec(before.slice(0, place - 1)) ?? [];
  const [name = ''] = /^[\w$]*/.exec(before.slice(place - 1)) ?? [];
  const message = name === '' ? error.message : `${error.message}: ${path}${name}`;
  return { ...result, error: { ...error, message, column: place } };
}

function lineOf(text: string, line: number): string {
  return text.split(/\r\n|[\n\r\u2028\u2029]/)[line - 1] ?? '';
}

function sourceOf({ action }: Verdict): string {
  return action.kind === 'code' ? action.source : '';
}

function tooMuch({ state, standstill }: PausedChain): SandboxResult {
  const { logs, held, callsOmitted = 0, journal, wallMs, toolMs } = state;
  const { used, logsDropped } = standstill.thread;
  const error = { code: 'pause_limit', message: limitMessages.pause_limit() };
  const stats = { wallMs, cpuMs: used, toolMs };
  const calls = [...state.calls, ...neverSent(held, error.code)];
  return { status: 'limit', truncated: false, error, logs, logsDropped, calls, callsOmitted, stats, journal };
}

function waiting(verdict: Verdict, run: string, { state: { held, logs, calls } }: PausedChain): WaitingRun {
  const approvals = [...new Map(held.map(({ approval }) => [approval.id, approval])).values()];
  const tools = [...new Set(held.map(({ tool }) => tool))].join(', ');
  const message = `the code waits for approval at ${tools}: ${approvals.map(({ how }) => how).join(', ')}`;
  const error = { code: 'needs_approval', message } as const;
  return { verdict, status: 'waiting', run, approvals, error, logs, calls };
}

/** Code of one user never runs on a thread where another's ran. */
function threadOf({ tenant, user }: Context): string {
  return JSON.stringify([tenant, user]);
}

/** Runs code that was cleared, as it was judged. */
async function runCode(
  sandbox: Sandbox,
  cleared: Cleared<'code'>,
  how: Pick<Parameters<Sandbox['run']>[0], 'call' | 'limits' | 'signal' | 'journal'>,
): Promise<SandboxResult | PausedChain> {
  takeClearance(cleared);
  const { action, context } = cleared;
  return await sandbox.run({
    source: action.source,
    tools: action.tools ?? [],
    tenant: threadOf(context),
    ...how,
  });
}

/** One call, by the one path: judged with what the session has read so far, and what it gives is read too. */
async function callTool(
  decider: Pick<Decider, 'decide' | 'session'>,
  { context, tools, canWait }: Pick<RunJob, 'context' | 'tools'> & { readonly canWait: boolean },
  { name, args, sent }: { readonly name: string; readonly args: JsonObject; readonly sent: () => void },
  signal: AbortSignal,
): Promise<unknown> {
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (tool === undefined) throw new SallyportError(`there is no tool ${name}`);
  const action: ActionOf<'tool'> = { kind: 'tool', ...placeOf(name, tool), arguments: args };
  const { verdict, cleared } = await decider.decide(action, context);
  if (cleared === null) {
    if (canWait && verdict.approval !== null) throw new Held(verdict.approval);
    throw new CallRefused(verdict);
  }
  // INVARIANT: a run that has ended starts no call, however long the decision took.
  signal.throwIfAborted();
  sent();
  const result = await made(tool, cleared, signal);
  const session = await decider.session(context);
  await session.read(JSON.stringify(result) ?? '', { kind: 'tool', name });
  return result;
}

/** The tool behind a name in code. */
function placeOf(
  name: string,
  tool: ToolFunction | ClearedTool,
): { readonly tool: string; readonly server?: string } {
  if (typeof tool === 'object') return { server: tool.server, tool: tool.tool };
  const dot = name.indexOf('.');
  return { tool: name.slice(dot + 1), ...(dot < 0 ? {} : { server: name.slice(0, dot) }) };
}

async function made(tool: ToolFunction | ClearedTool, cleared: Cleared<'tool'>, signal: AbortSignal) {
  if (typeof tool === 'object') return await tool.call(cleared, { signal });
  takeClearance(cleared);
  return await tool(cleared.action.arguments ?? {}, { signal });
}

function refused(verdict: Verdict): RunResult {
  const { decision, explanation, approval } = verdict;
  if (decision === 'approve') {
    const approvals = approval === null ? [] : [approval];
    const error = { code: 'needs_approval', message: explanation } as const;
    return { verdict, status: 'waiting', run: null, approvals, error, logs: [], calls: [] };
  }
  return { verdict, status: 'blocked', error: { code: 'blocked', message: codeBlocked(verdict) } };
}

/** Why code was refused, in the words that scripts match on. */
export function codeBlocked({ findings, explanation }: Verdict): string {
  const [first]: readonly Finding[] = findings.filter((finding) => finding.decision === 'block');
  const reason = first === undefined ? explanation : reasonOf(first);
  return `Code-mode guardrail blocked execution: ${reason}`;
}
