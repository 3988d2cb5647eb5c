// The tables of a database as the statements that made them say.

/** Columns by table; a table whose columns are not known has null. */
export class Catalog {
  readonly #tables = new Map<string, readonly string[] | null>();
  /** Types that the database made for itself. */
  readonly types = new Set<string>();

  add(table: string, columns: readonly string[] | null): void {
    this.#tables.set(table, columns);
  }

  get isEmpty(): boolean {
    return this.#tables.size === 0;
  }

  get tables(): ReadonlyMap<string, readonly string[] | null> {
    return this.#tables;
  }

  /** The columns of a table; null where they are not known. */
  columnsOf(table: string): readonly string[] | null {
    return this.#tables.get(table) ?? this.#tables.get(table.slice(table.lastIndexOf('.') + 1)) ?? null;
  }
}
