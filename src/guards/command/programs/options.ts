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
  /** `-word` is one option, not a bundle (find, java, terraform). */
  readonly wholeWords?: boolean;
}

type Arity = 'none' | 'required' | 'optional';

interface Option {
  readonly names: readonly string[];
  readonly arity: Arity;
}

export interface Description {
  readonly byName: ReadonlyMap<string, Option>;
  readonly longNames: readonly string[];
  /** Options of several letters behind one dash, by their names without it. */
  readonly dashed: ReadonlyMap<string, Option>;
}

/**
 * `r/R/recursive f/force o/output= i/in-place? -nv/no-verbose`: names of one option by `/`; `=` takes a value, `?` may
 * take an attached one; a name with a dash is an option of several letters behind one dash; `+` in front, as in getopt: the
 * first operand ends the options.
 */
function describe(text: string): Description {
  const byName = new Map<string, Option>();
  const dashed = new Map<string, Option>();
  for (const group of text.split(/\s+/)) {
    if (group === '' || group === '+') continue;
    const arity: Arity = group.endsWith('=') ? 'required' : group.endsWith('?') ? 'optional' : 'none';
    const given = (arity === 'none' ? group : group.slice(0, -1)).split('/');
    const names = given.map((name) => name.replace(/^-/, ''));
    for (const [index, name] of names.entries())
      (given[index] === name ? byName : dashed).set(name, { names, arity });
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

/** The option of a long name; GNU programs take any beginning that fits only one. */
function longOption(description: Description, name: string, dashes: number): Option {
  // `--h` is the beginning of a long name, and not `-h`.
  const exact = dashes === 1 || name.length > 1 ? description.byName.get(name) : undefined;
  if (exact) return exact;
  const fitting = new Set(
    name === ''
      ? []
      : description.longNames
          .filter((long) => long.startsWith(name))
          .map((long) => description.byName.get(long)),
  );
  const [only] = fitting;
  return fitting.size === 1 && only ? only : { names: [name], arity: 'none' };
}

/** Reads words by a description of options. */
export function readOptions<Word>(
  text: string,
  manner: Manner,
  args: readonly Word[],
  words: WordKind<Word>,
): Reading<Word> {
  const description = descriptionOf(text);
  const given = new Map<string, Word[]>();
  const operands: Word[] = [];
  const stops = manner.stopAtOperand === true || text.startsWith('+');
  let behindDashes: readonly Word[] | undefined;
  let uncertain = false;
  let index = 0;

  const give = (option: Option, value?: Word): void => {
    for (const name of option.names) {
      const values = given.get(name) ?? [];
      if (value !== undefined) values.push(value);
      given.set(name, values);
    }
  };
  const following = (): Word => {
    index += 1;
    return args[index] ?? words.empty;
  };
  /** `--name`, `--name=value`, or with whole words `-name`. */
  const readLong = (text: string, dashes: number, argument: Word, open: boolean): void => {
    const equals = text.indexOf('=');
    const name = text.slice(dashes, equals < 0 ? undefined : equals);
    const negated = /^no-(.+)$/.exec(name)?.[1];
    if (negated !== undefined && !description.byName.has(name) && description.byName.has(negated)) {
      for (const other of description.byName.get(negated)?.names ?? []) given.delete(other);
      return;
    }
    const option = longOption(description, name, dashes);
    if (equals >= 0) give(option, words.after(argument, equals + 1));
    else if (open) give(option, words.unknown);
    else give(option, option.arity === 'required' ? following() : undefined);
  };
  /** `-abc`: flags until one takes the rest, or the next argument, as its value. */
  const readBundle = (text: string, argument: Word, open: boolean): void => {
    for (let at = 1; at < text.length; at += 1) {
      const name = text.charAt(at);
      const option = description.byName.get(name) ?? { names: [name], arity: 'none' as const };
      if (option.arity === 'none') {
        give(option);
        continue;
      }
      if (at + 1 < text.length || open) give(option, words.after(argument, at + 1));
      else give(option, option.arity === 'required' ? following() : undefined);
      return;
    }
  };
  /** `open`: the word goes on, and how is not known. */
  const readOption = (text: string, argument: Word, open: boolean): void => {
    const dashed = open ? undefined : description.dashed.get(text.slice(1));
    if (dashed !== undefined) give(dashed, dashed.arity === 'required' ? following() : undefined);
    else if (text.startsWith('--')) readLong(text, 2, argument, open);
    else if (manner.wholeWords) readLong(text, 1, argument, open);
    else readBundle(text, argument, open);
  };

  for (; index < args.length; index += 1) {
    const argument = args[index];
    if (argument === undefined) break;
    const view = words.view(argument);
    if (view.kind === 'choice') {
      // Any of them may be given, so every flag among them counts.
      const plain = view.texts.filter((text) => !text.startsWith('-') || text === '-');
      for (const text of view.texts)
        if (!plain.includes(text)) readOption(text, words.narrowed(argument, [text]), false);
      if (plain.length > 0) operands.push(words.narrowed(argument, plain));
      continue;
    }
    if (view.kind === 'unknown' || (view.kind === 'prefix' && view.text === '')) {
      uncertain = true;
      operands.push(argument);
      continue;
    }
    const { text } = view;
    const open = view.kind === 'prefix';
    if (text === '--' && !open) {
      behindDashes = args.slice(index + 1);
      operands.push(...behindDashes);
      break;
    }
    if (!text.startsWith('-') || text === '-') {
      if (text === '-' && open) uncertain = true;
      operands.push(argument);
      if (stops) {
        operands.push(...args.slice(index + 1));
        break;
      }
      continue;
    }
    if (open) uncertain = true;
    readOption(text, argument, open);
  }

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
