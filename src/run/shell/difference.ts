// The changes of a command in a layer of an overlay: read from the upper folder, in the format of overlayfs.
//
// A deleted name is a character device 0/0 (a whiteout), a folder that was made anew hides all that was below (opaque),
// and everything else is the whole new file. Overlayfs marks an opaque folder by an extended attribute, which Node cannot
// read, so the names in such a folder are asked of the overlay itself.

import { chmodSync, type Dirent, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { isSame, nameOf, type State, statAt, stateAt, systemPath } from '../../ledger/snapshots/index.ts';
import type { Layer, Overlay } from './overlay.ts';

type Type = State['type'];

/** One path that a command changed. */
export interface Changed {
  /** From the layer on. */
  readonly path: string;
  /** `mode`: only its permissions changed. A rename is a deletion and a creation. */
  readonly op: 'create' | 'edit' | 'delete' | 'mode';
  /** The previous state; null: absent. */
  readonly before: Type | null;
  /** The current state; null: deleted. */
  readonly after: State | null;
  /** It is a new file, and no copy that overlayfs made of one that was there. */
  readonly isFresh: boolean;
}

/** All that a command changed in a layer. */
export interface Difference {
  readonly layer: Layer;
  readonly changes: readonly Changed[];
  /** Pipes, sockets, devices, and files that would run with the rights of their owner: never committed. */
  readonly special: readonly string[];
}

/** Reads what a command changed in a layer. Called once nothing of the command runs any more. */
export async function differenceOf(overlay: Overlay, layer: Layer): Promise<Difference> {
  const reader = new Reader(layer, overlay.startedMs);
  reader.folder('');
  const names = await overlay.namesIn(layer, reader.remade);
  for (const [folder, present] of names) {
    for (const name of namesIn(join(layer.lower, folder)))
      if (!present.has(name)) reader.gone(below(folder, name));
  }
  const { changes, special } = reader;
  return { layer, changes: [...changes.values()].sort(byPath), special };
}

class Reader {
  readonly changes = new Map<string, Changed>();
  readonly special: string[] = [];
  /** Folders that may have been made anew, so that names below may be gone without a whiteout. */
  readonly remade: string[] = [];
  readonly #layer: Layer;
  readonly #startedMs: number;
  /** The first name of each file that has several. */
  readonly #firstNames = new Map<number, string>();

  constructor(layer: Layer, startedMs: number) {
    this.#layer = layer;
    this.#startedMs = startedMs;
  }

  /** Reads a folder that the layer has above and, as a folder too, below. */
  folder(folder: string): void {
    for (const entry of entriesIn(join(this.#layer.upper, folder))) {
      const path = below(folder, nameOf(entry.name));
      const now = statAt(this.#layer.upper, path);
      if (now === null) continue;
      const old = statAt(this.#layer.lower, path);
      if (now.isCharacterDevice() && now.rdev === 0) this.gone(path);
      else if (now.isDirectory()) this.#subfolder(path, now, old);
      else if (now.isSymbolicLink() || (now.isFile() && (now.mode & 0o6000) === 0))
        this.#file(path, now, old);
      else this.special.push(path);
    }
  }

  #subfolder(path: string, now: Stats, old: Stats | null): void {
    const after: State = { type: 'folder', hash: '', mode: now.mode & 0o7777 };
    const before = typeOf(old);
    if (before !== 'folder')
      this.#add({ path, op: before === null ? 'create' : 'edit', before, after, isFresh: false });
    else {
      if (((old?.mode ?? 0) & 0o7777) !== after.mode)
        this.#add({ path, op: 'mode', before, after, isFresh: false });
      // A folder that overlayfs copied keeps the time of the last access; one that the command made has a new one. A
      // command that sets it back only hides deletions, which are then not made.
      if (now.atimeMs >= this.#startedMs) this.remade.push(path);
    }
    this.#open(path, now, 0o700);
    this.folder(path);
  }

  /** Lets us read what a command closed; its mode was looked at before. True where it was closed. */
  #open(path: string, { mode }: Stats, needed: number): boolean {
    if ((mode & needed) === needed) return false;
    chmodSync(systemPath(join(this.#layer.upper, path)), (mode & 0o7777) | needed);
    return true;
  }

  #file(path: string, now: Stats, old: Stats | null): void {
    const wasClosed = now.isFile() && this.#open(path, now, 0o400);
    const read = stateAt(this.#layer.upper, path);
    if (read === null) return;
    const found = wasClosed ? { ...read, mode: now.mode & 0o7777 } : read;
    const after = now.nlink > 1 && now.isFile() ? { ...found, group: this.#firstName(now.ino, path) } : found;
    const before = typeOf(old);
    if (before === 'folder') this.#emptied(path);
    const then = before === null || before === 'folder' ? null : stateAt(this.#layer.lower, path);
    if (isSame(then, after)) return;
    const isMode = then?.type === after.type && then.hash === after.hash;
    const op = before === null ? 'create' : isMode ? 'mode' : 'edit';
    // Overlayfs keeps the time of the last change when it copies a file.
    const isFresh = before === null && now.isFile() && !wasClosed && now.mtimeMs >= this.#startedMs;
    this.#add({ path, op, before, after, isFresh });
  }

  #firstName(number: number, path: string): string {
    const first = this.#firstNames.get(number) ?? path;
    this.#firstNames.set(number, first);
    return first;
  }

  /** Records that a path, and every path below it, was deleted. */
  gone(path: string): void {
    const before = typeOf(statAt(this.#layer.lower, path));
    if (before === null) return;
    if (before === 'folder') this.#emptied(path);
    this.#add({ path, op: 'delete', before, after: null, isFresh: false });
  }

  #emptied(folder: string): void {
    for (const name of namesIn(join(this.#layer.lower, folder))) this.gone(below(folder, name));
  }

  #add(change: Changed): void {
    if (!this.changes.has(change.path)) this.changes.set(change.path, change);
  }
}

function typeOf(found: Stats | null): Type | null {
  if (found === null) return null;
  if (found.isDirectory()) return 'folder';
  return found.isSymbolicLink() ? 'link' : 'file';
}

function below(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

function entriesIn(folder: string): readonly Dirent<NonSharedBuffer>[] {
  return readdirSync(systemPath(folder), { withFileTypes: true, encoding: 'buffer' });
}

function namesIn(folder: string): readonly string[] {
  return readdirSync(systemPath(folder), { encoding: 'buffer' }).map(nameOf);
}

function byPath(a: Changed, b: Changed): number {
  return a.path < b.path ? -1 : 1;
}
