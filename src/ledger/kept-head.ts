// The newest entry of the own chain, kept beside the keys: what the store must still hold whenever it is opened.

import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
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
import { genesis, type Tail } from './audit.ts';
import { type Row, replaced, type Store, type StoreReplaced } from './store.ts';

/** One entry of one store: where that store lay, what it is known by, and the entry. */
export interface KeptHead extends Tail {
  readonly place: string;
  readonly store: string;
  readonly chain: string;
}

/** When a newer head is written at the latest, in milliseconds: one write to the disk for all entries of that time. */
const trail = 1000;

/** The file with the heads; each is signed with the operator's key of its store. */
export class HeadFile {
  readonly path: string;
  readonly #key: Uint8Array;

  constructor(path: string, operatorKey: Uint8Array) {
    this.path = path;
    this.#key = Buffer.from(hkdfSync('sha256', operatorKey, '', 'sallyport.head.v1', 32));
  }

  /** The heads that are kept, those of other operator's keys included, and what is wrong with the file itself. */
  read(): Kept {
    try {
      const text = readRegularFile(this.path);
      const heads = text === null ? [] : readHeads(parseJson(text));
      const judged = heads.map((head) => ({ ...head, genuine: this.#mac(head) === head.mac }));
      return { heads: judged, damage: null };
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      const what = `The file ${this.path}, which says what the ledger must hold, was overwritten`;
      return { heads: [], damage: replaced(what) };
    }
  }

  /** Keeps a head in the place of the one that was kept for its store; whole or not at all, and on disk before it counts. */
  async write(head: KeptHead): Promise<void> {
    const others = this.read().heads.filter(({ place }) => place !== head.place);
    const { place, store, chain, seq, hash } = head;
    const own = { place, store, chain, seq, hash, mac: this.#mac(head) };
    const heads = [...others.map(({ genuine: _, ...signed }) => signed), own];
    const text = JSON.stringify({ version: 1, heads });
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

  /** Whether a head of the same chain is kept that is as new. */
  hasAsNew({ place, store, chain, seq }: KeptHead): boolean {
    const kept = this.read().heads.find((head) => head.place === place);
    return kept?.genuine === true && kept.store === store && kept.chain === chain && kept.seq >= seq;
  }

  #mac({ place, store, chain, seq, hash }: KeptHead): string {
    const text = canonicalJson([place, store, chain, seq, hash]);
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }
}

type SignedKeptHead = KeptHead & { readonly mac: string };

/** What is kept; a head is genuine if it was signed with the operator's key. */
export interface Kept {
  readonly heads: readonly (SignedKeptHead & { readonly genuine: boolean })[];
  readonly damage: StoreReplaced | null;
}

function readHeads(value: JsonValue): readonly SignedKeptHead[] {
  const heads = isJsonObject(value) ? value['heads'] : undefined;
  if (!Array.isArray(heads)) throw new InputError('it holds no heads');
  return heads.map((head) => {
    if (!isJsonObject(head)) throw new InputError('a head is a table');
    const text = (name: string) => textIn(head, name);
    const { seq } = head;
    if (typeof seq !== 'number') throw new InputError('a head has a number');
    return {
      place: text('place'),
      store: text('store'),
      chain: text('chain'),
      seq,
      hash: text('hash'),
      mac: text('mac'),
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
}

/** The end of a chain, as the store has it now. */
export async function tailOf(store: Store, chain: string | null): Promise<Tail> {
  const [end] = await store.read((sql) => sql.all('SELECT size, hash FROM chains WHERE chain = ?', chain));
  return { seq: Number(end?.['size'] ?? 0), hash: String(end?.['hash'] ?? genesis) };
}

/** The end of the own chain, and why the store is not the one that this home knows; null where it is. */
export async function compareWithKept(
  file: HeadFile,
  { store, storeId, place }: Opened,
  chainNow: () => string | null,
): Promise<{ readonly tail: Tail; readonly kept: KeptHead | null; readonly lost: StoreReplaced | null }> {
  // INVARIANT: heads are read before the store: one that is written meanwhile names an entry that came meanwhile.
  const { heads, damage } = file.read();
  const chain = chainNow();
  const here = heads.find((head) => head.place === place);
  const kept = here ?? heads.find((head) => head.store === storeId && head.genuine) ?? null;
  const tail = await tailOf(store, chain);
  const found = await store.read(async (sql) => {
    const at = async (seq: number): Promise<Row | undefined> =>
      (await sql.all('SELECT hash FROM audit WHERE chain = ? AND seq = ?', chain, seq))[0];
    const marked = await sql.all('SELECT chain FROM chains WHERE head_kept = 1');
    return {
      isWhole: tail.seq === 0 || (await at(tail.seq))?.['hash'] === tail.hash,
      holdsKept: kept !== null && tail.seq >= kept.seq && (await at(kept.seq))?.['hash'] === kept.hash,
      // An embedded store is this home's alone, whatever its chain is called now.
      isMarked: marked.some((row) => store.engine === 'sqlite' || row['chain'] === chain),
    };
  });
  const loss = (what: string) => ({ tail, kept, lost: replaced(what) });
  const ledger = `The ledger at ${store.place}`;
  if (damage !== null) return { tail, kept, lost: damage };
  if (kept === null) {
    if (found.isMarked)
      return loss(`${file.path}, which says what ${ledger} must hold, was removed or replaced`);
  } else if (here !== undefined && !here.genuine) {
    return loss(`${file.path}, which says what ${ledger} must hold, was changed`);
  } else if (kept.store !== storeId || kept.chain !== chain) {
    return loss(`${ledger} is not the one that this home wrote to: it was removed or replaced`);
  } else if (!found.holdsKept) {
    const lost = kept.seq - tail.seq;
    const how =
      lost > 0 ? `the last ${lost} of its ${kept.seq} entries are missing` : 'its entries are others';
    return loss(`${ledger} was cut or replaced by an older copy: ${how}`);
  }
  if (!found.isWhole) return loss(`${ledger} was cut: entry ${tail.seq} is missing`);
  return { tail, kept, lost: null };
}

/**
 * Keeps the newest head. INVARIANT: it names only entries that are on disk, and so may lag behind the store, never the
 * store behind it: neither a process that dies nor a power cut makes a sound store look cut.
 */
export class HeadKeeper {
  readonly #file: HeadFile;
  readonly #where: Omit<KeptHead, keyof Tail>;
  readonly #mark: () => Promise<unknown>;
  #marked = false;
  #newest: Tail | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  /** `mark` notes in the store that a head is kept, from the first one on. */
  constructor(file: HeadFile, where: Omit<KeptHead, keyof Tail>, mark: () => Promise<unknown>) {
    this.#file = file;
    this.#where = where;
    this.#mark = mark;
  }

  /** Takes note of an entry that is on disk. */
  readonly onDisk = (tail: Tail): void => {
    if (tail.seq <= (this.#newest?.seq ?? 0)) return;
    this.#newest = tail;
    // One that cannot be written now is tried again with the next entry, and when the ledger is closed.
    this.#timer ??= setTimeout(() => void this.flush().catch(() => undefined), trail).unref();
  };

  /** Keeps the newest head in the place of a newer one, which is lost. */
  async restart(): Promise<void> {
    if (this.#newest !== undefined) await this.#file.write({ ...this.#where, ...this.#newest });
    await this.flush();
  }

  /** Writes the newest head now. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.catch(() => undefined).then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    const newest = this.#newest;
    if (newest === undefined) return;
    const head = { ...this.#where, ...newest };
    // Another process of this home may have written a newer one.
    if (!this.#file.hasAsNew(head)) await this.#file.write(head);
    if (this.#newest === newest) this.#newest = undefined;
    if (this.#marked) return;
    // INVARIANT: the mark comes after the head, so that a store with the mark has a head, whenever the process dies. One
    // that cannot be made now is made with the next head.
    this.#marked = await this.#mark().then(
      () => true,
      () => false,
    );
  }
}
