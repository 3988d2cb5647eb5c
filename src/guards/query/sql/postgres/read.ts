// Reads a statement of PostgreSQL, as its own grammar does, into facts. Every node is either known or denied, in
// whatever place it stands; names are what the server will make of them.

import type { CodeMode } from '../../../../config/sources.ts';
import type { Budget } from '../../../../core/index.ts';
import type { QueryAction, QueryFlag, QueryOperation, Reading, Unknown } from '../../facts.ts';
import type { Catalog } from '../catalog.ts';
import { sqlFacts } from '../input.ts';
import { expansion, rowsOf } from './amounts.ts';
import { tableName } from './catalog.ts';
import { isCatalogType, isHarmless, isSecretTable, rowFunctions, rowTypes } from './functions.ts';
import { aggregates, operators, types } from './names.ts';
import { knownFields, otherStatements, plainNodes, schemaStatements } from './nodes.ts';
import { heldToTenant } from './tenant.ts';
import { childrenOf, type Json, namesIn, nodeOf, onlyNode, type SqlNode, textOf } from './tree.ts';

/** How deep nodes may lie in one another; the server's own limit is its stack. */
const deepest = 400;

/** What a FROM has under a name. */
interface Item {
  /** The table, or null for what a query or a function gives. */
  readonly table: string | null;
  /** Columns under the names that the query uses; null where they are not known. */
  readonly columns: readonly string[] | null;
  /** Whether the query gave the columns other names. */
  readonly renamed: boolean;
}

/** What names mean at one place. */
interface Scope {
  readonly outer: Scope | null;
  readonly items: Map<string, Item>;
  /** Queries by name, with the columns they give; null where those are not known. */
  readonly queries: ReadonlyMap<string, readonly string[] | null>;
}

export interface PostgresInput {
  readonly tree: unknown;
  readonly catalog: Catalog;
  readonly mode: CodeMode;
  readonly budget: Budget;
  /** Who asks; tables of many tenants are held to it. */
  readonly tenant: string;
}

/** The facts of a parsed text. */
export function readStatement(input: PostgresInput): Reading {
  return new Reader(input).read();
}

class Reader {
  readonly #input: PostgresInput;
  readonly #operations: QueryOperation[] = [];
  readonly #relations = new Set<string>();
  readonly #fields = new Set<string>();
  readonly #functions = new Set<string>();
  readonly #flags = new Set<QueryFlag>();
  readonly #tenantless = new Set<string>();
  readonly #unknowns: Unknown[] = [];
  #joins = 0;
  #crossed = 0;
  #nodes = 0;
  #cost = 0;
  #rows: number | null = null;
  #depth = 0;
  #deepest = 0;

  constructor(input: PostgresInput) {
    this.#input = input;
  }

  read(): Reading {
    const statements = childrenOf(this.#input.tree, 'stmts');
    const [first, second] = statements;
    if (first === undefined)
      return { unreadable: { rule: 'query_invalid', message: 'There is no statement.' } };
    if (second !== undefined) this.#unknown('more than one statement');
    const scope: Scope = { outer: null, items: new Map(), queries: new Map() };
    for (const statement of statements) this.#statement(nodeOf(statement, 'stmt'), scope, true);
    const cost =
      this.#cost + Math.floor(this.#nodes / 1000) + (this.#crossed === 0 ? 0 : 20 ** this.#crossed);
    return {
      facts: sqlFacts({
        operations: this.#operations,
        relations: this.#relations,
        fields: [...this.#fields].sort(),
        functions: this.#functions,
        depth: this.#deepest,
        selections: this.#fields.size,
        joins: this.#joins,
        cost,
        rows: this.#rows,
        flags: this.#flags,
        tenantless: [...this.#tenantless].sort(),
        unknowns: this.#unknowns,
        canonical: JSON.stringify(statements, (key, value) =>
          key === 'location' ||
          key.startsWith('stmt_') ||
          key.startsWith('rexpr_list_') ||
          key.startsWith('list_')
            ? undefined
            : value,
        ),
      }),
    };
  }

  #unknown(what: string): void {
    if (this.#unknowns.length < 100) this.#unknowns.push({ what });
  }

  #did(verb: string, action: QueryAction, name: string): void {
    this.#operations.push({ verb, action, name });
  }

  // ---- Statements ----

  #statement(node: SqlNode | null, scope: Scope, top: boolean): readonly string[] | null {
    if (node === null) return null;
    const { kind, value } = node;
    this.#known(kind, value);
    switch (kind) {
      case 'SelectStmt':
        if (top) {
          this.#did('SELECT', 'read', 'query');
          this.#limit(value);
        }
        return this.#select(value, scope);
      case 'InsertStmt':
        return this.#insert(value, scope);
      case 'UpdateStmt':
        return this.#update(value, scope);
      case 'DeleteStmt':
        return this.#delete(value, scope);
      case 'MergeStmt':
        return this.#merge(value, scope);
      case 'ExplainStmt': {
        // With ANALYZE it runs what it explains, and the word for that has many spellings: it counts as running it.
        this.#did('EXPLAIN', 'read', 'query');
        for (const option of childrenOf(value, 'options')) this.#explainOption(onlyNode(option));
        return this.#statement(nodeOf(value, 'query'), scope, false);
      }
      case 'VariableShowStmt': {
        const name = String(value['name'] ?? '');
        this.#did('SHOW', 'read', name);
        if (name === 'all' || /password|secret|key|token/i.test(name))
          this.#unknown('a setting that may be secret');
        return null;
      }
      case 'TruncateStmt':
        for (const relation of childrenOf(value, 'relations'))
          this.#target(onlyNode(relation)?.value ?? {}, scope);
        this.#did('TRUNCATE', 'delete', 'table');
        this.#flags.add('no_where');
        return null;
      default: {
        const verb = schemaStatements.get(kind);
        if (verb !== undefined) {
          this.#did(verb, verb.startsWith('DROP') ? 'delete' : 'admin', 'schema');
          this.#flags.add('schema_change');
          this.#namesOf(value);
        } else this.#unknown(otherStatements.get(kind) ?? `a statement that is not known (${kind})`);
        return null;
      }
    }
  }

  /** The tables that a change of the schema names, wherever it names them. */
  #namesOf(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'RangeVar' || key === 'relation') this.#relations.add(tableName(inner as Json));
      this.#namesOf(inner);
    }
  }

  #explainOption(option: SqlNode | null): void {
    const name = String(option?.value['defname'] ?? '').toLowerCase();
    if (
      !/^(?:analy[sz]e|verbose|costs|settings|buffers|wal|timing|summary|format|generic_plan|memory|serialize)$/.test(
        name,
      )
    ) {
      this.#unknown('an option of EXPLAIN that is not known');
    }
  }

  #select(value: Json, outer: Scope): readonly string[] | null {
    this.#known('SelectStmt', value);
    if ('intoClause' in value || 'lockingClause' in value) {
      this.#unknown(
        'intoClause' in value ? 'INTO, which makes a table' : 'a lock on rows (FOR UPDATE, FOR SHARE)',
      );
    }
    const scope = this.#with(value, outer);
    if ('larg' in value || 'rarg' in value) {
      const left = this.#select((value['larg'] ?? {}) as Json, { ...scope, items: new Map(scope.items) });
      this.#select((value['rarg'] ?? {}) as Json, { ...scope, items: new Map(scope.items) });
      for (const part of ['sortClause', 'limitOffset', 'limitCount']) this.#part(value, part, scope);
      return left;
    }
    const inner: Scope = { outer: scope, items: new Map(), queries: scope.queries };
    this.#from(childrenOf(value, 'fromClause'), inner, value['whereClause']);
    this.#holdTenants(childrenOf(value, 'fromClause'), value['whereClause']);
    for (const part of [
      'distinctClause',
      'targetList',
      'whereClause',
      'groupClause',
      'havingClause',
      'windowClause',
      'valuesLists',
      'sortClause',
      'limitOffset',
      'limitCount',
    ]) {
      this.#part(value, part, inner);
    }
    return this.#columnsOf(childrenOf(value, 'targetList'), inner);
  }

  #part(value: Json, name: string, scope: Scope): void {
    const part = value[name];
    if (part === undefined) return;
    for (const node of Array.isArray(part) ? part : [part]) this.#walk(onlyNode(node), scope);
  }

  /** The names that a list of targets gives; null where a star hides them. */
  #columnsOf(targets: readonly unknown[], scope: Scope): readonly string[] | null {
    const columns: string[] = [];
    for (const target of targets) {
      const { name, val } = onlyNode(target)?.value ?? {};
      const node = onlyNode(val);
      if (typeof name === 'string') columns.push(name);
      else if (node?.kind === 'ColumnRef') {
        const parts = namesIn(node.value, 'fields');
        const last = parts.at(-1);
        if (last === '*') {
          const items = parts.length > 1 ? [find(scope, parts.at(-2) ?? '')] : [...scope.items.values()];
          for (const item of items) {
            if (item?.columns == null) return null;
            columns.push(...item.columns);
          }
        } else columns.push(last ?? '');
      } else if (node?.kind === 'FuncCall') columns.push(namesIn(node.value, 'funcname').at(-1) ?? '');
      else columns.push('?column?');
    }
    return columns;
  }

  /** A scope in which the queries of a WITH have their names. */
  #with(value: Json, outer: Scope): Scope {
    const clause = value['withClause'] as Json | undefined;
    if (clause === undefined) return { outer, items: new Map(), queries: outer.queries };
    this.#known('WithClause', clause);
    const queries = new Map(outer.queries);
    const recursive = clause['recursive'] === true;
    const definitions = childrenOf(clause, 'ctes').map((node) => onlyNode(node)?.value ?? {});
    // Without RECURSIVE a query does not see itself: the same name inside it is the table.
    if (recursive) for (const { ctename } of definitions) queries.set(String(ctename), null);
    for (const definition of definitions) {
      this.#known('CommonTableExpr', definition);
      const query = nodeOf(definition, 'ctequery');
      const given = namesIn(definition, 'aliascolnames');
      const scope: Scope = { outer, items: new Map(), queries: new Map(queries) };
      const columns = this.#statement(query, scope, false);
      for (const part of ['search_clause', 'cycle_clause']) {
        const clause = definition[part];
        if (clause !== undefined)
          this.#fieldsOf(
            part === 'search_clause' ? 'CTESearchClause' : 'CTECycleClause',
            clause as Json,
            scope,
          );
      }
      if (recursive && query !== null && isEndless(query.value)) this.#cost += 1e6;
      queries.set(String(definition['ctename']), given.length > 0 ? given : columns);
    }
    return { outer, items: new Map(), queries };
  }

  /** A read says how many rows it wants, or gives one row, or is without an end. */
  #limit(value: Json): void {
    const limit = onlyNode(value['limitCount']);
    const rows = limit === null ? null : rowsOf(limit);
    if (rows !== null) this.#rows = rows;
    if (limit !== null && rows === null) this.#flags.add('no_limit');
    if (limit === null && !isSingle(value)) this.#flags.add('no_limit');
  }

  #insert(value: Json, outer: Scope): readonly string[] | null {
    const scope = this.#with(value, outer);
    const table = this.#target((value['relation'] ?? {}) as Json, scope);
    this.#did('INSERT', 'write', table);
    const source = nodeOf(value, 'selectStmt');
    if (source?.kind === 'SelectStmt' && !('valuesLists' in source.value)) this.#flags.add('many_rows');
    this.#statement(source, scope, false);
    this.#part(value, 'cols', scope);
    const conflict = value['onConflictClause'] as Json | undefined;
    if (conflict !== undefined) this.#fieldsOf('OnConflictClause', conflict, scope);
    return this.#returning(value, scope);
  }

  #update(value: Json, outer: Scope): readonly string[] | null {
    const scope = this.#with(value, outer);
    this.#did('UPDATE', 'write', this.#target((value['relation'] ?? {}) as Json, scope));
    return this.#change(value, scope, childrenOf(value, 'fromClause'));
  }

  #delete(value: Json, outer: Scope): readonly string[] | null {
    const scope = this.#with(value, outer);
    this.#did('DELETE', 'delete', this.#target((value['relation'] ?? {}) as Json, scope));
    return this.#change(value, scope, childrenOf(value, 'usingClause'));
  }

  #change(value: Json, scope: Scope, from: readonly unknown[]): readonly string[] | null {
    this.#from(from, scope, value['whereClause']);
    this.#holdTenants([{ RangeVar: value['relation'] }, ...from], value['whereClause']);
    this.#part(value, 'targetList', scope);
    this.#part(value, 'whereClause', scope);
    if (!namesColumn(value['whereClause'])) this.#flags.add('no_where');
    return this.#returning(value, scope);
  }

  #merge(value: Json, outer: Scope): readonly string[] | null {
    const scope = this.#with(value, outer);
    const table = this.#target((value['relation'] ?? {}) as Json, scope);
    this.#from([value['sourceRelation']], scope, value['joinCondition']);
    this.#holdTenants([{ RangeVar: value['relation'] }, value['sourceRelation']], value['joinCondition']);
    this.#part(value, 'joinCondition', scope);
    const clauses = childrenOf(value, 'mergeWhenClauses').map((node) => onlyNode(node)?.value ?? {});
    for (const clause of clauses) {
      this.#known('MergeWhenClause', clause);
      for (const part of ['condition', 'targetList', 'values']) this.#part(clause, part, scope);
    }
    const deletes = clauses.some(({ commandType }) => commandType === 'CMD_DELETE');
    this.#did('MERGE', deletes ? 'delete' : 'write', table);
    this.#flags.add('many_rows');
    return this.#returning(value, scope);
  }

  /** What is changed, under the name that the statement gives it. */
  #target(value: Json, scope: Scope): string {
    this.#known('RangeVar', value);
    const table = tableName(value);
    this.#relation(table);
    this.#name(value, table, scope);
    return table;
  }

  #returning(value: Json, scope: Scope): readonly string[] | null {
    const clause = value['returningClause'] as Json | undefined;
    if (clause === undefined) return [];
    this.#fieldsOf('ReturningClause', clause, scope);
    return this.#columnsOf(childrenOf(clause, 'exprs'), scope);
  }

  // ---- What is read from ----

  #from(items: readonly unknown[], scope: Scope, where: unknown): void {
    this.#joins += Math.max(0, items.length - 1);
    if (items.length > 1 && where === undefined) this.#crossed += items.length - 1;
    for (const item of items) this.#item(onlyNode(item), scope);
  }

  #item(node: SqlNode | null, scope: Scope): void {
    if (node === null) return;
    const { kind, value } = node;
    this.#count(node);
    this.#known(kind, value);
    const alias = value['alias'] as Json | undefined;
    const name = typeof alias?.['aliasname'] === 'string' ? alias['aliasname'] : null;
    const given = alias === undefined ? [] : namesIn(alias, 'colnames');
    switch (kind) {
      case 'RangeVar':
        this.#table(value, scope);
        return;
      case 'RangeSubselect': {
        const columns = this.#statement(nodeOf(value, 'subquery'), scope, false);
        if (name !== null) scope.items.set(name, derived(given.length > 0 ? given : columns));
        return;
      }
      case 'RangeFunction': {
        for (const list of childrenOf(value, 'functions')) this.#walk(onlyNode(list), scope);
        for (const column of childrenOf(value, 'coldeflist')) this.#column(onlyNode(column), scope);
        if (name !== null) scope.items.set(name, derived(null));
        return;
      }
      case 'RangeTableSample': {
        this.#item(onlyNode(value['relation']), scope);
        const method = namesIn(value, 'method');
        if (method.length !== 1 || !/^(?:system|bernoulli)$/.test(method[0] ?? ''))
          this.#unknown('a way of sampling that is not known');
        this.#part(value, 'args', scope);
        this.#part(value, 'repeatable', scope);
        return;
      }
      case 'RangeTableFunc':
        for (const part of ['docexpr', 'rowexpr', 'namespaces', 'columns']) this.#part(value, part, scope);
        if (name !== null) scope.items.set(name, derived(null));
        return;
      case 'JsonTable':
        this.#fieldsOf('JsonValueExpr', (value['context_item'] ?? {}) as Json, scope);
        this.#fieldsOf('JsonTablePathSpec', (value['pathspec'] ?? {}) as Json, scope);
        for (const part of ['passing', 'columns']) this.#part(value, part, scope);
        if ('on_error' in value) this.#fieldsOf('JsonBehavior', value['on_error'] as Json, scope);
        if (name !== null) scope.items.set(name, derived(null));
        return;
      case 'JoinExpr':
        this.#join(value, scope);
        return;
      default:
        this.#unknown(`something to read from that is not known (${kind})`);
    }
  }

  #join(value: Json, scope: Scope): void {
    this.#joins++;
    const before = new Set(scope.items.keys());
    this.#item(onlyNode(value['larg']), scope);
    this.#item(onlyNode(value['rarg']), scope);
    this.#part(value, 'quals', scope);
    const using = namesIn(value, 'usingClause');
    const joined = [...scope.items].filter(([name]) => !before.has(name)).map(([, item]) => item);
    for (const column of using) this.#touch(joined, column);
    if (value['isNatural'] === true) {
      // Which columns they share only the tables tell; to join by a column is to ask for its values.
      for (const item of joined) for (const column of item.columns ?? ['*']) this.#touch([item], column);
    }
    const shared = value['join_using_alias'] as Json | undefined;
    if (shared !== undefined) scope.items.set(String(shared['aliasname']), derived(using));
    const alias = value['alias'] as Json | undefined;
    if (alias !== undefined) {
      // The join has one name now, and what lies in it is reached by that alone.
      const columns = joined.map((item) => item.columns);
      const all = columns.includes(null) ? null : columns.flatMap((list) => list ?? []);
      for (const item of joined) this.#touchAll(item);
      scope.items.set(String(alias['aliasname']), derived(all));
    }
    const bare = using.length === 0 && value['quals'] === undefined && value['isNatural'] !== true;
    const right = onlyNode(value['rarg'])?.kind;
    if (bare && right === 'RangeVar') this.#crossed++;
  }

  #table(value: Json, scope: Scope): void {
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
    this.#relation(table);
    this.#name(value, table, scope);
  }

  #name(value: Json, table: string, scope: Scope): void {
    const alias = value['alias'] as Json | undefined;
    const given = alias === undefined ? [] : namesIn(alias, 'colnames');
    const known = this.#input.catalog.columnsOf(table);
    const columns = given.length === 0 || known === null ? known : [...given, ...known.slice(given.length)];
    scope.items.set(String(alias?.['aliasname'] ?? value['relname'] ?? ''), {
      table,
      columns,
      renamed: given.length > 0,
    });
  }

  #relation(table: string): void {
    this.#relations.add(table);
    const named = this.#input.mode.sql.allowedTables.some((name) => name.toLowerCase() === table);
    const shown = named || (this.#input.mode.sql.catalogs && !isSecretTable(table));
    if (isCatalog(table) && !shown) this.#unknown(`a table of the server itself ("${table}")`);
  }

  #column(node: SqlNode | null, scope: Scope): void {
    if (node?.kind !== 'ColumnDef') {
      this.#unknown('a column that is not known');
      return;
    }
    this.#known('ColumnDef', node.value);
    this.#type((node.value['typeName'] ?? {}) as Json, scope);
  }

  #holdTenants(from: readonly unknown[], where: unknown): void {
    const { tenantColumn, tenantTables } = this.#input.mode.sql;
    if (tenantColumn === null || tenantTables.length === 0) return;
    const free = heldToTenant(from, where, {
      column: tenantColumn,
      tables: tenantTables,
      tenant: this.#input.tenant,
    });
    for (const table of free) this.#tenantless.add(table);
  }

  // ---- Expressions ----

  #walk(node: SqlNode | null, scope: Scope): void {
    if (node === null) return;
    this.#count(node);
    if (++this.#depth > deepest) {
      this.#unknown('an expression that lies too deep');
      this.#depth--;
      return;
    }
    this.#deepest = Math.max(this.#deepest, this.#depth);
    this.#enter(node, scope);
    this.#depth--;
  }

  #count({ kind, value }: SqlNode): void {
    this.#nodes++;
    this.#input.budget.spend();
    if (kind === 'FuncCall' || kind === 'A_Expr') this.#cost += expansion({ kind, value });
  }

  #enter({ kind, value }: SqlNode, scope: Scope): void {
    switch (kind) {
      case 'SelectStmt':
        this.#select(value, scope);
        return;
      case 'ColumnRef':
        this.#reference(namesIn(value, 'fields'), scope);
        return;
      case 'FuncCall':
        this.#call(value, scope);
        return;
      case 'A_Expr':
        this.#known(kind, value);
        if (!String(value['kind']).includes('BETWEEN')) this.#operator(namesIn(value, 'name'));
        this.#part(value, 'lexpr', scope);
        this.#part(value, 'rexpr', scope);
        return;
      case 'SubLink': {
        this.#known(kind, value);
        if ('operName' in value) this.#operator(namesIn(value, 'operName'));
        this.#part(value, 'testexpr', scope);
        this.#statement(
          nodeOf(value, 'subselect'),
          { outer: scope, items: new Map(), queries: scope.queries },
          false,
        );
        return;
      }
      case 'TypeCast':
        this.#known(kind, value);
        this.#part(value, 'arg', scope);
        this.#type((value['typeName'] ?? {}) as Json, scope);
        return;
      case 'TypeName':
        this.#type(value, scope);
        return;
      case 'SortBy':
        this.#known(kind, value);
        if ('useOp' in value) this.#operator(namesIn(value, 'useOp'));
        this.#part(value, 'node', scope);
        return;
      case 'CollateClause':
        this.#known(kind, value);
        if (namesIn(value, 'collname').length > 1 && namesIn(value, 'collname')[0] !== 'pg_catalog') {
          this.#unknown('a collation of somebody else');
        }
        this.#part(value, 'arg', scope);
        return;
      case 'A_Indirection':
        this.#indirection(value, scope);
        return;
      default:
        if (plainNodes[kind] === undefined) this.#unknown(`something that is not known (${kind})`);
        else this.#fieldsOf(kind, value, scope);
    }
  }

  /** Walks the fields of a node that means nothing by itself. */
  #fieldsOf(kind: string, value: Json, scope: Scope): void {
    if (kind === 'TypeName') {
      this.#type(value, scope);
      return;
    }
    const fields = plainNodes[kind] ?? {};
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner !== 'object' || inner === null) continue;
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (field === undefined) this.#unknown(`something that is not known (${kind}.${name})`);
      else if (field === 'nodes') this.#part(value, name, scope);
      else this.#fieldsOf(field, inner as Json, scope);
    }
  }

  /** INVARIANT: a field that we do not read is not there. */
  #known(kind: string, value: Json): void {
    const fields = knownFields[kind];
    if (fields === undefined) return;
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner !== 'object' || inner === null || fields.has(name)) continue;
      // These two have words of their own.
      if (name === 'intoClause' || name === 'lockingClause') continue;
      this.#unknown(`something that is not known (${kind}.${name})`);
    }
  }

  #reference(parts: readonly string[], scope: Scope): void {
    const last = parts.at(-1) ?? '';
    if (last === '*') {
      const items = parts.length === 1 ? [...scope.items.values()] : [find(scope, parts.at(-2) ?? '')];
      for (const item of items) if (item !== undefined) this.#touchAll(item);
      return;
    }
    if (parts.length === 1) {
      const items = visibleItems(scope);
      const owner = items.find(({ columns }) => columns?.includes(last) === true);
      const whole = owner === undefined ? find(scope, last) : undefined;
      if (whole !== undefined) this.#touchAll(whole);
      else this.#touch(owner === undefined ? items.filter(({ columns }) => columns === null) : [owner], last);
      return;
    }
    const item = find(scope, parts.at(-2) ?? '');
    if (item === undefined) {
      // A table by its schema, or a name that the server will refuse.
      if (parts.length < 3 && !scope.queries.has(parts[0] ?? '')) this.#indirectCall(null);
      return;
    }
    const missing = item.columns === null ? rowFunctions.has(last) : !item.columns.includes(last);
    if (missing && !systemColumns.has(last)) this.#indirectCall(item);
    else this.#touch([item], last);
  }

  /** `t.f` is `f(t)` where the table has no such column. */
  #indirectCall(item: Item | null): void {
    if (item !== null) this.#touchAll(item);
    this.#unknown('a name that is no column, and may be a call');
  }

  #indirection(value: Json, scope: Scope): void {
    this.#known('A_Indirection', value);
    const arg = onlyNode(value['arg']);
    this.#walk(arg, scope);
    const names = arg?.kind === 'ColumnRef' ? namesIn(arg.value, 'fields') : [];
    const item = names.length === 1 ? find(scope, names[0] ?? '') : undefined;
    for (const part of childrenOf(value, 'indirection')) {
      const node = onlyNode(part);
      if (node?.kind !== 'String') {
        this.#walk(node, scope);
        continue;
      }
      const name = textOf(node);
      const called = item === undefined ? rowFunctions.has(name) : item.columns?.includes(name) !== true;
      if (called) this.#indirectCall(item ?? null);
    }
  }

  #touch(items: readonly Item[], column: string): void {
    for (const item of items) {
      if (item.table === null) continue;
      const maybeRow = item.columns === null && rowTypes.has(column);
      if (item.renamed || column === '*' || maybeRow) this.#touchAll(item);
      else this.#fields.add(`${item.table}.${column}`);
    }
  }

  #touchAll({ table }: Item): void {
    if (table === null) return;
    const columns = this.#input.catalog.columnsOf(table);
    for (const column of columns ?? []) this.#fields.add(`${table}.${column}`);
    if (columns !== null) return;
    this.#fields.add(`${table}.*`);
    // Nobody knows what the star stands for: it may stand for what is not to be read.
    for (const name of this.#input.mode.sql.blockedColumns) {
      const bare = name.slice(name.lastIndexOf('.') + 1);
      this.#fields.add(`${table}.${bare}`);
    }
  }

  #call(value: Json, scope: Scope): void {
    this.#known('FuncCall', value);
    const names = namesIn(value, 'funcname');
    const name = names.at(-1) ?? '';
    const own = names.length === 1 || (names.length === 2 && names[0] === 'pg_catalog');
    this.#functions.add(names.join('.'));
    const allowed = this.#input.mode.sql.allowedFunctions.some(
      (word) => word.toLowerCase() === names.join('.').toLowerCase(),
    );
    if (!allowed && !(own && isHarmless(name, this.#input.mode.sql.catalogs)))
      this.#unknown(`a call of ${names.join('.')}`);
    const rows = name === 'generate_series' ? rowsOf({ kind: 'FuncCall', value }) : null;
    if (rows !== null) this.#rows = Math.max(this.#rows ?? 0, rows);
    const [only, second] = childrenOf(value, 'args');
    const counted = onlyNode(only);
    // How many rows there are tells nothing of what is in them.
    const countsRows = name === 'count' && own && second === undefined && counted?.kind === 'ColumnRef';
    if (countsRows && isWholeRow(counted, scope)) return;
    for (const part of ['args', 'agg_order', 'agg_filter']) this.#part(value, part, scope);
    if ('over' in value) this.#fieldsOf('WindowDef', value['over'] as Json, scope);
  }

  #operator(names: readonly string[]): void {
    const own = names.length === 1 || (names.length === 2 && names[0] === 'pg_catalog');
    if (!own || !operators.has(operatorName(names.at(-1) ?? '')))
      this.#unknown('an operator that is not known');
  }

  #type(value: Json, scope: Scope): void {
    this.#known('TypeName', value);
    const names = namesIn(value, 'names');
    const name = names.at(-1) ?? '';
    const own = names.length === 1 || (names.length === 2 && names[0] === 'pg_catalog');
    const { catalog, mode } = this.#input;
    const shown = types.has(name) || (mode.sql.catalogs && isCatalogType(name));
    const known = (own && shown) || catalog.types.has(names.join('.'));
    if (!known || value['setof'] === true || value['pct_type'] === true)
      this.#unknown('a type that is not known');
    this.#part(value, 'typmods', scope);
  }
}

const systemColumns: ReadonlySet<string> = new Set(['ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid']);

/** `<>` and `!=` are one operator, and the grammar gives the second as the first. */
function operatorName(name: string): string {
  return name === '!=' ? '<>' : name;
}

function derived(columns: readonly string[] | null): Item {
  return { table: null, columns, renamed: false };
}

function find(scope: Scope | null, name: string): Item | undefined {
  for (let at = scope; at !== null; at = at.outer) {
    const item = at.items.get(name);
    if (item !== undefined) return item;
  }
  return undefined;
}

function visibleItems(scope: Scope | null): readonly Item[] {
  const items: Item[] = [];
  for (let at = scope; at !== null; at = at.outer) items.push(...at.items.values());
  return items;
}

function isWholeRow(node: SqlNode, scope: Scope): boolean {
  const parts = namesIn(node.value, 'fields');
  const item = parts.length === 1 ? find(scope, parts[0] ?? '') : undefined;
  return item !== undefined && item.columns?.includes(parts[0] ?? '') !== true;
}

function isCatalog(table: string): boolean {
  return /^(?:pg_|information_schema\.)/.test(table);
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
  const joins = childrenOf(step, 'fromClause').some((item) => onlyNode(item)?.kind === 'JoinExpr');
  return step['whereClause'] === undefined && !joins && childrenOf(step, 'fromClause').length < 2;
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
