// Detects a changed file by its metadata, without reading it.

import type { Stats } from 'node:fs';

/** The metadata that shows a file to be unchanged, without reading it. */
export interface Mark {
  /**
   * `object`: a file of an object store of git, which never changes; `objects`: a folder of such a store, whose dates
   * show whether a file was added or removed.
   */
  readonly type: 'file' | 'link' | 'folder' | 'object' | 'objects';
  readonly size: number;
  readonly mode: number;
  /** When its content and when its metadata changed, in milliseconds; the latter is 0 if it is not reliable. */
  readonly content: number;
  readonly data: number;
  /** Its inode number. */
  readonly number: number;
  /** The number of its hard links. */
  readonly names: number;
}

export function markOf(found: Stats, type: Mark['type'] = found.isSymbolicLink() ? 'link' : 'file'): Mark {
  const mode = found.mode & 0o7777;
  // For a folder only its mode counts: its entries have marks of their own.
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

/** Whether a mark of the same type equals the metadata that was found, without creating another. */
export function looksLike(mark: Mark, found: Stats): boolean {
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

/**
 * Clocks of file systems are coarse: a file that changed this recently may change again without a change of its dates.
 */
const coarse = 100;

/** The mark in a reliable form: a file that has just changed is read again the next time. */
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
