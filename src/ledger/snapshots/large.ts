// Files that are too large to hold in memory, each as a separate file by the hash of its content. Large packs of git,
// which never change, are hard links if the system supports them: they use no space.

import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { chunksAt, linkFrom } from './anchor.ts';
import type { Turns } from './turns.ts';

/** Files of at least this size are stored here. */
export const largeBytes = 4_194_304;
/** Packs of git of at least this size are hard links; a smaller one is copied, which also survives overwriting. */
const linkedBytes = 33_554_432;
const chunkBytes = 1_048_576;
/** Minimum free space on the disk. */
const leastFree = 67_108_864;

/** Whether the disk of a folder has room for so many bytes more, and a reserve for others. */
export function hasSpaceFor(folder: string, bytes: number): boolean {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= bytes + leastFree;
}

export class LargeFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = join(folder, 'large');
  }

  has(hash: string): boolean {
    return existsSync(this.file(hash));
  }

  file(hash: string): string {
    return join(this.#folder, hash);
  }

  /** Stores the content of a file, up to a number of bytes; returns its hash, or null if that is not possible. */
  *keep(root: string, path: string, size: number, room: number): Turns<string | null> {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    if (size > room - this.#bytes() || !hasSpaceFor(this.#folder, size)) return null;
    const scratch = join(this.#folder, `${process.pid}.new`);
    const hash = createHash('sha256');
    const fd = openSync(scratch, 'w', 0o600);
    try {
      const pieces = chunksAt(root, path, chunkBytes);
      for (let next = pieces.next(); ; next = pieces.next()) {
        if (next.done) {
          if (next.value === null) return null;
          break;
        }
        hash.update(next.value);
        for (let at = 0; at < next.value.length; ) at += writeSync(fd, next.value, at);
        yield 'turn';
      }
      fsyncSync(fd);
      const name = hash.digest('hex');
      renameSync(scratch, this.file(name));
      return name;
    } finally {
      closeSync(fd);
      rmSync(scratch, { force: true });
    }
  }

  /** Stores an object of git, identified by its own name; returns its key, or null. */
  *keepObject(root: string, path: string, size: number, room: number): Turns<string | null> {
    const name = `object-${path.slice(path.lastIndexOf('/') + 1)}`;
    if (size >= linkedBytes) {
      try {
        mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
        if (!this.has(name)) linkFrom(root, path, this.file(name));
        return name;
      } catch {
        // Another file system, or one without links: then it is copied.
      }
    }
    return yield* this.keep(root, path, size, room);
  }

  /** Removes unreferenced files. */
  tidy(wanted: ReadonlySet<string>): void {
    for (const name of this.#names()) {
      if (!wanted.has(name)) rmSync(join(this.#folder, name), { force: true });
    }
  }

  /** The disk usage of all of them; a hard link uses nothing. */
  #bytes(): number {
    return this.#names().reduce((sum, name) => {
      const found = statSync(join(this.#folder, name), { throwIfNoEntry: false });
      return sum + (found === undefined || found.nlink > 1 ? 0 : found.size);
    }, 0);
  }

  #names(): readonly string[] {
    try {
      return readdirSync(this.#folder);
    } catch {
      return [];
    }
  }
}

/** The hash of a file of any size; null if there is no file. */
export function hashAt(root: string, path: string): string | null {
  const hash = createHash('sha256');
  const pieces = chunksAt(root, path, chunkBytes);
  for (let next = pieces.next(); ; next = pieces.next()) {
    if (next.done) return next.value === null ? null : hash.digest('hex');
    hash.update(next.value);
  }
}
