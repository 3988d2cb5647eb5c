// Looks at the file system that say null where there is nothing. To ask first costs less than to make an error.

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

/** What is at a path, a link not followed. */
export function lookAt(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/** The real path of what is there. */
export function realOf(path: string): string | null {
  try {
    return existsSync(path) ? realpathSync.native(path) : null;
  } catch {
    return null;
  }
}

/** What is in a folder; nothing where it cannot be listed. */
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
