// Polls the processes of one call while it runs, and reports when they are running, when they have exited, and when
// their host has.

import type { CallProcesses } from './processes.ts';

/** The reports of the watch. */
export interface Watched {
  /** Whether the call has not ended yet. */
  readonly isOpen: () => boolean;
  /** The processes are running; with times, from when to when they ran, null while they run. */
  readonly lives: (lived?: readonly [number, number | null]) => void;
  /** Whether no other running call may own these processes. */
  readonly isAlone: () => boolean;
  /** They have exited, and the end of the call was not reported. */
  readonly isOver: () => Promise<void>;
  /** The host has exited. */
  readonly isGone: () => Promise<unknown>;
}

/** Polling intervals, in milliseconds, and until when after the start each applies. */
const paces: readonly (readonly [until: number, every: number])[] = [
  [500, 20],
  [10_000, 100],
  [Number.POSITIVE_INFINITY, 500],
];
/** How long a host may take to report the end of a call whose processes have exited. */
const patience = 800;
/** How often the disk records that the call is still running. */
const beat = 1000;

/** A heartbeat for as long as a call runs: without it, changes after a crash are not attributed to the call. */
export function beatWhile(isOpen: () => boolean, lives: () => void): void {
  setTimeout(() => {
    if (!isOpen()) return;
    lives();
    beatWhile(isOpen, lives);
  }, beat).unref();
}

export class CallWatch {
  readonly #processes: CallProcesses;
  readonly #reports: Watched;
  readonly #started = Date.now();
  #lived: readonly [number, number | null] | undefined;
  #last = Date.now();
  #beat = Date.now();
  #isSettled = false;

  constructor(processes: CallProcesses, reports: Watched) {
    this.#processes = processes;
    this.#reports = reports;
  }

  start(): void {
    const age = Date.now() - this.#started;
    const [, every] = paces.find(([until]) => age < until) ?? [0, beat];
    setTimeout(() => this.#look(), every).unref();
  }

  #look(): void {
    if (!this.#reports.isOpen()) return;
    const found = this.#processes.look();
    const now = Date.now();
    if (found === 'gone') {
      this.#close(now);
      void this.#reports.isGone();
      return;
    }
    if (found === 'busy') this.#isBusy(now);
    else this.#close(now);
    const [, to] = this.#lived ?? [0, null];
    if (to !== null && now - to > patience && !this.#isSettled) {
      this.#isSettled = true;
      void this.#reports.isOver();
    }
    this.#last = now;
    this.start();
  }

  #isBusy(now: number): void {
    // If the processes may belong to another call, this one may have finished its work unobserved.
    const [from, to] = this.#lived ?? [this.#reports.isAlone() ? this.#last : this.#started, 0];
    this.#isSettled = false;
    if (to !== null) {
      this.#lived = [from, null];
      this.#reports.lives(this.#lived);
    } else if (now - this.#beat > beat) {
      this.#beat = now;
      this.#reports.lives();
    }
  }

  /** The processes, if there were any, have exited. */
  #close(now: number): void {
    if (this.#lived === undefined || this.#lived[1] !== null) return;
    this.#lived = [this.#lived[0], now];
    this.#reports.lives(this.#lived);
  }
}
