// Expressions: columns, calls, operators and types; a node that is not known is denied.

import { rowsOf } from './amounts.ts';
import { typeName } from './catalog.ts';
import { isDescribingFunction, isDescribingType, relationNamed } from './describing.ts';
import { isCatalogType, isHarmless, isOwnOperator, rowFunctions } from './functions.ts';
import { types } from './names.ts';
import { plainNodes } from './nodes.ts';
import type { Reader } from './reader.ts';
import { find, type Item, inside, isWholeRow, levels, type Scope, starItems } from './scope.ts';
import {
  childrenOf,
  constantOf,
  type Json,
  namesIn,
  nodeOf,
  onlyNode,
  type SqlNode,
  textOf,
} from './tree.ts';

/** How deep nodes may lie in one another; the server's own limit is its stack. */
const deepest = 400;

/** Walks what a node has under a name: an expression, or a list of them. */
export function walkPart(reader: Reader, value: Json, name: string, scope: Scope): void {
  const part = value[name];
  if (part === undefined) return;
  for (const node of Array.isArray(part) ? part : [part]) walkExpression(reader, onlyNode(node), scope);
}

/** Walks an expression. */
export function walkExpression(reader: Reader, node: SqlNode | null, scope: Scope): void {
  if (node === null) return;
  reader.count(node);
  if (++reader.depth > deepest) {
    reader.noteUnknown('an expression that lies too deep');
    reader.depth--;
    return;
  }
  reader.deepest = Math.max(reader.deepest, reader.depth);
  enterExpression(reader, node, scope);
  reader.depth--;
}

function enterExpression(reader: Reader, { kind, value }: SqlNode, scope: Scope): void {
  switch (kind) {
    case 'SelectStmt':
      reader.statements.readSelect(reader, value, scope);
      return;
    case 'ColumnRef':
      readReference(reader, namesIn(value, 'fields'), scope);
      return;
    case 'FuncCall':
      readCall(reader, value, scope);
      return;
    case 'A_Expr':
      reader.expectKnown(kind, value);
      if (!String(value['kind']).includes('BETWEEN')) readOperator(reader, namesIn(value, 'name'));
      walkPart(reader, value, 'lexpr', scope);
      walkPart(reader, value, 'rexpr', scope);
      return;
    case 'SubLink': {
      reader.expectKnown(kind, value);
      if ('operName' in value) readOperator(reader, namesIn(value, 'operName'));
      walkPart(reader, value, 'testexpr', scope);
      reader.statements.walkStatement(reader, nodeOf(value, 'subselect'), inside(scope), false);
      return;
    }
    case 'TypeCast':
      reader.expectKnown(kind, value);
      if (namesRelation(reader, value)) return;
      walkPart(reader, value, 'arg', scope);
      readType(reader, (value['typeName'] ?? {}) as Json, scope);
      return;
    case 'TypeName':
      readType(reader, value, scope);
      return;
    case 'SortBy':
      reader.expectKnown(kind, value);
      if ('useOp' in value) readOperator(reader, namesIn(value, 'useOp'));
      walkPart(reader, value, 'node', scope);
      return;
    case 'CollateClause':
      reader.expectKnown(kind, value);
      if (namesIn(value, 'collname').length > 1 && namesIn(value, 'collname')[0] !== 'pg_catalog') {
        reader.noteUnknown('a collation of another owner');
      }
      walkPart(reader, value, 'arg', scope);
      return;
    case 'A_Indirection':
      readIndirection(reader, value, scope);
      return;
    default:
      if (plainNodes[kind] === undefined) reader.noteUnknown(`something that is not known (${kind})`);
      else walkFields(reader, kind, value, scope);
  }
}

/** Whether a cast is a written name of a relation of which the source hides nothing: `'orders'::regclass`. */
function namesRelation(reader: Reader, { arg, typeName: type }: Json): boolean {
  const node = onlyNode(arg);
  const constant = node?.kind === 'A_Const' ? constantOf(node) : null;
  const isName = namesIn(type, 'names').join('.').replace('pg_catalog.', '') === 'regclass';
  return (
    isName &&
    typeof constant === 'string' &&
    !/^\d+$/.test(constant) &&
    !reader.hidden.isShownBy(relationNamed(constant), 'relations')
  );
}

/** Walks the fields of a node that means nothing by itself. */
export function walkFields(reader: Reader, kind: string, value: Json, scope: Scope): void {
  if (kind === 'TypeName') {
    readType(reader, value, scope);
    return;
  }
  const fields = plainNodes[kind] ?? {};
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner !== 'object' || inner === null) continue;
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field === undefined) reader.noteUnknown(`something that is not known (${kind}.${name})`);
    else if (field === 'nodes') walkPart(reader, value, name, scope);
    else walkFields(reader, field, inner as Json, scope);
  }
}

function readReference(reader: Reader, parts: readonly string[], scope: Scope): void {
  const last = parts.at(-1) ?? '';
  if (last === '*') for (const item of starItems(scope, parts)) reader.touchStar(item);
  else if (parts.length === 1) readBareName(reader, last, scope);
  else readColumnOf(reader, parts, scope);
}

/** A name alone is a column of the nearest scope that has one; where none has, it may be a row. */
export function readBareName(reader: Reader, name: string, scope: Scope): void {
  const around: Item[] = [];
  for (const items of levels(scope)) {
    const owners = items.filter(({ columns }) => columns?.includes(name) === true);
    if (owners.length > 0) {
      // What is nearer, and whose columns are not known, may have it too.
      reader.touch([...around.filter(({ columns }) => columns === null), ...owners], name);
      return;
    }
    around.push(...items);
  }
  const rows = find(scope, [name]);
  const tables = around.filter(({ table }) => table !== null);
  const open = around.filter(({ columns }) => columns === null);
  if (rows.length > 0) {
    for (const item of rows) reader.touchRow(item);
    reader.suspect(tables, name);
  } else if (systemColumns.has(name) && tables.length > 0) reader.touch(tables, name);
  else if (open.length > 0) {
    reader.touch(open, name);
    reader.suspect(tables, name);
  } else if (reader.known.hasSchema) reader.noteUnlisted(around, name);
}

function readColumnOf(reader: Reader, parts: readonly string[], scope: Scope): void {
  const last = parts.at(-1) ?? '';
  const items = find(scope, parts.slice(0, -1));
  if (items.length === 0) {
    // A name that the server will refuse, or something that is called.
    const isQuery = parts.length === 2 && scope.queries.has(parts[0] ?? '');
    if (!isQuery && (parts.length < 3 || reader.known.hasSchema)) noteIndirectCall(reader, null, last);
    return;
  }
  for (const item of items) {
    const missing = item.columns === null ? rowFunctions.has(last) : !item.columns.includes(last);
    if (missing && !systemColumns.has(last)) noteIndirectCall(reader, item, last);
    else reader.touch([item], last);
  }
}

/** `t.f` is `f(t)` where the table has no such column. */
function noteIndirectCall(reader: Reader, item: Item | null, name: string): void {
  if (item !== null) {
    reader.touchRow(item);
    if (item.table !== null) reader.suspect([item], name);
  }
  const tables = item === null || item.table === null ? [] : [item.table];
  reader.noteUnknown(`a name that is no column, and may be a call${reader.known.nearColumn(name, tables)}`);
}

function readIndirection(reader: Reader, value: Json, scope: Scope): void {
  reader.expectKnown('A_Indirection', value);
  const arg = onlyNode(value['arg']);
  walkExpression(reader, arg, scope);
  const names = arg?.kind === 'ColumnRef' ? namesIn(arg.value, 'fields') : [];
  const [item] = names.length === 1 ? find(scope, names) : [];
  for (const part of childrenOf(value, 'indirection')) {
    const node = onlyNode(part);
    if (node?.kind !== 'String') {
      walkExpression(reader, node, scope);
      continue;
    }
    const name = textOf(node);
    const called = item === undefined ? rowFunctions.has(name) : item.columns?.includes(name) !== true;
    if (called) noteIndirectCall(reader, item ?? null, name);
  }
}

function readCall(reader: Reader, value: Json, scope: Scope): void {
  reader.expectKnown('FuncCall', value);
  const names = namesIn(value, 'funcname');
  const name = names.at(-1) ?? '';
  const own = names.length === 1 || (names.length === 2 && names[0] === 'pg_catalog');
  reader.functions.add(names.join('.'));
  const allowed = reader.input.mode.sql.allowedFunctions.some(
    (word) => word.toLowerCase() === names.join('.').toLowerCase(),
  );
  const describes = reader.tellsAll && isDescribingFunction(name) && isHarmless(name, true);
  if (!allowed && !(own && (describes || isHarmless(name, reader.input.mode.sql.catalogs))))
    reader.noteUnknown(`a call of ${names.join('.')}`);
  const rows = name === 'generate_series' ? rowsOf({ kind: 'FuncCall', value }) : null;
  if (rows !== null) reader.rows = Math.max(reader.rows ?? 0, rows);
  const [only, second] = childrenOf(value, 'args');
  const counted = onlyNode(only);
  // How many rows there are tells nothing of what is in them.
  const countsRows = name === 'count' && own && second === undefined && counted?.kind === 'ColumnRef';
  if (countsRows && isWholeRow(counted, scope)) return;
  for (const part of ['args', 'agg_order', 'agg_filter']) walkPart(reader, value, part, scope);
  if ('over' in value) walkFields(reader, 'WindowDef', value['over'] as Json, scope);
}

function readOperator(reader: Reader, names: readonly string[]): void {
  if (isOwnOperator(names)) reader.noteUnknown('an operator that is not known');
}

/** Reads the name of a type. */
export function readType(reader: Reader, value: Json, scope: Scope): void {
  reader.expectKnown('TypeName', value);
  const names = namesIn(value, 'names');
  const name = names.at(-1) ?? '';
  const own = names.length === 1 || (names.length === 2 && names[0] === 'pg_catalog');
  const shown =
    types.has(name) ||
    (reader.tellsAll && isDescribingType(name)) ||
    (reader.input.mode.sql.catalogs && isCatalogType(name));
  const known = (own && shown) || reader.known.hasType(typeName(names));
  if (!known || value['setof'] === true || value['pct_type'] === true)
    reader.noteUnknown('a type that is not known');
  walkPart(reader, value, 'typmods', scope);
}

const systemColumns: ReadonlySet<string> = new Set(['ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid']);
