// What is found in a statement while it is read.

import type { CodeMode } from '../../../../config/sources.ts';
import type { Budget } from '../../../../core/index.ts';
import type { QueryAction, QueryFlag, QueryOperation, Unknown } from '../../facts.ts';
import { isListedTable } from '../../rules/names.ts';
import type { Catalog } from '../catalog.ts';
import { HiddenNames } from '../hidden.ts';
import { columnName, KnownNames } from '../known.ts';
import { expansion } from './amounts.ts';
import { isSecretTable, rowTypes } from './functions.ts';
import { knownFields } from './nodes.ts';
import type { Item, Scope } from './scope.ts';
import type { Json, SqlNode } from './tree.ts';

/** A parsed text, and what it is judged by. */
export interface PostgresInput {
  readonly tree: unknown;
  /** Null where the source has no schema. */
  readonly catalog: Catalog | null;
  readonly mode: CodeMode;
  readonly budget: Budget;
  /** Who asks; tables of many tenants are held to it. */
  readonly tenant: string;
}

/** Reads statements inside expressions and behind FROM, so that what reads those need not know what reads these. */
export interface Statements {
  /** Reads a statement; gives the names of its columns, or null where they are not known. */
  readonly walkStatement: (
    reader: Reader,
    node: SqlNode | null,
    scope: Scope,
    top: boolean,
  ) => readonly string[] | null;
  /** Reads a SELECT; gives the names of its columns. */
  readonly readSelect: (reader: Reader, value: Json, outer: Scope) => readonly string[] | null;
}

/** One statement that is read, and what was found in it so far. */
export class Reader {
  readonly input: PostgresInput;
  readonly statements: Statements;
  readonly known: KnownNames;
  /** Names that answers of the server about itself must not hold. */
  readonly hidden: HiddenNames;
  /** Uses of the server's own tables that can show no such name, and the tables. */
  readonly describing = new WeakSet<Json>();
  readonly described = new Set<string>();
  readonly operations: QueryOperation[] = [];
  readonly relations = new Set<string>();
  readonly fields = new Set<string>();
  /** Tables that a star was written for. */
  readonly starred = new Set<string>();
  readonly functions = new Set<string>();
  readonly flags = new Set<QueryFlag>();
  readonly tenantless = new Set<string>();
  readonly unknowns: Unknown[] = [];
  joins = 0;
  /** Joins without a condition. */
  crossed = 0;
  nodes = 0;
  cost = 0;
  rows: number | null = null;
  depth = 0;
  deepest = 0;

  constructor(input: PostgresInput, statements: Statements) {
    this.input = input;
    this.statements = statements;
    this.known = new KnownNames(input.catalog, input.mode);
    this.hidden = new HiddenNames(input.mode, input.catalog, this.known);
  }

  /** Notes something that is denied for not being known. */
  noteUnknown(what: string, instead?: Unknown['instead']): void {
    if (this.unknowns.length < 100) this.unknowns.push(instead === undefined ? { what } : { what, instead });
  }

  /** Notes what the statement does. */
  did(verb: string, action: QueryAction, name: string): void {
    this.operations.push({ verb, action, name });
  }

  /** Notes a table that is named, by a node where it is read. */
  touchTable(table: string, use?: Json): void {
    const { sql } = this.input.mode;
    // A query for names that may be shown is not limited to the tables of the source.
    if (use !== undefined && this.describing.has(use)) {
      this.described.add(table);
      return;
    }
    this.relations.add(table);
    if (isCatalog(table)) {
      const named = sql.allowedTables.length > 0 && isListedTable(table, sql);
      const shown = named || (sql.catalogs && !isSecretTable(table));
      if (!shown) this.noteUnknown(`a table of the server itself ("${table}")`, 'described');
    } else if (!this.known.hasTable(table)) this.noteUnknown(this.known.unlistedTable(table), 'listed');
  }

  /** Whether all names that the server knows may be shown: the source hides none, and no rows of anybody. */
  get tellsAll(): boolean {
    return !this.hidden.any && this.input.mode.sql.tenantColumn === null;
  }

  /** Counts a node, and what it makes of its input. */
  count({ kind, value }: SqlNode): void {
    this.nodes++;
    this.input.budget.spend();
    if (kind === 'FuncCall' || kind === 'A_Expr') this.cost += expansion({ kind, value });
  }

  /** INVARIANT: a field that we do not read is not there. */
  expectKnown(kind: string, value: Json): void {
    const fields = knownFields[kind];
    if (fields === undefined) return;
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner !== 'object' || inner === null || fields.has(name)) continue;
      // These two have words of their own.
      if (name === 'intoClause' || name === 'lockingClause') continue;
      this.noteUnknown(`something that is not known (${kind}.${name})`);
    }
  }

  /** Notes a column of whichever of the items it belongs to. */
  touch(items: readonly Item[], column: string): void {
    for (const item of items) {
      if (item.table === null) continue;
      const maybeRow = item.columns === null && rowTypes.has(column);
      if (item.renamed || column === '*' || maybeRow) this.touchAll(item);
      else this.fields.add(columnName(item.table, column));
    }
  }

  /** Notes every column of an item. */
  touchAll({ table }: Item): void {
    if (table === null) return;
    for (const column of this.known.starOf(table)) this.fields.add(columnName(table, column));
  }

  /** Notes a star. */
  touchStar(item: Item): void {
    if (item.table !== null) this.starred.add(item.table);
    this.touchAll(item);
  }

  /** Notes a row that is taken whole: it holds what the table has by now, and that of a query what its stars stand for. */
  touchRow(item: Item): void {
    this.touchAll(item);
    for (const table of item.table === null ? this.starred : [item.table])
      for (const column of this.known.unlisted) this.fields.add(columnName(table, column));
  }

  /** Notes a name that is taken for something else, where a table could have it for a column that is not to be read. */
  suspect(items: readonly Item[], column: string): void {
    for (const { table } of items) {
      if (table !== null && this.known.isBlocked(table, column)) this.fields.add(columnName(table, column));
    }
  }

  /** Notes a column that no item has. It is held to the lists as well, as it would be without a schema. */
  noteUnlisted(items: readonly Item[], column: string): void {
    const tables = items.flatMap(({ table }) => (table === null ? [] : [table]));
    this.noteUnknown(this.known.unlistedColumn(column, tables), 'listed');
    for (const table of tables) this.fields.add(columnName(table, column));
  }
}

function isCatalog(table: string): boolean {
  return /^(?:pg_|information_schema\.)/.test(table);
}
