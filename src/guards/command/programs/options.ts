// The one reader of options: reads the words of a program by a short description, as getopt would.

import type { Value } from '../effects.ts';

/** What the reader needs of a word, so that it reads arguments of effects and texts of the shell alike. */
export interface WordKind<Word> {
  /** The word as far as it is known. */
  readonly view: (word: Word) => Value;
  /** The word without its first characters. */
  readonly after: (word: Word, length: number) => Word;
  /** The word, where it is known to be one of these texts. */
  readonly narrowed: (word: Word, texts: readonly string[]) => Word;
  readonly empty: Word;
  readonly unknown: Word;
}

/** What the arguments of a call say. */
export interface Reading<Word = Value> {
  readonly operands: readonly Word[];
  /** Those of them that stand behind `--`; undefined where it is not given. */
  readonly behindDashes: readonly Word[] | undefined;
  /** An argument is not known well enough to tell whether it is an option. */
  readonly uncertain: boolean;
  /** One of these options is given, under any of its names. */
  has(...names: readonly string[]): boolean;
  /** Every value given to these options. */
  all(...names: readonly string[]): readonly Word[];
  last(...names: readonly string[]): Word | undefined;
}

export interface Manner {
  /** The first operand ends the options (POSIX, and programs with subcommands). */
  readonly stopAtOperand?: boolean;
  /** So does a word that is not known: behind it may be the options of another program. */
  readonly stopAtUnknown?: boolean;
  /** `-word` is one option, not a bundle (find, java, terraform). */
  readonly wholeWords?: boolean;
  /** The first word may be a bundle without its dash, whose values follow in order (`tar xzf a.tgz`). */
  readonly bareBundle?: boolean;
  /** A word that begins with `+` is no operand (`cargo +nightly build`). */
  readonly plusWords?: boolean;
  /** How many operands stand before the one that ends the options where the description begins with `+`: those of a subcommand. */
  readonly stopBehind?: number;
}

type Arity = 'none' | 'required' | 'pair' | 'optional' | 'likely';

interface Option {
  readonly names: readonly string[];
  readonly arity: Arity;
  /** All words behind it are operands (`python -c CODE words`). */
  readonly ends?: true;
}

export interface Description {
  readonly byName: ReadonlyMap<string, Option>;
  readonly longNames: readonly string[];
  /** Options of several letters behind one dash, by their names without it. */
  readonly dashed: ReadonlyMap<string, Option>;
}

/**
 * `r/R/recursive f/force o/output= i/in-place? -nv/no-verbose`: names of one option by `/`; `=` takes a value, `?` may
 * take an attached one; `==` takes two values; `*=` are all long options that are not named: the next word is the value of one,
 * unless that is an option or the name begins with `no-`; `=+` takes a value and ends the options; a name with a dash is an option of several letters behind one dash; `+` in front, as in getopt: the
 * first operand ends the options.
 */
const arities: Readonly<Record<string, Arity>> = { '': 'none', '?': 'optional', '==': 'pair' };

function describe(text: string): Description {
  const byName = new Map<string, Option>();
  const dashed = new Map<string, Option>();
  for (const group of text.split(/\s+/)) {
    if (group === '' || group === '+') continue;
    const [, list = '', mark = ''] = /^(.*?)(=[+=]?|\??)$/.exec(group) ?? [];
    const arity = arities[mark] ?? 'required';
    const ends = mark === '=+' ? ({ ends: true } as const) : {};
    const given = list.split('/');
    const names = given.map((name) => name.replace(/^-/, ''));
    for (const [index, name] of names.entries()) {
      const known = given[index] === name ? byName : dashed;
      // The options of a subcommand come first, and count where it has one of the same name.
      if (!known.has(name)) known.set(name, { names, arity, ...ends });
    }
  }
  return { byName, dashed, longNames: [...byName.keys()].filter((name) => name.length > 1) };
}

const described = new Map<string, Description>();

/** What a description says; compiled once, when it is first used. */
export function descriptionOf(text: string): Description {
  const known = described.get(text);
  if (known !== undefined) return known;
  const description = describe(text);
  described.set(text, description);
  return description;
}

/** The option of a long name; GNU programs take any beginning that fits only one, behind two dashes. */
function longOption(description: Description, name: string, dashes: number): Option {
  // `--h` is the beginning of a long name, and not `-h`.
  const exact = dashes === 1 || name.length > 1 ? description.byName.get(name) : undefined;
  if (exact) return exact;
  // Where options are not all named, the beginning of one may be another.
  if (description.byName.has('*'))
    return { names: [name], arity: dashes === 2 && !name.startsWith('no-') ? 'likely' : 'none' };
  const fitting = new Set(
    name === '' || dashes === 1
      ? []
      : description.longNames
          .filter((long) => long.startsWith(name))
          .map((long) => description.byName.get(long)),
  );
  const [only] = fitting;
  return fitting.size === 1 && only ? only : flag(name);
}

const flag = (name: string): Option => ({ names: [name], arity: 'none' });

/** One reading of the words of a call. */
class Reader<Word> {
  readonly given = new Map<string, Word[]>();
  readonly operands: Word[] = [];
  behindDashes: readonly Word[] | undefined;
  uncertain = false;
  #ended = false;
  readonly #description: Description;
  readonly #manner: Manner;
  readonly #stopsBehind: number;
  readonly #args: readonly Word[];
  readonly #words: WordKind<Word>;
  #index = 0;

  constructor(text: string, manner: Manner, args: readonly Word[], words: WordKind<Word>) {
    this.#description = descriptionOf(text);
    this.#manner = manner;
    const stops = text.startsWith('+') ? (manner.stopBehind ?? 0) : Number.POSITIVE_INFINITY;
    this.#stopsBehind = manner.stopAtOperand === true ? 0 : stops;
    this.#args = args;
    this.#words = words;
  }

  read(): void {
    if (this.#manner.bareBundle) this.#bareBundle();
    for (; this.#index < this.#args.length; this.#index += 1) {
      const argument = this.#args[this.#index];
      if (argument === undefined || this.#word(argument)) return;
    }
  }

  #give(option: Option, value?: Word): void {
    if (option.ends === true) this.#ended = true;
    for (const name of option.names) {
      const values = this.given.get(name) ?? [];
      if (value !== undefined) values.push(value);
      this.given.set(name, values);
    }
  }

  #isOption(word: Word): boolean {
    const view = this.#words.view(word);
    return (view.kind === 'literal' || view.kind === 'prefix') && view.text.startsWith('-');
  }

  /** An option whose values, if it must have any, are the next words. */
  #giveNext(option: Option): void {
    const next = this.#args[this.#index + 1];
    const likely = next === undefined || this.#isOption(next) ? 0 : 1;
    const values = { none: 0, optional: 0, required: 1, pair: 2, likely }[option.arity];
    if (values === 0) this.#give(option);
    for (let count = 0; count < values; count += 1) {
      this.#index += 1;
      this.#give(option, this.#args[this.#index] ?? this.#words.empty);
    }
  }

  /** Reads a word; true where it ends the options. */
  #word(argument: Word): boolean {
    const view = this.#words.view(argument);
    if (view.kind === 'choice') {
      this.#choice(argument, view.texts);
      return false;
    }
    if (view.kind === 'unknown' || (view.kind === 'prefix' && view.text === '')) {
      this.uncertain = true;
      this.operands.push(argument);
      return this.#manner.stopAtUnknown === true && this.#rest();
    }
    const { text } = view;
    const open = view.kind === 'prefix';
    if (text === '--' && !open) {
      this.behindDashes = this.#args.slice(this.#index + 1);
      return this.#rest();
    }
    const option = text.startsWith('-') && text !== '-';
    if (open && text.startsWith('-')) this.uncertain = true;
    if (this.#manner.plusWords && text.startsWith('+')) return false;
    if (option) {
      this.#option(text, argument, open);
      return this.#ended && this.#rest();
    }
    this.operands.push(argument);
    return this.operands.length > this.#stopsBehind && this.#rest();
  }

  #rest(): true {
    this.operands.push(...this.#args.slice(this.#index + 1));
    return true;
  }

  /** Any of the texts may be given, so every flag among them counts. */
  #choice(argument: Word, texts: readonly string[]): void {
    const plain = texts.filter((text) => !text.startsWith('-') || text === '-');
    for (const text of texts)
      if (!plain.includes(text)) this.#option(text, this.#words.narrowed(argument, [text]), false);
    if (plain.length > 0) this.operands.push(this.#words.narrowed(argument, plain));
  }

  /** `open`: the word goes on, and how is not known. */
  #option(text: string, argument: Word, open: boolean): void {
    const dashed = open ? undefined : this.#description.dashed.get(text.slice(1));
    if (dashed !== undefined) this.#giveNext(dashed);
    else if (text.startsWith('--')) this.#long(text, 2, argument, open);
    else if (this.#manner.wholeWords) this.#long(text, 1, argument, open);
    else this.#bundle(text, argument, open);
  }

  /** `--name`, `--name=value`, or with whole words `-name`. */
  #long(text: string, dashes: number, argument: Word, open: boolean): void {
    const { byName } = this.#description;
    const equals = text.indexOf('=');
    const name = text.slice(dashes, equals < 0 ? undefined : equals);
    const negated = /^no-(.+)$/.exec(name)?.[1];
    if (negated !== undefined && !byName.has(name) && byName.has(negated)) {
      for (const other of byName.get(negated)?.names ?? []) this.given.delete(other);
      return;
    }
    const option = longOption(this.#description, name, dashes);
    if (equals >= 0) this.#give(option, this.#words.after(argument, equals + 1));
    else if (open) this.#give(option, this.#words.unknown);
    else this.#giveNext(option);
  }

  /** `-abc`: flags until one takes the rest, or the next argument, as its value. */
  #bundle(text: string, argument: Word, open: boolean): void {
    for (let at = 1; at < text.length; at += 1) {
      const name = text.charAt(at);
      const option = this.#description.byName.get(name) ?? flag(name);
      const last = option.arity !== 'none';
      if (last && (at + 1 < text.length || open)) this.#give(option, this.#words.after(argument, at + 1));
      else this.#giveNext(option);
      if (last) return;
    }
  }

  #bareBundle(): void {
    const [first] = this.#args;
    const view = first === undefined ? undefined : this.#words.view(first);
    if (view?.kind !== 'literal' || !/^[A-Za-z]+$/.test(view.text)) return;
    for (const name of view.text) this.#giveNext(this.#description.byName.get(name) ?? flag(name));
    this.#index += 1;
  }
}

/** Reads words by a description of options. */
export function readOptions<Word>(
  text: string,
  manner: Manner,
  args: readonly Word[],
  words: WordKind<Word>,
): Reading<Word> {
  const reader = new Reader(text, manner, args, words);
  reader.read();
  const { given, operands, behindDashes, uncertain } = reader;
  return {
    operands,
    behindDashes,
    uncertain,
    has: (...names) => names.some((name) => given.has(name)),
    // Two names of one option hold the same values: each counts once.
    all: (...names) => [...new Set(names.flatMap((name) => given.get(name) ?? []))],
    last: (...names) => names.flatMap((name) => given.get(name) ?? []).at(-1),
  };
}
