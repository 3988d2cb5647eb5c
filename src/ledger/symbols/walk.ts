// Finds the source files of a workspace and the stamps that show them to be unchanged.

import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { hasTable } from '../../guards/symbols/tables.ts';
import { leftOut } from '../snapshots/walk.ts';

/** Folders that a build creates; files in them are read when another file refers to them. */
const built: ReadonlySet<string> = new Set(['dist', 'build', 'out', 'target', 'coverage', 'site-packages']);

/** A file that was changed less than this many milliseconds ago may change again without a change of its dates. */
const settledAfter = 20;

export interface Walk {
  /** Stamps by absolute path; an empty text if the file was changed just now. */
  readonly files: ReadonlyMap<string, string>;
  readonly folders: ReadonlySet<string>;
  /** Whether the limit was exceeded. */
  readonly truncated: boolean;
}

/** Scans every source file below a folder, following no link. */
export async function walkSources(root: string, most: number): Promise<Walk> {
  const files = new Map<string, string>();
  const folders = new Set<string>();
  const open = [root];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    folders.add(folder);
    // Yields to other work between batches.
    if (folders.size % 64 === 0) await new Promise((resolve) => setImmediate(resolve));
    for (const entry of entriesOf(folder)) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (isWalked(entry.name)) open.push(path);
      } else if (entry.isFile() && isIndexed(path)) {
        if (files.size >= most) return { files, folders, truncated: true };
        const found = lstatSync(path, { throwIfNoEntry: false });
        if (found !== undefined) files.set(path, isSettled(found) ? stampOf(found) : '');
      }
    }
  }
  return { files, folders, truncated: false };
}

/** Whether the index descends into a folder of this name. */
export function isWalked(name: string): boolean {
  return !leftOut.has(name) && !built.has(name);
}

/** Whether a file can be in the index: one with such a character in its name would break the index's lines. */
export function isIndexed(path: string): boolean {
  return hasTable(path) && !/[\t\n]/.test(path);
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true, encoding: 'utf8' });
  } catch {
    return [];
  }
}

/** The stamp that shows a file to be unchanged, without reading it. */
export function stampOf({ mtimeMs, ctimeMs, size, ino }: Stats): string {
  return `${mtimeMs}.${ctimeMs}.${size}.${ino}`;
}

/** Whether the dates of a file or folder show every later change. */
export function isSettled({ ctimeMs }: Stats): boolean {
  return Date.now() - ctimeMs > settledAfter;
}
