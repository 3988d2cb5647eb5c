// Calls in whose course a server asks a person something: each waits for the answer that its client brings back, perhaps
// with another request, and goes on where it stood.

import { randomUUID } from 'node:crypto';
import type { Called } from '../../run/mcp/calls.ts';
import { longestAnswerMs } from '../../run/mcp/connection.ts';
import type { CallOptions } from '../../run/mcp/index.ts';
import type { Answered, Asked } from '../../run/mcp/questions.ts';

/** A question that waits for its answer, under a name that only the client knows. */
export interface Waiting {
  readonly state: string;
  readonly asked: Asked;
}

interface Question {
  readonly asked: Asked;
  readonly answer: (answered: Answered) => void;
}

const declined: Answered = { action: 'decline' };
/** Calls that wait for an answer at once. */
const mostWaiting = 256;

export class Conversations {
  readonly #waiting = new Map<
    string,
    { readonly call: Conversation; readonly owner: string; timer: NodeJS.Timeout }
  >();

  /** Begins a call; gives what came of it, or what is to be asked first. `owner` says whose call it is, and which. */
  async begin(
    owner: () => string,
    signal: AbortSignal,
    canShow: (asked: Asked) => boolean,
    work: (options: CallOptions) => Promise<Called>,
  ): Promise<Called | Waiting> {
    return await this.#next(new Conversation(work, canShow), owner, signal);
  }

  /** Goes on with a call; undefined where it waits for no answer, or is somebody else's. INVARIANT: a state counts once. */
  async resume(
    state: string,
    owner: string,
    signal: AbortSignal,
    answered: Answered,
  ): Promise<Called | Waiting | undefined> {
    const found = this.#waiting.get(state);
    if (found === undefined || found.owner !== owner) return undefined;
    clearTimeout(found.timer);
    this.#waiting.delete(state);
    found.call.answer(answered);
    return await this.#next(found.call, () => owner, signal);
  }

  /** Gives every call up. */
  close(): void {
    for (const { call, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      call.giveUp();
    }
    this.#waiting.clear();
  }

  async #next(call: Conversation, owner: () => string, signal: AbortSignal): Promise<Called | Waiting> {
    for (;;) {
      const next = await call.next(signal);
      if ('verdict' in next) return next;
      if (this.#waiting.size < mostWaiting) {
        const state = randomUUID();
        const timer = setTimeout(() => {
          this.#waiting.delete(state);
          call.giveUp();
        }, longestAnswerMs);
        timer.unref();
        this.#waiting.set(state, { call, owner: owner(), timer });
        return { state, asked: next };
      }
      call.answer(declined);
    }
  }
}

/** One call, and what its server asks, one question after the other. */
class Conversation {
  readonly #stop = new AbortController();
  readonly #questions: Question[] = [];
  readonly #result: Promise<Called>;
  #asked: () => void = () => {};

  constructor(work: (options: CallOptions) => Promise<Called>, canShow: (asked: Asked) => boolean) {
    const ask = (asked: Asked): Promise<Answered> => {
      if (!canShow(asked)) return Promise.resolve(declined);
      return new Promise((answer) => {
        this.#questions.push({ asked, answer });
        this.#asked();
      });
    };
    this.#result = work({ signal: this.#stop.signal, ask });
    // Nobody may be there when it fails.
    this.#result.catch(() => undefined);
  }

  /** What came of it, or the question that waits; a caller that aborts meanwhile aborts the call. */
  async next(signal: AbortSignal): Promise<Called | Asked> {
    const stop = () => this.#stop.abort(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    try {
      const asked = new Promise<void>((resolve) => {
        this.#asked = resolve;
      });
      const [waiting] = this.#questions;
      if (waiting !== undefined) return waiting.asked;
      const came = await Promise.race([this.#result, asked]);
      return came ?? (await this.next(signal));
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  answer(answered: Answered): void {
    this.#questions.shift()?.answer(answered);
  }

  giveUp(): void {
    this.#stop.abort();
    for (const { answer } of this.#questions.splice(0)) answer(declined);
  }
}
