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
  const plots = [...benches.flatMap(benchPlot), ...evals.flatMap(evalPlots)];
  const made: readonly (readonly [string, string])[] = [
    ['docs/performance.md', performancePage(benches)],
    ['docs/accuracy.md', accuracyPage(evals)],
    ['docs/comparison.md', comparisonPage([...benches, ...evals])],
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
  'This page is made by `npm run report` from the results in [benchmarks/results](../benchmarks/results); do not edit it.';

function performancePage(benches: readonly Results[]): string {
  return page([
    '# Performance',
    `${made} Every figure stands beside a floor or a peer of the same run, on the same machine. A command prints yours: \`npm run bench NAME\`; with \`-- --save\` it is kept.`,
    'A plot shows what each figure takes of what its goal allows, in percent: at 100 the goal is just met, below it there is room, above it the goal is missed.',
    summary(benches),
    ...benches.flatMap((results) => [
      `## ${results.name}`,
      ran(results),
      ...benchPlot(results).map(image),
      table(
        ['what', 'ours', 'peer or floor', 'ratio', 'goal', ''],
        results.rows.map(({ what, ours, floor, ratio, goal, met }) => [
          what,
          ours,
          floor,
          ratio,
          goal,
          said(goal, met),
        ]),
      ),
      ...results.notes,
    ]),
  ]);
}

function accuracyPage(evals: readonly Results[]): string {
  return page([
    '# Accuracy',
    `${made} A command prints yours: \`npm run eval NAME\`; with \`-- --save\` it is kept, with \`-- --misses\` it lists what was wrong.`,
    'Most sets of cases lie beside the project and not in it; without them a command says what it leaves out.',
    summary(evals),
    ...evals.flatMap((results) => {
      const plots = evalPlots(results);
      return [
        `## ${results.name}`,
        ran(results),
        ...results.tables.flatMap((one, at) => [
          ...plots.filter((plot) => plot.at === at).map(image),
          table(one.head.map(headOf), one.lines),
        ]),
        ...results.notes,
      ];
    }),
  ]);
}

/** The programs and libraries that stand beside ours, as results name them. */
const peers =
  /cc-safety-net|secretlint|@openai\/guardrails|ipaddr\.js|private-ip|graphql-armor|@utcp\/code-mode|@sebastianwessel\/quickjs|node-sql-parser|typescript-estree|jose|ctags|\btsc\b|\bgit\b/;

function comparisonPage(all: readonly Results[]): string {
  const parts = all.flatMap((results) => {
    const rows = results.rows.filter(({ what, floor }) => peers.test(`${what} ${floor}`));
    // A line that begins with a peer's name may be about its corpus; one that ends so is about the peer.
    const tables = results.tables.filter(
      ({ head, lines }) =>
        peers.test(head.join(' ')) ||
        lines.some(([first = '']) => peers.test(first) && / on it$/.test(first)),
    );
    if (rows.length === 0 && tables.length === 0) return [];
    return [
      `## ${results.name}`,
      ran(results),
      ...(rows.length === 0
        ? []
        : [
            table(
              ['what', 'ours', 'peer', 'ratio'],
              rows.map(({ what, ours, floor, ratio }) => [what, ours, floor, ratio]),
            ),
          ]),
      ...tables.map(({ head, lines }) => table(head.map(headOf), lines)),
    ];
  });
  return page([
    '# Beside others',
    `${made} It shows what was measured beside another program or library in one run, and nothing else. Versions stand in \`benchmarks/package.json\`; the command installs them when it first runs.`,
    ...parts,
  ]);
}

function page(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** One line for each result: whether its goals are met. */
function summary(all: readonly Results[]): string {
  return table(
    ['command', 'goals', 'when'],
    all.map((results) => [`\`${results.command}\``, `[${outcome(results)}](#${results.name})`, results.when]),
  );
}

function outcome({ rows, met }: Results): string {
  const goals = rows.filter(({ goal }) => hasGoal(goal));
  const missed = goals.filter((row) => !row.met);
  if (goals.length === 0) return met ? 'all met' : 'MISSED';
  return missed.length === 0 ? `all ${goals.length} met` : `${missed.length} of ${goals.length} MISSED`;
}

function ran({ command, when, node, platform, cores, load }: Results): string {
  return `\`${command}\`, ${when}, Node ${node.slice(1)} on ${platform}, ${cores} cores, load ${load} before it began.`;
}

function hasGoal(goal: string): boolean {
  return /\d/.test(goal);
}

function said(goal: string, met: boolean): string {
  if (!hasGoal(goal)) return 'told';
  return met ? 'met' : '**MISSED**';
}

/** A column that the table has no name for says whether a goal is met. */
function headOf(name: string): string {
  return name === '' ? 'goals' : name;
}

// ── plots

interface Plot {
  readonly file: string;
  readonly title: string;
  readonly svg: string;
  /** The table that it belongs to. */
  readonly at: number;
}

const image = ({ title, file }: Plot) => `![${title}](${file})`;

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
    return share === null ? [] : [{ label: row.met ? row.what : `MISSED: ${row.what}`, values: [share] }];
  });
  if (rows.length === 0) return [];
  const title = `${results.name}: percent of what the goal allows`;
  return [plot(`figures/bench-${results.name}.svg`, title, ['percent'], rows, 0)];
}

/** A plot for each table that has shares of a whole in it: a bar for each column that holds them. */
function evalPlots(results: Results): readonly Plot[] {
  return results.tables.flatMap((one, at) => {
    const columns = sharedColumns(one);
    const rows = one.lines.flatMap((line): BarRow[] => {
      const values = columns.map((column) => percentOf(line[column] ?? ''));
      return values.some((value) => value === null)
        ? []
        : [{ label: line[0]?.trim() ?? '', values: values.map(Number) }];
    });
    if (columns.length === 0 || rows.length === 0) return [];
    const names = columns.map((column) => one.head[column] ?? '');
    const title = `${results.name}, ${one.head[0]}: ${names.join(', ')}, in percent`;
    return [plot(`figures/eval-${results.name}-${at + 1}.svg`, title, names, rows, at)];
  });
}

/** The columns with shares, without those that say what is wanted. */
function sharedColumns({ head, lines }: Table): readonly number[] {
  return head.flatMap((name, column) => {
    const wanted = /goal|wanted/.test(name);
    return !wanted && lines.some((line) => percentOf(line[column] ?? '') !== null) ? [column] : [];
  });
}

/** "12 (98.4 %)" is 98.4, "3/4" is 75; anything else is no share. */
function percentOf(cell: string): number | null {
  const percent = /(\d+(?:\.\d+)?) %/.exec(cell)?.[1];
  if (percent !== undefined) return Number(percent);
  const [, part, whole] = /^(\d+)\/(\d+)$/.exec(cell) ?? [];
  return whole === undefined || whole === '0' ? null : Math.round((1000 * Number(part)) / Number(whole)) / 10;
}

function plot(
  file: string,
  title: string,
  series: readonly string[],
  rows: readonly BarRow[],
  at: number,
): Plot {
  // About seven pixels a character, as far as a page is wide.
  const left = Math.min(460, 20 + 7 * Math.max(...rows.map(({ label }) => label.length)));
  const cut = (label: string) => (label.length > 62 ? `${label.slice(0, 61)}…` : label);
  const legend = series.length === 1 ? [] : series;
  const short = rows.map(({ label, values }) => ({ label: cut(label), values }));
  return { file, title, svg: `${bars(title, series, short, { left, style, legend })}\n`, at };
}

if (import.meta.main) writePages('report', makeReport());
