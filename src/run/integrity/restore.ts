// Restores files by their absolute paths, and preserves the replaced version: it may be the user's own.

import { randomUUID } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { refuseOwnPlace, writeForAccount } from '../../config/index.ts';
import type { Content } from '../../ledger/snapshots/index.ts';

/** The largest file that is preserved. */
export const largest = 1_048_576;
/** The number of preserved versions. */
const backupLimit = 500;

/** The entry at a path: `other` if it is neither a link nor a file that can be stored. */
export function contentAt(file: string): Content | 'other' | null {
  try {
    refuseOwnPlace(file);
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found === undefined) return null;
    if (found.isSymbolicLink())
      return { type: 'link', bytes: readlinkSync(file, { encoding: 'buffer' }), mode: 0o777 };
    if (!found.isFile() || found.size > largest) return 'other';
    return { type: 'file', bytes: readFileSync(file), mode: found.mode & 0o777 };
  } catch {
    return 'other';
  }
}

/** Whether a path holds exactly this; null: nothing. */
export function isContent(file: string, content: Content | null): boolean {
  const there = contentAt(file);
  if (there === null || there === 'other' || content === null) return there === content;
  return there.type === content.type && Buffer.from(there.bytes).equals(content.bytes);
}

/** The metadata that distinguishes states of a file, without reading it; a link is not followed. */
export function stampAt(file: string): string {
  try {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found === undefined) return 'none';
    const { ino, size, mtimeMs, ctimeMs, mode } = found;
    return `${ino} ${size} ${mtimeMs} ${ctimeMs} ${mode}`;
  } catch {
    return 'none';
  }
}

/** The store of versions that were replaced. */
export class Replaced {
  readonly #folder: string;

  constructor(store: string) {
    this.#folder = join(store, 'replaced');
  }

  /** Keeps what is at a path under a name of its own and gives that; null where nothing is there. */
  keep(file: string): string | null {
    refuseOwnPlace(file);
    const content = contentAt(file);
    if (content === null) return null;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const kept = join(this.#folder, `${randomUUID().slice(0, 8)}-${basename(file)}`);
    if (content === 'other') renameSync(file, kept);
    else if (content.type === 'link') symlinkSync(Buffer.from(content.bytes), kept);
    else writeFileSync(kept, content.bytes, { mode: (content.mode & 0o700) | 0o600 });
    return kept;
  }

  /** Deletes versions from before a moment, and the oldest of too many. */
  tidy(since: number): void {
    const files = this.#files();
    for (const [at, { file, time }] of files.entries()) {
      if (time < since || at < files.length - backupLimit) rmSync(file, { recursive: true, force: true });
    }
  }

  /** The preserved versions, the oldest first. */
  #files(): readonly { readonly file: string; readonly time: number }[] {
    try {
      return readdirSync(this.#folder)
        .map((name) => join(this.#folder, name))
        .map((file) => ({ file, time: lstatSync(file).ctimeMs }))
        .sort((a, b) => a.time - b.time);
    } catch {
      return [];
    }
  }
}

/** Makes a file what it should be, as one step; null takes it away. */
export function writeBack(file: string, right: Content | null): void {
  refuseOwnPlace(file);
  if (right === null) rmSync(file, { force: true });
  else if (right.type === 'file') writeForAccount(file, right.bytes, right.mode);
  else {
    const scratch = `${file}.sallyport-${process.pid}`;
    rmSync(scratch, { force: true });
    symlinkSync(Buffer.from(right.bytes), scratch);
    renameSync(scratch, file);
  }
}

/** A text as the content of a file that keeps the permissions which it has. */
export function textContent(file: string, text: string, usual = 0o600): Content {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? usual;
  return { type: 'file', bytes: Buffer.from(text), mode: mode & 0o777 };
}
