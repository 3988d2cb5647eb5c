// The outcome of every call that code started, whether the code awaited it or not.

import type { LimitCode } from './limits.ts';
import type { Failure, Refused, RunError } from './protocol.ts';

/** The outcome of a call: it was answered, it failed after it was sent, or it never reached the tool. */
export type CallStatus = 'done' | 'failed' | 'never_sent';

/** One call that the code started. */
export interface CallRecord {
  /** From 1, in the order in which they were made; 0 where a limit refused it before it was counted. */
  readonly call: number;
  readonly tool: string;
  readonly ms: number;
  readonly status: CallStatus;
  /** Absent where it was answered; else why not. */
  readonly error?: string;
  /** Only if it was open when the run ended: its known state. */
  readonly note?: string;
}

interface OpenCall {
  readonly tool: string;
  readonly began: number;
  isSent: boolean;
}

/** The calls of one run, before and after a pause. */
export interface CallState {
  readonly calls: readonly (Omit<CallRecord, 'status'> & Partial<Pick<CallRecord, 'status'>>)[];
  readonly callsOmitted?: number;
}

/** How many calls that a limit refused are listed one by one. */
const mostListed = 100;

/** The message about a call that was open at the end of the run. */
const unanswered = 'no answer before the run ended; it may have taken effect';
const unsent = 'the run ended before it was sent';

export class CallLog {
  readonly #records: CallRecord[];
  readonly #open = new Map<number, OpenCall>();
  /** The error that the code received for each failed call. */
  readonly #failures: (Pick<RunError, 'code' | 'message'> & { readonly tool: string })[] = [];
  #listed: number;
  #omitted: number;

  constructor({ calls, callsOmitted = 0 }: CallState = { calls: [] }) {
    // For a run that an earlier version paused, only whether a call failed is known.
    this.#records = calls.map((record) => ({
      ...record,
      status: record.status ?? (record.error === undefined ? 'done' : 'failed'),
    }));
    this.#listed = calls.filter(({ call }) => call === 0).length;
    this.#omitted = callsOmitted;
  }

  get omitted(): number {
    return this.#omitted;
  }

  /** Calls that were answered or refused. */
  get settled(): readonly CallRecord[] {
    return this.#records;
  }

  begin(call: number, tool: string): void {
    this.#open.set(call, { tool, began: performance.now(), isSent: false });
  }

  sent(call: number): void {
    const open = this.#open.get(call);
    if (open !== undefined) open.isSent = true;
  }

  /** A call was answered, or the code has its error. */
  settle(call: number, ms: number, failed?: Pick<RunError, 'code' | 'message'>): void {
    const { tool = '', isSent = false } = this.#open.get(call) ?? {};
    this.#open.delete(call);
    if (failed === undefined) {
      this.#records.push({ call, tool, ms, status: 'done' });
      return;
    }
    const { code, message } = failed;
    this.#failures.push({ tool, code, message });
    this.#records.push({ call, tool, ms, status: isSent ? 'failed' : 'never_sent', error: code });
  }

  /** Calls that a limit refused before they reached the host. */
  refuse({ list, more }: Refused, toolOf: (index: number) => string): void {
    for (const [index, limit] of list) this.#refuse(toolOf(index), limit);
    this.#omitted += more;
  }

  /** Calls that were never sent, and of which nothing else is known. */
  omit(count: number): void {
    this.#omitted += Math.max(0, count);
  }

  #refuse(tool: string, error: LimitCode): void {
    if (this.#listed >= mostListed) {
      this.#omitted++;
      return;
    }
    this.#listed++;
    this.#records.push({ call: 0, tool, ms: 0, status: 'never_sent', error });
  }

  /** All calls of a run that ended, with those that were open at the end. */
  all(why: string): readonly CallRecord[] {
    const now = performance.now();
    const lost = [...this.#open].map(([call, { tool, began, isSent }]): CallRecord => {
      const known = { call, tool, ms: now - began };
      return isSent
        ? { ...known, status: 'failed', error: 'no_answer', note: unanswered }
        : { ...known, status: 'never_sent', error: why, note: unsent };
    });
    return [...this.#records, ...lost];
  }

  /** A failure that nothing in the code waited for, by the tool whose call it is. */
  floating({ status, error }: Failure): Failure {
    // A limit is reported by its own name.
    if (status === 'limit') return { status, error };
    const { code, message } = error;
    const failure =
      this.#failures.find((one) => one.code === code && one.message === message) ??
      // Of calls before a pause only the code is stored.
      this.#records.find((record) => record.error === code);
    if (failure !== undefined) {
      const text = `the code did not wait for ${failure.tool}, which failed: ${message}`;
      return { status, error: { ...error, code: 'floating_call_failed', message: text } };
    }
    const text = `something that the code did not wait for failed: ${code}: ${message}`;
    return { status, error: { ...error, code: 'unhandled_rejection', message: text } };
  }
}

/** Calls that wait for approval, of a run that is not resumed. */
export function neverSent(
  held: readonly { readonly call: number; readonly tool: string }[],
  error: string,
): readonly CallRecord[] {
  return held.map(({ call, tool }) => ({ call, tool, ms: 0, status: 'never_sent', error, note: unsent }));
}
