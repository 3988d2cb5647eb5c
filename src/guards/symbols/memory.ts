// A workspace of texts: what examples and tests look references up in.

import type { ModuleReader, ModuleTable, SourceTree } from '../../core/index.ts';
import { hasTable, Survey, tableOf } from './tables.ts';

/** A tree of the given texts, by absolute path. */
export function memoryTree(texts: ReadonlyMap<string, string>, reader: ModuleReader | null): SourceTree {
  const overview = new Survey();
  const tables = new Map<string, ModuleTable | null>();
  const names = new Map<string, Set<string>>();
  for (const [path, text] of texts) {
    for (let at = path; at !== ''; ) {
      const cut = at.lastIndexOf('/');
      const folder = at.slice(0, cut);
      const listed = names.get(folder) ?? new Set();
      names.set(folder, listed.add(at.slice(cut + 1)));
      at = folder;
    }
    if (hasTable(path)) tables.set(path, tableOf(text, path, reader));
  }
  for (const [path, table] of tables) {
    overview.add(path, table, (folder) => texts.has(`${folder}/__init__.py`));
  }
  return {
    overview,
    kind: (path) => (texts.has(path) ? 'file' : names.has(path) ? 'folder' : null),
    list: (folder) => [...(names.get(folder) ?? [])],
    text: (path) => texts.get(path) ?? null,
    table: (path) => tables.get(path) ?? null,
    goModules: '/go/pkg/mod',
  };
}
