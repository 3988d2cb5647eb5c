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
function editDistance(a: string, b: string): number {
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
