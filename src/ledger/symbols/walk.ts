// Finds the source files of a workspace and what tells that they are as they were.

import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { hasTable } from '../../guards/symbols/tables.ts';
import { leftOut } from '../snapshots/walk.ts';

/** Folders that a build makes; what is in them is read when a file refers to it. */
const built: ReadonlySet<string> = new Set(['dist', 'build', 'out', 'target', 'coverage', 'site-packages']);

export interface Walk {
  /** Stamps by absolute path. */
  readonly files: ReadonlyMap<string, string>;
  /** Whether there was more than is looked at. */
  readonly truncated: boolean;
}

/** Looks at every source file below a folder, following no link. */
export async function walkSources(root: string, most: number): Promise<Walk> {
  const files = new Map<string, string>();
  const open = [root];
  for (let folder = open.pop(), seen = 1; folder !== undefined; folder = open.pop(), seen++) {
    // Others are served while this goes on.
    if (seen % 64 === 0) await new Promise((resolve) => setImmediate(resolve));
    for (const entry of entriesOf(folder)) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!leftOut.has(entry.name) && !built.has(entry.name)) open.push(path);
      } else if (entry.isFile() && hasTable(path) && !/[\t\n]/.test(path)) {
        if (files.size >= most) return { files, truncated: true };
        const found = lstatSync(path, { throwIfNoEntry: false });
        if (found !== undefined) files.set(path, stampOf(found));
      }
    }
  }
  return { files, truncated: false };
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true, encoding: 'utf8' });
  } catch {
    return [];
  }
}

/** What tells that a file is as it was, without reading it. */
export function stampOf({ mtimeMs, ctimeMs, size, ino }: Stats): string {
  return `${mtimeMs}.${ctimeMs}.${size}.${ino}`;
}
