// Pages of a screen: what somebody answers for is shown whole before the answer is taken.

import { grouped } from '../core/text.ts';
import type { Size, Terminal } from './terminal.ts';

/** One screen of lines, and how many characters follow it. */
export interface Page {
  readonly text: string;
  readonly left: number;
}

/** A terminal that does not tell its size, and the least that is used of one that does. */
const usual: Size = { rows: 24, columns: 80 };
const least: Size = { rows: 10, columns: 40 };
/** Rows that are kept for what is asked below a page. */
const kept = 3;

/** Cuts lines into screens, each with all of its lines in sight at once; a long line goes on below itself. */
export function pagesOf(lines: readonly string[], size: Size, indent: string): readonly Page[] {
  const rows = Math.max(least.rows, size.rows || usual.rows) - kept;
  const columns = Math.max(least.columns, size.columns || usual.columns);
  const all = lines.flatMap((line) => rowsOf(line, columns, indent));
  const pages: Page[] = [];
  let left = all.reduce((count, row) => count + row.trimStart().length, 0);
  for (let at = 0; at < all.length; at += rows) {
    const shown = all.slice(at, at + rows);
    left -= shown.reduce((count, row) => count + row.trimStart().length, 0);
    pages.push({ text: `${shown.join('\n')}\n`, left });
  }
  return pages;
}

/** What is said below a page that is not the last. */
export function moreAfter({ left }: Page): string {
  return `  ${grouped(left)} characters more: Enter shows them`;
}

/** A line in rows of a screen. What is not ASCII may be twice as wide; codes of colours have no width. */
function rowsOf(line: string, columns: number, indent: string): readonly string[] {
  const rows: string[] = [];
  let row = '';
  let width = 0;
  for (const [character] of line.matchAll(/\u001b\[\d+m|./gsu)) {
    const wide = character.length > 1 && character.startsWith('\u001b') ? 0 : character > '\u007e' ? 2 : 1;
    if (width + wide > columns) {
      rows.push(row);
      row = indent;
      width = indent.length;
    }
    row += character;
    width += wide;
  }
  return [...rows, row];
}

/** Shows lines to the end, a page for each Enter; false where the person stopped before. */
export async function readWhole(
  terminal: Terminal,
  lines: readonly string[],
  indent: string,
): Promise<boolean> {
  for (const page of pagesOf(lines, terminal.size(), indent)) {
    terminal.write(page.text);
    if (page.left === 0) continue;
    // What was typed before the page stood there does not turn it.
    while ((await terminal.key(0)) !== null) {}
    terminal.write(`${moreAfter(page)}, q quit: `);
    let key = '';
    while (!/^[\r\n q]$/i.test(key)) key = (await terminal.key()) ?? '';
    terminal.write('\n');
    if (key.toLowerCase() === 'q') return false;
  }
  return true;
}
