// What one session heard and read: a bounded index of atoms, and the judgement whether the user asked for one.

import {
  type Atom,
  type MaybePromise,
  type SessionTexts,
  type Suspect,
  type TextSource,
  whenReady,
} from '../../core/index.ts';
import { type Mention, mentionsIn, mentionsOf, mostMentions } from './provenance-atoms.ts';

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

/** A mention that does not excuse itself: what it says about the atom, and where it stands. */
interface Brought {
  readonly directive: boolean;
  /** The words just before it; their hashes where another daemon read them. */
  readonly before: string | readonly string[];
  /** The hash of the verb that tells the reader to use it. */
  readonly verb: string;
  readonly source: Source;
}

/** Where a text comes from; by hashes of what the user would call it where another daemon read it. */
interface Source extends TextSource {
  readonly called?: Called;
}

/** Hashes of the atoms and of the words that name a text. */
interface Called {
  readonly said: readonly string[];
  readonly words: readonly string[];
}

/** What other daemons receive of a text: hashes by which they recognize its values. */
export type SharedText =
  | { readonly heard: Called }
  | {
      readonly read: TextSource['kind'];
      readonly called: Called;
      readonly brought: readonly SharedMention[];
      /** Something of the text, or of those before, is not known any more. */
      readonly forgot: boolean;
    };

type SharedMention = readonly [atom: string, directive: boolean, verb: string, before: readonly string[]];

/** How a session is shared between daemons. */
export interface Sharing {
  /** The keyed hash of a value. */
  hash(value: string): string;
  publish(text: SharedText): Promise<void>;
}

/** What is known about an atom of others' texts. */
interface Mark {
  /** The last document that has it as a field; 0 for none. */
  field: number;
  /** Mentions in running text, those that tell the reader to use it first; at most `mostBrought`. */
  readonly brought: Brought[];
  at: number;
}

/** Mentions that are marked in one turn. */
const mostAtOnce = 2000;
/** Mentions that are kept of one atom: one that is suspect is enough. */
const mostBrought = 4;

/** Where anybody can have a page, the name of the place says nothing about whose page it is. */
const shared =
  /(?:^|\.)(?:github|githubusercontent|gitlab|bitbucket|google|googleapis|dropbox|slack|discord|telegram|t|notion|atlassian|trello|airtable|pastebin|webhook|requestbin|pipedream|ngrok|herokuapp|vercel|netlify|pages|workers|amazonaws|azurewebsites|cloudfront|firebaseio|zapier|ifttt|typeform|transfer|gmail|outlook|hotmail|yahoo|proton|protonmail|icloud)\.[a-z.]+$/;

const emptyWords =
  /^(?:the|and|for|with|from|this|that|all|any|our|your|you|his|her|its|their|them|into|about|after|before|then|than|who|what|when|where|which|please|email|e-mail|mail|message|send|forward|post|reply|write|contact|address|account|number|link|url|http|https|www|com|org|net|file|report|important|note|urgent|user|name|new|latest|last|first|next|one|two|get|use|make|let|can|are|was|has|have|will|not|but)$/;

/** What a text of the user's says: atoms by their keys, and words. */
export interface Heard {
  readonly said: readonly string[];
  readonly words: readonly string[];
}

/** Reads a text of the user's. */
export function heardIn(text: string): Heard {
  const said = new Set<string>();
  const words = new Set<string>();
  for (const { atom } of mentionsIn(text, 'user')) add(said, keyOf(atom), sessionLimits.words);
  for (const word of wordsOf(text)) add(words, word, sessionLimits.words);
  return { said: [...said], words: [...words] };
}

/** Reads as much of a text of others as is read of one. */
export function readIn(text: string, source: TextSource): readonly Mention[] {
  return mentionsOf(text.slice(0, longestText), source);
}

/** Reads long texts elsewhere; null where one could not be read. */
export interface Elsewhere {
  /** Longest text that is read on the spot, in UTF-16 units. */
  readonly longest: number;
  heard(text: string): Promise<Heard | null>;
  read(text: string, source: TextSource): Promise<readonly Mention[] | null>;
  /** Lets everything else that waits have its turn. */
  turn(): Promise<void>;
}

export class Session implements SessionTexts {
  readonly #limits: SessionLimits;
  readonly #now: () => number;
  readonly #elsewhere: Elsewhere | undefined;
  readonly #sharing: Sharing | undefined;
  /** Values by their hashes where the session is shared, and else by themselves. */
  readonly #hash: (value: string) => string;
  readonly #marks = new Map<string, Mark>();
  readonly #said = new Set<string>();
  readonly #words = new Set<string>();
  #characters = 0;
  #documents = 0;
  #forgot = false;

  constructor(
    now: () => number,
    limits: SessionLimits = sessionLimits,
    elsewhere?: Elsewhere,
    sharing?: Sharing,
  ) {
    this.#now = now;
    this.#limits = limits;
    this.#elsewhere = elsewhere;
    this.#sharing = sharing;
    this.#hash = sharing === undefined ? (value) => value : (value) => sharing.hash(value);
  }

  heard(text: string): MaybePromise<void> {
    const elsewhere = this.#elsewhereFor(text);
    return whenReady(elsewhere === undefined ? heardIn(text) : elsewhere.heard(text), (heard) => {
      // What could not be read was not said: then more is asked about.
      const { said, words } = heard ?? { said: [], words: [] };
      const hashed = { said: said.map(this.#hash), words: words.map(this.#hash) };
      this.#say(hashed);
      return this.#sharing?.publish({ heard: hashed });
    });
  }

  read(text: string, source: TextSource): MaybePromise<void> {
    const elsewhere = this.#elsewhereFor(text);
    const reading = elsewhere === undefined ? readIn(text, source) : elsewhere.read(text, source);
    return whenReady(reading, (mentions) => {
      this.#forgot ||= text.length > longestText || mentions === null || mentions.length >= mostMentions;
      return whenReady(this.#markAll(mentions ?? [], source), (brought) => this.#publish(source, brought));
    });
  }

  /** Notes that something of the session is not known any more. */
  forget(): void {
    this.#forgot = true;
  }

  /** Takes in what another daemon published about this session. */
  take(text: SharedText): void {
    if ('heard' in text) {
      this.#say(text.heard);
      return;
    }
    const source = { kind: text.read, name: '', called: text.called };
    this.#forgot ||= text.forgot;
    for (const [atom, directive, verb, before] of text.brought) {
      this.#bring(atom, { directive, before, verb, source });
    }
    this.#tidy();
  }

  #say({ said, words }: Called): void {
    for (const key of said) add(this.#said, key, this.#limits.words);
    for (const word of words) add(this.#words, word, this.#limits.words);
  }

  #publish(source: TextSource, all: readonly Marked[]): Promise<void> | undefined {
    if (this.#sharing === undefined) return undefined;
    const brought = all
      .filter(([atom, { directive }]) => directive || !tellsNothing(atom, source))
      .map(([atom, { directive, before, verb }]): SharedMention => {
        const words = directive || typeof before !== 'string' ? [] : [...meaningfulWords(before)];
        return [this.#hash(keyOf(atom)), directive, verb, words.map(this.#hash)];
      });
    return this.#sharing.publish({
      read: source.kind,
      called: this.#called(source),
      brought,
      forgot: this.#forgot,
    });
  }

  #elsewhereFor({ length }: string): Elsewhere | undefined {
    return length > (this.#elsewhere?.longest ?? length) ? this.#elsewhere : undefined;
  }

  /** Many mentions are marked in several turns; gives those that do not excuse themselves. */
  #markAll(mentions: readonly Mention[], source: TextSource): MaybePromise<readonly Marked[]> {
    const brought: Marked[] = [];
    const document = ++this.#documents;
    // Fields first: what they say, the text of the same document may repeat.
    const fields = mentions.filter(({ manner }) => manner === 'field');
    const ordered = [...fields, ...mentions.filter(({ manner }) => manner !== 'field')];
    const markFrom = (start: number): MaybePromise<readonly Marked[]> => {
      for (const mention of ordered.slice(start, start + mostAtOnce)) {
        const marked = this.#mark(mention, source, document);
        if (marked !== undefined) brought.push([mention.atom, marked]);
      }
      const next = start + mostAtOnce;
      if (next >= ordered.length) {
        this.#tidy();
        return brought;
      }
      return this.#elsewhere === undefined
        ? markFrom(next)
        : this.#elsewhere.turn().then(() => markFrom(next));
    };
    return markFrom(0);
  }

  #mark({ atom, manner, before, verb }: Mention, source: Source, document: number): Brought | undefined {
    const key = this.#hash(keyOf(atom));
    // A mail may say again who wrote it.
    if (manner !== 'field' && (manner === 'directive' || this.#marks.get(key)?.field !== document)) {
      // A slice of a text keeps all of it in memory; a slice of a copy does not.
      const kept = ` ${before}`.slice(1);
      const brought = { directive: manner === 'directive', before: kept, verb: this.#hash(verb), source };
      this.#bring(key, brought);
      return brought;
    }
    const mark = this.#touch(key);
    if (manner === 'field') mark.field = document;
    return undefined;
  }

  #bring(key: string, brought: Brought): void {
    const mark = this.#touch(key);
    if (brought.directive) mark.brought.unshift(brought);
    else mark.brought.push(brought);
    mark.brought.splice(mostBrought);
  }

  /** The mark of an atom, which is now the one that was seen last. */
  #touch(key: string): Mark {
    const known = this.#marks.get(key);
    const mark = known ?? { field: 0, brought: [], at: 0 };
    mark.at = this.#now();
    if (known === undefined) this.#characters += key.length;
    this.#marks.delete(key);
    this.#marks.set(key, mark);
    return mark;
  }

  /** Whether the user named the text itself. */
  #pointedTo(source: Source): boolean {
    const { said, words } = source.called ?? this.#called(source);
    return said.some((key) => this.#said.has(key)) || words.some((word) => this.#words.has(word));
  }

  /** What the user would call a text. */
  #called({ kind, name }: TextSource): Called {
    if (kind === 'tool') return { said: [], words: [] };
    if (kind === 'web') {
      return { said: mentionsIn(name, 'user').map(({ atom }) => this.#hash(keyOf(atom))), words: [] };
    }
    const last = name.toLowerCase().split('/').at(-1) ?? '';
    const words = [name.toLowerCase(), ...(last.includes('.') ? [last] : [])];
    return { said: [], words: words.map(this.#hash) };
  }

  /** Whether one of the user's own words stands in a text, or among the hashes of its words. */
  #describes(text: string | readonly string[]): boolean {
    if (typeof text !== 'string') return text.some((word) => this.#words.has(word));
    for (const word of meaningfulWords(text)) if (this.#hasWord(word)) return true;
    return false;
  }

  #hasWord(word: string): boolean {
    return this.#words.has(this.#hash(word));
  }

  #hasSaid(key: string): boolean {
    return this.#said.has(this.#hash(key));
  }

  checkEach(groups: readonly (readonly Atom[])[]): readonly (readonly Suspect[])[] {
    return groups.map((atoms) => this.check(atoms));
  }

  check(atoms: readonly Atom[]): readonly Suspect[] {
    this.#tidy();
    return atoms.flatMap((atom): Suspect[] => {
      if (isLocal(atom) || this.#isSaid(atom)) return [];
      const mark = this.#marks.get(this.#hash(keyOf(atom)));
      if (mark === undefined) {
        const matters = atom.kind !== 'command' && atom.kind !== 'id';
        return this.#forgot && matters ? [{ atom, source: null }] : [];
      }
      const suspect = mark.brought.find((brought) => !this.#isExcused(atom, brought));
      return suspect === undefined ? [] : [{ atom, source: suspect.source }];
    });
  }

  /** Whether a mention is one that the user asked for, or that tells nobody to do anything. */
  #isExcused(atom: Atom, { directive, before, verb, source }: Brought): boolean {
    const address = atom.kind === 'url' || atom.kind === 'host';
    const inFile = source.kind === 'file';
    // A file that says "push it to …" only says how, where the user said push.
    if (directive) return inFile && address && this.#words.has(verb);
    if (tellsNothing(atom, source)) return true;
    const named = (atom.kind === 'email' || atom.kind === 'command') && this.#describes(atom.value);
    return named || this.#describes(before) || this.#pointedTo(source);
  }

  /** Whether the user named it: itself, the address that it is below, or the one who owns the name. */
  #isSaid({ kind, value }: Atom): boolean {
    if (this.#hasSaid(`${kind} ${value}`) || this.#hasWord(value.toLowerCase())) return true;
    if (kind === 'host') {
      const above = value.split('.').map((_, at, labels) => labels.slice(at).join('.'));
      return above.some((name) => name.includes('.') && this.#hasSaid(`host ${name}`)) || this.#owns(value);
    }
    if (kind === 'email') return this.#owns(value.slice(value.indexOf('@') + 1));
    if (kind !== 'url') return false;
    const [host = '', ...path] = value.split('/');
    const below = path.map((_, at) => [host, ...path.slice(0, at + 1)].join('/'));
    return below.some((start) => this.#hasSaid(`url ${start}`)) || this.#owns(host);
  }

  /** Whether the user spoke of the owner of a name: "stripe" for api.stripe.com. */
  #owns(host: string): boolean {
    if (shared.test(host)) return false;
    const [, owner = ''] = /(?:^|\.)([^.]+)\.(?:(?:co|com|org|net|gov|ac)\.[a-z]{2}|[^.]+)$/.exec(host) ?? [];
    return owner.length >= 4 && this.#hasWord(owner);
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

/** A mention with the atom that it is of. */
type Marked = readonly [Atom, Brought];

/** Whether a mention in running text tells nobody to do anything: an id, a name, and the program's own data in files. */
function tellsNothing({ kind }: Atom, source: TextSource): boolean {
  return kind === 'id' || kind === 'handle' || (source.kind === 'file' && kind !== 'account');
}

function isLocal({ kind, value }: Atom): boolean {
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

/** The words of a text that say something by themselves. */
function* meaningfulWords(text: string): Generator<string> {
  for (const word of wordsOf(text)) if (!emptyWords.test(word)) yield word;
}

/** Adds to a set that has an end; what does not fit was not said. */
function add(set: Set<string>, value: string, most: number): void {
  if (set.size < most) set.add(value);
}
