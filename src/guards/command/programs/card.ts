// A program card: everything that is known of one program, each fact with examples that prove it.

import type { Inner, Call as Start } from '../bash/executors/inner.ts';
import {
  concatAll,
  emptyText,
  mapWithHoles,
  oneOf,
  type Text,
  toValue,
  unknownText,
} from '../bash/values.ts';
import type { Effect, Value } from '../effects.ts';
import { type Call, orInert, valueWords } from '../tools/tool.ts';
import { type Manner, type Reading, readOptions, type WordKind } from './options.ts';

/** How the reader of options sees a text of the shell. */
export const textWords: WordKind<Text> = {
  view: toValue,
  after: (text, length) => mapWithHoles(text, (one) => one.slice(length)),
  narrowed: (text, texts) => oneOf(texts, text.origins),
  empty: emptyText,
  unknown: unknownText(),
};

/** What the words of a call say: its subcommand, where the card knows it, then options and operands. */
export interface Given<Word> extends Reading<Word> {
  /** The first spelling of the subcommand as the card lists it; null where there is none. */
  readonly verb: string | null;
  /** The options that stand before the subcommand, where the card keeps them apart; else all of them. */
  readonly before: Pick<Reading<Word>, 'has' | 'all' | 'last'>;
  /** The words behind the subcommand as they were given, to be handed on. */
  readonly words: readonly Word[];
  /** The words behind the first operands, subcommand included, none of them read: the command line that follows. */
  behind(operands: number): readonly Word[];
}

/** Commands that prove a fact. They are checked by the tests and by the build, not at each start, which would be slow. */
export interface Examples {
  /** Commands to which the fact applies, each with all that it says of them, in the notation of `notation.ts`. */
  readonly hit: Readonly<Record<string, string>>;
  /** Commands that look similar and of which it says nothing. */
  readonly miss: readonly string[];
}

/** One thing that a program does. A fact has one or more of `effects`, `starts` and `prints`. */
export interface Fact {
  /** In a few words, for `sallyport explain`. */
  readonly what: string;
  /** It holds for every call of the program, so that no example can miss. */
  readonly always?: true;
  /** The subcommands that it is about, by their first spelling; left out: all. */
  readonly verbs?: readonly string[];
  /** What the program does to files, hosts and the rest. */
  readonly effects?: (call: Call, given: Given<Value>) => readonly Effect[];
  /** Which of its words are programs, command lines, code or files of code that it runs. */
  readonly starts?: (call: Start, given: Given<Text>) => readonly Inner[];
  /** What it prints into a pipe; null where this fact does not know. */
  readonly prints?: (call: Start, given: Given<Text>) => Text | null;
  readonly examples: Examples;
}

/** What to run instead where a rule stops this program. A test holds that it names the program and passes the guard. */
export interface Advice {
  readonly rule: string;
  /** Only for these names of the program; left out: for all. */
  readonly programs?: readonly string[];
  /** Only for these details of the effect; left out: for all. */
  readonly details?: readonly string[];
  readonly text: string;
}

/**
 * How the options of a card are read, as examples: the names that take a value, those that are flags, and those whose value
 * must be attached, and those that take two values. `npm run cards -- --draft PROGRAM` prints them, to be compared with the manual of the program.
 */
export interface Readings {
  readonly valued?: string;
  readonly flags?: string;
  readonly attached?: string;
  readonly pairs?: string;
}

/** Readings in one line: `valued; flags; attached; pairs`. */
export type ReadingsLine = string;

export interface Card {
  /** The names of the program, separated by spaces. */
  readonly names: string;
  /** Its options, in the notation of `options.ts`; with subcommands: those that all of them take. */
  readonly options: string;
  readonly manner?: Manner;
  /** `options` stand only before the subcommand, and its own only behind it (git, docker). */
  readonly optionsFirst?: true;
  /** Options of each subcommand, by its spellings separated by ` | `; a spelling may have several words. */
  readonly verbs?: Readonly<Record<string, string>>;
  /** It has no consequence of its own, so that a secret file among its words is what it reads. */
  readonly idle?: true;
  readonly readings: Readings | ReadingsLine;
  /** The same for the options of subcommands, by their first spelling. */
  readonly verbReadings?: Readonly<Record<string, Readings | ReadingsLine>>;
  readonly facts: readonly Fact[];
  /** An interpreter is started with the file of this name: `python manage.py`. */
  readonly script?: true;
  readonly advice?: readonly Advice[];
}

interface Verb {
  readonly name: string;
  readonly words: readonly string[];
  readonly options: string;
}

const verbsKnown = new WeakMap<Card, readonly Verb[]>();

/** The spellings of all subcommands. */
function verbsOf(card: Card): readonly Verb[] {
  const known = verbsKnown.get(card);
  if (known !== undefined) return known;
  const verbs = Object.entries(card.verbs ?? {}).flatMap(([list, options]) => {
    const spellings = list.split(' | ');
    return spellings.map((spelling) => ({ name: spellings[0] ?? '', words: spelling.split(' '), options }));
  });
  verbsKnown.set(card, verbs);
  return verbs;
}

/** The subcommand that the words name: the longest spelling that the first operands have. */
function verbIn<Word>(card: Card, args: readonly Word[], words: WordKind<Word>): Verb | null {
  let verbs = verbsOf(card);
  let found: Verb | null = null;
  let rest = args;
  for (let depth = 0; verbs.length > 0; depth += 1) {
    const { operands } = readOptions(card.options, { ...card.manner, stopAtOperand: true }, rest, words);
    const [first] = operands;
    const view = first === undefined ? undefined : words.view(first);
    if (view?.kind !== 'literal') break;
    verbs = verbs.filter((verb) => verb.words[depth] === view.text);
    found = verbs.find((verb) => verb.words.length === depth + 1) ?? found;
    rest = operands.slice(1);
  }
  return found;
}

/** Several readings as one. */
function together<Word>(readings: readonly Reading<Word>[]): Given<Word>['before'] {
  return {
    has: (...names) => readings.some((reading) => reading.has(...names)),
    all: (...names) => readings.flatMap((reading) => reading.all(...names)),
    last: (...names) => readings.flatMap((reading) => reading.last(...names) ?? []).at(-1),
  };
}

/** The words behind some operands, which are not read. */
function behindOperands<Word>(
  options: string,
  manner: Manner,
  args: readonly Word[],
  words: WordKind<Word>,
): Given<Word>['behind'] {
  const behind = (count: number): readonly Word[] => {
    const rest = count === 0 ? args : behind(count - 1).slice(1);
    return readOptions(options, { ...manner, stopAtOperand: true }, rest, words).operands;
  };
  return behind;
}

/** Reads the words of a program whose subcommands each end the options of what stands before them. */
function readLayers<Word>(card: Card, args: readonly Word[], words: WordKind<Word>): Given<Word> {
  const manner = card.manner ?? {};
  const first = readOptions(card.options, { ...manner, stopAtOperand: true }, args, words);
  const behind = behindOperands(card.options, manner, args, words);
  let given: Given<Word> = { ...first, verb: null, before: first, words: first.operands, behind };
  let verbs = verbsOf(card);
  const passed: Reading<Word>[] = [];
  for (let depth = 0, layer = first; ; depth += 1) {
    const [next, ...rest] = layer.operands;
    const view = next === undefined ? undefined : words.view(next);
    verbs = view?.kind === 'literal' ? verbs.filter((verb) => verb.words[depth] === view.text) : [];
    if (verbs.length === 0) return given;
    passed.push(layer);
    const verb = verbs.find((one) => one.words.length === depth + 1);
    const options = verb?.options ?? '';
    if (verb !== undefined)
      given = {
        ...readOptions(options, manner, rest, words),
        verb: verb.name,
        before: together([...passed]),
        words: rest,
        behind,
      };
    if (verbs.every((one) => one.words.length === depth + 1)) return given;
    layer = readOptions(options, { ...manner, stopAtOperand: true }, rest, words);
  }
}

/** Reads the words of a call by the options of a card. */
export function readCall<Word>(card: Card, args: readonly Word[], words: WordKind<Word>): Given<Word> {
  if (card.optionsFirst === true) return readLayers(card, args, words);
  const verb = card.verbs === undefined ? null : verbIn(card, args, words);
  const manner = card.manner ?? {};
  const options = `${verb?.options ?? ''} ${card.options}`.trimStart();
  const reading = readOptions(options, { ...manner, stopBehind: verb?.words.length ?? 0 }, args, words);
  const operands = verb === null ? reading.operands : reading.operands.slice(verb.words.length);
  const behind = behindOperands(options, manner, args, words);
  return { ...reading, operands, verb: verb?.name ?? null, before: reading, words: operands, behind };
}

function applies(fact: Fact, { verb }: Given<unknown>): boolean {
  return fact.verbs === undefined || (verb !== null && fact.verbs.includes(verb));
}

/** What a program does, by its card. */
export function cardEffects(card: Card, call: Call): readonly Effect[] {
  const given = readCall(card, call.args, valueWords);
  return orInert(
    call,
    card.facts.flatMap((fact) => (applies(fact, given) ? (fact.effects?.(call, given) ?? []) : [])),
  );
}

/** What a program starts, by its card; null where it starts nothing, whatever its words are. */
export function cardStarts(card: Card, call: Start): readonly Inner[] | null {
  if (!card.facts.some(({ starts }) => starts !== undefined)) return null;
  const given = readCall(card, call.args, textWords);
  return card.facts.flatMap((fact) => (applies(fact, given) ? (fact.starts?.(call, given) ?? []) : []));
}

/** What a program prints, by its card; null where no fact knows. */
export function cardPrints(card: Card, call: Start): Text | null {
  const printing = card.facts.filter(({ prints }) => prints !== undefined);
  if (printing.length === 0) return null;
  const given = readCall(card, call.args, textWords);
  for (const fact of printing) {
    const printed = applies(fact, given) ? fact.prints?.(call, given) : null;
    if (printed) return printed;
  }
  return null;
}

// ── Shapes that many facts have.

type Say<Call, Word, Said> = (call: Call, given: Given<Word>) => readonly Said[];

/** An effect of each value of some options, by their names separated by spaces. */
export function ofOptions(
  names: string,
  effects: (call: Call, value: Value) => readonly Effect[],
): Say<Call, Value, Effect> {
  const list = names.split(' ');
  return (call, given) => given.all(...list).flatMap((value) => effects(call, value));
}

/** Values of options that are a text for a shell. */
export function shellOptions(names: string): Say<Start, Text, Inner> {
  const list = names.split(' ');
  return (_, given) => given.all(...list).map((text) => ({ kind: 'code', language: 'shell', text }));
}

/** The command line behind some words, with or without `--` between. */
export function commandBehind(words: number): Say<Start, Text, Inner> {
  return (_, given) => {
    const argv = given.behind(words);
    return argv.length === 0 ? [] : [{ kind: 'argv', argv }];
  };
}

/** The words behind some others, joined to a text for a shell. */
export function shellBehind(words: number): Say<Start, Text, Inner> {
  return (_, given) => {
    const argv = given.behind(words);
    return argv.length === 0 ? [] : [{ kind: 'code', language: 'shell', text: concatAll(argv, ' ') }];
  };
}
