// The packages that a change adds to a manifest: which they are, and which name that is much used they almost have.

import { isJsonObject, type SourceTree } from '../../core/index.ts';
import { readJsonc } from './jsonc.ts';
import { popularNpm, popularPypi } from './popular.ts';
import { foldersAround } from './reference.ts';

type Registry = 'npm' | 'pypi';

/** A package that a manifest asks for. */
export interface Dependency {
  readonly registry: Registry;
  readonly name: string;
  /** UTF-16 offsets in the manifest. */
  readonly start: number;
  readonly end: number;
}

/** A package that was not asked for before. */
export interface NewPackage extends Dependency {
  /** A name that it is almost the same as, of a package that is used here or by many. */
  readonly almost: string | null;
}

const manifests =
  /(?:^|\/)(?:package\.json|pyproject\.toml|requirements[\w.-]*\.(?:txt|in)|requirements\/[\w.-]+\.(?:txt|in))$/;
const locks = [
  ...['package-lock.json', 'npm-shrinkwrap.json', 'yarn.lock', 'pnpm-lock.yaml', 'bun.lock'],
  ...['poetry.lock', 'uv.lock', 'pdm.lock', 'Pipfile.lock'],
];
/** Most packages of one manifest that are looked at. */
const mostNames = 2000;

export function isManifest(path: string): boolean {
  return manifests.test(path);
}

/** The packages that a manifest has and did not have, without those that the workspace uses anyway. */
export function newPackages(
  path: string,
  text: string,
  before: string | null,
  root: string,
  tree: SourceTree | null,
): readonly NewPackage[] {
  const old = new Set(dependenciesOf(path, before ?? '').map(plain));
  const added = dependenciesOf(path, text).filter((dependency) => !old.has(plain(dependency)));
  if (added.length === 0) return [];
  const { names, locked } = inUse(path, root, tree);
  for (const name of old) names.add(name);
  return added
    .filter((dependency) => !names.has(plain(dependency)) && !isOurs(dependency, locked, path, root, tree))
    .slice(0, mostNames)
    .map((dependency) => ({ ...dependency, almost: almost(dependency, names) }));
}

/** The name by which a registry knows a package. */
export function plain({ registry, name }: Pick<Dependency, 'registry' | 'name'>): string {
  return registry === 'npm' ? name : name.toLowerCase().replace(/[-_.]+/g, '-');
}

/** What the manifests around a path ask for, and the texts of the lock files there. */
function inUse(
  path: string,
  root: string,
  tree: SourceTree | null,
): { readonly names: Set<string>; readonly locked: readonly string[] } {
  const names = new Set<string>();
  const locked: string[] = [];
  for (const folder of tree === null ? [] : foldersAround(`${root}/${path}`)) {
    for (const name of tree?.list(folder) ?? []) {
      const file = `${folder}/${name}`;
      if (locks.includes(name)) locked.push(tree?.text(file) ?? '');
      else if (isManifest(file) && file !== `${root}/${path}`)
        for (const dependency of dependenciesOf(file, tree?.text(file) ?? '')) names.add(plain(dependency));
    }
    if (folder === root) break;
  }
  return { names, locked };
}

/** Whether a package is locked, installed, or of the workspace itself. */
function isOurs(
  { registry, name }: Dependency,
  locked: readonly string[],
  path: string,
  root: string,
  tree: SourceTree | null,
): boolean {
  if (locked.some((lock) => isLocked(lock, registry, name))) return true;
  if (registry !== 'npm' || tree === null) return false;
  if (tree.overview.packages.has(name)) return true;
  return foldersAround(`${root}/${path}`).some(
    (folder) => tree.kind(`${folder}/node_modules/${name}`) === 'folder',
  );
}

/** Lock files write a name between quotes, or at the beginning of a line before its version. */
function isLocked(lock: string, registry: Registry, name: string): boolean {
  const word = plain({ registry, name });
  const text = registry === 'npm' ? lock : lock.toLowerCase().replaceAll('_', '-');
  return [`"${word}"`, `'${word}'`, `"node_modules/${word}"`, `\n${word}@`, `\n"${word}@`, `/${word}@`].some(
    (form) => text.includes(form),
  );
}

// ── what manifests say

/** The packages that a manifest asks a registry for. */
export function dependenciesOf(path: string, text: string): readonly Dependency[] {
  if (path.endsWith('package.json')) return fromPackageJson(text);
  return path.endsWith('.toml') ? fromPyproject(text) : fromRequirements(text);
}

const sections = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];
/** Versions that lead elsewhere than to the registry. */
const elsewhere =
  /^(?:workspace|file|link|portal|patch|catalog|npm|git|github|https?|ssh)[+:]|^[./~]|^[\w-]+\/[\w.-]+(?:#|$)/;

function fromPackageJson(text: string): readonly Dependency[] {
  const manifest = readJsonc(text);
  return sections.flatMap((section) => {
    const listed = manifest?.[section];
    if (!isJsonObject(listed)) return [];
    const from = text.indexOf(`"${section}"`);
    return Object.entries(listed).flatMap(([name, version]): readonly Dependency[] => {
      if (typeof version !== 'string' || elsewhere.test(version)) return [];
      const start = text.indexOf(`"${name}"`, from) + 1;
      return [{ registry: 'npm', name, start, end: start + name.length }];
    });
  });
}

const requirement =
  /^[ \t]*([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)[ \t]*(?:\[[^\]\n]*\])?[ \t]*(?=$|[=<>!~;#,@\r])/gm;

function fromRequirements(text: string): readonly Dependency[] {
  return [...text.matchAll(requirement)].flatMap((match) => {
    const [whole, name = ''] = match;
    // `name @ https://…` is not asked of a registry.
    if (text[match.index + whole.length] === '@') return [];
    return [pypi(name, match.index + whole.indexOf(name))];
  });
}

function pypi(name: string, start: number): Dependency {
  return { registry: 'pypi', name, start, end: start + name.length };
}

const header = /^[ \t]*\[+([^\]\n]+)\]+/;
/** Tables whose keys are packages, and those whose lists hold requirements; of `[project]` only some lists do. */
const keyed = /^tool\.poetry(?:\.group\.[^.]+)?\.(?:dev-)?dependencies$/;
const listing = /^(?:project\.optional-dependencies|dependency-groups|tool\.pdm\.dev-dependencies)$/;
const lists: Readonly<Record<string, RegExp>> = {
  project: /^[ \t]*dependencies[ \t]*=/,
  'build-system': /^[ \t]*requires[ \t]*=/,
  'tool.uv': /^[ \t]*dev-dependencies[ \t]*=/,
};
const quoted = /"([^"\n]*)"|'([^'\n]*)'/g;
/** A key of a table, unless its value says where else the package is. */
const tableKey = /^[ \t]*["']?([A-Za-z0-9][\w.-]*)["']?[ \t]*=(?![ \t]*\{[^\n]*\b(?:path|git|url)\b)/;
const beginning = /^[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?(?=[\s[=<>!~;,(]|$)(?![^\n]*@[ \t]*\w+:)/;

function fromPyproject(text: string): readonly Dependency[] {
  const found: Dependency[] = [];
  let table = '';
  let inList = false;
  let at = 0;
  for (const line of text.split('\n')) {
    const start = at;
    at += line.length + 1;
    const opened = inList ? undefined : header.exec(line)?.[1];
    if (opened !== undefined) table = opened.replace(/[\s"']/g, '');
    else if (keyed.test(table)) {
      const key = tableKey.exec(line)?.[1];
      if (key !== undefined && key !== 'python') found.push(pypi(key, start + line.indexOf(key)));
    } else if (inList || listing.test(table) || lists[table]?.test(line) === true) {
      const value: number = inList ? 0 : line.indexOf('=') + 1;
      const rest = line.slice(value);
      for (const { 1: double, 2: single, index } of rest.matchAll(quoted)) {
        const name = beginning.exec(double ?? single ?? '')?.[0];
        if (name !== undefined) found.push(pypi(name, start + value + index + 1));
      }
      const signs = rest.replace(quoted, '').replace(/#.*$/, '');
      inList = !signs.includes(']') && (inList || signs.includes('['));
    }
  }
  return found;
}

// ── names that are almost the same

/** Shorter names differ by one letter from too many. */
const shortest = 5;

/** A name of the workspace's or of a package that many use, from which this one differs as a slip would. */
export function almost(
  dependency: Pick<Dependency, 'registry' | 'name'>,
  used: Iterable<string>,
): string | null {
  const popular = dependency.registry === 'npm' ? popularNpm : popularPypi;
  const name = plain(dependency);
  if (popular.has(name)) return null;
  for (const other of [...used, ...popular]) if (isSlip(name, other)) return other;
  return [...popular].find((other) => unscoped(other) === name) ?? null;
}

/** `@scope/some-name` without its scope; a plain word is a name of its own, and types have the name of what they describe. */
function unscoped(name: string): string | null {
  const rest = /^@(?!types\/)[^/]+\/(.*-.*)$/.exec(name)?.[1];
  return rest ?? null;
}

/** Whether one name is another with a letter more, less, changed or swapped, or with other separators. */
function isSlip(name: string, other: string): boolean {
  if (name === other || other.length < shortest) return false;
  const bare = (text: string) => text.replace(/[@/_.-]/g, '');
  if (bare(name) === bare(other)) return true;
  // All names of a scope have one owner.
  const scope = /^@[^/]+\//.exec(name)?.[0];
  if (scope !== undefined && other.startsWith(scope)) return false;
  return Math.abs(name.length - other.length) <= 1 && isOneEdit(name, other);
}

/** One letter more, less or changed, or two neighbours swapped; another number is another thing and no slip. */
function isOneEdit(a: string, b: string): boolean {
  let from = 0;
  while (from < a.length && a[from] === b[from]) from++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - from && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const [left, right] = [a.slice(from, a.length - end), b.slice(from, b.length - end)];
  if (/\d/.test(left + right)) return false;
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
}
