// The symbol index of each workspace: a table for every source file, kept in the home and read again where the file has
// changed. It is only a help: what it has lost is read again, and nothing is called missing before the disk was asked.

import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivate } from '../../config/index.ts';
import type { ModuleReader, ModuleTable, SourceTree, Symbols } from '../../core/index.ts';
import { hasTable, largestText, Survey, tableOf } from '../../guards/symbols/tables.ts';
import { stampOf, walkSources } from './walk.ts';

export interface SymbolOptions {
  /** The folder of indexes in the home; null where none is kept. */
  readonly store: string | null;
  /** The reader of modules; null where it is not installed. */
  readonly parser: () => Promise<ModuleReader | null>;
  /** Whether an index is made and kept up behind the calls that ask for it, as a daemon does. */
  readonly background?: boolean;
}

/** What an indexing did. */
export interface Indexed {
  readonly files: number;
  /** Files that were read because they are new or have changed. */
  readonly read: number;
  readonly truncated: boolean;
}

/** One file: its stamp, and its table as JSON; tables are many and most are never looked at. */
interface Entry {
  readonly stamp: string;
  readonly json: string;
}

/** Most files of one workspace, and of installed packages, that are kept. */
const mostFiles = 200_000;
const mostForeign = 20_000;
/** An index that is larger is not loaded for one check. */
const largestIndex = 33_554_432;
/** The largest manifest or lock file that is read. */
const largestManifest = 8_388_608;
/** How long an index counts as current in a daemon, in milliseconds. */
const currentFor = 2000;
const version = 1;

export class SymbolStore implements Symbols {
  readonly #options: SymbolOptions;
  readonly #workspaces = new Map<string, Workspace>();

  constructor(options: SymbolOptions) {
    this.#options = options;
  }

  /** The tree of a workspace that is indexed; null where it is not, or its index is too large to load for one check. */
  async of(root: string): Promise<SourceTree | null> {
    const reader = await this.#options.parser();
    const known = this.#workspaces.get(root) ?? this.#load(root, largestIndex);
    if (this.#options.background === true) this.#refresh(root, known);
    return known === null ? null : known.tree(reader);
  }

  /** Indexes a workspace, reading only what has changed since the last time. */
  async index(root: string): Promise<Indexed> {
    const reader = await this.#options.parser();
    const known =
      this.#workspaces.get(root) ?? this.#load(root, Number.POSITIVE_INFINITY) ?? new Workspace(root);
    this.#workspaces.set(root, known);
    const indexed = await known.update(reader);
    const file = this.#file(root);
    if (file !== null && indexed.changed) writePrivate(file, known.save());
    return indexed;
  }

  #refresh(root: string, known: Workspace | null): void {
    if (known !== null && !known.isStale(currentFor)) return;
    // What fails here is tried again with the next check, and until then answers are older or unknown.
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

interface Header {
  readonly version: number;
  readonly root: string;
  readonly packages: readonly (readonly [string, string])[];
  readonly roots: readonly (readonly [string, string[]])[];
  readonly globals: readonly string[];
  readonly declared: readonly string[];
  readonly added: readonly string[];
}

/** The index of one workspace. */
class Workspace {
  readonly #root: string;
  #entries = new Map<string, Entry>();
  /** Files outside of the workspace's own, such as those of installed packages. */
  readonly #foreign = new Map<string, Entry>();
  readonly #texts = new Map<string, { readonly stamp: string; readonly text: string | null }>();
  #overview = new Survey();
  #updating: Promise<Indexed & { readonly changed: boolean }> | undefined;
  #updatedAt = Number.NEGATIVE_INFINITY;

  constructor(root: string) {
    this.#root = root;
  }

  /** Reads a saved index; null where it is not whole or of another form. */
  static load(root: string, text: string): Workspace | null {
    const workspace = new Workspace(root);
    const end = text.indexOf('\n');
    try {
      // INVARIANT: the folder is ours alone, and a file in it is written whole or not at all.
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

  isStale(milliseconds: number): boolean {
    return this.#updating === undefined && performance.now() - this.#updatedAt > milliseconds;
  }

  /** Brings the index up to date; those who ask at the same time share one run. */
  update(reader: ModuleReader | null): Promise<Indexed & { readonly changed: boolean }> {
    this.#updating ??= this.#update(reader).finally(() => {
      this.#updating = undefined;
      this.#updatedAt = performance.now();
    });
    return this.#updating;
  }

  async #update(reader: ModuleReader | null): Promise<Indexed & { readonly changed: boolean }> {
    const { files, truncated } = await walkSources(this.#root, mostFiles);
    const entries = new Map<string, Entry>();
    let read = 0;
    let kept = 0;
    for (const [path, stamp] of files) {
      const known = this.#entries.get(path);
      // What could not be read is tried again: its reader may be installed by now.
      if (known?.stamp === stamp && known.json !== 'null') {
        entries.set(path, known);
        kept++;
        continue;
      }
      entries.set(path, { stamp, json: JSON.stringify(readTable(path, reader)) });
      // The parser's results are freed only when the loop turns.
      if (++read % 8 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const changed = read > 0 || kept !== this.#entries.size;
    if (changed) {
      const overview = new Survey();
      const isPackage = (folder: string) => files.has(`${folder}/__init__.py`);
      for (const [path, { json }] of entries) {
        // Most tables add nothing to the overview, which their text shows.
        const adds = json.includes('"globals"') || json.includes('"declares"') || json.includes('"sets"');
        const table = adds || path.endsWith('/package.json') ? parseTable(json) : null;
        overview.add(path, table, isPackage);
      }
      this.#overview = overview;
    }
    this.#entries = entries;
    return { files: files.size, read, truncated, changed };
  }

  /** The workspace as it is now; what a call has seen stays so for the call. */
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
        const names = namesIn(folder);
        lists.set(folder, names);
        return names;
      },
      text: (path) => this.#text(path, look(path)),
      table: (path) => {
        const known = tables.get(path);
        if (known !== undefined) return known;
        const table = this.#table(path, look(path), reader);
        tables.set(path, table);
        return table;
      },
    };
  }

  #text(path: string, found: Stats | null): string | null {
    if (found === null || !found.isFile() || found.size > largestManifest) return null;
    const stamp = stampOf(found);
    const known = this.#texts.get(path);
    if (known?.stamp === stamp) return known.text;
    const text = readText(path);
    if (this.#texts.size > 1000) this.#texts.clear();
    this.#texts.set(path, { stamp, text });
    return text;
  }

  #table(path: string, found: Stats | null, reader: ModuleReader | null): ModuleTable | null {
    if (found === null || !found.isFile() || !hasTable(path)) return null;
    const stamp = stampOf(found);
    const known = this.#entries.get(path) ?? this.#foreign.get(path);
    if (known?.stamp === stamp) return parseTable(known.json);
    const table = readTable(path, reader);
    const entry = { stamp, json: JSON.stringify(table) };
    if (this.#entries.has(path)) this.#entries.set(path, entry);
    else {
      if (this.#foreign.size > mostForeign) this.#foreign.clear();
      this.#foreign.set(path, entry);
    }
    return table;
  }
}

/** INVARIANT: the text was made from a table, by us. */
function parseTable(json: string): ModuleTable | null {
  return JSON.parse(json) as ModuleTable | null;
}

function readTable(path: string, reader: ModuleReader | null): ModuleTable | null {
  const text = readText(path);
  return text === null || text.length > largestText ? null : tableOf(text, path, reader);
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
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
