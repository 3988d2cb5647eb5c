// What a statement reads from: tables, queries, functions and joins, under the names that it gives them.

import { isTableNamed, nameParts } from '../../../../config/sql-names.ts';
import type { Tenants } from '../known.ts';
import { tableName } from './catalog.ts';
import { readType, walkExpression, walkFields, walkPart } from './expressions.ts';
import { columnsGiven } from './functions.ts';
import type { Reader } from './reader.ts';
import { beside, derived, type Item, inside, renamedColumns, type Scope } from './scope.ts';
import { heldToTenant } from './tenant.ts';
import { childrenOf, type Json, namesIn, nodeOf, onlyNode, type SqlNode } from './tree.ts';

/** Reads what stands behind FROM. */
export function readFrom(reader: Reader, items: readonly unknown[], scope: Scope, where: unknown): void {
  reader.joins += Math.max(0, items.length - 1);
  if (items.length > 1 && where === undefined) reader.crossed += items.length - 1;
  for (const item of items) readItem(reader, onlyNode(item), scope);
}

function readItem(reader: Reader, node: SqlNode | null, scope: Scope): void {
  if (node === null) return;
  const { kind, value } = node;
  reader.count(node);
  reader.expectKnown(kind, value);
  const alias = value['alias'] as Json | undefined;
  const name = typeof alias?.['aliasname'] === 'string' ? alias['aliasname'] : null;
  const given = alias === undefined ? [] : namesIn(alias, 'colnames');
  switch (kind) {
    case 'RangeVar':
      readTable(reader, value, scope);
      return;
    case 'RangeSubselect': {
      const around = value['lateral'] === true ? inside(scope) : beside(scope);
      const columns = reader.statements.walkStatement(reader, nodeOf(value, 'subquery'), around, false);
      addDerived(reader, name, given, columns, scope);
      return;
    }
    case 'RangeFunction':
      readFunctions(reader, value, scope);
      scope.items.push(functionItem(value, name, given));
      return;
    case 'RangeTableSample':
      readSample(reader, value, scope);
      return;
    case 'RangeTableFunc':
      for (const part of ['docexpr', 'rowexpr', 'namespaces', 'columns'])
        walkPart(reader, value, part, scope);
      scope.items.push(derived(name ?? 'xmltable', null));
      return;
    case 'JsonTable':
      readJsonTable(reader, value, scope);
      scope.items.push(derived(name ?? 'json_table', null));
      return;
    case 'JoinExpr':
      readJoin(reader, value, scope);
      return;
    default:
      reader.noteUnknown(`something to read from that is not known (${kind})`);
  }
}

function readFunctions(reader: Reader, value: Json, scope: Scope): void {
  for (const list of childrenOf(value, 'functions')) walkExpression(reader, onlyNode(list), scope);
  for (const column of childrenOf(value, 'coldeflist')) readColumn(reader, onlyNode(column), scope);
}

function readSample(reader: Reader, value: Json, scope: Scope): void {
  readItem(reader, onlyNode(value['relation']), scope);
  const method = namesIn(value, 'method');
  if (method.length !== 1 || !/^(?:system|bernoulli)$/.test(method[0] ?? ''))
    reader.noteUnknown('a way of sampling that is not known');
  walkPart(reader, value, 'args', scope);
  walkPart(reader, value, 'repeatable', scope);
}

function readJsonTable(reader: Reader, value: Json, scope: Scope): void {
  walkFields(reader, 'JsonValueExpr', (value['context_item'] ?? {}) as Json, scope);
  walkFields(reader, 'JsonTablePathSpec', (value['pathspec'] ?? {}) as Json, scope);
  for (const part of ['passing', 'columns']) walkPart(reader, value, part, scope);
  if ('on_error' in value) walkFields(reader, 'JsonBehavior', value['on_error'] as Json, scope);
}

/** What functions give, under the names that the query or their own definition says. */
function functionItem(value: Json, alias: string | null, given: readonly string[]): Item {
  const calls = childrenOf(value, 'functions').map((list) =>
    onlyNode(childrenOf(onlyNode(list)?.value, 'items')[0]),
  );
  const [first = null, second] = calls;
  const called = first?.kind === 'FuncCall' ? (namesIn(first.value, 'funcname').at(-1) ?? '') : '';
  const name = alias ?? called;
  const defined = childrenOf(value, 'coldeflist').map((column) =>
    String(onlyNode(column)?.value['colname'] ?? ''),
  );
  const own = defined.length > 0 ? defined : second === undefined ? columnsGiven(called, name) : null;
  const counted = value['ordinality'] === true && own !== null ? [...own, 'ordinality'] : own;
  return derived(name, renamedColumns(given, counted));
}

/** Puts what a query gives into scope, under the names that it is given. */
function addDerived(
  reader: Reader,
  name: string | null,
  given: readonly string[],
  columns: readonly string[] | null,
  scope: Scope,
): void {
  if (columns !== null && given.length > columns.length) noteMoreNames(reader);
  scope.items.push(derived(name, renamedColumns(given, columns)));
}

/** A column without a name of its own is one that the schema does not list. */
function noteMoreNames(reader: Reader): void {
  if (reader.known.hasSchema) reader.noteUnknown('more names for columns than the schema has columns');
}

function readJoin(reader: Reader, value: Json, scope: Scope): void {
  reader.joins++;
  const before = scope.items.length;
  readItem(reader, onlyNode(value['larg']), scope);
  const middle = scope.items.length;
  readItem(reader, onlyNode(value['rarg']), scope);
  const sides = [scope.items.slice(before, middle), scope.items.slice(middle)] as const;
  const joined = sides.flat();
  walkPart(reader, value, 'quals', beside(scope, joined));
  const using = namesIn(value, 'usingClause');
  for (const column of using) for (const side of sides) readShared(reader, side, column);
  if (value['isNatural'] === true) {
    // Which columns they share only the tables tell; to join by a column is to ask for its values.
    for (const item of joined) for (const column of item.columns ?? ['*']) reader.touch([item], column);
  }
  const shared = value['join_using_alias'] as Json | undefined;
  if (shared !== undefined)
    scope.items.push({ ...derived(String(shared['aliasname']), using), byName: true });
  const alias = value['alias'] as Json | undefined;
  if (alias !== undefined) {
    // The join has one name now, and what lies in it is reached by that alone.
    const columns = joined.map((item) => item.columns);
    const all = columns.includes(null) ? null : columns.flatMap((list) => list ?? []);
    for (const item of joined) reader.touchStar(item);
    addDerived(reader, String(alias['aliasname']), namesIn(alias, 'colnames'), all, scope);
  }
  const bare = using.length === 0 && value['quals'] === undefined && value['isNatural'] !== true;
  const right = onlyNode(value['rarg'])?.kind;
  if (bare && right === 'RangeVar') reader.crossed++;
}

/** A column that a join is made by: one side of it has it. */
function readShared(reader: Reader, side: readonly Item[], column: string): void {
  const owners = side.filter(({ columns }) => columns === null || columns.includes(column));
  reader.touch(owners, column);
  reader.suspect(side, column);
  if (owners.length === 0 && reader.known.hasSchema) reader.noteUnlisted(side, column);
}

function readTable(reader: Reader, value: Json, scope: Scope): void {
  const name = String(value['relname'] ?? '');
  const unqualified = value['schemaname'] === undefined && value['catalogname'] === undefined;
  if (unqualified && scope.queries.has(name)) {
    const alias = value['alias'] as Json | undefined;
    const given = alias === undefined ? [] : namesIn(alias, 'colnames');
    addDerived(reader, String(alias?.['aliasname'] ?? name), given, scope.queries.get(name) ?? null, scope);
    return;
  }
  const table = tableName(value);
  reader.touchTable(table, value);
  nameTable(reader, value, table, scope);
}

/** Puts a table into scope, under the name that it is given. */
export function nameTable(reader: Reader, value: Json, table: string, scope: Scope): Item {
  const alias = value['alias'] as Json | undefined;
  const given = alias === undefined ? [] : namesIn(alias, 'colnames');
  const columns = reader.known.columnsOf(table);
  if (columns !== null && given.length > columns.length) noteMoreNames(reader);
  const item: Item = {
    name: String(alias?.['aliasname'] ?? value['relname'] ?? ''),
    table,
    columns: renamedColumns(given, columns),
    renamed: given.length > 0,
    byName: false,
  };
  scope.items.push(item);
  return item;
}

function readColumn(reader: Reader, node: SqlNode | null, scope: Scope): void {
  if (node?.kind !== 'ColumnDef') {
    reader.noteUnknown('a column that is not known');
    return;
  }
  reader.expectKnown('ColumnDef', node.value);
  readType(reader, (node.value['typeName'] ?? {}) as Json, scope);
}

/** Notes the tables of many tenants that the condition does not hold to the one who asks. */
export function holdTenants(reader: Reader, from: readonly unknown[], where: unknown): void {
  const { tenantColumn, tenantTables, naming } = reader.input.mode.sql;
  if (tenantColumn === null || tenantTables.length === 0) return;
  const named = nameParts(tenantColumn).at(-1) ?? '';
  const tenants: Tenants = {
    isShared: (table) => tenantTables.some((known) => isTableNamed(table, known, naming)),
    // Letters count: another column that differs in them alone says nothing of the tenant.
    isColumn: (name) => name === named || (tenantColumn === named && name === named.toLowerCase()),
  };
  const useOf = (table: string) => reader.known.tenantUse(table, tenants);
  for (const table of heldToTenant(from, where, reader.input.tenant, useOf)) reader.tenantless.add(table);
}
