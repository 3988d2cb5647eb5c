// The location of a git repository's data, and the parts of it that never change.

import { lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { nameOf, systemPath } from './names.ts';

/** Whether a folder in the data of git has objects beside it: that of a repository, or of a submodule. */
export function isDataFolder(names: readonly string[]): boolean {
  return names.includes('HEAD') && names.includes('objects');
}

/** Objects and packs never change; the lists beside them do. */
export function isObjectName(name: string): boolean {
  return /^(?:[0-9a-f]{38,64}|pack-.*|tmp_.*)$/.test(name);
}

/** The folders with the data of a repository that a file or link `.git` leads to: its own, and the shared one. */
export function dataOf(dotGit: string): readonly string[] {
  const own = ownData(dotGit);
  if (own === null) return [];
  const shared = textAt(`${own}/commondir`);
  const common = shared === null ? own : realOrNull(resolve(own, shared));
  // INVARIANT: a folder that a file of the workspace names is read only if it is a repository.
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

/** The names in a folder. */
export function namesIn(folder: string): readonly string[] {
  const path = systemPath(folder);
  const names = readdirSync(path, 'utf8');
  return names.some((name) => name.includes('\ufffd')) ? readdirSync(path, 'buffer').map(nameOf) : names;
}
