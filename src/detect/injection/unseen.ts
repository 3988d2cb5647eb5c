// What is written in characters that nobody sees.

import { readable } from './blobs.ts';
import { type Decoded, type Decoding, mostDecoded, placed } from './decoded.ts';

/** Text in tag characters and in variation selectors, which is invisible. Takes the text as it came. */
export function unseenTexts(source: string): Decoded[] {
  const found: Decoded[] = [];
  if (!/[\u{e0020}-\u{e007e}]|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]/u.test(source)) return found;
  let text = '';
  let places: number[] = [];
  const close = (via: Decoding) => {
    if (text.length >= 6 && found.length < mostDecoded) found.push(placed(text, places, via));
    text = '';
    places = [];
  };
  for (const { 0: sign, index } of source.matchAll(/[\u{e0020}-\u{e007e}]/gu)) {
    // A flag of a region is a short run after its black flag; a message is spread or long.
    text += String.fromCharCode((sign.codePointAt(0) ?? 0) - 0xe0000);
    places.push(index);
  }
  close('tag-characters');
  const octets: number[] = [];
  for (const { 0: sign, index } of source.matchAll(/[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]/gu)) {
    const code = sign.codePointAt(0) ?? 0;
    octets.push(code >= 0xe0100 ? code - 0xe0100 + 16 : code - 0xfe00);
    places.push(index);
  }
  const plain = readable(Uint8Array.from(octets));
  if (plain !== undefined && plain.length === places.length) {
    text = plain;
    close('variation-selectors');
  }
  return found;
}
