// The content of a workspace, found by checking every file's dates first: only changed files are read again. The data
// of its git repositories belongs to it, wherever it is located.

import { lstatSync, type Stats } from 'node:fs';
import { dataOf, isDataFolder, isObjectName, namesIn } from './git-data.ts';
import { isSameMark, looksLike, type Mark, markOf } from './mark.ts';
import { systemPath } from './names.ts';
import type { NotCaptured } from './snapshot.ts';
import { StatIndex } from './stat-index.ts';
import type { Turns } from './turns.ts';

/** Folders of a repository that hold its objects. */
const stores: ReadonlySet<string> = new Set(['objects', 'lfs']);

/** Folders that tools create again, and the repository's own data. */
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

/** The result of a scan, compared with the previous one. */
export interface Walk {
  /** The changed entries, by path: relative to the workspace, or absolute for git data elsewhere. */
  readonly fresh: ReadonlyMap<string, Mark>;
  /** The entries of the previous scan that are missing in this one. */
  readonly gone: ReadonlySet<string>;
  /** The paths of `.git`: a folder, a file or a link. */
  readonly repositories: readonly string[];
  /** Whether the limit was exceeded; entries that were not scanned cannot be restored. */
  readonly truncated: boolean;
  /** The entries that cannot be restored, up to a limit. */
  readonly unkept: readonly NotCaptured[];
}

/** How many files are checked before yielding to other work. */
const piece = 2000;
/** How many entries that cannot be stored are named. */
const mostNamed = 20;
/** Up to this number of objects in a repository each is checked; beyond it only their folders. */
const mostObjects = 4096;
/** Dates of folders are coarse: one that changed this recently may change again without a change of its dates. */
const coarse = 2500;

type Kind = 'plain' | 'git' | 'objects';

/** A folder to scan: of the workspace, of the data of git, or of an object store. */
interface Folder {
  readonly path: string;
  readonly kind: Kind;
  /** Its metadata before its names are read. */
  readonly found: Stats;
}

/** A scanned folder. As long as its dates are the same, so are its names. */
interface SeenFolder {
  readonly kind: Kind;
  /** The names of the files, links and folders in it that are scanned. */
  readonly names: readonly string[];
  readonly device: number;
  readonly number: number;
  readonly content: number;
  /** 0 if its dates are not reliable. */
  readonly data: number;
}

/** The state that a scan leaves for the next one of the same process. */
export interface Seen {
  /** INVARIANT: a folder comes after its parent. */
  readonly folders: Map<string, SeenFolder>;
  readonly repositories: Set<string>;
  /** Files of the workspace that are not covered by the index. */
  readonly loose: Set<string>;
  /** The number of files and folders, without object stores, and the number of objects. */
  count: number;
  objects: number;
}

interface WalkOptions {
  readonly root: string;
  /** How many files and folders are scanned. */
  readonly most: number;
  /** The result of the previous scan. */
  readonly known: ReadonlyMap<string, Mark>;
  /** When this scan began. */
  readonly started: number;
}

/** One scan, of everything below a folder or only of entries that may have changed; in no order, following no link. */
export class Walking implements Walk {
  readonly fresh = new Map<string, Mark>();
  readonly gone = new Set<string>();
  readonly unkept: NotCaptured[] = [];
  truncated = false;
  readonly seen: Seen;
  /** The dates of all indexed files of the workspace, after a complete scan. */
  readonly index: StatIndex;
  /** Files of the workspace whose dates are in the index and not known yet. */
  readonly unconfirmed = new Map<string, Mark>();
  /** Whether the workspace contains folders of several disks. */
  isMixed = false;
  readonly #options: WalkOptions;
  readonly #open: Folder[] = [];
  readonly #elsewhere = new Set<string>();
  /** All paths, if everything is scanned. */
  readonly #paths: Set<string> | null;
  #device: number | undefined;
  #inFolders: Map<string, string[]> | undefined;
  /** How many of the known entries were seen. */
  #met = 0;
  #looked = 0;
  /** Whether the previous scan does not help with the current state. */
  #isOutdated = false;

  /** `seen`: the state of the previous scan, if only entries that may have changed are scanned. */
  constructor(options: WalkOptions, seen: Seen | null = null) {
    this.#options = options;
    this.index = new StatIndex(options.started);
    this.#paths = seen === null ? new Set() : null;
    this.seen = seen ?? {
      folders: new Map(),
      repositories: new Set(),
      loose: new Set(),
      count: 0,
      objects: 0,
    };
  }

  get repositories(): readonly string[] {
    return [...this.seen.repositories];
  }

  /** Scans everything. */
  *everything(): Turns<void> {
    const { root, known } = this.#options;
    const found = this.#stat('');
    if (found === undefined) this.#miss(root, 'cannot be read');
    else this.#open.push({ path: '', kind: 'plain', found });
    yield* this.#lookAtOpen();
    if (this.#met === known.size) return;
    for (const path of known.keys()) if (this.#paths?.has(path) !== true) this.gone.add(path);
  }

  /** Checks every folder, and the files of those that changed. False if a complete scan is needed instead. */
  *folders(): Turns<boolean> {
    const { known } = this.#options;
    const { folders, repositories } = this.seen;
    for (const [path, folder] of folders) {
      if (!this.#lookAgain(path, folder)) return false;
      if (this.#isTurn()) yield 'turn';
    }
    for (const path of repositories) {
      if ((this.fresh.get(path) ?? known.get(path))?.type === 'folder') continue;
      // Its target may be another repository now.
      if (this.fresh.has(path)) return false;
      this.#follow(path);
    }
    yield* this.#lookAtOpen();
    return !this.truncated && !this.isMixed && !this.#isOutdated;
  }

  /** Checks files of the workspace again. False if a complete scan is needed instead. */
  *files(paths: Iterable<string>): Turns<boolean> {
    for (const path of paths) {
      // INVARIANT: an entry that was lost with its folder is not checked: its path may lead elsewhere now.
      if (!this.gone.has(path) && !this.#lookAtFile(path)) return false;
      if (this.#isTurn()) yield 'turn';
    }
    return !this.truncated;
  }

  /** False if a folder is no longer one, without a trace in the folders above it. */
  #lookAgain(path: string, folder: SeenFolder): boolean {
    const found = this.#stat(path);
    if (found?.isDirectory() !== true) return false;
    const { kind } = folder;
    if (kind === 'objects') this.#lookAtStore(path, found);
    else {
      if (path !== '') this.#add(path, found, 'folder', kind);
      if (kind === 'git' || !isAsSeen(folder, found)) this.#look({ path, kind, found });
    }
    return true;
  }

  /** False if a file has become a folder, without a trace in the folders above it. */
  #lookAtFile(path: string): boolean {
    const found = this.#stat(path);
    if (found?.isFile() === true || found?.isSymbolicLink() === true) {
      this.#add(path, found, found.isFile() ? 'file' : 'link', 'plain');
      return true;
    }
    this.seen.loose.delete(path);
    if (found?.isDirectory() === true) return this.seen.folders.has(path);
    if (found !== undefined) this.#lookAtOther(path, found);
    this.#lose(path);
    return true;
  }

  *#lookAtOpen(): Turns<void> {
    for (let next = this.#open.pop(); next !== undefined; next = this.#open.pop()) {
      if (next.kind === 'objects') this.#lookAtStore(next.path, next.found);
      else this.#look(next);
      if (this.#isTurn()) yield 'turn';
    }
  }

  /** Whether to yield to other work. */
  #isTurn(): boolean {
    if (this.#looked < piece) return false;
    this.#looked = 0;
    return true;
  }

  #look({ path, kind, found: folder }: Folder): void {
    const listed = this.#list(path);
    if (listed === null) return;
    const isData = kind === 'git' && isDataFolder(listed);
    const before = new Set(this.seen.folders.get(path)?.names);
    const names: string[] = [];
    for (const name of listed) {
      const isDotGit = name === '.git' && kind === 'plain';
      if (kind === 'plain' && !isDotGit && leftOut.has(name)) continue;
      const at = pathIn(path, name);
      const found = this.#stat(at);
      if (found === undefined) continue;
      if (isDotGit) this.seen.repositories.add(at);
      const below = isData && stores.has(name) ? 'objects' : isDotGit ? 'git' : kind;
      if (found.isDirectory()) this.#lookInto(at, found, below);
      else if (!this.#lookAt(at, found, kind, !before.has(name))) continue;
      if (isDotGit && !found.isDirectory()) this.#follow(at);
      names.push(name);
      before.delete(name);
    }
    for (const name of before) this.#lose(pathIn(path, name));
    this.#remember(path, kind, names, folder);
  }

  /** Checks an entry that is not a folder; false if it is neither a file nor a link. */
  #lookAt(path: string, found: Stats, kind: Kind, isNew: boolean): boolean {
    if (!found.isFile() && !found.isSymbolicLink()) {
      this.#lookAtOther(path, found);
      return false;
    }
    // A former folder, or an absent entry, is in no index.
    const isUnanswered = this.#loseBelow(path) || isNew;
    if (isUnanswered && kind === 'plain' && this.#paths === null) this.seen.loose.add(path);
    this.#add(path, found, found.isFile() ? 'file' : 'link', kind);
    return true;
  }

  /** Opens a folder that was not scanned before. An object store is not a folder of the workspace's own. */
  #lookInto(path: string, found: Stats, kind: Kind): void {
    const before = this.seen.folders.get(path);
    // One that became a store is scanned as such in a complete scan.
    if (before !== undefined && before.kind !== kind) this.#isOutdated = true;
    const isAdded = kind === 'objects' || this.#add(path, found, 'folder', kind);
    if (isAdded && before === undefined) this.#open.push({ path, kind, found });
  }

  /** A pipe or a device has no content to store. A socket belongs to its process, which creates it again. */
  #lookAtOther(path: string, found: Stats): void {
    if (!found.isSocket()) this.#miss(path, found.isFIFO() ? 'is a named pipe' : 'is a device');
  }

  #miss(path: string, why: string): void {
    this.truncated = true;
    if (this.unkept.length < mostNamed) this.unkept.push({ path, why });
  }

  /** Adds one file or folder; false if it exceeds the limit. */
  #add(path: string, found: Stats, type: Mark['type'], kind: Kind): boolean {
    if (this.fresh.has(path)) return true;
    const { most } = this.#options;
    const known = this.#options.known.get(path);
    if (kind !== 'objects' && (this.#paths !== null || known === undefined)) {
      if (this.seen.count >= most) {
        if (!this.truncated) this.#miss(path, `is beyond the ${most} files that are looked at`);
        return false;
      }
      this.seen.count++;
    }
    this.#looked++;
    this.#meet(path, known);
    const isKnown = known !== undefined && known.type === type && looksLike(known, found);
    const mark = isKnown ? known : markOf(found, type);
    if (!isKnown) this.fresh.set(path, mark);
    if (kind === 'plain' && type !== 'folder') this.#answerFor(path, found, mark, isKnown);
    return true;
  }

  /** Adds a file to the index, or to those that the index does not cover. */
  #answerFor(path: string, found: Stats, mark: Mark, isKnown: boolean): void {
    const isAnswered = this.#paths === null ? isKnown : this.index.add(path, found);
    if (!isAnswered) this.seen.loose.add(path);
    else if (!isKnown) this.unconfirmed.set(path, mark);
  }

  #meet(path: string, known: Mark | undefined): void {
    this.#paths?.add(path);
    if (known !== undefined) this.#met++;
  }

  /** An entry that no longer exists, with all entries below it. */
  #lose(path: string): void {
    const { folders, repositories, loose } = this.seen;
    if (this.#options.known.has(path) && !this.gone.has(path)) {
      this.gone.add(path);
      this.seen.count--;
    }
    repositories.delete(path);
    loose.delete(path);
    if (folders.has(path)) this.#loseBelow(path);
  }

  /** Removes a folder and all entries below it; returns whether there was one. */
  #loseBelow(path: string): boolean {
    const folder = this.seen.folders.get(path);
    if (folder === undefined) return false;
    this.seen.folders.delete(path);
    for (const name of folder.names) this.#lose(pathIn(path, name));
    return true;
  }

  #remember(path: string, kind: Kind, names: readonly string[], found: Stats): void {
    const { dev: device, ino: number, mtimeMs: content, ctimeMs } = found;
    if (kind === 'plain') {
      this.#device ??= device;
      if (device !== this.#device) this.isMixed = true;
    }
    const data = ctimeMs > this.#options.started - coarse ? 0 : ctimeMs;
    this.seen.folders.set(path, { kind, names, device, number, content, data });
  }

  /** A file or link `.git` leads to data of a repository; if that is not in the workspace, it is scanned too. */
  #follow(dotGit: string): void {
    const { root } = this.#options;
    for (const folder of dataOf(this.#full(dotGit))) {
      if (folder === root || folder.startsWith(`${root}/`) || this.#elsewhere.has(folder)) continue;
      this.#elsewhere.add(folder);
      const found = lstatSync(folder, absentIsFine);
      if (found !== undefined) this.#lookInto(folder, found, 'git');
    }
  }

  /** Checks the folders of a store; the files of one only if it changed, or if there are few. */
  #lookAtStore(folder: string, found: Stats): void {
    const { known } = this.#options;
    const mark = markOf(found, 'objects');
    const before = known.get(folder);
    const isSame = isSameMark(before, mark);
    this.#looked++;
    this.#meet(folder, before);
    if (!isSame) this.fresh.set(folder, mark);
    const names = isSame ? this.#unlookedIn(folder) : null;
    if (names === null) this.#lookAtObjects(folder, found);
    else {
      for (const name of names) this.#takeObject(pathIn(folder, name));
      this.#remember(folder, 'objects', names, found);
    }
  }

  /** Assumes an entry in a folder of a store to be unchanged, but checks a folder. */
  #takeObject(path: string): void {
    const known = this.#options.known.get(path);
    if (known?.type === 'objects') {
      const found = this.seen.folders.has(path) ? undefined : this.#stat(path);
      if (found !== undefined) this.#open.push({ path, kind: 'objects', found });
    } else if (known !== undefined && this.#paths !== null) {
      this.#meet(path, known);
      this.seen.objects++;
    }
  }

  #lookAtObjects(folder: string, found: Stats): void {
    const listed = this.#list(folder);
    if (listed === null) return;
    const before = new Set(this.seen.folders.get(folder)?.names);
    const names: string[] = [];
    for (const name of listed) {
      const path = pathIn(folder, name);
      const file = this.#stat(path);
      if (file?.isDirectory() === true) {
        if (!this.seen.folders.has(path)) this.#open.push({ path, kind: 'objects', found: file });
      } else if (file?.isFile() === true) {
        this.#add(path, file, isObjectName(name) ? 'object' : 'file', 'objects');
        if (this.#paths !== null || !before.has(name)) this.seen.objects++;
      } else continue;
      names.push(name);
      before.delete(name);
    }
    for (const name of before) this.#lose(pathIn(folder, name));
    this.#remember(folder, 'objects', names, found);
  }

  /** The names that the previous scan saw in a folder of a store; null if they are so few that each file is checked. */
  #unlookedIn(folder: string): readonly string[] | null {
    if (this.#paths === null)
      return this.seen.objects > mostObjects ? (this.seen.folders.get(folder)?.names ?? null) : null;
    if (this.#inFolders === undefined) {
      this.#inFolders = new Map();
      let objects = 0;
      for (const [path, { type }] of this.#options.known) {
        if (type === 'object') objects++;
        else if (type !== 'objects') continue;
        const slash = path.lastIndexOf('/');
        const others = this.#inFolders.get(path.slice(0, slash));
        if (others === undefined) this.#inFolders.set(path.slice(0, slash), [path.slice(slash + 1)]);
        else others.push(path.slice(slash + 1));
      }
      if (objects <= mostObjects) this.#inFolders.clear();
    }
    return this.#inFolders.size === 0 ? null : (this.#inFolders.get(folder) ?? []);
  }

  #list(folder: string): readonly string[] | null {
    try {
      return namesIn(this.#full(folder));
    } catch {
      this.#miss(folder, 'cannot be read');
      return null;
    }
  }

  /** Undefined if there is no entry any more, or if that cannot be determined. */
  #stat(path: string): Stats | undefined {
    try {
      return lstatSync(systemPath(this.#full(path)), absentIsFine);
    } catch (error) {
      const isGone = error instanceof Error && 'code' in error && error.code === 'ENOTDIR';
      if (!isGone) this.#miss(path, 'cannot be read');
      return undefined;
    }
  }

  #full(path: string): string {
    if (path.startsWith('/')) return path;
    const { root } = this.#options;
    return path === '' ? root : `${root}/${path}`;
  }
}

const absentIsFine = { throwIfNoEntry: false } as const;

function pathIn(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** Whether a folder has the same names as before. */
function isAsSeen(folder: SeenFolder, found: Stats): boolean {
  return (
    folder.data === found.ctimeMs &&
    folder.content === found.mtimeMs &&
    folder.number === found.ino &&
    folder.device === found.dev
  );
}
