// Reads what is spelled item by item: single letters, pairs of hex digits, or codes of characters, with the same kind of
// gap between them ("g h p _", "67 68 70 5f", "[103, 104, 112, 95]"). Each kind is a reading of its own.

import type { Decoder, Units } from './ways.ts';

/** What the items of a spelling are. */
export type Spelling = 'letters' | 'hexes' | 'codes';

/** A longer row of token characters is a word, and no item. */
const longestItem = 4;

/** Shorter rows spell no secret; as long as there are no more items, they wait. */
const shortestRow = 12;

/** A longer gap separates two rows; that of a list over lines is indented. */
const longestGap = 24;

/** The units of which items are made; all others make gaps. */
const itemUnits = Uint8Array.from({ length: 128 }, (_, unit) =>
  /\w/.test(String.fromCharCode(unit)) ? 1 : 0,
);

function isItemUnit(unit: number): boolean {
  return itemUnits[unit] === 1;
}

/** The text that an item of a kind stands for; undefined where it is none. */
const meanings: Readonly<Record<Spelling, (item: string) => string | undefined>> = {
  letters: (item) => (item.length === 1 ? item : undefined),
  hexes: (item) => {
    const digits = /^(?:0x)?((?:[0-9a-f]{2}){1,2})$/i.exec(item)?.[1];
    if (digits === undefined) return undefined;
    const codes = (digits.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
    return codes.every(isShown) ? String.fromCharCode(...codes) : undefined;
  },
  codes: (item) => {
    const code = /^\d{2,3}$/.test(item) ? Number(item) : 0;
    return isShown(code) ? String.fromCharCode(code) : undefined;
  },
};

function isShown(code: number): boolean {
  return code > 32 && code < 127;
}

interface Read {
  text: string;
  readonly origins: number[];
}

/** Reads one kind of spelling; what is no item of it separates what comes before from what comes after. */
export class Spelled implements Decoder {
  readonly #meaning: (item: string) => string | undefined;
  readonly #isLetters: boolean;
  #at = 0;
  #item = '';
  #itemAt = 0;
  #gap = '';
  /** The gap between the items before; null where a row begins. */
  #lastGap: string | null = null;
  #inRow = false;
  /** What the row says that is not read yet, and where each unit of it begins. */
  #row = '';
  #places: number[] = [];
  /** Whether the row is long enough to be read. */
  #flows = false;

  constructor(kind: Spelling) {
    this.#meaning = meanings[kind];
    this.#isLetters = kind === 'letters';
  }

  /** Where the row begins that is not read yet, or the item that may still be one. */
  get open(): number {
    const [first] = this.#places;
    if (first !== undefined) return first;
    if (this.#item !== '' && this.#item.length <= longestItem) return this.#itemAt;
    return this.#inRow && this.#isLetters ? this.#at - this.#gap.length : this.#at;
  }

  push(piece: string, last: boolean): Units {
    const read: Read = { text: '', origins: [] };
    let index = 0;
    while (index < piece.length) {
      const from = index;
      const isItem = isItemUnit(piece.charCodeAt(index));
      do index++;
      while (index < piece.length && isItemUnit(piece.charCodeAt(index)) === isItem);
      if (isItem) {
        if (this.#item === '') this.#itemAt = this.#at + from;
        if (this.#item.length <= longestItem)
          this.#item += piece.slice(from, Math.min(index, from + longestItem + 1));
      } else {
        if (this.#item !== '') this.#take(read);
        if (this.#gap.length <= longestGap)
          this.#gap += piece.slice(from, Math.min(index, from + longestGap + 1));
      }
    }
    this.#at += piece.length;
    if (last && this.#item !== '') this.#take(read);
    return { text: read.text, at: this.#at, origins: read.origins };
  }

  /** Reads the item that has ended, behind the gap that came before it. */
  #take(read: Read): void {
    const meant = this.#item.length > longestItem ? undefined : this.#meaning(this.#item);
    const between = this.#between();
    if (this.#inRow && (meant === undefined || between === undefined)) this.#break(read);
    if (meant !== undefined) {
      const shown = this.#inRow ? (between ?? '') + meant : meant;
      this.#lastGap = this.#inRow && between === '' ? this.#gap : this.#inRow ? this.#lastGap : null;
      this.#row += shown;
      for (let unit = 0; unit < shown.length; unit++) this.#places.push(this.#itemAt);
      this.#inRow = true;
      this.#flows ||= this.#row.length >= shortestRow;
      if (this.#flows) this.#flow(read);
    }
    this.#item = '';
    this.#gap = '';
  }

  /** Lets what the row says be read. */
  #flow(read: Read): void {
    read.text += this.#row;
    read.origins.push(...this.#places);
    this.#row = '';
    this.#places = [];
  }

  /** Ends a row: what comes next is of another. */
  #break(read: Read): void {
    if (this.#flows) {
      read.text += '\n';
      read.origins.push(this.#itemAt);
    }
    this.#row = '';
    this.#places = [];
    this.#flows = false;
    this.#inRow = false;
  }

  /** The sign that the gap spells: none, or one that stands between two gaps; undefined where the row ends in it. */
  #between(): string | undefined {
    if (this.#gap.length > longestGap) return undefined;
    if (!this.#isLetters || this.#lastGap === null || this.#gap === this.#lastGap) return '';
    const sign = this.#gap.charAt(this.#lastGap.length);
    return this.#gap === this.#lastGap + sign + this.#lastGap ? sign : undefined;
  }
}
