// The store: one interface over two engines. What is written in a transaction is on disk when it returns.

import { type MaybePromise, SallyportError } from '../core/index.ts';

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
/** The database server cannot be reached, or did not answer in time. */
export class StoreUnreachable extends StoreError {}
/** The store was removed, replaced or cut: it no longer holds what this process, or this home, knows that it held. */
export class StoreReplaced extends StoreError {}

/** The refusal of a store that does not hold what it held, with what to do about it. */
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
  /** Gives how many rows were changed. */
  run(text: string, ...values: readonly SqlValue[]): Promise<number>;
  /** Inserts rows as one statement where the engine can. */
  insert(table: string, columns: readonly string[], rows: readonly (readonly SqlValue[])[]): Promise<void>;
  /** Is called once the transaction is committed, or once it is on disk; never if it fails. */
  after(stage: 'commit' | 'disk', call: () => void): void;
}

export interface Store {
  readonly engine: 'sqlite' | 'postgres';
  /** Where it is, for messages; without a password. */
  readonly place: string;
  /** Reads one consistent state. With a tenant, rows of others do not exist. */
  read<T>(work: (sql: Sql) => Promise<T>, tenant?: string): Promise<T>;
  /**
   * Reads too, and gives again what it gave under this name before, if nobody has written anything but log entries since.
   * INVARIANT: what any process wrote before the event in which this is called counts. Nothing found (undefined) is looked
   * for again.
   */
  recall<T>(name: string, work: (sql: Sql) => Promise<T>): MaybePromise<T>;
  /**
   * One write transaction: all of `work` or nothing of it, durable when it resolves. `committed` is called when everybody
   * can read it: whatever they write then is on disk only with it.
   */
  write<T>(work: (sql: Sql) => Promise<T>, tenant?: string, committed?: () => void): Promise<T>;
  /**
   * The same, but the disk may follow: within 100 ms, or nobody writes lightly any more until it has. Only a machine that
   * loses its power forgets it, no process that dies.
   */
  writeDeferred<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** Why this store is refused, or null; an embedded store looks whether its file is still there, once a turn. */
  refused(): StoreReplaced | null;
  /**
   * Whether anything but this process may have written to the store since it last wrote itself, looked up once a turn: an
   * entry that would follow later is then committed first, and the commit checks the store.
   */
  disturbed(): boolean;
  /**
   * Refuses every write from now on, and gives the reason. INVARIANT: nothing lifts it but opening the store again: a
   * file that is put back might be a forged one.
   */
  refuse(reason: StoreReplaced): StoreReplaced;
  /** Statements of the engine that stand in no transaction, such as VACUUM. */
  outside<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** Tells everybody on this store that something happened; false where other processes find out only by looking. */
  notify(channel: string, text: string): Promise<boolean>;
  /** Hears what others tell, as far as the engine lets it be heard; gives the way to stop. */
  listen(channel: string, heard: (text: string) => void): Promise<() => void>;
  close(): Promise<void>;
}

/** Who in this process listens, by channel. */
export class Listeners {
  readonly #all = new Map<string, Set<(text: string) => void>>();

  get channels(): readonly string[] {
    return [...this.#all.keys()];
  }

  /** Listens on a channel; returns the way to stop. */
  add(channel: string, heard: (text: string) => void): () => void {
    const here = this.#all.get(channel) ?? new Set();
    this.#all.set(channel, here.add(heard));
    return () => here.delete(heard);
  }

  tell(channel: string, text: string): void {
    for (const heard of this.#all.get(channel) ?? []) heard(text);
  }
}
