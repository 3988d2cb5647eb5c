// Moves a complete store to another engine.

import { createHash, hkdfSync } from 'node:crypto';
import { CopyRefused, cell, NotEmpty, refuseProblems } from './copy-checks.ts';
import { LedgerKeys, seal, unseal } from './keys.ts';
import type { Row, Sql, Store } from './store.ts';
import { type Verification, verifyStore } from './verify.ts';

const pageSize = 1000;

/** Every table that is moved, with the columns that order its rows. */
export const movedTables: Readonly<Record<string, readonly string[]>> = {
  audit: ['place'],
  facets: ['id'],
  chains: ['chain'],
  heads: ['chain', 'size'],
  keys: ['id'],
  approvals: ['id'],
  changes: ['id'],
  runs: ['id'],
  approvers: ['public_key'],
  people: ['home', 'public_key', 'role'],
  grants: ['id'],
  credentials: ['id'],
  tokens: ['id'],
  open_work: ['decision_id'],
  policy_sets: ['version'],
  logins: ['server'],
  session_texts: ['place'],
  authored: ['tenant', 'mark'],
};

/** Those of them with generated row numbers, with the column of the number. */
const numbered: Readonly<Record<string, string>> = {
  audit: 'place',
  facets: 'id',
  session_texts: 'place',
};

/** The result of a move. */
export interface Moved {
  /** The number of rows of each table. */
  readonly rows: Readonly<Record<string, number>>;
  /** SHA-256 over all rows of the audit log, the same on both sides. */
  readonly digest: string;
  readonly verification: Verification;
}

export interface MoveOptions {
  /** The operator's keys of both stores; the store's own keys are wrapped again. */
  readonly fromKey: Uint8Array;
  readonly toKey: Uint8Array;
  readonly now: number;
  /** Moves a log with problems too, unchanged. */
  readonly force?: boolean;
  readonly progress?: (what: string, count: number) => void;
}

/**
 * Copies everything into an empty store. The copy is compared and verified before it is committed, so the target has
 * all of it or nothing. Writes to the source are blocked meanwhile, and nothing is changed in it.
 */
export async function moveStore(source: Store, target: Store, options: MoveOptions): Promise<Moved> {
  return await source.write(async (from) => {
    await holdStill(from, source);
    return await target.write(async (to) => {
      await holdStill(to, target);
      await refuseFilled(to, target.place);
      const rows: Record<string, number> = {};
      let digest = '';
      for (const table of Object.keys(movedTables)) {
        const read = await copyTable(table, { from, source, to, target }, options);
        const written = await digestOf(table, pagesOf(to, target.engine, table));
        if (read.count !== written.count || read.digest !== written.digest) {
          throw new CopyRefused(`the copy of ${table} is not the same as what it was made from`, {
            hint: 'nothing was moved; report this',
          });
        }
        rows[table] = read.count;
        if (table === 'audit') ({ digest } = read);
      }
      const inside = within(to, target);
      const keys = await LedgerKeys.open(inside, options.toKey, options.now);
      const verification = await verifyStore(inside, {
        keys: await keys.verifying(),
        progress: (count) => options.progress?.('verified', count),
      });
      refuseProblems(verification, options.force === true, 'nothing was moved');
      return { rows, digest, verification };
    });
  });
}

/** Blocks other writers until the transaction ends, however long the other side takes. */
async function holdStill(sql: Sql, { engine }: Store): Promise<void> {
  if (engine === 'sqlite') return;
  await sql.run('SET LOCAL idle_in_transaction_session_timeout = 0');
  await sql.run(`LOCK TABLE ${Object.keys(movedTables).join(', ')} IN EXCLUSIVE MODE`);
}

async function refuseFilled(sql: Sql, place: string): Promise<void> {
  for (const table of Object.keys(movedTables)) {
    if ((await sql.all(`SELECT 1 AS found FROM ${table} LIMIT 1`)).length === 0) continue;
    throw new NotEmpty(`the store ${place} is not empty: it has ${table}`, {
      hint: 'move to a database of its own that no daemon has used yet',
    });
  }
}

interface Sides {
  readonly from: Sql;
  readonly source: Store;
  readonly to: Sql;
  readonly target: Store;
}

interface Digest {
  readonly count: number;
  readonly digest: string;
}

async function copyTable(
  table: string,
  { from, source, to, target }: Sides,
  { fromKey, toKey, progress }: MoveOptions,
): Promise<Digest> {
  const number = numbered[table];
  let last = 0;
  let count = 0;
  const copying = async function* (): AsyncGenerator<readonly Row[]> {
    for await (const page of pagesOf(from, source.engine, table)) {
      await put(to, target.engine, table, table === 'keys' ? page.map(rewrapped) : page);
      if (number !== undefined) last = Number(page.at(-1)?.[number] ?? 0);
      count += page.length;
      progress?.(table, count);
      yield page;
    }
  };
  const [old, young] = [wrappingOf(fromKey), wrappingOf(toKey)];
  function rewrapped(row: Row): Row {
    const name = `${row['purpose']} ${row['id']}`;
    const secret = unseal(old, name, Buffer.from(String(row['wrapped']), 'base64'));
    return { ...row, wrapped: Buffer.from(seal(young, name, secret)).toString('base64') };
  }
  const digest = await digestOf(table, copying());
  // Without it the server assumes an empty table, and sorts all of it for every page.
  if (target.engine === 'postgres') await to.run(`ANALYZE ${table}`);
  if (number !== undefined && last > 0 && target.engine === 'postgres') {
    // Unlike setval, this is undone with the transaction.
    await to.run(`ALTER TABLE ${table} ALTER COLUMN ${number} RESTART WITH ${last + 1}`);
  }
  return digest;
}

/** The key that wraps a store's own keys, as `LedgerKeys` derives it. */
function wrappingOf(operatorKey: Uint8Array): Uint8Array {
  return Buffer.from(hkdfSync('sha256', operatorKey, '', 'sallyport.store.wrapping.v1', 32));
}

/** The rows of a table in an order that is the same on both engines. */
async function* pagesOf(sql: Sql, engine: Store['engine'], table: string): AsyncGenerator<readonly Row[]> {
  const key = movedTables[table] ?? [];
  const isNumber = (column: string) =>
    column === 'size' || column === 'version' || column === numbered[table];
  const ordered = key.map((column) =>
    engine === 'postgres' && !isNumber(column) ? `${column} COLLATE "C"` : column,
  );
  const after = `WHERE (${ordered.join(', ')}) > (${key.map(() => '?').join(', ')})`;
  for (let last: Row | undefined; ; ) {
    const values = last === undefined ? [] : key.map((column) => cell(last?.[column]));
    const text = `SELECT * FROM ${table} ${last === undefined ? '' : after} ORDER BY ${ordered.join(', ')} LIMIT ?`;
    const rows = await sql.all(text, ...values, pageSize);
    if (rows.length > 0) yield rows;
    if (rows.length < pageSize) return;
    last = rows.at(-1);
  }
}

async function put(sql: Sql, engine: Store['engine'], table: string, rows: readonly Row[]): Promise<void> {
  if (engine === 'postgres') {
    // OVERRIDING: the positions of entries are preserved, not numbered again.
    await sql.run(
      `INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::${table}, ?)`,
      JSON.stringify(rows),
    );
    return;
  }
  const columns = Object.keys(rows[0] ?? {});
  await sql.insert(
    table,
    columns,
    rows.map((row) => columns.map((column) => cell(row[column]))),
  );
}

/** A running SHA-256 over all rows; of the keys, everything except their wrapping. */
async function digestOf(table: string, pages: AsyncIterable<readonly Row[]>): Promise<Digest> {
  const running = createHash('sha256');
  let count = 0;
  for await (const rows of pages) {
    for (const row of rows) {
      const columns = Object.keys(row).filter((column) => !(table === 'keys' && column === 'wrapped'));
      running.update(`${JSON.stringify(columns.sort().map((column) => [column, cell(row[column])]))}\n`);
    }
    count += rows.length;
  }
  return { count, digest: running.digest('hex') };
}

/** A store as seen from inside an uncommitted transaction. */
function within(sql: Sql, { engine, place }: Store): Store {
  return {
    engine,
    place,
    read: (work) => work(sql),
    recall: (_, work) => work(sql),
    write: (work) => work(sql),
    writeDeferred: (work) => work(sql),
    refused: () => null,
    disturbed: () => false,
    refuse: (reason) => reason,
    outside: (work) => work(sql),
    notify: async () => false,
    listen: async () => () => undefined,
    close: async () => undefined,
  };
}
