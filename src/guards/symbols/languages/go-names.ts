// Whether what a Go file refers to is there: packages of its modules, of the standard library and of downloaded modules,
// and the names that they export.

import type { ModuleTable, SourceTree } from '../../../core/index.ts';
import { isIgnored } from '../ignored.ts';
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
import { goFile } from './go.ts';
import { type GoModule, type GoModules, modulesAround } from './go-modules.ts';
import { goStdVersion, standardPackage, standardPaths } from './go-std.ts';

/** A package: the names in it, and the name that it has. */
interface GoPackage {
  readonly names: ReadonlySet<string>;
  /** More than one where files of a folder belong to different ones. */
  readonly called: ReadonlySet<string>;
  /** Whether it may have names that no file shows. */
  readonly opaque: boolean;
}

/** What a path leads to. */
type Target =
  | { readonly kind: 'package'; readonly found: GoPackage }
  | { readonly kind: 'unknown' }
  | {
      readonly kind: 'missing';
      readonly what: 'module' | 'package';
      readonly near: readonly string[];
      /** Whether a module of the workspace should have it. */
      readonly isOwn?: true;
    };

/** Looks one reference up. */
export function findGo(reference: Reference, from: string, root: string, tree: SourceTree): Answer {
  const { kind, module, name, local } = reference;
  if (kind === 'unbound') return findFunction(name, from, root, tree);
  const target = findPackage(module, from, root, tree);
  const isForeign = standardPackage(module) !== null || (target.kind === 'missing' && !target.isOwn);
  // The Go tool leaves such folders out; what is in them is built elsewhere, if at all.
  const isLoose = reference.loose === true || /\/[_.][^/]*\//.test(from.slice(root.length));
  if (target.kind === 'unknown') return unknown;
  if (target.kind === 'missing') {
    if (kind !== 'module' || (isForeign && isLoose)) return unknown;
    return missing(target.what, target.near);
  }
  if (kind === 'module') return exists;
  const { names, called, opaque } = target.found;
  // Another name than the package's own is that of something else.
  if (local !== undefined && !called.has(local)) return unknown;
  const isExported = /^\p{Lu}/u.test(name);
  if (isExported && names.has(name)) return exists;
  if (opaque || (isForeign && isLoose)) return unknown;
  return missing(
    'name',
    [...names].filter((one) => /^\p{Lu}/u.test(one)),
  );
}

/** A function that a file calls and does not declare: another file of the package may. */
function findFunction(name: string, from: string, root: string, tree: SourceTree): Answer {
  const main = modulesAround(from, root, tree)?.main;
  if (main === undefined || main.path === 'cmd') return unknown;
  const { names, opaque } = packageAt([folderOf(from)], true, root, tree);
  if (names.has(name)) return exists;
  return opaque ? unknown : missing('name', [...names]);
}

// ── packages

function findPackage(path: string, from: string, root: string, tree: SourceTree): Target {
  const modules = modulesAround(from, root, tree);
  if (modules === null) return { kind: 'unknown' };
  const { main, version } = modules;
  // The tools of the language are built by a program of their own, which writes files into their packages.
  if (main.path === 'cmd') return { kind: 'unknown' };
  // The library itself is a module, whose packages have no path before them.
  const own = main.path === 'std' ? main.folders.map((folder) => `${folder}/${path}`) : [];
  const folders = own.filter((folder) => holdsGo(folder, tree));
  if (folders.length > 0) return packageIn(folders, from, root, tree);
  const standard = main.path === 'std' ? null : standardPackage(path);
  const isCurrent =
    version[0] < goStdVersion[0] || (version[0] === goStdVersion[0] && version[1] <= goStdVersion[1]);
  if (standard !== null)
    return { kind: 'package', found: isCurrent ? standard : { ...standard, opaque: true } };
  const found = foldersOf(path, modules, tree);
  if (found.length > 0) return packageIn(found, from, root, tree);
  return absent(path, modules, isCurrent, root, tree);
}

/** Names that test files add are seen by the tests of the same folder alone. */
function packageIn(folders: readonly string[], from: string, root: string, tree: SourceTree): Target {
  const withTests = from.endsWith('_test.go') && folders.includes(folderOf(from));
  return { kind: 'package', found: packageAt(folders, withTests, root, tree) };
}

/** The folders that a path may mean. */
function foldersOf(path: string, { all, vendors }: GoModules, tree: SourceTree): readonly string[] {
  const copies = vendors.map((folder) => `${folder}/${path}`);
  const own = all
    .filter((module) => owns(module, path))
    .flatMap(({ path: prefix, folders }) =>
      folders.flatMap((folder) =>
        isNested(folder, path.slice(prefix.length + 1), tree) ? [] : [folder + path.slice(prefix.length)],
      ),
    );
  return [...copies, ...own].filter((folder) => holdsGo(folder, tree));
}

function owns({ path: prefix }: GoModule, path: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}

/** Whether a folder of a module belongs to another module inside it. */
function isNested(folder: string, way: string, tree: SourceTree): boolean {
  let at = folder;
  for (const name of way === '' ? [] : way.split('/')) {
    at = `${at}/${name}`;
    if (tree.kind(`${at}/go.mod`) === 'file') return true;
  }
  return false;
}

function holdsGo(folder: string, tree: SourceTree): boolean {
  return tree.kind(folder) === 'folder' && tree.list(folder).some((name) => goFile.test(name));
}

/** What is to be said of a package that is nowhere. */
function absent(
  path: string,
  { main, all, vendors, sums }: GoModules,
  isCurrent: boolean,
  root: string,
  tree: SourceTree,
): Target {
  const [first = ''] = path.split('/');
  // The library's own inner packages are no business of others.
  if (main.path === 'std' || (/(?:^|\/)internal(?:\/|$)/.test(path) && !first.includes('.')))
    return { kind: 'unknown' };
  const owners = all.filter((module) => owns(module, path));
  if (owners.length === 0) {
    if (!first.includes('.'))
      return isCurrent ? { kind: 'missing', what: 'module', near: standardPaths() } : { kind: 'unknown' };
    const isNamed = sums.some((text) => prefixesOf(path).some((prefix) => text.includes(`${prefix} v`)));
    return isNamed
      ? { kind: 'unknown' }
      : { kind: 'missing', what: 'package', near: all.map((one) => one.path) };
  }
  const isCertain = owners.every(({ isOwn, path: prefix, folders }) => {
    const way = path.slice(prefix.length + 1);
    return isOwn && folders.every((folder) => !mayBeMade(folder, way, root, tree));
  });
  if (!isCertain || (vendors.length > 0 && owners.some(({ isOwn }) => !isOwn))) return { kind: 'unknown' };
  const parents = owners.flatMap(({ path: prefix, folders }) =>
    folders.map((folder) => folderOf(folder + path.slice(prefix.length))),
  );
  return {
    kind: 'missing',
    what: 'module',
    near: parents.flatMap((folder) => tree.list(folder)),
    isOwn: true,
  };
}

function prefixesOf(path: string): readonly string[] {
  const names = path.split('/');
  return names.slice(1).map((_, index) => names.slice(0, index + 2).join('/'));
}

/** Packages that are written when a program is built. */
const madePackage =
  /(?:^|\/)(?:_?gen[a-z]*|pb|protos?|protobuf|ent|clientset|informers|listers|bindata|dist|build|out)(?:\/|$)|(?:pb|mocks?|gen|grpc)(?:\/|$)/i;

/** Whether a package that is not there may be made by a build, or belongs to another module. */
function mayBeMade(folder: string, way: string, root: string, tree: SourceTree): boolean {
  const at = `${folder}/${way}`;
  if (madePackage.test(way) || isNested(folder, way, tree) || isIgnored(`${at}/a.go`, root, tree))
    return true;
  // Bazel lays packages that it makes over the tree.
  if (
    ['MODULE.bazel', 'WORKSPACE', 'WORKSPACE.bazel'].some((name) => tree.kind(`${root}/${name}`) === 'file')
  )
    return true;
  return tree.kind(at) === 'folder' && tree.list(at).some((name) => compiled.test(name));
}

/** Files that programs write Go from. */
const compiled =
  /\.(?:proto|thrift|fbs|capnp|swig|swigcxx|y|rl|peg|templ|qtpl|ego|graphqls?|avsc|asn1?|cue|tmpl|gotmpl|sql)$/;
const packages: Memory<GoPackage> = new WeakMap();

/** A package by the files of its folders, whatever system or tags they are for. */
function packageAt(
  folders: readonly string[],
  withTests: boolean,
  root: string,
  tree: SourceTree,
): GoPackage {
  return remembered(packages, tree, `${withTests} ${folders.join(' ')}`, () => {
    const names = new Set<string>();
    const called = new Set<string>();
    let opaque = false;
    for (const folder of folders) {
      const files = tree.list(folder);
      const tables: ModuleTable[] = [];
      for (const name of files) {
        if (!goFile.test(name) || (!withTests && name.endsWith('_test.go'))) continue;
        const table = tree.table(`${folder}/${name}`);
        if (table === null) opaque = true;
        else tables.push(table);
      }
      for (const table of tables) {
        for (const name of table.names) names.add(name);
        if (table.package !== undefined) called.add(table.package);
      }
      opaque ||= isIncomplete(folder, files, tables, root, tree);
    }
    return { names, called, opaque };
  });
}

/** Whether files of a package are written by a program and not there. */
function isIncomplete(
  folder: string,
  files: readonly string[],
  tables: readonly ModuleTable[],
  root: string,
  tree: SourceTree,
): boolean {
  if (files.some((name) => /\.swig(?:cxx)?$/.test(name))) return true;
  const isWritten = tables.some(({ made }) => made === 'generated');
  const writes = tables.some(({ made }) => made === 'generates') || files.some((name) => compiled.test(name));
  if (writes && !isWritten) return true;
  return ignoredSources(folder, root, tree);
}

/** Whether the repository leaves out Go files of a folder: a program writes them when the rest is built. */
function ignoredSources(folder: string, root: string, tree: SourceTree): boolean {
  if (folder !== root && !folder.startsWith(`${root}/`)) return false;
  const around = foldersAround(`${folder}/a.go`).filter((one) => one === root || one.startsWith(`${root}/`));
  const named = around.flatMap((one) =>
    (tree.text(`${one}/.gitignore`) ?? '').split('\n').filter((line) => /^[^#!].*\.go\s*$/.test(line)),
  );
  return named.some((line) => {
    const name = line.trim().slice(line.trim().lastIndexOf('/') + 1);
    // A file that fits the pattern: a letter for each sign that stands for others.
    return isIgnored(`${folder}/${name.replace(/\*+|\?|\[[^\]]*\]/g, 'a')}`, root, tree);
  });
}
