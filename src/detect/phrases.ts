// Finds phrases as a text flows: words that stand in one sentence in their order. Each word costs the same, however many
// came before. INVARIANT: the finds are the same for every way of cutting the text, and nothing that a find could still
// cover is called safe.

import type { Sink } from './scanner.ts';

/** A phrase as its author writes it. */
export interface PhraseSource {
  readonly rule: string;
  readonly kind: string;
  /**
   * Steps with spaces between: a word, or several with | between; `a*` takes any ending, `a_b` is two words in a row.
   * The words of a step follow those of the one before; `...` lets others stand between.
   */
  readonly phrase: string;
  /** Words that, in the same sentence, make it no find; written as steps are. */
  readonly unless?: string;
}

/** A phrase that cannot be read; the message says why. */
export class PhraseError extends Error {
  override readonly name = 'PhraseError';
}

/** Phrases ready to run. */
export interface PhraseSet {
  /** The places in phrases where a word may stand last, by the word and by how it begins. */
  readonly words: ReadonlyMap<string, readonly Place[]>;
  /** By the first letter. */
  readonly beginnings: ReadonlyMap<string, readonly (readonly [string, readonly Place[]])[]>;
  /** Words with which a row may begin that is the first step of a phrase: alone they are none. */
  readonly rows: ReadonlySet<string>;
}

interface Phrase extends Pick<PhraseSource, 'rule' | 'kind'> {
  readonly order: number;
  /** For each step, how many units may stand before it since the end of the one before. */
  readonly gaps: readonly number[];
}

/** Where a word stands: in a step of a phrase, or among what makes it none; and the words that must stand before it. */
interface Place {
  readonly phrase: Phrase;
  /** -1 for what makes the phrase none. */
  readonly step: number;
  /** The words before it, the nearest first. */
  readonly before: readonly string[];
}

/** How many units may stand between two steps, where others may. */
const gap = 48;
/** How many between two words in a row. */
const seam = 4;
/** How much of the sentence on either side of a phrase is read for what makes it none. */
const around = 80;
/** Longer words are cut: no phrase has any. */
const longestWord = 40;

/** Makes phrases ready; throws `PhraseError` for one that cannot be read. */
export function compilePhrases(sources: readonly PhraseSource[]): PhraseSet {
  const words = new Map<string, Place[]>();
  const beginnings = new Map<string, Place[]>();
  const rows = new Set<string>();
  const add = (written: string, phrase: Phrase, step: number) => {
    const parts = written.split('_').map(wordOf);
    const last = parts.at(-1);
    if (last === undefined) return;
    const table = last.open ? beginnings : words;
    const before = parts.slice(0, -1).reverse();
    if (before.some((word) => word.open)) throw unreadable(written);
    if (step === 0) for (const word of before) rows.add(word.text);
    const place = { phrase, step, before: before.map((word) => word.text) };
    table.set(last.text, [...(table.get(last.text) ?? []), place]);
  };
  for (const [order, { rule, kind, phrase: written, unless = '' }] of sources.entries()) {
    const steps: { choices: readonly string[]; gap: number }[] = [];
    let open = false;
    for (const step of written.trim().split(/\s+/)) {
      if (step === '...' && (steps.length === 0 || open)) throw misplaced(written);
      if (step !== '...') steps.push({ choices: step.split('|'), gap: open ? gap : seam });
      open = step === '...';
    }
    if (open) throw misplaced(written);
    const phrase = { rule, kind, order, gaps: steps.map((step) => step.gap) };
    for (const [index, { choices }] of steps.entries()) {
      for (const choice of choices) add(choice, phrase, index);
    }
    for (const choice of unless.split(/[\s|]+/)) if (choice !== '') add(choice, phrase, -1);
  }
  const byLetter = Map.groupBy(beginnings, ([beginning]) => beginning.charAt(0));
  return { words, beginnings: byLetter, rows };
}

function misplaced(phrase: string): PhraseError {
  return new PhraseError(`in "${phrase}", "..." does not stand between two words`);
}

function unreadable(written: string): PhraseError {
  return new PhraseError(
    `"${written}" is no word of a phrase: a word, a_b for two in a row, a* for any ending`,
  );
}

function wordOf(written: string): { readonly text: string; readonly open: boolean } {
  const open = written.endsWith('*');
  const text = folded(open ? written.slice(0, -1) : written);
  if (!isWord.test(text) || text.length > longestWord) throw unreadable(written);
  return { text, open };
}

/** A word without case and accents. */
function folded(word: string): string {
  const small = word.toLowerCase();
  if (/^[\x00-\x7f]*$/.test(small)) return small;
  return small.replaceAll('’', "'").normalize('NFD').replace(/\p{M}/gu, '');
}

/** A phrase as far as its words have come. */
interface Reached {
  readonly start: number;
  readonly end: number;
}

/** A phrase that stands, until the sentence has been read on. */
interface Candidate extends Reached {
  readonly phrase: Phrase;
}

interface Seen {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A word with the marks that may stand inside of it; those at its ends are none of it. */
const runPattern = /[\p{L}\p{N}\p{M}'’-]+/gu;
const isWord = /^[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}'’-]*[\p{L}\p{N}\p{M}])?$/u;
const sentenceEnd = /[.!?\n]/g;

/** Reads text for phrases as it comes; offsets are of the whole text. */
export class PhraseScanner {
  readonly #set: PhraseSet;
  /** What was taken and not read: it may go on. */
  #rest = '';
  #at = 0;
  /** The word that was too long goes on. */
  #skipping = false;
  #settled = 0;
  /** The end of the last find. */
  #found = 0;
  /** The last words of the sentence. */
  #seen: Seen[] = [];
  readonly #partials = new Map<Phrase, (Reached | undefined)[]>();
  #candidates: Candidate[] = [];
  /** Where the last word is that makes a phrase none. */
  readonly #unless = new Map<Phrase, number>();

  constructor(set: PhraseSet) {
    this.#set = set;
  }

  /** Takes a piece and gives what is settled by it to the sink; the last piece settles everything. */
  push(piece: string, last: boolean, sink: Sink): void {
    const text = this.#rest + piece;
    const base = this.#at;
    const end = last ? text.length : decided(text);
    let from = 0;
    sentenceEnd.lastIndex = 0;
    for (let mark = sentenceEnd.exec(text); mark !== null; mark = sentenceEnd.exec(text)) {
      if (mark.index >= end) break;
      // A point inside of a name or a number ends no sentence.
      if (mark[0] === '.' && /[\p{L}\p{N}]/u.test(text.charAt(mark.index + 1))) continue;
      this.#readWords(text.slice(from, mark.index), base + from, sink);
      this.#endSentence(sink);
      from = mark.index + 1;
    }
    this.#readWords(text.slice(from, end), base + from, sink);
    this.#rest = text.slice(end);
    this.#at = base + end;
    if (this.#rest.length > longestWord && !last) {
      // A word that is longer than any is read as far as it is looked at, and the rest of it never.
      if (!this.#skipping) this.#readWords(this.#rest, this.#at, sink);
      this.#skipping = true;
      this.#at += this.#rest.length;
      this.#rest = '';
    }
    if (last) this.#endSentence(sink);
    this.#settle(this.#safe(), sink);
  }

  #readWords(text: string, at: number, sink: Sink): void {
    runPattern.lastIndex = 0;
    for (let run = runPattern.exec(text); run !== null; run = runPattern.exec(text)) {
      if (!this.#skipping || run.index > 0) this.#readWord(run[0], at + run.index, sink);
      this.#skipping = false;
    }
    if (text !== '') this.#skipping = false;
  }

  #readWord(run: string, at: number, sink: Sink): void {
    let from = 0;
    let to = Math.min(run.length, longestWord);
    while (from < to && isMark(run.charCodeAt(from))) from++;
    while (to > from && isMark(run.charCodeAt(to - 1))) to--;
    if (from === to) return;
    const written = run.slice(from, to);
    const start = at + from;
    const word = { text: folded(written), start, end: start + written.length };
    this.#decide(start, sink);
    this.#seen.push(word);
    if (this.#seen.length > 64) this.#seen.splice(0, 32);
    const { words, beginnings } = this.#set;
    let places = words.get(word.text) ?? [];
    for (const [beginning, more] of beginnings.get(word.text.charAt(0)) ?? []) {
      if (word.text.startsWith(beginning)) places = [...places, ...more];
    }
    // The later steps first: a word that could stand in two of them must not follow itself.
    if (places.length > 1) places = places.toSorted((a, b) => b.step - a.step);
    for (const place of places) this.#stand(place, word);
  }

  /** A word stands in a place of a phrase. */
  #stand({ phrase, step, before }: Place, word: Seen): void {
    let { start } = word;
    for (const [back, wanted] of before.entries()) {
      const other = this.#seen[this.#seen.length - 2 - back];
      if (other === undefined || other.text !== wanted || start - other.end > seam) return;
      start = other.start;
    }
    if (step < 0) {
      this.#unless.set(phrase, word.end);
      return;
    }
    const reached = this.#partials.get(phrase) ?? [];
    this.#partials.set(phrase, reached);
    const previous = step === 0 ? { start, end: start } : reached[step - 1];
    if (previous === undefined || start < previous.end) return;
    if (start - previous.end > (phrase.gaps[step] ?? 0)) return;
    const now = { start: previous.start, end: word.end };
    if (step + 1 < phrase.gaps.length) reached[step] = now;
    else this.#candidates.push({ phrase, ...now });
  }

  /** Decides about phrases behind which enough has been read, now that a word begins at this place. */
  #decide(place: number, sink: Sink): void {
    if (this.#candidates.length === 0) return;
    const open: Candidate[] = [];
    for (const candidate of this.#candidates) {
      if (place - candidate.end <= around) open.push(candidate);
      else this.#conclude(candidate, sink);
    }
    this.#candidates = open;
  }

  #conclude({ phrase, start, end }: Candidate, sink: Sink): void {
    const unless = this.#unless.get(phrase);
    if (unless !== undefined && unless > start - around) return;
    // What overlaps is one find.
    if (start < this.#found) return;
    if (start < this.#settled) throw new Error(`rule ${phrase.rule} found what had been called safe`);
    this.#settle(start, sink);
    this.#settled = end;
    this.#found = end;
    sink.match({ rule: phrase.rule, kind: phrase.kind, pack: 'guidelines', start, end });
  }

  #endSentence(sink: Sink): void {
    for (const candidate of this.#candidates) this.#conclude(candidate, sink);
    this.#candidates = [];
    this.#seen = [];
    this.#partials.clear();
    this.#unless.clear();
  }

  /** The place up to which no phrase can begin any more. */
  #safe(): number {
    let safe = this.#at;
    for (const { start } of this.#candidates) safe = Math.min(safe, start);
    for (const [phrase, reached] of this.#partials) {
      for (let step = 0; step < reached.length; step++) {
        const partial = reached[step];
        if (partial === undefined) continue;
        if (this.#at - partial.end > (phrase.gaps[step + 1] ?? 0)) reached[step] = undefined;
        else safe = Math.min(safe, partial.start);
      }
    }
    let next = this.#at;
    for (let back = this.#seen.length - 1; back >= 0; back--) {
      const word = this.#seen[back];
      if (word === undefined || next - word.end > seam || !this.#set.rows.has(word.text)) break;
      safe = Math.min(safe, word.start);
      next = word.start;
    }
    return safe;
  }

  #settle(safe: number, sink: Sink): void {
    if (safe <= this.#settled) return;
    sink.text(this.#settled, safe);
    this.#settled = safe;
  }
}

/** Whether a unit is ' or - or ’, which may stand inside of a word. */
function isMark(unit: number): boolean {
  return unit === 39 || unit === 45 || unit === 0x2019;
}

/** How much of a text is decided: not a word that may go on, a point behind which one may, or half a character. */
function decided(text: string): number {
  let end = text.length;
  while (end > 0 && goesOn(text.charCodeAt(end - 1))) end--;
  return end === text.length && text.endsWith('.') ? end - 1 : end;
}

/** Whether a unit may belong to a word; those that are half a character may be letters. */
function goesOn(unit: number): boolean {
  if (unit < 128) return isAsciiWord[unit] === 1;
  return (unit >= 0xd800 && unit <= 0xdfff) || /[\p{L}\p{N}\p{M}’]/u.test(String.fromCharCode(unit));
}

const isAsciiWord = Uint8Array.from({ length: 128 }, (_, unit) =>
  /[A-Za-z0-9'-]/.test(String.fromCharCode(unit)) ? 1 : 0,
);
