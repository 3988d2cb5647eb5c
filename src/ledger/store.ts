// The store: one interface over two engines. Data written in a transaction is on disk when it returns.

import { type MaybePromise, SallyportError } from '../core/index.ts';

/** The store cannot be used now; nothing was written. */
export class StoreError extends SallyportError {}
/** Another process holds the store's lock for too long. */
export class StoreLocked extends StoreError {}
/** The disk, or the store's quota on it, is full. */
export class StoreFull extends StoreError {}
/** The file is not a store, or is damaged. */
export class StoreDamaged extends StoreError {}
/** The disk or the file cannot be written. */
export class StoreReadOnly extends StoreError {}
/** The store was made by a newer Sallyport. */
export class StoreNewer extends StoreError {}
/** The database server cannot be reached, or did not answer in time. */
export class StoreUnreachable extends StoreError {}
/**
 * The store was removed, replaced or truncated: it lacks entries that this process, or this home, knows it contained.
 */
export class StoreReplaced extends StoreError {}

/** The refusal of a store that lost entries, with the next step for the user. */
export function replaced(what: string): StoreReplaced {
  return new StoreReplaced(`${what}. Nothing is allowed until it is restored, or the loss is accepted`, {
    hint: "stop the daemon first: 'sallyport down'; then put the ledger back ('sallyport store restore FILE'), or accept the loss ('sallyport store accept-loss')",
  });
}

export type SqlValue = string | number | null;
export type Row = Readonly<Record<string, unknown>>;

/** Statements inside one read or one transaction; `?` stands for a value. */
export interface Sql {
  all(text: string, ...values: readonly SqlValue[]): Promise<readonly Row[]>;
  /** Returns the number of changed rows. */
  run(text: string, ...values: readonly SqlValue[]): Promise<number>;
  /** Inserts rows as one statement where the engine can. */
  insert(table: string, columns: readonly string[], rows: readonly (readonly SqlValue[])[]): Promise<void>;
  /** Called once the transaction is committed, or once it is on disk; never if it fails. */
  after(stage: 'commit' | 'disk', call: () => void): void;
}

export interface Store {
  readonly engine: 'sqlite' | 'postgres';
  /** Its location, for messages; without a password. */
  readonly place: string;
  /** Reads one consistent state. With a tenant, rows of others are invisible. */
  read<T>(work: (sql: Sql) => Promise<T>, tenant?: string): Promise<T>;
  /**
   * Reads too, and returns the cached result of this name, if only log entries were written since. INVARIANT: every
   * write by any process before the event in which this is called is seen. A missing result (undefined) is not cached.
   */
  recall<T>(name: string, work: (sql: Sql) => Promise<T>): MaybePromise<T>;
  /**
   * One write transaction: all of `work` or nothing of it, durable when it resolves. `committed` is called when it is
   * visible to all readers: their later writes are on disk only with it.
   */
  write<T>(work: (sql: Sql) => Promise<T>, tenant?: string, committed?: () => void): Promise<T>;
  /**
   * The same, but the sync may follow: within 100 ms, or further deferred writes wait until it is done. Only a power
   * failure loses the write, not a process that dies.
   */
  writeDeferred<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /**
   * The reason why this store is refused, or null; an embedded store checks that its file still exists, once a turn.
   */
  refused(): StoreReplaced | null;
  /**
   * Whether another process may have written to the store since the last write of this one, checked once a turn: an
   * entry that would be deferred is then committed first, and the commit checks the store.
   */
  disturbed(): boolean;
  /**
   * Refuses every write from now on, with the reason. INVARIANT: only opening the store again lifts it: a file that is
   * put back might be forged.
   */
  refuse(reason: StoreReplaced): StoreReplaced;
  /** Statements of the engine that run outside a transaction, such as VACUUM. */
  outside<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** Notifies all processes on this store; false if other processes have to poll. */
  notify(channel: string, text: string): Promise<boolean>;
  /** Subscribes to notifications, as far as the engine supports it; returns the function to unsubscribe. */
  listen(channel: string, heard: (text: string) => void): Promise<() => void>;
  close(): Promise<void>;
}

/** The listeners in this process, by channel. */
export class Listeners {
  readonly #all = new Map<string, Set<(text: string) => void>>();

  get channels(): readonly string[] {
    return [...this.#all.keys()];
  }

  /** Listens on a channel; returns the function to stop. */
  add(channel: string, heard: (text: string) => void): () => void {
    const here = this.#all.get(channel) ?? new Set();
    this.#all.set(channel, here.add(heard));
    return () => here.delete(heard);
  }

  tell(channel: string, text: string): void {
    for (const heard of this.#all.get(channel) ?? []) heard(text);
  }
}
