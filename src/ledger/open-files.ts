// The files of an embedded store that is open: whether those at its path are still the ones that the engine has open.

import { type Stats, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** What happened to the files, as the rest of a sentence about the store; null where nothing did. */
export type Fault = string | null;

/** The store, its log, and the index of the log: the engine keeps all of them open as long as the store. */
const ends = ['', '-wal', '-shm'] as const;

/** Chains that have fewer or more entries than they should. */
const uneven = `SELECT 1 FROM chains
  WHERE size <> (SELECT count(*) FROM audit WHERE audit.chain = chains.chain) LIMIT 1`;

/** Where each chain ends. */
const chainEnds = 'SELECT chain, size, hash FROM chains ORDER BY chain';

export class OpenFiles {
  readonly #path: string;
  #known: readonly (Stats | undefined)[] = [];

  constructor(path: string) {
    this.#path = path;
    this.settle();
  }

  /** Takes the files as they are: this process itself has just written to them. */
  settle(): void {
    // The first transaction makes the log and its index; from then on they stay. INVARIANT: never another file.
    this.#known = this.#look().map((found, index) => {
      const known = this.#known[index];
      return movedFrom(known, found) === null ? found : known;
    });
  }

  /** Whether there is another file at the path, or none. One look at the disk. */
  moved(): Fault {
    return movedFrom(this.#known[0], look(this.#path));
  }

  /**
   * Whether any of the files was moved, or written to past the engine. INVARIANT: another process that uses the engine
   * is not taken for that: it appends to the log, and what it moves out of the log is in the store. `own` is the connection
   * in use, inside a transaction that keeps others from writing.
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

  /** Whether the store was written to, or its log cut, since this process last looked. */
  touched(): boolean {
    return this.#touchedIn(this.#look());
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
 * Counts what is there on a connection of its own, since the one in use remembers what was there: an older copy is whole
 * in itself, and its chains end elsewhere.
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
