// Whether what a file of JavaScript or TypeScript refers to is there.

import { isJsonObject, type ModuleTable, type SourceTree } from '../../../core/index.ts';
import { type Answer, exists, foldersAround, missing, type Reference, unknown } from '../reference.ts';
import { findModule, manifestAt, type Target } from './typescript-modules.ts';

const typed = /\.(?:c|m)?tsx?$/;
/** Most modules that are followed for one name. */
const mostModules = 2000;

/** Looks one reference up. */
export function findTypescript(reference: Reference, from: string, root: string, tree: SourceTree): Answer {
  const { kind, module, name } = reference;
  if (kind === 'unbound') return findGlobal(name, from, root, tree);
  const target = findModule(module, from, root, tree);
  if (kind === 'module') {
    if (target.kind === 'missing') return missing(target.what, target.near);
    return target.kind === 'unknown' ? unknown : exists;
  }
  const search: Search = { name, root, tree, seen: new Set(), names: new Set() };
  const state = inTarget(target, from, search);
  if (state !== 'missing') return { state };
  if (tree.overview.added.has(name)) return unknown;
  // Types may leave out what a script can still use.
  if (!typed.test(from) && (target.kind !== 'files' || target.installed)) return unknown;
  return missing('name', [...search.names]);
}

type State = Answer['state'];

interface Search {
  readonly name: string;
  readonly root: string;
  readonly tree: SourceTree;
  readonly seen: Set<string>;
  /** Every name that was met on the way. */
  readonly names: Set<string>;
}

function inTarget(target: Target, from: string, search: Search): State {
  if (target.kind === 'files') {
    // To a file with types, the description of a script is all there is of it.
    const described = typed.test(from) ? target.files.filter((file) => typed.test(file)) : [];
    return firstOf(described.length > 0 ? described : target.files, (file) => inFile(file, search));
  }
  if (target.kind !== 'described') return 'unknown';
  if (search.name === 'default') return 'exists';
  const { name, files } = target;
  return firstOf(files, (file) => {
    const key = `${file}#${name}`;
    if (search.seen.has(key)) return 'missing';
    search.seen.add(key);
    const declares = search.tree.table(file)?.declares;
    const tables = [declares?.[name], declares?.[`node:${name}`]].filter((table) => table !== undefined);
    return firstOf(tables, (table) => inTable(table, from, search));
  });
}

/** A name exists if one of several modules has it, and is missing if all are known and none has. */
function firstOf<Item>(items: readonly Item[], look: (item: Item) => State): State {
  let state: State = items.length === 0 ? 'unknown' : 'missing';
  for (const item of items) {
    const found = look(item);
    if (found === 'exists') return 'exists';
    if (found === 'unknown') state = 'unknown';
  }
  return state;
}

function inFile(file: string, search: Search): State {
  if (search.seen.has(file)) return 'missing';
  search.seen.add(file);
  if (search.seen.size > mostModules) return 'unknown';
  const table = search.tree.table(file);
  if (table === null) return 'unknown';
  const state = inTable(table, file, search);
  // A description without a default stands for a script that has one in effect.
  const synthetic = search.name === 'default' && /\.d\.\w+$/.test(file);
  return state === 'missing' && synthetic ? 'unknown' : state;
}

function inTable(table: ModuleTable, file: string, search: Search): State {
  if (table.names.includes(search.name)) return 'exists';
  if (table.opaque) return 'unknown';
  for (const name of table.names) search.names.add(name);
  if (search.name === 'default' || table.stars.length === 0) return 'missing';
  return firstOf(table.stars, (star) =>
    inTarget(findModule(star, file, search.root, search.tree), file, search),
  );
}

// ── names that nothing in the file binds

/** Packages that put names into files without an import. */
const importers: ReadonlySet<string> = new Set([
  ...['nuxt', 'nuxt3', '@nuxt/kit', 'unplugin-auto-import', 'unimport', 'wxt', 'vite-plugin-auto-import'],
  ...['babel-plugin-react-require', '@vue-macros/volar', 'rescript', 'meteor-node-stubs', 'ember-source'],
]);

function findGlobal(name: string, from: string, root: string, tree: SourceTree): Answer {
  if (tree.overview.globals.has(name)) return exists;
  for (const folder of foldersAround(from)) {
    const manifest = manifestAt(folder, tree);
    for (const section of ['dependencies', 'devDependencies']) {
      const listed = manifest?.[section];
      if (isJsonObject(listed) && Object.keys(listed).some((key) => importers.has(key))) return unknown;
    }
    const types = `${folder}/node_modules/@types`;
    for (const described of tree.kind(types) === 'folder' ? tree.list(types).slice(0, 200) : []) {
      if (tree.table(`${types}/${described}/index.d.ts`)?.globals?.includes(name)) return exists;
    }
    if (folder === root) break;
  }
  return missing('name', []);
}
