// Looks again and again at the processes of one call while it runs, and tells when they live, when they are gone, and when
// their host is.

import type { CallProcesses } from './processes.ts';

/** What the watch tells. */
export interface Watched {
  /** Whether the call has not ended yet. */
  readonly isOpen: () => boolean;
  /** The processes live; with times, from when to when they did, null while they do. */
  readonly lives: (lived?: readonly [number, number | null]) => void;
  /** Whether no other call runs whose processes these may be. */
  readonly isAlone: () => boolean;
  /** They are gone, and nobody has said that the call has ended. */
  readonly isOver: () => Promise<void>;
  /** The host is gone. */
  readonly isGone: () => Promise<unknown>;
}

/** How often is looked, in milliseconds, and up to when that counts from the start. */
const paces: readonly (readonly [until: number, every: number])[] = [
  [500, 20],
  [10_000, 100],
  [Number.POSITIVE_INFINITY, 500],
];
/** How long a host may take to say that a call has ended whose processes are gone. */
const patience = 800;
/** How often the disk records that the call still runs. */
const beat = 1000;

/** Says again and again that a call still runs, as long as it does: then nobody lays to it what comes after a crash. */
export function beatWhile(isOpen: () => boolean, lives: () => void): void {
  setTimeout(() => {
    if (!isOpen()) return;
    lives();
    beatWhile(isOpen, lives);
  }, beat).unref();
}

export class CallWatch {
  readonly #processes: CallProcesses;
  readonly #told: Watched;
  readonly #started = Date.now();
  #lived: readonly [number, number | null] | undefined;
  #last = Date.now();
  #beat = Date.now();
  #isSettled = false;

  constructor(processes: CallProcesses, told: Watched) {
    this.#processes = processes;
    this.#told = told;
  }

  start(): void {
    const age = Date.now() - this.#started;
    const [, every] = paces.find(([until]) => age < until) ?? [0, beat];
    setTimeout(() => this.#look(), every).unref();
  }

  #look(): void {
    if (!this.#told.isOpen()) return;
    const found = this.#processes.look();
    const now = Date.now();
    if (found === 'gone') {
      this.#close(now);
      void this.#told.isGone();
      return;
    }
    if (found === 'busy') this.#isBusy(now);
    else this.#close(now);
    const [, to] = this.#lived ?? [0, null];
    if (to !== null && now - to > patience && !this.#isSettled) {
      this.#isSettled = true;
      void this.#told.isOver();
    }
    this.#last = now;
    this.start();
  }

  #isBusy(now: number): void {
    // Where the processes may be another call's, this one may have done its work unseen.
    const [from, to] = this.#lived ?? [this.#told.isAlone() ? this.#last : this.#started, 0];
    this.#isSettled = false;
    if (to !== null) {
      this.#lived = [from, null];
      this.#told.lives(this.#lived);
    } else if (now - this.#beat > beat) {
      this.#beat = now;
      this.#told.lives();
    }
  }

  /** The processes, if there were any, are gone. */
  #close(now: number): void {
    if (this.#lived === undefined || this.#lived[1] !== null) return;
    this.#lived = [this.#lived[0], now];
    this.#told.lives(this.#lived);
  }
}
