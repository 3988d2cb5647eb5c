// Cuts a folded text into words: runs of letters and digits, lower case, each with its place and a hash of its letters.

/** The words of a text, as columns. */
export interface Words {
  readonly count: number;
  readonly start: Int32Array;
  readonly end: Int32Array;
  /** Hash of the lower-case letters, apostrophes left out; equal for all numbers, and for all blobs. */
  readonly hash: Int32Array;
  /** The set of letters, one bit each: a cheap bound on how far two words are apart. */
  readonly letters: Int32Array;
  readonly traits: Uint8Array;
}

/** A sentence or a paragraph ends before this word. */
export const afterBreak = 1;
/** Letters and digits mixed. */
export const mixed = 2;
/** So long that it is no word of a language; the model sees a placeholder. */
export const blob = 4;
/** Letters only, and only one. */
export const single = 8;

const longestWord = 24;

/** What a UTF-16 unit is to a word: 0 nothing, a letter or digit as lower case, or one of these. */
const apostrophe = 1;
const ideograph = 2;

const kinds = new Uint16Array(0x10000);
for (let unit = 48; unit < 58; unit++) kinds[unit] = unit;
for (let unit = 97; unit < 123; unit++) {
  kinds[unit] = unit;
  kinds[unit - 32] = unit;
}
kinds[39] = apostrophe;
// Letters beyond ASCII, but neither signs (U+2000 to U+2BFF) nor CJK punctuation nor halves of pairs.
for (let unit = 0xc0; unit < 0x2000; unit++) kinds[unit] = unit;
for (let unit = 0x2c00; unit < 0x2e80; unit++) kinds[unit] = unit;
kinds.fill(ideograph, 0x2e80, 0x3000).fill(ideograph, 0x3040, 0xd800).fill(ideograph, 0xe000);

const seed = 0x811c9dc5 | 0;

/** The hash of a word that is written in lower case. */
export function hashWord(word: string): number {
  let hash = seed;
  for (let index = 0; index < word.length; index++) hash = step(hash, word.charCodeAt(index));
  return finish(hash);
}

function step(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193);
}

function finish(hash: number): number {
  const spread = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return spread ^ (spread >>> 13);
}

const numberHash = hashWord('#number');
const blobHash = hashWord('#blob');

/** The set of letters of a word, as in Words. */
export function letterSet(word: string): number {
  let set = 0;
  for (let index = 0; index < word.length; index++) set |= 1 << (word.charCodeAt(index) & 31);
  return set;
}

/** Cuts the text. */
export function wordsOf(text: string): Words {
  const { length } = text;
  let room = 32 + (length >> 2) - (length >> 4);
  let start = new Int32Array(room);
  let end = new Int32Array(room);
  let hashes = new Int32Array(room);
  let letters = new Int32Array(room);
  let traits = new Uint8Array(room);
  let count = 0;
  let pendingBreak = true;
  let index = 0;
  while (index < length) {
    const unit = text.charCodeAt(index);
    const first = kinds[unit] ?? 0;
    if (first <= apostrophe) {
      index++;
      if (unit !== 32 && endsSentence(unit, index < length ? text.charCodeAt(index) : 10))
        pendingBreak = true;
      else if (unit === 10 && startsItem(text, index)) pendingBreak = true;
      continue;
    }
    // In a JSON string a line break is a backslash and a letter, and the letter is not the word's.
    if (isEscapeLetter(unit) && index > 0 && text.charCodeAt(index - 1) === 92) {
      if (unit === 110) pendingBreak = true;
      index++;
      continue;
    }
    if (count === room) {
      room *= 2;
      start = grown(start, room);
      end = grown(end, room);
      hashes = grown(hashes, room);
      letters = grown(letters, room);
      const wider = new Uint8Array(room);
      wider.set(traits);
      traits = wider;
    }
    start[count] = index;
    let hash = seed;
    let set = 0;
    let digits = 0;
    let size = 0;
    let kind = first;
    if (kind === ideograph) {
      hash = step(hash, unit);
      size = 1;
      index++;
    } else {
      for (;;) {
        if (kind > ideograph) {
          hash = step(hash, kind);
          set |= 1 << (kind & 31);
          if (kind < 58) digits++;
          size++;
        } else if (
          kind !== apostrophe ||
          index + 1 >= length ||
          (kinds[text.charCodeAt(index + 1)] ?? 0) <= ideograph
        )
          break;
        if (++index >= length) break;
        kind = kinds[text.charCodeAt(index)] ?? 0;
      }
    }
    end[count] = index;
    letters[count] = set;
    let trait = pendingBreak ? afterBreak : 0;
    if (size > longestWord) {
      trait |= blob;
      hashes[count] = blobHash;
    } else if (digits === size) hashes[count] = numberHash;
    else {
      hashes[count] = finish(hash);
      if (digits > 0) trait |= mixed;
      else if (size === 1) trait |= single;
    }
    traits[count] = trait;
    count++;
    pendingBreak = false;
  }
  return { count, start, end, hash: hashes, letters, traits };
}

/** n, r or t, as in the escapes of line breaks and tabs. */
function isEscapeLetter(unit: number): boolean {
  return unit === 110 || unit === 114 || unit === 116;
}

/** An empty line, a bar between cells, a full stop, question mark, exclamation mark or semicolon before a space, or the end of a JSON string. */
function endsSentence(unit: number, next: number): boolean {
  if (unit === 10) return next === 10;
  if (unit === 34) return next === 44 || next === 58;
  // A cell of a table.
  if (unit === 124) return next === 32;
  return (unit === 46 || unit === 33 || unit === 63 || unit === 59) && next <= 32;
}

/**
 * Whether a line begins an item of its own: of a list, a table, a heading, or a fence of code. A folded line of a quotation
 * or of a comment goes on with the one before.
 */
function startsItem(text: string, lineStart: number): boolean {
  let at = lineStart;
  let unit = text.charCodeAt(at);
  while ((unit === 32 || unit === 9) && at - lineStart < 40) unit = text.charCodeAt(++at);
  if (unit > 64) return unit === 96 && text.charCodeAt(at + 1) === 96;
  const next = text.charCodeAt(at + 1);
  // A bullet, or a number with a point.
  if (unit === 45 || unit === 42 || unit === 43) return next === 32 || next === unit;
  if (unit >= 48 && unit <= 57)
    return next === 46 || next === 41 || (next >= 48 && next <= 57 && text.charCodeAt(at + 2) === 46);
  // A heading.
  return unit === 35 && (next === 32 || next === 35) && !startsComment(text, lineStart);
}

/** Whether the line before begins with #, too, so that both are one comment. */
function startsComment(text: string, lineStart: number): boolean {
  const before = text.lastIndexOf('\n', lineStart - 2) + 1;
  return text.charCodeAt(before) === 35 && text.charCodeAt(before + 1) !== 35;
}

function grown(column: Int32Array<ArrayBuffer>, room: number): Int32Array<ArrayBuffer> {
  const wider = new Int32Array(room);
  wider.set(column);
  return wider;
}
