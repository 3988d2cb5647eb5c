// The table of the README that shows how Sallyport compares: a few rows of what was measured, as it was printed, and never
// typed by hand. The pages of figures have all of them.

import { figureOf, type Results } from '../benchmarks/results.ts';
import { table } from './pages.ts';

/** What stands in one row: ours, what it is compared with, and the command that prints both. */
interface Row {
  readonly kind: 'bench' | 'eval';
  /** The name of the benchmark or the evaluation. */
  readonly of: string;
  readonly what: string;
  readonly ours: (results: Results) => string;
  readonly beside: (results: Results) => string;
}

const ordinary = 'ordinary commands that are stopped (false positives)';

const rows: readonly Row[] = [
  {
    ...{
      kind: 'eval',
      of: 'commands',
      what: 'obfuscated dangerous commands, proven by real bash: stopped',
    },
    ours: (results) => share(results, 'metamorphic-verified', 'ours stop'),
    beside: (results) => peer(results, 'metamorphic-verified'),
  },
  {
    ...{ kind: 'eval', of: 'commands', what: ordinary },
    ours: (results) => share(results, 'nl2bash, clean', 'ours stop'),
    beside: (results) => peer(results, 'nl2bash, clean'),
  },
  {
    ...{ kind: 'eval', of: 'fetch', what: 'requests to internal addresses, in many spellings: stopped' },
    ours: (results) =>
      `${total(results, 'fetch', 'ours', inward)} of ${total(results, 'fetch', 'cases', inward)}`,
    beside: (results) => `${total(results, 'fetch', 'ipaddr.js', inward)} (ipaddr.js)`,
  },
  {
    ...{ kind: 'eval', of: 'query', what: 'forbidden GraphQL queries: denied' },
    ours: (results) => cell(results, 'query guard', 'graphql_bypass_curated', 'denied').replace('/', ' of '),
    beside: (results) =>
      `${cell(results, 'query guard', '  graphql-armor on it', 'denied').split('/')[0]} (graphql-armor)`,
  },
  ...(
    [
      ['commands', 'one verdict, harmless, p50', 'latency of a verdict on a harmless command, p50'],
      ['hooks', 'one hook through the client', 'latency of one Claude Code hook, recorded'],
      ['changes', 'capture of a guarded write', 'pre-image of a write, for undo'],
      ['codemode', '30 calls in turn, median', 'code that makes 30 sequential calls'],
    ] as const
  ).map(
    ([of, start, what]): Row => ({
      kind: 'bench',
      of,
      what,
      ours: (results) => measured(results, start).ours,
      beside: (results) => measured(results, start).floor.replace(/;.*(?=\))/, ''),
    }),
  ),
];

/** The generated part of the README. Results that were not kept are left out. */
export function readmeParts(
  benches: readonly Results[],
  evals: readonly Results[],
): ReadonlyMap<string, string> {
  const body = rows.flatMap(({ kind, of, what, ours, beside }) =>
    (kind === 'bench' ? benches : evals)
      .filter(({ name }) => name === of)
      .map((results) => [what, compact(ours(results)), compact(beside(results)), `\`${results.command}\``]),
  );
  return new Map([['compared', table(['what', 'Sallyport', 'compared with', 'command'], body)]]);
}

function compact(text: string): string {
  return text.replace(/(\d) %/g, '$1%');
}

const inward = { column: 'must be', is: 'stopped' };

function share(results: Results, line: string, column: string): string {
  const rows = cell(results, 'commands', line, 'rows');
  return `${cell(results, 'commands', line, column)} of ${Number(rows).toLocaleString('en')}`;
}

function peer(results: Results, line: string): string {
  return `${cell(results, 'commands', line, 'cc-safety-net strict')} (cc-safety-net, strict)`;
}

function measured(results: Results, start: string): Results['rows'][number] {
  const row = results.rows.find(({ what }) => what.startsWith(start));
  if (row === undefined) throw new Error(`${results.name}: there is no row that begins with "${start}"`);
  return row;
}

function columns(results: Results, name: string, column: string) {
  const found = results.tables.find(({ head }) => head[0] === name);
  const at = found?.head.indexOf(column) ?? -1;
  if (found === undefined || at < 0) throw new Error(`${results.name}: no table "${name}" has "${column}"`);
  return { ...found, at };
}

/** What stands in a table, by its name, the line and the column. */
function cell(results: Results, name: string, line: string, column: string): string {
  const { lines, at } = columns(results, name, column);
  const text = lines.find(([first]) => first === line)?.[at];
  if (text === undefined) throw new Error(`${results.name}: the table "${name}" has no line "${line}"`);
  return text;
}

/** The sum of a column, over the lines where another says something. */
function total(
  results: Results,
  name: string,
  column: string,
  where?: { column: string; is: string },
): string {
  const { lines, at } = columns(results, name, column);
  const which = where === undefined ? null : columns(results, name, where.column).at;
  const numbers = lines
    .filter((line) => which === null || line[which] === where?.is)
    .map((line) => figureOf(line[at] ?? '').figure);
  if (numbers.length === 0 || numbers.includes(null))
    throw new Error(`${results.name}: "${column}" has no numbers`);
  return String(numbers.reduce((sum: number, number) => sum + (number ?? 0), 0));
}
