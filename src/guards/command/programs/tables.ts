// Programs whose words say what they do, as data: what is done, in the notation of examples, and the commands that do it.

import type { Effect, Value } from '../effects.ts';
import { beginningOf, type Call, literal, textOf } from '../tools/tool.ts';
import type { Card, Examples, Fact, Given } from './card.ts';
import { sayingOf } from './phrases.ts';
import { inWords } from './wording.ts';

// ── Which command it is.

/** A command, by its first words and options. */
export interface Command {
  readonly pattern: RegExp;
  /** Each with the value that it must have, where the row names one. */
  readonly options: readonly (readonly [name: string, value: string | undefined])[];
}

const optionPart = /^--?[^-]/;

/** `storage … rm --force`: `*` is any part of a word, `…` any words, `$` the end, and an option must be given, `--name=value` with it. */
export function commandOf(text: string): Command {
  const parts = text.split(' ');
  const words = parts
    .filter((part) => !optionPart.test(part))
    .map((part) =>
      part === '…' ? '(?:\\S* )*' : `${part.replace(/[.+()]/g, '\\$&').replaceAll('*', '\\S*')}(?: |$)`,
    );
  const options = parts
    .filter((part) => optionPart.test(part))
    .map((part): readonly [string, string | undefined] => {
      const [name = '', value] = part.replace(/^--?/, '').split('=');
      return [name, value];
    });
  return { pattern: new RegExp(`^${words.join('')}`), options };
}

export function fits({ pattern, options }: Command, words: string, given: Given<Value>): boolean {
  return (
    pattern.test(words) &&
    options.every(([name, value]) =>
      value === undefined ? given.has(name) : given.all(name).some((one) => textOf(one) === value),
    )
  );
}

/** The words of a call, with those of its subcommand. */
export function wordsOf({ verb, operands }: Given<Value>): readonly Value[] {
  return verb === null ? operands : [...verb.split(' ').map(literal), ...operands];
}

/** Whether the first words of a call are one of some commands, separated by ` | `. */
export function isOneOf(list: string): (given: Given<Value>) => boolean {
  const commands = list.split(' | ').map(commandOf);
  return (given) => {
    const words = wordsOf(given).map(beginningOf).join(' ');
    return commands.some((command) => fits(command, words, given));
  };
}

/** What a row says of a call, and how many words the command has that it names. */
interface Said {
  readonly said: string;
  readonly words: number;
}

const compiled = new Map<string, ReturnType<typeof sayingOf>>();

/** What is said, as effects of a call; places count the words of its subcommand, too. */
function effectsSaid(call: Call, { said, words }: Said, given: Given<Value>): readonly Effect[] {
  const say = compiled.get(said) ?? sayingOf(said);
  compiled.set(said, say);
  return say(call, { ...given, operands: wordsOf(given) }, words);
}

// ── A program whose words say what it does.

interface Rows {
  /**
   * What is done, with the commands that do it, separated by ` | `; the first that fits counts. Empty: nothing worth a name.
   * `force?` is `force` where an option says so.
   */
  readonly does?: readonly (readonly [said: string, commands: string])[];
  /** What any other command does. */
  readonly rest?: string;
  /** What it does without a subcommand. */
  readonly alone?: string;
  /** What it does, whatever its words are. */
  readonly always?: string;
  /** Options with which nothing is done. */
  readonly looks?: string;
  /** Commands with what each does; empty: nothing. */
  readonly examples: Readonly<Record<string, string>>;
}

export interface Table
  extends Rows,
    Partial<Pick<Card, 'options' | 'readings' | 'manner' | 'verbs' | 'verbReadings' | 'advice'>> {
  readonly names: string;
  /** What it does besides. */
  readonly facts?: readonly Fact[];
}

/** The examples of one fact among those of several: the ones that say something of its kind hit, all others miss. */
export function among(
  examples: Readonly<Record<string, string>>,
  isOfKind: (said: string) => boolean = (said) => said !== '',
): Examples {
  const all = Object.entries(examples);
  return {
    hit: Object.fromEntries(all.filter(([, said]) => isOfKind(said))),
    miss: all.filter(([, said]) => !isOfKind(said)).map(([text]) => text),
  };
}

/** A word that is not known, or not to its end, is no word of a row. */
function shownWord(value: Value): string {
  return value.kind === 'literal' && value.text !== '' ? value.text : `${beginningOf(value)}…`;
}

/** What the words of a call do by a table. */
function saidBy({
  does = [],
  always = '',
  rest = always,
  alone = always,
  looks,
}: Rows): (given: Given<Value>) => Said {
  const rows = does.flatMap(([said, list]) =>
    list.split(' | ').map((text) => ({ said, command: commandOf(text) })),
  );
  const looking = looks?.split(' ') ?? [];
  return (given) => {
    if (given.has(...looking)) return { said: '', words: 0 };
    const words = wordsOf(given);
    const text = words.slice(0, 8).map(shownWord).join(' ');
    const found = rows.find(({ command }) => fits(command, text, given));
    if (found !== undefined) {
      const [matched = ''] = found.command.pattern.exec(text) ?? [];
      return { said: found.said, words: matched === '' ? 0 : matched.trim().split(' ').length };
    }
    const [first] = words;
    if (first === undefined) return { said: alone, words: 0 };
    return { said: rest, words: 1 };
  };
}

/** The fact that a table says. */
function tableFact(rows: Rows): Fact {
  let said: ReturnType<typeof saidBy> | undefined;
  const examples = among(rows.examples);
  return {
    what: `by its words: ${inWords(Object.values(examples.hit), 'builds or only looks')}`,
    ...(examples.miss.length === 0 ? { always: true } : {}),
    effects: (call, given) => {
      said ??= saidBy(rows);
      return effectsSaid(call, said(given), given);
    },
    examples,
  };
}

/** The card of a program whose words say what it does. */
export function table({ options = '', readings = {}, facts = [], ...given }: Table): Card {
  const { does, always, rest, alone, looks, examples, ...card } = given;
  return { ...card, options, readings, facts: [tableFact(given), ...facts] };
}

/** A program that does nothing worth a name. */
export const quiet = { options: '', readings: {}, facts: [] } as const;
