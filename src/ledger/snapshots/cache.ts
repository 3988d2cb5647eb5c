// The bytes of a workspace as they were when last looked at: one file that grows, with a list of what stands where.
// It is only a help: what it has lost is read again from the workspace.

import {
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
import { SnapshotDamaged } from './snapshot.ts';
import type { Mark } from './walk.ts';

/** One file that was looked at: how it looked, and what it held; null where its bytes are not kept. */
export interface Known extends Mark {
  readonly hash: string | null;
}

interface Listing {
  readonly version: 2;
  /** The file with the bytes, and how much of it was written when the list was. */
  readonly pack: string;
  readonly length: number;
  readonly truncated: boolean;
  readonly full: boolean;
  readonly folders: readonly string[];
  readonly files: readonly Line[];
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
  hash: string | null,
];
type Place = readonly [at: number, size: number];

/** Once this share of the pack is of no use any more, it is begun anew. */
const mostWaste = 0.5;
const smallPack = 16_777_216;

export class Cache {
  readonly files = new Map<string, Known>();
  /** Whether nothing is known of an earlier look, so that nothing can be compared with it. */
  isNew = true;
  /** Whether there was no room for the bytes of some file. */
  full = false;
  readonly #room: number;
  #folders: ReadonlySet<string> = new Set();
  #truncated = false;
  readonly #folder: string;
  readonly #places = new Map<string, Place>();
  #pack = 'pack-1';
  #fd: number | undefined;
  #length = 0;
  #changed = false;
  #stamp = '';

  /** `room`: how many bytes the pack may have. */
  constructor(folder: string, room: number) {
    this.#folder = folder;
    this.#room = room;
    try {
      this.#load();
    } catch {
      this.close();
      this.files.clear();
      this.#places.clear();
      this.#length = 0;
      this.isNew = true;
    }
  }

  #load(): void {
    const file = join(this.#folder, 'list.json');
    if (!existsSync(file)) return;
    this.#stamp = stampOf(file);
    // INVARIANT: the folder is ours alone; a list that is not whole does not parse, and the cache begins empty.
    const list = JSON.parse(readFileSync(file, 'utf8')) as Listing;
    if (list.version !== 2) return;
    this.#pack = list.pack;
    if (list.length > 0) {
      this.#fd = openSync(join(this.#folder, list.pack), 'r+');
      if (fstatSync(this.#fd).size < list.length) throw new Error('the pack is shorter than its list says');
    }
    this.#length = list.length;
    for (const [path, type, size, mode, content, data, number, hash] of list.files) {
      this.files.set(path, { type, size, mode, content, data, number, hash });
    }
    for (const [hash, at, size] of list.places) this.#places.set(hash, [at, size]);
    this.#folders = new Set(list.folders);
    this.#truncated = list.truncated;
    this.full = list.full;
    this.isNew = false;
  }

  has(hash: string): boolean {
    return this.#places.has(hash);
  }

  get(hash: string): Uint8Array | null {
    const place = this.#places.get(hash);
    return place === undefined || this.#fd === undefined ? null : readPlace(this.#fd, place);
  }

  /** Keeps bytes; false where there is no room for them. */
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
    this.#changed = true;
    return true;
  }

  know(path: string, known: Known): void {
    this.files.set(path, known);
    this.#changed = true;
  }

  forget(path: string): void {
    this.#changed = this.files.delete(path) || this.#changed;
  }

  get folders(): ReadonlySet<string> {
    return this.#folders;
  }

  get truncated(): boolean {
    return this.#truncated;
  }

  /** Remembers how far the look went. */
  looked(folders: ReadonlySet<string>, truncated: boolean): void {
    const same =
      folders.size === this.#folders.size && [...folders].every((folder) => this.#folders.has(folder));
    this.#changed ||= this.isNew || truncated !== this.#truncated || !same;
    this.#folders = folders;
    this.#truncated = truncated;
    this.isNew = false;
  }

  /** Writes the list, with `wait` once the disk has the bytes that it speaks of. */
  flush(wait: boolean): void {
    if (wait && this.#fd !== undefined) fsyncSync(this.#fd);
    if (!this.#changed) return;
    const old = this.#pack;
    this.#compact();
    if (old !== this.#pack && this.#fd !== undefined) fsyncSync(this.#fd);
    const listing: Listing = {
      version: 2,
      pack: this.#pack,
      length: this.#length,
      truncated: this.#truncated,
      full: this.full,
      folders: [...this.#folders],
      files: Array.from(this.files, ([path, { type, size, mode, content, data, number, hash }]) => [
        path,
        type,
        size,
        mode,
        content,
        data,
        number,
        hash,
      ]),
      places: [...this.#places].map(([hash, [at, size]]) => [hash, at, size]),
    };
    const file = join(this.#folder, 'list.json');
    writeFileSync(`${file}.new`, JSON.stringify(listing), { mode: 0o600 });
    renameSync(`${file}.new`, file);
    if (old !== this.#pack) rmSync(join(this.#folder, old), { force: true });
    this.#changed = false;
    this.#stamp = stampOf(file);
  }

  /** Whether the list on disk is still the one that this knows, and no other process has written another. */
  isCurrent(): boolean {
    return !this.isNew && this.#stamp === stampOf(join(this.#folder, 'list.json'));
  }

  /** Begins a new pack without the bytes that no file has any more, once they are many. */
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
