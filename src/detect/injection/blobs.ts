// Base64, hex and bits: runs of characters that are bytes, and the text that these bytes are.

import { type Decoded, placed } from './decoded.ts';
import type { Span } from './fold.ts';
import type { Words } from './words.ts';

/** The last of the words that are bytes in the same notation: two hex digits, eight bits, or 0x and two digits. */
export function lastByte(text: string, words: Words, first: number): number {
  const size = (words.end[first] ?? 0) - (words.start[first] ?? 0);
  let last = first - 1;
  while (
    last + 1 < words.count &&
    (last < first || (words.start[last + 1] ?? 0) - (words.end[last] ?? 0) <= 3)
  ) {
    const start = words.start[last + 1] ?? 0;
    if ((words.end[last + 1] ?? 0) - start !== size || byteOf(text.slice(start, start + size)) < 0) break;
    last++;
  }
  return Math.max(first, last);
}

/** Whether a word may be a byte: two hex digits, the same after 0x, or eight bits. */
export function isByteStart(text: string, start: number, end: number): boolean {
  const size = end - start;
  if (size !== 2 && size !== 4 && size !== 8) return false;
  return isHexUnit(text.charCodeAt(start)) && isHexUnit(text.charCodeAt(end - 1));
}

function isHexUnit(unit: number): boolean {
  return (unit >= 48 && unit <= 57) || ((unit | 32) >= 97 && (unit | 32) <= 102);
}

function byteOf(word: string): number {
  if (/^[0-9a-f]{2}$/i.test(word)) return Number.parseInt(word, 16);
  if (/^0x[0-9a-f]{2}$/i.test(word)) return Number.parseInt(word.slice(2), 16);
  return /^[01]{8}$/.test(word) ? Number.parseInt(word, 2) : -1;
}

/** The text of bytes that stand apart. */
export function decodeBytes(text: string, words: Words, first: number, last: number): Decoded[] {
  const codes: number[] = [];
  const places: number[] = [];
  for (let index = first; index <= last; index++) {
    codes.push(byteOf(text.slice(words.start[index] ?? 0, words.end[index] ?? 0)));
    places.push(words.start[index] ?? 0);
  }
  const plain = readable(Uint8Array.from(codes));
  if (plain === undefined) return [];
  const via = (words.end[first] ?? 0) - (words.start[first] ?? 0) === 8 ? 'binary' : 'hex';
  const whole: Span = [words.start[first] ?? 0, words.end[last] ?? 0];
  return [
    plain.length === places.length ? placed(plain, places, via) : { text: plain, spanOf: () => whole, via },
  ];
}

/** The run of blob characters around a word; lines of equal length belong together. */
export function blobRun(text: string, start: number, end: number): Span {
  let from = start;
  while (from > 0 && isBlobUnit(text.charCodeAt(from - 1))) from--;
  let to = end;
  for (;;) {
    while (to < text.length && isBlobUnit(text.charCodeAt(to))) to++;
    const next = text.charCodeAt(to) === 13 ? to + 2 : to + 1;
    if (text.charCodeAt(next - 1) !== 10 || to - from < 40 || text.charCodeAt(to - 1) === 61) break;
    let line = next;
    while (line < text.length && isBlobUnit(text.charCodeAt(line))) line++;
    if (line - next < 16 && text.charCodeAt(line - 1) !== 61) break;
    to = line;
  }
  return [from, to];
}

export function isBlobUnit(unit: number): boolean {
  return (
    (unit >= 97 && unit <= 122) ||
    (unit >= 65 && unit <= 90) ||
    (unit >= 47 && unit <= 57) ||
    unit === 43 ||
    unit === 45 ||
    unit === 95 ||
    unit === 61
  );
}

/** So many characters show whether a blob is text. */
const sampleSize = 96;

export function decodeBlob(text: string, [from, to]: Span): Decoded | undefined {
  const run = text.slice(from, to);
  const digits = run.startsWith('0x') ? run.slice(2) : run;
  if (digits.length % 2 === 0 && /^[0-9a-f]{16,}$/i.test(digits)) {
    const skipped = from + run.length - digits.length;
    const plain = readableBlob(digits, hexBytes);
    if (plain !== undefined)
      return { text: plain, via: 'hex', spanOf: (start, end) => [skipped + start * 2, skipped + end * 2] };
  }
  // A prefix such as "data=" or a path before the blob is not of it.
  const equals = run.search(/=(?=[^=\s])/);
  const begin = from + equals + 1;
  const plain = readableBlob(run.slice(equals + 1), base64Bytes);
  if (plain === undefined) return undefined;
  return {
    text: plain,
    via: 'base64',
    spanOf: (start, end) => [
      begin + Math.floor((start * 4) / 3),
      Math.min(to, begin + Math.ceil((end * 4) / 3)),
    ],
  };
}

function readableBlob(run: string, bytesOf: (text: string) => Uint8Array): string | undefined {
  if (run.length > sampleSize && readable(bytesOf(run.slice(0, sampleSize))) === undefined) return undefined;
  return readable(bytesOf(run));
}

function hexBytes(digits: string): Uint8Array {
  const result = new Uint8Array(digits.length >> 1);
  for (let index = 0; index < result.length; index++)
    result[index] = hexValue(digits.charCodeAt(index * 2)) * 16 + hexValue(digits.charCodeAt(index * 2 + 1));
  return result;
}

function hexValue(unit: number): number {
  return unit <= 57 ? unit - 48 : (unit | 32) - 87;
}

const base64Values = new Int8Array(128).fill(-1);
[...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].forEach((sign, value) => {
  base64Values[sign.charCodeAt(0)] = value;
});
base64Values[45] = 62;
base64Values[95] = 63;

/** The bytes of base64 in either alphabet; what is not of it is skipped. */
export function base64Bytes(text: string): Uint8Array {
  const result = new Uint8Array(Math.floor((text.length * 3) / 4));
  let size = 0;
  let bits = 0;
  let held = 0;
  for (let index = 0; index < text.length; index++) {
    const value = base64Values[text.charCodeAt(index)] ?? -1;
    if (value < 0) continue;
    bits = ((bits << 6) | value) & 0xffff;
    held += 6;
    if (held >= 8) {
      held -= 8;
      result[size++] = (bits >> held) & 0xff;
    }
  }
  return result.subarray(0, size);
}

const utf8 = new TextDecoder();

/** The text of bytes that are one: nearly all letters, digits and spaces. */
export function readable(data: Uint8Array): string | undefined {
  if (data.length < 6) return undefined;
  const sample = Math.min(data.length, 64);
  let odd = 0;
  for (let index = 0; index < sample; index++) {
    const byte = data[index] ?? 0;
    if (byte < 32 ? byte !== 10 && byte !== 13 && byte !== 9 : byte === 127 || byte >= 0xf5) odd++;
  }
  if (odd * 20 > sample) return undefined;
  const text = utf8.decode(data);
  const wordy = text.match(/[\p{L}\p{N} ]/gu)?.length ?? 0;
  return wordy >= text.length * 0.75 && !text.includes('\ufffd') ? text : undefined;
}
