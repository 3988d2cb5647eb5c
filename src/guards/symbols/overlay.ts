// The workspace as it will be: the files of a change set laid over the tree, so that what one of them makes, the others
// may use.

import type { ModuleReader, ModuleTable, SourceTree } from '../../core/index.ts';
import { folderOf } from './reference.ts';
import { extended, hasTable, Survey, tableOf } from './tables.ts';

/** A tree with texts laid over it; null stands for a file that is taken away. */
export function overlay(
  base: SourceTree,
  texts: ReadonlyMap<string, string | null>,
  reader: ModuleReader | null,
): SourceTree {
  const folders = new Map<string, Set<string>>();
  for (const [path, text] of texts) {
    if (text === null) continue;
    for (let at = path; at !== '/' && base.kind(folderOf(at)) !== 'folder'; at = folderOf(at))
      note(folders, at);
    note(folders, path);
  }
  const tables = new Map<string, ModuleTable | null>();
  const lists = new Map<string, readonly string[]>();
  const kind = (path: string) => {
    const text = texts.get(path);
    if (text !== undefined) return text === null ? null : 'file';
    return base.kind(path) ?? (folders.has(path) ? 'folder' : null);
  };
  const table = (path: string) => {
    const text = texts.get(path);
    if (text === undefined) return base.table(path);
    if (text === null) return null;
    const known = tables.get(path);
    if (known !== undefined) return known;
    const made = tableOf(text, path, reader);
    tables.set(path, made);
    return made;
  };
  const survey = new Survey();
  const isPackage = (folder: string) => kind(`${folder}/__init__.py`) === 'file';
  for (const [path, text] of texts) {
    // A file that is there already is in the overview; only what is new in it counts.
    if (text !== null && hasTable(path))
      survey.add(path, table(path), base.kind(path) === null ? isPackage : () => true);
  }
  return {
    overview: extended(base.overview, survey),
    kind,
    table,
    list: (folder) => {
      const known = lists.get(folder);
      if (known !== undefined) return known;
      const names = base.list(folder).filter((name) => texts.get(`${folder}/${name}`) !== null);
      const all = [...new Set([...names, ...(folders.get(folder) ?? [])])];
      lists.set(folder, all);
      return all;
    },
    text: (path) => (texts.has(path) ? (texts.get(path) ?? null) : base.text(path)),
    ...(base.goModules === undefined ? {} : { goModules: base.goModules }),
  };
}

function note(folders: Map<string, Set<string>>, path: string): void {
  const folder = folderOf(path);
  const names = folders.get(folder);
  const name = path.slice(folder.length + 1);
  if (names === undefined) folders.set(folder, new Set([name]));
  else names.add(name);
}
