// A text that was written in another way, decoded, with the places that it came from.

import type { Folded } from './fold.ts';

export type Decoding =
  | 'base64'
  | 'hex'
  | 'binary'
  | 'url'
  | 'escape'
  | 'entity'
  | 'rot13'
  | 'reversed'
  | 'leet'
  | 'spaced'
  | 'joined'
  | 'tag-characters'
  | 'variation-selectors';

/** A decoded text; its spans are spans of the text that it was found in. */
export interface Decoded extends Folded {
  readonly via: Decoding;
}

/** How often one text is decoded at most: a hostile text is all blobs. */
export const mostDecoded = 512;

/** A decoded text whose every character has its own place. */
export function placed(text: string, places: ArrayLike<number>, via: Decoding): Decoded {
  const last = places[places.length - 1] ?? 0;
  return {
    text,
    via,
    spanOf: (start, end) => [places[start] ?? 0, (places[Math.max(start, end - 1)] ?? last) + 1],
  };
}
