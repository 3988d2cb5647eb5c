// From texts to what a workspace is known by: a table for each file, and an overview of all of them.

import type { ModuleReader, ModuleTable, Overview } from '../../core/index.ts';
import { readJsonc } from './jsonc.ts';
import { goFile, goTable } from './languages/go.ts';
import { pythonFile, pythonTable } from './languages/python.ts';
import { typescriptFile, typescriptTable } from './languages/typescript.ts';
import { folderOf } from './reference.ts';

/** The largest text that is read, in characters. */
export const largestText = 1_048_576;

/** Whether a file has a table. A manifest has one too, with the name of its package. */
export function hasTable(path: string): boolean {
  return (
    [typescriptFile, pythonFile, goFile].some((file) => file.test(path)) || path.endsWith('/package.json')
  );
}

/** The table of a file; null where it cannot be read. Never throws. */
export function tableOf(text: string, path: string, reader: ModuleReader | null): ModuleTable | null {
  if (text.length > largestText) return null;
  try {
    if (pythonFile.test(path)) return pythonTable(text);
    if (goFile.test(path)) return goTable(text);
    if (path.endsWith('/package.json')) {
      const name = readJsonc(text)?.['name'];
      return { names: typeof name === 'string' ? [name] : [], stars: [], opaque: true };
    }
    return reader === null ? null : typescriptTable(text, path, reader);
  } catch {
    return null;
  }
}

/** An overview that can still grow. */
export class Survey implements Overview {
  readonly packages = new Map<string, string>();
  readonly roots = new Map<string, string[]>();
  readonly globals = new Set<string>();
  readonly declared = new Set<string>();
  readonly added = new Set<string>();

  /** Takes a file in; `isPackage` says whether a folder is a Python package. */
  add(path: string, table: ModuleTable | null, isPackage: (folder: string) => boolean): void {
    const folder = folderOf(path);
    if (pythonFile.test(path)) this.#addRoot(path, folder, isPackage);
    if (table === null) return;
    if (path.endsWith('/package.json')) {
      for (const name of table.names) {
        // A manifest further down with the same name is a part of the package.
        const known = this.packages.get(name);
        if (known === undefined || folder.length < known.length) this.packages.set(name, folder);
      }
      return;
    }
    for (const name of table.globals ?? []) this.globals.add(name);
    for (const name of table.sets ?? []) this.added.add(name);
    for (const [module, { names }] of Object.entries(table.declares ?? {})) {
      if (!module.startsWith('.')) this.declared.add(module);
      for (const name of names) this.added.add(name);
    }
  }

  #addRoot(path: string, folder: string, isPackage: (folder: string) => boolean): void {
    const file = path.slice(folder.length + 1).replace(/\.pyi?$/, '');
    const [name, root] =
      file === '__init__' ? [folder.slice(folder.lastIndexOf('/') + 1), folderOf(folder)] : [file, folder];
    if (isPackage(root)) return;
    const roots = this.roots.get(name);
    if (roots === undefined) this.roots.set(name, [root]);
    else if (!roots.includes(root)) roots.push(root);
  }
}

/** An overview with what further files add. */
export function extended(base: Overview, more: Survey): Overview {
  const { packages, roots, globals, declared, added } = more;
  return {
    packages: packages.size === 0 ? base.packages : new Map([...base.packages, ...packages]),
    roots:
      roots.size === 0
        ? base.roots
        : new Map([
            ...base.roots,
            ...[...roots].map(
              ([name, folders]) => [name, [...(base.roots.get(name) ?? []), ...folders]] as const,
            ),
          ]),
    globals: globals.size === 0 ? base.globals : new Set([...base.globals, ...globals]),
    declared: declared.size === 0 ? base.declared : new Set([...base.declared, ...declared]),
    added: added.size === 0 ? base.added : new Set([...base.added, ...added]),
  };
}
