// The symbol indexes of workspaces, stored in the home. An index is only a cache: lost data is read again, and a symbol
// is not reported as missing before the disk was checked.

import { hash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { writePrivate } from '../../config/home.ts';
import type { ModuleReader, SourceTree, Symbols } from '../../core/index.ts';
import { type Indexed, type Updating, Workspace } from './workspace.ts';

export interface SymbolOptions extends Updating {
  /** The folder of indexes in the home; null if none is stored. */
  readonly store: string | null;
}

/** An index that is larger is not loaded for one check. */
const largestIndex = 33_554_432;
/** The largest list of known packages that is read. */
const largestList = 268_435_456;
/** Most workspaces that are watched at the same time. */
const mostWatched = 8;
/** How long an index counts as current in a daemon, in milliseconds: by itself, and while its folders are watched. */
const currentFor = 2000;
const currentWatched = 60_000;

export class SymbolStore implements Symbols {
  readonly #options: SymbolOptions;
  /** The most recently requested one is last. */
  readonly #workspaces = new Map<string, Workspace>();
  readonly #indexing = new Map<string, Promise<Indexed>>();

  constructor(options: SymbolOptions) {
    this.#options = options;
  }

  /** The tree of an indexed workspace; null if it is not indexed, or its index is too large to load for one check. */
  async of(root: string, reader: ModuleReader | null): Promise<SourceTree | null> {
    const known = this.#workspaces.get(root) ?? this.#load(root, largestIndex);
    if (this.#options.background === true)
      this.#keepUp(root, known, reader ?? (await this.#options.reader()));
    return known === null ? null : known.tree(reader);
  }

  /**
   * Indexes a workspace, reading only files that have changed since the last time; concurrent callers share one run.
   */
  index(root: string): Promise<Indexed> {
    const running = this.#indexing.get(root) ?? this.#index(root).finally(() => this.#indexing.delete(root));
    this.#indexing.set(root, running);
    return running;
  }

  /** Such lists have millions of lines and are rarely requested, so they are not cached. */
  async lists(file: string, names: readonly string[]): Promise<boolean | null> {
    try {
      if ((await stat(file)).size > largestList) return null;
      const bytes = await readFile(file);
      return names.some((name) => hasLine(bytes, name));
    } catch {
      return null;
    }
  }

  /** Stops watching. */
  close(): void {
    for (const workspace of this.#workspaces.values()) workspace.unwatch();
  }

  async #index(root: string): Promise<Indexed> {
    const known =
      this.#workspaces.get(root) ?? this.#load(root, Number.POSITIVE_INFINITY) ?? new Workspace(root);
    this.#workspaces.set(root, known);
    const indexed = await known.update(this.#options);
    const file = this.#file(root);
    if (file !== null && indexed.changed) writePrivate(file, known.save());
    return indexed;
  }

  #keepUp(root: string, known: Workspace | null, reader: ModuleReader | null): void {
    if (known !== null) {
      this.#workspaces.delete(root);
      this.#workspaces.set(root, known);
      for (const [old, workspace] of this.#workspaces) {
        if (this.#workspaces.size <= mostWatched) break;
        workspace.unwatch();
        this.#workspaces.delete(old);
      }
      if (known.age() < (known.catchUp(reader) ? currentWatched : currentFor)) return;
    }
    // A failure here is retried with the next check, and until then answers are older or unknown.
    void this.index(root).catch(() => undefined);
  }

  #file(root: string): string | null {
    const { store } = this.#options;
    return store === null ? null : join(store, `${hash('sha256', root, 'hex').slice(0, 32)}.symbols`);
  }

  #load(root: string, largest: number): Workspace | null {
    const file = this.#file(root);
    if (file === null || !existsSync(file) || statSync(file).size > largest) return null;
    const loaded = Workspace.load(root, readFileSync(file, 'utf8'));
    if (loaded !== null) this.#workspaces.set(root, loaded);
    return loaded;
  }
}

function hasLine(bytes: Buffer, line: string): boolean {
  for (let at = bytes.indexOf(line); at >= 0; at = bytes.indexOf(line, at + 1)) {
    const before = bytes[at - 1] ?? 10;
    const after = bytes[at + Buffer.byteLength(line)] ?? 10;
    if (before === 10 && (after === 10 || after === 13)) return true;
  }
  return false;
}
