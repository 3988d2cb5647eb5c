// Reads and replaces files below a folder without ever leaving it: every folder on the way is held open, so that
// replacing one by a link during the walk does not change the location.

import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmdirSync,
  type Stats,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { giveToAccount } from '../../config/index.ts';
import { SallyportError } from '../../core/index.ts';
import { shownPath, systemPath } from './names.ts';

/** The path does not lead to a plain file of the workspace. Nothing was written. */
export class PathRefused extends SallyportError {}

/** The entry at a path: a file's bytes with its permissions, the text of a link, or a folder. */
export interface Content {
  readonly type: 'file' | 'link' | 'folder';
  readonly bytes: Uint8Array;
  readonly mode: number;
  /** A file elsewhere with the bytes, if they are too many to hold in memory. */
  readonly copyOf?: string;
  /** No other code uses the file that `copyOf` names: it may become this one without being copied. */
  readonly isMovable?: boolean;
}

/** How a file is read: as one that is about to be written, or as any entry. */
export interface ReadAs {
  /** Also reads a file with other hard links elsewhere, or with set-user-id rights, and a folder. */
  readonly any: boolean;
}

const openFolder = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Linux shows open folders as paths; elsewhere the path is checked before and after, which is open to a race. */
const holds = process.platform === 'linux' && existsSync('/proc/self/fd');

/** A folder that is held open, and how its members are named. */
interface Held {
  readonly fd: number;
  readonly at: (name: string) => string | Buffer;
  /** Throws if the folder is no longer where it was. */
  readonly confirm: () => void;
}

/** Runs work in the parent folder of a file; null if that folder is missing and is not to be created. */
function inFolder<T>(
  root: string,
  path: string,
  make: boolean,
  work: (held: Held, name: string) => T,
  isOneDevice = false,
): T | null {
  // Git data to restore may be elsewhere: its path is absolute, and every folder on the way is held as well.
  const isElsewhere = !isOneDevice && path.startsWith('/');
  const names = namesOf(isElsewhere ? path.slice(1) : path);
  const name = names.pop() ?? '';
  const start = isElsewhere ? '/' : root;
  let held = hold(start, start);
  try {
    const { dev } = fstatSync(held.fd);
    let way = start;
    for (const folder of names) {
      way = join(way, folder);
      const next = enter(held, folder, way, make);
      if (next === null) return null;
      closeSync(held.fd);
      held = next;
      if (isOneDevice && fstatSync(held.fd).dev !== dev)
        throw new PathRefused(`${shownPath(path)} is on another file system`);
    }
    const result = work(held, name);
    held.confirm();
    return result;
  } finally {
    closeSync(held.fd);
  }
}

/** The path components of a file. INVARIANT: every one of them descends. */
export function namesOf(path: string): string[] {
  const names = path.split('/');
  if (names.some((name) => name === '' || name === '.' || name === '..' || name.includes('\u0000'))) {
    throw new PathRefused('the path is not plain');
  }
  return names;
}

function hold(path: string | Buffer, real: string): Held {
  const fd = openSync(path, openFolder);
  if (holds) return { fd, at: (name) => systemPath(`/proc/self/fd/${fd}/${name}`), confirm: () => {} };
  return {
    fd,
    at: (name) => systemPath(join(real, name)),
    confirm: () => {
      const there = systemPath(real);
      if (!realpathSync(there, { encoding: 'buffer' }).equals(Buffer.from(there)))
        throw new PathRefused('a folder was swapped for a link');
    },
  };
}

function enter(held: Held, folder: string, way: string, make: boolean): Held | null {
  const path = held.at(folder);
  let made = false;
  for (let tried = 0; ; tried++) {
    try {
      const entered = hold(path, way);
      if (made) giveToAccount(entered.fd);
      return entered;
    } catch (error) {
      const code = codeOf(error);
      if (code === 'ENOENT' && !make) return null;
      if (code !== 'ENOENT' || tried > 0)
        throw refused(error, `${shownPath(way)} is no folder of the workspace`);
      try {
        mkdirSync(path);
        made = true;
        fsyncSync(held.fd);
      } catch (problem) {
        if (codeOf(problem) !== 'EEXIST') throw problem;
      }
    }
  }
}

/**
 * The entry at a path, or null if there is none. A link is read as a link, and never followed. Throws `PathRefused` for
 * an entry larger than `largest`, and for one that is not a plain file unless that is requested.
 */
export function readAt(
  root: string,
  path: string,
  largest: number,
  { any }: ReadAs = { any: false },
): Content | null {
  return inFolder(
    root,
    path,
    false,
    (held, name) => {
      const found = lstatSync(held.at(name), { throwIfNoEntry: false });
      if (found?.isSymbolicLink() === true) {
        return { type: 'link', bytes: readlinkSync(held.at(name), { encoding: 'buffer' }), mode: 0o777 };
      }
      if (any && found?.isDirectory() === true)
        return { type: 'folder', bytes: new Uint8Array(), mode: found.mode & 0o7777 };
      const fd = openFile(held, name, path);
      if (fd === null) return null;
      try {
        const { size, mode } = any ? file(fstatSync(fd), path) : plain(fstatSync(fd), path);
        if (size > largest) throw new PathRefused(`${shownPath(path)} is larger than ${largest} bytes`);
        return { type: 'file', bytes: readFileSync(fd), mode: mode & 0o7777 };
      } finally {
        closeSync(fd);
      }
    },
    !any,
  );
}

/** Reads a file of any size in chunks; returns its permissions, or null if there is no file. */
export function* chunksAt(
  root: string,
  path: string,
  size: number,
): Generator<Uint8Array, { readonly mode: number } | null, void> {
  const fd = inFolder(root, path, false, (held, name) => openFile(held, name, path));
  if (fd === null) return null;
  try {
    const { mode } = file(fstatSync(fd), path);
    for (;;) {
      const piece = Buffer.allocUnsafe(size);
      const count = readSync(fd, piece, 0, size, null);
      if (count === 0) return { mode: mode & 0o7777 };
      yield piece.subarray(0, count);
    }
  } finally {
    closeSync(fd);
  }
}

/**
 * The system's metadata of a path, or null if there is no entry: nothing exists below an entry that is not a folder.
 */
export function statAt(root: string, path: string): Stats | null {
  const find = (held: Held, name: string) => lstatSync(held.at(name), { throwIfNoEntry: false }) ?? null;
  try {
    return inFolder(root, path, false, find);
  } catch (error) {
    if (error instanceof PathRefused) return null;
    throw error;
  }
}

/** Creates a hard link to a file of the workspace elsewhere; throws if the system cannot. */
export function linkFrom(root: string, path: string, to: string): void {
  inFolder(root, path, false, (held, name) => linkSync(held.at(name), to));
}

function openFile(held: Held, name: string, path: string): number | null {
  try {
    return openSync(held.at(name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw refused(error, `${shownPath(path)} is no plain file`);
  }
}

/**
 * Writes content beside its target path, under a temporary name; returns the open file, which may not be on disk yet,
 * or null for a link.
 */
export function stageAt(
  root: string,
  path: string,
  content: Content,
  scratch: string,
  { any }: ReadAs = { any: false },
): number | null {
  return inFolder(
    root,
    path,
    true,
    (held, name) => {
      checkTarget(lstatSync(held.at(name), { throwIfNoEntry: false }), path, any);
      const temporary = held.at(scratch);
      try {
        if (content.type === 'file') return isMoved(temporary, content) ? null : writeNew(temporary, content);
        symlinkSync(Buffer.from(content.bytes), temporary);
        return null;
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') unlinkIfThere(temporary);
        throw error;
      }
    },
    !any,
  );
}

/**
 * Atomically replaces the entry at a path by the staged one: a reader finds the old or the new. Returns the open
 * folder, whose names may not be on disk yet.
 */
export function putAt(root: string, path: string, scratch: string, { any }: ReadAs = { any: false }): number {
  const folder = inFolder(
    root,
    path,
    false,
    (held, name) => {
      checkTarget(lstatSync(held.at(name), { throwIfNoEntry: false }), path, any);
      renameSync(held.at(scratch), held.at(name));
      return openSync(held.at('.'), openFolder);
    },
    !any,
  );
  if (folder === null) throw new PathRefused(`the folder of ${shownPath(path)} is gone`);
  return folder;
}

/** Whether the entry at a path is the one that was seen there before; null: none. */
export type IsExpected = (found: Stats | null) => boolean;

/**
 * As `putAt`, if the entry at the path is the expected one; otherwise nothing is changed, and it returns null. The
 * existing entry is moved aside and checked, so that another process's entry is never replaced; for that moment the
 * path is empty, as when an editor saves with a backup.
 */
export function swapAt(root: string, path: string, scratch: string, isExpected: IsExpected): number | null {
  return inFolder(root, path, false, (held, name) => {
    const [target, fresh, old] = [held.at(name), held.at(scratch), held.at(asideOf(scratch))];
    const isThere = isRenamed(target, old);
    const look = () => isExpected(isThere ? lstatSync(old) : null);
    const made = look() ? linked(fresh, target) : 'none';
    // A file system without links: then a concurrent write in between may be replaced.
    if (made === 'refused') renameSync(fresh, target);
    else if (made === 'done') unlinkSync(fresh);
    if (made !== 'none' && look()) {
      if (isThere) unlinkSync(old);
      return openSync(held.at('.'), openFolder);
    }
    if (isThere) putBack(old, target, made !== 'none');
    return null;
  });
}

/** Restores the name of a file that was moved aside, unless a newer one was created there. */
function putBack(old: string | Buffer, target: string | Buffer, isOurs: boolean): void {
  if (isOurs || linked(old, target) === 'refused') renameSync(old, target);
  unlinkIfThere(old);
}

/** Moves a file; false if there is none. */
function isRenamed(from: string | Buffer, to: string | Buffer): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Removes the entry at a path if it is the expected one; otherwise it stays, and this returns null. */
export function takeAt(root: string, path: string, scratch: string, isExpected: IsExpected): number | null {
  return inFolder(root, path, false, (held, name) => {
    const [target, old] = [held.at(name), held.at(asideOf(scratch))];
    if (!isRenamed(target, old)) return null;
    if (isExpected(lstatSync(old))) {
      unlinkSync(old);
      return openSync(held.at('.'), openFolder);
    }
    putBack(old, target, false);
    return null;
  });
}

/** Restores the file at a path from its temporary name, if a process died in between, or removes that name. */
export function returnAt(root: string, path: string, scratch: string, isWanted: boolean): void {
  try {
    inFolder(root, path, false, (held, name) => {
      const old = held.at(asideOf(scratch));
      if (lstatSync(old, { throwIfNoEntry: false }) === undefined) return;
      if (isWanted) renameSync(old, held.at(name));
      // Renaming one name of a file to another name of it leaves both.
      unlinkIfThere(old);
    });
  } catch (error) {
    // The folder is no longer a folder, so no entry in it has another name.
    if (!(error instanceof PathRefused)) throw error;
  }
}

function asideOf(scratch: string): string {
  return `${scratch}-old`;
}

/** Renames a file: `none` if there is no such file, or the name is taken; `refused` if it is not possible. */
function linked(from: string | Buffer, to: string | Buffer): 'done' | 'none' | 'refused' {
  try {
    linkSync(from, to);
    return 'done';
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'EEXIST') return 'none';
    if (['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK'].includes(code)) return 'refused';
    throw error;
  }
}

/** Stages and moves content, and waits until it is on disk. */
export function replaceAt(
  root: string,
  path: string,
  content: Content,
  scratch: string,
  as: ReadAs = { any: false },
): void {
  const staged = stageAt(root, path, content, scratch, as);
  try {
    if (staged !== null) settle(staged);
    settle(putAt(root, path, scratch, as));
  } catch (error) {
    discardAt(root, path, scratch);
    throw error;
  }
}

/** Removes the staged entry of a path, if there is one. */
export function discardAt(root: string, path: string, scratch: string): void {
  try {
    inFolder(root, path, false, (held) => unlinkIfThere(held.at(scratch)));
  } catch (error) {
    // The folder itself was removed or replaced: then so was the staged entry in it.
    if (!(error instanceof PathRefused)) throw error;
  }
}

function settle(fd: number): void {
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Moves a file to its new name; false if it must be copied, because it is on another file system. */
function isMoved(path: string | Buffer, { copyOf, isMovable = false }: Content): boolean {
  if (copyOf === undefined || !isMovable) return false;
  try {
    linkSync(copyOf, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw error;
    return false;
  }
}

/** Creates a new file; returns it open. */
function writeNew(path: string | Buffer, { bytes, mode, copyOf }: Content): number {
  const isNew = constants.O_EXCL | constants.O_NOFOLLOW;
  if (copyOf !== undefined) copyFileSync(copyOf, path, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  const flags =
    constants.O_WRONLY | (copyOf === undefined ? constants.O_CREAT | isNew : constants.O_NOFOLLOW);
  const fd = openSync(path, flags, mode & 0o777);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    giveToAccount(fd);
    // The umask of the process may have removed some bits, and so does a change of owner.
    if ((fstatSync(fd).mode & 0o7777) !== mode) fchmodSync(fd, mode);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/**
 * Writes into the file with the given inode number, so that all its names show it; false if another file is there now.
 */
export function writeInto(root: string, path: string, number: number, { bytes, mode }: Content): boolean {
  const written = inFolder(root, path, false, (held, name) => {
    const fd = openSync(held.at(name), constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const found = fstatSync(fd);
      if (!found.isFile() || found.ino !== number) return false;
      ftruncateSync(fd, 0);
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
      fchmodSync(fd, mode);
      fsyncSync(fd);
      return true;
    } finally {
      closeSync(fd);
    }
  });
  return written === true;
}

/** Stages a hard link to a file that exists at a path already; no sync is needed. */
export function stageLinkAt(root: string, path: string, of: string, scratch: string): null {
  return inFolder(root, of, false, (from, ofName) =>
    inFolder(root, path, true, (held) => {
      linkSync(from.at(ofName), held.at(scratch));
      return null;
    }),
  );
}

/** Creates a folder, or sets the mode of an existing one; false if another kind of entry is there. */
export function makeFolderAt(root: string, path: string, mode: number): boolean {
  const made = inFolder(root, path, true, (held, name) => {
    const entered = enter(held, name, join(root, path), true);
    if (entered === null) return false;
    try {
      if ((fstatSync(entered.fd).mode & 0o7777) !== mode) fchmodSync(entered.fd, mode);
      return true;
    } finally {
      closeSync(entered.fd);
    }
  });
  return made === true;
}

/** Removes an empty folder; one that is not empty stays. */
export function removeFolderAt(root: string, path: string): void {
  try {
    inFolder(root, path, false, (held, name) => rmdirSync(held.at(name)));
  } catch (error) {
    if (
      !['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'].includes(codeOf(error)) &&
      !(error instanceof PathRefused)
    )
      throw error;
  }
}

/** Removes the entry at a path, if there is one. Returns the open folder as `putAt` does. */
export function removeAt(root: string, path: string, { any }: ReadAs = { any: false }): number | null {
  return inFolder(
    root,
    path,
    false,
    (held, name) => {
      const target = held.at(name);
      const found = lstatSync(target, { throwIfNoEntry: false });
      if (found === undefined) return null;
      checkTarget(found, path, any);
      unlinkSync(target);
      return openSync(held.at('.'), openFolder);
    },
    !any,
  );
}

/** Removes a name of anything but a folder; a file with other names still exists under those. */
export function unlinkAt(root: string, path: string): void {
  inFolder(root, path, false, (held, name) => unlinkIfThere(held.at(name)));
}

/** A link is replaced as such; a file must be plain, unless it is restored from a snapshot. */
function checkTarget(found: Stats | undefined, path: string, any: boolean): void {
  if (found === undefined || found.isSymbolicLink()) return;
  if (any) file(found, path);
  else plain(found, path);
}

function unlinkIfThere(path: string | Buffer): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** Removes the empty folders of a path, from the last up, as long as they are among the given ones. */
export function pruneAt(root: string, path: string, made: ReadonlySet<string>): void {
  if (made.size === 0) return;
  const names = namesOf(path);
  for (let length = names.length - 1; length > 0; length--) {
    const folder = names.slice(0, length).join('/');
    if (!made.has(folder)) return;
    try {
      inFolder(root, folder, false, (held, name) => rmdirSync(held.at(name)));
    } catch {
      return;
    }
  }
}

/** Whether the folder exists, as a folder of the workspace. */
function hasFolder(root: string, folder: string): boolean {
  const isFolder = (held: Held, name: string) =>
    lstatSync(held.at(name), { throwIfNoEntry: false })?.isDirectory() === true;
  try {
    return inFolder(root, folder, false, isFolder) === true;
  } catch (error) {
    if (error instanceof PathRefused) return false;
    throw error;
  }
}

/** The missing parent folders of files. */
export function missingFolders(root: string, paths: Iterable<string>): readonly string[] {
  const missing = new Map<string, boolean>();
  for (const path of paths) {
    const names = namesOf(path);
    for (let length = 1; length < names.length; length++) {
      const folder = names.slice(0, length).join('/');
      if (!missing.has(folder)) missing.set(folder, !hasFolder(root, folder));
    }
  }
  return [...missing.keys()].filter((folder) => missing.get(folder));
}

function file(found: Stats, path: string): Stats {
  if (!found.isFile()) throw new PathRefused(`${shownPath(path)} is no plain file`);
  return found;
}

function plain(found: Stats, path: string): Stats {
  file(found, path);
  if (found.nlink > 1) throw new PathRefused(`${shownPath(path)} has another name elsewhere`);
  if ((found.mode & 0o6000) !== 0)
    throw new PathRefused(`${shownPath(path)} runs with the rights of its owner`);
  return found;
}

function refused(error: unknown, message: string): unknown {
  return ['ELOOP', 'ENOTDIR', 'EMLINK', 'ENXIO', 'EISDIR'].includes(codeOf(error))
    ? new PathRefused(message, { cause: error })
    : error;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
