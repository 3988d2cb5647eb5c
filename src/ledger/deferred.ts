// Entries that are acknowledged before they are committed, in a file of this process that outlives it: a process that
// is killed loses none of them. SQLite holds the file's lock until the process ends, which shows others whether it is
// running.

import { randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { InputError, parseJson } from '../core/index.ts';
import { choice, integer, json, object, optional, readShape, record, text } from '../core/shape.ts';
import { logSlackMs } from './approver-history.ts';
import { type DeferredLog, eventTypes, type NewEntry, type Recovered, type Sealed } from './audit.ts';

/**
 * The lock is held from the first statement on. Nothing is synced: a power failure may lose the file, a signal cannot.
 * A file that is unreadable afterwards contained only entries that a power failure may lose.
 */
const prepared = 'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;';
const table =
  'CREATE TABLE entries (number INTEGER PRIMARY KEY, salt TEXT NOT NULL, body TEXT NOT NULL) STRICT';

/** A file without a table is being created by its owner; after so many milliseconds its owner has exited. */
const longestMaking = 60_000;

interface OpenFile {
  readonly path: string;
  readonly database: DatabaseSync;
  readonly insert: StatementSync;
  readonly remove: StatementSync;
}

/** More than a process ever acknowledges before it commits. */
const mostLeft = 100_000;

/** Whether an entry may be acknowledged before it is committed: a decision without effect that refuses nothing. */
export function isDeferrable({
  event_type: type,
  decision,
}: Pick<NewEntry, 'event_type' | 'decision'>): boolean {
  return type === 'guard_error' || (type === 'decision' && (decision === 'pass' || decision === 'redact'));
}

/** The file of this process, made with the first entry. */
export class DeferredEntries implements DeferredLog {
  readonly #folder: string;
  #file: OpenFile | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Stores an entry, which outlives the process once this returns; returns its number. Throws if it cannot be written.
   */
  add({ salt, body }: Sealed): number {
    this.#file ??= openFile(this.#folder);
    return Number(this.#file.insert.run(salt, body).lastInsertRowid);
  }

  /** Removes entries that are committed, up to a number. */
  remove(last: number): void {
    try {
      this.#file?.remove.run(last);
    } catch {
      // A full disk. `recoverDeferred` finds the remaining entries in the log, and skips them.
    }
  }

  /** Closes the file. Entries that could not be committed stay in it, for the next process. */
  close(): void {
    const file = this.#file;
    this.#file = undefined;
    if (file === undefined) return;
    const left = file.database.prepare('SELECT count(*) AS n FROM entries').get()?.['n'];
    // INVARIANT: it is removed while its lock is held, so that no other process has found entries in it.
    if (left === 0) removeFile(file.path);
    file.database.close();
  }
}

function openFile(folder: string): OpenFile {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${randomUUID()}.db`);
  closeSync(openSync(path, 'ax', 0o600));
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec(`${prepared} ${table}`);
    return {
      path,
      database,
      insert: database.prepare('INSERT INTO entries (salt, body) VALUES (?, ?)'),
      remove: database.prepare('DELETE FROM entries WHERE number <= ?'),
    };
  } catch (error) {
    database.close();
    removeFile(path);
    throw error;
  }
}

function removeFile(path: string): void {
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(path + end, { force: true });
}

/**
 * Commits the entries that ended processes left, file by file. `commit` skips entries that are in the log already:
 * their process may have ended after the commit.
 */
export async function recoverDeferred(
  folder: string,
  now: number,
  commit: (entries: readonly Recovered[]) => Promise<void>,
): Promise<void> {
  for (const name of filesIn(folder)) {
    const path = join(folder, name);
    let database: DatabaseSync | undefined;
    try {
      database = new DatabaseSync(path, { timeout: 0 });
      const left = entriesLeft(database, path, now);
      if (left === null) continue;
      if (left.length > 0) await commit(left);
      removeFile(path);
    } finally {
      database?.close();
    }
  }
}

/** The entries of a process that has ended; null for a running one. */
function entriesLeft(database: DatabaseSync, path: string, now: number): readonly Recovered[] | null {
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE');
    const isMade = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'entries'").get() !== undefined;
    if (!isMade) return isRecent(path) ? null : [];
    return database
      .prepare('SELECT salt, body FROM entries ORDER BY number LIMIT ?')
      .all(mostLeft)
      .flatMap(({ salt, body }) => recoveredOf({ salt: String(salt), body: String(body) }, now));
  } catch (error) {
    return isDamage(error) ? [] : null;
  }
}

/**
 * The entry of a row, or undefined if it was written by another program. INVARIANT: any process of the same user can
 * leave a file here, so only plain notes are imported from it: no answer, no key, no connection, no future time.
 */
function recoveredOf(sealed: Sealed, now: number): readonly Recovered[] {
  try {
    const entry = readShape(entryShape, parseJson(sealed.body));
    return isDeferrable(entry) && entry.time <= now + logSlackMs && isSalt(sealed.salt)
      ? [{ entry, sealed }]
      : [];
  } catch (error) {
    if (error instanceof InputError) return [];
    throw error;
  }
}

const entryShape = object({
  time: integer(0, Number.MAX_SAFE_INTEGER),
  event_type: choice(eventTypes),
  user: text(),
  tenant: text(),
  agent: text(),
  decision_id: optional(text()),
  decision: optional(text()),
  details: record(json()),
});

function isSalt(salt: string): boolean {
  return /^[0-9a-f]{32}$/.test(salt);
}

function isRecent(path: string): boolean {
  const made = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return Date.now() - made < longestMaking;
}

/** SQLite's codes for a file that a power failure left damaged. */
const damaged: ReadonlySet<unknown> = new Set([11, 26]);

function isDamage(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && damaged.has(error.errcode);
}

const noFolder: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR']);

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.db'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && noFolder.has(error.code)) return [];
    throw error;
  }
}
