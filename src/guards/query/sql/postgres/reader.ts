// What is found in a statement while it is read.

import type { CodeMode } from '../../../../config/sources.ts';
import type { Budget } from '../../../../core/index.ts';
import type { QueryAction, QueryFlag, QueryOperation, Unknown } from '../../facts.ts';
import type { Catalog } from '../catalog.ts';
import { expansion } from './amounts.ts';
import { isSecretTable, rowTypes } from './functions.ts';
import { knownFields } from './nodes.ts';
import type { Item } from './scope.ts';
import type { Json, SqlNode } from './tree.ts';

/** A parsed text, and what it is judged by. */
export interface PostgresInput {
  readonly tree: unknown;
  readonly catalog: Catalog;
  readonly mode: CodeMode;
  readonly budget: Budget;
  /** Who asks; tables of many tenants are held to it. */
  readonly tenant: string;
}

/** One statement that is read, and what was found in it so far. */
export class Reader {
  readonly input: PostgresInput;
  readonly operations: QueryOperation[] = [];
  readonly relations = new Set<string>();
  readonly fields = new Set<string>();
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

  constructor(input: PostgresInput) {
    this.input = input;
  }

  /** Notes something that is denied for not being known. */
  noteUnknown(what: string): void {
    if (this.unknowns.length < 100) this.unknowns.push({ what });
  }

  /** Notes what the statement does. */
  did(verb: string, action: QueryAction, name: string): void {
    this.operations.push({ verb, action, name });
  }

  /** Notes a table that is named. */
  touchTable(table: string): void {
    this.relations.add(table);
    const named = this.input.mode.sql.allowedTables.some((name) => name.toLowerCase() === table);
    const shown = named || (this.input.mode.sql.catalogs && !isSecretTable(table));
    if (isCatalog(table) && !shown) this.noteUnknown(`a table of the server itself ("${table}")`);
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
      else this.fields.add(`${item.table}.${column}`);
    }
  }

  /** Notes every column of an item. */
  touchAll({ table }: Item): void {
    if (table === null) return;
    const columns = this.input.catalog.columnsOf(table);
    for (const column of columns ?? []) this.fields.add(`${table}.${column}`);
    if (columns !== null) return;
    this.fields.add(`${table}.*`);
    // Nobody knows what the star stands for: it may stand for what is not to be read.
    for (const name of this.input.mode.sql.blockedColumns) {
      const bare = name.slice(name.lastIndexOf('.') + 1);
      this.fields.add(`${table}.${bare}`);
    }
  }
}

function isCatalog(table: string): boolean {
  return /^(?:pg_|information_schema\.)/.test(table);
}
