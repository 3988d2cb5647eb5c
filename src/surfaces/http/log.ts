// What the daemon says of its own work: structured logs, and how long decisions take.

import type { Decider } from '../../decide/index.ts';

// ── Structured logs: one JSON object a line, names and numbers only, never a payload.

export const logLevels = ['error', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];

export type Log = (
  level: LogLevel,
  event: string,
  fields?: Readonly<Record<string, string | number | null>>,
) => void;

/** A log that writes lines up to a level. */
export function createLog(write: (line: string) => void, most: LogLevel, now: () => number): Log {
  const limit = logLevels.indexOf(most);
  return (level, event, fields = {}) => {
    if (logLevels.indexOf(level) > limit) return;
    write(`${JSON.stringify({ time: new Date(now()).toISOString(), level, event, ...fields })}\n`);
  };
}

/** Tells of a request that was answered. */
export function logRequest(
  log: Log,
  { method, path }: { readonly method: string; readonly path: string },
  status: number,
  started: number,
): void {
  log('debug', 'request', {
    method,
    // A path to the proxy may hold a credential.
    path: path.replace(/\/as\/.*/, '/as/…').slice(0, 100),
    status,
    ms: Math.round((performance.now() - started) * 1000) / 1000,
  });
}

// ── How long the daemon takes to decide, for the one who looks.

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
