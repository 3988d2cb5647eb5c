// The embedded engine: SQLite in WAL mode, one connection, its errors named. Syncs run outside of the engine, so that
// they do not block other work, and concurrent commits share one sync.

import { closeSync, fdatasync, fsyncSync, openSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { type MaybePromise, SallyportError } from '../core/index.ts';
import { Turns } from '../core/ready.ts';
import { isCurrent, migrate } from './schema.ts';
import {
  Listeners,
  replaced,
  type Sql,
  type Store,
  StoreDamaged,
  StoreError,
  StoreFull,
  StoreLocked,
  StoreReadOnly,
  type StoreReplaced,
} from './store.ts';

// ── The files of an open embedded store: whether those at its path are still the ones that the engine has open.

/** What happened to the files, as the rest of a sentence about the store; null if nothing did. */
type Fault = string | null;

/** The store, its log, and the index of the log: the engine keeps all of them open with the store. */
const ends = ['', '-wal', '-shm'] as const;

/** Chains that have fewer or more entries than they should. */
const uneven = `SELECT 1 FROM chains
  WHERE size <> (SELECT count(*) FROM audit WHERE audit.chain = chains.chain) LIMIT 1`;

/** The end of each chain. */
const chainEnds = 'SELECT chain, size, hash FROM chains ORDER BY chain';

/** Checks that run once for each turn of the event loop: commits of others, the path of the store, its files. */
type Looked = 'commits' | 'place' | 'files';

class OpenFiles {
  readonly #path: string;
  #known: readonly (Stats | undefined)[] = [];

  constructor(path: string) {
    this.#path = path;
    this.settle();
  }

  /** Records the current state of the files: this process itself has just written to them. */
  settle(): void {
    // The first transaction creates the log and its index; from then on they stay. INVARIANT: never another file.
    this.#known = this.#look().map((found, index) => {
      const known = this.#known[index];
      return movedFrom(known, found) === null ? found : known;
    });
  }

  /** Whether there is another file at the path, or none. One system call. */
  moved(): Fault {
    return movedFrom(this.#known[0], look(this.#path));
  }

  /**
   * Whether any of the files was moved, or written without the engine. INVARIANT: another process that uses the engine
   * is not mistaken for that: it appends to the log, and a checkpoint moves log content into the store. `own` is the
   * connection in use, inside a transaction that blocks other writers.
   */
  changed(own: DatabaseSync): Fault {
    const found = this.#look();
    for (const [index, known] of this.#known.entries()) {
      const fault = movedFrom(known, found[index]);
      if (fault !== null) return index === 0 ? fault : `lost its ${ends[index]} file, which ${fault}`;
    }
    if (!this.#touchedIn(found)) return null;
    if (!isWhole(this.#path, own)) return 'was overwritten';
    this.settle();
    return null;
  }

  /** Whether the store was written to, or its log truncated, since the last check of this process. */
  touched(): boolean {
    return this.#touchedIn([look(this.#path), look(`${this.#path}-wal`)]);
  }

  #touchedIn([main, log]: readonly (Stats | undefined)[]): boolean {
    const [knownMain, knownLog] = this.#known;
    const asBefore =
      main?.size === knownMain?.size &&
      main?.mtimeMs === knownMain?.mtimeMs &&
      (log?.size ?? 0) >= (knownLog?.size ?? 0);
    return !asBefore;
  }

  #look(): readonly (Stats | undefined)[] {
    return ends.map((end) => look(`${this.#path}${end}`));
  }
}

function look(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function movedFrom(known: Stats | undefined, found: Stats | undefined): Fault {
  if (known === undefined) return null;
  if (found === undefined) return 'was removed';
  return found.ino === known.ino && found.dev === known.dev ? null : 'was replaced';
}

/**
 * Counts the entries on a separate connection, since the one in use has cached pages: an older copy is complete in
 * itself, and its chains end elsewhere.
 */
function isWhole(path: string, own: DatabaseSync): boolean {
  try {
    const database = new DatabaseSync(path, { readOnly: true, timeout: 1000 });
    try {
      const ends = (connection: DatabaseSync) => JSON.stringify(connection.prepare(chainEnds).all());
      return database.prepare(uneven).get() === undefined && ends(database) === ends(own);
    } finally {
      database.close();
    }
  } catch {
    return false;
  }
}

// ── the engine

/** How long one statement waits for another process's lock, in milliseconds. The event loop is blocked meanwhile. */
const lockWait = 250;
/** How long a transaction waits for another process in all, and how long it yields in between. */
const lockPatience = 1500;
const lockPause = 10;

/** When deferred writes are synced, in milliseconds; all within that time share one sync. */
const lightTrail = 50;
/** Timeout of that sync; after it, deferred writes wait for it. */
const lightPatience = 50;

/** Statements that do not invalidate cached reads: queries, and writes to the log and its own tables. */
const leavesMemory =
  /^(?:SELECT|PRAGMA data_version$|(?:INSERT INTO|UPDATE|DELETE FROM) (?:audit|facets|chains|heads|open_work)\b)/;
/** Maximum number of cached reads. */
const mostRemembered = 1000;

/** Waits until data written to a file is on disk. */
export type Sync = (descriptor: number) => Promise<void>;

const toDisk: Sync = promisify(fdatasync);

export class SqliteStore implements Store {
  readonly engine = 'sqlite';
  readonly place: string;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, { readonly statement: StatementSync; readonly leaves: boolean }>();
  readonly #turns = new Turns();
  readonly #listeners = new Listeners();
  readonly #sql: Sql;
  readonly #sync: Sync;
  /** The write-ahead log; synced content is not lost. */
  #log: number | undefined;
  /** Cached reads, by name; of the version that the store had then. */
  readonly #memory = new Map<string, unknown>();
  #version: unknown;
  /** The checks done in this turn of the event loop. */
  readonly #looked = new Set<Looked>();
  #syncing: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #light: NodeJS.Timeout | undefined;
  /** The sync that covers all deferred writes, and when it started. */
  #following: { readonly since: number; readonly done: Promise<void> } | undefined;
  /** The error of a deferred sync; the next write fails with it. */
  #lost: { readonly reason: unknown } | undefined;
  /** Callbacks for when the current transaction is committed, and for when it is on disk. */
  #afterwards: { readonly commit: (() => void)[]; readonly disk: (() => void)[] } = { commit: [], disk: [] };
  /** Callbacks for when all earlier commits are on disk. */
  #undisked: (() => void)[] = [];
  /** Whether a sync ever failed: a later success says nothing about data lost by then. */
  #diskFailed = false;
  #files: OpenFiles | undefined;
  #refused: StoreReplaced | null = null;
  #isDisturbed = false;
  /** The count of other connections' commits when this one last wrote. */
  #written: unknown;

  private constructor(path: string, database: DatabaseSync, sync: Sync) {
    this.place = path;
    this.#database = database;
    this.#sync = sync;
    this.#sql = {
      all: async (text, ...values) => this.#statement(text).all(...values),
      run: async (text, ...values) => Number(this.#statement(text).run(...values).changes),
      insert: async (table, columns, rows) => {
        const marks = columns.map(() => '?').join(', ');
        const statement = this.#statement(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks})`);
        for (const row of rows) statement.run(...row);
      },
      after: (stage, call) => void this.#afterwards[stage].push(call),
    };
  }

  /** Opens the store in a file, creating it and migrating its schema if needed. */
  static async open(path: string, sync: Sync = toDisk): Promise<SqliteStore> {
    return await guarded(path, async () => {
      closeSync(openSync(path, 'a', 0o600));
      const store = new SqliteStore(path, new DatabaseSync(path, { timeout: lockWait }), sync);
      try {
        // NORMAL: a commit is in the log when it returns, in order, and `write` runs the sync itself.
        // secure_delete: an erased approval leaves no bytes behind.
        store.#database.exec(
          'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;',
        );
        // Nothing is written if nothing is to be changed: another process may hold the lock right now.
        if (!(await store.read((sql) => isCurrent(sql, 'sqlite', path)))) {
          await store.write((sql) => migrate(sql, 'sqlite', path));
        }
        store.#files = new OpenFiles(path);
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

  recall<T>(name: string, work: (sql: Sql) => Promise<T>): MaybePromise<T> {
    try {
      // INVARIANT: inside a transaction of ours the store looks as it did when that began, whatever others wrote since.
      if (!this.#database.isTransaction) {
        this.#forgetOlder();
        const known = this.#memory.get(name);
        // INVARIANT: a name is used with one type only.
        if (known !== undefined) return known as T;
      }
    } catch (error) {
      return Promise.reject(named(error, this.place));
    }
    return this.read(async (sql) => {
      this.#forgetOlder();
      const found = await work(sql);
      if (this.#memory.size >= mostRemembered) this.#memory.clear();
      if (found !== undefined) this.#memory.set(name, found);
      return found;
    });
  }

  /**
   * The engine counts commits of other connections; writes of this one are counted where they are made. INVARIANT: one
   * check is enough for one turn of the event loop. Requests that are answered in a turn had arrived when it began, so
   * that a request sent after another process's commit is answered in a later turn, which checks again.
   */
  #forgetOlder(): void {
    if (!this.#isFirst('commits')) return;
    const version = this.#foreignCommits();
    if (version === this.#version) return;
    this.#version = version;
    this.#memory.clear();
  }

  #foreignCommits(): unknown {
    return this.#statement('PRAGMA data_version').get()?.['data_version'];
  }

  disturbed(): boolean {
    if (this.#isFirst('files'))
      this.#isDisturbed = this.#foreignCommits() !== this.#written || this.#files?.touched() === true;
    return this.#isDisturbed;
  }

  refused(): StoreReplaced | null {
    if (this.#refused === null && this.#isFirst('place')) this.#refuseFor(this.#files?.moved() ?? null);
    return this.#refused;
  }

  /** Whether this is the first check of its kind in this turn of the event loop. */
  #isFirst(what: Looked): boolean {
    if (this.#looked.has(what)) return false;
    if (this.#looked.size === 0) setImmediate(() => this.#looked.clear());
    this.#looked.add(what);
    return true;
  }

  refuse(reason: StoreReplaced): StoreReplaced {
    this.#refused ??= reason;
    return this.#refused;
  }

  #refuseFor(fault: Fault): void {
    if (fault !== null)
      this.refuse(replaced(`The ledger at ${this.place} ${fault} while Sallyport was running`));
  }

  async write<T>(work: (sql: Sql) => Promise<T>, _tenant?: string, committed?: () => void): Promise<T> {
    const result = await this.#transaction('BEGIN IMMEDIATE', work);
    committed?.();
    await guarded(this.place, () => this.#onDisk());
    // The system reports a lost write once, and then continues as if nothing had happened.
    this.#tellLost();
    return result;
  }

  /**
   * INVARIANT: while the disk hangs or has lost a write, nothing is written beyond what the disk was to receive
   * already.
   */
  async writeDeferred<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const { since = Infinity, done } = this.#following ?? {};
    if (performance.now() - since > lightPatience) await done;
    this.#tellLost();
    const result = await this.#transaction('BEGIN IMMEDIATE', work);
    this.#light ??= setTimeout(() => this.#follow(), lightTrail).unref();
    return result;
  }

  /** Syncs deferred writes; the next write fails if the sync failed. */
  #follow(): void {
    this.#light = undefined;
    const since = this.#following?.since ?? performance.now();
    const done = guarded(this.place, () => this.#onDisk())
      .catch((reason: unknown) => {
        this.#lost = { reason };
      })
      .finally(() => {
        if (this.#following === following) this.#following = undefined;
      });
    const following = { since, done };
    this.#following = following;
  }

  #tellLost(): void {
    const lost = this.#lost;
    this.#lost = undefined;
    if (lost !== undefined) throw lost.reason;
  }

  /**
   * Waits for a sync. INVARIANT: one that began before a commit does not cover it; the next one covers all waiting
   * commits.
   */
  #onDisk(): Promise<void> {
    if (this.#syncing !== undefined) {
      this.#next ??= this.#syncing.catch(() => undefined).then(() => this.#onDisk());
      return this.#next;
    }
    this.#next = undefined;
    this.#log ??= openLog(this.place);
    const before = this.#undisked;
    this.#undisked = [];
    const sync = async (log: number) => {
      try {
        await this.#sync(log);
      } catch (error) {
        this.#diskFailed = true;
        throw error;
      } finally {
        this.#syncing = undefined;
      }
      // INVARIANT: callbacks run only for commits that are on disk, with everything before them. That is unknown after
      // a failure.
      if (!this.#diskFailed) for (const call of before) call();
    };
    this.#syncing = sync(this.#log);
    return this.#syncing;
  }

  #transaction<T>(begin: string, work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#turns.take(() =>
      guarded(this.place, async () => {
        this.#afterwards = { commit: [], disk: [] };
        const writes = begin !== 'BEGIN';
        if (writes && this.#refused !== null) throw this.#refused;
        try {
          await this.#begin(begin);
          if (writes) this.#stillOurs();
          if (writes) this.#written = this.#foreignCommits();
          const result = await work(this.#sql);
          this.#database.exec('COMMIT');
          if (writes) this.#committed();
          return result;
        } catch (error) {
          if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
          throw error;
        }
      }),
    );
  }

  /**
   * INVARIANT: nothing is written to a file that is not at the store's path any more, or that was overwritten there.
   */
  #stillOurs(): void {
    this.#refuseFor(this.#files?.changed(this.#database) ?? null);
    if (this.#refused !== null) throw this.#refused;
  }

  #committed(): void {
    // A commit may trigger a checkpoint of the log into the store.
    this.#files?.settle();
    const { commit, disk } = this.#afterwards;
    for (const call of commit) call();
    this.#undisked.push(...disk);
  }

  /**
   * Begins once no other process writes. Nothing was done before it, so that it can be retried, and yields in between.
   */
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
    return this.#turns.take(() =>
      guarded(this.place, async () => {
        const result = await work(this.#sql);
        this.#files?.settle();
        return result;
      }),
    );
  }

  /** Notifies this process alone: a write by another one, such as a command, is found by polling. */
  async notify(channel: string, text: string): Promise<boolean> {
    this.#listeners.tell(channel, text);
    return false;
  }

  async listen(channel: string, heard: (text: string) => void): Promise<() => void> {
    return this.#listeners.add(channel, heard);
  }

  async close(): Promise<void> {
    await this.#turns.take(async () => {
      const following = this.#light !== undefined;
      clearTimeout(this.#light);
      this.#light = undefined;
      try {
        // Another process may have the store open, and then closing it does not sync; nothing else reports a failure.
        if (following) await guarded(this.place, () => this.#onDisk());
        else await (this.#next ?? this.#syncing)?.catch(() => undefined);
      } finally {
        if (this.#log !== undefined) closeSync(this.#log);
        this.#log = undefined;
        if (this.#database.isOpen) this.#database.close();
      }
    });
  }

  #statement(text: string): StatementSync {
    let known = this.#statements.get(text);
    if (known === undefined) {
      known = { statement: this.#database.prepare(text), leaves: leavesMemory.test(text) };
      this.#statements.set(text, known);
    }
    if (!known.leaves) this.#memory.clear();
    return known.statement;
  }
}

/** The log of a store that was just written; its directory entry must be on disk too. */
function openLog(path: string): number {
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
  return openSync(`${path}-wal`, 'r');
}

/** SQLite's primary result codes that have an error name of ours. */
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

/** Converts an error of the engine or the file system to a named one; others stay unchanged. */
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
      options('make room; until then nothing that needs a record is allowed'),
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
