// npm run eval cards [-- --misses] [--program NAME]: what the command guard knows of programs, held against @withfig/autocomplete,
// which nobody here wrote: whether an option takes a value, whether an argument is a command, whether a dangerous verb is
// asked about. Disagreements are settled one by one in data/cards.jsonl; one that is not settled, or that no longer is one,
// misses the goal.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shellAlone } from '../src/guards/command/index.ts';
import { loadParts } from '../src/guards/command/need.ts';
import { isKnownProgram } from '../src/guards/command/tools/index.ts';
import { commandJudge, shellAction } from '../tests/support/command-judge.ts';
import { Probe, quoted } from './card-probe.ts';
import { commandsOf, hasSpecs, type KnownCommand, specNames } from './card-specs.ts';
import { installPeers } from './peers.ts';
import { option } from './results.ts';
import { printColumns, printNote } from './table.ts';

/** Fewest programs in common. */
const leastPrograms = 300;

type Question = 'value' | 'command' | 'danger';

/** A disagreement that was looked at. */
interface Settled {
  readonly question: Question;
  readonly program: string;
  /** Options, or the words of subcommands behind the program. */
  readonly of: readonly string[];
  readonly theirs: string;
  readonly ours: string;
  readonly right: 'ours' | 'theirs' | 'both';
  readonly why: string;
}

/** One answer of both. */
interface Compared {
  readonly question: Question;
  readonly program: string;
  readonly of: string;
  readonly theirs: string;
  readonly ours: string;
  /** A command line that shows it. */
  readonly shown: string;
}

const keyOf = ({ question, program, theirs, ours }: Omit<Compared, 'of' | 'shown'>, of: string): string =>
  [question, program, of, theirs, ours].join('\t');

function readSettled(): readonly Settled[] {
  const path = join(dirname(fileURLToPath(import.meta.url)), 'data', 'cards.jsonl');
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Settled);
}

/** Answers about options; `counts` says how many there were of each kind. */
function valuesOf(command: KnownCommand, counts: Map<string, number>): readonly Compared[] {
  const { program, words, subcommands, options } = command;
  const probe = new Probe(words, subcommands);
  return options.flatMap(({ name, arity, values }): readonly Compared[] => {
    const ours = arity === 'unsaid' ? 'unsaid' : probe.ask(name, values);
    const counted = ours === 'value' || ours === 'flag' ? 'compared' : ours;
    counts.set(counted, (counts.get(counted) ?? 0) + 1);
    if (counted !== 'compared') return [];
    const shown = `${words.join(' ')} ${name} …`;
    return [{ question: 'value', program, of: name, theirs: arity, ours, shown }];
  });
}

const around = { cwd: '/workspace/project', home: '/home/someone', spend: () => {} };
const probed = ['rm', '-rf', '/etc/px'];

/** Whether what stands in a command line as `probed`, or as a script of that name, is started. */
function isRun(command: string): boolean {
  const { effects, invocations } = shellAlone.shell(command, around);
  return effects.some(({ kind }) => kind === 'run') || invocations.some(({ program }) => program === 'rm');
}

/** Answers about arguments that are commands or scripts. */
function runsOf({ program, words, options, arguments: args }: KnownCommand): readonly Compared[] {
  const asked: { readonly of: string; readonly lines: readonly string[] }[] = [];
  const line = (...more: readonly (readonly string[])[]): string =>
    [...words, ...more.flat()].map(quoted).join(' ');
  for (const [at, { isCommand, isScript }] of args.entries()) {
    if (!isCommand && !isScript) continue;
    const all = args.slice(0, at).map((_, place) => `p${place}`);
    const required = all.filter((_, place) => args[place]?.isOptional !== true);
    const given = isScript ? [['./px.sh']] : [probed, [probed.join(' ')], ['--', ...probed]];
    asked.push({
      of: [...words.slice(1), isScript ? 'SCRIPT' : 'COMMAND'].join(' '),
      lines: given.flatMap((command) => [line(all, command), line(required, command)]),
    });
  }
  for (const { name, isCommand } of options)
    if (isCommand)
      asked.push({
        of: [...words.slice(1), name].join(' '),
        lines: [line([name, probed.join(' ')]), line([name, ...probed])],
      });
  return asked.map(({ of, lines }) => ({
    question: 'command',
    program,
    of,
    theirs: 'run',
    ours: lines.some(isRun) ? 'run' : 'no run',
    shown: lines[0] ?? '',
  }));
}

/** Answers about what is marked as dangerous. */
async function dangersOf(
  { program, words, options, arguments: args, isDangerous }: KnownCommand,
  judge: ReturnType<typeof commandJudge>,
): Promise<readonly Compared[]> {
  const operands = args.filter(({ isOptional }) => !isOptional).map((_, at) => `p${at}`);
  const asked = [
    ...(isDangerous ? [{ of: words.slice(1).join(' '), given: operands }] : []),
    ...options
      .filter((one) => one.isDangerous)
      .map(({ name, values }) => ({
        of: [...words.slice(1), name].join(' '),
        given: [name, ...Array.from({ length: values }, (_, at) => `v${at}`), ...operands],
      })),
  ];
  const answers: Compared[] = [];
  for (const { of, given } of asked) {
    const command = [...words, ...given].map(quoted).join(' ');
    const { stop } = await judge(shellAction(command));
    const ours = stop === 'pass' ? 'passes' : 'asked';
    answers.push({ question: 'danger', program, of, theirs: 'asked', ours, shown: command });
  }
  return answers;
}

/** Compares what both know. */
export async function cardsAccuracy(progress: (text: string) => void): Promise<boolean> {
  installPeers(progress);
  if (!hasSpecs()) {
    printNote('Skipped: @withfig/autocomplete is not installed (cd benchmarks && npm ci --ignore-scripts).');
    return true;
  }
  await loadParts();
  const only = option('--program');
  const judge = commandJudge();
  const counts = new Map<string, number>();
  const compared: Compared[] = [];
  const programs = new Set<string>();
  for (const name of specNames()) {
    if (only !== undefined && name !== only) continue;
    for await (const command of commandsOf(name)) {
      // Of a program that is not known every call is asked about.
      if (isKnownProgram(name)) {
        programs.add(name);
        compared.push(...valuesOf(command, counts), ...runsOf(command));
      }
      compared.push(...(await dangersOf(command, judge)));
    }
  }
  const complete = only === undefined;
  const isSettled = report(compared, complete);
  const count = (name: string): string => (counts.get(name) ?? 0).toLocaleString('en');
  printNote(
    `${programs.size} programs in common. Not compared: ${count('unsaid')} options that may take a value or take it only after an equals sign, ${count('same')} of which nothing follows in the guard (its answer is the same either way), ${count('unclear')} that change too much to tell.`,
  );
  return isSettled && (!complete || programs.size >= leastPrograms);
}

const questions: Readonly<Record<Question, string>> = {
  value: 'the option takes a value',
  command: 'the argument is run',
  danger: 'the dangerous verb is asked about',
};

/** Prints what agrees and what does not; true where everything is settled and every settlement is needed. */
function report(compared: readonly Compared[], complete: boolean): boolean {
  const settled = new Map(readSettled().flatMap((row) => row.of.map((of) => [keyOf(row, of), row] as const)));
  const used = new Set<string>();
  const open = new Map<string, Compared>();
  const lines = Object.entries(questions).map(([question, text]) => {
    const rows = compared.filter((one) => one.question === question);
    const other = rows.filter(({ theirs, ours }) => theirs !== ours);
    const unsettled = other.filter((row) => {
      const key = keyOf(row, row.of);
      if (settled.has(key)) used.add(key);
      else open.set(key, row);
      return !settled.has(key);
    });
    return [text, rows.length, rows.length - other.length, other.length - unsettled.length, unsettled.length];
  });
  printColumns(
    ['question', 'asked', 'agree', 'settled', 'unsettled'],
    lines.map((cells) => cells.map((cell) => cell.toLocaleString('en'))),
  );
  const stale = complete ? [...settled.keys()].filter((key) => !used.has(key)) : [];
  if (stale.length > 0) printNote(`${stale.length} settlements are needed no more:\n${stale.join('\n')}`);
  if (process.argv.includes('--misses'))
    for (const { question, program, of, theirs, ours, shown } of open.values())
      process.stdout.write(`${JSON.stringify({ question, program, of, theirs, ours, shown })}\n`);
  else if (open.size > 0) printNote(`${open.size} are open: npm run eval cards -- --misses lists them.`);
  return open.size === 0 && stale.length === 0;
}
