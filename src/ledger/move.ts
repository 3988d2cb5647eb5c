// Takes a whole store elsewhere: to another engine, into a backup, and back from one. Nothing counts before it is verified.

import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { messageOf, SallyportError } from '../core/index.ts';
import { LedgerKeys } from './keys.ts';
import { seal, unseal } from './seal.ts';
import { SqliteStore } from './sqlite.ts';
import { type Row, type Sql, type SqlValue, type Store, StoreDamaged } from './store.ts';
import { type Verification, type VerifyingKey, verifyStore } from './verify.ts';

/** The place to move or back up to holds something already. */
export class NotEmpty extends SallyportError {}
/** A copy is not what it was made from, or does not verify; it was not put into use. */
export class CopyRefused extends SallyportError {}
/** Entries of the store would be lost by restoring a backup that does not have them. */
export class WouldLoseEntries extends SallyportError {}
/** Another process has the store open. */
export class StoreInUse extends SallyportError {}

const pageSize = 1000;

/** Every table that moves, with what its rows are ordered by. */
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
};

/** Those of them that number their rows themselves, with the column that holds the number. */
const numbered: Readonly<Record<string, string>> = { audit: 'place', facets: 'id' };

/** What was moved. */
export interface Moved {
  /** How many rows of each table. */
  readonly rows: Readonly<Record<string, number>>;
  /** SHA-256 over all rows of the audit log, the same on both sides. */
  readonly digest: string;
  readonly verification: Verification;
}

export interface MoveOptions {
  /** The operator's keys of both stores; the store's own keys are wrapped anew. */
  readonly fromKey: Uint8Array;
  readonly toKey: Uint8Array;
  readonly now: number;
  /** Moves a log with problems too, as it is. */
  readonly force?: boolean;
  readonly progress?: (what: string, count: number) => void;
}

// ── to another engine

/**
 * Copies everything into an empty store. The copy is compared and verified before it is committed, so the target has
 * all of it or nothing. Nobody can write to the source meanwhile, and nothing is changed in it.
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

/** Keeps other writers out until the transaction ends, however long the other side takes. */
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
  // Without it the server takes the table for an empty one, and sorts all of it for every page.
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
    // OVERRIDING: the places of entries are theirs, not numbered anew.
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

function cell(value: unknown): SqlValue {
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}

/** A running SHA-256 over all rows; of the keys, all but how they are wrapped. */
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

/** A store as it looks from inside a transaction that is not committed yet. */
function within(sql: Sql, { engine, place }: Store): Store {
  return {
    engine,
    place,
    read: (work) => work(sql),
    recall: (_, work) => work(sql),
    write: (work) => work(sql),
    writeLightly: (work) => work(sql),
    outside: (work) => work(sql),
    notify: async () => false,
    listen: async () => () => undefined,
    close: async () => undefined,
  };
}

function refuseProblems({ problems }: Verification, force: boolean, outcome: string): void {
  const [first] = problems;
  if (first === undefined || force) return;
  throw new CopyRefused(
    `the log does not verify (entry ${first.seq} of chain ${first.chain}: ${first.problem}); ${outcome}`,
    { hint: "see 'sallyport log verify'; --force takes it as it is" },
  );
}

// ── into a backup

/** What a backup holds. */
export interface BackedUp {
  readonly file: string;
  readonly bytes: number;
  readonly verification: Verification;
}

/**
 * Writes one consistent state of an embedded store into a new file, while others go on writing, and verifies the copy.
 * The file has its name only once it is whole; one with problems is kept, for it may be all that is left.
 */
export async function backUp(
  store: Store,
  file: string,
  keys: () => Promise<ReadonlyMap<string, VerifyingKey>>,
  progress: (entries: number) => void = () => undefined,
): Promise<BackedUp> {
  reserve(file);
  const temporary = beside(file);
  try {
    // SQLite fills an empty file that is there, so it is never readable by others.
    closeSync(openSync(temporary, 'wx', 0o600));
    await store.outside((sql) => sql.run('VACUUM INTO ?', temporary));
    const copy = await SqliteStore.open(temporary);
    let verification: Verification;
    try {
      verification = await verifyStore(copy, { keys: await keys(), progress });
    } finally {
      await copy.close();
    }
    await alone(temporary);
    flush(temporary);
    renameSync(temporary, file);
    flush(dirname(file));
    return { file, bytes: statSync(file).size, verification };
  } catch (error) {
    for (const path of [temporary, `${temporary}-wal`, `${temporary}-shm`, file])
      rmSync(path, { force: true });
    throw error;
  }
}

/** Takes a name that nothing has yet, so that what is written there later overwrites nothing of others. */
function reserve(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    if (exists) throw new NotEmpty(`${file} exists already`, { hint: 'choose another name', cause: error });
    throw new CopyRefused(`${file} cannot be written: ${messageOf(error)}`, { cause: error });
  }
}

function beside(file: string): string {
  return join(dirname(file), `.${basename(file)}.${randomBytes(8).toString('hex')}`);
}

function flush(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes the store one single file; throws `StoreInUse` if anybody else has it open. */
async function alone(file: string): Promise<void> {
  const database = new DatabaseSync(file, { timeout: 1000 });
  try {
    database.exec('PRAGMA journal_mode = DELETE');
  } catch (error) {
    throw new StoreInUse(`the store ${file} is open in another process`, {
      hint: "end what uses it: 'sallyport down', and commands that wait for input",
      cause: error,
    });
  } finally {
    database.close();
  }
}

// ── back from a backup

export interface RestoreOptions {
  /** The backup, which is left as it is. */
  readonly file: string;
  /** The store's file; what is there is kept beside it. */
  readonly into: string;
  readonly operatorKey: Uint8Array;
  readonly now: number;
  /** Restores although entries are lost, or although the backup does not verify. */
  readonly force?: boolean;
  readonly progress?: (entries: number) => void;
}

/** What was restored. */
export interface Restored {
  /** Where the store that was there before is now; null if there was none. */
  readonly kept: string | null;
  /** Entries of the store before that the backup does not have. */
  readonly lost: number;
  /** Erasures since the backup, whose content is back; they have to be made again. */
  readonly erasuresUndone: number;
  readonly verification: Verification;
}

/**
 * Puts a backup in the place of an embedded store that nobody has open. What was ended since stays ended: revoked
 * credentials and grants, used tokens; and every open approval and proposed change ends, for a yes must not count twice.
 */
export async function restoreStore(options: RestoreOptions): Promise<Restored> {
  const { file, into, force = false } = options;
  const temporary = beside(into);
  try {
    takeIn(file, temporary);
    const copy = await SqliteStore.open(temporary);
    let verification: Verification;
    let before: Before;
    try {
      const keys = await LedgerKeys.open(copy, options.operatorKey, options.now);
      verification = await verifyStore(copy, {
        keys: await keys.verifying(),
        ...(options.progress === undefined ? {} : { progress: options.progress }),
      });
      refuseProblems(verification, force, 'nothing was restored');
      before = await compare(into, copy);
      if (before.lost > 0 && !force) {
        const entries = before.lost === 1 ? 'entry' : 'entries';
        throw new WouldLoseEntries(`the store has ${before.lost} ${entries} that the backup does not have`, {
          hint: '--force restores it all the same; the store as it is now is kept beside',
        });
      }
      await carryOver(copy, before);
    } finally {
      await copy.close();
    }
    await alone(temporary);
    const kept = existsSync(into) ? await putAside(into, before.readable) : null;
    flush(temporary);
    renameSync(temporary, into);
    flush(dirname(into));
    return { kept, lost: before.lost, erasuresUndone: before.erasures, verification };
  } catch (error) {
    for (const path of [temporary, `${temporary}-wal`, `${temporary}-shm`]) rmSync(path, { force: true });
    throw error;
  }
}

function takeIn(file: string, temporary: string): void {
  try {
    // A copy that was taken of an open store has part of it in the log beside it.
    for (const end of ['', '-wal']) {
      if (end !== '' && !existsSync(`${file}${end}`)) continue;
      copyFileSync(`${file}${end}`, `${temporary}${end}`);
      chmodSync(`${temporary}${end}`, 0o600);
    }
  } catch (error) {
    throw new CopyRefused(`${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
  if (statSync(temporary).size === 0) throw new CopyRefused(`${file} is empty`);
}

/** What the store before the restore has that the backup does not. */
interface Before {
  readonly readable: boolean;
  readonly lost: number;
  readonly erasures: number;
  readonly tokens: readonly Row[];
  readonly revoked: readonly (readonly [table: 'credentials' | 'grants', row: Row])[];
}

async function compare(into: string, copy: Store): Promise<Before> {
  const none = { lost: 0, erasures: 0, tokens: [], revoked: [] };
  if (!existsSync(into)) return { readable: true, ...none };
  try {
    const current = await SqliteStore.open(into);
    try {
      return await current.read((sql) => difference(sql, copy));
    } finally {
      await current.close();
    }
  } catch (error) {
    // A store that cannot be read is what a backup is for.
    if (error instanceof StoreDamaged) return { readable: false, ...none };
    throw error;
  }
}

async function difference(sql: Sql, copy: Store): Promise<Before> {
  let lost = 0;
  for (const { chain, size, hash } of await sql.all('SELECT chain, size, hash FROM chains')) {
    lost += Number(size) - (await shared(String(chain), Number(size), String(hash), sql, copy));
  }
  const revoked = async (table: 'credentials' | 'grants') =>
    (await sql.all(`SELECT id, revoked_at FROM ${table} WHERE revoked_at IS NOT NULL`)).map(
      (row) => [table, row] as const,
    );
  const count = "SELECT count(*) AS n FROM audit WHERE event_type = 'erased'";
  const [now] = await sql.all(count);
  const [then] = await copy.read((other) => other.all(count));
  return {
    readable: true,
    lost,
    erasures: Math.max(0, Number(now?.['n']) - Number(then?.['n'])),
    tokens: await sql.all('SELECT id, expires_at FROM tokens'),
    revoked: [...(await revoked('credentials')), ...(await revoked('grants'))],
  };
}

/** How many entries from the first on are the same in both; a link holds all before it, so halving finds the end. */
async function shared(chain: string, size: number, hash: string, sql: Sql, copy: Store): Promise<number> {
  const text = 'SELECT hash FROM audit WHERE chain = ? AND seq = ?';
  const theirs = (seq: number) =>
    copy.read(async (other) => (await other.all(text, chain, seq))[0]?.['hash']);
  if ((await theirs(size)) === hash) return size;
  let [low, high] = [0, size];
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    const own = (await sql.all(text, chain, middle))[0]?.['hash'];
    if (own !== undefined && own === (await theirs(middle))) low = middle;
    else high = middle;
  }
  return low;
}

async function carryOver(copy: Store, { tokens, revoked }: Before): Promise<void> {
  await copy.write(async (sql) => {
    await sql.run(
      `UPDATE approvals SET state = 'expired', sealed = NULL WHERE state IN ('pending', 'approved', 'denied')`,
    );
    await sql.run(`UPDATE changes SET state = 'expired', sealed = NULL WHERE state = 'staged'`);
    await sql.run(`UPDATE runs SET state = 'expired', sealed = NULL WHERE state = 'waiting'`);
    // A token that was renewed since is known to its server as used, and showing it again as theft.
    await sql.run('DELETE FROM logins');
    for (const { id, expires_at: until } of tokens) {
      const keep = 'INSERT INTO tokens (id, expires_at) VALUES (?, ?) ON CONFLICT DO NOTHING';
      await sql.run(keep, cell(id), cell(until));
    }
    for (const [table, { id, revoked_at: at }] of revoked) {
      const end = `UPDATE ${table} SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?`;
      await sql.run(end, cell(at), cell(id));
    }
  });
}

/**
 * Gives the store that is there a second name beside, so that there is a store at every moment; nothing that was put
 * aside before is overwritten.
 */
async function putAside(into: string, readable: boolean): Promise<string> {
  if (readable) await alone(into);
  let kept = `${into}.before-restore`;
  for (let number = 2; existsSync(kept); number++) kept = `${into}.before-restore-${number}`;
  // The log of another file must never lie beside the new one.
  for (const end of ['-wal', '-shm']) {
    if (existsSync(`${into}${end}`)) renameSync(`${into}${end}`, `${kept}${end}`);
  }
  try {
    linkSync(into, kept);
  } catch {
    // Not every file system gives a file two names.
    renameSync(into, kept);
  }
  return kept;
}
