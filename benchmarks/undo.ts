// npm run eval undo [-- --base DIR] [--only TEXT] [--program DIR] [--misses]: how many histories of agents and people undo
// brings back exactly, and how many files of the person it touches. With --base also those of another checkout.

import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { groups, type Row } from '../tests/undo/history.ts';
import { buildProgram, placesOf, playAll, root } from '../tests/undo/run.ts';
import { option } from './results.ts';
import { printColumns, printNote } from './table.ts';

/** How many histories there must be at least, and how many with edits of the person. */
const least = { histories: 60, person: 15 };

export async function undoAccuracy(progress: (text: string) => void): Promise<boolean> {
  const chosen = placesOf(option('--only') ?? '');
  const rows = await played(root, option('--program'), chosen, progress);
  const base = option('--base');
  if (base !== undefined) {
    const source = realpathSync(resolve(base));
    print('undo of the base', await played(source, undefined, chosen, progress));
  }
  print('undo', rows);
  const enough =
    option('--only') !== undefined ||
    (rows.length >= least.histories && rows.filter(({ person }) => person).length >= least.person);
  if (!enough) printNote('There are fewer histories than the goal asks for.');
  return enough && rows.length > 0 && rows.every(isExact);
}

async function played(
  source: string,
  program: string | undefined,
  chosen: readonly number[],
  progress: (text: string) => void,
): Promise<readonly Row[]> {
  progress(`${chosen.length} histories with ${source}`);
  const built =
    program === undefined ? buildProgram(source) : { folder: resolve(program), remove: () => undefined };
  try {
    return await playAll(built.folder, chosen, (row) => {
      if (isExact(row)) return;
      progress(
        `${row.group}: ${row.name}: ${[...row.wrong, ...row.touched.map(asTouched)].slice(0, 6).join('; ')}`,
      );
      if (process.argv.includes('--misses')) progress(row.said);
    });
  } finally {
    built.remove();
  }
}

function isExact({ wrong, touched }: Row): boolean {
  return wrong.length + touched.length === 0;
}

function asTouched(path: string): string {
  return `${path} (the person's)`;
}

function print(title: string, rows: readonly Row[]): void {
  const lineOf = (name: string, some: readonly Row[]) => [
    name,
    ...[
      some.length,
      some.filter(isExact).length,
      some.filter(({ person }) => person).length,
      some.reduce((sum, { touched }) => sum + touched.length, 0),
    ].map(String),
  ];
  const lines = groups.map((group) =>
    lineOf(
      group,
      rows.filter((row) => row.group === group),
    ),
  );
  const head = [title, 'histories', 'exact', 'with edits of the person', 'files of the person touched'];
  printColumns(head, [...lines, lineOf('all', rows)]);
}
