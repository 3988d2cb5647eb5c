// The embedded engine: SQLite in WAL mode, one connection, its errors named.

import { closeSync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { SallyportError } from '../core/index.ts';
import { isCurrent, migrate } from './schema.ts';
import {
  Listeners,
  type Sql,
  type Store,
  StoreDamaged,
  StoreError,
  StoreFull,
  StoreLocked,
  StoreReadOnly,
  Turns,
} from './store.ts';

/** How long one statement waits for another process's lock, in milliseconds. The event loop stands meanwhile. */
const lockWait = 250;
/** How long a transaction waits for another process in all, and how long it lets others in between. */
const lockPatience = 1500;
const lockPause = 10;

export class SqliteStore implements Store {
  readonly engine = 'sqlite';
  readonly place: string;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #turns = new Turns();
  readonly #listeners = new Listeners();
  readonly #sql: Sql;

  private constructor(path: string, database: DatabaseSync) {
    this.place = path;
    this.#database = database;
    this.#sql = {
      all: async (text, ...values) => this.#statement(text).all(...values),
      run: async (text, ...values) => Number(this.#statement(text).run(...values).changes),
      insert: async (table, columns, rows) => {
        const marks = columns.map(() => '?').join(', ');
        const statement = this.#statement(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks})`);
        for (const row of rows) statement.run(...row);
      },
    };
  }

  /** Opens the store in a file, making it and bringing its schema up to date where needed. */
  static async open(path: string): Promise<SqliteStore> {
    return await guarded(path, async () => {
      closeSync(openSync(path, 'a', 0o600));
      const store = new SqliteStore(path, new DatabaseSync(path, { timeout: lockWait }));
      try {
        // FULL: a commit is on disk when it returns. secure_delete: an erased approval leaves no bytes behind.
        store.#database.exec(
          'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;',
        );
        // Nothing is written where nothing is to be changed: another process may hold the lock right now.
        if (!(await store.read((sql) => isCurrent(sql, 'sqlite', path)))) {
          await store.write((sql) => migrate(sql, 'sqlite', path));
        }
      } catch (error) {
        await store.close();
        throw error;
      }
      return store;
    });
  }

  read<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#transaction('BEGIN', work);
  }

  write<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#transaction('BEGIN IMMEDIATE', work);
  }

  writeLightly<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#transaction('PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE', work);
  }

  #transaction<T>(begin: string, work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#turns.take(() =>
      guarded(this.place, async () => {
        try {
          await this.#begin(begin);
          const result = await work(this.#sql);
          this.#database.exec('COMMIT');
          return result;
        } catch (error) {
          if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
          throw error;
        } finally {
          if (begin.startsWith('PRAGMA')) this.#database.exec('PRAGMA synchronous = FULL');
        }
      }),
    );
  }

  /** Begins once nobody else writes. Nothing was done before it, so that it may be tried again, and others get their turn. */
  async #begin(begin: string): Promise<void> {
    for (const start = performance.now(); ; ) {
      try {
        this.#database.exec(begin);
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() - start > lockPatience) throw error;
        await new Promise((resolve) => setTimeout(resolve, lockPause));
      }
    }
  }

  outside<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#turns.take(() => guarded(this.place, () => work(this.#sql)));
  }

  /** Heard in this process alone: another one that writes to the file, such as a command, is found by looking. */
  async notify(channel: string, text: string): Promise<boolean> {
    this.#listeners.tell(channel, text);
    return false;
  }

  async listen(channel: string, heard: (text: string) => void): Promise<() => void> {
    return this.#listeners.add(channel, heard);
  }

  async close(): Promise<void> {
    await this.#turns.take(async () => {
      if (this.#database.isOpen) this.#database.close();
    });
  }

  #statement(text: string): StatementSync {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.#database.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
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

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === busy;
}

async function guarded<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw named(error, path);
  }
}

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
