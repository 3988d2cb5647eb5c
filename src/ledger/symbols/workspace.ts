// The index of one workspace: a table for every source file, read again if the file has changed. No entry is used
// before its file was checked and found unchanged.

import { lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { account } from '../../config/index.ts';
import type { ModuleReader, ModuleTable, SourceTree } from '../../core/index.ts';
import { hasTable, Survey } from '../../guards/symbols/tables.ts';
import { readTable, readText } from './read.ts';
import { readTables, watchCores } from './threads.ts';
import { isIndexed, isSettled, isWalked, stampOf, walkSources } from './walk.ts';
import { Watch } from './watch.ts';

/** The result of an indexing run. */
export interface Indexed {
  readonly files: number;
  /** Files that were read because they are new or have changed. */
  readonly read: number;
  readonly truncated: boolean;
  /** Whether the index differs from before. */
  readonly changed: boolean;
}

/** How an index is updated. */
export interface Updating {
  /** The reader of modules; null if it is not installed. */
  readonly reader: () => Promise<ModuleReader | null>;
  /** The code of threads that help with many files; without it, one thread reads all. */
  readonly thread?: URL | null;
  /** Whether this runs in the background of the calls, as in a daemon, which then watches the folders too. */
  readonly background?: boolean;
}

/** One file: its stamp, and its table as JSON. */
interface Entry {
  readonly stamp: string;
  readonly json: string;
}

/** Data from the disk that is cached as long as its stamp is the same. */
interface CachedTree<Value> {
  readonly stamp: string;
  readonly value: Value;
}

/** Most files of one workspace, and of installed packages, that are cached. */
const mostFiles = 200_000;
const mostForeign = 20_000;
/** Most texts and folders that are cached. */
const cacheLimit = 1000;
/** The largest manifest or lock file that is read. */
const largestManifest = 8_388_608;
const version = 3;

interface Header {
  readonly version: number;
  readonly root: string;
  readonly packages: readonly (readonly [string, string])[];
  readonly roots: readonly (readonly [string, string[]])[];
  readonly globals: readonly string[];
  readonly declared: readonly string[];
  readonly added: readonly string[];
}

export class Workspace {
  readonly #root: string;
  #entries = new Map<string, Entry>();
  /** Files outside of the workspace's own, such as those of installed packages. */
  readonly #foreign = new Map<string, Entry>();
  readonly #texts = new Map<string, CachedTree<string | null>>();
  readonly #lists = new Map<string, CachedTree<readonly string[]>>();
  readonly #watch = new Watch();
  readonly #goModules = goModules();
  #overview = new Survey();
  #updatedAt = Number.NEGATIVE_INFINITY;
  /** Whether every folder was watched already when all files were last checked. */
  #isFollowed = false;

  constructor(root: string) {
    this.#root = root;
  }

  /** Reads a saved index; null if it is incomplete or in another format. */
  static load(root: string, text: string): Workspace | null {
    const workspace = new Workspace(root);
    const end = text.indexOf('\n');
    try {
      // INVARIANT: the folder is ours alone, and a file in it is written atomically.
      const header = JSON.parse(text.slice(0, end)) as Header;
      if (header.version !== version || header.root !== root) return null;
      const { packages, roots, globals, declared, added } = header;
      const overview = workspace.#overview;
      for (const [name, folder] of packages) overview.packages.set(name, folder);
      for (const [name, folders] of roots) overview.roots.set(name, folders);
      for (const name of globals) overview.globals.add(name);
      for (const name of declared) overview.declared.add(name);
      for (const name of added) overview.added.add(name);
    } catch {
      return null;
    }
    for (let at = end + 1; at < text.length; ) {
      const stop = text.indexOf('\n', at);
      const first = text.indexOf('\t', at);
      const second = text.indexOf('\t', first + 1);
      if (stop < 0 || second < 0 || second > stop) return null;
      const stamp = text.slice(first + 1, second);
      workspace.#entries.set(`${root}/${text.slice(at, first)}`, {
        stamp,
        json: text.slice(second + 1, stop),
      });
      at = stop + 1;
    }
    return workspace;
  }

  save(): string {
    const { packages, roots, globals, declared, added } = this.#overview;
    const header: Header = {
      version,
      root: this.#root,
      packages: [...packages],
      roots: [...roots],
      globals: [...globals],
      declared: [...declared],
      added: [...added],
    };
    const lines = [JSON.stringify(header)];
    for (const [path, { stamp, json }] of this.#entries) {
      lines.push(`${path.slice(this.#root.length + 1)}\t${stamp}\t${json}`);
    }
    return `${lines.join('\n')}\n`;
  }

  /** Milliseconds since every file was last checked. */
  age(): number {
    return performance.now() - this.#updatedAt;
  }

  /** Checks every file and reads those that have changed; from then on the folders may be watched. */
  async update({ reader, thread = null, background = false }: Updating): Promise<Indexed> {
    // The watch reports changes from here on.
    this.#watch.take();
    const idleCores = watchCores();
    const { files, folders, truncated } = await walkSources(this.#root, mostFiles);
    this.#isFollowed = background && !truncated && this.#watch.follow(folders);
    const old = [...files].filter(([path, stamp]) => {
      const known = this.#entries.get(path);
      // A file that could not be read is tried again: its reader may be installed by now.
      return known?.stamp !== stamp || stamp === '' || known.json === 'null';
    });
    const tables = await readTables(
      old.map(([path]) => path),
      reader,
      thread,
      idleCores(),
    );
    const changed = tables.size > 0 || files.size !== this.#entries.size;
    const entries = new Map<string, Entry>();
    for (const [path, stamp] of files) {
      const json = tables.get(path) ?? this.#entries.get(path)?.json;
      if (json !== undefined) entries.set(path, { stamp, json });
    }
    this.#entries = entries;
    if (changed) this.#survey();
    this.#updatedAt = performance.now();
    return { files: files.size, read: tables.size, truncated, changed };
  }

  unwatch(): void {
    this.#watch.close();
  }

  /** Reads the files that the watch reports; false if it does not know all of them, so that all must be checked. */
  catchUp(reader: ModuleReader | null): boolean {
    if (!this.#isFollowed || !this.#watch.isWhole) return false;
    for (const path of this.#watch.take()) {
      const found = lookAt(path);
      const isFolder = found === null ? this.#watch.has(path) : found.isDirectory();
      // An added or removed folder is a change of all of its entries.
      if (isFolder) this.#isFollowed &&= !isWalked(path.slice(path.lastIndexOf('/') + 1));
      else if (isIndexed(path)) this.#replace(path, found, reader);
    }
    return this.#isFollowed;
  }

  #replace(path: string, found: Stats | null, reader: ModuleReader | null): void {
    const old = this.#entries.get(path);
    if (found?.isFile() === true) {
      const entry = { stamp: isSettled(found) ? stampOf(found) : '', json: readTable(path, reader) };
      this.#entries.set(path, entry);
      this.#overview.add(path, overviewed(path, entry.json), (folder) => this.#isPackage(folder));
    } else this.#entries.delete(path);
    // Global declarations that a file no longer contains are removed by rebuilding.
    if (old !== undefined && (found === null || overviewed(path, old.json) !== null)) this.#survey();
  }

  #isPackage(folder: string): boolean {
    return this.#entries.has(`${folder}/__init__.py`);
  }

  #survey(): void {
    const overview = new Survey();
    for (const [path, { json }] of this.#entries) {
      overview.add(path, overviewed(path, json), (folder) => this.#isPackage(folder));
    }
    this.#overview = overview;
  }

  /** The current state of the workspace; data that a call has read stays the same for the call. */
  tree(reader: ModuleReader | null): SourceTree {
    const stats = new Map<string, Stats | null>();
    const lists = new Map<string, readonly string[]>();
    const tables = new Map<string, ModuleTable | null>();
    const look = (path: string) => {
      let found = stats.get(path);
      if (found === undefined) {
        found = statOf(path);
        stats.set(path, found);
      }
      return found;
    };
    return {
      overview: this.#overview,
      kind: (path) => {
        const found = look(path);
        return found === null ? null : found.isFile() ? 'file' : found.isDirectory() ? 'folder' : null;
      },
      list: (folder) => {
        const known = lists.get(folder);
        if (known !== undefined) return known;
        const found = look(folder);
        const names = found?.isDirectory() === true ? keep(this.#lists, folder, found, namesIn) : nothing;
        lists.set(folder, names);
        return names;
      },
      text: (path) => {
        const found = look(path);
        if (found === null || !found.isFile() || found.size > largestManifest) return null;
        return keep(this.#texts, path, found, readText);
      },
      table: (path) => {
        const known = tables.get(path);
        if (known !== undefined) return known;
        const table = this.#table(path, look(path), reader);
        tables.set(path, table);
        return table;
      },
      ...this.#goModules,
    };
  }

  #table(path: string, found: Stats | null, reader: ModuleReader | null): ModuleTable | null {
    if (found === null || !found.isFile() || !hasTable(path)) return null;
    const stamp = stampOf(found);
    const known = this.#entries.get(path) ?? this.#foreign.get(path);
    if (known?.stamp === stamp) return parseTable(known.json);
    const entry = { stamp, json: readTable(path, reader) };
    if (!isSettled(found)) return parseTable(entry.json);
    if (this.#entries.has(path)) this.#entries.set(path, entry);
    else {
      if (this.#foreign.size > mostForeign) this.#foreign.clear();
      this.#foreign.set(path, entry);
    }
    return parseTable(entry.json);
  }
}

const nothing: readonly string[] = [];

/** The module cache of the Go tool; the environment is ours, and in most cases that of the agent too. */
function goModules(): Pick<SourceTree, 'goModules'> {
  const { GOMODCACHE, GOPATH } = process.env;
  const named = GOMODCACHE || join(GOPATH?.split(delimiter)[0] || join(account().home, 'go'), 'pkg/mod');
  return isAbsolute(named) ? { goModules: named } : {};
}

/** The content of a path, cached while its stamp is the same. */
function keep<Value>(
  kept: Map<string, CachedTree<Value>>,
  path: string,
  found: Stats,
  read: (path: string) => Value,
): Value {
  const stamp = stampOf(found);
  const known = kept.get(path);
  if (known?.stamp === stamp) return known.value;
  const value = read(path);
  if (!isSettled(found)) return value;
  if (kept.size >= cacheLimit) kept.clear();
  kept.set(path, { stamp, value });
  return value;
}

/** The table of a file if it adds to the overview, which most do not, as their text shows. */
function overviewed(path: string, json: string): ModuleTable | null {
  const adds = json.includes('"globals"') || json.includes('"declares"') || json.includes('"sets"');
  return adds || path.endsWith('/package.json') ? parseTable(json) : null;
}

/** INVARIANT: we wrote the text from a table. */
function parseTable(json: string): ModuleTable | null {
  return JSON.parse(json) as ModuleTable | null;
}

function lookAt(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

function statOf(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
