// Proves cards by their examples: for the tests, the build and the mutation run, not for the start of a command.

import { splitQuoted } from '../bash/quoted.ts';
import { hole, knownText, type Text, toValue } from '../bash/values.ts';
import type { Origin } from '../effects.ts';
import { type Call, literal, textOf, valueWords } from '../tools/tool.ts';
import { type Card, type Examples, type Fact, type Readings, readCall, textWords } from './card.ts';
import { shownEffects, shownInners, shownText } from './notation.ts';

/** An example as the program gets it. */
export interface Example {
  readonly program: string;
  readonly args: readonly Text[];
  readonly stdin: Text;
  readonly fed: boolean;
  readonly folder: string;
}

const originOf: Readonly<Record<string, Origin>> = { SECRET: 'secret', NETWORK: 'network' };

/** A word of an example: `$NAME` is not known; `$SECRET` and `$NETWORK` also say where it comes from. */
function wordOf(text: string): Text {
  const origins: Origin[] = [];
  const holed = text.replace(/\$([A-Z]+)/g, (_, name: string) => {
    const origin = originOf[name];
    if (origin !== undefined) origins.push(origin);
    return hole;
  });
  return knownText(holed, origins);
}

/** Reads an example: words, and before a bar what the program reads. */
export function readExample(text: string): Example {
  const words = splitQuoted(text);
  const bar = words[1] === '|' ? 2 : 0;
  const [program = '', ...args] = words.slice(bar);
  const stdin = bar === 0 ? knownText(hole) : wordOf(words[0] ?? '');
  return { program, args: args.map(wordOf), stdin, fed: bar > 0, folder: '/workspace' };
}

/** `program <one two>` is an example for each of the words, or of the groups of words that bars part; `<>` is that one. */
export function examplesOf(hit: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(hit).flatMap(([text, said]) => {
    const list = /<([^<>]+)>/.exec(text)?.[1];
    const words = list?.split(list.includes(' | ') ? ' | ' : ' ');
    return (words ?? ['']).map(
      (word) => [text.replace(/<[^<>]+>/, () => word), said.replaceAll('<>', () => word)] as const,
    );
  });
}

/** The call that an example is, for the effects. */
export function callOf({ program, args, stdin, fed }: Example): Call {
  return {
    program,
    args: args.map(toValue),
    io: { stdin: toValue(stdin), stdinOrigins: stdin.origins, stdinFed: fed },
    at: { span: [0, 0], through: [], cwd: '/workspace', home: '/home/someone' },
  };
}

/** All that one fact says of an example; empty where it does not apply. */
function said(card: Card, fact: Fact, text: string): string {
  const example = readExample(text);
  const call = callOf(example);
  const values = readCall(card, call.args, valueWords);
  if (fact.verbs !== undefined && !(values.verb !== null && fact.verbs.includes(values.verb))) return '';
  const texts = readCall(card, example.args, textWords);
  const printed = fact.prints?.(example, texts) ?? null;
  return [
    shownEffects(fact.effects?.(call, values) ?? []),
    shownInners(fact.starts?.(example, texts) ?? []),
    printed === null ? '' : `prints ${shownText(printed)}`,
  ]
    .filter((part) => part !== '')
    .join('; ');
}

// ── How options are read.

type Kind = keyof Readings;

const kinds: readonly Kind[] = ['valued', 'flags', 'attached', 'pairs'];

function listed(readings: Card['readings'] | undefined, kind: Kind): readonly string[] {
  const text = typeof readings === 'string' ? readings.split(';')[kinds.indexOf(kind)] : readings?.[kind];
  return (text ?? '').split(' ').filter((name) => name !== '');
}

/** The names that a description has, as readings list them: one of several letters behind one dash keeps its dash. */
function describedAs(options: string, kind: Kind): readonly string[] {
  const arity = { valued: '=', flags: '', attached: '?', pairs: '==' }[kind];
  return options
    .split(/\s+/)
    .filter(
      (group) =>
        group !== '' &&
        group !== '+' &&
        group !== '*=' &&
        (/[=?]+\+?$/.exec(group)?.[0].replace('+', '') ?? '') === arity,
    )
    .flatMap((group) => group.replace(/[=?]+\+?$/, '').split('/'));
}

/** The readings of a description, to begin a card with. */
export function draftOf(options: string): Readings {
  const lists = kinds.map((kind) => [kind, describedAs(options, kind).join(' ')] as const);
  return Object.fromEntries(lists.filter(([, names]) => names !== ''));
}

/** An option as it is typed. */
function spelled(name: string, { manner }: Card): string {
  if (name.startsWith('-')) return name;
  return name.length === 1 || manner?.wholeWords === true ? `-${name}` : `--${name}`;
}

/** Whether an option is read as the readings say. */
function isRead(card: Card, verb: readonly string[], name: string, kind: Kind): boolean {
  const option = spelled(name, card);
  const plain = name.replace(/^-/, '');
  const reads = (...words: readonly string[]): string => {
    const given = readCall(card, [...verb, ...words].map(literal), valueWords);
    const texts = [...given.operands, ...given.all(plain)].map((value) => textOf(value));
    return `${given.has(plain)} ${texts.join(' ')}`;
  };
  if (kind === 'pairs') return reads(option, 'A', 'B', 'C') === 'true C A B';
  const joint = /^--|^-..+/.test(option) || card.manner?.wholeWords === true ? `${option}=` : option;
  const separate = kind === 'valued' ? 'true B A' : 'true A B';
  const attached = kind === 'flags' || name.startsWith('-') || reads(`${joint}A`, 'B') === 'true B A';
  return reads(option, 'A', 'B') === separate && attached;
}

/** What is wrong with the readings of a card. */
function readingProblems(card: Card): readonly string[] {
  const parts = [
    { verb: [], options: card.options, readings: card.readings },
    ...Object.entries(card.verbs ?? {}).map(([list, options]) => {
      const [name = ''] = list.split(' | ');
      return { verb: name.split(' '), options, readings: card.verbReadings?.[name] };
    }),
  ];
  return parts.flatMap(({ verb, options, readings }) => {
    const at = verb.length === 0 ? 'options' : `options of ${verb.join(' ')}`;
    const all = kinds.flatMap((kind) => describedAs(options, kind));
    const twice = all.filter((name, index) => all.indexOf(name) !== index);
    return [
      ...twice.map((name) => `${at}: "${name}" is described twice`),
      ...kinds.flatMap((kind) => {
        const names = listed(readings, kind);
        const missing = describedAs(options, kind).filter((name) => !names.includes(name));
        const wrong = names.filter((name) => !all.includes(name) || !isRead(card, verb, name, kind));
        return [
          ...missing.map((name) => `${at}: "${name}" is not among the readings, ${kind}`),
          ...wrong.map((name) => `${at}: "${name}" is not read as the readings say, ${kind}`),
        ];
      }),
    ];
  });
}

/** An example that does not hold. */
export interface ExampleProblem {
  readonly of: keyof Examples;
  readonly text: string;
  /** What the example says that the fact says of it; empty: nothing. */
  readonly expected: string;
  /** What the fact says; null where the example is another program's. */
  readonly found: string | null;
}

/** The examples of a fact that do not hold. */
export function exampleProblems(card: Card, fact: Fact): readonly ExampleProblem[] {
  const programs = new Set(card.names.split(' '));
  const misses = Object.fromEntries(fact.examples.miss.map((text) => [text, '']));
  const all = [
    ...examplesOf(fact.examples.hit).map(([text, expected]) => ({ of: 'hit' as const, text, expected })),
    ...examplesOf(misses).map(([text, expected]) => ({ of: 'miss' as const, text, expected })),
  ];
  return all.flatMap((example): readonly ExampleProblem[] => {
    const { of, text, expected } = example;
    if (!programs.has(readExample(text).program)) return [{ ...example, found: null }];
    const found = said(card, fact, text);
    return found === expected && (expected !== '') === (of === 'hit') ? [] : [{ ...example, found }];
  });
}

function shownProblem({ of, text, expected, found }: ExampleProblem): string {
  if (found === null) return `\`${text}\` is another program's`;
  return of === 'hit'
    ? `\`${text}\`\n    expected: ${expected}\n    found:    ${found}`
    : `\`${text}\` should say nothing\n    found:    ${found}`;
}

/** What does not hold in a card. */
export function problemsOf(card: Card): readonly string[] {
  const [name = ''] = card.names.split(' ');
  const problems: string[] = [...readingProblems(card)];
  for (const fact of card.facts) {
    const { hit, miss } = fact.examples;
    const at = `${fact.what}: `;
    if (Object.keys(hit).length === 0) problems.push(`${at}no example hits`);
    if ((miss.length === 0) !== (fact.always === true)) problems.push(`${at}no example misses`);
    problems.push(...exampleProblems(card, fact).map((problem) => at + shownProblem(problem)));
  }
  return problems.map((problem) => `${name}: ${problem}`);
}
