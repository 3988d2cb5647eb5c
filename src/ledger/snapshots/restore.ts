// Restores files, links and folders atomically: obstacles are removed first, folders are created before their entries,
// and the disk is synced few times.

import { closeSync, type Stats } from 'node:fs';
import {
  type Content,
  discardAt,
  makeFolderAt,
  putAt,
  removeAt,
  removeFolderAt,
  stageAt,
  stageLinkAt,
  statAt,
  swapAt,
  takeAt,
  writeInto,
} from './anchor.ts';
import { isSame, type State } from './snapshot.ts';
import type { Turns } from './turns.ts';

/** The target state of one path, and its current entry. */
export interface Restoration {
  readonly path: string;
  readonly now: State | null;
  readonly to: State | null;
  /** The content of `to`; null if the path is to be removed. */
  readonly content: Content | null;
  readonly scratch: string;
}

export interface RestoreOptions {
  readonly root: string;
  /** Replaces any kind of entry: a path restored from a snapshot need not be a plain file. */
  readonly any: boolean;
  /** The current entry at a path. */
  readonly stateAt: (path: string) => State | null;
  readonly onStep: (step: string) => void;
  /** Whether the entry at a path is the one that was seen there; if not, the whole stops with `Changed`. */
  readonly isExpected?: (path: string, found: Stats | null) => boolean;
  /** Files that are not synced if they are new: one that a power failure truncates replaces nothing. */
  readonly isQuick?: (path: string) => boolean;
}

/** The entry at a path differs from the one that was seen there. */
export class Changed extends Error {
  readonly path: string;

  constructor(path: string) {
    super(`${path} has changed`);
    this.path = path;
  }
}

/** Maximum number of open files. */
const together = 256;

/** Brings all of them to their target state. */
export function* restoreAll(all: readonly Restoration[], options: RestoreOptions): Turns<void> {
  const { root } = options;
  const opened = openFolders(all, options);
  yield* removeFiles(
    all.filter(({ now, to }) => isFile(now) && !isFile(to)),
    options,
  );
  const deepestFirst = (a: Restoration, b: Restoration) => b.path.length - a.path.length;
  for (const { path } of all.filter(({ now, to }) => isFolder(now) && !isFolder(to)).sort(deepestFirst)) {
    options.onStep('remove a folder');
    removeFolderAt(root, path);
  }
  const folders = all.filter(({ to }) => isFolder(to)).sort((a, b) => deepestFirst(b, a));
  for (const { path, now, to } of folders) {
    if (isFolder(now)) continue;
    options.onStep('make a folder');
    makeFolderAt(root, path, (to?.mode ?? 0) | 0o700);
  }
  yield* writeFiles(all, options);
  for (const { path, to } of folders.reverse()) makeFolderAt(root, path, to?.mode ?? 0);
  for (const [path, mode] of opened) {
    if (!folders.some((folder) => folder.path === path)) makeFolderAt(root, path, mode);
  }
}

function isFolder(state: State | null): boolean {
  return state?.type === 'folder';
}

function isFile(state: State | null): boolean {
  return state !== null && state.type !== 'folder';
}

/** Makes read-only folders writable; returns their previous modes. */
function openFolders(
  all: readonly Restoration[],
  { root, any }: RestoreOptions,
): ReadonlyMap<string, number> {
  const opened = new Map<string, number>();
  if (!any) return opened;
  const above = new Set(all.flatMap(({ path }) => folderOf(path) ?? []));
  for (const folder of above) {
    const found = statAt(root, folder);
    if (found === null || !found.isDirectory() || (found.mode & 0o300) === 0o300) continue;
    opened.set(folder, found.mode & 0o7777);
    makeFolderAt(root, folder, (found.mode & 0o7777) | 0o700);
  }
  return opened;
}

function folderOf(path: string): string | null {
  const at = path.lastIndexOf('/');
  return at <= 0 ? null : path.slice(0, at);
}

function* removeFiles(
  some: readonly Restoration[],
  { root, any, onStep, isExpected }: RestoreOptions,
): Turns<void> {
  for (const piece of batches(some)) {
    yield openAll(piece, ({ path, scratch }, at) => {
      onStep(`remove ${at}`);
      if (isExpected === undefined) return removeAt(root, path, { any });
      return seen(
        path,
        takeAt(root, path, scratch, (found) => {
          onStep('look at what is removed');
          return isExpected(path, found);
        }),
      );
    });
  }
}

/** The result of a change; throws `Changed` if it was not made. */
function seen(path: string, folder: number | null): number {
  if (folder === null) throw new Changed(path);
  return folder;
}

function* writeFiles(all: readonly Restoration[], options: RestoreOptions): Turns<void> {
  const { root, any, onStep, isQuick = () => false } = options;
  const written = all.flatMap(({ content, to, ...rest }) =>
    content === null || to === null || to.type === 'folder' ? [] : [{ ...rest, content, to }],
  );
  const inPlace = new Set(
    written.filter(({ path, to, content }) => {
      if (!any || to.outside === undefined || content.copyOf !== undefined) return false;
      onStep('write in place');
      return writeInto(root, path, to.outside, content);
    }),
  );
  const others = written.filter((one) => !inPlace.has(one));
  const isFirst = ({ path, to }: { path: string; to: State }) => to.group === undefined || to.group === path;
  const alone = others.filter((one) => isFirst(one) || !any);
  for (const some of batches(alone)) {
    onStep('stage');
    const staged = openAll(some, ({ path, content, scratch, now }) =>
      unlessQuick(stageAt(root, path, content, scratch, { any }), now === null && isQuick(path)),
    );
    onStep('wait for the disk');
    yield staged;
    yield openAll(some, ({ path, scratch, now }, at) => {
      onStep(`apply ${at}`);
      return unlessQuick(put(path, scratch, options), now === null && isQuick(path));
    });
  }
  for (const { path, content, to, scratch } of others.filter((one) => any && !isFirst(one))) {
    onStep('link');
    const first = to.group ?? path;
    // If the other name has changed, this file is separate.
    const staged = isSame(options.stateAt(first), to)
      ? stageLinkAt(root, path, first, scratch)
      : stageAt(root, path, content, scratch, { any });
    yield staged === null ? [] : [staged];
    yield [put(path, scratch, options)];
  }
}

/** Moves the staged entry to its path. */
function put(path: string, scratch: string, { root, any, onStep, isExpected }: RestoreOptions): number {
  if (isExpected === undefined) return putAt(root, path, scratch, { any });
  return seen(
    path,
    swapAt(root, path, scratch, (found) => {
      onStep('look at what is replaced');
      return isExpected(path, found);
    }),
  );
}

/** An open file that is to be synced; null if it is not, and the file is closed. */
function unlessQuick(file: number | null, isQuick: boolean): number | null {
  if (!isQuick || file === null) return file;
  closeSync(file);
  return null;
}

/** Removes staged entries. */
export function discardAll(root: string, all: readonly Pick<Restoration, 'path' | 'scratch'>[]): void {
  for (const { path, scratch } of all) discardAt(root, path, scratch);
}

function* batches<Thing>(things: readonly Thing[]): Generator<readonly Thing[]> {
  for (let at = 0; at < things.length; at += together) yield things.slice(at, at + together);
}

/** The open files of work on each item; all are closed if it fails. */
function openAll<Thing>(
  things: readonly Thing[],
  work: (thing: Thing, at: number) => number | null,
): readonly number[] {
  const files: number[] = [];
  try {
    for (const [at, thing] of things.entries()) {
      const file = work(thing, at);
      if (file !== null) files.push(file);
    }
    return files;
  } catch (error) {
    for (const file of files) closeSync(file);
    throw error;
  }
}
