// Checks files of a change set: every reference is looked up in the workspace as it will be.

import { type ModuleReader, nearest, type SourceTree } from '../../core/index.ts';
import { pythonFile } from './languages/python.ts';
import { findPython, starNames } from './languages/python-names.ts';
import { pythonReferences } from './languages/python-references.ts';
import { typescriptFile, typescriptReferences } from './languages/typescript.ts';
import { findTypescript } from './languages/typescript-names.ts';
import type { Answer, Reference, References } from './reference.ts';
import { largestText } from './tables.ts';

/** Folders whose files are wrong on purpose, are templates, or were written elsewhere. */
const aside =
  /(?:^|\/)(?:node_modules|vendor|_vendor|third_party|fixtures?|__fixtures__|__testfixtures__|testdata|test-data|test_data|templates?|stubs|snapshots?|__snapshots__|cassettes|site-packages)\//;

/** Most references of one file that are looked up, that are told as missing, and for which real names are sought. */
const mostReferences = 5000;
const mostMissing = 200;
const mostSought = 20;
/** Most names that one is compared with. */
const mostCompared = 5000;

/** A reference to something that is not there. */
export interface Missing {
  readonly reference: Reference;
  readonly what: 'module' | 'name' | 'package';
  /** Counted from 1. */
  readonly line: number;
  /** Real names that may have been meant, the nearest first. */
  readonly near: readonly string[];
}

export interface Checked {
  /** References that were looked up, and those of them about which nothing is known. */
  readonly checked: number;
  readonly unknown: number;
  readonly missing: readonly Missing[];
}

const nothing: Checked = { checked: 0, unknown: 0, missing: [] };

/** Whether a file of this name is checked. */
export function isChecked(path: string): boolean {
  return (typescriptFile.test(path) || pythonFile.test(path)) && !aside.test(path);
}

/** Checks one file; `path` is absolute and lies below the root. */
export function checkFile(
  text: string,
  path: string,
  root: string,
  tree: SourceTree,
  reader: ModuleReader | null,
): Checked {
  if (text.length > largestText || !isChecked(path.slice(root.length + 1))) return nothing;
  const isPython = pythonFile.test(path);
  const read = isPython
    ? pythonReferences(text)
    : reader === null
      ? null
      : scriptReferences(text, path, reader);
  if (read === null) return nothing;
  const references = isPython ? withStars(read, path, root, tree) : read.found;
  const find = isPython ? findPython : findTypescript;
  const missing: Missing[] = [];
  const seen = new Map<string, Answer>();
  let unknown = 0;
  for (const reference of references.slice(0, mostReferences)) {
    const key = `${reference.kind} ${reference.module} ${reference.name}`;
    const known = seen.get(key);
    const answer = known ?? find(reference, path, root, tree);
    if (known === undefined) seen.set(key, answer);
    if (answer.state === 'unknown') unknown++;
    // The same mistake is told once.
    if (answer.state !== 'missing' || known !== undefined || missing.length >= mostMissing) continue;
    missing.push({
      reference,
      what: answer.what,
      line: text.slice(0, reference.start).split('\n').length,
      near: missing.length < mostSought ? nearNames(reference, answer.what, answer.near, read) : [],
    });
  }
  return { checked: Math.min(references.length, mostReferences), unknown, missing };
}

/** Null too where the tree is deeper than it can be walked. */
function scriptReferences(text: string, path: string, reader: ModuleReader): References | null {
  try {
    return typescriptReferences(text, path, reader);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Where a file takes all names of a module, a name that it binds nowhere may be one of them. */
function withStars(read: References, path: string, root: string, tree: SourceTree): readonly Reference[] {
  if (read.stars.length === 0) return read.found;
  const names = read.stars.map((star) => starNames(star, path, root, tree));
  if (names.some((some) => some === null)) return read.found.filter(({ kind }) => kind !== 'unbound');
  return read.found.filter(({ kind, name }) => kind !== 'unbound' || !names.some((some) => some?.has(name)));
}

/** Up to three real names, the nearest first. */
function nearNames(
  reference: Reference,
  what: Missing['what'],
  offered: readonly string[],
  { bound }: References,
): readonly string[] {
  const { kind, module, name } = reference;
  const wanted = kind === 'module' ? wantedModule(module, what) : name;
  const left = new Set([...(kind === 'unbound' ? bound : offered)].slice(0, mostCompared));
  const near: string[] = [];
  while (near.length < 3) {
    const found = nearest(wanted, left);
    if (found === undefined) break;
    near.push(found);
    left.delete(found);
  }
  return near;
}

/** The part of a module's name that is wrong: all of a package's, the last part of a path. */
function wantedModule(module: string, what: Missing['what']): string {
  if (what === 'package' || module.startsWith('node:')) return module;
  const last = module.slice(module.lastIndexOf('/') + 1).replace(/\.(?:c|m)?[jt]sx?$/, '');
  return module.includes('/') ? last : last.slice(last.lastIndexOf('.') + 1);
}
