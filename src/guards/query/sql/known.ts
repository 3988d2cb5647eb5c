// What is known of a source's names: what its schema lists, and what its configuration adds to that.
// INVARIANT: a name that is not known counts as everything that it could be, or is refused.

import type { CodeMode } from '../../../config/sources.ts';
import { isColumnNamed, joinName, nameParts } from '../../../config/sql-names.ts';
import { nearest, visible } from '../../../core/index.ts';
import { isBlockedColumn, isBlockedTable, isListedTable } from '../rules/names.ts';
import type { Catalog } from './catalog.ts';

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
