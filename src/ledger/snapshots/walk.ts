// What a workspace holds, found by looking at every file's dates first: only what changed since is read again. The data of
// its git repositories belongs to it, wherever it is.

import { lstatSync, readdirSync, readFileSync, realpathSync, type Stats } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { nameOf, systemPath } from './names.ts';
import type { Unkept } from './snapshot.ts';
import type { Turns } from './turns.ts';

/** What tells that a file is as it was, without reading it. */
export interface Mark {
  /**
   * `object`: a file of a store of objects of git, which is never changed once it is there; `objects`: a folder of such a
   * store, whose dates tell whether something came or went.
   */
  readonly type: 'file' | 'link' | 'folder' | 'object' | 'objects';
  readonly size: number;
  readonly mode: number;
  /** When its content and when its own data changed, in milliseconds; the latter is 0 where that does not tell. */
  readonly content: number;
  readonly data: number;
  /** Its number on the disk. */
  readonly number: number;
  /** How many names the file has. */
  readonly names: number;
}

/** Folders of a repository that hold its objects. */
const stores: ReadonlySet<string> = new Set(['objects', 'lfs']);

/** Folders that tools make again, and the repository's own data. */
export const leftOut: ReadonlySet<string> = new Set([
  ...[
    '.git',
    '.hg',
    '.svn',
    '.jj',
    'node_modules',
    'bower_components',
    '__pycache__',
    '.venv',
    'venv',
    '.tox',
  ],
  ...[
    '.nox',
    '.mypy_cache',
    '.pytest_cache',
    '.ruff_cache',
    '.gradle',
    '.next',
    '.nuxt',
    '.turbo',
    '.svelte-kit',
  ],
  ...[
    '.parcel-cache',
    '.cache',
    '.yarn-cache',
    '.pnpm-store',
    '.dart_tool',
    'DerivedData',
    'Pods',
    '.terraform',
  ],
]);

export interface Walk {
  /** Everything that is there by its path: from the workspace on, or absolute for data of git elsewhere. */
  readonly files: ReadonlyMap<string, Mark>;
  /** Of these, the paths of what does not look as it did at the look before. */
  readonly fresh: readonly string[];
  /** The paths of `.git`, be it a folder, a file or a link. */
  readonly repositories: readonly string[];
  /** Whether there was more than is looked at; what was not seen cannot be brought back. */
  readonly truncated: boolean;
  /** What cannot be brought back, as far as names are given. */
  readonly unkept: readonly Unkept[];
}

/** How many files are looked at before others have their turn. */
const piece = 2000;
/** How many names are given of what cannot be kept. */
const mostUnkept = 20;
/** As long as a repository has no more objects, each is looked at; else only the folders that they are in. */
const mostObjects = 4096;

/** Looks at every file below a folder, in no order, following no link. `known`: what the look before saw. */
export function* walk(root: string, most: number, known: ReadonlyMap<string, Mark> = new Map()): Turns<Walk> {
  const walking = new Walking(root, most, known);
  walking.open.push({ path: '', kind: 'plain' });
  for (;;) {
    const next = walking.open.pop();
    if (next === undefined) break;
    walking.look(next);
    if (walking.isTurn()) yield 'turn';
  }
  return walking;
}

/** A folder that is still to be looked at: of the workspace, of the data of git, or of a store of its objects. */
interface Folder {
  readonly path: string;
  readonly kind: 'plain' | 'git' | 'objects';
}

class Walking implements Walk {
  readonly files = new Map<string, Mark>();
  readonly fresh: string[] = [];
  readonly repositories: string[] = [];
  readonly unkept: Unkept[] = [];
  readonly open: Folder[] = [];
  truncated = false;
  readonly #root: string;
  readonly #most: number;
  readonly #known: ReadonlyMap<string, Mark>;
  readonly #elsewhere = new Set<string>();
  #inFolders: Map<string, string[]> | undefined;
  #objects = 0;
  #looked = 0;

  constructor(root: string, most: number, known: ReadonlyMap<string, Mark>) {
    this.#root = root;
    this.#most = most;
    this.#known = known;
  }

  /** Whether it is somebody else's turn. */
  isTurn(): boolean {
    if (this.#looked < piece) return false;
    this.#looked = 0;
    return true;
  }

  look({ path, kind }: Folder): void {
    if (kind === 'objects') {
      this.#lookAtStore(path);
      return;
    }
    let names: readonly string[];
    const full = this.#full(path);
    try {
      names = namesIn(full);
    } catch {
      this.#miss(path, 'cannot be read');
      return;
    }
    const isData = kind === 'git' && isDataFolder(names);
    for (const name of names) {
      const at = path === '' ? name : `${path}/${name}`;
      const isDotGit = name === '.git' && kind === 'plain';
      if (isDotGit) this.repositories.push(at);
      if (kind === 'plain' && !isDotGit && leftOut.has(name)) continue;
      const found = lstatSync(systemPath(`${full}/${name}`), absentIsFine);
      if (found === undefined) continue;
      if (found.isDirectory()) {
        const isStore = isData && stores.has(name);
        this.#lookInto(at, found, isStore ? 'objects' : isDotGit ? 'git' : kind);
      } else if (found.isFile() || found.isSymbolicLink()) {
        this.#add(at, found, found.isFile() ? 'file' : 'link');
        if (isDotGit) this.#follow(at);
      } else this.#lookAtOther(at, found);
    }
  }

  /** Opens a folder. A store of objects is no folder of the workspace's own. */
  #lookInto(path: string, found: Stats, kind: Folder['kind']): void {
    if (kind === 'objects' || this.#add(path, found, 'folder')) this.open.push({ path, kind });
  }

  /** Of a pipe or a device nothing could be kept. A socket is its process's, which makes it anew. */
  #lookAtOther(path: string, found: Stats): void {
    if (!found.isSocket()) this.#miss(path, found.isFIFO() ? 'is a named pipe' : 'is a device');
  }

  #miss(path: string, why: string): void {
    this.truncated = true;
    if (this.unkept.length < mostUnkept) this.unkept.push({ path, why });
  }

  /** Notes one file or folder; false where it is one too many. What looks as it did keeps the mark that it had. */
  #add(path: string, found: Stats, type: Mark['type']): boolean {
    if (this.files.size - this.#objects >= this.#most) {
      if (!this.truncated) this.#miss(path, `is beyond the ${this.#most} files that are looked at`);
      this.truncated = true;
      return false;
    }
    this.#looked++;
    const known = this.#known.get(path);
    const isKnown = known !== undefined && known.type === type && looksLike(known, found);
    this.files.set(path, isKnown ? known : markOf(found, type));
    if (!isKnown) this.fresh.push(path);
    return true;
  }

  /** A file or link `.git` leads to data of a repository; where that is not in the workspace, it is looked at too. */
  #follow(dotGit: string): void {
    for (const folder of dataOf(this.#full(dotGit))) {
      if (folder === this.#root || folder.startsWith(`${this.#root}/`) || this.#elsewhere.has(folder))
        continue;
      this.#elsewhere.add(folder);
      const found = lstatSync(folder, absentIsFine);
      if (found !== undefined && this.#add(folder, found, 'folder'))
        this.open.push({ path: folder, kind: 'git' });
    }
  }

  /** Looks at the folders of a store; at the files of one only where it changed, or where there are few. */
  #lookAtStore(folder: string): void {
    const found = lstatSync(systemPath(this.#full(folder)), { throwIfNoEntry: false });
    if (found === undefined) return;
    this.#looked++;
    const mark = markOf(found, 'objects');
    const before = this.#known.get(folder);
    this.files.set(folder, mark);
    if (!isSameMark(before, mark)) this.fresh.push(folder);
    this.#objects++;
    const names = isSameMark(before, mark) ? this.#namesIn(folder) : null;
    if (names !== null) {
      for (const path of names) {
        const known = this.#known.get(path);
        if (known?.type === 'objects') this.open.push({ path, kind: 'objects' });
        else if (known !== undefined) {
          this.files.set(path, known);
          this.#objects++;
        }
      }
      return;
    }
    let inside: readonly string[];
    try {
      inside = namesIn(this.#full(folder));
    } catch {
      this.#miss(folder, 'cannot be read');
      return;
    }
    for (const name of inside) {
      const path = `${folder}/${name}`;
      const file = lstatSync(systemPath(this.#full(path)), absentIsFine);
      if (file?.isDirectory() === true) this.open.push({ path, kind: 'objects' });
      else if (file?.isFile() === true && this.#add(path, file, isObjectName(name) ? 'object' : 'file')) {
        this.#objects++;
      }
    }
  }

  /** What the look before saw in a folder of a store; null where there is so little that each file is looked at. */
  #namesIn(folder: string): readonly string[] | null {
    if (this.#inFolders === undefined) {
      this.#inFolders = new Map();
      let objects = 0;
      for (const [path, { type }] of this.#known) {
        if (type === 'object') objects++;
        else if (type !== 'objects') continue;
        const above = path.slice(0, path.lastIndexOf('/'));
        const others = this.#inFolders.get(above);
        if (others === undefined) this.#inFolders.set(above, [path]);
        else others.push(path);
      }
      if (objects <= mostObjects) this.#inFolders.clear();
    }
    return this.#inFolders.size === 0 ? null : (this.#inFolders.get(folder) ?? []);
  }

  #full(path: string): string {
    if (path.startsWith('/')) return path;
    return path === '' ? this.#root : `${this.#root}/${path}`;
  }
}

/** Whether a folder in the data of git has objects beside it: a repository's own, a submodule's. */
function isDataFolder(names: readonly string[]): boolean {
  return names.includes('HEAD') && names.includes('objects');
}

/** Objects and packs never change; beside them are lists, which do. */
function isObjectName(name: string): boolean {
  return /^(?:[0-9a-f]{38,64}|pack-.*|tmp_.*)$/.test(name);
}

/** The folders with the data of a repository that a file or link `.git` leads to: its own, and the one that it shares. */
function dataOf(dotGit: string): readonly string[] {
  const own = ownData(dotGit);
  if (own === null) return [];
  const shared = textAt(`${own}/commondir`);
  const common = shared === null ? own : realOrNull(resolve(own, shared));
  // INVARIANT: what a file of the workspace names is looked at only where it is a repository.
  const isRepository = common !== null && isDataFolder(namesOrNone(common));
  if (!isRepository) return [];
  return own === common || own.startsWith(`${common}/`) ? [common] : [common, own];
}

function ownData(dotGit: string): string | null {
  const real = realOrNull(dotGit);
  if (real === null) return null;
  if (lstatSync(real, { throwIfNoEntry: false })?.isDirectory() === true) return real;
  const named = /^gitdir: (.+)$/.exec(textAt(real) ?? '')?.[1];
  return named === undefined ? null : realOrNull(resolve(dirname(real), named));
}

function textAt(path: string): string | null {
  try {
    const found = lstatSync(path);
    return found.isFile() && found.size < 4096 ? readFileSync(path, 'utf8').trimEnd() : null;
  } catch {
    return null;
  }
}

function realOrNull(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

function namesOrNone(folder: string): readonly string[] {
  try {
    return namesIn(folder);
  } catch {
    return [];
  }
}

function namesIn(folder: string): readonly string[] {
  const path = systemPath(folder);
  const names = readdirSync(path, 'utf8');
  return names.some((name) => name.includes('\ufffd')) ? readdirSync(path, 'buffer').map(nameOf) : names;
}

const absentIsFine = { throwIfNoEntry: false } as const;

export function markOf(found: Stats, type: Mark['type'] = found.isSymbolicLink() ? 'link' : 'file'): Mark {
  const mode = found.mode & 0o7777;
  // Of a folder only its mode counts: what is in it stands for itself.
  if (type === 'folder') return { type, size: 0, mode, content: 0, data: 0, number: 0, names: 1 };
  return {
    type,
    size: found.size,
    mode,
    content: found.mtimeMs,
    data: found.ctimeMs,
    number: found.ino,
    names: type === 'objects' ? 1 : found.nlink,
  };
}

/** Whether a mark of the same type is that of what was found, without making another. */
function looksLike(mark: Mark, found: Stats): boolean {
  if ((found.mode & 0o7777) !== mark.mode) return false;
  return (
    mark.type === 'folder' ||
    (found.ctimeMs === mark.data &&
      found.mtimeMs === mark.content &&
      found.size === mark.size &&
      found.ino === mark.number &&
      found.nlink === mark.names)
  );
}

/** Clocks of file systems are coarse: what changed this long ago may change again without its dates showing it. */
const coarse = 100;

/** The mark as it may be relied on later: a file that has just changed is read again the next time. */
export function settledMark(mark: Mark, now: number): Mark {
  return mark.data > now - coarse ? { ...mark, data: 0 } : mark;
}

export function isSameMark(a: Mark | undefined, b: Mark | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  return (
    a.data === b.data &&
    a.content === b.content &&
    a.size === b.size &&
    a.number === b.number &&
    a.type === b.type &&
    a.mode === b.mode &&
    a.names === b.names
  );
}
