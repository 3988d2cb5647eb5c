// The newest entry of the own chain, stored beside the keys: the store must contain it whenever it is opened.

import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { readRegularFile } from '../config/index.ts';
import {
  canonicalJson,
  InputError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from '../core/index.ts';
import type { Pin } from './approvers.ts';
import { genesis, type Tail } from './audit.ts';
import { type Row, replaced, type Store, type StoreReplaced } from './store.ts';

/** One entry of one store: the location of that store, its identity, and the entry. */
export interface PinnedHead extends Tail {
  readonly place: string;
  readonly store: string;
  readonly chain: string;
  /** The record of the approvers, once there is a first one. */
  readonly approvers?: Pin;
}

/** The store and the chain of a head. */
type Where = Pick<PinnedHead, 'place' | 'store' | 'chain'>;

/**
 * Longest delay before a newer head is written, in milliseconds: one write to the disk for all entries of that time.
 */
const trail = 1000;

/** A keyed hash by a key of the store, which moves with the store. */
export type Mac = (text: string) => string;

/** The file with the heads, each with a keyed hash. */
export class HeadFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** The stored heads, and the problem of the file itself. */
  read(): HeadFileContent {
    try {
      const text = readRegularFile(this.path);
      return { heads: text === null ? [] : readHeads(parseJson(text)), damage: null };
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      const what = `The file ${this.path}, which says what the ledger must hold, was overwritten`;
      return { heads: [], damage: replaced(what) };
    }
  }

  /** Stores a head, replacing the previous one of its store; atomically, and on disk before it is used. */
  async write(head: PinnedHead, mac: Mac): Promise<void> {
    const others = this.read().heads.filter(({ place }) => place !== head.place);
    const text = JSON.stringify({ version: 1, heads: [...others, { ...head, mac: mac(textOf(head)) }] });
    const temporary = join(dirname(this.path), `.${basename(this.path)}.${randomBytes(8).toString('hex')}`);
    try {
      const file = await open(temporary, 'wx', 0o600);
      try {
        await file.writeFile(`${text}\n`);
        await file.datasync();
      } finally {
        await file.close();
      }
      await rename(temporary, this.path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  /** Whether a head of the same chain is stored that is at least as new. */
  hasAsNew({ place, store, chain, seq, approvers }: PinnedHead, mac: Mac): boolean {
    const kept = this.read().heads.find((head) => head.place === place);
    if (kept === undefined || kept.mac !== mac(textOf(kept))) return false;
    const isSame = kept.approvers?.record === approvers?.record;
    return kept.store === store && kept.chain === chain && kept.seq >= seq && isSame;
  }
}

type SignedHead = PinnedHead & { readonly mac: string };

/** The content of a file of heads. */
interface HeadFileContent {
  readonly heads: readonly SignedHead[];
  readonly damage: StoreReplaced | null;
}

/** INVARIANT: every member of a head is part of its keyed hash. */
function textOf({ place, store, chain, seq, hash, approvers }: PinnedHead): string {
  const pinned = approvers === undefined ? [] : [approvers.root, approvers.record];
  return canonicalJson([place, store, chain, seq, hash, ...pinned]);
}

function readHeads(value: JsonValue): readonly SignedHead[] {
  const heads = isJsonObject(value) ? value['heads'] : undefined;
  if (!Array.isArray(heads)) throw new InputError('it holds no heads');
  return heads.map((head) => {
    if (!isJsonObject(head)) throw new InputError('a head is a table');
    const text = (name: string) => textIn(head, name);
    const { seq, approvers } = head;
    if (typeof seq !== 'number') throw new InputError('a head has a number');
    return {
      place: text('place'),
      store: text('store'),
      chain: text('chain'),
      seq,
      hash: text('hash'),
      mac: text('mac'),
      ...(isJsonObject(approvers)
        ? { approvers: { root: textIn(approvers, 'root'), record: textIn(approvers, 'record') } }
        : {}),
    };
  });
}

function textIn(table: JsonObject, name: string): string {
  const value = table[name];
  if (typeof value !== 'string') throw new InputError(`a head has a ${name}`);
  return value;
}

/** The store that was opened. */
export interface Opened {
  readonly store: Store;
  readonly storeId: string;
  readonly place: string;
  readonly mac: Mac;
  /** Whether its record of the approvers is still the same. */
  readonly holds: (pin: Pin) => Promise<boolean>;
}

/** The end of a chain in the store now. */
export async function tailOf(store: Store, chain: string | null): Promise<Tail> {
  const [end] = await store.read((sql) => sql.all('SELECT size, hash FROM chains WHERE chain = ?', chain));
  return { seq: Number(end?.['size'] ?? 0), hash: String(end?.['hash'] ?? genesis) };
}

/** The end of the own chain, and why the store is not the one that this home knows; null if it is. */
export async function compareWithPinned(
  file: HeadFile,
  { store, storeId, place, mac, holds }: Opened,
  chainNow: () => string | null,
): Promise<{ readonly tail: Tail; readonly kept: PinnedHead | null; readonly lost: StoreReplaced | null }> {
  // INVARIANT: heads are read before the store: a head that is written meanwhile names an entry that was written
  // meanwhile.
  const { heads, damage } = file.read();
  const chain = chainNow();
  const here = heads.find((head) => head.place === place);
  // A store that was moved is identified by its id, and its key moved with it.
  const kept = here ?? heads.find((head) => head.store === storeId) ?? null;
  const tail = await tailOf(store, chain);
  const found = await store.read(async (sql) => {
    const at = async (seq: number): Promise<Row | undefined> =>
      (await sql.all('SELECT hash FROM audit WHERE chain = ? AND seq = ?', chain, seq))[0];
    const marked = await sql.all('SELECT chain FROM chains WHERE head_kept = 1');
    return {
      isWhole: tail.seq === 0 || (await at(tail.seq))?.['hash'] === tail.hash,
      holdsKept: kept !== null && tail.seq >= kept.seq && (await at(kept.seq))?.['hash'] === kept.hash,
      // An embedded store belongs to this home alone, whatever the name of its chain is now.
      isMarked: marked.some((row) => store.engine === 'sqlite' || row['chain'] === chain),
    };
  });
  const loss = (what: string) => ({ tail, kept, lost: replaced(what) });
  const ledger = `The ledger at ${store.place}`;
  if (damage !== null) return { tail, kept, lost: damage };
  if (kept === null) {
    if (found.isMarked)
      return loss(`${file.path}, which says what ${ledger} must hold, was removed or replaced`);
  } else if (kept.store !== storeId || kept.chain !== chain) {
    return loss(`${ledger} is not the one that this home wrote to: it was removed or replaced`);
  } else if (kept.mac !== mac(textOf(kept))) {
    return loss(`${file.path}, which says what ${ledger} must hold, was changed`);
  } else if (!found.holdsKept) {
    const lost = kept.seq - tail.seq;
    const how =
      lost > 0 ? `the last ${lost} of its ${kept.seq} entries are missing` : 'its entries are others';
    return loss(`${ledger} was cut or replaced by an older copy: ${how}`);
  }
  if (kept?.approvers !== undefined && !(await holds(kept.approvers))) {
    return loss(`${ledger} no longer says whose approval counts as this home knows it`);
  }
  if (!found.isWhole) return loss(`${ledger} was cut: entry ${tail.seq} is missing`);
  return { tail, kept, lost: null };
}

/**
 * Stores the newest head. INVARIANT: it names only entries that are on disk, and so may lag behind the store, never the
 * store behind it: neither a process that exits nor a power failure makes a sound store look truncated.
 */
export class HeadKeeper {
  readonly #file: HeadFile;
  readonly #where: Where;
  readonly #mac: Mac;
  readonly #mark: () => Promise<unknown>;
  #pin: Pin | null = null;
  #marked = false;
  #newest: Tail | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  /** `mark` records in the store that a head exists, from the first one on. */
  constructor(file: HeadFile, where: Where, mac: Mac, mark: () => Promise<unknown>) {
    this.#file = file;
    this.#where = where;
    this.#mac = mac;
    this.#mark = mark;
  }

  /** Includes the record of the approvers from the next head on. */
  readonly pin = (pin: Pin | null): void => {
    this.#pin = pin;
  };

  /** Remembers an entry that is on disk. */
  readonly onDisk = (tail: Tail): void => {
    if (tail.seq <= (this.#newest?.seq ?? 0)) return;
    this.#newest = tail;
    // A failed write is retried with the next entry, and when the ledger is closed.
    this.#timer ??= setTimeout(() => void this.flush().catch(() => undefined), trail).unref();
  };

  /** Stores the newest head in place of a newer one, which is lost. */
  async restart(): Promise<void> {
    if (this.#newest !== undefined) await this.#file.write(this.#headOf(this.#newest), this.#mac);
    await this.flush();
  }

  /** Writes the newest head now. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.catch(() => undefined).then(() => this.#write());
    return this.#writing;
  }

  #headOf(tail: Tail): PinnedHead {
    return { ...this.#where, ...tail, ...(this.#pin === null ? {} : { approvers: this.#pin }) };
  }

  async #write(): Promise<void> {
    const newest = this.#newest;
    if (newest === undefined) return;
    const head = this.#headOf(newest);
    // Another process of this home may have written a newer one.
    if (!this.#file.hasAsNew(head, this.#mac)) await this.#file.write(head, this.#mac);
    if (this.#newest === newest) this.#newest = undefined;
    if (this.#marked) return;
    // INVARIANT: the mark comes after the head, so that a store with the mark has a head, whenever the process exits. A
    // mark that cannot be set now is set with the next head.
    this.#marked = await this.#mark().then(
      () => true,
      () => false,
    );
  }
}
