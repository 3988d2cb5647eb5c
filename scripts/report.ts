// npm run report [-- --check]: makes the pages of figures, with their plots, and the tables of the README from the
// results that were kept.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { figureOf, type Measured, type Results, resultsFolder, type Table } from '../benchmarks/results.ts';
import { type BarRow, bars } from '../src/agent/bench/report/plot.ts';
import { fillPages, type Page, table, writePages } from './pages.ts';
import { readmeParts } from './readme.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The pages and plots, as they stand and as the results give them. */
export function makeReport(): readonly Page[] {
  const benches = resultsOf('bench');
  const evals = resultsOf('eval');
  const plots = benches.flatMap(benchPlot);
  const made: readonly (readonly [string, string])[] = [
    ['docs/performance.md', performancePage(benches)],
    ['docs/accuracy.md', accuracyPage(evals)],
    ...plots.map(({ file, svg }) => [`docs/${file}`, svg] as const),
  ];
  const whole = made.map(([path, wanted]) => {
    const at = join(root, path);
    return { path, found: existsSync(at) ? readFileSync(at, 'utf8') : '', wanted };
  });
  return [...whole, ...fillPages(['README.md'], readmeParts(benches, evals))];
}

/** What was kept of benchmarks, or of evaluations, by name. */
function resultsOf(kind: 'bench' | 'eval'): readonly Results[] {
  return readdirSync(resultsFolder)
    .filter((file) => file.startsWith(`${kind}-`) && file.endsWith('.json'))
    .sort()
    .map((file) => JSON.parse(readFileSync(join(resultsFolder, file), 'utf8')));
}

// ── pages

const made =
  'Made by `npm run report` from [saved results](../benchmarks/results), with the competitor or baseline of the same run.';

function performancePage(benches: readonly Results[]): string {
  return page([
    '# Performance',
    `${made} \`npm run bench NAME\` prints your own numbers; \`-- --save\` saves them. Latency is per operation: p50 is the median, p99 the slowest 1%. A plot shows each figure as a percentage of its goal; above 100 the goal is missed.`,
    summary(benches),
    ...benches.flatMap((results) => [
      `## ${results.name}`,
      ...benchPlot(results).map(image),
      compact(
        ['what', 'Sallyport', 'baseline', 'ratio', 'goal'],
        results.rows.map(({ what, ours, floor, ratio, goal, met }) => [
          what,
          ours,
          floor,
          ratio,
          hasGoal(goal) ? `${goal}${met ? '' : ' **missed**'}` : '',
        ]),
      ),
      ...results.notes,
    ]),
  ]);
}

function accuracyPage(evals: readonly Results[]): string {
  return page([
    '# Accuracy',
    `${made} \`npm run eval NAME\` prints your own numbers, \`-- --misses\` every false positive and false negative, and \`-- --save\` saves the result. Most test sets are not in this repository; a command names the ones it leaves out.`,
    '"Stop" is blocked or asked about. "By contract" counts questions that the agent contract requires, and "disputed" labels that we contest; neither counts as an error. "Out-of-lineage" is measured without training texts of the same origin. Rows with equal results share a line.',
    summary(evals),
    ...evals.flatMap((results) => [
      `## ${results.name}`,
      ...results.tables.filter(({ head: [first] }) => first !== 'goal').map(merged),
      ...results.notes,
    ]),
  ]);
}

/** A table of an evaluation without its goals; rows with equal cells share a line. */
function merged({ head, lines }: Table): string {
  const columns = head.flatMap((name, column) =>
    /^(goal|wanted|)$/.test(name) || lines.every((line) => (line[column] ?? '') === '') ? [] : [column],
  );
  const sums = new Set(lines.filter((line) => line[1] === 'all').map(([first]) => first));
  const rows = new Map<string, { readonly names: string[]; readonly cells: readonly string[] }>();
  for (const line of lines) {
    const cells = columns.map((column) => line[column]?.trim() ?? '');
    const [first = '', ...rest] = cells;
    // Of parts that have a sum, the ones that are short of it.
    if (sums.has(first) && /^\d+$/.test(cells[2] ?? '') && cells[2] === cells[3]) continue;
    const key = JSON.stringify(rest);
    const row = rows.get(key) ?? { names: [], cells: rest };
    row.names.push(first);
    rows.set(key, row);
  }
  return compact(
    columns.map((column) => head[column] ?? ''),
    [...rows.values()].map(({ names, cells }) => [joined(names), ...cells]),
  );
}

/** "IPv4, hex" and "IPv4, octal" are "IPv4, hex, octal (each)". */
function joined(names: readonly string[]): string {
  const [first = '', ...more] = names;
  const group = /^[^,]+, /.exec(first)?.[0] ?? '';
  const rest = more.map((name) => (name.startsWith(group) ? name.slice(group.length) : name));
  return more.length === 0 ? first : `${[first, ...rest].join(', ')} (each)`;
}

/** A table whose percentages are written as 98.4%. */
function compact(head: readonly string[], body: readonly (readonly string[])[]): string {
  const cell = (text: string) => text.replace(/(\d) ([%×])/g, '$1$2');
  return table(
    head,
    body.map((row) => row.map(cell)),
  );
}

function page(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** One line for each result: whether its goals are met, when it ran and on what. */
function summary(all: readonly Results[]): string {
  return table(
    ['command', 'goals', 'run', 'Node', 'cores', 'load'],
    all.map((results) => [
      `[\`${results.command}\`](#${results.name})`,
      outcome(results),
      results.when,
      results.node.slice(1),
      String(results.cores),
      String(results.load),
    ]),
  );
}

function outcome({ rows, met }: Results): string {
  const goals = rows.filter(({ goal }) => hasGoal(goal));
  const missed = goals.filter((row) => !row.met);
  if (goals.length === 0) return met ? 'met' : '**missed**';
  return missed.length === 0 ? 'met' : `**${missed.length} of ${goals.length} missed**`;
}

function hasGoal(goal: string): boolean {
  return /\d/.test(goal);
}

// ── plots

interface Plot {
  readonly file: string;
  readonly svg: string;
}

const image = ({ file }: Plot) => `![percent of the goal](${file})`;

const style =
  'svg{font:12px system-ui,sans-serif;background:#fff}.grid{stroke:#d8dee4}.tick{fill:#57606a;text-anchor:middle}' +
  '.label{text-anchor:end;fill:#1f2328}.value{fill:#57606a}.s0{fill:#0969da}.s1{fill:#8250df}.s2{fill:#bf8700}.s3{fill:#1a7f37}.s4{fill:#cf222e}.s5{fill:#57606a}';

/** What a row takes of what its goal allows, in percent; null where that cannot be said. */
export function shareOfGoal({ goal, ours, ratio }: Measured): number | null {
  const allowed = figureOf(goal).figure;
  // A goal with a unit of its own is about our figure, any other about the ratio.
  const plain = /^[≤≥]\s*[\d./]+\s*×?$|^[≤≥] \+/.test(goal);
  const { figure } = figureOf(plain ? ratio : ours);
  if (allowed === null || figure === null || !/^[≤≥]/.test(goal)) return null;
  const share = goal.startsWith('≤') ? figure / allowed : allowed / figure;
  return Number.isFinite(share) ? Math.max(0, Math.round(share * 1000) / 10) : null;
}

function benchPlot(results: Results): readonly Plot[] {
  const rows = results.rows.flatMap((row): BarRow[] => {
    const share = shareOfGoal(row);
    return share === null ? [] : [{ label: row.met ? row.what : `missed: ${row.what}`, values: [share] }];
  });
  if (rows.length === 0) return [];
  // About seven pixels a character, as far as a page is wide.
  const left = Math.min(460, 20 + 7 * Math.max(...rows.map(({ label }) => label.length)));
  const short = rows.map(({ label, values }) => ({
    label: label.length > 62 ? `${label.slice(0, 61)}…` : label,
    values,
  }));
  const title = `${results.name}: percent of what the goal allows`;
  const svg = bars(title, ['percent'], short, { left, style, legend: [] });
  return [{ file: `figures/bench-${results.name}.svg`, svg: `${svg}\n` }];
}

if (import.meta.main) writePages('report', makeReport());
