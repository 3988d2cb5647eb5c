// What names mean at one place of a statement.

import { namesIn, onlyNode, type SqlNode } from './tree.ts';

/** What a FROM has under a name. */
export interface Item {
  /** The table, or null for what a query or a function gives. */
  readonly table: string | null;
  /** Columns under the names that the query uses; null where they are not known. */
  readonly columns: readonly string[] | null;
  /** Whether the query gave the columns other names. */
  readonly renamed: boolean;
}

/** What names mean at one place. */
export interface Scope {
  readonly outer: Scope | null;
  readonly items: Map<string, Item>;
  /** Queries by name, with the columns they give; null where those are not known. */
  readonly queries: ReadonlyMap<string, readonly string[] | null>;
}

/** The names that a list of targets gives; null where a star hides them. */
export function columnsOf(targets: readonly unknown[], scope: Scope): readonly string[] | null {
  const columns: string[] = [];
  for (const target of targets) {
    const { name, val } = onlyNode(target)?.value ?? {};
    const node = onlyNode(val);
    if (typeof name === 'string') columns.push(name);
    else if (node?.kind === 'ColumnRef') {
      const parts = namesIn(node.value, 'fields');
      const last = parts.at(-1);
      if (last === '*') {
        const items = parts.length > 1 ? [find(scope, parts.at(-2) ?? '')] : [...scope.items.values()];
        for (const item of items) {
          if (item?.columns == null) return null;
          columns.push(...item.columns);
        }
      } else columns.push(last ?? '');
    } else if (node?.kind === 'FuncCall') columns.push(namesIn(node.value, 'funcname').at(-1) ?? '');
    else columns.push('?column?');
  }
  return columns;
}

/** What a query or a function gives. */
export function derived(columns: readonly string[] | null): Item {
  return { table: null, columns, renamed: false };
}

/** What a name means; the nearest scope is right. */
export function find(scope: Scope | null, name: string): Item | undefined {
  for (let at = scope; at !== null; at = at.outer) {
    const item = at.items.get(name);
    if (item !== undefined) return item;
  }
  return undefined;
}

/** Everything that has a name here, from the inside out. */
export function visibleItems(scope: Scope | null): readonly Item[] {
  const items: Item[] = [];
  for (let at = scope; at !== null; at = at.outer) items.push(...at.items.values());
  return items;
}

/** Whether a name stands for a row and not for a column of it. */
export function isWholeRow(node: SqlNode, scope: Scope): boolean {
  const parts = namesIn(node.value, 'fields');
  const item = parts.length === 1 ? find(scope, parts[0] ?? '') : undefined;
  return item !== undefined && item.columns?.includes(parts[0] ?? '') !== true;
}
