// What a run and its thread tell one another. Values of the code and of tools cross as JSON text alone.

import type { QuickJSOptions } from 'quickjs-wasi';
import type { ToolPlace } from '../../guards/code/tools.ts';
import type { LimitCode, Limits } from './limits.ts';

/** What a thread is given when it starts. */
export interface ThreadData {
  /** The engine, compiled. */
  readonly wasm: QuickJSOptions['wasm'];
  /** When the code began to compute, in milliseconds since `since`, or 0; and how long it has computed before. */
  readonly meter: SharedArrayBuffer;
  readonly since: number;
  readonly limits: Pick<Limits, 'memoryMb' | 'stackKb'>;
}

/** What a thread is told. */
export type Message = Start | Resume | Answer | Pause;

/** Code to run. */
export interface Start {
  readonly type: 'start';
  readonly source: string;
  readonly tools: readonly ToolPlace[];
  readonly limits: Limits;
  /** What the clock of the code says, and where its random numbers start. */
  readonly now: number;
  readonly seed: number;
}

/** Code that stood still and goes on. */
export interface Resume {
  readonly type: 'resume';
  readonly standstill: Standstill;
  readonly limits: Limits;
  readonly now: number;
}

/** What became of a call. */
export interface Answer {
  readonly type: 'answer';
  readonly call: number;
  readonly now: number;
  readonly result: CallResult;
}

/** Stand still, unless there are other calls than these that nobody has answered. */
export interface Pause {
  readonly type: 'pause';
  readonly open: number;
}

/** The result of a call, or why there is none: the tool's word, or that of a limit. */
export type CallResult =
  | { readonly json: string }
  | { readonly error: CallError }
  | { readonly limit: 'tool_call_limit' | 'result_limit' | 'total_result_limit' };

export interface CallError {
  readonly code: string;
  readonly message: string;
}

/** What the code did until it had to wait, or ended. */
export interface Turn {
  readonly calls: readonly { readonly call: number; readonly tool: number; readonly json: string }[];
  readonly logs: readonly Log[];
  readonly logsDropped: boolean;
  readonly end: End | null;
}

export interface Log {
  readonly level: 'log' | 'info' | 'warn' | 'error' | 'debug';
  readonly text: string;
}

/** How the code ended, for good or for now. */
export type End =
  | { readonly status: 'ok'; readonly json: string | null; readonly truncated: boolean }
  | { readonly status: 'error' | 'limit' | 'fault'; readonly error: RunError }
  | { readonly status: 'paused'; readonly standstill: Standstill };

/** A VM that stands still, and what its thread knows of it. */
export interface Standstill {
  /** The memory of the VM, compressed. */
  readonly memory: Uint8Array;
  readonly thread: ThreadState;
}

export interface ThreadState {
  /** Where in that memory the engine finds itself, and the ways into the VM. */
  readonly stackPointer: number;
  readonly runtimePtr: number;
  readonly contextPtr: number;
  readonly inner: number;
  readonly clock: number;
  /** How long the code has computed, in milliseconds. */
  readonly used: number;
  readonly lastCall: number;
  /** Calls that nobody has answered. */
  readonly open: number;
  readonly logChars: number;
  readonly logsDropped: boolean;
  readonly reached: readonly LimitCode[];
  /** Timers stand still too; `left` is what each still had to wait. */
  readonly timers: readonly {
    readonly id: number;
    readonly left: number;
    readonly wait: number;
    readonly repeat: boolean;
  }[];
}

export interface RunError extends CallError {
  /** From 1, in the code as it was given. */
  readonly line?: number;
  readonly column?: number;
}
