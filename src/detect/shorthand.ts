// Parts that very many patterns share, written as one character in the stored packs, so that loading them is cheap.

import { shorthand } from './packs/shorthand.ts';

/** Characters that no pattern holds: they are written as escapes there. */
const firstMark = 0x100;

/** The stored pattern for a pattern. */
export function shortened(pattern: string, parts: readonly string[]): string {
  return parts.reduce(
    (text, part, index) => text.replaceAll(part, String.fromCharCode(firstMark + index)),
    pattern,
  );
}

/** The pattern for a stored one. */
export function expanded(stored: string): string {
  return stored.replace(/[\u0100-\u017f]/g, (mark) => shorthand[mark.charCodeAt(0) - firstMark] ?? mark);
}
