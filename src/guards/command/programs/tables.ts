// Programs whose words say what they do, as data: what is done, in the notation of examples, and the commands that do it.

import { effectKinds } from '../../../core/effect.ts';
import type { Effect, EffectKind, Target, Value } from '../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  hostOf,
  hostTarget,
  literal,
  type More,
  nameTarget,
  read,
  remove,
  textOf,
  unknownValue,
  write,
} from '../tools/tool.ts';
import type { Card, Examples, Fact, Given } from './card.ts';

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

// ── What it does.

/** An effect with places for words of the call. */
interface Part {
  readonly kind: EffectKind;
  readonly target: string;
  readonly detail: string;
  readonly flags: readonly string[];
}

const partShape =
  /^([a-z]+)(?: ([^(\s]\S*))?(?: \(([^()]+)\))?((?: (?:recursive|reversible|force\??|network))*)$/;

function partOf(text: string): Part {
  const [, word, target = '', detail = '', flags = ''] = partShape.exec(text) ?? [];
  const kind = effectKinds.find((known) => known === word);
  if (kind === undefined) throw new Error(`"${text}" is no effect`);
  return { kind, target, detail, flags: flags.split(' ') };
}

/** What a row says of a call, and how many words the command has that it names. */
interface Said {
  readonly said: string;
  readonly words: number;
}

/**
 * The words that a place of an effect names: `$2` or all from it, `$2+`; `$next` and `$next+`, behind the words of the command;
 * `$last`, `$words`, the option `$-name`, `?` that is not known, or a plain text.
 */
function named(place: string, given: Given<Value>, count: number): readonly Value[] {
  const words = wordsOf(given);
  if (!/^[$?]/.test(place)) return place === '' ? [] : [literal(place)];
  if (place === '$words') {
    const text = words.map(beginningOf).join(' ');
    return text === '' ? [] : [literal(text)];
  }
  if (place === '?') return [unknownValue];
  if (place === '$last') return words.slice(-1);
  const [, option, from = '', all] = /^\$(?:-(\S+)|(next|\d)(\+)?)$/.exec(place) ?? [];
  if (option !== undefined) return given.all(...option.split('/'));
  if (from === '') throw new Error(`"${place}" names no word`);
  const start = from === 'next' ? count : Number(from) - 1;
  return words.slice(start, all === undefined ? start + 1 : start + 16);
}

function targetOf(kind: EffectKind, value: Value | undefined): Target {
  if (kind !== 'connect') return nameTarget(value);
  return hostTarget(value === undefined ? unknownValue : hostOf(value));
}

/** What one part of a row says of a call. */
function made(
  call: Call,
  { kind, target, detail, flags }: Part,
  given: Given<Value>,
  count: number,
): readonly Effect[] {
  const values = named(target, given, count);
  const shown = detail.replace(/\$\S+/g, (place) => textOf(named(place, given, count)[0]) ?? 'unknown');
  const more: More = {
    ...(shown === '' ? {} : { detail: shown }),
    ...(flags.includes('recursive') ? { recursive: true } : {}),
    ...(flags.includes('reversible') ? { reversible: true } : {}),
    ...(flags.includes('force') || (flags.includes('force?') && given.has('f', 'force', 'y', 'yes'))
      ? { force: true }
      : {}),
    ...(flags.includes('network') ? { origins: ['network'] } : {}),
  };
  if (kind === 'read') return values.flatMap((path) => read(call, path, more));
  if (kind === 'write') return values.flatMap((path) => write(call, path, more));
  if (kind === 'delete' && values.length > 0) return values.flatMap((path) => remove(call, path, more));
  const targets = values.length === 0 ? [undefined] : values;
  return targets.map((value) => effect(call, kind, { ...more, target: targetOf(kind, value) }));
}

const compiled = new Map<string, readonly Part[]>();

/** What is said, in the notation of examples, as effects of a call. */
function effectsSaid(call: Call, { said, words }: Said, given: Given<Value>): readonly Effect[] {
  const parts = compiled.get(said) ?? (said === '' ? [] : said.split('; ').map(partOf));
  compiled.set(said, parts);
  return parts.flatMap((part) => made(call, part, given, words));
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
    what: 'does what its words say',
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
