// Readings of bytes over a text whose lines and strings are joined: what is found, and what is safe, is told as places in
// the source.

import type { Find } from './channel.ts';
import { Places } from './places.ts';
import { type BytesReading, Runs } from './runs.ts';
import type { Decoder } from './ways.ts';

export class JoinedRuns {
  readonly #readings: readonly BytesReading[];
  readonly #places: Places;
  readonly #runs: Runs;
  #taken = 0;
  safe = 0;

  constructor(joined: Decoder, readings: readonly BytesReading[]) {
    this.#places = new Places(joined);
    this.#readings = readings;
    this.#runs = new Runs(readings);
  }

  push(piece: string, last: boolean): void {
    this.#taken += piece.length;
    const text = this.#places.push(piece, last);
    if (text !== '' || last) this.#runs.push(text, last);
    this.safe = last && !this.found ? this.#taken : Math.max(this.safe, this.#places.of(this.#runs.safe));
    if (!this.found) this.#places.forget(this.#runs.safe);
  }

  get found(): boolean {
    for (const { channel } of this.#readings) if (channel.found) return true;
    return false;
  }

  get finds(): readonly Find[] {
    return this.#readings
      .flatMap(({ channel }) => channel.finds)
      .map((find) => ({
        ...find,
        start: this.#places.of(find.start),
        end: this.#places.of(find.end - 1) + 1,
      }));
  }
}
