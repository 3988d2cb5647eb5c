// What a database is asked about itself while a query to it is judged: its tables, and what a statement would cost.

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
import { positional, posture, refusalIn, withPostgres } from './connection.ts';
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

  /** What the tables are on a connection that is open, in a transaction. */
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
          text: `EXPLAIN (FORMAT JSON) ${text}`,
          values: [...positional(variables)],
        });
        return planned(rows[0]?.['QUERY PLAN']);
      });
    } catch (error) {
      if (error instanceof QueryTimedOut) return { refused: 'it takes too long to plan' };
      if (!(error instanceof QueryFailed || error instanceof PostureRefused)) throw error;
      const refused = refusalIn(error);
      return refused === null ? null : { refused };
    }
  }
}

/** What a plan expects; its text is not handed on, since it can hold values. */
function planned(answer: unknown): Estimate {
  const [plan] = (Array.isArray(answer) ? answer : []) as readonly JsonValue[];
  const top = isJsonObject(plan) && isJsonObject(plan['Plan']) ? plan['Plan'] : {};
  const steps = [...stepsOf(top)];
  const most = Math.max(...steps.map((step) => numberIn(step, 'Plan Rows')));
  // A change gives no rows itself; those that it changes are what the step below finds.
  const isChange = top['Node Type'] === 'ModifyTable';
  const [below = top] = isChange ? steps.slice(1) : steps;
  return { rows: numberIn(below, 'Plan Rows'), most, cost: numberIn(top, 'Total Cost') };
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
