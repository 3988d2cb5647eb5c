// Whether names mean on a real PostgreSQL what the guard takes them for. Two databases differ in nothing but what is
// protected: blocked columns, blocked tables, rows of other tenants. A statement whose answers differ has told
// something of it, by whatever way; and analytical queries of others, on tables of theirs, have to pass.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { configOf, settingsFrom } from '../src/config/index.ts';
import type { Facts, JsonObject, JsonValue } from '../src/core/index.ts';
import { createDecider, realWorld } from '../src/decide/index.ts';
import type { Ledger } from '../src/ledger/index.ts';
import { createQueryPipeline } from '../src/run/query/index.ts';
import { asOwner, type LiveSource, liveSource } from '../tests/support/live-source.ts';
import { type PostgresServer, postgresMissing, startPostgres } from '../tests/support/postgres.ts';
import { context, deciderFor, openLedger } from './parts.ts';
import { makeTables } from './query-differential.ts';
import {
  analytics,
  attacks,
  early,
  harmless,
  late,
  protectedBy,
  protectedRows,
  warehouse,
} from './query-meaning-cases.ts';
import { beside, moreAnalytics, ways } from './query-meaning-ways.ts';
import { printColumns, printNote } from './table.ts';
import { corpus } from './texts.ts';

/** Runs both halves; true when nothing leaked and enough passed. */
export async function queryMeaning(progress: (text: string) => void): Promise<boolean> {
  if (postgresMissing !== null) {
    process.stdout.write(`skipped: ${postgresMissing}\n`);
    return true;
  }
  const server = await startPostgres();
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-meaning-'));
  const ledger = await openLedger(folder);
  try {
    const safe = await leaks(server, ledger, folder, progress);
    return (await passes(server, ledger, folder, progress)) && safe;
  } finally {
    await ledger.close();
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

/** What shows nothing of what is protected. */
const plain = [...harmless, ...beside];
const isPlain = (text: string) => plain.includes(text);

/** How a source is described: by its database alone, by a file that fits, by one from before the last migrations. */
const descriptions = { none: null, right: `${early}\n${late}`, old: early } as const;

async function leaks(
  server: PostgresServer,
  ledger: Ledger,
  folder: string,
  progress: (text: string) => void,
): Promise<boolean> {
  const urls: string[] = [];
  for (const name of ['one', 'other']) {
    const url = await server.createDatabase(`meaning_${name}`);
    await asOwner(url, early, late, protectedRows(name));
    urls.push(url);
  }
  const lines: string[][] = [];
  let leaked = 0;
  let asked = 0;
  let refused = 0;
  for (const [description, schema] of Object.entries(descriptions)) {
    const sources = urls.map((url) =>
      liveSource(url, { schema, mode: protectedBy(description) }, ledger, folder),
    );
    const chosen = [...attacks(), ...ways, ...plain];
    progress(`meaning: ${chosen.length} statements, schema file: ${description}`);
    const counts = { denied: 0, same: 0, failed: 0, leaked: 0 };
    for (const text of chosen) {
      const told = await compare(sources, text);
      counts[told]++;
      // What an old file does not know is refused; by a file that fits, and by none, what is harmless passes.
      if (told !== 'same' && description !== 'old' && isPlain(text)) {
        process.stdout.write(`refused (${description}): ${text}\n`);
        refused++;
      }
      if (told === 'leaked') process.stdout.write(`LEAK (${description}): ${text}\n`);
    }
    asked += chosen.length;
    leaked += counts.leaked;
    const { denied, same, failed } = counts;
    lines.push([description, ...[chosen.length, denied, same, failed, counts.leaked].map(String)]);
  }
  printColumns(
    ['meaning: schema file', 'statements', 'denied', 'ran, the same on both', 'failed', 'leaked'],
    lines,
  );
  printNote(`${leaked} of ${asked} leaked; the goal is 0`);
  // The judge itself is worth nothing if it finds no leak where nothing is protected.
  const open = urls.map((url) => liveSource(url, { mode: {} }, ledger, folder));
  const control = [
    'SELECT * FROM employees',
    'SELECT code FROM cards',
    'SELECT id FROM customer ORDER BY id',
  ];
  const found: string[] = [];
  for (const text of control) found.push(await compare(open, text));
  const works = found.every((told) => told === 'leaked');
  printNote(`controls without protection that the judge calls leaks: ${works ? 'all' : found.join(', ')}`);
  printNote(
    `${refused} of ${2 * plain.length} harmless statements on the same tables were refused; the goal is 0`,
  );
  return leaked === 0 && refused === 0 && works;
}

async function compare(
  sources: readonly LiveSource[],
  text: string,
): Promise<'denied' | 'same' | 'failed' | 'leaked'> {
  const outcomes = [];
  for (const { ask } of sources) outcomes.push(await ask(text));
  const shown = outcomes.map(({ data, error, answer }) => JSON.stringify([data, error, answer.explanation]));
  if (new Set(shown).size > 1) return 'leaked';
  const [first] = outcomes;
  if (first !== undefined && isPlain(text)) explained(text, first.answer.explanation, first.data);
  if (first?.data !== null && first?.data !== undefined) return 'same';
  return first?.error === null ? 'denied' : 'failed';
}

interface Tally {
  readonly name: string;
  readonly asked: number;
  readonly passed: number;
}

async function passes(
  server: PostgresServer,
  ledger: Ledger,
  folder: string,
  progress: (text: string) => void,
): Promise<boolean> {
  const tallies = [
    await onWarehouse(server, ledger, folder, progress),
    await onDefog(server, ledger, folder, progress),
    await onSpider(ledger, folder, progress),
  ];
  const asked = tallies.reduce((sum, one) => sum + one.asked, 0);
  const passed = tallies.reduce((sum, one) => sum + one.passed, 0);
  printColumns(
    ['meaning: analytical queries', 'fit their tables', 'validated and ran'],
    tallies.map((one) => [one.name, String(one.asked), String(one.passed)]),
  );
  const share = asked === 0 ? 1 : passed / asked;
  printNote(`${passed} of ${asked} passed (${(100 * share).toFixed(1)} %); the goal is 98 %`);
  return share >= 0.98;
}

const misses = () => process.argv.includes('--misses');

/** With --explanations: a query, what a person reads of it, and the rows that it really gave. */
function explained(text: string, explanation: string, data: JsonValue): void {
  if (!process.argv.includes('--explanations') || !Array.isArray(data)) return;
  process.stdout.write(`${text}\n    ${explanation}\n    gave ${data.length} rows\n`);
}

async function tallied(name: string, texts: readonly string[], ask: LiveSource['ask']): Promise<Tally> {
  let passed = 0;
  for (const text of texts) {
    const { data, error, answer } = await ask(text);
    explained(text, answer.explanation, data);
    if (data !== null) passed++;
    else if (misses()) {
      const why = error ?? answer.violations.map(({ message }) => message).join(' ');
      process.stdout.write(`${name}: ${JSON.stringify(text).slice(0, 200)}  ${why}\n`);
    }
  }
  return { name, asked: texts.length, passed };
}

async function onWarehouse(
  server: PostgresServer,
  ledger: Ledger,
  folder: string,
  progress: (text: string) => void,
): Promise<Tally> {
  const texts = [...analytics, ...moreAnalytics];
  progress(`meaning: ${texts.length} queries on a warehouse`);
  const url = await server.createDatabase('warehouse');
  await asOwner(url, warehouse);
  return await tallied('warehouse', texts, liveSource(url, {}, ledger, folder).ask);
}

async function onDefog(
  server: PostgresServer,
  ledger: Ledger,
  folder: string,
  progress: (text: string) => void,
): Promise<Tally> {
  const rows = corpus<{ query: string; lang: string }>('query/benign_sql_defog.jsonl');
  if (rows.length === 0) printNote('benign_sql_defog is not at ../shared/corpora: skipped');
  const reads = await factsOf(
    rows.filter(({ lang }) => lang === 'sql:postgres').map(({ query }) => query),
    'postgres',
  );
  progress(`meaning: ${reads.length} queries of defog`);
  const url = await server.createDatabase('defog');
  const client = new pg.Client(url);
  await client.connect();
  await makeTables(client, reads);
  const fit: string[] = [];
  for (const { text } of reads) {
    const explained = await client.query(`EXPLAIN ${text}`).catch(() => null);
    if (explained !== null) fit.push(text);
  }
  await client.end();
  return await tallied('defog', fit, liveSource(url, { mode: wide }, ledger, folder).ask);
}

const wide: JsonObject = { max_query_length: 100_000, auto_approve_levels: ['low', 'medium'] };

async function onSpider(ledger: Ledger, folder: string, progress: (text: string) => void): Promise<Tally> {
  const rows = corpus<{ query: string }>('query/benign_sql_spider.jsonl').slice(0, 150);
  if (rows.length === 0) printNote('benign_sql_spider is not at ../shared/corpora: skipped');
  const reads = await factsOf(
    rows.map(({ query }) => query),
    'sqlite',
  );
  progress(`meaning: ${reads.length} queries of spider`);
  const file = join(folder, 'spider.db');
  const database = new DatabaseSync(file);
  for (const [table, columns] of tablesOf(reads)) {
    const made = [...columns].map((column) => `"${column}"`).join(', ');
    database.exec(`CREATE TABLE "${table}" (${made}); INSERT INTO "${table}" DEFAULT VALUES`);
  }
  const fit = reads.map(({ text }) => text).filter((text) => isPrepared(database, text));
  database.close();
  const settings = settingsFrom({}, { sources: { shop: { kind: 'sqlite', url: file, code_mode: wide } } });
  const world = realWorld();
  const decider = createDecider({ config: configOf(async () => settings), ledger, world });
  const pipeline = createQueryPipeline({ decider, ledger, world });
  return await tallied('spider', fit, async (text) => {
    const query = { target: 'shop', text };
    const answer = await pipeline.validate(query, context);
    const rules = answer.violations.map(({ rule }) => rule);
    if (answer.approval_token === null) return { answer, rules, data: null, error: null };
    const { data } = await pipeline.execute(query, answer.approval_token, context);
    return { answer, rules, data, error: null };
  });
}

function isPrepared(database: DatabaseSync, text: string): boolean {
  try {
    database.prepare(text);
    return true;
  } catch {
    return false;
  }
}

/** Tables and columns by their names in small letters, as SQLite takes them. */
function tablesOf(reads: readonly { readonly facts: Facts }[]): ReadonlyMap<string, ReadonlySet<string>> {
  const tables = new Map<string, Set<string>>();
  for (const { facts } of reads) {
    for (const name of texts(facts['relations'])) tables.set(name.toLowerCase(), new Set(['id']));
  }
  for (const { facts } of reads) {
    for (const field of texts(facts['fields'])) {
      const [table = '', column = ''] = field.toLowerCase().split('.');
      if (/^\w+$/.test(column)) tables.get(table)?.add(column);
    }
  }
  return tables;
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** Statements that can be read, with their facts where nothing is known of the tables. */
async function factsOf(
  statements: readonly string[],
  kind: string,
): Promise<readonly { readonly text: string; readonly facts: Facts }[]> {
  const settings = settingsFrom(
    {},
    { sources: { shop: { kind, code_mode: { ...wide, sql_max_joins: 100 } } } },
  );
  const decider = deciderFor(settings);
  const read = [];
  for (const text of statements) {
    const { facts } = await decider.decide({ kind: 'query', target: 'shop', language: 'sql', text }, context);
    if (facts['action'] === 'read') read.push({ text, facts });
  }
  return read;
}
