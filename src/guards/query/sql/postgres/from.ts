// What a statement reads from: tables, queries, functions and joins, under the names that it gives them.

import { tableName } from './catalog.ts';
import { readType, walkExpression, walkFields, walkPart } from './expressions.ts';
import type { Reader } from './reader.ts';
import { derived, type Scope } from './scope.ts';
import { walkStatement } from './statements.ts';
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
      const columns = walkStatement(reader, nodeOf(value, 'subquery'), scope, false);
      if (name !== null) scope.items.set(name, derived(given.length > 0 ? given : columns));
      return;
    }
    case 'RangeFunction': {
      for (const list of childrenOf(value, 'functions')) walkExpression(reader, onlyNode(list), scope);
      for (const column of childrenOf(value, 'coldeflist')) readColumn(reader, onlyNode(column), scope);
      if (name !== null) scope.items.set(name, derived(null));
      return;
    }
    case 'RangeTableSample': {
      readItem(reader, onlyNode(value['relation']), scope);
      const method = namesIn(value, 'method');
      if (method.length !== 1 || !/^(?:system|bernoulli)$/.test(method[0] ?? ''))
        reader.noteUnknown('a way of sampling that is not known');
      walkPart(reader, value, 'args', scope);
      walkPart(reader, value, 'repeatable', scope);
      return;
    }
    case 'RangeTableFunc':
      for (const part of ['docexpr', 'rowexpr', 'namespaces', 'columns'])
        walkPart(reader, value, part, scope);
      if (name !== null) scope.items.set(name, derived(null));
      return;
    case 'JsonTable':
      walkFields(reader, 'JsonValueExpr', (value['context_item'] ?? {}) as Json, scope);
      walkFields(reader, 'JsonTablePathSpec', (value['pathspec'] ?? {}) as Json, scope);
      for (const part of ['passing', 'columns']) walkPart(reader, value, part, scope);
      if ('on_error' in value) walkFields(reader, 'JsonBehavior', value['on_error'] as Json, scope);
      if (name !== null) scope.items.set(name, derived(null));
      return;
    case 'JoinExpr':
      readJoin(reader, value, scope);
      return;
    default:
      reader.noteUnknown(`something to read from that is not known (${kind})`);
  }
}

function readJoin(reader: Reader, value: Json, scope: Scope): void {
  reader.joins++;
  const before = new Set(scope.items.keys());
  readItem(reader, onlyNode(value['larg']), scope);
  readItem(reader, onlyNode(value['rarg']), scope);
  walkPart(reader, value, 'quals', scope);
  const using = namesIn(value, 'usingClause');
  const joined = [...scope.items].filter(([name]) => !before.has(name)).map(([, item]) => item);
  for (const column of using) reader.touch(joined, column);
  if (value['isNatural'] === true) {
    // Which columns they share only the tables tell; to join by a column is to ask for its values.
    for (const item of joined) for (const column of item.columns ?? ['*']) reader.touch([item], column);
  }
  const shared = value['join_using_alias'] as Json | undefined;
  if (shared !== undefined) scope.items.set(String(shared['aliasname']), derived(using));
  const alias = value['alias'] as Json | undefined;
  if (alias !== undefined) {
    // The join has one name now, and what lies in it is reached by that alone.
    const columns = joined.map((item) => item.columns);
    const all = columns.includes(null) ? null : columns.flatMap((list) => list ?? []);
    for (const item of joined) reader.touchAll(item);
    scope.items.set(String(alias['aliasname']), derived(all));
  }
  const bare = using.length === 0 && value['quals'] === undefined && value['isNatural'] !== true;
  const right = onlyNode(value['rarg'])?.kind;
  if (bare && right === 'RangeVar') reader.crossed++;
}

function readTable(reader: Reader, value: Json, scope: Scope): void {
  const name = String(value['relname'] ?? '');
  const unqualified = value['schemaname'] === undefined && value['catalogname'] === undefined;
  if (unqualified && scope.queries.has(name)) {
    const alias = value['alias'] as Json | undefined;
    const given = alias === undefined ? [] : namesIn(alias, 'colnames');
    const columns = given.length > 0 ? given : (scope.queries.get(name) ?? null);
    scope.items.set(String(alias?.['aliasname'] ?? name), derived(columns));
    return;
  }
  const table = tableName(value);
  reader.touchTable(table);
  nameTable(reader, value, table, scope);
}

/** Puts a table into scope, under the name that it is given. */
export function nameTable(reader: Reader, value: Json, table: string, scope: Scope): void {
  const alias = value['alias'] as Json | undefined;
  const given = alias === undefined ? [] : namesIn(alias, 'colnames');
  const known = reader.input.catalog.columnsOf(table);
  const columns = given.length === 0 || known === null ? known : [...given, ...known.slice(given.length)];
  scope.items.set(String(alias?.['aliasname'] ?? value['relname'] ?? ''), {
    table,
    columns,
    renamed: given.length > 0,
  });
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
  const { tenantColumn, tenantTables } = reader.input.mode.sql;
  if (tenantColumn === null || tenantTables.length === 0) return;
  const free = heldToTenant(from, where, {
    column: tenantColumn,
    tables: tenantTables,
    tenant: reader.input.tenant,
  });
  for (const table of free) reader.tenantless.add(table);
}
