// What the columns of a query are computed from: the definition of a view, followed to the columns that it reads.
// Names are resolved as the server does; where nothing says which column is meant, it is every column that could be.

import { joinName } from '../../../../config/sql-names.ts';
import { Call, type Column, type Relation, type Source } from '../catalog.ts';
import { isOwnFunction, isOwnOperator } from './functions.ts';
import { givenName } from './scope.ts';
import { childrenOf, type Json, namesIn, onlyNode, type SqlNode } from './tree.ts';

/** One column that a query gives. */
interface Output {
  readonly name: string;
  readonly from: ReadonlySet<Source>;
  /** The column whose values it shows unchanged. */
  readonly plain: Column | null;
}

/** What a query gives. */
interface Given {
  /** Null where the columns are not known. */
  readonly outputs: readonly Output[] | null;
  /** What a column that is not known is computed from. */
  readonly any: ReadonlySet<Source>;
}

interface Item extends Given {
  readonly name: string | null;
  readonly relation: Relation | null;
}

interface Scope {
  readonly outer: Scope | null;
  readonly items: Item[];
  /** What a star stands for. */
  readonly star: Given[];
  readonly queries: ReadonlyMap<string, Given>;
}

/** The definition of a view, as it is followed. */
export interface Lineage extends Given {
  readonly uses: readonly Relation[];
  readonly isTransparent: boolean;
}

/** Follows the query of a view; `relationOf` says which relation a name in it means. */
export function lineageOf(
  query: Json,
  names: readonly string[],
  relationOf: (value: Json) => Relation,
): Lineage {
  const follower = new Follower(relationOf);
  const given = renamed(follower.select(query, null), names);
  return { ...given, uses: follower.uses, isTransparent: follower.isTransparent };
}

/** The columns of one table that an expression over it names. */
export function columnsNamed(expression: unknown, relation: Relation): ReadonlySet<Source> {
  const follower = new Follower(() => relation);
  const item = { ...itemOf(relation, relation.name), relation };
  return follower.read(expression, { outer: null, items: [item], star: [item], queries: new Map() });
}

class Follower {
  readonly uses: Relation[] = [];
  isTransparent = true;
  readonly #relationOf: (value: Json) => Relation;
  readonly #calls = new Map<string, Call>();

  constructor(relationOf: (value: Json) => Relation) {
    this.#relationOf = relationOf;
  }

  select(value: Json, outer: Scope | null): Given {
    const scope: Scope = { outer, items: [], star: [], queries: this.#queries(value, outer) };
    if ('larg' in value || 'rarg' in value) {
      this.isTransparent = false;
      const around: Scope = { ...scope, outer };
      const sides = ['larg', 'rarg'].map((side) => this.select((value[side] ?? {}) as Json, around));
      return united(sides);
    }
    const lists = childrenOf(value, 'valuesLists');
    if (lists.length > 0) return this.#values(lists, scope);
    for (const item of childrenOf(value, 'fromClause')) this.#from(onlyNode(item), scope);
    const windows = this.read(value['windowClause'], scope);
    this.#conditions(value, scope);
    const outputs: Output[] = [];
    const every = new Set<Source>();
    let isKnown = true;
    for (const target of childrenOf(value, 'targetList')) {
      const { name, val } = onlyNode(target)?.value ?? {};
      const node = onlyNode(val);
      const stars = node === null ? null : starOf(node, scope);
      const given: Given = stars ?? this.#target(node, name, scope, windows);
      if (given.outputs === null) isKnown = false;
      outputs.push(...(given.outputs ?? []));
      for (const source of everything(given)) every.add(source);
    }
    return isKnown ? { outputs, any: new Set() } : { outputs: null, any: every };
  }

  /** What rows are chosen and ordered by gives no column, and still uses the tables of its queries. */
  #conditions(value: Json, scope: Scope): void {
    const before = this.isTransparent;
    for (const part of [
      'whereClause',
      'havingClause',
      'groupClause',
      'sortClause',
      'distinctClause',
      'limitCount',
      'limitOffset',
    ])
      this.read(value[part], scope);
    this.isTransparent = before;
  }

  #target(node: SqlNode | null, alias: unknown, scope: Scope, windows: ReadonlySet<Source>): Given {
    const isWindow = holds(node?.value, 'over');
    if (isWindow) this.isTransparent = false;
    const from = new Set([...this.read(asTree(node), scope), ...(isWindow ? windows : [])]);
    const name = typeof alias === 'string' ? alias : givenName(node);
    if (name === null) return { outputs: null, any: from };
    return { outputs: [{ name, from, plain: plainOf(node, scope) }], any: new Set() };
  }

  #values(lists: readonly unknown[], scope: Scope): Given {
    const rows = lists.map((list) => childrenOf(onlyNode(list)?.value, 'items'));
    const width = Math.max(...rows.map((row) => row.length));
    const outputs = Array.from({ length: width }, (_, at) => ({
      name: `column${at + 1}`,
      from: new Set(rows.flatMap((row) => [...this.read(row[at], scope)])),
      plain: null,
    }));
    return { outputs, any: new Set() };
  }

  /** The queries of a WITH; one that uses itself is followed until nothing is added. */
  #queries(value: Json, outer: Scope | null): ReadonlyMap<string, Given> {
    const clause = value['withClause'] as Json | undefined;
    const queries = new Map(outer?.queries);
    for (const definition of childrenOf(clause, 'ctes').map((node) => onlyNode(node)?.value ?? {})) {
      const name = String(definition['ctename']);
      const columns = namesIn(definition, 'aliascolnames');
      const query = onlyNode(definition['ctequery'])?.value ?? {};
      const follow = () => renamed(this.select(query, { outer, items: [], star: [], queries }), columns);
      if (clause?.['recursive'] === true) {
        const start = (query['larg'] ?? query) as Json;
        queries.set(name, renamed(this.select(start, { outer, items: [], star: [], queries }), columns));
        for (let size = -1; size !== sizeOf(queries.get(name)); ) {
          size = sizeOf(queries.get(name));
          queries.set(name, follow());
        }
      } else queries.set(name, follow());
      // What numbers the rows of a search is a column too, and of no name that is known here.
      if ('search_clause' in definition || 'cycle_clause' in definition)
        queries.set(name, { outputs: null, any: everything(queries.get(name) ?? nothing) });
    }
    return queries;
  }

  #from(node: SqlNode | null, scope: Scope): void {
    const entry = node === null ? null : this.#entry(node, scope);
    if (entry === null) return;
    scope.items.push(...entry.items);
    scope.star.push(entry.given);
  }

  #entry({ kind, value }: SqlNode, scope: Scope): { readonly items: readonly Item[]; readonly given: Given } {
    const alias = value['alias'] as Json | undefined;
    const name = typeof alias?.['aliasname'] === 'string' ? alias['aliasname'] : null;
    const columns = namesIn(alias, 'colnames');
    const one = (given: Given, called: string | null, relation: Relation | null = null) => {
      const item = { ...renamed(given, columns), name: called, relation };
      return { items: [item], given: item };
    };
    switch (kind) {
      case 'RangeVar': {
        const bare = String(value['relname'] ?? '');
        const query = value['schemaname'] === undefined ? scope.queries.get(bare) : undefined;
        if (query !== undefined) return one(query, name ?? bare);
        const relation = this.#relationOf(value);
        this.uses.push(relation);
        return one(itemOf(relation, bare), name ?? bare, columns.length === 0 ? relation : null);
      }
      case 'RangeSubselect': {
        // Without LATERAL it sees what is around the whole FROM, and not what stands beside it.
        const outer = value['lateral'] === true ? scope : { ...scope, items: [], star: [] };
        return one(this.select(onlyNode(value['subquery'])?.value ?? {}, outer), name);
      }
      case 'RangeTableSample':
        return this.#entry(onlyNode(value['relation']) ?? { kind: '', value: {} }, scope);
      case 'JoinExpr':
        return this.#join(value, scope);
      default: {
        // What a function gives is computed from all that it is given.
        const called = namesIn(firstCall(value), 'funcname').at(-1) ?? null;
        return one({ outputs: null, any: this.read(value, scope) }, name ?? called);
      }
    }
  }

  #join(value: Json, scope: Scope): { readonly items: readonly Item[]; readonly given: Given } {
    const inner: Scope = { ...scope, items: [...scope.items], star: [] };
    const before = inner.items.length;
    for (const side of ['larg', 'rarg']) this.#from(onlyNode(value[side]), inner);
    this.read(value['quals'], inner);
    const items = inner.items.slice(before);
    const [left = nothing, right = nothing] = inner.star;
    const natural = (left.outputs ?? [])
      .map(({ name }) => name)
      .filter((name) => right.outputs?.some((output) => output.name === name));
    const shared = value['isNatural'] === true ? natural : namesIn(value, 'usingClause');
    const given = joined(left, right, shared);
    const using = value['join_using_alias'] as Json | undefined;
    if (using !== undefined) items.push({ ...given, name: String(using['aliasname']), relation: null });
    const alias = value['alias'] as Json | undefined;
    if (alias === undefined) return { items, given };
    const whole = renamed(given, namesIn(alias, 'colnames'));
    return { items: [{ ...whole, name: String(alias['aliasname']), relation: null }], given: whole };
  }

  /** Everything that a part of a query reads, whatever place it has there. */
  read(part: unknown, scope: Scope): ReadonlySet<Source> {
    const sources = new Set<Source>();
    const add = (more: Iterable<Source>): void => {
      for (const source of more) sources.add(source);
    };
    const visit = (value: unknown): void => {
      if (Array.isArray(value)) {
        for (const one of value) visit(one);
        return;
      }
      if (typeof value !== 'object' || value === null) return;
      for (const [kind, inner] of Object.entries(value)) {
        if (kind === 'ColumnRef') add(referred(namesIn(inner, 'fields'), scope));
        else if (kind === 'SelectStmt') add(this.#readAll(inner as Json, scope));
        else {
          add(this.#called(kind, inner));
          visit(inner);
        }
      }
    };
    visit(part);
    return sources;
  }

  /** The function of the database's own that a node calls. */
  #called(kind: string, value: unknown): readonly Call[] {
    if (kind !== 'FuncCall' && kind !== 'A_Expr') return [];
    const names = kind === 'FuncCall' ? namesIn(value, 'funcname') : [];
    const isRange = String((value as Json)['kind']).includes('BETWEEN');
    const operator = kind === 'A_Expr' && !isRange ? namesIn(value, 'name') : [];
    const isForeign =
      (names.length > 0 && isOwnFunction(names)) || (operator.length > 0 && isOwnOperator(operator));
    if (!isForeign) return [];
    const name = joinName([...names, ...operator]);
    const call = this.#calls.get(name) ?? new Call(name);
    this.#calls.set(name, call);
    return [call];
  }

  /** A query inside an expression: its conditions are part of the value too. */
  #readAll(value: Json, outer: Scope): ReadonlySet<Source> {
    this.isTransparent = false;
    const given = this.select(value, outer);
    const scope: Scope = { outer, items: [], star: [], queries: this.#queries(value, outer) };
    const sides = ['larg', 'rarg'].flatMap((side) =>
      side in value ? [...this.#readAll((value[side] ?? {}) as Json, scope)] : [],
    );
    for (const item of childrenOf(value, 'fromClause')) this.#from(onlyNode(item), scope);
    const { targetList: _, withClause, ...rest } = value;
    const inside = [
      withClause,
      ...Object.entries(rest).map(([key, part]) => (key.endsWith('arg') ? [] : part)),
    ];
    return new Set([...everything(given), ...sides, ...this.read(inside, scope)]);
  }
}

const nothing: Given = { outputs: [], any: new Set() };

function asTree(node: SqlNode | null): unknown {
  return node === null ? null : { [node.kind]: node.value };
}

function everything({ outputs, any }: Given): ReadonlySet<Source> {
  return new Set([...any, ...(outputs ?? []).flatMap(({ from }) => [...from])]);
}

function sizeOf(given: Given | undefined): number {
  const { outputs, any } = given ?? nothing;
  return any.size + (outputs ?? []).reduce((sum, { from }) => sum + from.size, 0);
}

function itemOf(relation: Relation, name: string): Item {
  const outputs =
    relation.columns?.map((column) => ({ name: column.name, from: new Set([column]), plain: column })) ??
    null;
  return { name, relation, outputs, any: new Set([relation]) };
}

function renamed(given: Given, names: readonly string[]): Given {
  if (given.outputs === null || names.length === 0) return given;
  return {
    ...given,
    outputs: given.outputs.map((output, at) => ({ ...output, name: names[at] ?? output.name })),
  };
}

/** What a UNION gives: each column from both sides. */
function united(sides: readonly Given[]): Given {
  const any = new Set(sides.flatMap((side) => [...everything(side)]));
  const [left, right] = sides.map(({ outputs }) => outputs);
  if (!left || !right || left.length !== right.length) return { outputs: null, any };
  const outputs = left.map((output, at) => ({
    name: output.name,
    from: new Set([...output.from, ...(right[at]?.from ?? [])]),
    plain: null,
  }));
  return { outputs, any: new Set() };
}

/** What a join gives: the columns that it is made by come first, and once. */
function joined(left: Given, right: Given, shared: readonly string[]): Given {
  if (left.outputs === null || right.outputs === null)
    return { outputs: null, any: new Set([...everything(left), ...everything(right)]) };
  const named = ({ outputs }: Given, name: string) => outputs?.find((output) => output.name === name);
  const merged = shared.map((name) => ({
    name,
    from: new Set([left, right].flatMap((side) => [...(named(side, name)?.from ?? [])])),
    plain: named(left, name)?.plain ?? null,
  }));
  const rest = [...left.outputs, ...right.outputs].filter(({ name }) => !shared.includes(name));
  return { outputs: [...merged, ...rest], any: new Set() };
}

/** What a star gives; null where the node is none. */
function starOf(node: SqlNode, scope: Scope): Given | null {
  const parts = node.kind === 'ColumnRef' ? namesIn(node.value, 'fields') : [];
  if (parts.at(-1) !== '*') return null;
  const items = parts.length === 1 ? scope.star : itemsCalled(parts.at(-2) ?? '', scope);
  const any = new Set(items.flatMap((item) => [...everything(item)]));
  if (items.some(({ outputs }) => outputs === null)) return { outputs: null, any };
  return { outputs: items.flatMap(({ outputs }) => outputs ?? []), any: new Set() };
}

function itemsCalled(name: string, scope: Scope | null): readonly Item[] {
  for (let at = scope; at !== null; at = at.outer) {
    const items = at.items.filter((item) => item.name === name);
    if (items.length > 0) return items;
  }
  return [];
}

function columnOf(item: Item, name: string): readonly Source[] {
  const output = item.outputs?.find((one) => one.name === name);
  if (output !== undefined) return [...output.from];
  if (item.outputs !== null) return [];
  const column = item.relation?.column(name, true) ?? null;
  return column === null ? [...item.any] : [column];
}

/** The columns that a name means; a row counts as all of it. */
function referred(parts: readonly string[], scope: Scope): readonly Source[] {
  const name = parts.at(-1) ?? '';
  if (name === '*') {
    const items = parts.length === 1 ? scope.star : itemsCalled(parts.at(-2) ?? '', scope);
    return items.flatMap((item) => [...everything(item)]);
  }
  if (parts.length > 1) {
    const items = itemsCalled(parts.at(-2) ?? '', scope);
    return items.flatMap((item) => {
      const sources = columnOf(item, name);
      // `t.f` is `f(t)` where the table has no such column.
      return sources.length > 0 || item.outputs?.some((one) => one.name === name)
        ? sources
        : [...everything(item)];
    });
  }
  const open: Source[] = [];
  for (let at: Scope | null = scope; at !== null; at = at.outer) {
    const owners = at.items.filter(({ outputs }) => outputs?.some((output) => output.name === name));
    open.push(...at.items.filter(({ outputs }) => outputs === null).flatMap((item) => columnOf(item, name)));
    if (owners.length > 0) return [...open, ...owners.flatMap((item) => columnOf(item, name))];
  }
  return [...open, ...itemsCalled(name, scope).flatMap((item) => [...everything(item)])];
}

/** The column that a target shows unchanged. */
function plainOf(node: SqlNode | null, scope: Scope): Column | null {
  if (node?.kind !== 'ColumnRef') return null;
  const parts = namesIn(node.value, 'fields');
  const name = parts.at(-1) ?? '';
  const items = parts.length > 1 ? itemsCalled(parts.at(-2) ?? '', scope) : scope.items;
  const found = items.flatMap((item) => item.outputs?.filter((output) => output.name === name) ?? []);
  const [only, second] = found;
  return second === undefined ? (only?.plain ?? null) : null;
}

function firstCall(value: Json): Json | undefined {
  const [list] = childrenOf(value, 'functions');
  const [call] = childrenOf(onlyNode(list)?.value, 'items');
  return onlyNode(call)?.value;
}

/** Whether a part of a tree has a field of this name anywhere. */
function holds(value: unknown, field: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => key === field || holds(inner, field));
}
