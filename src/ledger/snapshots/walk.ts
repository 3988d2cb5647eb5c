// What a workspace holds, found by looking at every file's dates first: only what changed since is read again.

import { lstatSync, readdirSync, type Stats } from 'node:fs';
import type { Turns } from './turns.ts';

/** What tells that a file is as it was, without reading it. */
export interface Mark {
  readonly type: 'file' | 'link';
  readonly size: number;
  readonly mode: number;
  /** When its content and when its own data changed, in milliseconds; the latter is 0 where that does not tell. */
  readonly content: number;
  readonly data: number;
  /** Its number on the disk. */
  readonly number: number;
}

/** Folders that tools make again, and the repository's own data, which is never touched. */
export const leftOut: ReadonlySet<string> = new Set([
  ...[
    '.git',
    '.hg',
    '.svn',
    '.jj',
    'node_modules',
    'bower_components',
    '__pycache__',
    '.venv',
    'venv',
    '.tox',
  ],
  ...[
    '.nox',
    '.mypy_cache',
    '.pytest_cache',
    '.ruff_cache',
    '.gradle',
    '.next',
    '.nuxt',
    '.turbo',
    '.svelte-kit',
  ],
  ...[
    '.parcel-cache',
    '.cache',
    '.yarn-cache',
    '.pnpm-store',
    '.dart_tool',
    'DerivedData',
    'Pods',
    '.terraform',
  ],
]);

export interface Walk {
  readonly files: ReadonlyMap<string, Mark>;
  readonly folders: ReadonlySet<string>;
  /** The paths of `.git`, be it a folder, a file or a link; what is in such a folder is not looked at. */
  readonly repositories: readonly string[];
  /** Whether there was more than is looked at; what was not seen cannot be brought back. */
  readonly truncated: boolean;
}

/** How many files are looked at before others have their turn. */
const piece = 2000;

/** Looks at every file below a folder, in no order, following no link. */
export function* walk(root: string, most: number): Turns<Walk> {
  const files = new Map<string, Mark>();
  const folders = new Set<string>();
  const repositories: string[] = [];
  const open = [''];
  let truncated = false;
  let looked = 0;
  while (open.length > 0) {
    const folder = open.pop() ?? '';
    let entries: ReturnType<typeof readFolder>;
    try {
      entries = readFolder(folder === '' ? root : `${root}/${folder}`);
    } catch {
      truncated = true;
      continue;
    }
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.name === '.git') repositories.push(path);
      if (entry.isDirectory()) {
        if (leftOut.has(entry.name)) continue;
        // Empty folders count too, so that a tree of nothing else ends.
        if (files.size + folders.size >= most) truncated = true;
        else {
          folders.add(path);
          open.push(path);
        }
      } else if (entry.isFile() || entry.isSymbolicLink()) {
        if (files.size + folders.size >= most) {
          truncated = true;
          continue;
        }
        const found = lstatSync(`${root}/${path}`, { throwIfNoEntry: false });
        if (found !== undefined) files.set(path, markOf(found));
        if (++looked % piece === 0) yield 'turn';
      }
    }
  }
  return { files, folders, repositories, truncated };
}

function readFolder(path: string) {
  return readdirSync(path, { withFileTypes: true, encoding: 'utf8' });
}

export function markOf(found: Stats): Mark {
  return {
    type: found.isSymbolicLink() ? 'link' : 'file',
    size: found.size,
    mode: found.mode & 0o777,
    content: found.mtimeMs,
    data: found.ctimeMs,
    number: found.ino,
  };
}

/** Clocks of file systems are coarse: what changed this long ago may change again without its dates showing it. */
const coarse = 100;

/** The mark as it may be relied on later: a file that has just changed is read again the next time. */
export function settledMark(mark: Mark, now: number): Mark {
  return mark.data > now - coarse ? { ...mark, data: 0 } : mark;
}

export function isSameMark(a: Mark | undefined, b: Mark | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return (
    a.data === b.data &&
    a.content === b.content &&
    a.size === b.size &&
    a.number === b.number &&
    a.type === b.type &&
    a.mode === b.mode
  );
}
