// The modules of Go around a file: its own, those of its workspace, those that replace others, and downloaded ones.

import type { SourceTree } from '../../../core/index.ts';
import { folderOf, foldersAround, joined, type Memory, remembered } from '../reference.ts';

/** A module that packages may come from. */
export interface GoModule {
  readonly path: string;
  /** Where it stands; more than one where any of them may be meant, none where it is not on this machine. */
  readonly folders: readonly string[];
  /** Whether its files are part of the workspace. */
  readonly isOwn: boolean;
}

/** What a file may import. */
export interface GoModules {
  /** The module that the file belongs to. */
  readonly main: GoModule;
  readonly all: readonly GoModule[];
  /** The version of the language, as the release that its library is looked up in. */
  readonly version: readonly [number, number];
  /** Folders with copies of foreign packages. */
  readonly vendors: readonly string[];
  /** Texts that name modules which are used without being asked for. */
  readonly sums: readonly string[];
}

/** What `go.mod` and `go.work` say. */
interface Manifest {
  readonly module: string;
  readonly version: readonly [number, number];
  readonly requires: ReadonlyMap<string, string>;
  readonly replaces: readonly Replacement[];
  readonly uses: readonly string[];
}

/** A module that stands in for another, or for one version of it alone. */
interface Replacement {
  readonly path: string;
  readonly by: string;
  readonly only?: string;
}

const contexts: Memory<GoModules | null> = new WeakMap();
const manifests: Memory<Manifest | null> = new WeakMap();

/** The modules around a file; null where it belongs to none. */
export function modulesAround(from: string, root: string, tree: SourceTree): GoModules | null {
  return remembered(contexts, tree, folderOf(from), () => findModules(from, root, tree));
}

function findModules(from: string, root: string, tree: SourceTree): GoModules | null {
  const inside = foldersAround(from).filter((folder) => folder === root || folder.startsWith(`${root}/`));
  const folder = inside.find((one) => tree.kind(`${one}/go.mod`) === 'file');
  if (folder === undefined) return null;
  const manifest = manifestAt(`${folder}/go.mod`, tree);
  if (manifest === null || manifest.module === '') return null;
  const main: GoModule = { path: manifest.module, folders: [folder], isOwn: true };
  const work = foldersAround(`${folder}/go.mod`).find((one) => tree.kind(`${one}/go.work`) === 'file');
  const workspace = work === undefined ? null : manifestAt(`${work}/go.work`, tree);
  const used = (workspace?.uses ?? []).map((use) => joined(work ?? '', use));
  const all: GoModule[] = [main];
  const asked: [string, Manifest][] = [[folder, manifest]];
  for (const at of used) {
    const other = at === folder ? null : manifestAt(`${at}/go.mod`, tree);
    if (other === null || other.module === '') continue;
    all.push({ path: other.module, folders: [at], isOwn: true });
    asked.push([at, other]);
  }
  if (work !== undefined && workspace !== null) asked.push([work, workspace]);
  const isUsed = ({ path, only }: Replacement) =>
    only === undefined || asked.every(([, { requires }]) => (requires.get(path) ?? only) === only);
  for (const [at, { replaces }] of asked)
    all.push(...replaces.filter(isUsed).map((one) => replaced(one, at, root, tree)));
  for (const [, { requires }] of asked) {
    for (const [path] of requires) {
      if (all.some((known) => known.path === path)) continue;
      all.push({ path, folders: downloaded(path, tree), isOwn: false });
    }
  }
  return {
    main,
    all,
    version: newest([manifest.version, ...(workspace === null ? [] : [workspace.version])]),
    vendors: [folder, ...(work === undefined ? [] : [work])]
      .map((one) => `${one}/vendor`)
      .filter((one) => tree.kind(one) === 'folder'),
    sums: [
      ...asked.map(([at]) => `${at}/go.sum`),
      `${work ?? folder}/go.work.sum`,
      `${folder}/vendor/modules.txt`,
    ].map((file) => tree.text(file) ?? ''),
  };
}

function newest(versions: readonly (readonly [number, number])[]): readonly [number, number] {
  return versions.reduce((a, b) => (a[0] > b[0] || (a[0] === b[0] && a[1] >= b[1]) ? a : b), [1, 0]);
}

function replaced({ path, by }: Replacement, folder: string, root: string, tree: SourceTree): GoModule {
  if (!/^(?:\.{1,2}\/|\/)/.test(by)) return { path, folders: downloaded(by, tree), isOwn: false };
  const at = joined(folder, by);
  const isThere = tree.kind(at) === 'folder';
  return { path, folders: isThere ? [at] : [], isOwn: isThere && at.startsWith(`${root}/`) };
}

/** Where downloaded versions of a module stand: every version, for which of them is used is not always written down. */
function downloaded(path: string, tree: SourceTree): readonly string[] {
  if (tree.goModules === undefined) return [];
  // Capital letters are written so that file systems without them can hold both.
  const place = `${tree.goModules}/${path.replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`)}`;
  const name = place.slice(folderOf(place).length + 1);
  return tree
    .list(folderOf(place))
    .filter((version) => version.startsWith(`${name}@`))
    .map((version) => `${folderOf(place)}/${version}`);
}

function manifestAt(path: string, tree: SourceTree): Manifest | null {
  return remembered(manifests, tree, path, () => {
    const text = tree.text(path);
    return text === null ? null : readManifest(text);
  });
}

/** Reads `go.mod` and `go.work`, which have the same form. */
function readManifest(text: string): Manifest {
  const requires = new Map<string, string>();
  const replaces: Replacement[] = [];
  const uses: string[] = [];
  let module = '';
  let version: readonly [number, number] = [1, 16];
  const take: Readonly<Record<string, (words: readonly string[]) => void>> = {
    module: ([path = '']) => {
      module = path;
    },
    go: ([words = '']) => {
      version = versionOf(words) ?? version;
    },
    // The library is that of the compiler, which may be newer than the language.
    toolchain: ([words = '']) => {
      version = newest([version, versionOf(words.replace(/^go/, '')) ?? version]);
    },
    require: ([path = '', at = '']) => {
      requires.set(path, at);
    },
    use: ([path = '']) => {
      uses.push(path);
    },
    replace: (words) => {
      const arrow = words.indexOf('=>');
      const [path = '', only] = words.slice(0, Math.max(arrow, 0));
      const [by = ''] = words.slice(arrow + 1);
      if (arrow > 0) replaces.push({ path, by, ...(only === undefined ? {} : { only }) });
    },
  };
  let block = '';
  for (const line of text.split('\n')) {
    const words = (line.replace(/\/\/.*$/, '').match(/"[^"]*"|`[^`]*`|[^\s()]+|[()]/g) ?? []).map((word) =>
      word.replace(/^(["`])(.*)\1$/, '$2'),
    );
    const [first = ''] = words;
    if (first === '') continue;
    if (first === ')') block = '';
    else if (block !== '') take[block]?.(words);
    else if (words[1] === '(') block = first;
    else take[first]?.(words.slice(1));
  }
  return { module, version, requires, replaces, uses };
}

function versionOf(text: string): readonly [number, number] | null {
  const [, major, minor] = /^([0-9]+)\.([0-9]+)/.exec(text) ?? [];
  return major === undefined ? null : [Number(major), Number(minor)];
}
