// The words of a task and of a tool for the search: their stems, weights, meanings, and whether they denote a change.

import { abbreviations, changingVerbs, deeds, empty, readingVerbs, shapes, things } from './words.ts';

/** The verbs of a name or a task. */
export type Deed = 'changes' | 'reads';

/** The weight of the first word of a text, which usually is its verb. */
const leading = 1.3;
/** The weight of a verb in another form, as in "the opened file". */
const inflected = 0.6;
/** The weight of the words of a name or a value: they identify an object, not an action. */
const value = 0.3;
/** How much of a text is looked at to see whether it asks or orders. */
const openingLength = 200;
const questions =
  /^\s*(?:what|which|who|whose|where|when|how|why|is|are|was|were|did|does|do|has|have|can)\b/i;

/** The words of a task, each with how much it counts; the shapes of names and values read as what they are. */
export function saidIn(text: string): ReadonlyMap<string, number> {
  const said = new Map<string, number>();
  const count = (word: string, weight: number) => said.set(word, Math.max(weight, said.get(word) ?? 0));
  let rest = text;
  for (const [shape, words] of shapes) {
    rest = rest.replace(shape, (found) => {
      for (const word of wordsOf(words)) count(word, 1);
      for (const word of wordsOf(found)) count(word, value);
      return ' ';
    });
  }
  const quoted = new Set((rest.match(/"[^"]*"/g) ?? []).flatMap(wordsOf));
  const otherForms = new Set((rest.toLowerCase().match(/\p{L}+(?:ing|ed)\b/gu) ?? []).flatMap(wordsOf));
  for (const [place, word] of wordsOf(rest).entries()) {
    const isOther = otherForms.has(word) && isDeed(word);
    count(word, quoted.has(word) ? value : isOther ? inflected : place === 0 ? leading : 1);
  }
  return said;
}

/** The words of a text in their plain form: no accents, no capitals, no endings. */
export function wordsOf(text: string): readonly string[] {
  const apart = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ');
  const words = apart.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words
    .flatMap((word) => abbreviations.get(word) ?? [word])
    .filter((word) => !empty.has(word))
    .flatMap((word) => (unspaced.test(word) ? pairsOf(word) : [stemOf(word.slice(0, 64))]));
}

/** Scripts without spaces between words: each pair of adjacent characters counts as one. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

function pairsOf(word: string): readonly string[] {
  const signs = [...word];
  return signs.length < 2 ? signs : signs.slice(1).map((sign, index) => `${signs[index]}${sign}`);
}

/** A word without its ending; crude, and the same for tasks and tools. */
function stemOf(word: string): string {
  if (word.length < 4) return word;
  const plain = word
    .replace(/ies$/, 'y')
    .replace(/(?<=ss|x|ch|sh)es$/, '')
    .replace(/(?<![su])s$/, '');
  const bare = plain.replace(/(?<=[aeiouy].*)(?<=...)(?:ing|ed)$/, '');
  const single = bare === plain ? bare : bare.replace(/(?<=..)([^aeioulsz])\1$/, '$1');
  return single.replace(/(?<=..)e$/, '');
}

const changing: ReadonlySet<string> = new Set(changingVerbs.map(stemOf));
const reading: ReadonlySet<string> = new Set(readingVerbs.map(stemOf));
const deedMeanings = stemmed(deeds);
const thingMeanings = stemmed(things);

/** Whether a word is a verb. */
export function isDeed(word: string): boolean {
  return deedMeanings.has(word);
}

/** The intent of a task: whether it asks or orders; undefined if its first word does not show that. */
export function deedOf(text: string): Deed | undefined {
  return questions.test(text) ? 'reads' : deedBy(wordsOf(text.slice(0, openingLength)).slice(0, 1));
}

/** The intent in the words of a name. */
export function deedBy(words: readonly string[]): Deed | undefined {
  if (words.some((word) => changing.has(word))) return 'changes';
  return words.some((word) => reading.has(word)) ? 'reads' : undefined;
}

/** The words that mean the same. */
export function meaningsOf(word: string): readonly string[] {
  return [...(deedMeanings.get(word) ?? []), ...(thingMeanings.get(word) ?? [])];
}

function stemmed(groups: readonly (readonly string[])[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const group of groups) {
    const words = group.map(stemOf);
    for (const word of words) {
      const known = found.get(word) ?? new Set();
      found.set(word, known);
      for (const other of words) known.add(other);
    }
  }
  return found;
}
