// The data read from a database while a query to it is judged: its tables, and the estimated cost of a statement.

import { createHash } from 'node:crypto';
import {
  type Database,
  type DatabaseSchema,
  type DatabaseSource,
  type Estimate,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../core/index.ts';
import { type Client, positional, posture, refusalIn, withPostgres } from './connection.ts';
import type { Asked } from './describe.ts';
import { PostureRefused, QueryFailed, QueryTimedOut } from './errors.ts';

/** How long an answer about the tables is believed while queries are judged; a run always asks again. */
const believedMs = 5000;
/** How long the database may take for an answer about itself, in milliseconds. */
const answerMs = 3000;

interface Known {
  readonly stamp: string;
  readonly schema: DatabaseSchema;
}

/** One PostgreSQL, by its address. */
class Live implements Database {
  readonly #url: string;
  #known: Known | null = null;
  #asked: { readonly at: number; readonly answer: Promise<DatabaseSchema | null> } | null = null;

  constructor(url: string) {
    this.#url = url;
  }

  async schema(): Promise<DatabaseSchema | null> {
    const now = performance.now();
    if (this.#asked === null || now - this.#asked.at > believedMs) {
      this.#asked = { at: now, answer: this.#ask() };
    }
    return await this.#asked.answer;
  }

  /** Lets the next question about the tables reach the database. */
  forget(): void {
    this.#asked = null;
  }

  /** The tables on an open connection, in a transaction. */
  async schemaOn(client: Asked): Promise<DatabaseSchema> {
    const { catalogStamp, describePostgres } = await import('./describe.ts');
    const stamp = await catalogStamp(client);
    if (this.#known?.stamp === stamp) return this.#known.schema;
    const text = await describePostgres(client);
    const schema = { text, digest: createHash('sha256').update(text).digest('base64url') };
    this.#known = { stamp, schema };
    return schema;
  }

  async #ask(): Promise<DatabaseSchema | null> {
    try {
      return await withPostgres(this.#url, { timeoutMs: answerMs }, async (client) => {
        await client.query('BEGIN READ ONLY');
        return await this.schemaOn(client);
      });
    } catch (error) {
      // It is judged without; a run finds that out, and refuses what was judged so.
      if (error instanceof QueryFailed || error instanceof QueryTimedOut) return null;
      throw error;
    }
  }

  async estimate(text: string, variables: JsonObject): Promise<Estimate | null> {
    try {
      return await withPostgres(this.#url, { timeoutMs: answerMs }, async (client) => {
        await posture(client);
        await client.query('BEGIN READ ONLY');
        await client.query("SELECT set_config('search_path', 'public, pg_temp', true)");
        const { rows } = await client.query({
          // With VERBOSE a step names the schema of its table.
          text: `EXPLAIN (VERBOSE, FORMAT JSON) ${text}`,
          values: [...positional(variables)],
        });
        const { tables, ...estimate } = planned(rows[0]?.['QUERY PLAN']);
        const total = await rowsIn(client, tables);
        // A table without statistics on the server is planned by a guess.
        return total === null ? estimate : { ...estimate, rows: Math.min(estimate.rows, total), total };
      });
    } catch (error) {
      if (error instanceof QueryTimedOut) return { refused: 'it takes too long to plan' };
      if (!(error instanceof QueryFailed || error instanceof PostureRefused)) throw error;
      const refused = refusalIn(error);
      return refused === null ? null : { refused };
    }
  }
}

interface Planned extends Exclude<Estimate, { readonly refused: string }> {
  /** The tables whose rows the statement gives or changes, one for one; empty if they are computed otherwise. */
  readonly tables: readonly TableName[];
}

type TableName = readonly [schema: string, table: string];

/** The estimates of a plan; its text is not passed on, since it can contain values. */
function planned(answer: unknown): Planned {
  const [plan] = (Array.isArray(answer) ? answer : []) as readonly JsonValue[];
  const top = isJsonObject(plan) && isJsonObject(plan['Plan']) ? plan['Plan'] : {};
  const steps = [...stepsOf(top)];
  const most = Math.max(...steps.map((step) => numberIn(step, 'Plan Rows')));
  // A change returns no rows itself; those that it changes are found by the step below.
  const isChange = top['Node Type'] === 'ModifyTable';
  const [below = top] = isChange ? steps.slice(1) : steps;
  return {
    rows: numberIn(below, 'Plan Rows'),
    most,
    cost: numberIn(top, 'Total Cost'),
    // Rows that an INSERT adds are not among the rows that it reads.
    tables: top['Operation'] === 'Insert' ? [] : tablesUnder(below),
  };
}

/** Steps that hand on rows of the step below as they are, or fewer of them. */
const handingOn: ReadonlySet<unknown> = new Set([
  ...['Limit', 'Sort', 'Incremental Sort', 'Gather', 'Gather Merge', 'LockRows', 'Result', 'Subquery Scan'],
  ...['Append', 'Merge Append', 'Materialize'],
]);

function tablesUnder(step: JsonObject): readonly TableName[] {
  const { Schema: schema, 'Relation Name': table, Plans: below } = step;
  if (typeof schema === 'string' && typeof table === 'string') return [[schema, table]];
  const parts = (Array.isArray(below) ? below : []).filter(isJsonObject);
  if (!handingOn.has(step['Node Type'])) return [];
  const found = parts
    // A query in a condition, or in a value, gives no rows of its own.
    .filter((part) => part['Parent Relationship'] !== 'SubPlan' && part['Parent Relationship'] !== 'InitPlan')
    .map(tablesUnder);
  return found.some((tables) => tables.length === 0) ? [] : found.flat();
}

/** How far a table without statistics is counted. */
const mostCounted = 10_000;

/** How many rows tables have, by the server's statistics or by counting as far as that is cheap; null: not known. */
async function rowsIn(client: Client, tables: readonly TableName[]): Promise<number | null> {
  if (tables.length === 0 || new Set(tables.map(String)).size < tables.length) return null;
  let total = 0;
  try {
    for (const [schema, table] of tables) {
      const { rows } = await client.query(
        `SELECT c.reltuples::float8 AS rows FROM pg_catalog.pg_class c
         JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2 AND c.relkind = 'r'`,
        [schema, table],
      );
      const known: unknown = rows[0]?.['rows'];
      const count = typeof known === 'number' && known >= 0 ? known : await counted(client, schema, table);
      if (count === null) return null;
      total += count;
    }
    return total;
  } catch {
    // An account may plan a statement whose tables it may not count; then only the total is not known.
    return null;
  }
}

async function counted(client: Client, schema: string, table: string): Promise<number | null> {
  const name = `${client.escapeIdentifier(schema)}.${client.escapeIdentifier(table)}`;
  const { rows } = await client.query(
    `SELECT pg_catalog.count(*)::int AS rows FROM (SELECT FROM ONLY ${name} LIMIT ${mostCounted + 1}) AS sample`,
  );
  const count: unknown = rows[0]?.['rows'];
  return typeof count === 'number' && count <= mostCounted ? count : null;
}

function* stepsOf(step: JsonObject): Generator<JsonObject> {
  yield step;
  const { Plans: below } = step;
  for (const one of Array.isArray(below) ? below : []) if (isJsonObject(one)) yield* stepsOf(one);
}

function numberIn(step: JsonObject, name: string): number {
  const value = step[name];
  return typeof value === 'number' ? value : 0;
}

const databases = new Map<string, Live>();

/** The database of a source, where it can be asked about itself. */
export function databaseOf({ kind, url }: DatabaseSource): Live | null {
  if (kind !== 'postgres' || url === null) return null;
  const known = databases.get(url) ?? new Live(url);
  databases.set(url, known);
  return known;
}
