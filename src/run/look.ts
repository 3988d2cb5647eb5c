// File system queries that return null if there is no entry. Testing first is cheaper than creating an error.

import {
  type Dirent,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  type Stats,
} from 'node:fs';
import { isOwnPlace } from '../config/index.ts';

/** The entry at a path, without following a link. */
export function lookAt(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/** The real path of an entry. */
export function realOf(path: string): string | null {
  try {
    return existsSync(path) ? realpathSync.native(path) : null;
  } catch {
    return null;
  }
}

/** The entries of a folder; empty if it cannot be listed. */
export function entriesOf(folder: string): readonly Dirent[] {
  try {
    return existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
  } catch {
    return [];
  }
}

/** The text of a plain file of at most so many bytes; links are followed. */
export function shortText(path: string, most: number): string | null {
  const real = realOf(path);
  const found = real === null ? null : lookAt(real);
  if (real === null || isOwnPlace(real)) return null;
  if (found === null || !found.isFile() || found.size > most) return null;
  try {
    return readFileSync(real, 'utf8');
  } catch {
    return null;
  }
}
