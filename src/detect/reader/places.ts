// Where the units of a reading stand in the source that they were read from.

import type { Decoder } from './ways.ts';

/** Units of a reading that came together, and where they stand in the source. */
interface Row {
  readonly from: number;
  to: number;
  readonly at: number;
  readonly origins: readonly number[] | null;
}

export class Places {
  readonly #decoder: Decoder;
  /** How many units were read. */
  #units = 0;
  /** The rows that are still asked about. */
  readonly #rows: Row[] = [];

  constructor(decoder: Decoder) {
    this.#decoder = decoder;
  }

  /** The units that a piece of the source is read as. */
  push(piece: string, last: boolean): string {
    const { text, at, origins } = this.#decoder.push(piece, last);
    if (text === '') return text;
    const to = this.#units + text.length;
    const row = this.#rows.at(-1);
    if (row !== undefined && row.origins === null && origins === null && at - row.at === row.to - row.from) {
      row.to = to;
    } else this.#rows.push({ from: this.#units, to, at, origins });
    this.#units = to;
    return text;
  }

  /** Nobody asks about the units before this one any more. */
  forget(unit: number): void {
    while (this.#rows[0] !== undefined && this.#rows[0].to <= unit) this.#rows.shift();
  }

  /** Where a unit stands in the source; for the one after the last, where the source is still to be read. */
  of(unit: number): number {
    for (const { from, to, at, origins } of this.#rows) {
      if (unit < to && unit >= from)
        return origins === null ? at + unit - from : (origins[unit - from] ?? at);
    }
    return this.#decoder.open;
  }
}
