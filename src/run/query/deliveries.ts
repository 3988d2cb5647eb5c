// Undelivered answers: the client disconnected before it received them. The token of such a query still gets the
// answer.
//
// INVARIANT: a token starts its query once. Only a read that was stopped because its client disconnected starts again,
// under the same token. A change that has started is not stopped by that and never starts again; its outcome is stored
// for the token.

import { QueryFailed } from './errors.ts';
import type { QueryResult } from './execute.ts';

/** Maximum number of stored answers. */
const mostKept = 32;

interface Delivery {
  /** Undefined where the query did not start. */
  readonly outcome: Promise<QueryResult> | undefined;
  readonly reads: boolean;
  /** Whether the client that waits for it has disconnected. */
  signal: AbortSignal;
  until: number;
}

/** The remaining rights of a used token. */
export type Undelivered = { readonly outcome: Promise<QueryResult> } | 'start again';

export class Deliveries {
  readonly #now: () => number;
  readonly #kept = new Map<string, Delivery>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Runs the query of a token for a client. */
  async run(
    id: string,
    { expiresAt, reads }: { readonly expiresAt: number; readonly reads: boolean },
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal | undefined) => Promise<QueryResult>,
  ): Promise<QueryResult> {
    // Without a signal it is unknown whether the client is connected.
    if (signal === undefined) return await work(undefined);
    if (signal.aborted) {
      this.#keep(id, { outcome: undefined, reads, signal, until: expiresAt });
      throw new QueryFailed('the query was given up');
    }
    const outcome = work(reads ? signal : undefined);
    const delivery: Delivery = { outcome, reads, signal, until: expiresAt };
    this.#keep(id, delivery);
    return await this.#hand(id, delivery, outcome);
  }

  /**
   * The remaining rights of a token, for the next client that presents it; undefined if its client did not disconnect.
   */
  take(id: string, signal: AbortSignal | undefined): Undelivered | undefined {
    const delivery = this.#kept.get(id);
    if (delivery === undefined || delivery.until <= this.#now() || !delivery.signal.aborted) return undefined;
    const { outcome, reads } = delivery;
    // A read whose client has disconnected is being stopped: its outcome is useless to other clients.
    const isAgain = outcome === undefined || reads;
    if (isAgain || signal === undefined) this.#kept.delete(id);
    if (isAgain) return 'start again';
    if (signal !== undefined) delivery.signal = signal;
    return { outcome: signal === undefined ? outcome : this.#hand(id, delivery, outcome) };
  }

  /** Waits for an outcome, and deletes it if the client is connected to receive it. */
  async #hand(id: string, delivery: Delivery, outcome: Promise<QueryResult>): Promise<QueryResult> {
    try {
      return await outcome;
    } finally {
      if (!delivery.signal.aborted) this.#kept.delete(id);
    }
  }

  #keep(id: string, delivery: Delivery): void {
    for (const [one, { until }] of this.#kept) if (until <= this.#now()) this.#kept.delete(one);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= mostKept && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(id, delivery);
  }
}
