// The tables and types that statements of PostgreSQL make, change and drop, in the order in which they stand.

import { namingOf, withoutHome } from '../../../../config/sql-names.ts';
import { Catalog } from '../catalog.ts';
import { childrenOf, constantOf, type Json, namesIn, nodeOf, onlyNode, type SqlNode } from './tree.ts';

const naming = namingOf('postgres', null);
const home = naming.home ?? '';

/** Reads a parsed schema; a statement that says nothing of tables and types adds nothing. */
export function postgresCatalog(tree: unknown): Catalog {
  const made = new Made();
  for (const statement of childrenOf(tree, 'stmts')) made.read(nodeOf(statement, 'stmt'));
  return made.catalog;
}

/** The name of a table as policies know it: without the schema that is searched first. */
export function tableName(value: Json, path: string = home): string {
  const schema = typeof value['schemaname'] === 'string' ? value['schemaname'] : path;
  return withoutHome([schema, String(value['relname'] ?? '')], home);
}

/** The name of a type in the same way. */
export function typeName(names: readonly string[], path: string = home): string {
  return withoutHome(names.length > 1 ? names.slice(-2) : [path, ...names], home);
}

const tableKinds: ReadonlySet<unknown> = new Set([
  ...['OBJECT_TABLE', 'OBJECT_VIEW', 'OBJECT_MATVIEW', 'OBJECT_FOREIGN_TABLE'],
]);

/** The tables that a DROP names. */
export function droppedTables(value: Json, path: string = home): readonly string[] {
  if (!tableKinds.has(value['removeType'])) return [];
  return childrenOf(value, 'objects').map((object) => {
    const names = namesIn(onlyNode(object)?.value, 'items');
    return withoutHome(names.length > 1 ? names.slice(-2) : [path, ...names], home);
  });
}

class Made {
  readonly catalog = new Catalog(naming);
  /** The schema that a name without one is made in. */
  #path = home;

  read(node: SqlNode | null): void {
    const { kind = '', value = {} } = node ?? {};
    const relation = (value['relation'] ?? {}) as Json;
    switch (kind) {
      case 'CreateStmt':
        this.#create(value);
        return;
      case 'CreateForeignTableStmt':
        this.#create((value['base'] ?? {}) as Json);
        return;
      case 'ViewStmt':
        this.catalog.add(this.#nameOf(value['view']), null);
        return;
      case 'CreateTableAsStmt':
        this.catalog.add(this.#nameOf((value['into'] as Json | undefined)?.['rel']), null);
        return;
      case 'AlterTableStmt':
        this.#alterAll(relation, value);
        return;
      case 'RenameStmt':
        this.#rename(relation, value);
        return;
      case 'AlterObjectSchemaStmt':
        if ('relation' in value)
          this.#move(relation, [String(value['newschema']), String(relation['relname'])]);
        return;
      case 'DropStmt':
        for (const table of droppedTables(value, this.#path)) this.catalog.remove(table);
        return;
      case 'CreateSchemaStmt':
        this.#schema(value);
        return;
      case 'VariableSetStmt':
        if (value['name'] === 'search_path') this.#search(value);
        return;
      case 'CreateEnumStmt':
        this.catalog.types.add(typeName(namesIn(value, 'typeName'), this.#path));
        return;
      case 'CreateDomainStmt':
        this.catalog.types.add(typeName(namesIn(value, 'domainname'), this.#path));
        return;
    }
  }

  /** What stands in a schema that is made is made in it. */
  #schema(value: Json): void {
    const before = this.#path;
    this.#path = String(value['schemaname'] ?? before);
    for (const element of childrenOf(value, 'schemaElts')) this.read(onlyNode(element));
    this.#path = before;
  }

  #search(value: Json): void {
    const [first] = childrenOf(value, 'args').map((arg) => constantOf(onlyNode(arg)));
    this.#path = typeof first === 'string' && first !== '' ? first : home;
  }

  #nameOf(relation: unknown): string {
    return tableName((relation ?? {}) as Json, this.#path);
  }

  /** A table has its parents' columns, those of what it is made like, and its own. */
  #create(value: Json): void {
    const parts = [
      ...childrenOf(value, 'inhRelations').map((parent) => this.#columnsOf(onlyNode(parent)?.value)),
      ...childrenOf(value, 'tableElts').map((element) => {
        const node = onlyNode(element);
        if (node?.kind === 'TableLikeClause') return this.#columnsOf(node.value['relation']);
        return node?.kind === 'ColumnDef' ? [String(node.value['colname'] ?? '')] : [];
      }),
      // What a type has for columns is not read.
      ...('ofTypename' in value ? [null] : []),
    ];
    const isKnown = (columns: readonly string[] | null) => columns !== null;
    const columns = parts.every(isKnown) ? [...new Set(parts.flatMap((names) => names ?? []))] : null;
    this.catalog.add(this.#nameOf(value['relation']), columns);
  }

  #columnsOf(relation: unknown): readonly string[] | null {
    return this.catalog.columnsOf(this.#nameOf(relation));
  }

  #alterAll(relation: Json, value: Json): void {
    for (const command of childrenOf(value, 'cmds')) this.#alter(relation, onlyNode(command)?.value ?? {});
  }

  #alter(relation: Json, { subtype, def, name }: Json): void {
    const table = this.#nameOf(relation);
    const columns = this.catalog.columnsOf(table);
    if (columns === null) return;
    if (subtype === 'AT_AddColumn') {
      this.catalog.add(table, [...columns, String(onlyNode(def)?.value['colname'] ?? '')]);
    } else if (subtype === 'AT_DropColumn') {
      this.catalog.add(
        table,
        columns.filter((column) => column !== name),
      );
      // It has what its new parent has; that it has it already is the law, and not what is read here.
    } else if (subtype === 'AT_AddInherit') {
      const parent = this.#columnsOf(onlyNode(def)?.value);
      this.catalog.add(table, parent === null ? null : [...new Set([...columns, ...parent])]);
    }
  }

  #rename(relation: Json, { renameType, subname, newname }: Json): void {
    const table = this.#nameOf(relation);
    if (renameType === 'OBJECT_COLUMN') {
      const columns = this.catalog.columnsOf(table);
      const renamed = columns?.map((column) => (column === subname ? String(newname) : column));
      if (renamed !== undefined) this.catalog.add(table, renamed);
    } else if (tableKinds.has(renameType)) {
      const schema = typeof relation['schemaname'] === 'string' ? relation['schemaname'] : this.#path;
      this.#move(relation, [schema, String(newname)]);
    }
  }

  #move(relation: Json, parts: readonly string[]): void {
    const table = this.#nameOf(relation);
    if (!this.catalog.has(table)) return;
    const columns = this.catalog.columnsOf(table);
    this.catalog.remove(table);
    this.catalog.add(withoutHome(parts, home), columns);
  }
}
