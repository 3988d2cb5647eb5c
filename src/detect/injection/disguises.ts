// Words in disguise: rot13, reversed, digits for letters, letters apart, words joined. A disguise is known by the words
// of the dictionary that it hides, and only the lines around them are read in the other way.

import { isBlobUnit } from './blobs.ts';
import { type Decoded, type Decoding, mostDecoded, placed } from './decoded.ts';
import { dictionary } from './dictionary.ts';
import type { Span } from './fold.ts';
import { hashWord, mixed, single, type Words } from './words.ts';

/** Longer runs of letters are not cut into words. */
const mostLetters = 400;

const rot13Cue = 1;
const reversedCue = 2;

/** Words of a language that happen to be others' disguise. */
const notDisguised: ReadonlySet<string> = new Set(['elif', 'kcal', 'dias', 'atlas', 'jung', 'siga', 'keels']);
/** Shorter disguises are too often words; these two are so frequent that they must count. */
const shortCues: ReadonlySet<string> = new Set(['the', 'you']);

interface Cues {
  readonly byHash: ReadonlyMap<number, number>;
  /** By the low bits of a hash: whether it may be a cue. */
  readonly likely: Uint8Array;
}

let knownCues: Cues | undefined;

/** By hash of a word as it looks in disguise: which disguise. */
function cues(): Cues {
  if (knownCues !== undefined) return knownCues;
  const found = new Map<number, number>();
  const add = (word: string, cue: number) => {
    if (dictionary().has(word) || notDisguised.has(word)) return;
    const hash = hashWord(word);
    found.set(hash, (found.get(hash) ?? 0) | cue);
  };
  for (const word of dictionary()) {
    if (word.length < 4 && !shortCues.has(word)) continue;
    add(rot13(word), rot13Cue);
    add(reversed(word), reversedCue);
  }
  const likely = new Uint8Array(1 << 16);
  for (const hash of found.keys()) likely[hash & 0xffff] = 1;
  knownCues = { byHash: found, likely };
  return knownCues;
}

/** All texts in disguise. */
export function disguises(text: string, words: Words): Decoded[] {
  const { byHash, likely } = cues();
  const swapped: Cue[] = [];
  const mirrored: Cue[] = [];
  const leeted: Cue[] = leetSymbols(text);
  const placeOf = (index: number): Cue => ({ start: words.start[index] ?? 0, end: words.end[index] ?? 0 });
  for (let index = 0; index < words.count; index++) {
    const hash = words.hash[index] ?? 0;
    if (((words.traits[index] ?? 0) & mixed) !== 0) {
      const place = placeOf(index);
      if (place.end - place.start >= 3 && dictionary().has(unleet(text.slice(place.start, place.end))))
        leeted.push(place);
    } else if (likely[hash & 0xffff] === 1) {
      const cue = byHash.get(hash) ?? 0;
      if ((cue & rot13Cue) !== 0) swapped.push(placeOf(index));
      if ((cue & reversedCue) !== 0) mirrored.push(placeOf(index));
    }
  }
  leeted.sort((one, other) => one.start - other.start);
  return [
    ...regions(text, swapped, longCue).map((span) => rot13Of(text, span)),
    ...regions(text, mirrored, longCue).map((span) => reversedOf(text, span)),
    ...regions(text, leeted, longLeetCue).map((span) => leetOf(text, span)),
  ];
}

/** A cue of this length needs no second one beside it. */
const longCue = 7;
const longLeetCue = 4;

interface Cue {
  readonly start: number;
  readonly end: number;
}

/** How far apart two cues may stand to belong together, and how far around them their text may reach. */
const cueReach = 60;
const regionReach = 240;

/** The lines around two or more cues that stand near each other, or around a long one. */
function regions(text: string, found: readonly Cue[], longEnough: number): Span[] {
  const spans: Span[] = [];
  let first = 0;
  for (let index = 0; index < found.length; index++) {
    const here = found[index];
    const next = found[index + 1];
    if (here === undefined || (next !== undefined && next.start - here.end <= cueReach)) continue;
    const start = found[first]?.start ?? 0;
    if (index > first || here.end - here.start >= longEnough) {
      const lineStart = text.lastIndexOf('\n', start) + 1;
      const lineEnd = text.indexOf('\n', here.end);
      const from = Math.max(lineStart, start - regionReach, spans.at(-1)?.[1] ?? 0);
      const to = Math.min(lineEnd < 0 ? text.length : lineEnd, here.end + regionReach);
      if (from < to) spans.push([from, to]);
    }
    first = index + 1;
  }
  return spans;
}

function rot13(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => {
    const code = letter.charCodeAt(0);
    return String.fromCharCode(code + ((code & 31) <= 13 ? 13 : -13));
  });
}

function reversed(text: string): string {
  let result = '';
  for (let index = text.length - 1; index >= 0; index--) result += text[index];
  return result;
}

function rot13Of(text: string, [from, to]: Span): Decoded {
  return {
    text: rot13(text.slice(from, to)),
    spanOf: (start, end) => [from + start, from + end],
    via: 'rot13',
  };
}

function reversedOf(text: string, [from, to]: Span): Decoded {
  return {
    text: reversed(text.slice(from, to)),
    spanOf: (start, end) => [to - end, to - start],
    via: 'reversed',
  };
}

const leetSigns = '0123456789@$!|+';
const leetLetters = 'oizeasgtbgasilt';

const unleeted: readonly string[] = Array.from({ length: 128 }, (_, unit) => {
  const sign = String.fromCharCode(unit);
  const at = leetSigns.indexOf(sign);
  return at < 0 ? sign.toLowerCase() : leetLetters.charAt(at);
});

/** The word that digits and signs spell; a 1 is an i or an l, whichever makes a known word. */
function unleet(word: string): string {
  let plain = '';
  let withL = '';
  for (let index = 0; index < word.length; index++) {
    const unit = word.charCodeAt(index);
    const letter = unleeted[unit] ?? word.charAt(index);
    plain += letter;
    withL += unit === 49 || unit === 33 || unit === 124 ? 'l' : letter;
  }
  return plain !== withL && !dictionary().has(plain) && dictionary().has(withL) ? withL : plain;
}

/** Known words that are spelled with signs. */
function leetSymbols(text: string): Cue[] {
  const found: Cue[] = [];
  let end = 0;
  for (const { index } of text.matchAll(/[@$!|+](?=[A-Za-z0-9])/g)) {
    if (index < end || found.length >= mostDecoded) continue;
    let start = index;
    while (start > end && index - start < 24 && isLeetUnit(text.charCodeAt(start - 1))) start--;
    end = index;
    while (end < text.length && end - index < 24 && isLeetUnit(text.charCodeAt(end))) end++;
    if (end - start >= 3 && dictionary().has(unleet(text.slice(start, end).replace(/!+$/, ''))))
      found.push({ start, end });
  }
  return found;
}

function isLeetUnit(unit: number): boolean {
  return isBlobUnit(unit) || unit === 64 || unit === 36 || unit === 33 || unit === 124;
}

function leetOf(text: string, [from, to]: Span): Decoded {
  return {
    text: text
      .slice(from, to)
      .replace(/[\w@$!|+]{1,24}/g, (word) =>
        /[a-z]/i.test(word) || dictionary().has(unleet(word)) ? unleet(word) : word,
      ),
    spanOf: (start, end) => [from + start, from + end],
    via: 'leet',
  };
}

/** The last of the single letters that follow one another with the same sign between. */
export function lastSingle(text: string, words: Words, first: number): number {
  let last = first;
  while (last + 1 < words.count && ((words.traits[last + 1] ?? 0) & single) !== 0) {
    const gap = (words.start[last + 1] ?? 0) - (words.end[last] ?? 0);
    if (gap > 8 || text.slice(words.end[last] ?? 0, words.start[last + 1] ?? 0).includes('\n')) break;
    last++;
  }
  return last;
}

/** Letters that are spelled out; a wider gap is a space, and without any the words are found by the dictionary. */
export function spacedLetters(text: string, words: Words, first: number, last: number): Decoded[] {
  const gapAfter = (index: number) => text.slice(words.end[index] ?? 0, words.start[index + 1] ?? 0);
  // The gap between letters is the shortest; among equals, what is no space: dashes join, spaces part.
  let narrow = gapAfter(first);
  for (let index = first; index < last; index++) {
    const gap = gapAfter(index);
    if (gap.length < narrow.length || (gap.length === narrow.length && narrow === ' ')) narrow = gap;
  }
  const letters: string[] = [];
  const places: number[] = [];
  for (let index = first; index <= last; index++) {
    letters.push(text.charAt(words.start[index] ?? 0));
    places.push(words.start[index] ?? 0);
    if (index < last && gapAfter(index) !== narrow) {
      letters.push(' ');
      places.push(words.end[index] ?? 0);
    }
  }
  const whole = letters.join('');
  return whole.includes(' ') ? [placed(whole, places, 'spaced')] : cut(whole, places, 'spaced');
}

export function joinedWords(text: string, start: number, end: number): Decoded[] {
  const word = text.slice(start, end);
  if (word.length > mostLetters || !/^[a-z]+$/i.test(word)) return [];
  return cut(
    word,
    Array.from(word, (_, index) => start + index),
    'joined',
  );
}

const longestEntry = 16;
/** So frequent that of two ways to cut, the one with them is right: "is the", not "ist he". */
const usual: ReadonlySet<string> = new Set([
  ...['the', 'you', 'your', 'in', 'and', 'instructions', 'seu', 'sua', 'sem', 'uma', 'um', 'voce', 'que'],
  ...['sin', 'las', 'tus', 'sans', 'les', 'tes', 'tu', 'deine', 'ohne', 'die'],
]);

/** Cuts letters that stand without spaces into words of the dictionary, if these cover most of them. */
function cut(letters: string, places: readonly number[], via: Decoding): Decoded[] {
  const known = dictionary();
  const folded = letters.slice(0, mostLetters).toLowerCase();
  // best[i]: the most letters of the first i that known words cover, long words before short ones; back[i]: the word's length.
  const best = new Float64Array(folded.length + 1);
  const back = new Uint8Array(folded.length + 1).fill(1);
  for (let end = 1; end <= folded.length; end++) {
    best[end] = best[end - 1] ?? 0;
    for (let size = 2; size <= Math.min(longestEntry, end); size++) {
      const entry = folded.slice(end - size, end);
      const value = (best[end - size] ?? 0) + size - (usual.has(entry) ? 0.5 : 0.9);
      if (value > (best[end] ?? 0) && known.has(entry)) {
        best[end] = value;
        back[end] = size;
      }
    }
  }
  if ((best[folded.length] ?? 0) < folded.length * 0.25) return [];
  const parts: string[] = [];
  const spots: number[][] = [];
  for (let end = folded.length; end > 0; ) {
    let size = back[end] ?? 1;
    // Letters of no known word stay together.
    while (back[end] === 1 && size < end && back[end - size] === 1) size++;
    parts.unshift(folded.slice(end - size, end));
    spots.unshift(places.slice(end - size, end));
    end -= size;
  }
  const text = parts.join(' ');
  return [
    placed(
      text,
      spots.flatMap((spot, index) => (index < spots.length - 1 ? [...spot, spot.at(-1) ?? 0] : spot)),
      via,
    ),
  ];
}
