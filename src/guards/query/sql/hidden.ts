// Which names of a database a source hides, for statements that ask the server what there is.
// INVARIANT: more is hidden where a schema is known than where none is, never less.

import type { CodeMode } from '../../../config/sources.ts';
import { joinName, nameParts } from '../../../config/sql-names.ts';
import { isBlockedColumn, isBlockedTable, isListedTable } from '../rules/names.ts';
import type { Catalog } from './catalog.ts';
import { columnName, type KnownNames } from './known.ts';

/** The relations that a statement asks about; a part that it does not say is null, and may be any. */
export interface Target {
  readonly schema: string | null;
  readonly name: string | null;
}

/** All of them. */
export const everything: Target = { schema: null, name: null };

/** What is shown of a relation: that it exists, or its columns too. */
export type Told = 'relations' | 'columns';

export class HiddenNames {
  readonly #sql: CodeMode['sql'];
  readonly #catalog: Catalog | null;
  readonly #known: KnownNames;

  constructor({ sql }: CodeMode, catalog: Catalog | null, known: KnownNames) {
    this.#sql = sql;
    this.#catalog = catalog;
    this.#known = known;
  }

  /** Whether the source hides any name at all. */
  get any(): boolean {
    const { blockedTables, blockedColumns, allowedTables } = this.#sql;
    return blockedTables.length + blockedColumns.length + allowedTables.length > 0;
  }

  /** Whether an answer about these relations may hold a name that is hidden. */
  isShownBy(target: Target, told: Told): boolean {
    return this.any && (this.#isHidden(target, told) || this.#hasHidden(target, told));
  }

  /** By the lists alone, whatever tables there are. */
  #isHidden({ schema, name }: Target, told: Told): boolean {
    const { blockedTables, blockedColumns, allowedTables, naming } = this.#sql;
    const isMeant = ([table = '', of]: readonly string[]) =>
      (name === null || same(table, name)) && (of === undefined || schema === null || same(of, schema));
    if (blockedTables.some((one) => isMeant(nameParts(one).toReversed()))) return true;
    if (allowedTables.length > 0) {
      if (name === null) return true;
      const full = joinName([schema ?? naming.home ?? '', name].filter((part) => part !== ''));
      if (!isListedTable(full, this.#sql)) return true;
    }
    return (
      told === 'columns' &&
      blockedColumns.some((one) => {
        const [, ...table] = nameParts(one).toReversed();
        return table.length === 0 || isMeant(table);
      })
    );
  }

  /** By the tables that are known: a view may show what is hidden under another name. */
  #hasHidden({ schema, name }: Target, told: Told): boolean {
    for (const relation of this.#catalog?.relations ?? []) {
      const [table = '', of = this.#sql.naming.home] = nameParts(relation.name).toReversed();
      const isMeant =
        (name === null || same(table, name)) && (schema === null || of === null || same(of, schema));
      if (!isMeant) continue;
      if (!isListedTable(relation.name, this.#sql)) return true;
      if (this.#known.relationsRead([relation.name]).some((one) => isBlockedTable(one, this.#sql)))
        return true;
      if (told === 'relations') continue;
      const columns = (relation.columns ?? []).map((column) => columnName(relation.name, column.name));
      if (this.#known.fieldsRead(columns).fields.some((one) => isBlockedColumn(one, this.#sql))) return true;
    }
    return false;
  }
}

function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
