// How a file looks without reading it: what tells that it is as it was.

import type { Stats } from 'node:fs';

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
