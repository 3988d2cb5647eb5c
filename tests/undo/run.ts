// Plays histories with a program in a throw-away machine: bubblewrap with nothing of this one writable.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { rowsOf, throwawayMachine } from '../support/throwaway.ts';
import { histories } from './histories.ts';
import type { Row } from './history.ts';
import type { Order } from './inside.ts';

/** This checkout. */
export const root = dirname(dirname(import.meta.dirname));

/** Builds the command line of a checkout into a folder of its own, and leaves the checkout as it is. */
export function buildProgram(source: string): { readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-program-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  cpSync(join(source, 'bin'), join(folder, 'bin'), { recursive: true });
  cpSync(join(source, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(source, 'node_modules'), join(folder, 'node_modules'));
  const words = [join(source, 'scripts/build.mjs'), join(folder, 'dist')];
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: source, encoding: 'utf8' });
  if (status !== 0 || !existsSync(join(folder, 'dist', 'cli.cjs'))) {
    remove();
    throw new Error(`the command line of ${source} could not be built: ${stderr}`);
  }
  return { folder, remove };
}

/** Plays histories with the program in a folder; throws if the process ended before all were played. */
export async function playAll(
  program: string,
  chosen: readonly number[],
  seen?: (row: Row) => void,
): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-undo-'));
  try {
    const { args } = throwawayMachine(folder, [root, program]);
    const order: Order = { program, histories: chosen };
    const inside = join(import.meta.dirname, 'inside.ts');
    const rows = await rowsOf<Row>('bwrap', [...args, process.execPath, inside, JSON.stringify(order)], seen);
    if (rows.length < chosen.length) {
      throw new Error(`the process ended before ${chosen.length - rows.length} histories were played`);
    }
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The places of the histories whose names hold a text. */
export function placesOf(text: string): readonly number[] {
  return histories.flatMap(({ name, group }, index) => (`${group}: ${name}`.includes(text) ? [index] : []));
}
