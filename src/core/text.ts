// Small pure helpers on text: showing it safely, and finding the nearest known word.

const plain = /^[\x20-\x7e]*$/;

/**
 * Characters that change how a line looks or that are invisible: control, format, bidi, private-use and separator
 * characters, blanks other than the common ones, variation selectors (except the one for emoji). Built when first
 * needed: a pattern with Unicode properties costs every start half a millisecond.
 */
function deceptive(): RegExp {
  return /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029\u2800]|(?![ \u3000])\p{Zs}|(?!\ufe0f)\p{Default_Ignorable_Code_Point}|(?<![\p{Extended_Pictographic}#*0-9])\ufe0f/gu;
}

/**
 * Letters and characters that are equivalent to a plain one everywhere: full-width, mathematical, Roman numerals,
 * slashes.
 */
const doubles =
  /[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff0e\uff0f\u{1d400}-\u{1d7ff}\u2160-\u217f\u0251\u0261\u2024\u2044\u2215\u29f8]/gu;

/** Letters that look like Latin ones, by their script; of Greek, only what is not common in formulas. */
const twins = {
  Cyrillic:
    /^[\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u04bb\u0501\u051b\u051d\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0405\u0406\u0408]+$/,
  Greek:
    /^[\u03bf\u03bd\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7]{2,}$/,
};

function coded(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/**
 * Marks letters that pass for others: those of another script within a Latin word, and words of look-alikes alone in a
 * text that has nothing else of their script. Chinese, Japanese and Korean look like nothing Latin.
 */
function lookalikes(text: string): (part: string) => string {
  if (!/[^\x00-\u024f]/.test(text)) return (part) => part;
  const words = text.match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [];
  const cyrillic = words.some(
    (word) => /\p{sc=Cyrillic}/u.test(word) && !/\p{sc=Latin}/u.test(word) && !twins.Cyrillic.test(word),
  );
  const greek = words.some(
    (word) => /\p{sc=Greek}/u.test(word) && !/\p{sc=Latin}/u.test(word) && !twins.Greek.test(word),
  );
  const foreign =
    /[^\p{sc=Latin}\p{sc=Common}\p{sc=Inherited}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Bopomofo}]/gu;
  const alone = (word: string) =>
    (!cyrillic && twins.Cyrillic.test(word)) || (!greek && twins.Greek.test(word));
  return (part) =>
    part
      .replace(/[\p{L}\p{M}\p{N}_]+/gu, (word) =>
        /\p{sc=Latin}/u.test(word) || alone(word) ? word.replace(foreign, coded) : word,
      )
      .replace(doubles, coded);
}

/** The text with every character that could deceive a reader's eye written as `\u{…}`. */
export function visible(text: string, limit = Number.POSITIVE_INFINITY): string {
  const shown = plain.test(text) ? text : revealed(text, lookalikes(text));
  if (shown.length <= limit) return shown;
  // A cut through a surrogate pair would leave half a character.
  const end = /[\ud800-\udbff]/.test(shown[limit - 1] ?? '') ? limit - 1 : limit;
  return `${shown.slice(0, end)}… (${shown.length - end} more)`;
}

function revealed(text: string, marked: (part: string) => string): string {
  return marked(text).replace(deceptive(), (character) => {
    if (character === '\n') return '\\n';
    return character === '\t' ? '\\t' : coded(character);
  });
}

/** A run of line breaks, of blanks, or of one character that cannot be seen, too long to be shown as it is. */
function runs(): RegExp {
  return /\n(?:[^\S\n]*\n){3,}|(?:[^\S\n]|\u2800){41,}|([\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}])\1{8,}/gu;
}

/** A number with separated thousands. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

function counted(run: string, repeated: string | undefined): string {
  if (repeated !== undefined) return `⟨${grouped([...run].length)} × ${revealed(repeated, (part) => part)}⟩`;
  const breaks = run.split('\n').length - 1;
  const blanks = run.length - breaks;
  const said = [
    ...(breaks > 0 ? [`${grouped(breaks)} line breaks`] : []),
    ...(blanks > 0 ? [`${grouped(blanks)} blanks`] : []),
  ];
  return breaks > 0 ? `\n⟨${said.join(', ')}⟩\n` : `⟨${said.join(', ')}⟩`;
}

/**
 * A text for a reader who answers for it: whole, line by line, with what deceives made visible and long runs of
 * blanks and line breaks as their count. The brackets of a count are written as `\u{…}` where they are in the text.
 */
export function shownWhole(text: string): string {
  const marked = lookalikes(text);
  const lines = (part: string): string =>
    part
      .split('\n')
      .map((line) => (plain.test(line) ? line : revealed(line, marked).replace(/[⟨⟩]/g, coded)))
      .join('\n');
  let shown = '';
  let at = 0;
  for (const { 0: run, 1: repeated, index } of text.matchAll(runs())) {
    shown += lines(text.slice(at, index)) + counted(run, repeated);
    at = index + run.length;
  }
  return shown + lines(text.slice(at));
}

/** A word quoted for a shell. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The candidate nearest to the word by edit distance, if it is near enough to be the intended one. */
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

/** The text that bytes are, in UTF-8 or UTF-16; null if they are none. */
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
