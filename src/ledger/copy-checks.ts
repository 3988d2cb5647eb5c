// What moving, backing up and restoring a store have in common. Nothing counts before it is verified.

import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SallyportError } from '../core/index.ts';
import type { SqlValue } from './store.ts';
import type { Verification } from './verify.ts';

/** The place to move or back up to holds something already. */
export class NotEmpty extends SallyportError {}
/** A copy is not what it was made from, or does not verify; it was not put into use. */
export class CopyRefused extends SallyportError {}
/** Another process has the store open. */
export class StoreInUse extends SallyportError {}

/** Throws `CopyRefused` where a log does not verify, unless it is to be taken as it is. */
export function refuseProblems({ problems }: Verification, force: boolean, outcome: string): void {
  const [first] = problems;
  if (first === undefined || force) return;
  throw new CopyRefused(
    `the log does not verify (entry ${first.seq} of chain ${first.chain}: ${first.problem}); ${outcome}`,
    { hint: "see 'sallyport log verify'; --force takes it as it is" },
  );
}

/** A name of its own for a file that is being made. */
export function beside(file: string): string {
  return join(dirname(file), `.${basename(file)}.${randomBytes(8).toString('hex')}`);
}

/** Puts a file or a folder on disk. */
export function flush(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes the store one single file; throws `StoreInUse` if anybody else has it open. */
export async function alone(file: string): Promise<void> {
  const database = new DatabaseSync(file, { timeout: 1000 });
  try {
    database.exec('PRAGMA journal_mode = DELETE');
  } catch (error) {
    throw new StoreInUse(`the store ${file} is open in another process`, {
      hint: "end what uses it: 'sallyport down', and commands that wait for input",
      cause: error,
    });
  } finally {
    database.close();
  }
}

/** What a column holds, as it is written again. */
export function cell(value: unknown): SqlValue {
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}
