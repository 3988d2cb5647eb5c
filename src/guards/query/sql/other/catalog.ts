// The tables that statements of MySQL and SQLite make, change and drop, in the order in which they stand.

import { joinName, type Naming, withoutHome } from '../../../../config/sql-names.ts';
import { Catalog } from '../catalog.ts';
import { identifier, isObject, isPresent, type Json, listIn, objectParts } from './tree.ts';

/** Reads a parsed schema; a statement that says nothing of tables adds nothing. */
export function otherCatalog(tree: unknown, naming: Naming): Catalog {
  const catalog = new Catalog(naming);
  const nameOf = (value: unknown) => withoutHome(objectParts(value), naming.home);
  for (const statement of Array.isArray(tree) ? tree : []) {
    const [kind = '', value] = Object.entries(isObject(statement) ? statement : {})[0] ?? [];
    const node = isObject(value) ? value : {};
    if (kind === 'CreateTable') addTable(catalog, nameOf(node['name']), node);
    else if (kind === 'CreateView' || kind === 'CreateVirtualTable') catalog.add(nameOf(node['name']), null);
    else if (kind === 'Drop' && (node['object_type'] === 'Table' || node['object_type'] === 'View')) {
      for (const name of listIn(node, 'names')) catalog.remove(nameOf(name));
    } else if (kind === 'AlterTable') {
      let table = nameOf(node['name']);
      for (const operation of listIn(node, 'operations')) table = alter(catalog, table, operation);
    }
  }
  return catalog;
}

function addTable(catalog: Catalog, table: string, node: Json): void {
  const columns = listIn(node, 'columns').filter(isObject);
  const names = columns.map((column) => identifier(column['name']));
  // A table made from a query, or like another, has what those have.
  const isOpen = isPresent(node['query']) || isPresent(node['like']) || isPresent(node['clone']);
  catalog.add(table, isOpen ? null : names, rowNumber(columns, node));
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
function alter(catalog: Catalog, table: string, operation: unknown): string {
  const [kind = '', value] = Object.entries(isObject(operation) ? operation : {})[0] ?? [];
  const node = isObject(value) ? value : {};
  const columns = catalog.columnsOf(table);
  const set = (names: readonly string[]) => catalog.add(table, names, catalog.keyOf(table));
  const definition = isObject(node['column_def']) ? identifier(node['column_def']['name']) : '';
  const before = identifier(node['old_column_name'] ?? node['old_name']);
  const after = identifier(node['new_column_name'] ?? node['new_name']);
  switch (kind) {
    case 'AddColumn':
      if (columns !== null) set([...columns, definition]);
      return table;
    case 'DropColumn': {
      const gone = new Set(listIn(node, 'column_names').map((name) => identifier(name).toLowerCase()));
      if (columns !== null) set(columns.filter((name) => !gone.has(name.toLowerCase())));
      return table;
    }
    case 'RenameColumn':
    case 'ChangeColumn':
      if (columns !== null) {
        set(columns.map((name) => (name.toLowerCase() === before.toLowerCase() ? after : name)));
      }
      return table;
    case 'RenameTable': {
      const to = isObject(node['table_name']) ? Object.values(node['table_name'])[0] : undefined;
      const renamed = joinName(objectParts(to));
      const key = catalog.keyOf(table);
      if (!catalog.has(table)) return table;
      catalog.remove(table);
      catalog.add(renamed, columns, key);
      return renamed;
    }
    default:
      return table;
  }
}
