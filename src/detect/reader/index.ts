// Reads a text in several ways at once as it flows. INVARIANT: nothing of the source is called safe that a find of any
// way could still cover, and the finds are the same for every way of cutting the text into pieces.

import type { Match } from '../rule.ts';
import type { Sink } from '../scanner.ts';
import { type Decoder, decodersOf, type Way } from './ways.ts';

export type { Way } from './ways.ts';

/** What searches one reading of a text. */
export interface TextScanner {
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
  /** What was found, in the order of its places. From the first find on no text is given. */
  readonly finds: readonly Find[];
}

/** Longer pieces are read bit by bit, so that places need not be kept for all of the text. */
const longestPiece = 8192;

/** Opens a reader. */
export function createReader(readings: readonly Reading[]): Reader {
  const lanes = readings.flatMap(({ open, ways }) =>
    ways.flatMap((way) =>
      way === 'plain'
        ? [new Lane(open(), way, undefined)]
        : decodersOf(way).map((decoder) => new Lane(open(), way, decoder)),
    ),
  );
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
    for (const lane of lanes) {
      lane.push(piece, last);
      safe = Math.min(safe, lane.safe);
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
      let given = '';
      for (let at = 0; at < piece.length; at += longestPiece) {
        given += read(piece.slice(at, at + longestPiece), false);
      }
      return given;
    },
    end: () => read('', true),
    get finds() {
      return lanes.flatMap((lane) => lane.finds).sort((a, b) => a.start - b.start || b.end - a.end);
    },
  };
}

/** One search over one reading of the text. */
class Lane {
  readonly #way: Way;
  readonly #decoder: Decoder | undefined;
  readonly #scanner: TextScanner;
  readonly #sink: Sink;
  readonly #found: Match[] = [];
  #taken = 0;
  /** How many of the units that were read are settled. */
  #settled = 0;
  /** The places of units from `#base` on; all of them once something was found. */
  #origins: number[] = [];
  #base = 0;
  /** Up to where the source is safe. */
  safe = 0;

  constructor(scanner: TextScanner, way: Way, decoder: Decoder | undefined) {
    this.#way = way;
    this.#decoder = decoder;
    this.#scanner = scanner;
    this.#sink = {
      text: (_, to) => {
        this.#settled = to;
      },
      match: (match) => this.#found.push(match),
    };
  }

  push(piece: string, last: boolean): void {
    this.#taken += piece.length;
    let text = piece;
    if (this.#decoder !== undefined) {
      const units = this.#decoder.push(piece, last);
      text = units.text;
      for (const origin of units.origins) this.#origins.push(origin);
    }
    if (text !== '' || last) this.#scanner.push(text, last, this.#sink);
    if (
      this.#scanner.overranAt !== undefined &&
      this.#scanner.overranAt < Number.POSITIVE_INFINITY &&
      this.#found.length === 0
    ) {
      throw new Error('a long value did not end');
    }
    if (this.#found.length === 0) {
      this.safe = last ? this.#taken : this.#placeOf(this.#settled);
      this.#forget();
    } else this.safe = Math.max(this.safe, this.#placeOf(this.#found[0]?.start ?? 0));
  }

  get finds(): readonly Find[] {
    return this.#found.map((match) => ({
      ...match,
      way: this.#way,
      start: this.#placeOf(match.start),
      end: Math.max(this.#placeOf(match.end), this.#placeOf(match.end - 1) + 1),
    }));
  }

  /** Where a unit stands in the source; for the one after the last, where the source is still to be read. */
  #placeOf(unit: number): number {
    if (this.#decoder === undefined) return unit;
    return this.#origins[unit - this.#base] ?? this.#decoder.open;
  }

  #forget(): void {
    const drop = this.#settled - this.#base;
    if (drop < 1024) return;
    this.#origins.splice(0, drop);
    this.#base += drop;
  }
}
