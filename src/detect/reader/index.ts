// Reads a text in several ways at once as it flows. INVARIANT: nothing of the source is called safe that a find of any
// way could still cover, and the finds are the same for every way of cutting the text into pieces.

import type { Match } from '../rule.ts';
import type { Sink } from '../scanner.ts';
import { type Decoder, decodersOf, type Way } from './ways.ts';

export type { Way } from './ways.ts';

/** What searches one reading of a text. */
interface TextScanner {
  push(piece: string, last: boolean, sink: Sink): void;
  /** From here on nothing can be trusted. */
  readonly overranAt?: number;
}

/** A search, and the ways in which it reads the text. */
export interface Reading {
  readonly open: () => TextScanner;
  readonly ways: readonly Way[];
}

/** Something that the text contains; its place is that in the source. */
export interface Find extends Match {
  readonly way: Way;
}

/** A text that is read as it comes. */
export interface Reader {
  /** Takes a piece; gives what of the text is safe now and was not before. */
  push(piece: string): string;
  /** The end of the text: gives the rest, unless something was found. */
  end(): string;
  /** Whether anything was found. */
  readonly found: boolean;
  /** What was found, in the order of its places. From the first find on no text is given. */
  readonly finds: readonly Find[];
}

/** Longer pieces are read bit by bit, so that places need not be kept for all of the text. */
const longestPiece = 8192;

/** Opens a reader. */
export function createReader(readings: readonly Reading[]): Reader {
  const strands = [...new Set(readings.flatMap(({ ways }) => ways))].flatMap((way) => {
    const searches = readings.filter(({ ways }) => ways.includes(way));
    const decoders = way === 'plain' ? [undefined] : decodersOf(way);
    return decoders.map(
      (decoder) =>
        new Strand(
          way,
          decoder,
          searches.map(({ open }) => open()),
        ),
    );
  });
  /** What was taken and is not safe yet. */
  let held = '';
  let shown = 0;
  let state: 'open' | 'failed' | 'closed' = 'open';

  const read = (piece: string, last: boolean): string => {
    if (state !== 'open') throw new Error(`the reader is ${state}: nothing may follow`);
    // What was not judged is not let out, now or later.
    state = 'failed';
    held += piece;
    let safe = Number.POSITIVE_INFINITY;
    for (const strand of strands) {
      strand.push(piece, last);
      if (strand.safe < safe) safe = strand.safe;
    }
    state = last ? 'closed' : 'open';
    if (safe <= shown) return '';
    const given = held.slice(0, safe - shown);
    held = held.slice(given.length);
    shown += given.length;
    return given;
  };

  return {
    push(piece) {
      if (piece.length <= longestPiece) return piece === '' ? '' : read(piece, false);
      let given = '';
      for (let at = 0; at < piece.length; at += longestPiece) {
        given += read(piece.slice(at, at + longestPiece), false);
      }
      return given;
    },
    end: () => read('', true),
    get found() {
      return strands.some((strand) => strand.found);
    },
    get finds() {
      return strands.flatMap((strand) => strand.finds).sort((a, b) => a.start - b.start || b.end - a.end);
    },
  };
}

/** Units of a reading that came together, and where they stand in the source. */
interface Row {
  readonly from: number;
  readonly to: number;
  readonly at: number;
  readonly origins: readonly number[] | null;
}

/** One reading of the text, and the searches that go over it. */
class Strand {
  readonly #way: Way;
  readonly #decoder: Decoder | undefined;
  readonly #searches: readonly Search[];
  #taken = 0;
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
    this.#taken += piece.length;
    const text = this.#decoder === undefined ? piece : this.#decode(this.#decoder, piece, last);
    let settled = Number.POSITIVE_INFINITY;
    for (const search of this.#searches) {
      if (text !== '' || last) search.push(text, last);
      if (search.settled < settled) settled = search.settled;
      if (search.matches.length > 0) this.found = true;
    }
    if (last && !this.found) this.safe = this.#taken;
    else this.safe = Math.max(this.safe, this.#placeOf(settled));
    while (!this.found && this.#rows[0] !== undefined && this.#rows[0].to <= settled) this.#rows.shift();
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
