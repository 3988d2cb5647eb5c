// What clients of databases have in common. `detail` of the effect: read, write, write-all, delete-all, drop, truncate, admin,
// session, script, unknown.

import type { Inner, Call as Start } from '../bash/executors/inner.ts';
import { knownText } from '../bash/values.ts';
import type { Effect, Value } from '../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  hostOf,
  hostTarget,
  literal,
  nameTarget,
  read,
  textOf,
  write,
} from '../tools/tool.ts';
import type { Card, Fact, Given } from './card.ts';
import { deedsOfSql } from './sql.ts';
import { among } from './tables.ts';

export function database(call: Call, detail: string, name?: Value, force = false): Effect {
  return effect(call, 'database', { detail, target: nameTarget(name), ...(force && { force }) });
}

/** Paths that statements such as `INTO OUTFILE '…'`, `.output …` or `\o …` name. */
const written =
  /\b(?:into (?:out|dump)file|to|backup|save|vacuum into)\s+'([^']+)'|^[ \t]*[.\\](?:output|once|backup|save|o|w|log)\s+([^\s;]+)|\bwritefile\(\s*'([^']+)'/gim;
const taken =
  /\b(?:load_file|readfile|pg_read_file|pg_read_binary_file)\(\s*'([^']+)'|\bfrom\s+'([^']+)'|\binfile\s+'([^']+)'|^[ \t]*[.\\](?:import|read|restore|i|open)\s+([^\s;]+)/gim;

function pathsIn(text: string, pattern: RegExp): readonly Value[] {
  return [...text.matchAll(pattern)].map((found) => literal(found.slice(1).find((path) => path) ?? ''));
}

/** Whether what is not known stands in quotes of a question, as `… WHERE id = '$id'` has it. */
const asksWithin = (known: string): boolean =>
  /^\s*select\b[^;]*='?[^';]*$/i.test(known) && known.split("'").length % 2 === 0;

/** The effects of a text of SQL; of one that is not wholly known, at least those of its beginning. */
export function sqlEffects(call: Call, text: Value, name?: Value): readonly Effect[] {
  if (text.kind === 'choice') return text.texts.flatMap((one) => sqlEffects(call, literal(one), name));
  const known = beginningOf(text);
  const deeds = deedsOfSql(known).flatMap((deed): readonly Effect[] => {
    if (deed === 'run') return [effect(call, 'run', { detail: 'database-shell', target: nameTarget(text) })];
    if (deed !== 'file') return [database(call, deed, name)];
    return [
      ...pathsIn(known, written).flatMap((path) => write(call, path, { detail: 'overwrite' })),
      ...pathsIn(known, taken).flatMap((path) => read(call, path)),
      database(call, 'admin', name),
    ];
  });
  return text.kind === 'literal' || asksWithin(known) ? deeds : [database(call, 'unknown', name), ...deeds];
}

/** Something other than a person's typing comes in. */
export function isFed({ io }: Call): boolean {
  return io.stdinFed ?? io.stdinOrigins.length > 0;
}

/** Statements that come in; where nothing does, somebody types. */
export function fromStream(
  call: Call,
  name: Value | undefined,
  effectsOf: (call: Call, text: Value, name?: Value) => readonly Effect[] = sqlEffects,
): readonly Effect[] {
  const { stdin } = call.io;
  const known = stdin.kind !== 'unknown' && textOf(stdin) !== '';
  return known ? effectsOf(call, stdin, name) : [database(call, isFed(call) ? 'unknown' : 'session', name)];
}

/** The hosts that options or addresses among the words name; this machine is none. */
export function hostsOf(call: Call, given: Given<Value>, options: string): readonly Effect[] {
  const found = [
    ...given.all(...options.split(' ')),
    ...given.operands.filter((operand) => /^\w+:\/\//.test(beginningOf(operand))),
  ];
  return found
    .map(hostOf)
    .filter((host) => !/^(?:\/|localhost$|127\.0\.0\.1$|::1$)/.test(beginningOf(host) || '/'))
    .map((host) => effect(call, 'connect', { detail: 'database', target: hostTarget(host) }));
}

/** A client that takes statements from options, files or what comes in. */
interface Client {
  readonly names: string;
  readonly options: string;
  readonly readings: Card['readings'];
  readonly manner?: Card['manner'];
  /** Options with statements, with files of them, with hosts, with files that are written, and with which it only tells. */
  readonly sql?: string;
  readonly files?: string;
  readonly hosts?: string;
  readonly outputs?: string;
  readonly looks?: string;
  readonly examples: Readonly<Record<string, string>>;
  readonly facts?: readonly Fact[];
  readonly advice?: Card['advice'];
}

function clientEffects(call: Call, given: Given<Value>, how: Client): readonly Effect[] {
  const { sql = '', files = '', hosts = '', outputs = '', looks = '' } = how;
  const all = (names: string): readonly Value[] => given.all(...names.split(' '));
  if (given.has(...looks.split(' '))) return [];
  const name = given.last('dbname', 'database', 'd', 'D') ?? given.operands[0];
  const texts = all(sql);
  const effects: Effect[] = [
    ...hostsOf(call, given, hosts),
    ...texts.flatMap((text) => sqlEffects(call, text, name)),
    ...all(files)
      .filter((file) => textOf(file) !== '-')
      .flatMap((file) => [...read(call, file), database(call, 'script', file)]),
    ...all(outputs).flatMap((file) =>
      /^\|/.test(beginningOf(file))
        ? [effect(call, 'run', { detail: 'helper', target: nameTarget(file) })]
        : write(call, file, { detail: 'overwrite' }),
    ),
    ...(texts.length === 0 && all(files).every((file) => textOf(file) === '-') ? fromStream(call, name) : []),
  ];
  return effects.length > 0 ? effects : [database(call, 'session', name)];
}

export function client(how: Client): Card {
  const { names, options, readings, manner, examples, facts = [], advice } = how;
  const split = among(examples);
  return {
    names,
    options,
    readings,
    ...(manner && { manner }),
    ...(advice && { advice }),
    facts: [
      {
        what: 'does what its statements say',
        ...(split.miss.length === 0 && { always: true }),
        effects: (call, given) => clientEffects(call, given, how),
        examples: split,
      },
      ...facts,
    ],
  };
}

const shellLine = /(?:^|\n|;)[ \t\r]*(?:\\!|\.(?:shell|system)\s|system\s)\s*([^\n]+)/g;
const copied = /\bcopy\b[^;]*\b(?:from|to)\s+program\s+'((?:[^']|'')*)'/i;
/** Longest text that is searched by expressions. */
const longest = 4096;

/** The lines of statements that a client hands to a shell. */
function escapesIn(text: string): readonly Inner[] {
  if (text.length > longest) return /\\!|\.shell|\.system|program/i.test(text) ? [{ kind: 'unknown' }] : [];
  const lines = [...text.matchAll(shellLine)].map(([, line = '']) => line.replace(/^"(.*)"$/, '$1'));
  const program = copied.exec(text)?.[1]?.replaceAll("''", "'");
  return [...lines, ...(program === undefined ? [] : [program])].map((line) => ({
    kind: 'code',
    language: 'shell',
    text: knownText(line),
  }));
}

/** What statements hand to a shell. */
export function escapes(examples: Fact['examples']): Fact {
  return {
    what: 'hands lines of its statements to a shell',
    starts: ({ args, stdin, fed }: Start) =>
      [...args.flatMap((arg) => arg.alternatives), ...(fed ? stdin.alternatives : [])].flatMap(escapesIn),
    examples,
  };
}
