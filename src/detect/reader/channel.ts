// One reading of a text as it flows, with its searches: what they have settled of it, as places in the source.

import type { Match } from '../rule.ts';
import type { Sink } from '../scanner.ts';
import { Places } from './places.ts';
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

/** One reading of the text, and the searches that go over it. */
export class ReadingChannel {
  readonly #way: Way;
  readonly #searches: readonly Search[];
  /** How much of the source came. */
  taken = 0;
  readonly #places: Places | undefined;
  found = false;
  /** Up to where the source is safe. */
  safe = 0;

  constructor(way: Way, decoder: Decoder | undefined, scanners: readonly TextScanner[]) {
    this.#way = way;
    this.#places = decoder === undefined ? undefined : new Places(decoder);
    this.#searches = scanners.map((scanner) => new Search(scanner));
  }

  push(piece: string, last: boolean): void {
    this.taken += piece.length;
    const text = this.#places?.push(piece, last) ?? piece;
    let settled = Number.POSITIVE_INFINITY;
    for (const search of this.#searches) {
      if (text !== '' || last) search.push(text, last);
      if (search.settled < settled) settled = search.settled;
      if (search.matches.length > 0) this.found = true;
    }
    if (last && !this.found) this.safe = this.taken;
    else this.safe = Math.max(this.safe, this.#placeOf(settled));
    if (!this.found) this.#places?.forget(settled);
  }

  /** Goes on behind so much of the source, in which nothing is read. */
  skip(length: number): void {
    this.taken += length;
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

  #placeOf(unit: number): number {
    return this.#places?.of(unit) ?? unit;
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
