// Copies a store into a backup: one file, which gets its name once it is complete.

import { closeSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../core/index.ts';
import { alone, beside, CopyRefused, flush, NotEmpty } from './copy-checks.ts';
import type { VerifyingKey } from './keys.ts';
import { SqliteStore } from './sqlite.ts';
import type { Store } from './store.ts';
import { type Verification, verifyStore } from './verify.ts';

/** The content of a backup. */
export interface BackedUp {
  readonly file: string;
  readonly bytes: number;
  readonly verification: Verification;
}

/**
 * Writes one consistent state of an embedded store into a new file, while others continue to write, and verifies the
 * copy. The file gets its name only once it is complete; one with problems is retained, because it may be the only copy
 * left.
 */
export async function backUp(
  store: Store,
  file: string,
  keys: () => Promise<ReadonlyMap<string, VerifyingKey>>,
  progress: (entries: number) => void = () => undefined,
): Promise<BackedUp> {
  reserve(file);
  const temporary = beside(file);
  try {
    // SQLite fills an existing empty file, so it is never readable by others.
    closeSync(openSync(temporary, 'wx', 0o600));
    await store.outside((sql) => sql.run('VACUUM INTO ?', temporary));
    const copy = await SqliteStore.open(temporary);
    let verification: Verification;
    try {
      verification = await verifyStore(copy, { keys: await keys(), progress });
    } finally {
      await copy.close();
    }
    await alone(temporary);
    flush(temporary);
    renameSync(temporary, file);
    flush(dirname(file));
    return { file, bytes: statSync(file).size, verification };
  } catch (error) {
    for (const path of [temporary, `${temporary}-wal`, `${temporary}-shm`, file])
      rmSync(path, { force: true });
    throw error;
  }
}

/** Copies an embedded store unchanged, whatever version its tables are; its content is neither read nor checked. */
export function copyStore(from: string, to: string): void {
  reserve(to);
  const database = new DatabaseSync(from, { readOnly: true });
  try {
    database.prepare('VACUUM INTO ?').run(to);
  } finally {
    database.close();
  }
  flush(to);
}

/** Reserves an unused name, so that a later write overwrites no file of others. */
function reserve(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    if (exists) throw new NotEmpty(`${file} exists already`, { hint: 'choose another name', cause: error });
    throw new CopyRefused(`${file} cannot be written: ${messageOf(error)}`, { cause: error });
  }
}
