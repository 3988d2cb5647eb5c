// Whether what the query guard calls a read really changes nothing: every such statement of the corpora that fits is
// run on a real PostgreSQL, in a transaction that could write, by a role that may.

import pg from 'pg';
import { settingsFrom } from '../src/config/index.ts';
import type { Facts, JsonObject } from '../src/core/index.ts';
import { postgresMissing, startPostgres } from '../tests/support/postgres.ts';
import { context, deciderFor } from './parts.ts';
import { printColumns, printNote } from './table.ts';
import { corpus } from './texts.ts';

const files = [
  ...['sql_bypass_curated', 'sql_hardened_writes', 'benign_sql_defog', 'benign_sql_spider'],
  ...['sql_crystaldba_safe_sql', 'sql_dbhub', 'sql_pg_regress_sample'],
];

/** Statements that change something, each in a way of its own; the check is worth nothing if it misses one. */
const controls = [
  'SELECT id FROM control FOR UPDATE',
  'WITH d AS (DELETE FROM control RETURNING 1) SELECT * FROM d',
  "SELECT nextval('control_numbers')",
  "SELECT setval('control_numbers', 100)",
  "SELECT set_config('work_mem', '9MB', false)",
  'SELECT pg_advisory_lock(1)',
  'CREATE TEMP TABLE other (id int)',
  'SELECT lo_create(0)',
  'LISTEN a',
  'PREPARE a AS SELECT 1',
  'DECLARE c CURSOR WITH HOLD FOR SELECT 1',
];

interface Read {
  readonly file: string;
  readonly text: string;
  readonly facts: Facts;
}

/** Runs the comparison; true when no read changed anything and every control did. */
export async function queryDifferential(progress: (text: string) => void): Promise<boolean> {
  if (postgresMissing !== null) {
    process.stdout.write(`skipped: ${postgresMissing}\n`);
    return true;
  }
  const reads = await readsOf(progress);
  if (reads.length === 0) {
    process.stdout.write('skipped: there is no corpus of queries\n');
    return true;
  }
  const server = await startPostgres();
  try {
    const url = await server.createDatabase('differential');
    const client = new pg.Client(url);
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await compare(client, reads, progress);
    } finally {
      await client.end();
    }
  } finally {
    await server.stop();
  }
}

async function compare(
  client: pg.Client,
  reads: readonly Read[],
  progress: (text: string) => void,
): Promise<boolean> {
  await client.query(`CREATE TABLE control (id int); INSERT INTO control VALUES (1);
    CREATE SEQUENCE control_numbers; SELECT nextval('control_numbers')`);
  await makeTables(client, reads);
  const missed: string[] = [];
  for (const text of controls) if ((await changeOf(client, text)) === 'nothing') missed.push(text);
  await client.query('DISCARD ALL');
  progress(`${reads.length} statements that the guard calls reads`);
  const before = await contents(client);
  const counts = new Map(files.map((file) => [file, { reads: 0, ran: 0, changed: 0 }]));
  for (const { file, text } of reads) {
    const count = counts.get(file);
    if (count === undefined) continue;
    count.reads++;
    const change = await changeOf(client, text);
    if (change === 'does not fit') continue;
    count.ran++;
    if (change === 'nothing') continue;
    count.changed++;
    process.stdout.write(`changed ${change}: ${JSON.stringify(text).slice(0, 200)}\n`);
  }
  const same = JSON.stringify(before) === JSON.stringify(await contents(client));
  printColumns(
    ['called a read', 'statements', 'fit and ran', 'changed something'],
    [...counts].map(([file, { reads: all, ran, changed }]) => [
      file,
      String(all),
      String(ran),
      String(changed),
    ]),
  );
  printNote(
    `rows and statistics of all tables: ${same ? 'the same as before' : 'CHANGED'}; controls found out: ${controls.length - missed.length} of ${controls.length}`,
  );
  for (const text of missed) process.stdout.write(`a change that was not found out: ${text}\n`);
  return same && missed.length === 0 && [...counts.values()].every(({ changed }) => changed === 0);
}

/**
 * What one statement changed, by what the server says of the transaction and of the session: a transaction that wrote
 * or locked a row has an id.
 */
async function changeOf(client: pg.Client, text: string): Promise<string> {
  const before = await stateOf(client);
  try {
    await client.query("BEGIN READ WRITE; SET LOCAL statement_timeout = '3s'; SET LOCAL lock_timeout = '1s'");
    await client.query({ text, queryMode: 'extended' } as pg.QueryConfig);
    const { rows } = await client.query('SELECT pg_current_xact_id_if_assigned()::text AS id');
    await client.query('COMMIT');
    if (rows[0]?.id !== null) return 'rows or the catalog';
  } catch {
    await client.query('ROLLBACK').catch(() => undefined);
    return 'does not fit';
  }
  const after = await stateOf(client);
  const [name] = Object.keys(after).filter((key) => after[key] !== before[key]);
  return name ?? 'nothing';
}

/** What a session holds beside its transaction, and what no transaction holds back. */
async function stateOf(client: pg.Client): Promise<Readonly<Record<string, string>>> {
  const { rows } = await client.query(`SELECT
    (SELECT md5(string_agg(name || '=' || coalesce(setting, ''), ',' ORDER BY name)) FROM pg_settings) AS settings,
    (SELECT count(*)::text FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) AS locks,
    (SELECT string_agg(name, ',') FROM pg_prepared_statements) AS prepared,
    (SELECT string_agg(name, ',') FROM pg_cursors) AS cursors,
    (SELECT string_agg(channel, ',') FROM pg_listening_channels() AS channel) AS channels,
    (SELECT last_value::text || is_called::text FROM control_numbers) AS numbers`);
  return rows[0];
}

/** A checksum of the rows of every table, and how often the server wrote to it. */
async function contents(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query(
    "SELECT 'public.' || quote_ident(relname) AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1",
  );
  const sums: string[] = [];
  for (const { name } of rows) {
    const sum = await client.query(
      `SELECT md5(coalesce(string_agg(t::text, ',' ORDER BY t::text), '')) AS sum FROM ${name} t`,
    );
    sums.push(`${name} ${sum.rows[0].sum}`);
  }
  await client.query('SELECT pg_stat_force_next_flush()');
  const { rows: statistics } = await client.query(
    'SELECT relname, n_tup_ins, n_tup_upd, n_tup_del FROM pg_stat_user_tables ORDER BY relname',
  );
  return [...sums, JSON.stringify(statistics)];
}

/** Tables for what the reads name, with columns of the types that their names speak of, and a row in each. */
export async function makeTables(client: pg.Client, reads: readonly Pick<Read, 'facts'>[]): Promise<void> {
  const tables = new Map<string, Set<string>>();
  for (const { facts } of reads) {
    const relations = texts(facts['relations']).filter((name) => /^[a-z_]\w{0,62}$/.test(name));
    for (const relation of relations) if (!tables.has(relation)) tables.set(relation, new Set(['id']));
    for (const field of texts(facts['fields'])) {
      const [column = '', table] = field.split('.').reverse();
      for (const relation of table === undefined ? relations : [table]) {
        if (/^[a-z_]\w{0,62}$/.test(column)) tables.get(relation)?.add(column);
      }
    }
  }
  for (const [table, columns] of tables) {
    const made = [...columns].map((column) => `"${column}" ${typeOf(column)}`);
    // A name that is the server's own makes none; what needs it does not fit.
    await client.query(`CREATE TABLE "${table}" (${made.join(', ')})`).catch(() => undefined);
    await client.query(`INSERT INTO "${table}" DEFAULT VALUES`).catch(() => undefined);
  }
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

function typeOf(column: string): string {
  if (/(?:^|_)(?:date|datetime|timestamp|time|at|day|month)$|date/.test(column)) return 'timestamp';
  if (/^(?:is|has)_/.test(column)) return 'boolean';
  return /(?:id|year|age|num|count|number|amount|price|total|salary|rating|score|population|size|quantity|weight|height|length|cost|budget|rate|level|capacity|balance|value|horsepower|grade|unique1|unique2|ten|four|two|hundred|thousand|[a-z]1|f1|q1|q2|[a-z])$/.test(
    column,
  )
    ? 'numeric'
    : 'text';
}

async function readsOf(progress: (text: string) => void): Promise<readonly Read[]> {
  const mode: JsonObject = { max_query_length: 1_000_000, sql_max_joins: 20, sql_allow_catalogs: true };
  const settings = settingsFrom({}, { sources: { shop: { kind: 'postgres', code_mode: mode } } });
  const decider = deciderFor(settings);
  const reads: Read[] = [];
  for (const file of files) {
    progress(file);
    for (const { query: text } of corpus<{ query: unknown }>(`query/${file}.jsonl`)) {
      if (typeof text !== 'string') continue;
      const action = { kind: 'query', target: 'shop', language: 'sql', text } as const;
      const { verdict, facts } = await decider.decide(action, context);
      if (verdict.decision !== 'block' && facts['action'] === 'read') reads.push({ file, text, facts });
    }
  }
  return reads;
}
