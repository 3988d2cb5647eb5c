// Unpacks what gzip packed, so that a packed script is read as what it is.

/** Most bytes that are unpacked. */
const maxUnpacked = 65_536;

const lengthBase = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195,
  227, 258,
];
const lengthExtra = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const distanceBase = [
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097,
  6145, 8193, 12289, 16385, 24577,
];
const distanceExtra = [
  0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
];
const codeLengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** How many codes there are of each length, and the symbols in the order of their codes. */
interface Codes {
  readonly counts: readonly number[];
  readonly symbols: readonly number[];
}

class Broken extends Error {}

/** Reads bits from a text of bytes, lowest first. */
class Bits {
  readonly #bytes: string;
  #place: number;
  #held = 0;
  #count = 0;

  constructor(bytes: string, place: number) {
    this.#bytes = bytes;
    this.#place = place;
  }

  take(count: number): number {
    while (this.#count < count) {
      this.#held |= this.byte() << this.#count;
      this.#count += 8;
    }
    const value = this.#held & ((1 << count) - 1);
    this.#held >>>= count;
    this.#count -= count;
    return value;
  }

  byte(): number {
    if (this.#place >= this.#bytes.length) throw new Broken('the packed text ends too soon');
    return this.#bytes.charCodeAt(this.#place++) & 0xff;
  }

  align(): void {
    this.#held = 0;
    this.#count = 0;
  }

  symbol(codes: Codes): number {
    let code = 0;
    let first = 0;
    let index = 0;
    for (let length = 1; length <= 15; length++) {
      code |= this.take(1);
      const count = codes.counts[length] ?? 0;
      if (code - first < count) return codes.symbols[index + code - first] ?? 0;
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    throw new Broken('the packed text has an impossible code');
  }
}

function codesOf(lengths: readonly number[]): Codes {
  const counts = new Array<number>(16).fill(0);
  for (const length of lengths) counts[length] = (counts[length] ?? 0) + 1;
  counts[0] = 0;
  const symbols = lengths
    .map((length, symbol) => ({ length, symbol }))
    .filter(({ length }) => length > 0)
    .sort((left, right) => left.length - right.length || left.symbol - right.symbol)
    .map(({ symbol }) => symbol);
  return { counts, symbols };
}

const fixedLengths = codesOf(
  Array.from({ length: 288 }, (_, symbol) => (symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8)),
);
const fixedDistances = codesOf(new Array<number>(30).fill(5));

function readCodes(bits: Bits): readonly [Codes, Codes] {
  const literals = bits.take(5) + 257;
  const distances = bits.take(5) + 1;
  const used = bits.take(4) + 4;
  const codeLengths = new Array<number>(19).fill(0);
  for (const place of codeLengthOrder.slice(0, used)) codeLengths[place] = bits.take(3);
  const codes = codesOf(codeLengths);
  const lengths: number[] = [];
  while (lengths.length < literals + distances) {
    const symbol = bits.symbol(codes);
    if (symbol < 16) lengths.push(symbol);
    else {
      const repeated = symbol === 16 ? (lengths.at(-1) ?? 0) : 0;
      const times = symbol === 16 ? 3 + bits.take(2) : symbol === 17 ? 3 + bits.take(3) : 11 + bits.take(7);
      for (let count = 0; count < times; count++) lengths.push(repeated);
    }
  }
  return [codesOf(lengths.slice(0, literals)), codesOf(lengths.slice(literals))];
}

function inflate(bytes: string, start: number): string {
  const bits = new Bits(bytes, start);
  const out: number[] = [];
  for (;;) {
    const last = bits.take(1);
    const kind = bits.take(2);
    if (kind === 3) throw new Broken('the packed text has an impossible block');
    if (kind === 0) {
      bits.align();
      const length = bits.byte() | (bits.byte() << 8);
      bits.byte();
      bits.byte();
      for (let count = 0; count < length; count++) out.push(bits.byte());
    } else {
      const [literals, distances] = kind === 1 ? [fixedLengths, fixedDistances] : readCodes(bits);
      for (let symbol = bits.symbol(literals); symbol !== 256; symbol = bits.symbol(literals)) {
        if (out.length > maxUnpacked) throw new Broken('the packed text is too long');
        if (symbol < 256) {
          out.push(symbol);
          continue;
        }
        const length = (lengthBase[symbol - 257] ?? 0) + bits.take(lengthExtra[symbol - 257] ?? 0);
        const place = bits.symbol(distances);
        const distance = (distanceBase[place] ?? 0) + bits.take(distanceExtra[place] ?? 0);
        if (distance === 0 || distance > out.length)
          throw new Broken('the packed text points before its start');
        for (let count = 0; count < length; count++) out.push(out[out.length - distance] ?? 0);
      }
    }
    if (last === 1 || out.length > maxUnpacked) return String.fromCharCode(...out.slice(0, maxUnpacked));
  }
}

/** The text that a text of gzip bytes holds; null where it is none. */
export function gunzip(bytes: string): string | null {
  if (!bytes.startsWith('\u001f\u008b\b')) return null;
  const flags = bytes.charCodeAt(3);
  let start = 10;
  if (flags & 4) start += 2 + bytes.charCodeAt(start) + 256 * bytes.charCodeAt(start + 1);
  for (const flag of [8, 16]) if (flags & flag) start = bytes.indexOf('\0', start) + 1;
  if (flags & 2) start += 2;
  try {
    return inflate(bytes, start);
  } catch (error) {
    if (error instanceof Broken) return null;
    throw error;
  }
}
