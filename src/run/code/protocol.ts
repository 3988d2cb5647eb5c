// What a run and its thread tell one another. Values of the code and of tools cross as JSON text alone.

import type { QuickJSOptions } from 'quickjs-wasi';
import type { ToolPlace } from '../../guards/code/tools.ts';
import type { Limits } from './limits.ts';

/** What a thread is given when it starts. */
export interface ThreadData {
  /** The engine, compiled. */
  readonly wasm: QuickJSOptions['wasm'];
  /** When the code began to compute, in milliseconds since `since`, or 0; and how long it has computed before. */
  readonly meter: SharedArrayBuffer;
  readonly since: number;
  readonly limits: Pick<Limits, 'memoryMb' | 'stackKb'>;
}

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

/** What became of a call. */
export interface Answer {
  readonly type: 'answer';
  readonly call: number;
  readonly now: number;
  readonly result: CallResult;
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

/** How the code ended. */
export type End =
  | { readonly status: 'ok'; readonly json: string | null; readonly truncated: boolean }
  | { readonly status: 'error' | 'limit' | 'fault'; readonly error: RunError };

export interface RunError extends CallError {
  /** From 1, in the code as it was given. */
  readonly line?: number;
  readonly column?: number;
}
