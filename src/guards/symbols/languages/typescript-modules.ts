// Where a specifier of JavaScript or TypeScript leads: a file of the workspace, an installed package, a module that is
// described by name. Every way of resolving that any tool has counts: a module is missing only if none finds it.

import { isJsonObject, type JsonObject, type JsonValue, type SourceTree } from '../../../core/index.ts';
import { isIgnored } from '../ignored.ts';
import { readJsonc } from '../jsonc.ts';
import { hostModules, nodeModules } from '../known.ts';
import { popularNpm } from '../popular.ts';
import { folderOf, foldersAround, joined, type Memory, remembered } from '../reference.ts';
import { typescriptFile } from './typescript.ts';

/** Where a specifier leads. */
export type Target =
  /** Files that describe the module; a name is missing if it is in none of them. */
  | { readonly kind: 'files'; readonly files: readonly string[]; readonly installed: boolean }
  /** A module that is described by name. */
  | { readonly kind: 'described'; readonly name: string; readonly files: readonly string[] }
  /** It is there, but its names cannot be known. */
  | { readonly kind: 'opaque' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'missing'; readonly what: 'module' | 'package'; readonly near: readonly string[] };

const opaque: Target = { kind: 'opaque' };
const unknown: Target = { kind: 'unknown' };

/** Folders and files that a build or a framework makes. */
const made =
  /(?:^|\/)(?:dist|build|out|gen|generated|__generated__|coverage|target|\.[^/]+|[$+][^/]*)(?:\/|$)|\.(?:gen|generated|g)\.|\bgenerated\b|[_.]pb(?:\.|$)/i;

const endings = [
  ...['.ts', '.tsx', '.d.ts', '.mts', '.d.mts', '.cts', '.d.cts'],
  ...['.js', '.jsx', '.mjs', '.cjs', '.json', '.node'],
];
const swaps: Readonly<Record<string, readonly string[]>> = {
  '.ts': ['.d.ts', '.tsx'],
  '.mts': ['.d.mts'],
  '.cts': ['.d.cts'],
  '.js': ['.ts', '.tsx', '.d.ts', '.jsx'],
  '.jsx': ['.tsx', '.d.ts'],
  '.mjs': ['.mts', '.d.mts'],
  '.cjs': ['.cts', '.d.cts'],
};

/** Looks a specifier up from the file that holds it. */
export function findModule(specifier: string, from: string, root: string, tree: SourceTree): Target {
  const [plain = ''] = specifier.split(/[?!]/, 1);
  if (plain !== specifier && plain === '') return unknown;
  if (plain.startsWith('.') || plain.startsWith('/')) {
    if (plain.startsWith('/')) return unknown;
    const found = relative(joined(folderOf(from), plain), from, root, tree);
    return plain !== specifier && found.kind === 'files' ? opaque : found;
  }
  const scheme = /^([a-z][a-z0-9+.-]*):/.exec(plain)?.[1];
  if (scheme !== undefined && scheme !== 'node') return unknown;
  const bare = plain.replace(/^node:/, '');
  if (scheme === 'node' || nodeModules.has(bare)) return builtin(bare, scheme === 'node', from, tree);
  if (isDescribed(plain, tree)) return opaque;
  const mapped = byPaths(plain, from, root, tree);
  if (mapped !== null) return mapped;
  // No package has such a name: a tool of the project gives it a meaning.
  if (!/^(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*(?:\/|$)/i.test(plain)) return unknown;
  return byPackage(plain, from, root, tree);
}

function relative(path: string, from: string, root: string, tree: SourceTree): Target {
  const found = fileAt(path, tree);
  if (found !== null) return found;
  if (path !== root && !path.startsWith(`${root}/`)) return unknown;
  if (made.test(path.slice(root.length))) return unknown;
  // Folders that are laid over one another make every relative way lead to several places.
  if (pathRules(from, root, tree).some(({ pattern }) => pattern === laidOver)) return unknown;
  const written = path.replace(/\.(c|m)?js(x)?$/, '.$1ts$2');
  if ([path, written, `${path}.ts`].some((file) => isIgnored(file, root, tree))) return unknown;
  const folder = folderOf(path);
  const base = path.slice(folder.length + 1).replace(/\.(?:c|m)?[jt]sx?$/, '');
  const names = tree.list(folder);
  // `x.ios.tsx`, `x.vue`, `x.graphql`: tools find them by the first part of their name.
  if (names.some((name) => name.startsWith(`${base}.`) && !/\.(?:test|spec|stories|bench)\./.test(name)))
    return opaque;
  const near = names
    .filter((name) => typescriptFile.test(name))
    .map((name) => name.replace(/(?:\.d)?\.\w+$/, ''));
  return { kind: 'missing', what: 'module', near };
}

/** The file or folder that a path leads to. */
function fileAt(path: string, tree: SourceTree): Target | null {
  const files = (...all: readonly string[]): Target => ({ kind: 'files', files: all, installed: false });
  const standing = tree.kind(path);
  if (standing === 'file') {
    if (!typescriptFile.test(path)) return opaque;
    // A description beside a script says what its names are.
    const described = path.replace(/\.((?:c|m)?)jsx?$/, '.d.$1ts');
    return described !== path && tree.kind(described) === 'file' ? files(path, described) : files(path);
  }
  const ending = /\.(?:c|m)?[jt]sx?$/.exec(path)?.[0] ?? '';
  for (const swapped of swaps[ending] ?? []) {
    const other = path.slice(0, -ending.length) + swapped;
    if (tree.kind(other) === 'file') return files(other);
  }
  for (const added of endings) {
    if (tree.kind(path + added) !== 'file') continue;
    return typescriptFile.test(added) ? files(path + added) : opaque;
  }
  if (standing !== 'folder') return null;
  for (const added of endings) {
    const index = `${path}/index${added}`;
    if (tree.kind(index) === 'file') return typescriptFile.test(index) ? files(index) : opaque;
  }
  return tree.list(path).some((name) => name === 'package.json' || name.startsWith('index.')) ? opaque : null;
}

/** A module of Node.js; its names are in the package of its types. */
function builtin(name: string, schemed: boolean, from: string, tree: SourceTree): Target {
  if (!nodeModules.has(name)) {
    return schemed
      ? { kind: 'missing', what: 'module', near: [...nodeModules].map((known) => `node:${known}`) }
      : unknown;
  }
  const types = installedAt('@types/node', from, tree);
  if (types === null) return opaque;
  const files = [`${types}/${name}.d.ts`].filter((file) => tree.kind(file) === 'file');
  return files.length === 0 ? opaque : { kind: 'described', name, files };
}

function isDescribed(specifier: string, { overview: { declared } }: SourceTree): boolean {
  if (declared.has(specifier)) return true;
  for (const pattern of declared) {
    const star = pattern.indexOf('*');
    if (star < 0) continue;
    if (specifier.startsWith(pattern.slice(0, star)) && specifier.endsWith(pattern.slice(star + 1)))
      return true;
  }
  return false;
}

// ── what tsconfig says

/** The pattern of a rule that stands for `rootDirs`. */
const laidOver = './';

interface PathRule {
  readonly pattern: string;
  readonly targets: readonly string[];
  readonly base: string;
}

function byPaths(specifier: string, from: string, root: string, tree: SourceTree): Target | null {
  let matched = false;
  for (const { pattern, targets, base } of pathRules(from, root, tree)) {
    const star = pattern.indexOf('*');
    const rest =
      star < 0
        ? specifier === pattern
          ? ''
          : null
        : specifier.startsWith(pattern.slice(0, star)) && specifier.endsWith(pattern.slice(star + 1))
          ? specifier.slice(star, specifier.length - (pattern.length - star - 1))
          : null;
    if (rest === null) continue;
    for (const target of targets) {
      const path = joined(base, target.replace('*', rest));
      const found = fileAt(path, tree);
      if (found !== null) return found;
      // `@/*` leads into a folder of ours; `*` and `@scope/*` may stand beside packages of that name.
      const sure = star >= 0 && /^(?:[@~#$]\/|~|[#$])/.test(pattern) && targets.length === 1;
      if (!sure) matched ||= pattern !== '*';
      else {
        const missing = relative(path, from, root, tree);
        if (missing.kind === 'missing') return { ...missing, near: missing.near };
        return missing;
      }
    }
  }
  return matched && tree.overview.packages.get(packageName(specifier)) === undefined ? unknown : null;
}

/** The rules of every tsconfig and jsconfig in the folders around a file, and of those that they extend. */
function pathRules(from: string, root: string, tree: SourceTree): readonly PathRule[] {
  const folder = folderOf(from);
  return remembered(rulesOf, tree, folder, () => {
    const rules: PathRule[] = [];
    for (const name of tree.list(folder)) {
      if (/^[jt]sconfig(?:\.[\w-]+)*\.json$/.test(name)) configRules(`${folder}/${name}`, tree, rules, 0);
    }
    return folder === root || folder === '/' ? rules : [...rules, ...pathRules(folder, root, tree)];
  });
}

const rulesOf: Memory<readonly PathRule[]> = new WeakMap();
const manifestsOf: Memory<JsonObject | null> = new WeakMap();

function configRules(file: string, tree: SourceTree, rules: PathRule[], depth: number): void {
  const config = readJsonc(tree.text(file));
  if (config === null || depth > 8) return;
  const options = config['compilerOptions'];
  if (isJsonObject(options)) {
    const folder = folderOf(file);
    const url = options['baseUrl'];
    const base = typeof url === 'string' ? joined(folder, url) : folder;
    const paths = options['paths'];
    for (const [pattern, targets] of Object.entries(isJsonObject(paths) ? paths : {})) {
      rules.push({ pattern, targets: texts(targets), base });
    }
    if (typeof url === 'string') rules.push({ pattern: '*', targets: ['*'], base });
    if (options['rootDirs'] !== undefined) rules.push({ pattern: laidOver, targets: [], base });
  }
  const parents = config['extends'];
  for (const parent of typeof parents === 'string' ? [parents] : texts(parents)) {
    if (!parent.startsWith('.')) continue;
    const path = joined(folderOf(file), parent);
    configRules(tree.kind(path) === 'file' ? path : `${path}.json`, tree, rules, depth + 1);
  }
}

function texts(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

// ── packages

/** The part of a specifier that names the package. */
function packageName(specifier: string): string {
  const parts = specifier.split('/');
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
}

function byPackage(specifier: string, from: string, root: string, tree: SourceTree): Target {
  const name = packageName(specifier);
  const rest = specifier.slice(name.length + 1);
  const own = tree.overview.packages.get(name);
  if (own !== undefined) return inPackage(own, rest, false, tree);
  const installed = installedAt(name, from, tree);
  const types = installedAt(`@types/${name.replace(/^@/, '').replace('/', '__')}`, from, tree);
  if (installed !== null || types !== null) {
    const found = installed === null ? null : inPackage(installed, rest, true, tree);
    if (types === null) return found ?? unknown;
    // Types come first; what they do not know may still be there.
    const described = inPackage(types, rest, true, tree);
    return described.kind === 'missing' ? (found ?? unknown) : described;
  }
  return undeclared(name, from, root, tree);
}

/** The folder of an installed package, as a program at this place would find it. */
function installedAt(name: string, from: string, tree: SourceTree): string | null {
  for (const folder of foldersAround(from)) {
    const place = `${folder}/node_modules/${name}`;
    if (tree.kind(place) === 'folder') return place;
  }
  return null;
}

/** Where a module of a package may be. */
function placesIn(manifest: JsonObject, rest: string, mapped: readonly string[]): readonly string[] {
  if (rest !== '') return mapped.length === 0 ? [`./${rest}`] : mapped;
  const named = ['types', 'typings', 'module', 'main', 'source', 'browser'].map((key) => manifest[key]);
  return [...mapped, ...named.filter((place) => typeof place === 'string'), './index'];
}

/** A module of a package, by what its manifest says; `rest` is the part behind the package's name. */
function inPackage(folder: string, rest: string, installed: boolean, tree: SourceTree): Target {
  const manifest = manifestAt(folder, tree);
  if (manifest === null) return unknown;
  const offered = manifest['exports'];
  const mapped = offered === undefined || offered === null ? null : exportsOf(offered, rest);
  const places = placesIn(manifest, rest, mapped ?? []);
  const files: string[] = [];
  for (const place of places) {
    for (const path of [joined(folder, place), ...sourceOf(folder, place, installed)]) {
      const found = fileAt(path, tree);
      if (found?.kind === 'files') files.push(...found.files);
    }
    // Without conditions, the first that is there is what a compiler takes. Which condition holds is not known.
    if (files.length > 0 && installed && mapped?.includes(place) !== true) break;
  }
  // Where there is a source or a description, the script that is made from it adds nothing.
  const written = files.filter((file) => /\.(?:c|m)?tsx?$/.test(file));
  const best = [...new Set(written.length > 0 ? written : files)];
  if (best.length > 0) return { kind: 'files', files: best, installed };
  if (rest === '' || !installed || manifest['typesVersions'] !== undefined) return opaque;
  if (tree.list(folder).length < 2 || fileAt(joined(folder, rest), tree) !== null) return opaque;
  if (mapped !== null && mapped.length > 0) return opaque;
  return { kind: 'missing', what: 'module', near: subpaths(offered) };
}

/** A package of the workspace is read from its source: what its manifest names may not be built. */
function sourceOf(folder: string, place: string, installed: boolean): readonly string[] {
  if (installed) return [];
  const way = place.replace(/^\.\//, '').replace(/(?:\.d)?\.\w+$/, '');
  const inner = way.replace(/^(?:dist|build|lib|out|esm|cjs|es|types)\/(?:(?:esm|cjs|types|src|es)\/)?/, '');
  return inner === way ? [] : [`${folder}/src/${inner}`, `${folder}/${inner}`];
}

/** What `exports` gives for a subpath, types first; empty where it gives nothing. */
function exportsOf(offered: JsonValue, rest: string): readonly string[] {
  const key = rest === '' ? '.' : `./${rest}`;
  if (!isJsonObject(offered) || !Object.keys(offered).some((name) => name.startsWith('.'))) {
    return key === '.' ? leaves(offered, '') : [];
  }
  const direct = offered[key];
  if (direct !== undefined) return leaves(direct, '');
  for (const [pattern, value] of Object.entries(offered)) {
    const star = pattern.indexOf('*');
    if (star < 0 && !pattern.endsWith('/')) continue;
    const head = star < 0 ? pattern : pattern.slice(0, star);
    const tail = star < 0 ? '' : pattern.slice(star + 1);
    if (!key.startsWith(head) || !key.endsWith(tail) || value === null) continue;
    const middle = key.slice(head.length, key.length - tail.length);
    return star < 0 ? leaves(value, '').map((leaf) => leaf + middle) : leaves(value, middle);
  }
  return [];
}

function leaves(value: JsonValue, star: string): readonly string[] {
  if (typeof value === 'string') return [value.replaceAll('*', star)];
  if (Array.isArray(value)) return value.flatMap((item) => leaves(item, star));
  if (!isJsonObject(value)) return [];
  const entries = Object.entries(value);
  const types = entries.filter(([condition]) => condition.startsWith('types'));
  const rest = entries.filter(([condition]) => !condition.startsWith('types'));
  const all = [...types, ...rest].flatMap(([, inner]) => leaves(inner, star));
  return [...all.filter((leaf) => /\.d\.\w+$/.test(leaf)), ...all.filter((leaf) => !/\.d\.\w+$/.test(leaf))];
}

function subpaths(offered: JsonValue | undefined): readonly string[] {
  return isJsonObject(offered) ? Object.keys(offered).map((key) => key.slice(2)) : [];
}

const sections = [
  'dependencies',
  'devDependencies',
  'peerDependencies',
  'optionalDependencies',
  'overrides',
  'imports',
];
const locks = [
  'package-lock.json',
  'npm-shrinkwrap.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'bun.lock',
  'deno.lock',
];

/** A package that is neither ours nor installed: it is missing if no manifest and no lock file names it. */
function undeclared(name: string, from: string, root: string, tree: SourceTree): Target {
  if (hostModules.has(name)) return unknown;
  const declared = new Set<string>();
  let manifests = 0;
  for (const folder of foldersAround(from)) {
    const names = new Set(tree.list(folder));
    // Other tools resolve by their own lists, and bundlers by folders of the project.
    if (names.has('deno.json') || names.has('deno.jsonc') || names.has('import_map.json')) return unknown;
    const [first = ''] = name.split('/');
    if (names.has(first) || tree.kind(`${folder}/src/${first}`) !== null) return unknown;
    const manifest = names.has('package.json') ? manifestAt(folder, tree) : null;
    if (names.has('package.json')) manifests++;
    if (manifest?.['name'] === name) return opaque;
    for (const section of sections) {
      const listed = manifest?.[section];
      if (isJsonObject(listed)) for (const key of Object.keys(listed)) declared.add(key);
    }
    if (locks.some((lock) => names.has(lock) && mentions(tree.text(`${folder}/${lock}`), name)))
      return opaque;
    if (folder === root) break;
  }
  if (declared.has(name) || declared.has(`@types/${name}`)) return opaque;
  if (manifests === 0) return unknown;
  return { kind: 'missing', what: 'package', near: [...declared, ...popularNpm] };
}

/** Whether a lock file names a package, not only one that its name is a part of. */
function mentions(text: string | null, name: string): boolean {
  // A lock file that cannot be read may name anything.
  if (text === null) return true;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const before = text[at - 1] ?? ' ';
    const after = text[at + name.length] ?? ' ';
    if (
      /["'\s/]/.test(before) &&
      /["'\s@:/]/.test(after) &&
      !(before === '/' && /@[\w.-]+$/.test(text.slice(Math.max(0, at - 40), at - 1)))
    )
      return true;
  }
  return false;
}

/** The manifest of a folder; null where it has none that can be read. */
export function manifestAt(folder: string, tree: SourceTree): JsonObject | null {
  return remembered(manifestsOf, tree, folder, () => readJsonc(tree.text(`${folder}/package.json`)));
}
