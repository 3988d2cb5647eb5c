// What names mean at one place of a statement.

import { withoutHome } from '../../../../config/sql-names.ts';
import { childrenOf, type Json, namesIn, onlyNode, type SqlNode } from './tree.ts';

/** What a FROM has. */
export interface Item {
  /** What it is called here; null where it has no name. */
  readonly name: string | null;
  /** The table, or null for what a query or a function gives. */
  readonly table: string | null;
  /** Columns under the names that the query uses; null where they are not known. */
  readonly columns: readonly string[] | null;
  /** Whether the query gave the columns other names. */
  readonly renamed: boolean;
  /** Whether its columns are reached by its name alone. */
  readonly byName: boolean;
}

/** What names mean at one place. */
export interface Scope {
  readonly outer: Scope | null;
  readonly items: Item[];
  /** Queries by name, with the columns they give; null where those are not known. */
  readonly queries: ReadonlyMap<string, readonly string[] | null>;
}

/** A scope inside another, in which nothing has a name yet. */
export function inside(outer: Scope, items: Item[] = []): Scope {
  return { outer, items, queries: outer.queries };
}

/** What stands around a part of a FROM that does not see what stands beside it. */
export function beside(scope: Scope, items: Item[] = []): Scope {
  return { outer: scope.outer, items, queries: scope.queries };
}

/** The names that a list of targets gives; null where a star hides them, or nothing says. */
export function columnsOf(targets: readonly unknown[], scope: Scope): readonly string[] | null {
  const columns: string[] = [];
  for (const target of targets) {
    const { name, val } = onlyNode(target)?.value ?? {};
    const node = onlyNode(val);
    const parts = node?.kind === 'ColumnRef' ? namesIn(node.value, 'fields') : [];
    if (typeof name === 'string') columns.push(name);
    else if (parts.at(-1) === '*') {
      for (const item of starItems(scope, parts)) {
        if (item.columns === null) return null;
        columns.push(...item.columns);
      }
    } else {
      const given = givenName(node);
      if (given === null) return null;
      columns.push(given);
    }
  }
  return columns;
}

/** What a star stands for. */
export function starItems(scope: Scope, parts: readonly string[]): readonly Item[] {
  return parts.length === 1 ? scope.items.filter(({ byName }) => !byName) : find(scope, parts.slice(0, -1));
}

/** Expressions that give their column a name of their own. */
const givenNames: Readonly<Record<string, string>> = {
  CoalesceExpr: 'coalesce',
  A_ArrayExpr: 'array',
  RowExpr: 'row',
  GroupingFunc: 'grouping',
  XmlSerialize: 'xmlserialize',
  JsonObjectConstructor: 'json_object',
  JsonArrayConstructor: 'json_array',
  JsonArrayQueryConstructor: 'json_array',
  JsonObjectAgg: 'json_objectagg',
  JsonArrayAgg: 'json_arrayagg',
  JsonParseExpr: 'json',
  JsonScalarExpr: 'json_scalar',
  JsonSerializeExpr: 'json_serialize',
};
const namelessKinds: ReadonlySet<string> = new Set([
  ...['A_Const', 'BoolExpr', 'NullTest', 'BooleanTest', 'ParamRef', 'JsonIsPredicate'],
]);
/** A name that the server gives; a weak one yields to that of a cast around it. */
interface Given {
  readonly name: string;
  readonly weak: boolean;
}

const nameless: Given = { name: '?column?', weak: true };
const strong = (name: string | undefined): Given | null =>
  name === undefined ? null : { name, weak: false };

/** The name that the server gives a column; null where it is not known here. */
export function givenName(node: SqlNode | null): string | null {
  return nameGiven(node)?.name ?? null;
}

/** The name that the server gives a column that has none in the query; null where it is not known here. */
function nameGiven(node: SqlNode | null): Given | null {
  const { kind = '', value = {} } = node ?? {};
  const inner = (field: string) => nameGiven(onlyNode(value[field]));
  switch (kind) {
    case 'ColumnRef':
      return strong(namesIn(value, 'fields').at(-1));
    case 'FuncCall':
      return strong(namesIn(value, 'funcname').at(-1));
    case 'A_Expr':
      return value['kind'] === 'AEXPR_NULLIF' ? strong('nullif') : nameless;
    case 'CollateClause':
      return inner('arg');
    case 'TypeCast': {
      const given = inner('arg');
      return given?.weak === true
        ? { name: namesIn(value['typeName'], 'names').at(-1) ?? '', weak: true }
        : given;
    }
    case 'A_Indirection':
      return (
        strong(namesIn(value, 'indirection').findLast((name) => name !== '' && name !== '*')) ?? inner('arg')
      );
    case 'CaseExpr': {
      const given = 'defresult' in value ? inner('defresult') : nameless;
      return given?.weak === true ? { name: 'case', weak: true } : given;
    }
    case 'MinMaxExpr':
      return strong(value['op'] === 'IS_LEAST' ? 'least' : 'greatest');
    case 'SQLValueFunction':
      return strong(
        String(value['op'])
          .replace(/^SVFOP_|_N$/g, '')
          .toLowerCase(),
      );
    case 'SubLink':
      return sublinkName(value);
    default:
      return namelessKinds.has(kind) ? nameless : strong(givenNames[kind]);
  }
}

function sublinkName(value: Json): Given | null {
  switch (value['subLinkType']) {
    case 'EXISTS_SUBLINK':
      return strong('exists');
    case 'ARRAY_SUBLINK':
      return strong('array');
    case 'EXPR_SUBLINK': {
      const [target] = childrenOf(onlyNode(value['subselect'])?.value, 'targetList');
      const { name, val } = onlyNode(target)?.value ?? {};
      return typeof name === 'string' ? strong(name) : nameGiven(onlyNode(val));
    }
    default:
      return nameless;
  }
}

/** What a query or a function gives. */
export function derived(name: string | null, columns: readonly string[] | null): Item {
  return { name, table: null, columns, renamed: false, byName: false };
}

/** The columns under the names that an alias gives the first of them. */
export function renamedColumns(
  given: readonly string[],
  columns: readonly string[] | null,
): readonly string[] | null {
  return columns === null || given.length === 0 ? columns : [...given, ...columns.slice(given.length)];
}

/** What a name, with its schema or without, means; the nearest scope is right. */
export function find(scope: Scope | null, parts: readonly string[]): readonly Item[] {
  const name = parts.at(-1) ?? '';
  const schema = parts.at(-2);
  const isMeant = ({ table }: Item) =>
    schema === undefined ||
    table === withoutHome([schema, name], schema === 'pg_catalog' ? schema : 'public');
  for (let at = scope; at !== null; at = at.outer) {
    const items = at.items.filter((item) => item.name === name && isMeant(item));
    if (items.length > 0) return items;
  }
  return [];
}

/** The scopes from the inside out. */
export function* levels(scope: Scope | null): Generator<readonly Item[]> {
  for (let at = scope; at !== null; at = at.outer) yield at.items.filter(({ byName }) => !byName);
}

/** Whether a name stands for a row and not for a column of it. */
export function isWholeRow(node: SqlNode, scope: Scope): boolean {
  const parts = namesIn(node.value, 'fields');
  const name = parts[0] ?? '';
  const items = parts.length === 1 ? find(scope, parts) : [];
  return items.length > 0 && items.every(({ columns }) => columns?.includes(name) !== true);
}
