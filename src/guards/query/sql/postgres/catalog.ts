// The tables and types that statements of PostgreSQL make, change and drop, in the order in which they stand.

import { nameParts, namingOf, withoutHome } from '../../../../config/sql-names.ts';
import { Call, Catalog, type Relation } from '../catalog.ts';
import { columnsNamed, lineageOf } from './lineage.ts';
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

/** A schema as its statements make it, one after the other. */
class Made {
  readonly catalog = new Catalog(naming);
  /** The schemas that a name without one is looked for in; what is made is made in the first. */
  #path: readonly string[] = [home];
  /** Composite types, with the names of their parts. */
  readonly #rows = new Map<string, readonly string[]>();

  read(node: SqlNode | null): void {
    const { kind = '', value = {} } = node ?? {};
    this.#readers[kind]?.(value);
  }

  /** What each statement makes of the schema. */
  readonly #readers: Readonly<Record<string, (value: Json) => void>> = {
    CreateStmt: (value) => this.#create(value),
    CreateForeignTableStmt: (value) => this.#create((value['base'] ?? {}) as Json),
    ViewStmt: (value) => this.#view(value['view'], value['query'], namesIn(value, 'aliases')),
    CreateTableAsStmt: (value) => {
      const into = (value['into'] ?? {}) as Json;
      this.#view(into['rel'], value['query'], namesIn(into, 'colNames'));
    },
    RuleStmt: (value) => {
      // A table with such a rule is a view.
      if (value['event'] === 'CMD_SELECT') this.#view(value['relation'], childrenOf(value, 'actions')[0], []);
    },
    AlterTableStmt: (value) => {
      for (const command of childrenOf(value, 'cmds'))
        this.#alter((value['relation'] ?? {}) as Json, onlyNode(command)?.value ?? {});
    },
    RenameStmt: (value) => this.#rename((value['relation'] ?? {}) as Json, value),
    AlterObjectSchemaStmt: (value) => {
      const relation = (value['relation'] ?? {}) as Json;
      if ('relation' in value)
        this.catalog.rename(this.#nameOf(relation), fullName(value['newschema'], relation['relname']));
    },
    DropStmt: (value) => {
      for (const table of droppedTables(value, this.#first)) this.catalog.remove(table);
    },
    CreateSchemaStmt: (value) => this.#schema(value),
    VariableSetStmt: (value) => {
      if (value['name'] === 'search_path') this.#search(value);
    },
    CreateEnumStmt: (value) => {
      const name = typeName(namesIn(value, 'typeName'), this.#first);
      this.catalog.types.add(name);
      this.catalog.enums.set(name, namesIn(value, 'vals'));
    },
    CommentStmt: (value) => this.#comment(value),
    CreateDomainStmt: (value) => {
      this.catalog.types.add(typeName(namesIn(value, 'domainname'), this.#first));
    },
    CompositeTypeStmt: (value) => {
      this.#rows.set(this.#nameOf(value['typevar']), columnNames(childrenOf(value, 'coldeflist')));
    },
  };

  get #first(): string {
    return this.#path[0] ?? home;
  }

  /** What stands in a schema that is made is made in it. */
  #schema(value: Json): void {
    const before = this.#path;
    this.#path = [String(value['schemaname'] ?? this.#first), ...before];
    for (const element of childrenOf(value, 'schemaElts')) this.read(onlyNode(element));
    this.#path = before;
  }

  #search(value: Json): void {
    const names = childrenOf(value, 'args')
      .map((arg) => constantOf(onlyNode(arg)))
      .filter((name) => typeof name === 'string' && name !== '' && name !== '$user');
    this.#path = names.length === 0 ? [home] : names.map(String);
  }

  /** The name of what is made. */
  #nameOf(relation: unknown): string {
    return tableName((relation ?? {}) as Json, this.#first);
  }

  /** The relation that a name means: the first that the search path has. */
  #relationOf(relation: unknown): Relation {
    const value = (relation ?? {}) as Json;
    const names = this.#path.map((schema) => tableName(value, schema));
    const found = names.find((name) => this.catalog.has(name));
    return this.catalog.expect(found ?? names[0] ?? '');
  }

  /** A table has its parents' columns, those of what it is made like, and its own. */
  #create(value: Json): void {
    const parents = childrenOf(value, 'inhRelations').map((one) => this.#relationOf(onlyNode(one)?.value));
    const elements = childrenOf(value, 'tableElts').map(onlyNode);
    const namesOf = (relation: Relation) => relation.columns?.map(({ name }) => name) ?? null;
    const parts = [
      ...parents.map(namesOf),
      ...elements.map((node) => {
        if (node?.kind === 'TableLikeClause') return namesOf(this.#relationOf(node.value['relation']));
        return node?.kind === 'ColumnDef' ? [String(node.value['colname'] ?? '')] : [];
      }),
      ...('ofTypename' in value ? [this.#rows.get(this.#typeOf(value['ofTypename'])) ?? null] : []),
    ];
    const isKnown = (columns: readonly string[] | null) => columns !== null;
    const columns = parts.every(isKnown) ? [...new Set(parts.flatMap((names) => names ?? []))] : null;
    const table = this.catalog.add(this.#nameOf(value['relation']), columns);
    for (const parent of parents) this.catalog.inherit(table, parent, 'partbound' in value);
    for (const parent of parents) describeLike(table, parent);
    for (const node of elements) if (node?.kind === 'ColumnDef') generate(table, node.value);
    for (const node of elements) {
      if (node?.kind === 'ColumnDef') this.#describeColumn(table, node.value);
      else if (node?.kind === 'Constraint') this.#constrain(table, node.value, []);
      else if (node?.kind === 'TableLikeClause')
        describeLike(table, this.#relationOf(node.value['relation']));
    }
    for (const parent of parents) generateLike(table, parent);
  }

  /** What a definition says of a column to those who read it. */
  #describeColumn(table: Relation, definition: Json): void {
    const column = table.column(String(definition['colname'] ?? ''), true);
    if (column === null) return;
    const type = (definition['typeName'] ?? {}) as Json;
    column.type = typeText(type);
    column.values = this.catalog.enums.get(this.#typeOf(type)) ?? column.values;
    for (const one of childrenOf(definition, 'constraints'))
      this.#constrain(table, onlyNode(one)?.value ?? {}, [column.name]);
  }

  /** A constraint of a table, or of one of its columns. */
  #constrain(table: Relation, value: Json, column: readonly string[]): void {
    const named = (field: string) => (column.length > 0 ? column : namesIn(value, field));
    switch (value['contype']) {
      case 'CONSTR_NOTNULL':
        for (const name of named('keys')) markRequired(table, name);
        return;
      case 'CONSTR_PRIMARY':
        table.primaryKey = named('keys');
        for (const name of table.primaryKey) markRequired(table, name);
        return;
      case 'CONSTR_FOREIGN': {
        const to = this.#relationOf(value['pktable']);
        const reference = { columns: named('fk_attrs'), to, toColumns: namesIn(value, 'pk_attrs') };
        table.references = [...table.references, reference];
        return;
      }
      case 'CONSTR_CHECK':
        listValues(table, onlyNode(value['raw_expr']));
        return;
    }
  }

  #comment(value: Json): void {
    const names = namesIn(onlyNode(value['object'])?.value, 'items');
    const comment = typeof value['comment'] === 'string' ? value['comment'] : null;
    const isColumn = value['objtype'] === 'OBJECT_COLUMN';
    if (!isColumn && !tableKinds.has(value['objtype'])) return;
    const [relname = '', schemaname] = (isColumn ? names.slice(0, -1) : names).toReversed();
    const relation = this.catalog.find(
      this.#relationOf({ relname, ...(schemaname === undefined ? {} : { schemaname }) }).name,
    );
    if (relation === null) return;
    if (!isColumn) relation.comment = comment;
    const column = isColumn ? relation.column(names.at(-1) ?? '', true) : null;
    if (column !== null) column.comment = comment;
  }

  #typeOf(value: unknown): string {
    return typeName(namesIn(value, 'names'), this.#first);
  }

  /** A view, a materialized view, or a table that is made of a query. */
  #view(relation: unknown, query: unknown, names: readonly string[]): void {
    const select = onlyNode(query);
    const { outputs, any, uses, isTransparent } = lineageOf(select?.value ?? {}, names, (value) =>
      this.#relationOf(value),
    );
    const view = this.catalog.add(this.#nameOf(relation), outputs?.map(({ name }) => name) ?? null);
    view.uses = uses;
    view.isTransparent = isTransparent;
    view.any = any;
    for (const [at, output] of (outputs ?? []).entries()) {
      const column = view.columns?.[at];
      if (column === undefined) continue;
      column.from = output.from;
      column.plain = output.plain;
      column.type = output.plain?.type ?? null;
      column.values = output.plain?.values ?? [];
    }
  }

  #alter(value: Json, { subtype, def, name }: Json): void {
    const table = this.catalog.find(this.#relationOf(value).name);
    if (table === null) return;
    const definition = onlyNode(def)?.value ?? {};
    switch (subtype) {
      case 'AT_AddColumn':
        this.catalog.addColumn(table, String(definition['colname'] ?? ''));
        generate(table, definition);
        this.#describeColumn(table, definition);
        return;
      case 'AT_AddConstraint':
        this.#constrain(table, definition, []);
        return;
      case 'AT_SetNotNull':
        markRequired(table, String(name));
        return;
      case 'AT_AlterColumnType': {
        const column = table.column(String(name), true);
        if (column !== null) column.type = typeText((definition['typeName'] ?? {}) as Json);
        return;
      }
      case 'AT_DropColumn':
        this.catalog.dropColumn(table, String(name));
        return;
      case 'AT_SetExpression': {
        const column = table.column(String(name), true);
        if (column !== null) column.from = columnsNamed(def, table);
        return;
      }
      case 'AT_AddInherit': {
        const parent = this.#relationOf(definition);
        this.catalog.inherit(table, parent, false);
        // It has what its new parent has; that it has it already is the server's rule, and not what is read here.
        for (const column of parent.columns ?? []) this.catalog.addColumn(table, column.name);
        if (parent.columns === null) table.setColumns(null);
        return;
      }
      case 'AT_DropInherit':
        this.catalog.disinherit(table, this.#relationOf(definition));
        return;
      case 'AT_AttachPartition':
        this.catalog.inherit(this.#relationOf(definition['name']), table, true);
        return;
      case 'AT_DetachPartition':
        this.catalog.disinherit(this.#relationOf(definition['name']), table);
        return;
    }
  }

  #rename(value: Json, { renameType, subname, newname }: Json): void {
    const relation = this.#relationOf(value);
    if (renameType === 'OBJECT_COLUMN') {
      this.catalog.renameColumn(relation, String(subname), String(newname));
    } else if (tableKinds.has(renameType)) {
      const [schema = home] = nameParts(relation.name).length > 1 ? nameParts(relation.name) : [];
      this.catalog.rename(relation.name, fullName(schema, newname));
    }
  }
}

/** Names of types as people write them, where the grammar has others. */
const spelled: Readonly<Record<string, string>> = {
  int2: 'smallint',
  int4: 'integer',
  int8: 'bigint',
  float4: 'real',
  float8: 'double precision',
  bool: 'boolean',
  bpchar: 'char',
  timestamptz: 'timestamp with time zone',
  timetz: 'time with time zone',
};

/** A type as SQL writes it. */
function typeText(value: Json): string | null {
  const names = namesIn(value, 'names');
  const own = names[0] === 'pg_catalog' || names[0] === home ? names.slice(1) : names;
  const [only = ''] = own;
  if (only === '') return null;
  const name = own.length === 1 ? (spelled[only] ?? only) : own.join('.');
  const sizes = childrenOf(value, 'typmods').map((one) => constantOf(onlyNode(one)));
  const size = sizes.length === 0 || sizes.includes(null) ? '' : `(${sizes.join(', ')})`;
  return `${name}${size}${'[]'.repeat(childrenOf(value, 'arrayBounds').length)}`;
}

function markRequired(table: Relation, name: string): void {
  const column = table.columns?.find((one) => one.name === name);
  if (column !== undefined) column.isRequired = true;
}

/** `CHECK (status IN ('open', 'paid'))` lists the values of a column. */
function listValues(table: Relation, check: SqlNode | null): void {
  if (check?.kind !== 'A_Expr' || namesIn(check.value, 'name').join('.') !== '=') return;
  const [left, right] = [onlyNode(check.value['lexpr']), onlyNode(check.value['rexpr'])];
  const inner = left?.kind === 'TypeCast' ? onlyNode(left.value['arg']) : left;
  const column = table.columns?.find(({ name }) => name === namesIn(inner?.value, 'fields').join('.'));
  const items =
    check.value['kind'] === 'AEXPR_IN'
      ? childrenOf(right?.value, 'items')
      : check.value['kind'] === 'AEXPR_OP_ANY'
        ? childrenOf(arrayIn(right)?.value, 'elements')
        : [];
  const values = items.map((item) => constantOf(onlyNode(item)));
  if (column !== undefined && values.every((one) => one !== null)) column.values = values.map(String);
}

/** The array in a cast, as pg_dump writes what was an IN. */
function arrayIn(node: SqlNode | null): SqlNode | null {
  return node?.kind === 'TypeCast' ? arrayIn(onlyNode(node.value['arg'])) : node;
}

/** A table that has another's columns has what is said of them too. */
function describeLike(table: Relation, other: Relation): void {
  for (const { name, type, comment, values, isRequired } of other.columns ?? []) {
    const column = table.columns?.find((one) => one.name === name);
    if (column !== undefined) Object.assign(column, { type, comment, values, isRequired });
  }
}

function fullName(schema: unknown, name: unknown): string {
  return withoutHome([String(schema), String(name)], home);
}

function columnNames(definitions: readonly unknown[]): readonly string[] {
  return definitions.map((column) => String(onlyNode(column)?.value['colname'] ?? ''));
}

/** A generated column shows the columns that it is computed from. */
function generate(table: Relation, definition: Json): void {
  const constraints = childrenOf(definition, 'constraints').map((one) => onlyNode(one)?.value ?? {});
  const expression = constraints.find(({ contype }) => contype === 'CONSTR_GENERATED')?.['raw_expr'];
  const column = table.column(String(definition['colname'] ?? ''), true);
  if (expression !== undefined && column !== null) column.from = columnsNamed(expression, table);
}

/** A child computes what its parent computes, from its own columns. */
function generateLike(table: Relation, parent: Relation): void {
  for (const { name, from } of parent.columns ?? []) {
    const column = table.column(name, true);
    if (column === null || from.size === 0 || column.from.size > 0) continue;
    const own = [...from]
      .map((source) => (source instanceof Call ? source : table.column(source.name, true)))
      .filter((one) => one !== null);
    column.from = new Set(own);
  }
}
