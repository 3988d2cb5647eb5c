// Checks files of a change set: every reference is looked up in the workspace as it will be.

import { type ModuleReader, nearest, type SourceTree, type UncheckedReason } from '../../core/index.ts';
import { languageOf } from './languages/index.ts';
import { starNames } from './languages/python-names.ts';
import { type Answer, keyOf, type Reference, type References } from './reference.ts';
import { largestText } from './tables.ts';

/** Folders whose files are wrong on purpose, are templates, or were written elsewhere. */
const aside =
  /(?:^|\/)(?:node_modules|vendor|_vendor|third_party|fixtures?|__fixtures__|__testfixtures__|testdata|test-data|test_data|templates?|stubs|snapshots?|__snapshots__|cassettes|site-packages)\//;

/** Most references of one file that are looked up, that are reported as missing, and for which real names are sought. */
const mostReferences = 5000;
const mostMissing = 200;
const mostSought = 20;
/** Most real names that are suggested for one that is missing. */
const mostNear = 3;
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
  /** Why nothing was looked up, or nothing is known of anything that was; null where something is. */
  readonly unchecked: UncheckedReason | null;
}

function notLookedUp(unchecked: UncheckedReason): Checked {
  return { checked: 0, unknown: 0, missing: [], unchecked };
}

/** Whether a file of this name is checked. */
export function isChecked(path: string): boolean {
  return languageOf(path) !== null && !aside.test(path);
}

/** Checks one file; `path` is absolute and lies below the root. */
export function checkFile(
  text: string,
  path: string,
  root: string,
  tree: SourceTree,
  reader: ModuleReader | null,
): Checked {
  const inside = path.slice(root.length + 1);
  const language = languageOf(inside);
  if (language === null) return notLookedUp('language');
  if (aside.test(inside)) return notLookedUp('aside');
  if (text.length > largestText) return notLookedUp('content');
  if (language.needsReader && reader === null) return notLookedUp('parser');
  const read = language.read(text, path, reader);
  if (read === null) return notLookedUp('content');
  const references = withStars(read, path, root, tree);
  const { find } = language;
  const missing: Missing[] = [];
  const seen = new Map<string, Answer>();
  let unknown = 0;
  for (const reference of references.slice(0, mostReferences)) {
    const key = keyOf(reference);
    const known = seen.get(key);
    const answer = known ?? find(reference, path, root, tree);
    if (known === undefined) seen.set(key, answer);
    if (answer.state === 'unknown') unknown++;
    // The same mistake is reported once.
    if (answer.state !== 'missing' || known !== undefined || missing.length >= mostMissing) continue;
    missing.push({
      reference,
      what: answer.what,
      line: text.slice(0, reference.start).split('\n').length,
      near: missing.length < mostSought ? nearNames(reference, answer.what, answer.near, read) : [],
    });
  }
  const checked = Math.min(references.length, mostReferences);
  // INVARIANT: a file about which nothing is known does not pass as one that was checked.
  return { checked, unknown, missing, unchecked: checked > 0 && unknown === checked ? 'unknown' : null };
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
  while (near.length < mostNear) {
    const found = nearest(wanted, left);
    if (found === undefined) break;
    near.push(found);
    left.delete(found);
  }
  return near.length > 0 || what === 'package' ? near : sharingWords(wanted, left);
}

/** Names that share a word with the one that is wanted: `total_price` may mean `sum_prices`. */
function sharingWords(wanted: string, names: Iterable<string>): readonly string[] {
  const words = wordsIn(wanted);
  return [...names]
    .map((name) => ({ name, shared: [...wordsIn(name)].filter((word) => words.has(word)).length }))
    .filter(({ shared }) => shared > 0)
    .toSorted((a, b) => b.shared - a.shared || a.name.length - b.name.length)
    .slice(0, mostNear)
    .map(({ name }) => name);
}

/** The words of a name, in the singular; those that are too short say nothing. */
function wordsIn(name: string): ReadonlySet<string> {
  const found = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g) ?? [];
  return new Set(
    found.map((word) => word.toLowerCase().replace(/s$/, '')).filter(({ length }) => length > 2),
  );
}

/** The part of a module's name that is wrong: all of a package's, the last part of a path. */
function wantedModule(module: string, what: Missing['what']): string {
  if (what === 'package' || module.startsWith('node:')) return module;
  const last = module.slice(module.lastIndexOf('/') + 1).replace(/\.(?:c|m)?[jt]sx?$/, '');
  return module.includes('/') ? last : last.slice(last.lastIndexOf('.') + 1);
}
