// Folds a text to what a model would read: one letter for its many look-alikes, nothing for what cannot be seen, and
// for every place in the folded text the place in the source that it came from.

/** A start and an end in the source, in UTF-16 units. */
export type Span = readonly [number, number];

/** A folded text that knows where it came from. */
export interface Folded {
  readonly text: string;
  /** The source span of a span of the folded text. */
  spanOf(start: number, end: number): Span;
}

/** Letters of other scripts that look like Latin ones, each string beside the letter it is read as. */
const lookAlikes: Readonly<Record<string, string>> = {
  a: 'аɑαᴀ',
  b: 'ЬвʙᏏ',
  c: 'сᴄϲ',
  d: 'ԁᴅժ',
  e: 'еєᴇε',
  f: 'ꜰғ',
  g: 'ɡցɢ',
  h: 'һʜհ',
  i: 'іιɪıӏ',
  j: 'јᴊ',
  k: 'кκᴋ',
  l: 'ʟⅼ',
  m: 'мᴍ',
  n: 'пɴոη',
  o: 'оοօᴏσ',
  p: 'рρᴘ',
  q: 'ԛզ',
  r: 'гʀ',
  s: 'ѕꜱ',
  t: 'тτᴛ',
  u: 'υսᴜц',
  v: 'ѵνᴠ',
  w: 'ԝѡᴡω',
  x: 'хχ',
  y: 'уγʏү',
  z: 'ᴢ',
  A: 'АΑ',
  B: 'ВΒ',
  C: 'СϹ',
  E: 'ЕΕ',
  H: 'НΗ',
  I: 'ІΙӀ',
  J: 'Ј',
  K: 'КΚ',
  M: 'МΜ',
  N: 'Ν',
  O: 'ОΟ',
  P: 'РΡ',
  S: 'Ѕ',
  T: 'ТΤ',
  X: 'ХΧ',
  Y: 'УΥҮ',
  Z: 'Ζ',
  '"': '“”„«»',
  "'": '‘’‚ʼ´',
  '-': '‐‑‒–—−',
  ss: 'ß',
  ae: 'æ',
  oe: 'œ',
};

const replacements = new Map<number, string>();
for (const [letter, alikes] of Object.entries(lookAlikes)) {
  for (const alike of alikes) if (alike > '\x7f') replacements.set(alike.codePointAt(0) ?? 0, letter);
}

/** Characters that are not shown: zero-width ones, marks of direction, variation selectors, tags, the soft hyphen. */
const unseen = /\p{Default_Ignorable_Code_Point}/u;

/** What one character beyond ASCII is read as. */
function readingOf(codePoint: number): string {
  const known = replacements.get(codePoint);
  if (known !== undefined) return known;
  const character = String.fromCodePoint(codePoint);
  let reading = character;
  if (unseen.test(character)) reading = '';
  else if (codePoint >= 0x1f150 && codePoint <= 0x1f189) reading = boxed(codePoint);
  else if (codePoint >= 0x1f1e6 && codePoint <= 0x1f1ff)
    reading = String.fromCharCode(codePoint - 0x1f1e6 + 97);
  else {
    const plain = character.normalize('NFKD').replace(/\p{M}/gu, '');
    const letters = [...plain].map((part) => replacements.get(part.codePointAt(0) ?? 0) ?? part).join('');
    if (!/[^\x00-\x7f]/.test(letters)) reading = letters;
  }
  // Some millions of characters exist; a hostile text may hold them all.
  if (replacements.size < 8192) replacements.set(codePoint, reading);
  return reading;
}

/** Letters in dark circles and squares, which Unicode does not call letters. */
function boxed(codePoint: number): string {
  return String.fromCharCode(97 + (((codePoint - 0x1f150) % 32) % 26));
}

/**
 * Folds a text.
 * INVARIANT: spanOf gives spans inside the source, and the spans of neighbours do not overlap.
 */
export function fold(source: string): Folded {
  if (!/[^\x00-\x7f]/.test(source)) return { text: source, spanOf: (start, end) => [start, end] };
  const parts: string[] = [];
  // Places where folded and source offsets drift apart: from folded offset at[i] on, the source is at to[i].
  const at: number[] = [0];
  const to: number[] = [0];
  let length = 0;
  let copied = 0;
  for (let index = 0; index < source.length; index++) {
    const unit = source.charCodeAt(index);
    if (unit < 0x80) continue;
    const codePoint = source.codePointAt(index) ?? unit;
    const size = codePoint > 0xffff ? 2 : 1;
    const reading = replacements.get(codePoint) ?? readingOf(codePoint);
    if (size === 1 && reading.length === 1 && reading.charCodeAt(0) === unit) continue;
    parts.push(source.slice(copied, index), reading);
    length += index - copied + reading.length;
    copied = index + size;
    if (reading.length !== size) {
      // Every letter of a long reading comes from the one character.
      for (let letter = 1; letter < reading.length; letter++) {
        at.push(length - reading.length + letter);
        to.push(index);
      }
      at.push(length);
      to.push(copied);
    }
    index += size - 1;
  }
  parts.push(source.slice(copied));
  const origin = (offset: number): number => {
    let low = 0;
    let high = at.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((at[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return Math.min((to[low] ?? 0) + offset - (at[low] ?? 0), source.length);
  };
  return {
    text: parts.join(''),
    spanOf: (start, end) => {
      const from = origin(start);
      if (end <= start) return [from, from];
      const last = origin(end - 1);
      return [from, last + ((source.codePointAt(last) ?? 0) > 0xffff ? 2 : 1)];
    },
  };
}
