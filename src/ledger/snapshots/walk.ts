// What a workspace holds, found by looking at every file's dates first: only what changed since is read again.

import { type BigIntStats, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** What tells that a file is as it was, without reading it. */
export interface Mark {
  readonly type: 'file' | 'link';
  readonly size: number;
  readonly mode: number;
  /** Times of content and of the file's own data, and its number on the disk. */
  readonly stamp: string;
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
  /** Whether there was more than is looked at; what was not seen cannot be brought back. */
  readonly truncated: boolean;
}

/** Looks at every file below a folder, in no order, following no link. */
export function walk(root: string, most: number): Walk {
  const files = new Map<string, Mark>();
  const folders = new Set<string>();
  const open = [''];
  let truncated = false;
  while (open.length > 0) {
    const folder = open.pop() ?? '';
    let entries: ReturnType<typeof readFolder>;
    try {
      entries = readFolder(join(root, folder));
    } catch {
      truncated = true;
      continue;
    }
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (leftOut.has(entry.name)) continue;
        folders.add(path);
        open.push(path);
      } else if (entry.isFile() || entry.isSymbolicLink()) {
        if (files.size >= most) {
          truncated = true;
          continue;
        }
        const found = lstatSync(join(root, path), { bigint: true, throwIfNoEntry: false });
        if (found !== undefined) files.set(path, markOf(found));
      }
    }
  }
  return { files, folders, truncated };
}

function readFolder(path: string) {
  return readdirSync(path, { withFileTypes: true, encoding: 'utf8' });
}

function markOf(found: BigIntStats): Mark {
  const { mtimeNs, ctimeNs, ino, size, mode } = found;
  return {
    type: found.isSymbolicLink() ? 'link' : 'file',
    size: Number(size),
    mode: Number(mode) & 0o777,
    stamp: `${mtimeNs}.${ctimeNs}.${ino}`,
  };
}

export function isSameMark(a: Mark | undefined, b: Mark | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.stamp === b.stamp && a.size === b.size && a.type === b.type && a.mode === b.mode;
}
