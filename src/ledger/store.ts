// The embedded store: SQLite in WAL mode, one schema, versioned and forward only, with errors that have names.

import { closeSync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { SallyportError } from '../core/index.ts';

/** The store cannot be used now; nothing was written. */
export class StoreError extends SallyportError {}
/** Another process holds the store's lock for too long. */
export class StoreLocked extends StoreError {}
/** The disk, or the room that the store may take on it, is full. */
export class StoreFull extends StoreError {}
/** The file is not a store, or is damaged. */
export class StoreDamaged extends StoreError {}
/** The disk or the file cannot be written. */
export class StoreReadOnly extends StoreError {}
/** The store was made by a newer Sallyport. */
export class StoreNewer extends StoreError {}

/** Each step takes the schema one version up; steps are never edited once released. */
const migrations: readonly string[] = [
  `
  CREATE TABLE audit (
    seq INTEGER PRIMARY KEY,
    time INTEGER NOT NULL,
    event_type TEXT NOT NULL,
    user TEXT NOT NULL,
    tenant TEXT NOT NULL,
    agent TEXT NOT NULL,
    decision_id TEXT,
    decision TEXT,
    body TEXT NOT NULL,
    hash BLOB NOT NULL
  ) STRICT;
  CREATE INDEX audit_by_tenant ON audit (tenant, seq);
  CREATE INDEX audit_by_decision_id ON audit (decision_id) WHERE decision_id IS NOT NULL;
  CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit
    BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
  CREATE TRIGGER audit_is_never_deleted BEFORE DELETE ON audit
    BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

  CREATE TABLE approvals (
    id TEXT PRIMARY KEY,
    binding TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'denied', 'used', 'expired')),
    user TEXT NOT NULL,
    tenant TEXT NOT NULL,
    agent TEXT NOT NULL,
    decision_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    answered_at INTEGER,
    answered_by TEXT,
    signature TEXT,
    sealed BLOB
  ) STRICT;
  CREATE UNIQUE INDEX approvals_live ON approvals (binding) WHERE state IN ('pending', 'approved', 'denied');
  CREATE INDEX approvals_by_tenant ON approvals (tenant, state);

  CREATE TABLE grants (
    id TEXT PRIMARY KEY,
    effect TEXT NOT NULL,
    user TEXT NOT NULL,
    tenant TEXT NOT NULL,
    agent TEXT NOT NULL,
    workspace TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    revoked_at INTEGER,
    signature TEXT NOT NULL
  ) STRICT;
  CREATE INDEX grants_by_effect ON grants (tenant, user, workspace, effect);

  CREATE TABLE credentials (
    id TEXT PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    scope TEXT NOT NULL CHECK (scope IN ('decide', 'approve', 'admin')),
    user TEXT NOT NULL,
    tenant TEXT NOT NULL,
    agent TEXT,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
  ) STRICT;
  `,
];

/** How long one statement waits for another process's lock, in milliseconds. The event loop stands meanwhile. */
const lockWait = 250;

export class Store {
  readonly path: string;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(path: string) {
    this.path = path;
    this.#database = this.#guarded(() => {
      closeSync(openSync(path, 'a', 0o600));
      return new DatabaseSync(path, { timeout: lockWait });
    });
    try {
      this.#guarded(() => this.#prepare());
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /** The prepared statement of a text, kept for the next call. */
  statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#guarded(() => this.#database.prepare(sql));
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** Reads; errors of the engine come out named. */
  read<T>(work: () => T): T {
    return this.#guarded(work);
  }

  /** One write transaction, durable when it returns: all of `work` or nothing of it. */
  write<T>(work: () => T): T {
    return this.#guarded(() => {
      this.#database.exec('BEGIN IMMEDIATE');
      try {
        const result = work();
        this.#database.exec('COMMIT');
        return result;
      } catch (error) {
        if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
        throw error;
      }
    });
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #prepare(): void {
    // FULL: a commit is on disk when it returns. secure_delete: an erased approval leaves no bytes behind.
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;');
    if (this.#version() === migrations.length) return;
    this.write(() => {
      const version = this.#version();
      if (version > migrations.length) {
        throw new StoreNewer(
          `the store ${this.path} has schema ${version}; this Sallyport knows ${migrations.length}`,
          {
            hint: 'use the Sallyport that made it, or a newer one; nothing was changed',
          },
        );
      }
      for (const step of migrations.slice(version)) this.#database.exec(step);
      this.#database.exec(`PRAGMA user_version = ${migrations.length}`);
    });
  }

  #version(): number {
    return Number(this.#database.prepare('PRAGMA user_version').get()?.['user_version']);
  }

  #guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw named(error, this.path);
    }
  }
}

/** SQLite's primary result codes that have a name of ours. */
const busy = 5;
const locked = 6;
const readOnly = 8;
const corrupt = 11;
const full = 13;
const cannotOpen = 14;
const notADatabase = 26;

/** Turns an error of the engine or the file system into a named one; others stay as they are. */
function named(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || error instanceof SallyportError) return error;
  const engineCode =
    'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
  const systemCode = 'code' in error ? error.code : undefined;
  const options = (hint: string) => ({ hint, cause: error });
  if (engineCode === busy || engineCode === locked) {
    return new StoreLocked(
      `the store ${path} is locked by another process`,
      options('wait for that process or end it; nothing was written'),
    );
  }
  if (engineCode === full || systemCode === 'ENOSPC') {
    return new StoreFull(
      `the disk that holds the store ${path} is full`,
      options('make room; until then nothing that needs a record is let go'),
    );
  }
  if (engineCode === corrupt || engineCode === notADatabase) {
    return new StoreDamaged(
      `the store ${path} is damaged or is not a Sallyport store`,
      options('move the file away or restore a copy of it; it was left as it is'),
    );
  }
  if (
    engineCode === readOnly ||
    engineCode === cannotOpen ||
    systemCode === 'EROFS' ||
    systemCode === 'EACCES' ||
    systemCode === 'EPERM'
  ) {
    return new StoreReadOnly(
      `the store ${path} cannot be opened for writing`,
      options('check the permissions of its folder and that the disk is writable'),
    );
  }
  if (engineCode !== undefined || systemCode !== undefined) {
    return new StoreError(`the store ${path} failed: ${error.message}`, { cause: error });
  }
  return error;
}
