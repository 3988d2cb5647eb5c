// Where an import of Python leads, and whether what a file refers to is there.

import type { SourceTree } from '../../../core/index.ts';
import { isIgnored } from '../ignored.ts';
import { pythonDistributions, pythonModules } from '../known.ts';
import { popularPypi } from '../popular.ts';
import {
  type Answer,
  exists,
  folderOf,
  foldersAround,
  type Memory,
  missing,
  type Reference,
  remembered,
  unknown,
} from '../reference.ts';

/** What a dotted name may lead to: a file, a folder, or both. */
interface Place {
  /** Where the module stands, without ending. */
  readonly path: string;
  /** Files with its text. */
  readonly files: readonly string[];
  readonly isFolder: boolean;
  /** Whether it is compiled, so that nothing is known of its names. */
  readonly opaque: boolean;
}

/** Where a module leads; `places` is what was found, `known` whether nothing else can be meant. */
interface Found {
  readonly places: readonly Place[];
  /** The places that its parent was found at, in which it should have been. */
  readonly parents: readonly Place[];
  readonly known: boolean;
  readonly absent?: 'package';
}

const mostModules = 2000;

/** Looks one reference up. */
export function findPython(reference: Reference, from: string, root: string, tree: SourceTree): Answer {
  const { kind, module, name } = reference;
  if (kind === 'unbound') return tree.overview.globals.has(name) ? exists : missing('name', []);
  const found = findModule(module, from, root, tree);
  if (kind === 'module') {
    if (found.places.length > 0 || pythonModules.has(module)) return exists;
    if (!found.known) return unknown;
    if (found.absent === 'package') return missing('package', [...popularPypi]);
    return missing(
      'module',
      found.parents.flatMap(({ path, isFolder }) => (isFolder ? modulesIn(path, tree) : [])),
    );
  }
  if (found.places.length === 0 || !found.known) return unknown;
  if (found.places.some(({ path }) => made.test(path.slice(root.length)))) return unknown;
  if (kind === 'attribute' && found.places.every(({ files }) => files.length === 0)) return unknown;
  // `from a import b` may mean the function b of a, and not the module a.b.
  if (kind === 'attribute' && isShadowed(found.parents, module, root, tree)) return unknown;
  if (/^__\w+__$/.test(name) || generated.test(name) || tree.overview.added.has(name)) return unknown;
  const search: Search = { name, root, tree, seen: new Set(), names: new Set() };
  const states = found.places.map((place) => inPlace(place, search));
  if (states.includes('exists')) return exists;
  return states.includes('unknown') ? unknown : missing('name', [...search.names]);
}

/** Whether the parent of a module binds the module's name to something itself. */
function isShadowed(parents: readonly Place[], module: string, root: string, tree: SourceTree): boolean {
  const name = module.slice(module.lastIndexOf('.') + 1);
  return parents.some(({ files }) =>
    files.some(
      (file) =>
        tree.table(file)?.submodules?.includes(name) !== true &&
        inFile(file, { name, root, tree, seen: new Set(), names: new Set() }) !== 'missing',
    ),
  );
}

/** The names that a file takes over by `*`; null where they cannot be known. */
export function starNames(
  module: string,
  from: string,
  root: string,
  tree: SourceTree,
): ReadonlySet<string> | null {
  const found = findModule(module, from, root, tree);
  if (found.places.length !== 1 || !found.known) return null;
  const search: Search = { name: '*', root, tree, seen: new Set(), names: new Set() };
  return found.places.every((place) => inPlace(place, search) === 'missing') ? search.names : null;
}

interface Search {
  readonly name: string;
  readonly root: string;
  readonly tree: SourceTree;
  readonly seen: Set<string>;
  readonly names: Set<string>;
}

function inPlace(place: Place, search: Search): Answer['state'] {
  const { path, files, isFolder, opaque } = place;
  if (opaque) return 'unknown';
  if (isFolder) {
    const inner = placeAt(`${path}/${search.name}`, search.tree);
    if (inner !== null) return 'exists';
    for (const name of modulesIn(path, search.tree)) search.names.add(name);
  }
  const states = files.map((file) => inFile(file, search));
  if (states.includes('exists')) return 'exists';
  return states.includes('unknown') ? 'unknown' : 'missing';
}

function inFile(file: string, search: Search): Answer['state'] {
  if (search.seen.has(file)) return 'missing';
  search.seen.add(file);
  const table = search.seen.size > mostModules ? null : search.tree.table(file);
  if (table === null) return 'unknown';
  if (table.names.includes(search.name)) return 'exists';
  if (table.opaque) return 'unknown';
  for (const name of table.names) search.names.add(name);
  for (const star of table.stars) {
    const found = findModule(star, file, search.root, search.tree);
    if (found.places.length === 0 || !found.known) return 'unknown';
    const states = found.places.map((place) => inPlace(place, search));
    if (states.includes('exists')) return 'exists';
    if (states.includes('unknown')) return 'unknown';
  }
  return 'missing';
}

/** What stands at a path without ending. */
function placeAt(path: string, tree: SourceTree): Place | null {
  const cut = path.lastIndexOf('/');
  const folder = path.slice(0, cut) || '/';
  const names = remembered(namesByBase, tree, folder, () =>
    Map.groupBy(tree.list(folder), (name) => name.split('.', 1)[0] ?? ''),
  ).get(path.slice(cut + 1));
  // Most places that are asked about hold nothing of the name, and are not looked at one by one.
  if (names === undefined) return null;
  const files = [`${path}.py`, `${path}.pyi`].filter((file) => tree.kind(file) === 'file');
  const isFolder = tree.kind(path) === 'folder';
  if (isFolder) {
    for (const name of ['__init__.py', '__init__.pyi']) {
      if (tree.kind(`${path}/${name}`) === 'file') files.push(`${path}/${name}`);
    }
  }
  const isCompiled = files.length === 0 && names.some((name) => compiled.test(name));
  if (files.length === 0 && !isFolder && !isCompiled) return null;
  return { path, files, isFolder, opaque: isCompiled };
}

/** The names in a folder by what stands before their first dot. */
const namesByBase: Memory<ReadonlyMap<string, readonly string[]>> = new WeakMap();
const compiled = /\.(?:so|pyd|pyx|pxd|pyc|dll|c|cpp|rs|in|tmpl)$/;

function modulesIn(folder: string, tree: SourceTree): readonly string[] {
  return tree
    .list(folder)
    .map((name) => name.replace(/\.pyi?$/, ''))
    .filter((name) => /^[A-Za-z]\w*$/.test(name));
}

/** Follows a dotted name from the places that its first part may stand in. */
function findModule(module: string, from: string, root: string, tree: SourceTree): Found {
  const dots = /^\.*/.exec(module)?.[0].length ?? 0;
  const parts = module
    .slice(dots)
    .split('.')
    .filter((part) => part !== '');
  if (dots > 0) {
    let folder = folderOf(from);
    for (let up = 1; up < dots; up++) folder = folderOf(folder);
    if (folder !== root && !folder.startsWith(`${root}/`)) return { places: [], parents: [], known: false };
    const start = placeAt(folder, tree) ?? { path: folder, files: [], isFolder: true, opaque: false };
    return follow([start], parts, tree, root);
  }
  const [top = '', ...rest] = parts;
  if (top === '_typeshed' || isDescribed(top, from, root, tree))
    return { places: [], parents: [], known: false };
  const { starts, sure } = startsOf(top, from, root, tree);
  if (starts.length > 0) {
    const found = follow(starts, rest, tree, root);
    return sure ? found : { ...found, known: false };
  }
  // A description of types may speak of any package: nothing of it is ever run.
  if (pythonModules.has(top) || from.endsWith('.pyi')) return { places: [], parents: [], known: false };
  return undeclared(top, from, root, tree)
    ? { places: [], parents: [], known: true, absent: 'package' }
    : { places: [], parents: [], known: false };
}

/** Whether a package of the workspace describes the types of one that is installed, which may be anywhere. */
function isDescribed(top: string, from: string, root: string, tree: SourceTree): boolean {
  const stubs = `${top}-stubs`;
  if (tree.overview.roots.has(stubs)) return true;
  for (const folder of foldersAround(from)) {
    if (tree.kind(`${folder}/${stubs}`) === 'folder') return true;
    if (stubFolders.some((name) => placeAt(`${folder}/${name}/${top}`, tree) !== null)) return true;
    if (folder === root) break;
  }
  return false;
}

/** Folders in which checkers of types look for descriptions. */
const stubFolders = ['typings', 'stubs'];

function follow(starts: readonly Place[], parts: readonly string[], tree: SourceTree, root: string): Found {
  let places = starts;
  let parents: readonly Place[] = [];
  for (const part of parts) {
    parents = places;
    places = parents.flatMap(({ path, isFolder }) =>
      isFolder ? (placeAt(`${path}/${part}`, tree) ?? []) : [],
    );
    if (places.length > 0) continue;
    if (generated.test(part)) return { places, parents, known: false };
    // A module that makes itself a package, or is made by a build, may have anything below it.
    const open = parents.some(({ path, files, opaque }) => {
      const below = `${path}/${part}`;
      if (
        opaque ||
        isShared(path, files, tree) ||
        isIgnored(`${below}.py`, root, tree) ||
        made.test(path.slice(root.length))
      )
        return true;
      return files.some((file) => isOpen(file, tree));
    });
    return { places, parents, known: !open };
  }
  return { places, parents, known: true };
}

/** A folder of folders without a file of its own: parts of such a package are installed from many places. */
function isShared(path: string, files: readonly string[], tree: SourceTree): boolean {
  return files.length === 0 && !tree.list(path).some((name) => /\.pyi?$/.test(name));
}

/** Made by a build. */
const made = /(?:^|\/)(?:build|dist|generated|gen|_generated)(?:\/|$)/;

/** Modules that are written by tools when a program is built. */
const generated = /_pb2(?:_grpc)?$|^_version$|^_build_config$/;

/** Whether modules may stand below a file that no file shows; answering for names makes no modules. */
function isOpen(file: string, tree: SourceTree): boolean {
  const table = tree.table(file);
  return table === null || table.open === true;
}

/** The places that the first part of an absolute import may stand in, and whether that is beyond doubt. */
function startsOf(
  top: string,
  from: string,
  root: string,
  tree: SourceTree,
): { readonly starts: readonly Place[]; readonly sure: boolean } {
  const near: Place[] = [];
  let certain = 0;
  for (const folder of foldersAround(from)) {
    const isPackage = tree.kind(`${folder}/__init__.py`) === 'file';
    const inner = ['src', 'lib'].map((name) => `${folder}/${name}`);
    for (const start of [folder, ...inner.filter((path) => tree.kind(path) === 'folder')]) {
      // What stands beside a module of a package is imported so only where the module is run as a program.
      const beside = start === folder && isPackage;
      if (beside && folder !== folderOf(from)) continue;
      const place = placeAt(`${start}/${top}`, tree);
      // A folder without any code is no module.
      if (place === null || !(place.files.length > 0 || place.opaque || holdsCode(place.path, tree)))
        continue;
      near.push(place);
      if (!beside) certain++;
    }
    if (folder === root) break;
  }
  const far = (tree.overview.roots.get(top) ?? [])
    .filter((folder) => !near.some(({ path }) => path === `${folder}/${top}`))
    .flatMap((folder) => placeAt(`${folder}/${top}`, tree) ?? []);
  const starts = [...near, ...far];
  // A name of the standard library means that library, unless this is it.
  const library = pythonModules.has(top) && !starts.some(({ path }) => isLibrary(folderOf(path), tree));
  return {
    starts,
    sure: starts.length > 0 && !library && (certain > 0 || (near.length === 0 && far.length === 1)),
  };
}

function isLibrary(folder: string, tree: SourceTree): boolean {
  return tree.kind(`${folder}/os.py`) === 'file' && tree.kind(`${folder}/site.py`) === 'file';
}

function holdsCode(folder: string, tree: SourceTree): boolean {
  return tree
    .list(folder)
    .some(
      (name) =>
        /\.pyi?$/.test(name) || (/^[A-Za-z_]\w*$/.test(name) && tree.kind(`${folder}/${name}`) === 'folder'),
    );
}

// ── packages

const manifests =
  /^(?:pyproject\.toml|setup\.(?:py|cfg)|requirements.*\.(?:txt|in)|Pipfile(?:\.lock)?|(?:poetry|uv|pdm|pixi)\.lock|environment.*\.ya?ml|pixi\.toml|tox\.ini|noxfile\.py|conda.*\.ya?ml|constraints.*\.txt)$/;

/** Whether there are manifests, and neither they nor what is installed name a package. */
function undeclared(top: string, from: string, root: string, tree: SourceTree): boolean {
  let seen = 0;
  for (const folder of foldersAround(from)) {
    const names = tree.list(folder);
    for (const name of names) {
      const inFolder =
        name === 'requirements'
          ? tree.list(`${folder}/requirements`).map((file) => `requirements/${file}`)
          : [];
      for (const file of [...inFolder, ...(manifests.test(name) ? [name] : [])]) {
        seen++;
        const text = tree.text(`${folder}/${file}`);
        if (text === null || mentions(text, top)) return false;
      }
      if (
        (name === '.venv' || name === 'venv' || name === 'env') &&
        isInstalled(`${folder}/${name}`, top, tree)
      )
        return false;
    }
    if (folder === root) break;
  }
  return seen > 0;
}

function isInstalled(environment: string, top: string, tree: SourceTree): boolean {
  const library = `${environment}/lib`;
  return tree
    .list(library)
    .some((version) =>
      [top, `${top}-stubs`].some(
        (name) => placeAt(`${library}/${version}/site-packages/${name}`, tree) !== null,
      ),
    );
}

/** Whether a manifest has a word that the package may be installed by. */
function mentions(text: string, top: string): boolean {
  const plain = (word: string) => word.toLowerCase().replace(/[-_.]+/g, '-');
  const manifest = plain(text);
  const names = [top, pythonDistributions[top] ?? top].map(plain);
  // `python-x`, `x-python`, `pyx`, `django-x`: names of installation add words to names of import.
  return names.some((name) => manifest.includes(name));
}
