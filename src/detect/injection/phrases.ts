// Patterns over words: compiled once to tables, matched where their first word stands.
//
// A pattern is a line of steps. A step is a word, @class of the lexicon, or several of them with | between; a ? after
// a step makes it optional; ..N lets up to N other words stand between; ~ before a step means that the next word is none
// of them. No pattern reaches over the end of a sentence.

import { exactClasses, lexicon, notTypos, type WordClass } from './lexicon.ts';
import { afterBreak, blob, hashWord, letterSet, mixed, type Words } from './words.ts';

/** Where a pattern stands: first word and the word after the last. */
export interface PhraseHit {
  readonly pattern: number;
  readonly from: number;
  readonly to: number;
  /** How many of the pattern's words were read through a typo. */
  readonly typos: number;
  /** Whether the first word stands where an order begins: "please ignore", not "the ignore rules". */
  readonly commanded: boolean;
  /** Whether the words before make it a question, a report or a prohibition: "how do I", "they", "never". */
  readonly told: boolean;
}

interface Step {
  /** By word number: whether the word may stand here. */
  readonly words: Uint8Array;
  readonly optional: boolean;
  readonly unwanted: boolean;
  /** How many words may stand between this step and the one before. */
  readonly gap: number;
}

interface Vocabulary {
  /** Open addressing: hash and number of a word, in one slot. */
  readonly hashes: Int32Array;
  readonly numbers: Uint16Array;
  /** Words that are recognised with a typo, by length and first letter, and by length and last letter. */
  readonly near: readonly (readonly NearWord[] | undefined)[];
}

interface NearWord {
  readonly word: string;
  readonly number: number;
  readonly letters: number;
}

/** Words that mean something when they stand near one another in a sentence, in whatever order. */
export interface NearbyWords {
  /** Steps as in patterns, without gaps; the first is looked for, the others around it. */
  readonly all: readonly string[];
  /** How many words around the first. */
  readonly within: number;
  /** Words that, in the same place, make it something else. */
  readonly unless?: string;
}

interface CompiledNearbyWords {
  readonly sets: readonly Uint8Array[];
  readonly within: number;
  readonly unless: Uint8Array | undefined;
}

export interface Phrases {
  readonly vocabulary: Vocabulary;
  readonly patterns: readonly (readonly Step[])[];
  readonly groups: readonly CompiledNearbyWords[];
  /** By word number: the groups whose first set has it. */
  readonly grouping: readonly (readonly number[])[];
  /** By word number: whether a pattern or a group starts with it. */
  readonly isHead: Uint8Array;
  /** By word number: one bit for each set of words of which the caller wants to know whether the text has any. */
  readonly gates: Int32Array;
  /** By word number: the patterns that may start with it. */
  readonly starting: readonly (readonly number[])[];
  /** Words that open a question, near and far, and words that make a verb a report or a prohibition. */
  readonly asking: Uint8Array;
  readonly telling: Uint8Array;
  readonly able: Uint8Array;
  readonly bidding: Uint8Array;
  /** Words after which an order begins. */
  readonly leading: Uint8Array;
  /** Words that begin a clause. */
  readonly opening: Uint8Array;
}

const slots = 1 << 14;

const classNames = Object.keys(lexicon) as readonly WordClass[];

/** Lengths of words that are guessed at. */
const shortestGuess = 4;
const longestGuess = 16;

/** Compiles patterns and groups; a hit of group i counts as pattern number patterns.length + i. */
export function compilePhrases(
  patterns: readonly string[],
  together: readonly NearbyWords[],
  gates: readonly string[],
): Phrases {
  const numbers = new Map<string, number>();
  const numberOf = (word: string): number => {
    const number = numbers.get(word) ?? numbers.size + 1;
    numbers.set(word, number);
    return number;
  };
  const classes = new Map<string, readonly number[]>();
  for (const [name, words] of Object.entries(lexicon)) classes.set(`@${name}`, split(words).map(numberOf));
  const parsed = patterns.map((pattern) => parse(pattern));
  const loose = [...together.flatMap(({ all, unless = '' }) => [...all, unless]), ...gates];
  for (const { choices } of [...parsed.flat(), ...loose.flatMap(parse)])
    for (const choice of choices) if (!choice.startsWith('@')) numberOf(choice);

  const sets = new Map<string, Uint8Array>();
  const setOf = (choices: readonly string[]): Uint8Array => {
    const key = choices.join('|');
    let set = sets.get(key);
    if (set === undefined) {
      set = new Uint8Array(numbers.size + 1);
      for (const choice of choices) {
        const members = choice.startsWith('@') ? classes.get(choice) : [numberOf(choice)];
        if (members === undefined) throw new Error(`The lexicon has no class ${choice}.`);
        for (const member of members) set[member] = 1;
      }
      sets.set(key, set);
    }
    return set;
  };
  const compiled = parsed.map((steps) =>
    steps.map(({ choices, ...step }) => ({ words: setOf(choices), ...step })),
  );
  const starting: number[][] = Array.from({ length: numbers.size + 1 }, () => []);
  compiled.forEach((steps, pattern) => {
    steps[0]?.words.forEach((member, number) => {
      if (member === 1) starting[number]?.push(pattern);
    });
  });
  const groups = together.map(({ all, within, unless }) => ({
    sets: all.map((step) => setOf(step.split('|'))),
    within,
    unless: unless === undefined ? undefined : setOf(unless.split('|')),
  }));
  const grouping: number[][] = Array.from({ length: numbers.size + 1 }, () => []);
  groups.forEach(({ sets }, group) => {
    sets[0]?.forEach((member, number) => {
      if (member === 1) grouping[number]?.push(group);
    });
  });
  const gateBits = new Int32Array(numbers.size + 1);
  gates.forEach((gate, bit) => {
    setOf(gate.split('|')).forEach((member, number) => {
      if (member === 1) gateBits[number] = (gateBits[number] ?? 0) | (1 << bit);
    });
  });
  return {
    vocabulary: vocabularyOf(numbers),
    patterns: compiled,
    groups,
    grouping,
    isHead: Uint8Array.from(starting, (list, number) =>
      list.length + (grouping[number]?.length ?? 0) > 0 ? 1 : 0,
    ),
    gates: gateBits,
    starting,
    asking: setOf(['@asking']),
    telling: setOf(['@telling']),
    able: setOf(['@able']),
    bidding: setOf(['@bidding']),
    opening: setOf(['@opening']),
    leading: setOf(['@leading', '@bidding', '@assistant']),
  };
}

function split(words: string): string[] {
  return words.split(/\s+/).filter(Boolean);
}

interface ParsedStep extends Omit<Step, 'words'> {
  readonly choices: readonly string[];
}

function parse(pattern: string): ParsedStep[] {
  const steps: ParsedStep[] = [];
  let gap = 0;
  for (const part of split(pattern)) {
    if (part.startsWith('..')) {
      gap = Number(part.slice(2));
      continue;
    }
    const choices = part.replace(/^~|\?$/g, '').split('|');
    steps.push({ choices, optional: part.endsWith('?'), unwanted: part.startsWith('~'), gap });
    gap = 0;
  }
  return steps;
}

function vocabularyOf(numbers: ReadonlyMap<string, number>): Vocabulary {
  const hashes = new Int32Array(slots);
  const ids = new Uint16Array(slots);
  for (const [word, number] of numbers) {
    const hash = hashWord(word);
    let slot = hash & (slots - 1);
    while (ids[slot] !== 0) slot = (slot + 1) & (slots - 1);
    hashes[slot] = hash;
    ids[slot] = number;
  }
  const near: NearWord[][] = Array.from({ length: (longestGuess + 2) * 64 }, () => []);
  const file = (key: number, word: NearWord) => near[key]?.push(word);
  const guessed = new Set(
    classNames.filter((name) => !exactClasses.has(name)).flatMap((name) => split(lexicon[name])),
  );
  const exact = new Set(
    [...exactClasses].flatMap((name) => split(lexicon[name])).filter((word) => !guessed.has(word)),
  );
  for (const [word, number] of numbers) {
    if (word.length < shortestGuess || word.length > longestGuess || exact.has(word)) continue;
    const entry = { word, number, letters: letterSet(word) };
    for (let length = word.length - 1; length <= word.length + 1; length++)
      file(length * 64 + (word.charCodeAt(0) & 31), entry);
    file(word.length * 64 + 32 + (word.charCodeAt(word.length - 1) & 31), entry);
  }
  return { hashes, numbers: ids, near };
}

/** The number of each word in the vocabulary, 0 for the rest; typo tells which were guessed. */
function numberWords(
  text: string,
  words: Words,
  { hashes, numbers, near }: Vocabulary,
): { numbers: Uint16Array; typos: ReadonlySet<number> } {
  const found = new Uint16Array(words.count);
  const typos = new Set<number>();
  for (let index = 0; index < words.count; index++) {
    const hash = words.hash[index] ?? 0;
    let slot = hash & (slots - 1);
    let number = numbers[slot] ?? 0;
    while (number !== 0 && hashes[slot] !== hash) {
      slot = (slot + 1) & (slots - 1);
      number = numbers[slot] ?? 0;
    }
    if (number === 0) {
      number = guess(text, words, index, near);
      if (number !== 0) typos.add(index);
    }
    found[index] = number;
  }
  return { numbers: found, typos };
}

/** What was guessed for a word, by the low bits of its hash: texts repeat their words. Holds hash and number. */
const remembered = new Int32Array(1 << 14);

function guess(text: string, words: Words, index: number, near: Vocabulary['near']): number {
  const start = words.start[index] ?? 0;
  const length = (words.end[index] ?? 0) - start;
  if (length < shortestGuess || length > longestGuess || ((words.traits[index] ?? 0) & (mixed | blob)) !== 0)
    return 0;
  // An acronym is a word of its own.
  if (length <= 5 && /^[A-Z]+$/.test(text.slice(start, start + length))) return 0;
  const hash = words.hash[index] ?? 0;
  const place = (hash & 0x1fff) * 2;
  if (remembered[place] === hash) return remembered[place + 1] ?? 0;
  const letters = words.letters[index] ?? 0;
  const first = near[length * 64 + (text.charCodeAt(start) & 31)];
  const last = near[length * 64 + 32 + (text.charCodeAt(start + length - 1) & 31)];
  const number = nearest(text, start, length, letters, first) || nearest(text, start, length, letters, last);
  remembered[place] = hash;
  remembered[place + 1] = number;
  return number;
}

function nearest(
  text: string,
  start: number,
  length: number,
  letters: number,
  candidates: readonly NearWord[] | undefined,
): number {
  if (candidates === undefined) return 0;
  let word = '';
  for (const candidate of candidates) {
    const apart = letters ^ candidate.letters;
    // More than two letters of difference are more than one slip.
    const rest = apart & (apart - 1);
    if ((rest & (rest - 1)) !== 0) continue;
    // Four letters are near too many words: only the same letters in another order or doubled.
    if (candidate.word.length < 5 && apart !== 0) continue;
    if (word === '') {
      word = text.slice(start, start + length).toLowerCase();
      if (notTypos.has(word)) return 0;
    }
    if (isOneSlip(word, candidate.word)) return candidate.number;
  }
  return 0;
}

/** Whether one letter was added, left out or changed, or two neighbours changed places; not an ending of the word. */
export function isOneSlip(word: string, meant: string): boolean {
  const shorter = Math.min(word.length, meant.length);
  let head = 0;
  while (head < shorter && word[head] === meant[head]) head++;
  if (head === shorter && word.length > meant.length) return word.at(-1) === meant.at(-1);
  let tail = 0;
  while (tail < shorter - head && word[word.length - 1 - tail] === meant[meant.length - 1 - tail]) tail++;
  const left = word.length - head - tail;
  const right = meant.length - head - tail;
  if (left <= 1 && right <= 1) return true;
  return left === 2 && right === 2 && word[head] === meant[head + 1] && word[head + 1] === meant[head];
}

/** All places where a pattern stands, each pattern once for a first word, and the bits of the gates that are open. */
export function matchPhrases(
  text: string,
  words: Words,
  phrases: Phrases,
): { readonly hits: readonly PhraseHit[]; readonly gates: number } {
  const { numbers, typos } = numberWords(text, words, phrases.vocabulary);
  const hits: PhraseHit[] = [];
  let gates = 0;
  for (let from = 0; from < words.count; from++) {
    const number = numbers[from] ?? 0;
    if (number === 0) continue;
    gates |= phrases.gates[number] ?? 0;
    if (phrases.isHead[number] !== 1) continue;
    for (const pattern of phrases.starting[number] ?? []) {
      const matched: number[] = [from];
      if (!matchFrom(words, numbers, phrases.patterns[pattern] ?? [], 1, from + 1, matched)) continue;
      const commanded = isCommanded(text, words, numbers, phrases, from);
      const told = isOrdered(words, numbers, phrases, from);
      const to = (matched.at(-1) ?? from) + 1;
      hits.push({ pattern, from, to, typos: matched.filter((at) => typos.has(at)).length, commanded, told });
    }
    for (const group of phrases.grouping[number] ?? []) {
      const found = phrases.groups[group];
      const span = found === undefined ? undefined : matchAround(words, numbers, found, from);
      if (span === undefined) continue;
      const told = isOrdered(words, numbers, phrases, from);
      hits.push({
        pattern: phrases.patterns.length + group,
        from: span[0],
        to: span[1],
        typos: countIn(typos, span[0], span[1]),
        commanded: false,
        told,
      });
    }
  }
  return { hits, gates };
}

function countIn(places: ReadonlySet<number>, from: number, to: number): number {
  if (places.size === 0) return 0;
  let count = 0;
  for (let index = from; index < to; index++) if (places.has(index)) count++;
  return count;
}

/** Whether an order begins with this word: at the start of a sentence, after a sign, or after a word that leads one in. */
function isCommanded(
  text: string,
  words: Words,
  numbers: Uint16Array,
  phrases: Phrases,
  at: number,
): boolean {
  if (at === 0 || ((words.traits[at] ?? 0) & afterBreak) !== 0) return true;
  if (phrases.opening[numbers[at] ?? 0] === 1) return true;
  const before = numbers[at - 1] ?? 0;
  if (phrases.leading[before] === 1) return true;
  if (phrases.able[before] === 1 && at >= 2 && phrases.bidding[numbers[at - 2] ?? 0] === 1) return true;
  const between = text.slice(words.end[at - 1], words.start[at]);
  if (/[,:;"'(>\]*–—]|- |\n *(?:\/\/|#|>)/.test(between)) return true;
  // A line of its own, or a sentence without a full stop before it, begins with a capital letter; a title has more of them.
  if (!isCapital(text, words, at)) return false;
  return between.includes('\n') || (at + 1 < words.count && !isCapital(text, words, at + 1));
}

function isCapital(text: string, words: Words, at: number): boolean {
  const unit = text.charCodeAt(words.start[at] ?? 0);
  return unit >= 65 && unit <= 90;
}

/** The span of a group around its first word, or nothing. */
function matchAround(
  words: Words,
  numbers: Uint16Array,
  { sets, within, unless }: CompiledNearbyWords,
  at: number,
): readonly [number, number] | undefined {
  let low = at;
  while (low > 0 && at - low < within && ((words.traits[low] ?? 0) & afterBreak) === 0) low--;
  let high = at;
  while (high + 1 < words.count && high - at < within && ((words.traits[high + 1] ?? 0) & afterBreak) === 0)
    high++;
  let first = at;
  let last = at;
  // Which of the other sets were met, one bit each; a word serves one set.
  let met = 1;
  for (let index = low; index <= high; index++) {
    const number = numbers[index] ?? 0;
    if (number === 0) continue;
    if (unless !== undefined && unless[number] === 1) return undefined;
    if (index === at) continue;
    for (let set = 1; set < sets.length; set++) {
      if ((met & (1 << set)) !== 0 || sets[set]?.[number] !== 1) continue;
      met |= 1 << set;
      first = Math.min(first, index);
      last = Math.max(last, index);
      break;
    }
  }
  return met === (1 << sets.length) - 1 ? [first, last + 1] : undefined;
}

/** How many words before a command a "how" still makes it a question. */
const askingReach = 5;

function isOrdered(words: Words, numbers: Uint16Array, phrases: Phrases, from: number): boolean {
  const { asking, telling, able, bidding } = phrases;
  const numberBefore = (back: number) => numbers[from - back] ?? 0;
  for (let back = 1; back <= Math.min(askingReach, from); back++) {
    if (((words.traits[from - back + 1] ?? 0) & afterBreak) !== 0) return false;
    const number = numberBefore(back);
    if (asking[number] === 1 || (back === 1 && telling[number] === 1)) return true;
    if (back === 1 && able[number] === 1 && from >= 2 && bidding[numberBefore(2)] !== 1) return true;
  }
  return false;
}

/** Whether the steps from the given one on match; adds the words that they match. */
function matchFrom(
  words: Words,
  numbers: Uint16Array,
  steps: readonly Step[],
  step: number,
  at: number,
  matched: number[],
): boolean {
  const wanted = steps[step];
  if (wanted === undefined) return true;
  if (wanted.unwanted) {
    const isNext = at < words.count && ((words.traits[at] ?? 0) & afterBreak) === 0;
    if (isNext && wanted.words[numbers[at] ?? 0] === 1) return false;
    return matchFrom(words, numbers, steps, step + 1, at, matched);
  }
  const last = Math.min(at + wanted.gap, words.count - 1);
  for (let index = at; index <= last; index++) {
    if (((words.traits[index] ?? 0) & afterBreak) !== 0) break;
    if (wanted.words[numbers[index] ?? 0] !== 1) continue;
    matched.push(index);
    if (matchFrom(words, numbers, steps, step + 1, index + 1, matched)) return true;
    matched.pop();
  }
  return wanted.optional && matchFrom(words, numbers, steps, step + 1, at, matched);
}
