// Reads MySQL and SQLite into facts. Their parser is not the server's own, so what it gives is believed only as far
// as every part of it is known here, and what the two could read differently is refused beforehand.

import type { CodeMode } from '../../../../config/sources.ts';
import { isTableNamed, joinName, nameParts, withoutHome } from '../../../../config/sql-names.ts';
import type { Budget } from '../../../../core/index.ts';
import type { QueryAction, QueryFlag, QueryOperation, Reading, Unknown } from '../../facts.ts';
import type { Catalog } from '../catalog.ts';
import { everything, HiddenNames } from '../hidden.ts';
import { catalogOf, type SqlInput, SqlUnavailable, sqlFacts } from '../input.ts';
import { columnName, KnownNames } from '../known.ts';
import { otherCatalog } from './catalog.ts';
import {
  type Dialect,
  growing,
  isHarmless,
  isReadingPragma,
  listingPragmas,
  rowNumbers,
  tableColumns,
  tableFunctions,
  takesUnit,
  units,
} from './functions.ts';
import {
  aliasColumns,
  aliasOf,
  identifier,
  isObject,
  isPresent,
  type Json,
  listIn,
  objectParts,
  textIn,
} from './tree.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

const schemaChanges = words('CreateTable CreateView CreateIndex AlterTable Drop Truncate');
const schemaReads = words('ShowTables ShowColumns ShowCreate ExplainTable');

/** Parts that compare or compute. */
const operations = words('BinaryOp UnaryOp InList Between Like');

/** Parts of a query that are looked through and mean nothing by themselves. */
const plainParts = words(
  'Nested Value value Number SingleQuotedString DoubleQuotedString HexStringLiteral Boolean Null Placeholder BinaryOp left op right UnaryOp expr Case operand conditions condition result else_result results Cast data_type kind InList list InSubquery Exists Between low high Like ILike pattern escape_char IsNull IsNotNull IsTrue IsFalse IsNotTrue IsNotFalse IsDistinctFrom IsNotDistinctFrom Tuple Subquery subquery negated any args List Unnamed Named arg Expr duplicate_treatment over WindowSpec partition_by order_by window_frame units start_bound end_bound Preceding Following CurrentRow filter named_window projection UnnamedExpr ExprWithAlias selection group_by Expressions having distinct Distinct joins relation join_operator Join Inner Left LeftOuter Right RightOuter CrossJoin FullOuter Cross On Using Natural body Select SetOperation set_quantifier Values rows content explicit_row value_keyword options asc nulls_first limit_clause LimitOffset OffsetCommaLimit limit offset interpolate Trim trim_what trim_where Substring substring_from substring_for special shorthand Position in Ceil Floor field Extract syntax Interval leading_field Collate collation RLike Regexp regexp JsonAccess path Dot Bracket key Array Convert is_try target_type charset target_before_value styles Function ObjectName quote_style all flavor describe_alias explicit null_treatment statement query_plan estimate format materialized table from WithFromKeyword WithoutKeyword source columns assignments target ColumnName Tuple on returning or Rollup Quarter Year Month Day Hour Minute Second Week',
);

/** Names and marks that hold nothing to look at. */
const leaves = words(
  'span quote_style value_table_mode flavor data_type kind op set_quantifier describe_alias units leading_field trim_where field syntax charset format null_treatment duplicate_treatment options materialized distinct explicit asc nulls_first',
);

/** What the servers do with these, the parser does not. */
const readDifferently: Readonly<Record<Dialect, readonly (readonly [RegExp, string])[]>> = {
  mysql: [[/\/\*(?:!|M!)/, 'a comment that the server runs']],
  sqlite: [],
};

const serverTables: Readonly<Record<Dialect, RegExp>> = {
  mysql: /^(?:mysql|information_schema|performance_schema|sys)\./i,
  sqlite: /^(?:sqlite_|pragma_|dbstat$|fsdir$|(?:main|temp)\.sqlite_)/i,
};

/** Those of them that tell names, types and keys. */
const describingTables: Readonly<Record<Dialect, RegExp>> = {
  mysql:
    /^information_schema\.(?:schemata|tables|columns|table_constraints|key_column_usage|referential_constraints|statistics)$/i,
  sqlite: /^sqlite_(?:master|schema)$/i,
};
const tellingColumns = words('type name tbl_name');

/** The facts of a text in one of the dialects. */
export async function readOther(dialect: Dialect, input: SqlInput): Promise<Reading> {
  const parse = await input.readers?.[dialect]?.();
  if (parse == null) {
    throw new SqlUnavailable(
      'The grammar of this database is not installed. Run npm install @guanmingchiu/sqlparser-ts.',
    );
  }
  const catalog = catalogOf(dialect, input, (made, naming) => {
    const read = parse(made);
    if ('error' in read) throw new SqlUnavailable(`The schema of the source is not SQL of ${dialect}.`);
    return otherCatalog(read.tree, naming);
  });
  const read = parse(input.text);
  if ('error' in read) {
    return { unreadable: { rule: 'query_invalid', message: 'This is not a statement of the database.' } };
  }
  return new Reader(dialect, input, catalog).read(read.tree);
}

/** A column as the statement names it. */
interface Reference {
  readonly name: string;
  /** The name before the dot. */
  readonly of: string | null;
  /** Whether it may be a text: SQLite takes a word in double quotes for one where there is no such column. */
  readonly mayBeText: boolean;
}

class Reader {
  readonly #dialect: Dialect;
  readonly #text: string;
  readonly #mode: CodeMode;
  readonly #budget: Budget;
  readonly #known: KnownNames;
  readonly #hidden: HiddenNames;
  /** Tables of the server itself that only tell names. */
  readonly #described = new Set<string>();
  readonly #operations: QueryOperation[] = [];
  /** Names of queries that are in force. */
  #queries: ReadonlySet<string> = new Set();
  readonly #tables = new Set<string>();
  /** Tables by what they are called in any part of the statement; null for what a query or a function gives. */
  readonly #aliases = new Map<string, Set<string | null>>();
  readonly #columns = new Map<string, Reference>();
  /** Names that the statement gives to columns, in small letters. */
  readonly #given = new Set<string>();
  readonly #stars: (string | null)[] = [];
  readonly #functions = new Set<string>();
  readonly #flags = new Set<QueryFlag>();
  readonly #unknowns: Unknown[] = [];
  #isOperand = false;
  #joins = 0;
  #cost = 0;
  #nodes = 0;
  #rows: number | null = null;

  constructor(dialect: Dialect, { text, mode, budget }: SqlInput, catalog: Catalog | null) {
    this.#dialect = dialect;
    this.#text = text;
    this.#mode = mode;
    this.#budget = budget;
    this.#known = new KnownNames(catalog, mode);
    this.#hidden = new HiddenNames(mode, catalog, this.#known);
  }

  read(tree: unknown): Reading {
    const statements = Array.isArray(tree) ? tree : [];
    if (statements.length === 0)
      return { unreadable: { rule: 'query_invalid', message: 'There is no statement.' } };
    if (statements.length > 1) this.#unknown('more than one statement');
    for (const [pattern, what] of readDifferently[this.#dialect])
      if (pattern.test(this.#text)) this.#unknown(what);
    for (const statement of statements) this.#statement(statement, true);
    const fields = this.#fields();
    for (const table of this.#described) this.#holdDescribed(table, fields);
    const { tenantColumn, tenantTables, naming } = this.#mode.sql;
    const shared = this.#known
      .relationsRead(this.#tables)
      .filter((table) => tenantTables.some((name) => isTableNamed(table, name, naming)));
    return {
      facts: sqlFacts(
        {
          operations: this.#operations,
          relations: this.#tables,
          fields,
          functions: this.#functions,
          depth: 0,
          selections: this.#columns.size,
          joins: this.#joins,
          cost: this.#cost + Math.floor(this.#nodes / 1000),
          rows: this.#rows,
          flags: this.#flags,
          // Conditions are not followed here: a table of many tenants is read on PostgreSQL, or not at all.
          tenantless: tenantColumn === null ? [] : shared,
          unknowns: this.#unknowns,
          canonical: JSON.stringify(tree, (key, value) =>
            key === 'span' || key.endsWith('_token') ? undefined : value,
          ),
        },
        this.#known,
      ),
    };
  }

  #unknown(what: string, instead?: Unknown['instead']): void {
    if (this.#unknowns.length < 100)
      this.#unknowns.push(instead === undefined ? { what } : { what, instead });
  }

  /** Of a table that tells names, the definitions are not read: they may hold anything. */
  #holdDescribed(table: string, fields: readonly string[]): void {
    const own = fields
      .filter((field) => field.startsWith(`${table}.`))
      .map((field) => nameParts(field).at(-1) ?? '');
    if (this.#dialect === 'sqlite' && own.some((column) => !tellingColumns.has(column.toLowerCase())))
      this.#unknown('a definition out of a table of the server itself', 'described');
  }

  #did(verb: string, action: QueryAction, name: string): void {
    this.#operations.push({ verb, action, name });
  }

  #statement(statement: unknown, top: boolean): void {
    const [kind = '', value] = Object.entries(isObject(statement) ? statement : {})[0] ?? [];
    const node = isObject(value) ? value : {};
    switch (kind) {
      case 'Query':
        if (top) this.#did('SELECT', 'read', 'query');
        if (top) this.#limit(node);
        this.#query(node);
        return;
      case 'Explain':
        // With ANALYZE it runs what it explains: it counts as running it.
        this.#did('EXPLAIN', 'read', 'query');
        this.#statement(node['statement'], false);
        return;
      case 'Insert':
        this.#insert(node);
        return;
      case 'Update':
        this.#from([node['table']]);
        this.#did('UPDATE', 'write', [...this.#tables].at(-1) ?? '');
        this.#change(node);
        this.#walk(node['assignments'], 'assignments');
        return;
      case 'Delete': {
        const from = isObject(node['from']) ? Object.values(node['from'])[0] : [];
        this.#from(Array.isArray(from) ? from : []);
        this.#did('DELETE', 'delete', [...this.#tables].at(-1) ?? '');
        this.#change(node);
        return;
      }
      case 'Pragma':
        this.#pragma(node);
        return;
      default:
        if (schemaChanges.has(kind)) this.#changeSchema(kind, node);
        else if (schemaReads.has(kind)) {
          if (this.#dialect !== 'mysql') this.#unknown('a statement that this database has not');
          if (this.#hidden.isShownBy(everything, 'columns'))
            this.#unknown('a list of what the server has', 'described');
          this.#did('SHOW', 'read', 'schema');
        } else this.#unknown(`a statement that is not known (${kind})`);
    }
  }

  #insert(node: Json): void {
    const into = this.#tableName(isObject(node['table']) ? node['table']['TableName'] : undefined);
    this.#table(into, null);
    this.#did(
      node['replace_into'] === true ? 'REPLACE' : 'INSERT',
      node['replace_into'] === true || isPresent(node['or']) ? 'delete' : 'write',
      into,
    );
    for (const name of listIn(node, 'columns')) this.#written(into, objectParts(name).at(-1) ?? '');
    this.#walk(node['assignments'], 'assignments');
    this.#walk(node['source'], 'query');
    this.#walk(node['on'], 'on');
    this.#walk(node['returning'], 'projection');
  }

  #changeSchema(kind: string, node: Json): void {
    this.#did(kind.toUpperCase(), kind === 'Drop' || kind === 'Truncate' ? 'delete' : 'admin', 'schema');
    this.#flags.add('schema_change');
    const names = Array.isArray(node['names']) ? node['names'] : [node['name'] ?? node['table_name']];
    for (const name of names) if (name !== undefined) this.#tables.add(this.#tableName(name));
    if (isPresent(node['query'])) this.#unknown('a table made from a query');
  }

  /** A setting of SQLite is read by its name alone; with a value it may be set. */
  #pragma(node: Json): void {
    const name = joinName(objectParts(node['name'])).toLowerCase();
    const given = isPresent(node['value']);
    const target = given ? { schema: null, name: textIn(node['value']) } : everything;
    if ((listingPragmas.has(name) || name === 'table_list') && this.#hidden.isShownBy(target, 'columns'))
      this.#unknown('a list of what the server has', 'described');
    if (isReadingPragma(name, given) && node['is_eq'] !== true) this.#did('PRAGMA', 'read', name);
    else this.#unknown('a PRAGMA that changes something');
  }

  #change(node: Json): void {
    this.#walk(node['selection'], 'selection');
    this.#walk(node['returning'], 'projection');
    if (!isPresent(node['selection']) || !namesColumn(node['selection'])) this.#flags.add('no_where');
    for (const part of ['using', 'tables', 'output', 'limit']) {
      if (isPresent(node[part])) this.#unknown(`something that is not known (${part})`);
    }
  }

  #query(node: Json): void {
    const before = this.#queries;
    const around = this.#isOperand;
    this.#isOperand = false;
    const clause = node['with'];
    if (isObject(clause)) {
      const names = new Set(before);
      const tables = Array.isArray(clause['cte_tables']) ? clause['cte_tables'].filter(isObject) : [];
      if (clause['recursive'] === true) for (const table of tables) names.add(aliasOf(table));
      for (const table of tables) {
        this.#queries = new Set(names);
        if (clause['recursive'] === true && isEndless(table['query'])) this.#cost += 1e6;
        this.#walk(table['query'], 'query');
        names.add(aliasOf(table));
        this.#give(aliasColumns(table));
      }
      this.#queries = names;
    }
    for (const [key, value] of Object.entries(node)) {
      if (key === 'with' || !isPresent(value)) continue;
      if (key === 'order_by') this.#order(value);
      else if (key === 'fetch' || !plainParts.has(key)) this.#unknown(`something that is not known (${key})`);
      else this.#walk(value, key);
    }
    this.#queries = before;
    this.#isOperand = around;
  }

  #order(value: unknown): void {
    const { kind, interpolate } = isObject(value) ? value : {};
    if (isPresent(interpolate)) this.#unknown('something that is not known (interpolate)');
    const list = isObject(kind) ? kind['Expressions'] : kind;
    for (const item of Array.isArray(list) ? list : []) this.#walk((item as Json)['expr'], 'expr');
  }

  #select(node: Json): void {
    this.#from(Array.isArray(node['from']) ? node['from'] : []);
    for (const [key, value] of Object.entries(node)) {
      if (key === 'from' || !isPresent(value)) continue;
      if (key === 'into') this.#unknown('INTO, which writes somewhere');
      else if (leaves.has(key) || key.endsWith('_token')) continue;
      else if (key === 'projection') this.#projection(value);
      else if (!plainParts.has(key)) this.#unknown(`something that is not known (${key})`);
      else this.#walk(value, key);
    }
  }

  #projection(value: unknown): void {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item === 'Wildcard') this.#stars.push(null);
      else if (isObject(item) && 'Wildcard' in item) this.#stars.push(null);
      else if (isObject(item) && Array.isArray(item['QualifiedWildcard'])) {
        const [name] = item['QualifiedWildcard'];
        const object = isObject(name) ? name['ObjectName'] : undefined;
        this.#stars.push(objectParts(object).at(-1) ?? '');
      } else if (isObject(item) && isObject(item['ExprWithAlias'])) {
        this.#give([identifier(item['ExprWithAlias']['alias'])]);
        this.#walk(item['ExprWithAlias']['expr'], 'expr');
      } else this.#walk(item, 'projection');
    }
  }

  #from(items: readonly unknown[]): void {
    this.#joins += Math.max(0, items.length - 1);
    for (const item of items) {
      if (!isObject(item)) continue;
      this.#relation(item['relation']);
      for (const join of Array.isArray(item['joins']) ? item['joins'].filter(isObject) : []) {
        this.#joins++;
        this.#relation(join['relation']);
        this.#joined(join['join_operator']);
      }
    }
  }

  #joined(operator: unknown): void {
    if (!isObject(operator)) return;
    for (const constraint of Object.values(operator)) {
      if (constraint === 'Natural') this.#stars.push(null);
      else if (isObject(constraint) && Array.isArray(constraint['Using'])) {
        for (const name of constraint['Using']) this.#column(objectParts(name).at(-1) ?? '', null);
      } else this.#walk(constraint, 'join_operator');
    }
  }

  #relation(relation: unknown): void {
    const [kind = '', value] = Object.entries(isObject(relation) ? relation : {})[0] ?? [];
    const node = isObject(value) ? value : {};
    const alias = aliasOf(node);
    this.#give(aliasColumns(node));
    if (kind === 'Derived') {
      if (isPresent(node['sample'])) this.#unknown('something that is not known (sample)');
      if (alias !== '') this.#named(alias, null);
      this.#walk(node['subquery'], 'query');
    } else if (kind === 'NestedJoin') this.#from([node['table_with_joins']]);
    else if (kind === 'Table') {
      this.#tableOrQuery(node, alias);
      for (const part of ['with_hints', 'version', 'partitions', 'json_path', 'sample', 'with_ordinality']) {
        if (isPresent(node[part])) this.#unknown(`something that is not known (${part})`);
      }
    } else this.#unknown(`something to read from that is not known (${kind})`);
  }

  #tableOrQuery(node: Json, alias: string): void {
    const parts = objectParts(node['name']);
    const [bare = ''] = parts.slice(-1);
    const args = node['args'];
    if (isPresent(args)) {
      const name = joinName(parts);
      this.#functions.add(name);
      if (!tableFunctions.has(name.toLowerCase()) || this.#dialect !== 'sqlite')
        this.#unknown(`a call of ${name}`);
      this.#walk(isObject(args) ? args['args'] : args, 'args');
      this.#give(tableColumns);
      this.#named(alias || bare, null);
    } else if (parts.length === 1 && this.#queries.has(bare)) this.#named(alias || bare, null);
    else this.#table(this.#tableName(node['name']), alias);
  }

  #table(name: string, alias: string | null): void {
    this.#tables.add(name);
    this.#named(alias || (nameParts(name).at(-1) ?? ''), name);
    const { home } = this.#mode.sql.naming;
    const full = home === null ? name : `${home}.${name}`;
    if ([name, full].some((one) => serverTables[this.#dialect].test(one))) {
      const mayTell = !this.#hidden.any && describingTables[this.#dialect].test(name);
      if (mayTell) this.#described.add(name);
      else this.#unknown(`a table of the server itself ("${name}")`, 'described');
    } else if (!this.#known.hasTable(name)) this.#unknown(this.#known.unlistedTable(name), 'listed');
  }

  /** The name of a table without the database that names are of by default. */
  #tableName(value: unknown): string {
    return withoutHome(objectParts(value), this.#mode.sql.naming.home);
  }

  /** Notes what a table, or null for a query, is called. */
  #named(alias: string, table: string | null): void {
    const key = alias.toLowerCase();
    this.#aliases.set(key, (this.#aliases.get(key) ?? new Set()).add(table));
  }

  /** Notes names that the statement gives to columns. */
  #give(names: Iterable<string>): void {
    for (const name of names) this.#given.add(name.toLowerCase());
  }

  /** Notes a column that is set and that the table does not have. */
  #written(table: string, column: string): void {
    if (!this.#mayHave(table, column)) this.#unknown(this.#known.unlistedColumn(column, [table]), 'listed');
  }

  #walk(value: unknown, under: string): void {
    this.#nodes++;
    this.#budget.spend();
    if (Array.isArray(value)) {
      for (const item of value) this.#walk(item, under);
      return;
    }
    if (!isObject(value)) return;
    if (under === 'query' || under === 'subquery' || under === 'Subquery') {
      this.#query(value);
      return;
    }
    for (const [key, inner] of Object.entries(value)) {
      if (!isPresent(inner) || leaves.has(key) || key.endsWith('_token')) continue;
      this.#part(key, inner);
    }
  }

  #part(key: string, inner: unknown): void {
    const node = isObject(inner) ? inner : {};
    switch (key) {
      case 'Select':
        this.#select(node);
        return;
      case 'Query':
        this.#query(node);
        return;
      case 'Identifier':
        this.#column(identifier(inner), null, this.#isOperand && node['quote_style'] === '"');
        return;
      case 'ColumnName':
      case 'CompoundIdentifier': {
        const parts = objectParts(inner);
        this.#column(parts.at(-1) ?? '', parts.at(-2) ?? null);
        return;
      }
      case 'collation':
        return;
      case 'Values':
        // Rows without a query have columns that are counted.
        this.#give(Array.from({ length: 100 }, (_, at) => [`column${at + 1}`, `column_${at}`]).flat());
        this.#walk(inner, key);
        return;
      case 'Function':
        this.#call(node);
        return;
      default:
        if (operations.has(key)) this.#operands(inner, key);
        else if (plainParts.has(key)) this.#walk(inner, key);
        else this.#unknown(`something that is not known (${key})`);
    }
  }

  /** Walks what is compared or computed with. */
  #operands(inner: unknown, key: string): void {
    const operator = isObject(inner) ? inner['op'] : undefined;
    if (operator === 'Assignment' || isObject(operator)) this.#unknown('an operator that is not known');
    const before = this.#isOperand;
    this.#isOperand = true;
    this.#walk(inner, key);
    this.#isOperand = before;
  }

  #column(name: string, of: string | null, mayBeText = false): void {
    if (name.startsWith('@')) this.#unknown('a variable of the server');
    const key = joinName(of === null ? [name] : [of, name]);
    const before = this.#columns.get(key);
    this.#columns.set(key, { name, of, mayBeText: mayBeText && before?.mayBeText !== false });
  }

  #call(node: Json): void {
    const name = joinName(objectParts(node['name']));
    this.#functions.add(name.toLowerCase());
    const allowed = this.#mode.sql.allowedFunctions.some((word) => word.toLowerCase() === name.toLowerCase());
    if (!allowed && !isHarmless(this.#dialect, name)) this.#unknown(`a call of ${name}`);
    const list = isObject(node['args']) ? node['args']['List'] : undefined;
    const args = isObject(list) && Array.isArray(list['args']) ? list['args'] : [];
    if (growing.has(name.toLowerCase())) this.#cost += Math.max(0, ...args.map(numberIn)) / 1000;
    for (const [key, value] of Object.entries(node)) {
      if (key === 'name' || !isPresent(value)) continue;
      if (key === 'args')
        this.#walk(
          args.filter(
            (arg, at) => !isStar(arg) && !(at === 0 && takesUnit.has(name.toLowerCase()) && isUnit(arg)),
          ),
          'args',
        );
      else if (key === 'over' || key === 'filter') this.#walk(value, key);
      else if (!leaves.has(key) && key !== 'parameters')
        this.#unknown(`something that is not known (${key})`);
    }
    this.#clauses(isObject(list) ? list['clauses'] : undefined);
  }

  /** What stands behind the arguments of a call. */
  #clauses(clauses: unknown): void {
    if (!Array.isArray(clauses)) return;
    for (const clause of clauses) {
      const [kind = '', value] = Object.entries(isObject(clause) ? clause : {})[0] ?? [];
      if (kind === 'OrderBy' && Array.isArray(value))
        for (const item of value) this.#walk((item as Json)['expr'], 'expr');
      else if (kind !== 'Separator') this.#unknown(`something that is not known (${kind})`);
    }
  }

  #limit(node: Json): void {
    const clause = isObject(node['limit_clause']) ? Object.values(node['limit_clause'])[0] : undefined;
    const limit = isObject(clause) ? clause['limit'] : undefined;
    if (isPresent(limit)) {
      const rows = numberIn(limit);
      if (rows >= 0) this.#rows = rows;
      else this.#flags.add('no_limit');
    } else if (
      isObject(node['body']) &&
      isObject(node['body']['Select']) &&
      isPresent(node['body']['Select']['from'])
    ) {
      this.#flags.add('no_limit');
    }
  }

  /** Every table of the query that has the column may be the one that is meant. */
  #fields(): readonly string[] {
    const fields = new Set<string>();
    for (const reference of this.#columns.values()) {
      for (const field of this.#fieldsOf(reference)) fields.add(field);
    }
    for (const star of this.#stars) {
      for (const table of this.#tablesCalled(star) ?? this.#tables) {
        for (const column of this.#known.starOf(table)) fields.add(columnName(table, column));
      }
    }
    return [...fields].sort();
  }

  /** The tables that a name before a dot stands for; null where it is none of the statement's. */
  #tablesCalled(name: string | null): readonly string[] | null {
    const called = name === null ? undefined : this.#aliases.get(name.toLowerCase());
    return called === undefined ? null : [...called].filter((table) => table !== null);
  }

  #fieldsOf({ name, of, mayBeText }: Reference): readonly string[] {
    const called = this.#tablesCalled(of);
    const tables = called ?? [...this.#tables];
    const isGiven =
      of === null ? this.#given.has(name.toLowerCase()) : this.#aliases.get(of.toLowerCase())?.has(null);
    const having = of === null || called !== null ? tables.filter((table) => this.#mayHave(table, name)) : [];
    if (!this.#known.hasSchema) return tables.map((table) => columnName(table, name));
    const listed = having.some((table) => this.#known.columnsOf(table) !== null);
    if (listed) return having.flatMap((table) => this.#read(table, name));
    if (having.length === 0 && isGiven !== true) {
      const isText = this.#dialect === 'sqlite' && mayBeText;
      if (!isText) this.#unknown(this.#known.unlistedColumn(name, tables), 'listed');
      return tables.map((table) => columnName(table, name));
    }
    // Taken for something else, it may still be a column that the schema does not list.
    const suspects = tables.filter((table) => this.#known.isBlocked(table, name));
    return [...having, ...suspects].map((table) => columnName(table, name));
  }

  /** A column, and the key where it is the number of the row. */
  #read(table: string, name: string): readonly string[] {
    const columns = this.#known.columnsOf(table) ?? [];
    const own = columns.some((column) => column.toLowerCase() === name.toLowerCase());
    const key = own ? null : this.#known.keyOf(table);
    return [name, ...(key === null ? [] : [key])].map((column) => columnName(table, column));
  }

  #mayHave(table: string, name: string): boolean {
    const columns = this.#known.columnsOf(table);
    const isRowNumber = this.#dialect === 'sqlite' && rowNumbers.has(name.toLowerCase());
    return (
      columns === null || isRowNumber || columns.some((column) => column.toLowerCase() === name.toLowerCase())
    );
  }
}

function isStar(arg: unknown): boolean {
  return arg === 'Wildcard' || (isObject(arg) && arg['Unnamed'] === 'Wildcard');
}

/** Whether an argument is a word for a span of time. */
function isUnit(arg: unknown): boolean {
  const unnamed = isObject(arg) ? arg['Unnamed'] : undefined;
  const expr = isObject(unnamed) ? unnamed['Expr'] : undefined;
  return isObject(expr) && units.has(identifier(expr['Identifier']).toLowerCase());
}

/** The largest number that stands in a value as it is written. */
function numberIn(value: unknown): number {
  if (Array.isArray(value))
    return value.length === 2 && typeof value[0] === 'string' && typeof value[1] === 'boolean'
      ? Number(value[0])
      : Math.max(-1, ...value.map(numberIn));
  if (!isObject(value)) return -1;
  return Math.max(
    -1,
    ...Object.entries(value).map(([key, inner]) => (key === 'span' ? -1 : numberIn(inner))),
  );
}

function namesColumn(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(namesColumn);
  if (!isObject(value)) return false;
  return Object.entries(value).some(
    ([key, inner]) => key === 'Identifier' || key === 'CompoundIdentifier' || namesColumn(inner),
  );
}

/** Whether a query that uses itself has nothing that could end it. */
function isEndless(query: unknown): boolean {
  const body = isObject(query) ? query['body'] : undefined;
  const union = isObject(body) ? body['SetOperation'] : undefined;
  if (!isObject(union) || (isObject(query) && isPresent(query['limit_clause']))) return false;
  const step = isObject(union['right']) ? union['right']['Select'] : undefined;
  if (!isObject(step) || isPresent(step['selection'])) return false;
  const from = Array.isArray(step['from']) ? step['from'] : [];
  return from.length < 2 && !from.some((item) => isPresent((item as Json)['joins']));
}
