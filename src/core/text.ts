// Small pure helpers on text: showing it safely, and finding the nearest known word.

const plain = /^[\x20-\x7e]*$/;

/**
 * Control, format, bidi, private-use and separator characters: what can change how a line looks.
 * Built when first needed: a pattern with Unicode properties costs every start half a millisecond.
 */
function deceptive(): RegExp {
  return /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029\u115f\u1160\u3164\uffa0]/gu;
}

/** The text with every character that could deceive a reader's eye written as `\u{…}`. */
export function visible(text: string, limit = Number.POSITIVE_INFINITY): string {
  const shown = plain.test(text)
    ? text
    : text.replace(deceptive(), (character) => {
        if (character === '\n') return '\\n';
        if (character === '\t') return '\\t';
        return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
      });
  if (shown.length <= limit) return shown;
  // A cut through a surrogate pair would leave half a character.
  const end = /[\ud800-\udbff]/.test(shown[limit - 1] ?? '') ? limit - 1 : limit;
  return `${shown.slice(0, end)}… (${shown.length - end} more)`;
}

/** A word as a shell wants it written. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The candidate nearest to the word by edit distance, if it is near enough to be what was meant. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = word.slice(0, 64).toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Insertions, deletions, substitutions and swaps of neighbours between two words. */
export function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = swapped ? (beforePrevious[j - 2] ?? 0) + 1 : substitution;
      current[j] = Math.min(substitution, swap, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
const control = /[\x00-\x08\x0e-\x1a\x1c-\x1f]/;

/** The text that bytes are, in UTF-8 or UTF-16; null where they are none. */
export function textOfBytes(bytes: Uint8Array): string | null {
  const encoding = wideEncoding(bytes);
  try {
    const decoder = encoding === null ? utf8 : new TextDecoder(encoding, { fatal: true });
    const text = decoder.decode(bytes);
    return control.test(text) ? null : text;
  } catch {
    return null;
  }
}

/** UTF-16 by its mark, or by the NULs that every other byte is in plain Latin text. */
function wideEncoding(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const [first = 1, second = 1, third = 1, fourth = 1] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (bytes.length % 2 !== 0 || bytes.length < 4) return null;
  if (first !== 0 && second === 0 && third !== 0 && fourth === 0) return 'utf-16le';
  return first === 0 && second !== 0 && third === 0 && fourth !== 0 ? 'utf-16be' : null;
}
