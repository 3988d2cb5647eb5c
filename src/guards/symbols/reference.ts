// The words of this guard: what a file refers to, and what is known about that.

import type { SourceTree } from '../../core/index.ts';

/** One reference of a file to something that must exist elsewhere. */
export interface Reference {
  readonly kind: 'module' | 'name' | 'attribute' | 'unbound';
  /** The module, as the file writes it; empty for an unbound name. */
  readonly module: string;
  /** What is taken from the module; empty where the module itself is meant. */
  readonly name: string;
  /** Whether the file is only built under conditions of its own, with packages that no manifest may name. */
  readonly loose?: true;
  /** The name by which the file calls the module, where it means the module only if that is its name. */
  readonly local?: string;
  /** UTF-16 offsets in the file. */
  readonly start: number;
  readonly end: number;
}

/** What a reference is known by in its file: the same twice is one mistake. */
export function keyOf({ kind, module, name }: Reference): string {
  return `${kind} ${module} ${name}`;
}

/** What a file refers to. */
export interface References {
  readonly found: readonly Reference[];
  /** Names of the file itself, one of which may have been meant. */
  readonly bound: ReadonlySet<string>;
  /** Modules all of whose names the file takes over. */
  readonly stars: readonly string[];
}

/** What is known about a reference; only `missing` is reported. */
export type Answer =
  | { readonly state: 'exists' | 'unknown' }
  | {
      readonly state: 'missing';
      /** A module, a name of a module, or a package that no manifest names. */
      readonly what: 'module' | 'name' | 'package';
      /** Names that are there and may have been meant. */
      readonly near: readonly string[];
    };

export const exists: Answer = { state: 'exists' };
export const unknown: Answer = { state: 'unknown' };

export function missing(what: 'module' | 'name' | 'package', near: readonly string[]): Answer {
  return { state: 'missing', what, near };
}

/** The folder that a path lies in. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0)) || '/';
}

/** The folders around a path, the nearest first, down to the root of the disk. */
export function foldersAround(path: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = folderOf(path); folder !== '/'; folder = folderOf(folder)) folders.push(folder);
  return folders;
}

/** A path with its `.` and `..` worked out. */
export function joined(folder: string, way: string): string {
  const names = way.startsWith('/') ? [] : folder.split('/').filter((name) => name !== '');
  for (const name of way.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '.' && name !== '') names.push(name);
  }
  return `/${names.join('/')}`;
}

/** What was worked out for a tree stays true for as long as the tree is used. */
export type Memory<Value> = WeakMap<SourceTree, Map<string, Value>>;

export function remembered<Value>(
  memory: Memory<Value>,
  tree: SourceTree,
  key: string,
  make: () => Value,
): Value {
  let known = memory.get(tree);
  if (known === undefined) {
    known = new Map();
    memory.set(tree, known);
  }
  if (!known.has(key)) known.set(key, make());
  return known.get(key) as Value;
}
