// How patterns are stored in the packs: parts that very many share as one character, and no backslashes, which would
// be escaped twice over there. Reading a stored pack at a start is then a matter of milliseconds.

import { shorthand } from './packs/shorthand.ts';

/** Characters that no pattern holds: they are written as escapes there. */
const firstMark = 0xc0;
const backslash = '\x7f';

/** The stored form of a pattern. */
export function shortened(pattern: string, parts: readonly string[]): string {
  return parts
    .reduce((text, part, index) => text.replaceAll(part, String.fromCharCode(firstMark + index)), pattern)
    .replaceAll('\\', backslash);
}

/** The pattern of a stored form; one that is not stored stays as it is. */
export function expanded(stored: string): string {
  return stored
    .replaceAll(backslash, '\\')
    .replace(/[\u00c0-\u00ff]/g, (mark) => shorthand[mark.charCodeAt(0) - firstMark] ?? mark);
}
