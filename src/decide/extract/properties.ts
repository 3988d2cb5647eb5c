// Reads the texts that a picture contains beside its pixels: comments, captions, and the properties that cameras and
// programs write.

import { inflateSync } from 'node:zlib';
import type { ExtractedText } from '../../core/index.ts';
import { limits, Unreadable } from './limits.ts';
import { type ImageType, viewOf } from './sniff.ts';
import { isSentence, Texts } from './texts.ts';

/** The properties of a picture; a caption of a few words does not count as hidden. */
export function propertiesOf(bytes: Uint8Array, type: ImageType): readonly ExtractedText[] {
  const texts = new Texts();
  for (const text of wordsIn(bytes, type)) {
    for (const line of text.split('\n')) {
      texts.aside(line, 'the properties', isSentence(line) ? 'metadata' : undefined);
    }
  }
  return texts.all;
}

function* wordsIn(bytes: Uint8Array, type: ImageType): Generator<string> {
  try {
    if (type === 'png') yield* pngWords(bytes);
    else if (type === 'jpeg') yield* jpegWords(bytes);
    else if (type === 'webp') yield* webpWords(bytes);
  } catch (error) {
    if (error instanceof RangeError) throw new Unreadable('broken', 'the picture is cut off');
    throw error;
  }
}

const utf8 = new TextDecoder();
const latin = new TextDecoder('latin1');

function* pngWords(bytes: Uint8Array): Generator<string> {
  const view = viewOf(bytes);
  for (let at = 8; at + 8 <= bytes.length; ) {
    const length = view.getUint32(at);
    const kind = latin.decode(bytes.subarray(at + 4, at + 8));
    const data = bytes.subarray(at + 8, at + 8 + length);
    at += 12 + length;
    // The keyword ends with a NUL; what follows depends on the kind.
    const rest = data.subarray(data.indexOf(0) + 1);
    if (kind === 'tEXt') yield latin.decode(rest);
    else if (kind === 'zTXt') yield utf8.decode(inflated(rest.subarray(1)));
    else if (kind === 'iTXt') {
      const afterLanguage = rest.subarray(2 + rest.subarray(2).indexOf(0) + 1);
      const text = afterLanguage.subarray(afterLanguage.indexOf(0) + 1);
      yield withoutTags(utf8.decode(rest[0] === 1 ? inflated(text) : text));
    } else if (kind === 'eXIf') yield* printable(data);
    else if (kind === 'IEND') return;
  }
}

function inflated(data: Uint8Array): Uint8Array {
  try {
    return inflateSync(data, { maxOutputLength: limits.smallest });
  } catch (error) {
    if (error instanceof RangeError) throw new Unreadable('bomb', 'a property of the picture');
    throw new Unreadable('broken', 'a property of the picture cannot be unpacked');
  }
}

function* jpegWords(bytes: Uint8Array): Generator<string> {
  const view = viewOf(bytes);
  for (let at = 2; at + 4 <= bytes.length; ) {
    const marker = view.getUint16(at);
    // The pixels begin, or the picture ends.
    if (marker === 0xffda || marker === 0xffd9 || marker >> 8 !== 0xff) return;
    const length = view.getUint16(at + 2);
    const data = bytes.subarray(at + 4, at + 2 + length);
    at += 2 + Math.max(2, length);
    if (marker === 0xfffe) yield utf8.decode(data);
    else if (marker === 0xffe1 || marker === 0xffed) yield* captions(data);
  }
}

function* webpWords(bytes: Uint8Array): Generator<string> {
  const view = viewOf(bytes);
  for (let at = 12; at + 8 <= bytes.length; ) {
    const length = view.getUint32(at + 4, true);
    const kind = latin.decode(bytes.subarray(at, at + 4));
    const data = bytes.subarray(at + 8, at + 8 + length);
    at += 8 + length + (length % 2);
    if (kind === 'XMP ' || kind === 'EXIF') yield* captions(data);
  }
}

/** Reads XML as XML; in other bytes, every run that looks like words. */
function* captions(data: Uint8Array): Generator<string> {
  const text = utf8.decode(data);
  if (text.includes('<x:xmpmeta') || text.includes('<rdf:')) yield withoutTags(text.slice(text.indexOf('<')));
  else yield* printable(data);
}

function withoutTags(text: string): string {
  return text.replaceAll(/<[^<>]{0,4000}>/g, '\n');
}

/** Runs of letters among bytes, in ASCII or UTF-16. */
function* printable(data: Uint8Array): Generator<string> {
  const text = latin.decode(data);
  for (const [run] of text.matchAll(/[\x20-\x7e]{12,}|(?:[\x20-\x7e]\x00){12,}|(?:\x00[\x20-\x7e]){12,}/g)) {
    yield run.replaceAll('\u0000', '');
  }
}
