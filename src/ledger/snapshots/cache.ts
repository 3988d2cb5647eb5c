// A cache of the bytes of a workspace at the last scan: one file that grows, with an index of its content. It is not
// authoritative: lost data is read again from the workspace.

import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Mark } from './mark.ts';
import { SnapshotDamaged } from './snapshot.ts';

/** One scanned file: its metadata, and its content; null if its bytes are not stored. */
export interface Known extends Mark {
  readonly hash: string | null;
}

/** One line of the index: the full state, or the changes since the previous line. */
interface Listing {
  readonly version: 4;
  /** The file with the bytes, and its size when the line was written. */
  readonly pack: string;
  readonly length: number;
  readonly truncated: boolean;
  readonly full: boolean;
  readonly files: readonly Line[];
  readonly gone: readonly string[];
  readonly places: readonly (readonly [string, ...Place])[];
}

type Line = readonly [
  path: string,
  type: Mark['type'],
  size: number,
  mode: number,
  content: number,
  data: number,
  number: number,
  names: number,
  hash: string | null,
];
type Place = readonly [at: number, size: number];

/** The index, a line for each change. */
const listName = 'list.jsonl';

/** Once this share of the pack is unused, it is rewritten. */
const mostWaste = 0.5;
const smallPack = 16_777_216;

export class Cache {
  readonly files = new Map<string, Known>();
  /** The names of each file that has several, by its number. */
  readonly linked = new Map<number, Set<string>>();
  /** Whether there is no earlier scan to compare with. */
  isNew = true;
  /** Whether there was no room for the bytes of some file. */
  full = false;
  readonly #room: number;
  #truncated = false;
  readonly #folder: string;
  readonly #places = new Map<string, Place>();
  #pack = 'pack-1';
  #fd: number | undefined;
  #length = 0;
  /** Files and bytes that are not in the index yet, and whether anything else changed. */
  readonly #touched = new Set<string>();
  readonly #kept: string[] = [];
  #changed = false;
  /** The length of the index's first line, and of the additions. */
  #whole = 0;
  #added = 0;
  #stamp = '';

  /** `room`: the maximum size of the pack in bytes. */
  constructor(folder: string, room: number) {
    this.#folder = folder;
    this.#room = room;
    try {
      this.#load();
    } catch {
      this.close();
      this.files.clear();
      this.linked.clear();
      this.#places.clear();
      this.#length = 0;
      this.#whole = 0;
      this.full = false;
      this.isNew = true;
    }
  }

  #load(): void {
    const file = join(this.#folder, listName);
    if (!existsSync(file)) return;
    this.#stamp = stampOf(file);
    const text = readFileSync(file, 'utf8');
    // INVARIANT: the folder is ours alone; a truncated index does not parse, and the cache begins empty.
    for (const line of text.split('\n').slice(0, -1)) this.#take(JSON.parse(line) as Listing);
    if (!text.endsWith('\n')) throw new Error('the list was cut off');
    if (this.#length > 0) {
      this.#fd = openSync(join(this.#folder, this.#pack), 'r+');
      if (fstatSync(this.#fd).size < this.#length) throw new Error('the pack is shorter than its list says');
    }
    this.#whole = text.indexOf('\n');
    this.#added = text.length - this.#whole;
    this.isNew = false;
  }

  #take(list: Listing): void {
    if (list.version !== 4) throw new Error('the list is of another form');
    for (const path of list.gone) this.#set(path, null);
    for (const [path, type, size, mode, content, data, number, names, hash] of list.files) {
      this.#set(path, { type, size, mode, content, data, number, names, hash });
    }
    for (const [hash, at, size] of list.places) this.#places.set(hash, [at, size]);
    this.#pack = list.pack;
    this.#length = list.length;
    this.#truncated = list.truncated;
    this.full = list.full;
  }

  /** The size of the pack in bytes. */
  get bytes(): number {
    return this.#length;
  }

  has(hash: string): boolean {
    return this.#places.has(hash);
  }

  get(hash: string): Uint8Array | null {
    const place = this.#places.get(hash);
    return place === undefined || this.#fd === undefined ? null : readPlace(this.#fd, place);
  }

  /** Stores bytes; false if there is no room for them. */
  put(hash: string, bytes: Uint8Array): boolean {
    if (this.#places.has(hash)) return true;
    if (this.#length + bytes.length > this.#room) {
      this.full = true;
      return false;
    }
    this.#fd ??= openSync(join(this.#folder, this.#pack), 'w+', 0o600);
    for (let written = 0; written < bytes.length; ) {
      written += writeSync(this.#fd, bytes, written, bytes.length - written, this.#length + written);
    }
    this.#places.set(hash, [this.#length, bytes.length]);
    this.#length += bytes.length;
    this.#kept.push(hash);
    return true;
  }

  know(path: string, known: Known): void {
    this.#set(path, known);
    this.#touched.add(path);
  }

  forget(path: string): void {
    if (!this.files.has(path)) return;
    this.#set(path, null);
    this.#touched.add(path);
  }

  #set(path: string, known: Known | null): void {
    const before = this.files.get(path);
    if (before !== undefined) dropName(this.linked, path, before);
    if (known === null) this.files.delete(path);
    else {
      this.files.set(path, known);
      addName(this.linked, path, known);
    }
  }

  get truncated(): boolean {
    return this.#truncated;
  }

  /** Records whether the scan was complete. */
  looked(truncated: boolean): void {
    this.#changed ||= this.isNew || truncated !== this.#truncated;
    this.#truncated = truncated;
    this.isNew = false;
  }

  /** Writes the index; with `wait`, after the bytes that it refers to are on disk. */
  flush(wait: boolean): void {
    if (wait && this.#fd !== undefined) fsyncSync(this.#fd);
    if (!this.#changed && this.#touched.size + this.#kept.length === 0) return;
    const file = join(this.#folder, listName);
    const added = this.#whole === 0 ? '' : `${JSON.stringify(this.#listing(this.#touched, this.#kept))}\n`;
    // Changes are appended as long as they are smaller than the full state.
    if (added !== '' && this.#added + added.length < this.#whole) {
      appendFileSync(file, added);
      this.#added += added.length;
    } else this.#writeWhole(file);
    this.#touched.clear();
    this.#kept.length = 0;
    this.#changed = false;
    this.#stamp = stampOf(file);
  }

  #writeWhole(file: string): void {
    const old = this.#pack;
    this.#compact();
    if (old !== this.#pack && this.#fd !== undefined) fsyncSync(this.#fd);
    const whole = `${JSON.stringify(this.#listing(this.files.keys(), this.#places.keys()))}\n`;
    writeFileSync(`${file}.new`, whole, { mode: 0o600 });
    renameSync(`${file}.new`, file);
    if (old !== this.#pack) rmSync(join(this.#folder, old), { force: true });
    this.#whole = whole.length;
    this.#added = 0;
  }

  /** A line about some files and some bytes. */
  #listing(paths: Iterable<string>, hashes: Iterable<string>): Listing {
    const files: Line[] = [];
    const gone: string[] = [];
    for (const path of paths) {
      const known = this.files.get(path);
      if (known === undefined) gone.push(path);
      else {
        const { type, size, mode, content, data, number, names, hash } = known;
        files.push([path, type, size, mode, content, data, number, names, hash]);
      }
    }
    const places = Array.from(hashes, (hash) => [hash, ...(this.#places.get(hash) ?? [0, 0])] as const);
    return {
      version: 4,
      pack: this.#pack,
      length: this.#length,
      truncated: this.#truncated,
      full: this.full,
      files,
      gone,
      places,
    };
  }

  /** Whether the index on disk is still the one in memory, and no other process has written another. */
  isCurrent(): boolean {
    return !this.isNew && this.#stamp === stampOf(join(this.#folder, listName));
  }

  /** Begins a new pack without unused bytes, once they are many. */
  #compact(): void {
    const old = this.#fd;
    if (old === undefined || this.#length < smallPack) return;
    const wanted = new Set([...this.files.values()].map(({ hash }) => hash));
    const kept = [...this.#places].filter(([hash]) => wanted.has(hash));
    const used = kept.reduce((sum, [, [, size]]) => sum + size, 0);
    if (used > this.#length * (1 - mostWaste)) return;
    this.#pack = `pack-${Number(this.#pack.slice(5)) + 1}`;
    this.#fd = undefined;
    this.#places.clear();
    this.#length = 0;
    for (const [hash, place] of kept) this.put(hash, readPlace(old, place));
    closeSync(old);
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}

/** Adds a name of a file with several hard links. */
export function addName(linked: Map<number, Set<string>>, path: string, mark: Mark): void {
  if (!hasNames(mark)) return;
  const others = linked.get(mark.number);
  if (others === undefined) linked.set(mark.number, new Set([path]));
  else others.add(path);
}

export function dropName(linked: Map<number, Set<string>>, path: string, mark: Mark): void {
  if (hasNames(mark)) linked.get(mark.number)?.delete(path);
}

/** Whether a file has several hard links. */
export function hasNames({ names, type }: Mark): boolean {
  return names > 1 && type === 'file';
}

function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? '' : `${found.ino} ${found.mtimeMs} ${found.size}`;
}

function readPlace(fd: number, [at, size]: Place): Uint8Array {
  const bytes = new Uint8Array(size);
  for (let read = 0; read < size; ) {
    const count = readSync(fd, bytes, read, size - read, at + read);
    if (count === 0) throw new SnapshotDamaged('the pack of contents was cut off');
    read += count;
  }
  return bytes;
}
