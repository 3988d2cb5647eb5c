// Checks that moving, backing up and restoring a store share. A copy is not used before it is verified.

import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SallyportError } from '../core/index.ts';
import type { SqlValue } from './store.ts';
import type { Verification } from './verify.ts';

/** The target of a move or backup is not empty. */
export class NotEmpty extends SallyportError {}
/** A copy differs from its source, or does not verify; it was not put into use. */
export class CopyRefused extends SallyportError {}
/** Another process has the store open. */
export class StoreInUse extends SallyportError {}

/** Throws `CopyRefused` if a log does not verify, unless it is to be copied unverified. */
export function refuseProblems({ problems }: Verification, force: boolean, outcome: string): void {
  const [first] = problems;
  if (first === undefined || force) return;
  throw new CopyRefused(
    `the log does not verify (entry ${first.seq} of chain ${first.chain}: ${first.problem}); ${outcome}`,
    { hint: "see 'sallyport log verify'; --force takes it as it is" },
  );
}

/** A unique name for a file that is being created. */
export function beside(file: string): string {
  return join(dirname(file), `.${basename(file)}.${randomBytes(8).toString('hex')}`);
}

/** Flushes a file or a folder to disk. */
export function flush(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes the store one single file; throws `StoreInUse` if another process has it open. */
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

/** The value of a column, ready to be written again. */
export function cell(value: unknown): SqlValue {
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}
