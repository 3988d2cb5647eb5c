// Which functions that a database has beside PostgreSQL's own a read may call: those that only compute.

import { joinName } from '../../../../config/sql-names.ts';
import type { ParseSql } from '../../../../core/index.ts';
import { isOwnFunction, isOwnOperator } from './functions.ts';
import { types } from './names.ts';
import { type Json, namesIn, onlyNode } from './tree.ts';

/** One function as the catalog describes it; overloads are rows of their own. */
export interface OwnFunction {
  readonly schema: string;
  readonly name: string;
  readonly volatility: 'immutable' | 'stable' | 'volatile';
  readonly isAggregate: boolean;
  /** Whether it runs with the rights of who made it. */
  readonly isDefiner: boolean;
  readonly language: string;
  /** What brought it; null for a function of the database's own. */
  readonly extension: string | null;
  readonly body: string;
  /** Whether PostgreSQL itself has a function of this name, which a call without a schema reaches first. */
  readonly isShadowed: boolean;
}

/** Functions by name: those that only compute, and the rest with what they may do. */
export interface SortedFunctions {
  readonly computing: readonly string[];
  readonly other: readonly { readonly name: string; readonly about: string }[];
}

/**
 * Extensions whose immutable functions compute from what they are given. An extension that is not listed may read
 * tables by a name in a text (tablefunc, dblink, address_standardizer), whatever the catalog says of it.
 */
const computingExtensions: ReadonlySet<string> = new Set(
  'btree_gin btree_gist citext cube earthdistance fuzzystrmatch hstore intarray isn ltree pg_trgm pgcrypto postgis seg unaccent uuid-ossp vector'.split(
    ' ',
  ),
);

/** Stable by the catalog, since a dictionary is a setting, and still only a computation. */
const computingStable: ReadonlySet<string> = new Set(['unaccent']);

/** Sorts functions by what a call of them can do; without a parser no body counts as a computation. */
export function sortFunctions(
  functions: readonly OwnFunction[],
  parse: ParseSql | null | undefined,
): SortedFunctions {
  const byName = new Map<string, OwnFunction[]>();
  for (const one of functions) {
    const name = one.schema === 'public' ? joinName([one.name]) : joinName([one.schema, one.name]);
    byName.set(name, [...(byName.get(name) ?? []), one]);
  }
  const computing: string[] = [];
  const other: { name: string; about: string }[] = [];
  for (const [name, overloads] of [...byName].toSorted(([one], [two]) => one.localeCompare(two))) {
    // INVARIANT: a name is allowed only where every function that a call by this name can reach only computes.
    if (overloads.every((one) => isComputing(one, parse))) computing.push(name);
    else other.push({ name, about: aboutOf(overloads) });
  }
  return { computing, other };
}

function isComputing(one: OwnFunction, parse: ParseSql | null | undefined): boolean {
  if (one.isDefiner || one.isAggregate || (one.isShadowed && one.schema === 'public')) return false;
  if (one.extension !== null) {
    const isFixed = one.volatility === 'immutable' || computingStable.has(one.name);
    return isFixed && one.language === 'c' && computingExtensions.has(one.extension);
  }
  if (one.volatility !== 'immutable' || one.language !== 'sql' || one.body.trim() === '') return false;
  const read = parse?.(one.body);
  return read !== undefined && !('error' in read) && isExpression(read.tree);
}

/** Whether a body is one SELECT that reads no table and calls nothing but PostgreSQL's own computations. */
function isExpression(tree: unknown): boolean {
  const { stmts } = (tree ?? {}) as Json;
  const [first, second] = Array.isArray(stmts) ? stmts : [];
  if (second !== undefined || onlyNode((first as Json | undefined)?.['stmt'])?.kind !== 'SelectStmt') {
    return false;
  }
  return !holdsForeign(first);
}

function holdsForeign(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsForeign);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(
    ([kind, inner]) => (foreign[kind]?.(inner) ?? false) || holdsForeign(inner),
  );
}

/** By the kind of node, whether it reaches beyond the values that the function is given. */
const foreign: Readonly<Record<string, (value: unknown) => boolean>> = {
  RangeVar: () => true,
  FuncCall: (value) => isOwnFunction(namesIn(value, 'funcname')),
  A_Expr: (value) => isOwnOperator(namesIn(value, 'name')),
  TypeName: (value) => isOwnType(value),
  typeName: (value) => isOwnType(value),
};

function isOwnType(value: unknown): boolean {
  const names = namesIn(value, 'names');
  if (names.length === 0) return false;
  const isServer = names.length === 1 || (names.length === 2 && names[0] === 'pg_catalog');
  return !isServer || !types.has(names.at(-1) ?? '');
}

function aboutOf(overloads: readonly OwnFunction[]): string {
  const has = (of: (one: OwnFunction) => string | null) =>
    [...new Set(overloads.map(of))].filter((text) => text !== null);
  return [
    ...has(({ volatility }) => volatility),
    ...has(({ isDefiner }) => (isDefiner ? 'with the rights of its owner' : null)),
    ...has(({ isAggregate }) => (isAggregate ? 'an aggregate' : null)),
    ...has(({ extension }) => (extension === null ? null : `of the extension ${extension}`)),
    ...has(({ language, extension }) => (extension === null ? `in ${language}` : null)),
    ...has(({ isShadowed }) => (isShadowed ? 'has the name of a function of PostgreSQL' : null)),
  ].join(', ');
}
