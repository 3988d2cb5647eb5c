// The result of a source, before it is returned: redacted, and within its size limit.

import type { Settings } from '../../config/index.ts';
import type { Source } from '../../config/sources.ts';
import { isJsonObject, type JsonObject, type JsonValue, type World } from '../../core/index.ts';
import type { Decider } from '../../decide/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import { QueryFailed } from './errors.ts';

/** The context for querying a source. */
export interface ExecuteOptions {
  readonly decider: Pick<Decider, 'under'>;
  readonly ledger: Ledger;
  readonly world: World;
  readonly source: Source;
  /** Those of the query's own agent and workspace. */
  readonly settings: Settings;
  readonly signal?: AbortSignal;
}

/** The answer of a source. */
export interface Raw {
  readonly data: JsonValue;
  /** How many rows it has, or how many a change touched; null if it has no rows. */
  readonly rows: number | null;
  /** Whether there was more than may be read. */
  readonly truncated: boolean;
  readonly warnings: readonly string[];
  /** The list that the data is, or that is in it, and how the data is made of some of it: it can be handed on in pages. */
  readonly list?: {
    readonly rows: readonly JsonValue[];
    readonly wrap: (rows: readonly JsonValue[]) => JsonValue;
  };
}

/** The answer of a database: its rows, and how many a change touched. */
export function rawOf(
  rows: readonly JsonObject[],
  { changed, truncated, warnings }: { readonly changed: number | null } & Pick<Raw, 'truncated' | 'warnings'>,
): Raw {
  const list = { rows, wrap: (some: readonly JsonValue[]) => [...some] };
  return { data: rows, rows: changed ?? rows.length, truncated, warnings, list };
}

/** Takes values as long as they fit, by number and by size. */
export class Rows {
  readonly kept: JsonObject[] = [];
  readonly #mostRows: number;
  #bytesLeft: number;
  truncated = false;

  constructor(mostRows: number, mostBytes: number) {
    this.#mostRows = mostRows;
    this.#bytesLeft = mostBytes;
  }

  /** False when it is full; the row is then dropped. */
  add(row: JsonObject): boolean {
    if (this.truncated) return false;
    this.#bytesLeft -= JSON.stringify(row).length;
    if (this.kept.length >= this.#mostRows || this.#bytesLeft < 0) {
      this.truncated = true;
      return false;
    }
    this.kept.push(row);
    return true;
  }
}

/** The names of columns, made unique: a repeated name gets a number. */
export function uniqueNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let number = 2; taken.has(unique); number++) unique = `${name}_${number}`;
    taken.add(unique);
    return unique;
  });
}

/** A value without the members that are named, at any depth: `ssn` anywhere, `customer.ssn` below a customer. */
export function withoutFields(value: JsonValue, names: readonly string[], below = ''): JsonValue {
  if (names.length === 0) return value;
  if (Array.isArray(value)) return value.map((member) => withoutFields(member, names, below));
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).flatMap(([key, member]) => {
    const path = `${below}.${key}`.toLowerCase();
    return names.some((name) => path.endsWith(`.${name.toLowerCase()}`))
      ? []
      : [[key, withoutFields(member, names, path)] as const];
  });
  return Object.fromEntries(kept);
}

/** A value whose lists are no longer than they may be, and shorter still where it would be too large. */
export function fitted(
  value: JsonValue,
  {
    maxResultRows: rows,
    maxResultBytes: bytes,
  }: { readonly maxResultRows: number; readonly maxResultBytes: number },
): { readonly value: JsonValue; readonly truncated: boolean } {
  for (let most = rows; ; most = Math.floor(most / 2)) {
    const short = withShortLists(value, most);
    const size = JSON.stringify(short.value).length;
    if (size <= bytes) return { value: short.value, truncated: short.truncated };
    if (most === 0)
      throw new QueryFailed(`the answer has ${size} characters; ${bytes} are allowed. Ask for less`);
  }
}

/** A value whose lists are no longer than they may be. */
function withShortLists(
  value: JsonValue,
  most: number,
): { readonly value: JsonValue; readonly truncated: boolean } {
  let truncated = false;
  const short = (one: JsonValue): JsonValue => {
    if (Array.isArray(one)) {
      truncated ||= one.length > most;
      return one.slice(0, most).map(short);
    }
    if (!isJsonObject(one)) return one;
    return Object.fromEntries(Object.entries(one).map(([key, member]) => [key, short(member)]));
  };
  return { value: short(value), truncated };
}
