// Reads and replaces files below a folder without ever leaving it: every folder on the way is held open, so that
// swapping one for a link while we walk changes nothing about where we are.

import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
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

/** The path does not lead to a plain file of the workspace. Nothing was written. */
export class PathRefused extends SallyportError {}

/** What stands at a path: a file's bytes with its permissions, or the text of a link. */
export interface Content {
  readonly type: 'file' | 'link';
  readonly bytes: Uint8Array;
  readonly mode: number;
}

const openFolder = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Linux shows open folders as paths; elsewhere the way is checked before and after, which a racer can beat. */
const holds = process.platform === 'linux' && existsSync('/proc/self/fd');

/** A folder that is held open, and how its members are named. */
interface Held {
  readonly fd: number;
  readonly at: (name: string) => string;
  /** Throws if the folder is no longer where it was. */
  readonly confirm: () => void;
}

/** Does work in the folder above a file; null where that folder is missing and is not to be made. */
function inFolder<T>(
  root: string,
  path: string,
  make: boolean,
  work: (held: Held, name: string) => T,
): T | null {
  const names = namesOf(path);
  const name = names.pop() ?? '';
  let held = hold(root, root);
  try {
    const { dev } = fstatSync(held.fd);
    let way = root;
    for (const folder of names) {
      way = join(way, folder);
      const next = enter(held, folder, way, make);
      if (next === null) return null;
      closeSync(held.fd);
      held = next;
      if (fstatSync(held.fd).dev !== dev) throw new PathRefused(`${path} lies on another file system`);
    }
    const result = work(held, name);
    held.confirm();
    return result;
  } finally {
    closeSync(held.fd);
  }
}

/** The names on the way to a file. INVARIANT: none of them steps anywhere but down. */
export function namesOf(path: string): string[] {
  const names = path.split('/');
  if (names.some((name) => name === '' || name === '.' || name === '..' || name.includes('\u0000'))) {
    throw new PathRefused('the path is not plain');
  }
  return names;
}

function hold(path: string, real: string): Held {
  const fd = openSync(path, openFolder);
  if (holds) return { fd, at: (name) => `/proc/self/fd/${fd}/${name}`, confirm: () => {} };
  return {
    fd,
    at: (name) => join(real, name),
    confirm: () => {
      if (realpathSync(real) !== real) throw new PathRefused('a folder was swapped for a link');
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
      if (code !== 'ENOENT' || tried > 0) throw refused(error, `${way} is no folder of the workspace`);
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

/** What stands at a path, or null if nothing does. A link is read as a link, and never followed. */
export function readAt(root: string, path: string, largest: number): Content | null {
  return inFolder(root, path, false, (held, name) => {
    if (lstatSync(held.at(name), { throwIfNoEntry: false })?.isSymbolicLink() === true) {
      return { type: 'link', bytes: readlinkSync(held.at(name), { encoding: 'buffer' }), mode: 0o777 };
    }
    let fd: number;
    try {
      fd = openSync(held.at(name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return null;
      throw refused(error, `${path} is no plain file`);
    }
    try {
      const found = plain(fstatSync(fd), path);
      if (found.size > largest) throw new PathRefused(`${path} is larger than ${largest} bytes`);
      return { type: 'file', bytes: readFileSync(fd), mode: found.mode & 0o777 };
    } finally {
      closeSync(fd);
    }
  });
}

/**
 * Writes content beside the path where it shall stand, under a name of its own; gives the open file, which the disk may
 * not have yet, or null for a link.
 */
export function stageAt(root: string, path: string, content: Content, scratch: string): number | null {
  return inFolder(root, path, true, (held, name) => {
    checkTarget(lstatSync(held.at(name), { throwIfNoEntry: false }), path);
    const temporary = held.at(scratch);
    try {
      if (content.type === 'file') return writeNew(temporary, content);
      symlinkSync(Buffer.from(content.bytes), temporary);
      return null;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') unlinkIfThere(temporary);
      throw error;
    }
  });
}

/**
 * Puts what was staged in place of what stands at a path, as one step: a reader finds the old or the new. Gives the open
 * folder, whose names the disk may not have yet.
 */
export function putAt(root: string, path: string, scratch: string): number {
  const folder = inFolder(root, path, false, (held, name) => {
    checkTarget(lstatSync(held.at(name), { throwIfNoEntry: false }), path);
    renameSync(held.at(scratch), held.at(name));
    return openSync(held.at('.'), openFolder);
  });
  if (folder === null) throw new PathRefused(`the folder of ${path} is gone`);
  return folder;
}

/** Stages and puts content, and waits until the disk has it. */
export function replaceAt(root: string, path: string, content: Content, scratch: string): void {
  const file = stageAt(root, path, content, scratch);
  try {
    if (file !== null) settle(file);
    settle(putAt(root, path, scratch));
  } catch (error) {
    discardAt(root, path, scratch);
    throw error;
  }
}

/** Takes away what was staged for a path, if it is there. */
export function discardAt(root: string, path: string, scratch: string): void {
  try {
    inFolder(root, path, false, (held) => unlinkIfThere(held.at(scratch)));
  } catch (error) {
    // The folder itself is gone or no folder: then so is what was staged in it.
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

/** Writes a new file; gives it open. */
function writeNew(path: string, { bytes, mode }: Content): number {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const fd = openSync(path, flags, mode);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    // The mask of the process may have taken some of it.
    if ((fstatSync(fd).mode & 0o777) !== mode) fchmodSync(fd, mode);
    giveToAccount(fd);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Takes away what stands at a path; nothing there is no matter. Gives the open folder as `putAt` does. */
export function removeAt(root: string, path: string): number | null {
  return inFolder(root, path, false, (held, name) => {
    const target = held.at(name);
    const found = lstatSync(target, { throwIfNoEntry: false });
    if (found === undefined) return null;
    checkTarget(found, path);
    unlinkSync(target);
    return openSync(held.at('.'), openFolder);
  });
}

/** Takes a name away, whatever it names but a folder; what has other names is still there under those. */
export function unlinkAt(root: string, path: string): void {
  inFolder(root, path, false, (held, name) => unlinkIfThere(held.at(name)));
}

/** A link is replaced as such; a file must be plain. */
function checkTarget(found: Stats | undefined, path: string): void {
  if (found !== undefined && !found.isSymbolicLink()) plain(found, path);
}

function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** Takes away the folders of a path that are empty, from the last up, as long as they are among the given ones. */
export function pruneAt(root: string, path: string, made: ReadonlySet<string>): void {
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

/** The folders on the way to files that are not there yet. */
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

function plain(found: Stats, path: string): Stats {
  if (!found.isFile()) throw new PathRefused(`${path} is no plain file`);
  if (found.nlink > 1) throw new PathRefused(`${path} has another name elsewhere`);
  if ((found.mode & 0o6000) !== 0) throw new PathRefused(`${path} runs with the rights of its owner`);
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
