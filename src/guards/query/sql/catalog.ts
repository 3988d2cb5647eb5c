// The tables of a database as the statements that made them say.

import { type Naming, nameParts, withoutHome } from '../../../config/sql-names.ts';

/** Columns by table; a table whose columns are not known has null. */
export class Catalog {
  readonly #naming: Naming;
  /** By name, as it is compared. */
  readonly #tables = new Map<string, Table>();
  readonly #columns = new Set<string>();
  /** Types that the database made for itself, without the schema that is searched first. */
  readonly types = new Set<string>();

  constructor(naming: Naming) {
    this.#naming = naming;
  }

  add(table: string, columns: readonly string[] | null, key: string | null = null): void {
    this.#tables.set(this.#keyOf(table), { name: table, columns, key });
    for (const column of columns ?? []) this.#columns.add(column.toLowerCase());
  }

  remove(table: string): void {
    this.#tables.delete(this.#keyOf(table));
  }

  get tables(): ReadonlyMap<string, readonly string[] | null> {
    return new Map([...this.#tables.values()].map(({ name, columns }) => [name, columns]));
  }

  has(table: string): boolean {
    return this.#tables.has(this.#keyOf(table));
  }

  /** The columns of a table; null where they are not known. */
  columnsOf(table: string): readonly string[] | null {
    return this.#tables.get(this.#keyOf(table))?.columns ?? null;
  }

  /** The column that the number of a row is, in a table that has one. */
  keyOf(table: string): string | null {
    return this.#tables.get(this.#keyOf(table))?.key ?? null;
  }

  /** Whether any table has, or ever had, a column of this name. */
  hasColumn(column: string): boolean {
    return this.#columns.has(column.toLowerCase());
  }

  #keyOf(table: string): string {
    const name = withoutHome(nameParts(table), this.#naming.home);
    return this.#naming.exact ? name : name.toLowerCase();
  }
}

interface Table {
  readonly name: string;
  readonly columns: readonly string[] | null;
  readonly key: string | null;
}
