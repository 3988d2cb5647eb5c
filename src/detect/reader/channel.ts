// One reading of a text as it flows, with its searches: what they have settled of it, as places in the source.

import type { Match } from '../rule.ts';
import type { Sink } from '../scanner.ts';
import type { Decoder, Way } from './ways.ts';

/** What searches one reading of a text. */
export interface TextScanner {
  push(piece: string, last: boolean, sink: Sink): void;
  /** From here on nothing can be trusted. */
  readonly overranAt?: number;
}

/** Something that the text contains; its place is that in the source. */
export interface Find extends Match {
  readonly way: Way;
}

/** Units of a reading that came together, and where they stand in the source. */
interface Row {
  readonly from: number;
  readonly to: number;
  readonly at: number;
  readonly origins: readonly number[] | null;
}

/** One reading of the text, and the searches that go over it. */
export class ReadingChannel {
  readonly #way: Way;
  readonly #decoder: Decoder | undefined;
  readonly #searches: readonly Search[];
  /** How much of the source came. */
  taken = 0;
  /** How many units were read. */
  #units = 0;
  /** The rows that are not settled; all of them once something was found. */
  #rows: Row[] = [];
  found = false;
  /** Up to where the source is safe. */
  safe = 0;

  constructor(way: Way, decoder: Decoder | undefined, scanners: readonly TextScanner[]) {
    this.#way = way;
    this.#decoder = decoder;
    this.#searches = scanners.map((scanner) => new Search(scanner));
  }

  push(piece: string, last: boolean): void {
    this.taken += piece.length;
    const text = this.#decoder === undefined ? piece : this.#decode(this.#decoder, piece, last);
    let settled = Number.POSITIVE_INFINITY;
    for (const search of this.#searches) {
      if (text !== '' || last) search.push(text, last);
      if (search.settled < settled) settled = search.settled;
      if (search.matches.length > 0) this.found = true;
    }
    if (last && !this.found) this.safe = this.taken;
    else this.safe = Math.max(this.safe, this.#placeOf(settled));
    while (!this.found && this.#rows[0] !== undefined && this.#rows[0].to <= settled) this.#rows.shift();
  }

  /** Goes on behind so much of the source, in which nothing is read. */
  skip(length: number): void {
    this.taken += length;
  }

  #decode(decoder: Decoder, piece: string, last: boolean): string {
    const { text, at, origins } = decoder.push(piece, last);
    if (text !== '') this.#rows.push({ from: this.#units, to: this.#units + text.length, at, origins });
    this.#units += text.length;
    return text;
  }

  get finds(): readonly Find[] {
    return this.#searches.flatMap(({ matches }) =>
      matches.map((match) => ({
        ...match,
        way: this.#way,
        start: this.#placeOf(match.start),
        end: Math.max(this.#placeOf(match.end), this.#placeOf(match.end - 1) + 1),
      })),
    );
  }

  /** Where a unit stands in the source; for the one after the last, where the source is still to be read. */
  #placeOf(unit: number): number {
    if (this.#decoder === undefined) return unit;
    for (const { from, to, at, origins } of this.#rows) {
      if (unit < to && unit >= from)
        return origins === null ? at + unit - from : (origins[unit - from] ?? at);
    }
    return this.#decoder.open;
  }
}

/** One search over a reading. */
class Search {
  readonly #scanner: TextScanner;
  readonly matches: Match[] = [];
  /** How many units are settled; the find that stopped it begins there. */
  settled = 0;
  readonly #sink: Sink;

  constructor(scanner: TextScanner) {
    this.#scanner = scanner;
    this.#sink = {
      text: (_, to) => {
        if (this.matches.length === 0) this.settled = to;
      },
      match: (match) => {
        if (this.matches.length === 0) this.settled = match.start;
        this.matches.push(match);
      },
    };
  }

  push(text: string, last: boolean): void {
    this.#scanner.push(text, last, this.#sink);
    if (
      (this.#scanner.overranAt ?? Number.POSITIVE_INFINITY) < Number.POSITIVE_INFINITY &&
      this.matches.length === 0
    ) {
      throw new Error('a long value did not end');
    }
  }
}
