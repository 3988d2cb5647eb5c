// The messages between a run and its thread. Values of the code and of tools are passed as JSON text alone.

import type { MessagePort } from 'node:worker_threads';
import type { QuickJSOptions } from 'quickjs-wasi';
import type { ToolPlace } from '../../guards/code/tools.ts';
import { isLimitCode, type LimitCode, type Limits } from './limits.ts';

/** The data that a thread starts with. */
export interface ThreadData {
  /** The engine, compiled. */
  readonly wasm: QuickJSOptions['wasm'];
  /**
   * When the code began to compute, in milliseconds since `since`, or 0; how long it has computed before; and how many
   * calls it has started, which is known even if the thread is terminated before it reports them.
   */
  readonly meter: SharedArrayBuffer;
  /** Where it receives code, and reports what the code does. */
  readonly port: MessagePort;
  readonly since: number;
  readonly limits: Pick<Limits, 'memoryMb' | 'stackKb'>;
}

/** The messages to a thread; answers are sent as text, which is faster than an object. */
export type Message = Start | Resume | Pause | AnswersText;

/** Code to run. */
export interface Start {
  readonly type: 'start';
  readonly source: string;
  readonly tools: readonly ToolPlace[];
  readonly limits: Limits;
  /** The time of the code's clock, and the seed of its random numbers. */
  readonly now: number;
  readonly seed: number;
}

/** Paused code that resumes. */
export interface Resume {
  readonly type: 'resume';
  readonly standstill: Standstill;
  readonly limits: Limits;
  readonly now: number;
}

/** The outcomes of calls that were answered at the same moment. */
export interface Answers {
  readonly now: number;
  readonly count: number;
  /** Limits that refused one of them. */
  readonly reached: readonly LimitCode[];
  /** A list in JSON, as the VM reads it: the number of a call, then its value, or a code and a message. */
  readonly list: string;
}

export type AnswersText = string;

/** One entry of the list of answers. */
export function answerText(call: number, result: CallResult): string {
  if ('json' in result) return `[${call},${result.json}]`;
  const { code, message } = result.error;
  return `[${call},${JSON.stringify(code)},${JSON.stringify(message)}]`;
}

export function writeAnswers({ now, count, reached, list }: Answers): AnswersText {
  return `${now} ${count} ${reached.join(',')}\n${list}`;
}

export function readAnswers(text: AnswersText): Answers {
  const end = text.indexOf('\n');
  const [now, count, reached = ''] = text.slice(0, end).split(' ');
  return {
    now: Number(now),
    count: Number(count),
    reached: reached.split(',').filter(isLimitCode),
    list: text.slice(end + 1),
  };
}

/** Pause, unless there are other unanswered calls than these. */
export interface Pause {
  readonly type: 'pause';
  readonly open: number;
}

/** The result of a call, or why there is none: the tool's word, or that of a limit. */
export type CallResult = { readonly json: string } | CallFailure;

export interface CallFailure {
  readonly error: CallError;
  readonly limit?: LimitCode;
}

interface CallError {
  readonly code: string;
  readonly message: string;
}

/** The messages from a thread: calls alone, as text, or everything that the code did. */
export type ThreadMessage = CallsText | Turn;

/** A list in JSON of calls: the number of each, the number of its tool, and the text of its arguments. */
export type CallsText = string;
export type Call = readonly [call: number, tool: number, json: string];

/** What the code did until it had to wait, or ended. */
interface Turn {
  /** INVARIANT: calls that arrive with an end were never sent. */
  readonly calls: CallsText;
  /** Calls that a limit refused before they became one of `calls`. */
  readonly refused: Refused;
  readonly logs: readonly Log[];
  readonly logsDropped: boolean;
  /** The value that the code returned, if it ended while unawaited calls continue. */
  readonly returned: Returned | null;
  readonly end: End | null;
}

/** Calls that were refused: the first of them by the number of their tool and the limit, and how many there are more. */
export interface Refused {
  readonly list: readonly (readonly [tool: number, limit: LimitCode])[];
  readonly more: number;
}

/** The value that the code returned, as JSON; null if there is none. */
export interface Returned {
  readonly json: string | null;
  readonly truncated: boolean;
}

export interface Log {
  readonly level: 'log' | 'info' | 'warn' | 'error' | 'debug';
  readonly text: string;
}

/** How the code itself ended; `unhandled` is a failure of something that the code did not wait for. */
export type Outcome = ({ readonly status: 'ok'; readonly unhandled?: Failure } & Returned) | Failure;

export interface Failure {
  readonly status: 'error' | 'limit';
  readonly error: RunError;
}

/** How a run ended, for good or for now. */
export type End =
  | Outcome
  | { readonly status: 'fault'; readonly error: RunError }
  | { readonly status: 'paused'; readonly standstill: Standstill };

/** A paused VM, and its thread's state. */
export interface Standstill {
  /** The memory of the VM, compressed. */
  readonly memory: Uint8Array;
  readonly thread: ThreadState;
}

interface ThreadState {
  /** The engine's own addresses in that memory, and the handles of the VM. */
  readonly stackPointer: number;
  readonly runtimePtr: number;
  readonly contextPtr: number;
  readonly inner: number;
  readonly clock: number;
  /** How long the code has computed, in milliseconds. */
  readonly used: number;
  readonly lastCall: number;
  /** Unanswered calls. */
  readonly open: number;
  readonly logChars: number;
  readonly logsDropped: boolean;
  readonly reached: readonly LimitCode[];
  /** Timers are paused too; `left` is the remaining time of each. */
  readonly timers: readonly {
    readonly id: number;
    readonly left: number;
    readonly wait: number;
    readonly repeat: boolean;
  }[];
  /** How the code itself ended, where calls that it did not wait for are open. */
  readonly outcome?: Outcome;
  /** The addresses in that memory of the rejected promises without a handler. */
  readonly rejected?: readonly number[];
}

export interface RunError extends CallError {
  /** From 1, in the code as it was given. */
  readonly line?: number;
  readonly column?: number;
}
