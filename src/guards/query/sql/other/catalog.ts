// The tables that statements of MySQL and SQLite make, change and drop, in the order in which they stand.

import { joinName, type Naming, withoutHome } from '../../../../config/sql-names.ts';
import { Catalog, type Relation, type Source } from '../catalog.ts';
import { identifier, isObject, isPresent, type Json, listIn, objectParts, textIn } from './tree.ts';

/** Reads a parsed schema; a statement that says nothing of tables adds nothing. */
export function otherCatalog(tree: unknown, naming: Naming): Catalog {
  const catalog = new Catalog(naming);
  const nameOf = (value: unknown) => withoutHome(objectParts(value), naming.home);
  for (const statement of Array.isArray(tree) ? tree : []) {
    const [kind = '', value] = Object.entries(isObject(statement) ? statement : {})[0] ?? [];
    const node = isObject(value) ? value : {};
    if (kind === 'CreateTable') addTable(catalog, nameOf(node['name']), node, nameOf);
    else if (kind === 'CreateView') addView(catalog, nameOf(node['name']), node, nameOf);
    else if (kind === 'CreateVirtualTable') catalog.add(nameOf(node['name']), null);
    else if (kind === 'Drop' && (node['object_type'] === 'Table' || node['object_type'] === 'View')) {
      for (const name of listIn(node, 'names')) catalog.remove(nameOf(name));
    } else if (kind === 'AlterTable') {
      let table = nameOf(node['name']);
      for (const operation of listIn(node, 'operations')) table = alter(catalog, table, operation, nameOf);
    }
  }
  return catalog;
}

type NameOf = (value: unknown) => string;

function addTable(catalog: Catalog, table: string, node: Json, nameOf: NameOf): void {
  const columns = listIn(node, 'columns').filter(isObject);
  const names = columns.map((column) => identifier(column['name']));
  // A table made from a query, or like another, has what those have.
  const isOpen = isPresent(node['query']) || isPresent(node['like']) || isPresent(node['clone']);
  const relation = catalog.add(table, isOpen ? null : names, rowNumber(columns, node));
  for (const column of columns) generate(relation, column);
  for (const column of columns) describeColumn(catalog, relation, column, nameOf);
  for (const constraint of listIn(node, 'constraints')) constrain(catalog, relation, constraint, [], nameOf);
  relation.comment = commentIn(node['table_options']);
}

/** What a definition says of a column to those who read it. */
function describeColumn(catalog: Catalog, table: Relation, definition: Json, nameOf: NameOf): void {
  const column = table.columns?.find(({ name }) => name === identifier(definition['name']));
  if (column === undefined) return;
  const { name, values } = typeOf(definition['data_type']);
  column.type = name;
  column.values = values;
  for (const one of listIn(definition, 'options')) {
    const option = isObject(one) ? one['option'] : undefined;
    if (option === 'NotNull') column.isRequired = true;
    else if (isObject(option) && typeof option['Comment'] === 'string') column.comment = option['Comment'];
    else constrain(catalog, table, option, [column.name], nameOf);
  }
}

/** A constraint of a table, or of one of its columns. */
function constrain(
  catalog: Catalog,
  table: Relation,
  constraint: unknown,
  own: readonly string[],
  nameOf: NameOf,
): void {
  const [kind = '', value] = Object.entries(isObject(constraint) ? constraint : {})[0] ?? [];
  if (!isObject(value)) return;
  const named = (field: string) => listIn(value, field).map((one) => keyColumn(one) ?? '');
  const columns = own.length > 0 ? own : named('columns');
  if (kind === 'PrimaryKey') table.primaryKey = columns;
  else if (kind === 'ForeignKey') {
    const to = catalog.expect(nameOf(value['foreign_table']));
    table.references = [...table.references, { columns, to, toColumns: named('referred_columns') }];
  } else if (kind === 'Check') {
    const list = isObject(value['expr']) ? value['expr']['InList'] : undefined;
    const checked = isObject(list) && list['negated'] !== true ? identifier(list['expr']) : '';
    const column = table.columns?.find(({ name }) => name === checked);
    if (column !== undefined) column.values = listIn(list, 'list').map(textIn);
  }
}

/** The name of a type with its sizes, and the values that it lists. */
function typeOf(type: unknown): { readonly name: string | null; readonly values: readonly string[] } {
  const [kind = '', inner] = isObject(type) ? (Object.entries(type)[0] ?? []) : [String(type ?? ''), null];
  if (kind === '' || kind === 'Unspecified') return { name: null, values: [] };
  if (kind === 'Custom') {
    const [name] = Array.isArray(inner) ? inner : [];
    return { name: joinName(objectParts(name)).toLowerCase(), values: [] };
  }
  const spoken = kind.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
  if (kind === 'Enum' || kind === 'Set') {
    const [members] = Array.isArray(inner) ? inner : [];
    return { name: spoken, values: (Array.isArray(members) ? members : []).map(textIn) };
  }
  const sizes = numbersIn(inner);
  return { name: sizes.length === 0 ? spoken : `${spoken}(${sizes.join(', ')})`, values: [] };
}

function numbersIn(value: unknown): readonly number[] {
  if (typeof value === 'number' || typeof value === 'bigint') return [Number(value)];
  const inner = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  return inner.flatMap(numbersIn);
}

/** The comment among the options of a table. */
function commentIn(options: unknown): string | null {
  for (const option of listIn(options, 'Plain')) {
    const comment = isObject(option) ? option['Comment'] : undefined;
    if (isObject(comment)) return textIn(comment);
  }
  return null;
}

/** The key of one column: in SQLite one of whole numbers is the number of the row itself. */
function rowNumber(columns: readonly Json[], node: Json): string | null {
  const inline = columns.find((column) =>
    listIn(column, 'options').some(
      (one) => isObject(one) && isObject(one['option']) && 'PrimaryKey' in one['option'],
    ),
  );
  if (inline !== undefined) return identifier(inline['name']);
  for (const constraint of listIn(node, 'constraints')) {
    const key = isObject(constraint) ? constraint['PrimaryKey'] : undefined;
    const [only, second] = listIn(key, 'columns');
    if (only !== undefined && second === undefined) return keyColumn(only);
  }
  return null;
}

/** The column of a key, however the parser wraps it. */
function keyColumn(value: unknown): string | null {
  if (!isObject(value)) return null;
  if (typeof value['value'] === 'string') return value['value'];
  for (const inner of Object.values(value)) {
    const found = keyColumn(inner);
    if (found !== null) return found;
  }
  return null;
}

/** What an ALTER makes of a table; gives the name that it has afterwards. */
function alter(catalog: Catalog, table: string, operation: unknown, nameOf: NameOf): string {
  const [kind = '', value] = Object.entries(isObject(operation) ? operation : {})[0] ?? [];
  const node = isObject(value) ? value : {};
  const relation = catalog.find(table);
  if (relation === null) return table;
  const definition = isObject(node['column_def']) ? node['column_def'] : {};
  const before = identifier(node['old_column_name'] ?? node['old_name']);
  const after = identifier(node['new_column_name'] ?? node['new_name']);
  switch (kind) {
    case 'AddColumn':
      catalog.addColumn(relation, identifier(definition['name']));
      generate(relation, definition);
      describeColumn(catalog, relation, definition, nameOf);
      return table;
    case 'AddConstraint':
      constrain(catalog, relation, node['constraint'], [], nameOf);
      return table;
    case 'DropColumn':
      for (const name of listIn(node, 'column_names')) catalog.dropColumn(relation, identifier(name));
      return table;
    case 'RenameColumn':
    case 'ChangeColumn':
      catalog.renameColumn(relation, before, after);
      return table;
    case 'RenameTable': {
      const to = isObject(node['table_name']) ? Object.values(node['table_name'])[0] : undefined;
      const renamed = joinName(objectParts(to));
      catalog.rename(table, renamed);
      return renamed;
    }
    default:
      return table;
  }
}

/** A generated column shows the columns that it is computed from. */
function generate(table: Relation, definition: Json): void {
  const column = table.column(identifier(definition['name']), false);
  for (const one of listIn(definition, 'options')) {
    const option = isObject(one) ? one['option'] : undefined;
    const generated = isObject(option) ? option['Generated'] : undefined;
    if (column !== null && generated !== undefined) column.from = columnsIn(generated, [table]);
  }
}

/**
 * A view shows what its query reads. Scopes are not followed here: a name is the column of every table of the query
 * that has one, and what is no plain list of columns shows everything that the query reads.
 */
function addView(catalog: Catalog, name: string, node: Json, nameOf: (value: unknown) => string): void {
  const query = isObject(node['query']) ? node['query'] : {};
  const uses = tablesIn(query, nameOf).map((table) => catalog.expect(table));
  const given = listIn(node, 'columns').map((column) => identifier(isObject(column) ? column['name'] : ''));
  const outputs = isPresent(query['with']) ? null : outputsOf(query['body'], uses);
  const columns = outputs?.map((output, at) => given[at] ?? output.name) ?? null;
  const view = catalog.add(name, columns);
  view.uses = uses;
  view.any = new Set(uses);
  for (const [at, column] of (view.columns ?? []).entries())
    column.from = outputs?.[at]?.from ?? new Set(uses);
}

interface Output {
  readonly name: string;
  readonly from: ReadonlySet<Source>;
}

/** The columns of a SELECT; null where they are not known. */
function outputsOf(body: unknown, uses: readonly Relation[]): readonly Output[] | null {
  const select = isObject(body) && isObject(body['Select']) ? body['Select'] : null;
  if (select === null || hasQuery(select['from'])) return null;
  const isShared = /"(?:Using|Natural)"/.test(JSON.stringify(select['from']));
  const outputs: Output[] = [];
  for (const item of listIn(select, 'projection')) {
    const [kind = '', value] = Object.entries(isObject(item) ? item : { [String(item)]: null })[0] ?? [];
    const isStar = kind === 'Wildcard' || kind === 'QualifiedWildcard';
    // Which table a star is of is said by an alias, and those are not followed: with several it is not known.
    const isOpen = isShared || (kind === 'QualifiedWildcard' && uses.length > 1);
    const given = isStar ? starOutputs(isOpen ? [] : uses) : outputOf(kind, value, uses);
    if (given === null) return null;
    outputs.push(...given);
  }
  return outputs;
}

/** The columns of the tables in their order; null where they are not known. */
function starOutputs(tables: readonly Relation[]): readonly Output[] | null {
  if (tables.length === 0 || tables.some(({ columns }) => columns === null)) return null;
  return tables.flatMap(({ columns }) =>
    (columns ?? []).map((column) => ({ name: column.name, from: new Set([column]) })),
  );
}

/** What an expression gives; null where it has no name that is known here. */
function outputOf(kind: string, value: unknown, uses: readonly Relation[]): readonly Output[] | null {
  const aliased = kind === 'ExprWithAlias' && isObject(value) ? value : null;
  const expression = aliased === null ? value : aliased['expr'];
  const name = aliased === null ? columnNamed(expression) : identifier(aliased['alias']);
  if (name === null) return null;
  return [{ name, from: hasQuery(expression) ? new Set(uses) : columnsIn(expression, uses) }];
}

/** The column that an expression is; null where it is none. */
function columnNamed(expression: unknown): string | null {
  if (!isObject(expression)) return null;
  if ('Identifier' in expression) return identifier(expression);
  const parts = expression['CompoundIdentifier'];
  return parts === undefined ? null : (objectParts(parts).at(-1) ?? null);
}

/** The columns of any of the tables that a part of a tree names. */
function columnsIn(part: unknown, uses: readonly Relation[]): ReadonlySet<Source> {
  const sources = new Set<Source>();
  eachNode(part, (kind, inner) => {
    if (kind !== 'Identifier' && kind !== 'CompoundIdentifier') return;
    const name = kind === 'Identifier' ? identifier(inner) : (objectParts(inner).at(-1) ?? '');
    const columns = uses.map((table) => table.column(name, false)).filter((column) => column !== null);
    // The number of a row, or a name that nothing gives: it may be any.
    for (const source of columns.length > 0 ? columns : uses) sources.add(source);
  });
  return sources;
}

/** The tables that a query names, wherever it names them; a query of a WITH counts as a table that is not known. */
function tablesIn(query: unknown, nameOf: (value: unknown) => string): readonly string[] {
  const names: string[] = [];
  eachNode(query, (kind, inner) => {
    if (kind === 'Table' && isObject(inner)) names.push(nameOf(inner['name']));
  });
  return names;
}

function hasQuery(part: unknown): boolean {
  let found = false;
  eachNode(part, (kind) => {
    if (kind === 'Select' || kind === 'Subquery' || kind === 'subquery') found = true;
  });
  return found;
}

function eachNode(value: unknown, visit: (kind: string, inner: unknown) => void): void {
  if (Array.isArray(value)) for (const one of value) eachNode(one, visit);
  if (!isObject(value)) return;
  for (const [kind, inner] of Object.entries(value)) {
    visit(kind, inner);
    eachNode(inner, visit);
  }
}
