// How far a scan is, on one line of a terminal, for anything longer than a second.

import type { Io } from '../io.ts';
import type { Known } from './pool.ts';
import { megabytes } from './report.ts';

const quietMilliseconds = 1000;
const everyMilliseconds = 100;
const width = 24;

export class Progress {
  readonly #io: Io;
  readonly #started = performance.now();
  #next = this.#started + quietMilliseconds;
  #bytes = 0;
  #shown = false;

  constructor(io: Io) {
    this.#io = io;
  }

  get seconds(): number {
    return (performance.now() - this.#started) / 1000;
  }

  /** Some more is done; without `known` nobody knows how much there is. */
  add(bytes: number, known?: Known): void {
    this.#bytes += bytes;
    const now = performance.now();
    if (now < this.#next) return;
    this.#next = now + everyMilliseconds;
    this.#shown = true;
    if (known === undefined || !known.complete) this.#io.progress(`scanning … ${megabytes(this.#bytes)}`);
    else {
      const share = Math.min(1, known.bytes === 0 ? 1 : this.#bytes / known.bytes);
      const filled = Math.floor(share * width);
      const bar = '█'.repeat(filled) + '░'.repeat(width - filled);
      this.#io.progress(`scanning ${bar} ${Math.floor(share * 100)} % of ${megabytes(known.bytes)}`);
    }
  }

  clear(): void {
    if (this.#shown) this.#io.progress('');
    this.#shown = false;
  }
}
