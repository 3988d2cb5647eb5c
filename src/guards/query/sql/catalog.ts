// The tables and views of a database as the statements that made them say, and what each column shows of others.

import { type Naming, nameParts, withoutHome } from '../../../config/sql-names.ts';

/** One column of a relation, or of the result of a query inside a view. */
export class Column {
  name: string;
  readonly of: Relation;
  /** What it is computed from: columns, and relations of which nothing says which column it is. */
  from: ReadonlySet<Source>;
  /** The column whose values it shows unchanged; null where it computes. */
  plain: Column | null = null;
  /** Its type as SQL writes it; null where nothing says. */
  type: string | null = null;
  /** What the schema says about it in words. */
  comment: string | null = null;
  isRequired = false;
  /** The only values that it may have, where the schema lists them. */
  values: readonly string[] = [];

  constructor(name: string, of: Relation, from: Iterable<Source> = []) {
    this.name = name;
    this.of = of;
    this.from = new Set(from);
  }
}

/** A function of the database's own that a value is computed by, and that may read whatever its maker chose. */
export class Call {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** What a value can come from. */
export type Source = Column | Relation | Call;

/** Columns of a table whose values are those of another table's. */
export interface Reference {
  readonly columns: readonly string[];
  readonly to: Relation;
  /** Empty where they are the key of the other table. */
  readonly toColumns: readonly string[];
}

/** A table or a view. It keeps its identity when it is renamed, so that what refers to it still does. */
export class Relation {
  name: string;
  /** Null where they are not known. */
  columns: Column[] | null = null;
  /** The column that the number of a row is, in a table that has one. */
  key: string | null = null;
  /** The tables whose rows its rows are too. */
  parents: Relation[] = [];
  isPartition = false;
  /** What its definition reads, each as often as it reads it; nothing for a table. */
  uses: readonly Relation[] = [];
  /** Whether a condition on a column that it shows unchanged is a condition on the rows beneath. */
  isTransparent = false;
  /** What columns that are not known are computed from. */
  any: ReadonlySet<Source> = new Set();
  comment: string | null = null;
  /** The columns that identify its rows. */
  primaryKey: readonly string[] = [];
  references: readonly Reference[] = [];
  /** Columns that something refers to and that no statement has made yet. */
  readonly #ghosts = new Map<string, Column>();

  constructor(name: string) {
    this.name = name;
  }

  /** The column of a name; null where the columns are known and it is none of them. */
  column(name: string, exact: boolean): Column | null {
    const isSame = (column: Column) =>
      exact ? column.name === name : column.name.toLowerCase() === name.toLowerCase();
    if (this.columns !== null) return this.columns.find(isSame) ?? null;
    const key = exact ? name : name.toLowerCase();
    const ghost = this.#ghosts.get(key) ?? new Column(name, this);
    this.#ghosts.set(key, ghost);
    return ghost;
  }

  /** Gives it columns; one that is there under the same name stays the same column. */
  setColumns(names: readonly string[] | null): void {
    const before = new Map(
      [...(this.columns ?? this.#ghosts.values())].map((column) => [column.name, column]),
    );
    this.columns = names?.map((name) => before.get(name) ?? new Column(name, this)) ?? null;
    for (const column of this.columns ?? []) {
      column.from = new Set();
      column.plain = null;
    }
  }
}

/** What is read with a column. */
export interface ReadWith {
  readonly columns: readonly Reached[];
  /** Functions of the database's own that compute it. */
  readonly calls: readonly string[];
}

/** A column that is read, and whether it is read only as that of a partition of what was named. */
export interface Reached {
  readonly relation: Relation;
  /** Null for any column of it. */
  readonly column: Column | null;
  readonly isPart: boolean;
}

/** Relations by name. */
export class Catalog {
  readonly #naming: Naming;
  /** By name, as it is compared. */
  readonly #relations = new Map<string, Relation>();
  /** Relations that a view names before, or without, a statement that makes them. */
  readonly #awaited = new Map<string, Relation>();
  readonly #columns = new Set<string>();
  #children: ReadonlyMap<Relation, readonly Relation[]> | null = null;
  /** Types that the database made for itself, without the schema that is searched first. */
  readonly types = new Set<string>();
  /** The values of those that list them. */
  readonly enums = new Map<string, readonly string[]>();

  constructor(naming: Naming) {
    this.#naming = naming;
  }

  /** Makes a relation, or makes it anew. */
  add(name: string, columns: readonly string[] | null, key: string | null = null): Relation {
    const id = this.#keyOf(name);
    const relation = this.#relations.get(id) ?? this.#awaited.get(id) ?? new Relation(name);
    this.#awaited.delete(id);
    this.#relations.set(id, relation);
    this.#children = null;
    relation.name = name;
    relation.key = key;
    relation.parents = [];
    relation.uses = [];
    relation.any = new Set();
    relation.comment = null;
    relation.primaryKey = [];
    relation.references = [];
    relation.setColumns(columns);
    this.#note(columns ?? []);
    return relation;
  }

  addColumn(relation: Relation, name: string): Column | null {
    if (relation.columns === null) return null;
    const column = relation.column(name, this.#naming.exact) ?? new Column(name, relation);
    if (!relation.columns.includes(column)) relation.columns.push(column);
    this.#note([name]);
    for (const child of this.childrenOf(relation)) this.addColumn(child, name);
    return column;
  }

  dropColumn(relation: Relation, name: string): void {
    const column = relation.column(name, this.#naming.exact);
    relation.columns = relation.columns?.filter((one) => one !== column) ?? null;
    for (const child of this.childrenOf(relation)) this.dropColumn(child, name);
  }

  renameColumn(relation: Relation, from: string, to: string): void {
    const column = relation.column(from, this.#naming.exact);
    if (column !== null) column.name = to;
    this.#note([to]);
    for (const child of this.childrenOf(relation)) this.renameColumn(child, from, to);
  }

  remove(name: string): void {
    this.#relations.delete(this.#keyOf(name));
    this.#children = null;
  }

  rename(from: string, to: string): void {
    const relation = this.#relations.get(this.#keyOf(from));
    if (relation === undefined) return;
    this.#relations.delete(this.#keyOf(from));
    relation.name = to;
    this.#relations.set(this.#keyOf(to), relation);
  }

  inherit(child: Relation, parent: Relation, isPartition: boolean): void {
    child.parents = [...child.parents.filter((one) => one !== parent), parent];
    child.isPartition = isPartition;
    this.#children = null;
  }

  disinherit(child: Relation, parent: Relation): void {
    child.parents = child.parents.filter((one) => one !== parent);
    this.#children = null;
  }

  get relations(): Iterable<Relation> {
    return this.#relations.values();
  }

  get tables(): ReadonlyMap<string, readonly string[] | null> {
    return new Map([...this.#relations.values()].map(({ name, columns }) => [name, namesOf(columns)]));
  }

  has(table: string): boolean {
    return this.#relations.has(this.#keyOf(table));
  }

  find(name: string): Relation | null {
    return this.#relations.get(this.#keyOf(name)) ?? null;
  }

  /** The relation of a name; one that no statement makes has columns that are not known. */
  expect(name: string): Relation {
    const id = this.#keyOf(name);
    const relation = this.#relations.get(id) ?? this.#awaited.get(id) ?? new Relation(name);
    if (!this.#relations.has(id)) this.#awaited.set(id, relation);
    return relation;
  }

  /** The columns of a table; null where they are not known. */
  columnsOf(table: string): readonly string[] | null {
    return namesOf(this.find(table)?.columns ?? null);
  }

  /** The column that the number of a row is, in a table that has one. */
  keyOf(table: string): string | null {
    return this.find(table)?.key ?? null;
  }

  /** Whether any table has, or ever had, a column of this name. */
  hasColumn(column: string): boolean {
    return this.#columns.has(column.toLowerCase());
  }

  childrenOf(relation: Relation): readonly Relation[] {
    if (this.#children === null) {
      const children = new Map<Relation, Relation[]>();
      for (const child of this.#relations.values())
        for (const parent of child.parents) children.set(parent, [...(children.get(parent) ?? []), child]);
      this.#children = children;
    }
    return this.#children.get(relation) ?? [];
  }

  /** Every relation whose rows are read where a relation is: what it shows, its children, and the parents of those. */
  readWith(relation: Relation): ReadonlySet<Relation> {
    const read = new Set([relation]);
    for (const one of read) for (const next of [...one.uses, ...this.childrenOf(one)]) read.add(next);
    return new Set([...read].flatMap((one) => [one, ...ancestorsOf(one)]));
  }

  /** The same of a column. */
  columnsReadWith(relation: Relation, name: string): ReadWith {
    const reached: Reached[] = [];
    const calls: string[] = [];
    const seen = new Set<Source>();
    const enter = (source: Source, isPart: boolean): void => {
      if (seen.has(source)) return;
      seen.add(source);
      if (source instanceof Call) {
        calls.push(source.name);
        return;
      }
      const of = source instanceof Relation ? source : source.of;
      const column = source instanceof Relation ? null : source;
      reached.push({ relation: of, column, isPart });
      for (const next of column?.from ?? [...of.any, ...(of.columns ?? [])]) enter(next, isPart);
      if (of.columns === null) for (const next of of.any) enter(next, isPart);
      for (const child of this.childrenOf(of)) {
        const its = column === null ? child : child.column(column.name, this.#naming.exact);
        if (its !== null) enter(its, isPart || child.isPartition);
      }
    };
    const column = relation.column(name, this.#naming.exact);
    // A column of the server's own, or a name that is refused.
    if (column === null) return { columns: [], calls: [] };
    enter(column, false);
    const above = reached.flatMap(({ relation: of, column: its, isPart }) =>
      ancestorsOf(of).flatMap((parent) => {
        const inherited = its === null ? null : parent.column(its.name, this.#naming.exact);
        return its !== null && inherited === null ? [] : [{ relation: parent, column: inherited, isPart }];
      }),
    );
    return { columns: [...reached, ...above], calls };
  }

  #note(columns: readonly string[]): void {
    for (const column of columns) this.#columns.add(column.toLowerCase());
  }

  #keyOf(table: string): string {
    const name = withoutHome(nameParts(table), this.#naming.home);
    return this.#naming.exact ? name : name.toLowerCase();
  }
}

function namesOf(columns: readonly Column[] | null): readonly string[] | null {
  return columns?.map(({ name }) => name) ?? null;
}

function ancestorsOf(relation: Relation): readonly Relation[] {
  const above = new Set(relation.parents);
  for (const parent of above) for (const next of parent.parents) above.add(next);
  return [...above];
}
