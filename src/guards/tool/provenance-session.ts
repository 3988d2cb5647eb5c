// What one session heard and read: a bounded index of atoms, and the judgement whether the user asked for one.

import type { Atom, SessionTexts, Suspect, TextSource } from '../../core/index.ts';
import { type Manner, type Mention, mentionsIn, mentionsOf, mostMentions } from './provenance-atoms.ts';

export interface SessionLimits {
  /** Atoms of others' texts that are kept. */
  readonly atoms: number;
  /** Characters of all of them together. */
  readonly characters: number;
  readonly ageMs: number;
  /** Words and atoms of the user's that are kept. */
  readonly words: number;
}

export const sessionLimits: SessionLimits = {
  atoms: 20_000,
  characters: 1_000_000,
  ageMs: 24 * 60 * 60 * 1000,
  words: 20_000,
};

/** Characters of one text that are read; what lies behind is not known, and that is remembered. */
const longestText = 1_048_576;

/** What is known about an atom of others' texts. */
interface Mark {
  manner: Manner;
  /** The document that it stands in as a field, if any. */
  field: number;
  /** Whether every mention is one that the user described, or one of its own document's field. */
  described: boolean;
  source: TextSource;
  at: number;
}

/** Strongest last: telling somebody to use an atom says more than showing it. */
const strength: Readonly<Record<Manner, number>> = { field: 0, plain: 1, directive: 2 };

/** Where anybody can have a page, the name of the place says nothing about whose page it is. */
const shared =
  /(?:^|\.)(?:github|githubusercontent|gitlab|bitbucket|google|googleapis|dropbox|slack|discord|telegram|t|notion|atlassian|trello|airtable|pastebin|webhook|requestbin|pipedream|ngrok|herokuapp|vercel|netlify|pages|workers|amazonaws|azurewebsites|cloudfront|firebaseio|zapier|ifttt|typeform|transfer|gmail|outlook|hotmail|yahoo|proton|protonmail|icloud)\.[a-z.]+$/;

const emptyWords =
  /^(?:the|and|for|with|from|this|that|all|any|our|your|you|his|her|its|their|them|into|about|after|before|then|than|who|what|when|where|which|please|email|e-mail|mail|message|send|forward|post|reply|write|contact|address|account|number|link|url|http|https|www|com|org|net|file|report|important|note|urgent|user|name|new|latest|last|first|next|one|two|get|use|make|let|can|are|was|has|have|will|not|but)$/;

export class Session implements SessionTexts {
  readonly #limits: SessionLimits;
  readonly #now: () => number;
  readonly #marks = new Map<string, Mark>();
  readonly #said = new Set<string>();
  readonly #words = new Set<string>();
  #characters = 0;
  #documents = 0;
  #forgot = false;

  constructor(now: () => number, limits: SessionLimits = sessionLimits) {
    this.#now = now;
    this.#limits = limits;
  }

  heard(text: string): void {
    for (const { atom } of mentionsIn(text, 'user')) add(this.#said, keyOf(atom), this.#limits.words);
    for (const word of wordsOf(text)) add(this.#words, word, this.#limits.words);
  }

  read(text: string, source: TextSource): void {
    const document = ++this.#documents;
    const pointed = this.#pointedTo(source);
    const mentions = mentionsOf(text.slice(0, longestText), source);
    this.#forgot ||= text.length > longestText || mentions.length >= mostMentions;
    // Fields first: what they say, the text of the same document may repeat.
    for (const mention of mentions)
      if (mention.manner === 'field') this.#mark(mention, source, document, pointed);
    for (const mention of mentions)
      if (mention.manner !== 'field') this.#mark(mention, source, document, pointed);
    this.#tidy();
  }

  #mark({ atom, manner, before }: Mention, source: TextSource, document: number, pointed: boolean): void {
    const key = keyOf(atom);
    const known = this.#marks.get(key);
    const own = manner === 'plain' && known?.field === document;
    const described =
      own || manner === 'field' || pointed || this.#describes(before) || this.#describes(atom.value);
    const mark: Mark = {
      manner: known !== undefined && strength[known.manner] >= strength[manner] ? known.manner : manner,
      field: manner === 'field' ? document : (known?.field ?? 0),
      described: (known?.described ?? true) && described,
      source: known !== undefined && strength[known.manner] > strength[manner] ? known.source : source,
      at: this.#now(),
    };
    if (known === undefined) this.#characters += key.length;
    this.#marks.delete(key);
    this.#marks.set(key, mark);
  }

  /** Whether the user named the text itself. */
  #pointedTo({ kind, name }: TextSource): boolean {
    if (kind === 'tool') return false;
    const last =
      name
        .toLowerCase()
        .replace(/[?#].*$/, '')
        .split('/')
        .findLast((part) => part !== '') ?? '';
    if (last.length >= 3 && this.#words.has(last)) return true;
    return mentionsIn(name, 'user').some(({ atom }) => this.#said.has(keyOf(atom)));
  }

  /** Whether one of the user's own words stands in a text. */
  #describes(text: string): boolean {
    for (const word of wordsOf(text)) if (this.#words.has(word) && !emptyWords.test(word)) return true;
    return false;
  }

  check(atoms: readonly Atom[]): readonly Suspect[] {
    this.#tidy();
    const suspects: Suspect[] = [];
    for (const atom of atoms) {
      if (this.#isSaid(atom)) continue;
      const mark = this.#marks.get(keyOf(atom));
      if (mark === undefined) {
        if (this.#forgot && atom.kind !== 'command' && atom.kind !== 'id')
          suspects.push({ atom, source: null });
      } else if (isSuspect(atom, mark)) suspects.push({ atom, source: mark.source });
    }
    return suspects;
  }

  /** Whether the user named it: itself, the address that it is below, or the one who owns the name. */
  #isSaid({ kind, value }: Atom): boolean {
    if (this.#said.has(`${kind} ${value}`) || this.#words.has(value.toLowerCase())) return true;
    if (kind === 'host') {
      const above = value.split('.').map((_, at, labels) => labels.slice(at).join('.'));
      return above.some((name) => name.includes('.') && this.#said.has(`host ${name}`)) || this.#owns(value);
    }
    if (kind !== 'url') return false;
    const [host = '', ...path] = value.split('/');
    const below = path.map((_, at) => [host, ...path.slice(0, at + 1)].join('/'));
    return below.some((start) => this.#said.has(`url ${start}`)) || this.#owns(host);
  }

  /** Whether the user spoke of the owner of a name: "stripe" for api.stripe.com. */
  #owns(host: string): boolean {
    if (shared.test(host)) return false;
    const [, owner = ''] = /(?:^|\.)([^.]+)\.(?:(?:co|com|org|net|gov|ac)\.[a-z]{2}|[^.]+)$/.exec(host) ?? [];
    return owner.length >= 4 && this.#words.has(owner);
  }

  /** Drops what is too old or too much, the oldest first, and remembers that something was dropped for its number. */
  #tidy(): void {
    const { atoms, characters, ageMs } = this.#limits;
    const oldest = this.#now() - ageMs;
    for (const [key, { at }] of this.#marks) {
      const much = this.#marks.size > atoms || this.#characters > characters;
      if (!much && at >= oldest) return;
      this.#forgot ||= much;
      this.#marks.delete(key);
      this.#characters -= key.length;
    }
  }
}

/** Whether an atom that others brought up needs a person's look. */
function isSuspect({ kind, value }: Atom, { manner, described, source }: Mark): boolean {
  if (isLocal(kind, value)) return false;
  if (manner === 'directive') return true;
  if (manner === 'field' || described) return false;
  if (kind === 'id' || kind === 'handle') return false;
  // Addresses in files are the program's own data; accounts and people are not.
  const address = kind === 'url' || kind === 'host';
  return !(address && source.kind === 'file');
}

function isLocal(kind: Atom['kind'], value: string): boolean {
  if (kind !== 'host' && kind !== 'url') return false;
  const host = value.split('/')[0] ?? '';
  return /^(?:localhost|.*\.(?:localhost|local|test|internal)|127\.[\d.]+|0\.0\.0\.0|\[::1\])$/.test(host);
}

function keyOf({ kind, value }: Atom): string {
  return `${kind} ${value}`;
}

/** Words of three letters or more, in small letters; names with dots and dashes also in one piece. */
function* wordsOf(text: string): Generator<string> {
  for (const [found] of text.toLowerCase().matchAll(/[\p{L}\p{N}][\p{L}\p{N}._-]*/gu)) {
    const whole = found.replace(/[._-]+$/, '');
    if (whole.length >= 3) yield whole;
    if (/[._-]/.test(whole)) for (const piece of whole.split(/[._-]+/)) if (piece.length >= 3) yield piece;
  }
}

/** Adds to a set that has an end; what does not fit was not said. */
function add(set: Set<string>, value: string, most: number): void {
  if (set.size < most) set.add(value);
}
