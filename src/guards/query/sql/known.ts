// What is known of a source's names: what its schema lists, and what its configuration adds to that.
// INVARIANT: a name that is not known counts as everything that it could be, or is refused.

import type { CodeMode } from '../../../config/sources.ts';
import { isColumnNamed, joinName, nameParts } from '../../../config/sql-names.ts';
import { nearest, visible } from '../../../core/index.ts';
import { isBlockedColumn, isBlockedTable, isListedTable } from '../rules/names.ts';
import type { Catalog, Reached, Relation } from './catalog.ts';

const longest = 64;

export class KnownNames {
  /** Null where the source has no schema: then every name may be one. */
  readonly #catalog: Catalog | null;
  readonly #sql: CodeMode['sql'];
  readonly #columns = new Map<string, readonly string[]>();
  /** Blocked columns that the schema has in no table: any table may have them by now. */
  readonly unlisted: readonly string[];

  constructor(catalog: Catalog | null, { sql }: CodeMode) {
    this.#catalog = catalog;
    this.#sql = sql;
    this.unlisted = sql.blockedColumns.flatMap((name) => {
      const parts = nameParts(name);
      const [bare = ''] = parts.slice(-1);
      return parts.length === 1 && catalog?.hasColumn(bare) !== true ? [bare] : [];
    });
  }

  /** Whether there is a schema at all. */
  get hasSchema(): boolean {
    return this.#catalog !== null;
  }

  hasTable(table: string): boolean {
    return this.#catalog === null || this.#catalog.has(table);
  }

  hasType(type: string): boolean {
    return this.#catalog?.types.has(type) === true;
  }

  /**
   * The columns of a table, null where they are not known. A column that the configuration blocks by the name of its
   * table is one, whether or not the schema lists it: a schema may be older than the table.
   */
  columnsOf(table: string): readonly string[] | null {
    const columns = this.#catalog?.columnsOf(table) ?? null;
    if (columns === null) return null;
    const before = this.#columns.get(table);
    if (before !== undefined) return before;
    const added = this.#sql.blockedColumns.flatMap((name) => {
      const parts = nameParts(name);
      const column = parts.at(-1) ?? '';
      const isOfTable = parts.length > 1 && isColumnNamed(columnName(table, column), name, this.#sql.naming);
      return isOfTable && !columns.some((one) => one.toLowerCase() === column.toLowerCase()) ? [column] : [];
    });
    const all = [...columns, ...new Set(added)];
    this.#columns.set(table, all);
    return all;
  }

  keyOf(table: string): string | null {
    return this.#catalog?.keyOf(table) ?? null;
  }

  /** What a star over a table stands for; over columns that are not known, also for those that are not to be read. */
  starOf(table: string): readonly string[] {
    const blocked = () => this.#sql.blockedColumns.map((name) => nameParts(name).at(-1) ?? '');
    return this.columnsOf(table) ?? ['*', ...blocked()];
  }

  /** The tables that are named, with all whose rows are read with theirs. */
  relationsRead(tables: Iterable<string>): readonly string[] {
    const read = [...tables].flatMap((table) => {
      const relation = this.#catalog?.find(table) ?? null;
      const others = relation === null ? [] : [...(this.#catalog?.readWith(relation) ?? [])];
      return [table, ...others.map(({ name }) => name)];
    });
    return [...new Set(read)].sort();
  }

  /**
   * The columns that are named, with all that they show and are shown by, and the functions that compute them. A partition has the columns of its parent, and
   * there may be thousands: those of them count that a list names.
   */
  fieldsRead(fields: Iterable<string>): {
    readonly fields: readonly string[];
    readonly calls: readonly string[];
  } {
    const read = new Set<string>();
    const calls = new Set<string>();
    for (const field of fields) {
      read.add(field);
      const parts = nameParts(field);
      const relation = this.#catalog?.find(joinName(parts.slice(0, -1))) ?? null;
      if (relation === null) continue;
      const found = this.#catalog?.columnsReadWith(relation, parts.at(-1) ?? '');
      for (const reached of found?.columns ?? []) for (const name of this.#namesOf(reached)) read.add(name);
      for (const call of found?.calls ?? []) calls.add(call);
    }
    return { fields: [...read].sort(), calls: [...calls].sort() };
  }

  #namesOf({ relation: { name: table }, column, isPart }: Reached): readonly string[] {
    const columns = column === null ? this.starOf(table) : [column.name];
    const names = columns.map((name) => columnName(table, name));
    return isPart ? names.filter((name) => isBlockedColumn(name, this.#sql)) : names;
  }

  /** How a use of a relation is held to one tenant; tables of many tenants are those that `isShared` names. */
  tenantUse(table: string, tenants: Tenants): TenantUse {
    const relation = this.#catalog?.find(table) ?? null;
    if (tenants.isShared(table)) return { isColumn: tenants.isColumn };
    if (relation === null || this.#catalog === null) return 'free';
    if (relation.uses.length > 0) return viewTenant(relation, (one) => this.tenantUse(one.name, tenants));
    const isOne = [...this.#catalog.readWith(relation)].some(({ name }) => tenants.isShared(name));
    return isOne ? { isColumn: tenants.isColumn } : 'free';
  }

  /** Whether a read may call a function of the database's own, under its full name or without the schema. */
  isCallAllowed(name: string): boolean {
    const bare = joinName(nameParts(name).slice(-1));
    return this.#sql.allowedFunctions.some((word) =>
      [name, bare].some((one) => one.toLowerCase() === word.toLowerCase()),
    );
  }

  isBlocked(table: string, column: string): boolean {
    return isBlockedColumn(columnName(table, column), this.#sql);
  }

  /** Words for a table that the schema does not have. */
  unlistedTable(table: string): string {
    const tables = [...(this.#catalog?.tables.keys() ?? [])].filter(
      (name) => !isBlockedTable(name, this.#sql) && isListedTable(name, this.#sql),
    );
    const bare = lastOf(table);
    const near = tables.find((name) => lastOf(name) === bare) ?? nearest(table, tables);
    return `a table that the schema does not have${hint(table, near)}`;
  }

  /** Words for a column that none of the tables has. */
  unlistedColumn(column: string, tables: readonly string[]): string {
    return `a column that the schema does not have${this.nearColumn(column, tables)}`;
  }

  /** The name, and the name of a column that may be meant, unless that is not to be read. */
  nearColumn(column: string, tables: readonly string[]): string {
    const columns = tables.flatMap((table) =>
      (this.#catalog?.columnsOf(table) ?? []).filter((name) => !this.isBlocked(table, name)),
    );
    return hint(column, nearest(column, columns));
  }
}

/** Which tables are of many tenants, and by which column of them a row is of one. */
export interface Tenants {
  readonly isShared: (table: string) => boolean;
  readonly isColumn: (column: string) => boolean;
}

/** Free of tenants, held by a condition on a column, or by none. */
export type TenantUse = 'free' | 'open' | { readonly isColumn: (column: string) => boolean };

/** A condition holds a view where the view shows the tenant's column, and uses one table that has one, once. */
function viewTenant(view: Relation, useOf: (relation: Relation) => TenantUse): TenantUse {
  const uses = view.uses.flatMap((relation) => {
    const use = useOf(relation);
    return use === 'free' ? [] : [{ relation, use }];
  });
  const [only, second] = uses;
  if (only === undefined) return 'free';
  const { relation, use } = only;
  if (second !== undefined || use === 'open' || !view.isTransparent) return 'open';
  const shown = view.columns?.find(({ plain }) => plain?.of === relation && use.isColumn(plain.name));
  return shown === undefined ? 'open' : { isColumn: (column) => column === shown.name };
}

/** The full name of a column. */
export function columnName(table: string, column: string): string {
  return `${table}.${joinName([column])}`;
}

function lastOf(name: string): string {
  return (nameParts(name).at(-1) ?? '').toLowerCase();
}

function hint(name: string, near: string | undefined): string {
  const shown = `"${visible(name, longest)}"`;
  return near === undefined ? ` (${shown})` : ` (${shown}; did you mean "${visible(near, longest)}"?)`;
}
