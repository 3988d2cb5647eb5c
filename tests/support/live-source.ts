// A PostgreSQL source whose queries go through the whole pipeline: validated, and run with the token of that.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { configOf, settingsFrom } from '../../src/config/index.ts';
import type { Context, JsonObject, JsonValue } from '../../src/core/index.ts';
import { createDecider, realWorld } from '../../src/decide/index.ts';
import type { Ledger } from '../../src/ledger/index.ts';
import {
  createQueryPipeline,
  databaseOf,
  type QueryAnswer,
  type QueryPipeline,
} from '../../src/run/query/index.ts';

/** Who asks: somebody of the tenant `acme`. */
const context: Context = {
  user: 'ann',
  tenant: 'acme',
  agent: 'coder',
  session: 's1',
  workspace: '/work',
  mode: 'default',
};

/** What came of a statement. */
export interface Outcome {
  readonly answer: QueryAnswer;
  /** The rules that refused it. */
  readonly rules: readonly string[];
  /** What came back; null where nothing ran. */
  readonly data: JsonValue;
  /** Why it did not run, though it was valid. */
  readonly error: string | null;
}

export interface LiveSource {
  readonly pipeline: QueryPipeline;
  /** Validates and, where a token comes of that, runs. */
  ask(text: string, variables?: JsonObject): Promise<Outcome>;
}

/** A source on a database; `schema` is the text of its schema file, null for none. */
export function liveSource(
  url: string,
  { schema = null, mode = {} }: { readonly schema?: string | null; readonly mode?: JsonObject },
  ledger: Ledger,
  folder: string,
): LiveSource {
  const file = join(folder, 'schema.sql');
  if (schema !== null) writeFileSync(file, schema);
  // What only looks sensitive is not asked about: nobody is here to answer.
  const code = { auto_approve_levels: ['low', 'medium'], ...mode };
  const source = { kind: 'postgres', url, code_mode: code, ...(schema === null ? {} : { schema: file }) };
  const settings = settingsFrom({}, { sources: { shop: source } });
  const world = realWorld();
  const decider = createDecider({ config: configOf(async () => settings), ledger, world });
  const pipeline = createQueryPipeline({ decider, ledger, world });
  const ask = async (text: string, variables: JsonObject = {}): Promise<Outcome> => {
    const [placed] = settings.sources;
    if (placed !== undefined) databaseOf(placed)?.forget();
    const query = { target: 'shop', text, variables };
    const answer = await pipeline.validate(query, context);
    const rules = [...new Set(answer.violations.map(({ rule }) => rule))];
    if (answer.approval_token === null) return { answer, rules, data: null, error: null };
    try {
      const { data } = await pipeline.execute(query, answer.approval_token, context);
      return { answer, rules, data, error: null };
    } catch (error) {
      return { answer, rules, data: null, error: error instanceof Error ? error.message : String(error) };
    }
  };
  return { pipeline, ask };
}

/** Runs statements as the owner of a database. */
export async function asOwner(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
