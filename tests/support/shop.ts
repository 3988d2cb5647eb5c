// A shop on SQLite whose queries go through the pipeline, with a clock and a configuration that a test sets.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { configOf, settingsFrom } from '../../src/config/index.ts';
import type { PolicyStore } from '../../src/config/sources.ts';
import type { Context, JsonObject } from '../../src/core/index.ts';
import { createDecider, realWorld } from '../../src/decide/index.ts';
import type { Ledger } from '../../src/ledger/index.ts';
import { createQueryPipeline } from '../../src/run/query/index.ts';
import { person, type StorePlace } from './ledger.ts';

export const context: Context = {
  user: 'ann',
  tenant: 'acme',
  agent: 'coder',
  session: 's1',
  workspace: '/work',
  mode: 'default',
};
export const tables = `
  CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, ssn TEXT);
  CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, total INTEGER);
`;
export interface Shop {
  readonly ledger: Ledger;
  readonly time: { now: number };
  readonly file: string;
  readonly schema: string;
  set(mode: JsonObject): void;
  readonly pipeline: ReturnType<typeof createQueryPipeline>;
}

/** A shop on SQLite whose ledger is on the given store. */
export async function shopOn(
  store: StorePlace,
  mode: JsonObject = {},
  chain = 'a',
  policyStore: PolicyStore | null = null,
): Promise<Shop> {
  const folder = join(store.folder, 'shop');
  mkdirSync(folder, { recursive: true });
  const [file, schema] = [join(folder, 'shop.db'), join(folder, 'schema.sql')];
  const database = new DatabaseSync(file);
  database.exec(tables.replaceAll('CREATE TABLE', 'CREATE TABLE IF NOT EXISTS'));
  database.exec(`INSERT OR IGNORE INTO customers VALUES (1, 'Ann', '1'), (2, 'Bob', '2');
    INSERT OR IGNORE INTO orders VALUES (1, 1, 10), (2, 1, 20), (3, 2, 30)`);
  database.close();
  writeFileSync(schema, tables);
  const ledger = await store.openEnrolled(chain);
  const time = { now: 1_700_000_000_000 };
  const settings = (code: JsonObject) =>
    settingsFrom({}, { sources: { shop: { kind: 'sqlite', schema, url: file, code_mode: code } } });
  let current = settings(mode);
  const world = { ...realWorld(), now: () => time.now };
  const config = { ...configOf(async () => current), policyStore };
  const pipeline = createQueryPipeline({
    decider: createDecider({ config, ledger, world }),
    ledger,
    world,
    approvalUrl: (id) => `http://127.0.0.1/${id}`,
  });
  return {
    ledger,
    time,
    file,
    schema,
    pipeline,
    set: (code) => {
      current = settings(code);
    },
  };
}

export const read = {
  target: 'shop',
  text: 'SELECT id, total FROM orders WHERE customer_id = :id',
  variables: { id: 1 },
};
export const change = { target: 'shop', text: 'UPDATE orders SET total = 5 WHERE id = 1' };
export const writes = { sql_allow_writes: true };

/** How a run ended: it ran, or the name of what went wrong. */
export const problemOf = async (work: Promise<unknown>) =>
  await work.then(
    () => 'ran',
    (error: { problem?: string; name: string }) => error.problem ?? error.name,
  );

/** A person says yes. */
export async function yes(shop: Shop, id: string): Promise<void> {
  await shop.ledger.approvals.answer(id, 'approve', 'ann', person, {}, shop.time.now);
}
