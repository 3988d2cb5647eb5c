// What benchmarks and evaluations printed, kept as data: one file for each, from which the pages of figures are made.

import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One table as it was printed. */
export interface Table {
  readonly head: readonly string[];
  readonly lines: readonly (readonly string[])[];
}

/** One row of a benchmark as it was printed, with its own figure as a number. */
export interface Measured {
  readonly what: string;
  readonly figure: number | null;
  readonly unit: string;
  readonly ours: string;
  readonly floor: string;
  readonly ratio: string;
  readonly goal: string;
  readonly met: boolean;
}

/** What one run of a benchmark or an evaluation gave. */
export interface Results {
  readonly name: string;
  readonly command: string;
  /** The day, and what it ran on; never the name of a machine. */
  readonly when: string;
  readonly node: string;
  readonly platform: string;
  readonly cores: number;
  /** How many processes wanted a core in the minute before it began. */
  readonly load: number;
  readonly met: boolean;
  /** Of a benchmark. */
  readonly rows: readonly Measured[];
  /** Of an evaluation. */
  readonly tables: readonly Table[];
  /** Figures that stand under the tables, and what was left out. */
  readonly notes: readonly string[];
}

/** What was printed since the last result was kept. */
export const printed: { rows: Measured[]; tables: Table[]; notes: string[] } = {
  rows: [],
  tables: [],
  notes: [],
};

/** Where results lie, in the repository. */
export const resultsFolder = join(dirname(fileURLToPath(import.meta.url)), 'results');

/** The first number of a text and what stands behind it: "29,013/s (4 a commit)" is 29013 of "/s". */
export function figureOf(text: string): { readonly figure: number | null; readonly unit: string } {
  const found = /(-?[\d,]*\.?\d+)(?:\s*\/\s*(\d*\.?\d+))?\s*([^\d\s(,;][^\s(,;]*)?/.exec(text);
  if (found === null) return { figure: null, unit: '' };
  const [, number = '', below, unit = ''] = found;
  return { figure: Number(number.replaceAll(',', '')) / Number(below ?? 1), unit };
}

type Kind = 'bench' | 'eval';
type Take = (progress: (text: string) => void) => Promise<boolean>;

/** Options that take a value, for the evaluations that read them. */
const valued: readonly string[] = ['--base', '--corpus', '--only', '--program', '--texts'];

/** The value of such an option, where it is given. */
export function option(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}

/**
 * Takes what the command line names, or everything (`all`), which ends with a summary; keeps results with --save. One that
 * fails does not stop the others. Ends with 1 if a goal is missed.
 */
export async function takeAll(kind: Kind, takes: Readonly<Record<string, Take>>): Promise<void> {
  const names = Object.keys(takes);
  const given = process.argv.slice(2);
  const options = ['--save', '--misses', '--help'];
  const wanted = given.filter(
    (word, at) => !options.includes(word) && !valued.includes(word) && !valued.includes(given[at - 1] ?? ''),
  );
  const unknown = wanted.filter((name) => name !== 'all' && !names.includes(name));
  if (unknown.length > 0 || given.includes('--help')) {
    process.stderr.write(
      `Usage: npm run ${kind} [name…] [-- --save${kind === 'eval' ? ' --misses' : ''}]   names: all, ${names.join(', ')}\n`,
    );
    process.exit(given.includes('--help') ? 0 : 2);
  }
  const everything = wanted.length === 0 || wanted.includes('all');
  const summary: string[] = [];
  let good = true;
  for (const [name, take] of Object.entries(takes)) {
    if (!everything && !wanted.includes(name)) continue;
    process.stderr.write(`${name} …\n`);
    const [load = 0] = loadavg();
    const met = await taken(name, take, everything);
    if (given.includes('--save')) keep(kind, name, met, load);
    summary.push(summaryOf(name, met));
    Object.assign(printed, { rows: [], tables: [], notes: [] });
    good &&= met;
  }
  if (everything) process.stdout.write(`${summary.join('\n')}\n`);
  process.exitCode = good ? 0 : 1;
}

/** Whether the goals are met; among others, one that fails is one that misses. */
async function taken(name: string, take: Take, amongOthers: boolean): Promise<boolean> {
  try {
    return await take((text) => process.stderr.write(`  ${text}\n`));
  } catch (error) {
    if (!amongOthers) throw error;
    process.stderr.write(
      `${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    printed.notes.push('it failed');
    return false;
  }
}

/** One line: how many goals were met, and which were not. */
function summaryOf(name: string, met: boolean): string {
  const missed = printed.rows.filter((row) => !row.met);
  const count =
    printed.rows.length === 0
      ? met
        ? 'met'
        : 'MISSED'
      : `${printed.rows.length - missed.length} of ${printed.rows.length} met`;
  const rows = missed.map(
    ({ what, ratio, ours, goal }) => `\n    MISSED ${what}: ${ratio === '' ? ours : ratio} (goal ${goal})`,
  );
  return `${name.padEnd(14)}${count}${printed.rows.length === 0 || met || missed.length > 0 ? '' : ', MISSED'}${rows.join('')}`;
}

function keep(kind: Kind, name: string, met: boolean, load: number): void {
  const { version: node, platform, arch } = process;
  const results: Results = {
    name,
    command: `npm run ${kind} ${name}`,
    when: new Date().toISOString().slice(0, 10),
    node,
    platform: `${platform} ${arch}`,
    cores: availableParallelism(),
    load: Math.round(load * 10) / 10,
    met,
    ...printed,
  };
  mkdirSync(resultsFolder, { recursive: true });
  writeFileSync(join(resultsFolder, `${kind}-${name}.json`), `${JSON.stringify(results, null, 2)}\n`);
}
