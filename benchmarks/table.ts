// A benchmark gives rows; a table shows ours, the peer or floor, the ratio and the goal. All that is printed is noted.

import { figureOf, printed } from './results.ts';

export interface Row {
  readonly what: string;
  readonly ours: string;
  readonly floor: string;
  readonly ratio: string;
  readonly goal: string;
  readonly met: boolean;
}

export type Benchmark = (progress: (text: string) => void) => Promise<readonly Row[]>;

/** Prints the rows; gives how many missed their goal. */
export function printTable(name: string, rows: readonly Row[]): number {
  write(
    [name, 'ours', 'peer or floor', 'ratio', 'goal', ''],
    rows.map(({ what, ours, floor, ratio, goal, met }) => [
      what,
      ours,
      floor,
      ratio,
      goal,
      met ? 'met' : 'MISSED',
    ]),
  );
  printed.rows.push(...rows.map((row) => ({ ...row, ...figureOf(row.ours) })));
  return rows.filter(({ met }) => !met).length;
}

/** Prints lines in columns under a head. */
export function printColumns(head: readonly string[], lines: readonly (readonly string[])[]): void {
  write(head, lines);
  printed.tables.push({ head, lines });
}

/** Prints a figure that stands under the tables, or what was left out. */
export function printNote(text: string): void {
  process.stdout.write(`${text}\n\n`);
  printed.notes.push(text);
}

function write(head: readonly string[], lines: readonly (readonly string[])[]): void {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...lines].map((line) => line[column]?.length ?? 0)),
  );
  const show = (line: readonly string[]) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '-'.repeat(width));
  process.stdout.write(`${[show(head), show(rule), ...lines.map(show)].join('\n')}\n\n`);
}

/** The middle of a list of numbers. */
export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** A number with three significant digits. */
export function short(value: number): string {
  return value >= 1000 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
}
