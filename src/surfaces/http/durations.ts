// How long the daemon takes to decide, for the one who looks.

import type { Decider } from '../../decide/index.ts';

const mostDurations = 1024;

/** How long the last decisions took. */
export class Durations {
  readonly #last = new Float64Array(mostDurations);
  #count = 0;

  /** A decider whose decisions are timed, under whatever terms. */
  around(decider: Decider): Decider {
    return {
      ...decider,
      under: (terms) => this.around(decider.under(terms)),
      decide: async (action, context) => {
        const started = performance.now();
        try {
          return await decider.decide(action, context);
        } finally {
          this.#last[this.#count++ % mostDurations] = performance.now() - started;
        }
      },
    };
  }

  quantiles(): { readonly count: number; readonly p50: number | null; readonly p99: number | null } {
    const sorted = this.#last.slice(0, Math.min(this.#count, mostDurations)).sort();
    const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? null;
    return { count: this.#count, p50: at(0.5), p99: at(0.99) };
  }
}
