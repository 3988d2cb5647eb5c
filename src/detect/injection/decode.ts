// Finds what is written in another way (encoded, reversed, spaced out, spelled with digits) and decodes that span alone,
// keeping for every decoded place the place in the source.

import { blobRun, decodeBlob, decodeBytes, isByteStart, lastByte } from './blobs.ts';
import { type Decoded, mostDecoded } from './decoded.ts';
import { disguises, joinedWords, lastSingle, spacedLetters } from './disguises.ts';
import { escapes } from './escapes.ts';
import { blob, single, type Words } from './words.ts';

/** Everything in the text that is written in another way, decoded. */
export function decodings(text: string, words: Words): Decoded[] {
  return [...escapes(text), ...encodings(text, words), ...disguises(text, words)].slice(0, mostDecoded);
}

/** A word of this length may be part of a blob. */
const shortestBlob = 16;
/** So many letters or bytes one after the other are no accident. */
const shortestRun = 6;

/** Blobs, bytes apart, letters apart and words joined. */
function encodings(text: string, words: Words): Decoded[] {
  const found: Decoded[] = [];
  let triedUntil = 0;
  for (let index = 0; index < words.count && found.length < mostDecoded; index++) {
    const traits = words.traits[index] ?? 0;
    const start = words.start[index] ?? 0;
    const end = words.end[index] ?? 0;
    if (end - start >= shortestBlob) {
      if (start < triedUntil) continue;
      const run = blobRun(text, start, end);
      triedUntil = run[1];
      const decoded = decodeBlob(text, run);
      if (decoded !== undefined) found.push(decoded);
      else if ((traits & blob) !== 0) found.push(...joinedWords(text, start, end));
    } else if ((traits & single) !== 0) {
      const last = lastSingle(text, words, index);
      if (last - index + 1 >= shortestRun) found.push(...spacedLetters(text, words, index, last));
      index = last;
    } else if (isByteStart(text, start, end)) {
      const last = lastByte(text, words, index);
      if (last - index + 1 >= shortestRun) found.push(...decodeBytes(text, words, index, last));
      index = last;
    }
  }
  return found;
}
