// Statements: what each does, to which table, and the columns that it gives.

import { rowsOf } from './amounts.ts';
import { droppedTables, tableName } from './catalog.ts';
import { describingUses } from './describing.ts';
import { readBareName, walkExpression, walkFields, walkPart } from './expressions.ts';
import { holdTenants, nameTable, readFrom } from './from.ts';
import { aggregates } from './names.ts';
import { otherStatements, schemaStatements } from './nodes.ts';
import type { Reader } from './reader.ts';
import { beside, columnsOf, derived, type Item, inside, renamedColumns, type Scope } from './scope.ts';
import { childrenOf, type Json, namesIn, nodeOf, onlyNode, type SqlNode } from './tree.ts';

/** Reads a statement; gives the names of its columns, or null where they are not known. */
export function walkStatement(
  reader: Reader,
  node: SqlNode | null,
  scope: Scope,
  top: boolean,
): readonly string[] | null {
  if (node === null) return null;
  const { kind, value } = node;
  reader.expectKnown(kind, value);
  switch (kind) {
    case 'SelectStmt':
      if (top) {
        reader.did('SELECT', 'read', 'query');
        readLimit(reader, value);
      }
      return readSelect(reader, value, scope);
    case 'InsertStmt':
      return readInsert(reader, value, scope);
    case 'UpdateStmt':
      return readUpdate(reader, value, scope);
    case 'DeleteStmt':
      return readDelete(reader, value, scope);
    case 'MergeStmt':
      return readMerge(reader, value, scope);
    case 'ExplainStmt': {
      // With ANALYZE it runs what it explains, and the word for that has many spellings: it counts as running it.
      reader.did('EXPLAIN', 'read', 'query');
      for (const option of childrenOf(value, 'options')) readExplainOption(reader, onlyNode(option));
      return walkStatement(reader, nodeOf(value, 'query'), scope, false);
    }
    case 'VariableShowStmt':
      readShow(reader, value);
      return null;
    case 'TruncateStmt':
      for (const relation of childrenOf(value, 'relations'))
        readTarget(reader, onlyNode(relation)?.value ?? {}, scope);
      reader.did('TRUNCATE', 'delete', 'table');
      reader.flags.add('no_where');
      return null;
    default:
      readOther(reader, kind, value);
      return null;
  }
}

function readShow(reader: Reader, value: Json): void {
  const name = String(value['name'] ?? '');
  reader.did('SHOW', 'read', name);
  if (name === 'all' || /password|secret|key|token/i.test(name))
    reader.noteUnknown('a setting that may be secret');
}

/** A change of the schema, or something that is denied. */
function readOther(reader: Reader, kind: string, value: Json): void {
  const verb = schemaStatements.get(kind);
  if (verb !== undefined) {
    reader.did(verb, verb.startsWith('DROP') ? 'delete' : 'admin', 'schema');
    reader.flags.add('schema_change');
    noteTables(reader, value);
    if (kind === 'DropStmt') for (const table of droppedTables(value)) reader.relations.add(table);
  } else reader.noteUnknown(otherStatements.get(kind) ?? `a statement that is not known (${kind})`);
}

/** The tables that a change of the schema names, wherever it names them. */
function noteTables(reader: Reader, value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'RangeVar' || key === 'relation') reader.relations.add(tableName(inner as Json));
    noteTables(reader, inner);
  }
}

function readExplainOption(reader: Reader, option: SqlNode | null): void {
  const name = String(option?.value['defname'] ?? '').toLowerCase();
  if (
    !/^(?:analy[sz]e|verbose|costs|settings|buffers|wal|timing|summary|format|generic_plan|memory|serialize)$/.test(
      name,
    )
  ) {
    reader.noteUnknown('an option of EXPLAIN that is not known');
  }
}

/** Reads a SELECT; gives the names of its columns. */
export function readSelect(reader: Reader, value: Json, outer: Scope): readonly string[] | null {
  reader.expectKnown('SelectStmt', value);
  if ('intoClause' in value || 'lockingClause' in value) {
    reader.noteUnknown(
      'intoClause' in value ? 'INTO, which makes a table' : 'a lock on rows (FOR UPDATE, FOR SHARE)',
    );
  }
  const scope = withQueries(reader, value, outer);
  if ('larg' in value || 'rarg' in value) {
    const left = readSelect(reader, (value['larg'] ?? {}) as Json, beside(scope));
    readSelect(reader, (value['rarg'] ?? {}) as Json, beside(scope));
    // Rows of a UNION are ordered by what they give, and by nothing that a table has.
    readOrder(reader, value, inside(scope, [derived(null, left)]), left ?? []);
    for (const part of ['limitOffset', 'limitCount']) walkPart(reader, value, part, scope);
    return left;
  }
  const inner = inside(scope);
  const hasTenants = reader.input.mode.sql.tenantColumn !== null;
  for (const use of describingUses(
    childrenOf(value, 'fromClause'),
    value['whereClause'],
    reader.hidden,
    hasTenants,
  ))
    reader.describing.add(use);
  readFrom(reader, childrenOf(value, 'fromClause'), inner, value['whereClause']);
  holdTenants(reader, childrenOf(value, 'fromClause'), value['whereClause']);
  for (const part of [
    'targetList',
    'whereClause',
    'havingClause',
    'windowClause',
    'valuesLists',
    'limitOffset',
    'limitCount',
  ]) {
    walkPart(reader, value, part, inner);
  }
  const targets = childrenOf(value, 'targetList');
  readOrder(reader, value, inner, outputsOf(targets));
  if ('valuesLists' in value) return valueColumns(value);
  return columnsOf(targets, inner);
}

/** The names that the query gives its columns itself. */
function outputsOf(targets: readonly unknown[]): readonly string[] {
  return targets.flatMap((target) => {
    const columns = columnsOf([target], { outer: null, items: [], queries: new Map() });
    return columns ?? [];
  });
}

/** Rows without a query have columns that are counted. */
function valueColumns(value: Json): readonly string[] {
  const [first] = childrenOf(value, 'valuesLists');
  return childrenOf(onlyNode(first)?.value, 'items').map((_, at) => `column${at + 1}`);
}

/** What rows are ordered and grouped by: a name alone may be one that the query gives. */
function readOrder(reader: Reader, value: Json, scope: Scope, outputs: readonly string[]): void {
  for (const part of ['distinctClause', 'sortClause']) {
    for (const item of childrenOf(value, part)) {
      const node = onlyNode(item);
      const name = bareName(node?.kind === 'SortBy' ? onlyNode(node.value['node']) : node);
      // What the query gives comes before what the tables have.
      if (name === null || !outputs.includes(name)) walkExpression(reader, node, scope);
      else if (node?.kind === 'SortBy') walkExpression(reader, withoutNode(node), scope);
    }
  }
  for (const item of childrenOf(value, 'groupClause')) readGroup(reader, onlyNode(item), scope, outputs);
}

/** The direction of an order without what is ordered. */
function withoutNode({ kind, value }: SqlNode): SqlNode {
  const { node: _, ...rest } = value;
  return { kind, value: rest };
}

/** Here what the tables have comes first; a column that nobody lists would be one of theirs. */
function readGroup(reader: Reader, node: SqlNode | null, scope: Scope, outputs: readonly string[]): void {
  if (node?.kind === 'GroupingSet' || node?.kind === 'RowExpr') {
    reader.count(node);
    const list = node.kind === 'GroupingSet' ? 'content' : 'args';
    for (const item of childrenOf(node.value, list)) readGroup(reader, onlyNode(item), scope, outputs);
    return;
  }
  const name = bareName(node);
  const mayHave = ({ columns }: Item) => columns === null || columns.includes(name ?? '');
  if (name === null || !outputs.includes(name)) walkExpression(reader, node, scope);
  else if (scope.items.some(mayHave)) readBareName(reader, name, scope);
  else reader.suspect(scope.items, name);
}

function bareName(node: SqlNode | null): string | null {
  const [name, more] = node?.kind === 'ColumnRef' ? namesIn(node.value, 'fields') : [];
  return name === undefined || name === '*' || more !== undefined ? null : name;
}

/** A scope in which the queries of a WITH have their names. */
function withQueries(reader: Reader, value: Json, outer: Scope): Scope {
  const clause = value['withClause'] as Json | undefined;
  if (clause === undefined) return inside(outer);
  reader.expectKnown('WithClause', clause);
  const queries = new Map(outer.queries);
  const recursive = clause['recursive'] === true;
  const definitions = childrenOf(clause, 'ctes').map((node) => onlyNode(node)?.value ?? {});
  // Without RECURSIVE a query does not see itself: the same name inside it is the table.
  if (recursive) for (const { ctename } of definitions) queries.set(String(ctename), null);
  for (const definition of definitions) {
    reader.expectKnown('CommonTableExpr', definition);
    const query = nodeOf(definition, 'ctequery');
    const given = namesIn(definition, 'aliascolnames');
    const scope: Scope = { outer, items: [], queries: new Map(queries) };
    const columns = walkStatement(reader, query, scope, false);
    for (const part of ['search_clause', 'cycle_clause']) {
      const clause = definition[part];
      if (clause !== undefined)
        walkFields(
          reader,
          part === 'search_clause' ? 'CTESearchClause' : 'CTECycleClause',
          clause as Json,
          scope,
        );
    }
    if (recursive && query !== null && isEndless(query.value)) reader.cost += 1e6;
    // What numbers the rows of a search is a column too.
    const marked = 'search_clause' in definition || 'cycle_clause' in definition;
    queries.set(String(definition['ctename']), marked ? null : renamedColumns(given, columns));
  }
  return { outer, items: [], queries };
}

/** A read says how many rows it wants, or gives one row, or is without an end. */
function readLimit(reader: Reader, value: Json): void {
  const limit = onlyNode(value['limitCount']);
  const rows = limit === null ? null : rowsOf(limit);
  if (rows !== null) reader.rows = rows;
  if (limit !== null && rows === null) reader.flags.add('no_limit');
  if (limit === null && !isSingle(value)) reader.flags.add('no_limit');
}

function readInsert(reader: Reader, value: Json, outer: Scope): readonly string[] | null {
  const around = withQueries(reader, value, outer);
  const scope = inside(around);
  const [table, target] = readTarget(reader, (value['relation'] ?? {}) as Json, scope);
  reader.did('INSERT', 'write', table);
  const source = nodeOf(value, 'selectStmt');
  if (source?.kind === 'SelectStmt' && !('valuesLists' in source.value)) reader.flags.add('many_rows');
  walkStatement(reader, source, around, false);
  readSet(reader, value, 'cols', target, scope);
  const conflict = value['onConflictClause'] as Json | undefined;
  if (conflict !== undefined) readConflict(reader, conflict, target, scope);
  return readReturning(reader, value, scope);
}

/** What is done with a row that is there already; the one that was to be written has a name of its own. */
function readConflict(reader: Reader, conflict: Json, target: Item, scope: Scope): void {
  for (const element of childrenOf(conflict['infer'], 'indexElems')) {
    const { name } = onlyNode(element)?.value ?? {};
    if (typeof name === 'string') expectColumn(reader, target, name);
  }
  for (const item of childrenOf(conflict, 'targetList')) readSetName(reader, item, target);
  const written = { ...derived('excluded', target.columns), byName: true };
  walkFields(reader, 'OnConflictClause', conflict, inside(scope, [written]));
}

/** Reads the columns that are set, and what they are set to. */
function readSet(reader: Reader, value: Json, part: string, target: Item, scope: Scope): void {
  for (const item of childrenOf(value, part)) readSetName(reader, item, target);
  walkPart(reader, value, part, scope);
}

function readSetName(reader: Reader, item: unknown, target: Item): void {
  const { name } = onlyNode(item)?.value ?? {};
  if (typeof name === 'string') expectColumn(reader, target, name);
}

/** Notes a column that is set and that the table does not have. */
function expectColumn(reader: Reader, target: Item, name: string): void {
  const { table } = target;
  const columns = table === null ? null : reader.known.columnsOf(table);
  if (columns?.includes(name) === false) reader.noteUnlisted([target], name);
}

function readUpdate(reader: Reader, value: Json, outer: Scope): readonly string[] | null {
  const scope = withQueries(reader, value, outer);
  const [table, target] = readTarget(reader, (value['relation'] ?? {}) as Json, scope);
  reader.did('UPDATE', 'write', table);
  for (const item of childrenOf(value, 'targetList')) readSetName(reader, item, target);
  return readChange(reader, value, scope, childrenOf(value, 'fromClause'));
}

function readDelete(reader: Reader, value: Json, outer: Scope): readonly string[] | null {
  const scope = withQueries(reader, value, outer);
  const [table] = readTarget(reader, (value['relation'] ?? {}) as Json, scope);
  reader.did('DELETE', 'delete', table);
  return readChange(reader, value, scope, childrenOf(value, 'usingClause'));
}

function readChange(
  reader: Reader,
  value: Json,
  scope: Scope,
  from: readonly unknown[],
): readonly string[] | null {
  readFrom(reader, from, scope, value['whereClause']);
  holdTenants(reader, [{ RangeVar: value['relation'] }, ...from], value['whereClause']);
  walkPart(reader, value, 'targetList', scope);
  walkPart(reader, value, 'whereClause', scope);
  if (!namesColumn(value['whereClause'])) reader.flags.add('no_where');
  return readReturning(reader, value, scope);
}

function readMerge(reader: Reader, value: Json, outer: Scope): readonly string[] | null {
  const scope = withQueries(reader, value, outer);
  const [table, target] = readTarget(reader, (value['relation'] ?? {}) as Json, scope);
  readFrom(reader, [value['sourceRelation']], scope, value['joinCondition']);
  holdTenants(reader, [{ RangeVar: value['relation'] }, value['sourceRelation']], value['joinCondition']);
  walkPart(reader, value, 'joinCondition', scope);
  const clauses = childrenOf(value, 'mergeWhenClauses').map((node) => onlyNode(node)?.value ?? {});
  for (const clause of clauses) {
    reader.expectKnown('MergeWhenClause', clause);
    readSet(reader, clause, 'targetList', target, scope);
    for (const part of ['condition', 'values']) walkPart(reader, clause, part, scope);
  }
  const deletes = clauses.some(({ commandType }) => commandType === 'CMD_DELETE');
  reader.did('MERGE', deletes ? 'delete' : 'write', table);
  reader.flags.add('many_rows');
  return readReturning(reader, value, scope);
}

/** What is changed, under the name that the statement gives it. */
function readTarget(reader: Reader, value: Json, scope: Scope): readonly [table: string, item: Item] {
  reader.expectKnown('RangeVar', value);
  const table = tableName(value);
  reader.touchTable(table);
  return [table, nameTable(reader, value, table, scope)];
}

function readReturning(reader: Reader, value: Json, scope: Scope): readonly string[] | null {
  const clause = value['returningClause'] as Json | undefined;
  if (clause === undefined) return [];
  walkFields(reader, 'ReturningClause', clause, scope);
  return columnsOf(childrenOf(clause, 'exprs'), scope);
}

/** Whether a condition is about the rows at all. */
function namesColumn(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => key === 'ColumnRef' || namesColumn(inner));
}

/** Whether a query that uses itself has nothing that could end it. */
function isEndless(value: Json): boolean {
  const step = (value['rarg'] ?? {}) as Json;
  if (!('rarg' in value) || 'limitCount' in value) return false;
  const from = childrenOf(step, 'fromClause');
  // Rows of tables come to an end; what is only counted up or down needs a bound on that side.
  const isCounted = from.length < 2 && from.every((item) => onlyNode(item)?.kind === 'RangeVar');
  if (!isCounted) return false;
  const signs = new Set(operatorsIn(step['targetList']));
  const bounds = new Set(operatorsIn(step['whereClause']));
  const isBounded = (...names: readonly string[]) => names.some((name) => bounds.has(name));
  if (signs.has('-') && !signs.has('+')) return !isBounded('>', '>=', '<>', '=');
  if (signs.has('+') || signs.has('*')) return !isBounded('<', '<=', '<>', '=');
  return bounds.size === 0;
}

/** The operators in a part of a tree. */
function* operatorsIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'A_Expr') {
      const kind = String((inner as Json)['kind']);
      // BETWEEN bounds both sides.
      if (kind.includes('BETWEEN')) yield* ['<=', '>='];
      else yield namesIn(inner, 'name').at(-1) ?? '';
    }
    yield* operatorsIn(inner);
  }
}

/** Whether a read gives one row whatever the tables hold: only aggregates and no groups, or no table at all. */
function isSingle(value: Json): boolean {
  if ('larg' in value) return false;
  if (!('fromClause' in value)) return true;
  if ('groupClause' in value) return false;
  const targets = childrenOf(value, 'targetList');
  return (
    targets.length > 0 &&
    targets.every((target) => {
      const call = onlyNode(onlyNode(target)?.value['val']);
      return (
        call?.kind === 'FuncCall' &&
        !('over' in call.value) &&
        aggregates.has(namesIn(call.value, 'funcname').at(-1) ?? '')
      );
    })
  );
}
