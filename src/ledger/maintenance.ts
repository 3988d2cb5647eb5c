// Maintenance: measuring a store, exporting its entries, erasing personal data, retention.

import {
  canonicalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type MaybePromise,
  parseJson,
} from '../core/index.ts';
import { approverEvents } from './approver-history.ts';
import { type AuditLog, genesis } from './audit.ts';
import type { Row, Sql, SqlValue, Store } from './store.ts';
import { StoreLocked } from './store.ts';

/** The part of a ledger that maintenance needs; a `Ledger` has it. */
export interface Keeper {
  readonly store: Store;
  readonly audit: AuditLog;
  fingerprint(purpose: string, value: () => JsonValue): string;
}

/** The user who runs the maintenance. */
export interface Operator {
  readonly user: string;
  readonly tenant: string;
}

/** The placeholder for an erased name. */
const erasedName = 'erased';
const pageSize = 1000;
const dayMs = 24 * 60 * 60 * 1000;
/** How long and how often a store with other writers is retried, in milliseconds. */
const lockedFor = 10_000;
const lockedPause = 50;

// ── the size of a store

/** The size of a store, in entries and in bytes. */
export interface StoreSize {
  readonly engine: Store['engine'];
  readonly place: string;
  readonly schema: number;
  readonly entries: number;
  /** Entries whose content was erased. */
  readonly erased: number;
  readonly chains: number;
  readonly heads: number;
  readonly bytes: number;
  /** Times of entries in milliseconds; null if there are none. */
  readonly oldest: number | null;
  readonly newest: number | null;
}

/** Counts the content of a store. */
export async function sizeOf(store: Store): Promise<StoreSize> {
  const bytes =
    store.engine === 'sqlite'
      ? 'SELECT page_count * page_size AS n FROM pragma_page_count(), pragma_page_size()'
      : 'SELECT pg_database_size(current_database()) AS n';
  return await store.read(async (sql) => {
    const number = async (text: string) => Number((await sql.all(text))[0]?.['n'] ?? 0);
    const [times] = await sql.all('SELECT min(time) AS oldest, max(time) AS newest FROM audit');
    const time = (value: unknown) => (typeof value === 'number' ? value : null);
    return {
      engine: store.engine,
      place: store.place,
      schema: await number('SELECT max(version) AS n FROM schema_version'),
      entries: await number('SELECT count(*) AS n FROM audit'),
      erased: await number('SELECT count(*) AS n FROM audit WHERE body IS NULL'),
      chains: await number('SELECT count(*) AS n FROM chains'),
      heads: await number('SELECT count(*) AS n FROM heads'),
      bytes: await number(bytes),
      oldest: time(times?.['oldest']),
      newest: time(times?.['newest']),
    };
  });
}

// ── exporting entries

/** The entries to export; times in milliseconds, from `since` on and before `until`. */
export interface ExportFilter {
  readonly since?: number;
  readonly until?: number;
  readonly tenant?: string;
}

/**
 * An entry with all data that proves it: `content` is the hash of `salt` and `body`, and `hash` that of `chain`, `seq`,
 * `previous` and `content`. An erased entry has neither salt nor body.
 */
export interface ExportedEntry {
  readonly place: number;
  readonly chain: string;
  readonly seq: number;
  readonly time: number;
  readonly event_type: string;
  readonly user: string;
  readonly tenant: string;
  readonly agent: string;
  readonly decision_id: string | null;
  readonly decision: string | null;
  readonly salt: string | null;
  /** The canonical JSON of the entry, to the byte. */
  readonly body: string | null;
  readonly content: string;
  /** The hash of the entry before it in its chain; null if that is missing. */
  readonly previous: string | null;
  readonly hash: string;
}

/** Exports entries oldest first, a page at a time; the next page is read after `take` has processed this one. */
export async function exportEntries(
  store: Store,
  filter: ExportFilter,
  take: (page: readonly ExportedEntry[]) => MaybePromise<void>,
): Promise<number> {
  const conditions = ['own.place > ?'];
  const values: SqlValue[] = [];
  const where = (condition: string, value: SqlValue | undefined) => {
    if (value === undefined) return;
    conditions.push(condition);
    values.push(value);
  };
  where('own.time >= ?', filter.since);
  where('own.time < ?', filter.until);
  where('own.tenant = ?', filter.tenant);
  const text = `SELECT own.*, earlier.hash AS previous FROM audit AS own
    LEFT JOIN audit AS earlier ON earlier.chain = own.chain AND earlier.seq = own.seq - 1
    WHERE ${conditions.join(' AND ')} ORDER BY own.place LIMIT ?`;
  const pages = async (read: (work: (sql: Sql) => Promise<readonly Row[]>) => Promise<readonly Row[]>) => {
    let last = 0;
    let count = 0;
    for (;;) {
      const rows = await read((sql) => sql.all(text, last, ...values, pageSize));
      if (rows.length > 0) await take(rows.map(exported));
      count += rows.length;
      last = Number(rows.at(-1)?.['place'] ?? last);
      if (rows.length < pageSize) return count;
    }
  };
  // An embedded store commits in the order of positions, so pages may be read one by one and yield to others in
  // between.
  if (store.engine === 'sqlite') return await pages((work) => store.read(work));
  // A server does not: an entry may appear below one that was read. A single snapshot for all pages misses none.
  return await store.read(async (sql) => {
    await sql.run('SET LOCAL idle_in_transaction_session_timeout = 0');
    return await pages((work) => work(sql));
  });
}

function exported(row: Row): ExportedEntry {
  const text = (value: unknown) => (value === null || value === undefined ? null : String(value));
  const seq = Number(row['seq']);
  return {
    place: Number(row['place']),
    chain: String(row['chain']),
    seq,
    time: Number(row['time']),
    event_type: String(row['event_type']),
    user: String(row['user_id']),
    tenant: String(row['tenant']),
    agent: String(row['agent']),
    decision_id: text(row['decision_id']),
    decision: text(row['decision']),
    salt: text(row['salt']),
    body: text(row['body']),
    content: String(row['content']),
    previous: seq === 1 ? genesis : text(row['previous']),
    hash: String(row['hash']),
  };
}

const csvColumns = [
  ...['place', 'chain', 'seq', 'time', 'event_type', 'user', 'tenant', 'agent', 'decision_id', 'decision'],
  ...['salt', 'body', 'content', 'previous', 'hash'],
] as readonly (keyof ExportedEntry)[];

/** The first line of the entries as CSV, without its end. */
export const csvHeader: string = csvColumns.join(',');

/** An entry as a line of CSV (RFC 4180), without its end; no cell is a formula to a spreadsheet. */
export function csvLine(entry: ExportedEntry): string {
  return csvColumns
    .map((column) => {
      const value = entry[column];
      return csvCell(column === 'time' ? new Date(entry.time).toISOString() : String(value ?? ''));
    })
    .join(',');
}

/** One cell of CSV: a value that a spreadsheet would run as a formula is prefixed with an apostrophe. */
export function csvCell(value: string): string {
  const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

// ── erasing

/** The result of an erasure. */
export interface Erased {
  readonly entries: number;
  readonly approvals: number;
  readonly changes: number;
  /** Runs of code that were pending. */
  readonly runs: number;
  readonly grants: number;
  readonly credentials: number;
  readonly tokens: number;
  /** Logins to servers. */
  readonly logins: number;
  /** Whether the old bytes were removed from the files already; otherwise `tidy` removes them. */
  readonly settled: boolean;
}

const nothing = {
  ...{ entries: 0, approvals: 0, changes: 0, runs: 0, grants: 0, credentials: 0, tokens: 0, logins: 0 },
};

/** The content of an `erased` event; no name, of the user or of the operator, so that it never has to be erased. */
interface ErasureRecord extends JsonObject {
  readonly reason: 'person' | 'retention';
  /** A keyed hash of the operator. */
  readonly by: string;
}

/**
 * Erases a user: the content of their entries, their approvals and grants; their credentials are revoked. If they
 * answered for others, their name is erased with the entry that contains it. Each step records what it erased.
 */
export async function erasePerson(
  ledger: Keeper,
  person: { readonly user: string; readonly tenant?: string },
  by: Operator,
  now: number,
  progress: (entries: number) => void = () => undefined,
): Promise<Erased> {
  const { store } = ledger;
  const { user, tenant } = person;
  const own = tenant === undefined ? '' : ' AND tenant = ?';
  const owner = tenant === undefined ? [] : [tenant];
  const record: ErasureRecord = {
    reason: 'person',
    person: fingerprintOf(ledger, user, tenant),
    by: fingerprintOf(ledger, by.user, by.tenant),
  };
  const place = { tenant: tenant ?? by.tenant, now };
  const rest = await patiently(() =>
    store.write(async (sql) => {
      const of = (text: string, ...values: SqlValue[]) => sql.run(`${text}${own}`, ...values, ...owner);
      const approvals = await of('DELETE FROM approvals WHERE user_id = ?', user);
      const answers = await of(
        `UPDATE approvals SET answered_by = '${erasedName}' WHERE answered_by = ?`,
        user,
      );
      const changes = await of('DELETE FROM changes WHERE user_id = ?', user);
      const reviews = await of(`UPDATE changes SET ended_by = '${erasedName}' WHERE ended_by = ?`, user);
      const runs = await of('DELETE FROM runs WHERE user_id = ?', user);
      const logins = await of('DELETE FROM logins WHERE user_id = ?', user);
      const grants = await of(
        `UPDATE grants SET revoked_at = coalesce(revoked_at, ?), user_id = '${erasedName}', agent = '',
         workspace = '', effect = '', signature = '' WHERE user_id = ?`,
        ...[now, user],
      );
      const credentials = await of(
        `UPDATE credentials SET revoked_at = coalesce(revoked_at, ?), user_id = '${erasedName}', agent = NULL
         WHERE user_id = ?`,
        ...[now, user],
      );
      await of('DELETE FROM session_texts WHERE user_id = ?', user);
      await of(`UPDATE open_work SET user_id = '${erasedName}', agent = '' WHERE user_id = ?`, user);
      const counts = {
        approvals: approvals + answers,
        changes: changes + reviews,
        runs,
        grants,
        credentials,
        logins,
      };
      if (Object.values(counts).some((count) => count > 0)) {
        await ledger.audit.insert(sql, [
          erasedEvent({ ...record, ...counts, entries: 0, ranges: {} }, place),
        ]);
      }
      return counts;
    }),
  );
  const where = `user_id = ?${own}`;
  let entries = await eraseEntries(ledger, { where, values: [user, ...owner] }, record, place, progress);
  const named = `"answered_by":${canonicalJson(user)}`;
  entries += await eraseEntries(
    ledger,
    {
      where: `event_type IN ('approval_answered', 'change_decided') AND body LIKE ? ESCAPE '!'${own}`,
      values: [`%${named.replace(/[!%_]/g, '!$&')}%`, ...owner],
      // LIKE ignores case on one engine and not on the other.
      only: (body) => body.includes(named),
    },
    record,
    place,
    (count) => progress(entries + count),
  );
  await patiently(() => store.write((sql) => forgetNames(sql, where, user, ...owner)));
  return { ...nothing, ...rest, entries, settled: await settle(store) };
}

/** The keyed hash that an `erased` event contains instead of a name. */
export function fingerprintOf(ledger: Keeper, user: string, tenant: string | undefined): string {
  return ledger.fingerprint('person', () => [tenant ?? '*', user]);
}

/**
 * Erases the content of entries that are older than a number of days, and deletes approvals and single-use tokens that
 * expired more than a day ago. No entry is deleted, so the chains stay complete.
 */
export async function retain(
  ledger: Keeper,
  days: number,
  by: Operator,
  now: number,
  progress: (entries: number) => void = () => undefined,
): Promise<Erased> {
  const { store } = ledger;
  const record: ErasureRecord = {
    reason: 'retention',
    days,
    by: fingerprintOf(ledger, by.user, by.tenant),
  };
  // Daemons' observations of each other's logs are evidence, not content.
  const match = { where: "time < ? AND event_type <> 'heads_seen'", values: [now - days * dayMs] };
  const entries = await eraseEntries(ledger, match, record, { tenant: by.tenant, now }, progress);
  const over = now - dayMs;
  const rest = await patiently(() =>
    store.write(async (sql) => {
      await forgetNames(sql, 'NOT EXISTS (SELECT 1 FROM audit WHERE audit.facet = facets.id)');
      return {
        approvals: await sql.run('DELETE FROM approvals WHERE expires_at < ?', over),
        changes: await sql.run(
          'DELETE FROM changes WHERE expires_at < ? AND coalesce(ended_at, expires_at) < ?',
          over,
          over,
        ),
        runs: await sql.run('DELETE FROM runs WHERE expires_at < ?', over),
        tokens: await sql.run('DELETE FROM tokens WHERE expires_at < ?', over),
      };
    }),
  );
  return { ...nothing, ...rest, entries, settled: await settle(store) };
}

const kept = ['erased', 'passphrase_chosen', 'host_connected', 'host_disconnected', ...approverEvents]
  .map((type) => `'${type}'`)
  .join(', ');

interface Match {
  readonly where: string;
  readonly values: readonly SqlValue[];
  /** Reads the content of an entry before it is erased. */
  readonly only?: (body: string) => boolean;
}

/** Erases the matching entries that existed at the start; each transaction records what it erased itself. */
async function eraseEntries(
  ledger: Keeper,
  match: Match,
  record: ErasureRecord,
  place: { readonly tenant: string; readonly now: number },
  progress: (entries: number) => void,
): Promise<number> {
  const { store, audit } = ledger;
  const [end] = await store.read((sql) => sql.all('SELECT max(place) AS place FROM audit'));
  const newest = Number(end?.['place'] ?? 0);
  // INVARIANT: the record of an erasure is itself never erased, or it could not be distinguished from a hole; nor is
  // the record of the approvers, or the end of a key would be forgotten.
  const find = `SELECT place, chain, seq, body FROM audit WHERE ${match.where} AND body IS NOT NULL
    AND event_type NOT IN (${kept}) AND place > ? AND place <= ? ORDER BY place LIMIT ?`;
  let last = 0;
  let total = 0;
  for (;;) {
    // The search may take long and blocks no one; only the change itself takes the lock.
    const found = await store.read((sql) => sql.all(find, ...match.values, last, newest, pageSize));
    const going = found.filter(({ body }) => match.only?.(String(body)) ?? true);
    if (going.length > 0) {
      await patiently(() =>
        store.write(async (sql) => {
          await sql.run(
            `UPDATE audit SET body = NULL, salt = NULL, user_id = '${erasedName}', agent = '', decision_id = NULL,
             facet = 0 WHERE place IN (${going.map(() => '?').join(', ')})`,
            ...going.map((row) => Number(row['place'])),
          );
          const details = { ...record, entries: going.length, ranges: rangesOf(going) };
          await audit.insert(sql, [erasedEvent(details, place)]);
        }),
      );
    }
    total += going.length;
    progress(total);
    last = Number(found.at(-1)?.['place'] ?? last);
    if (found.length < pageSize) return total;
  }
}

/**
 * Removes names from the index of combinations. Their ids stay: a running daemon has them cached, and its further
 * entries are found by everything but the name.
 */
async function forgetNames(sql: Sql, where: string, ...values: readonly SqlValue[]): Promise<void> {
  await sql.run(
    `UPDATE facets SET user_id = '${erasedName}', agent = '${erasedName} ' || id
     WHERE user_id <> '${erasedName}' AND ${where}`,
    ...values,
  );
  // Running daemons cache combinations by name; a new epoch invalidates their cache.
  await sql.run('UPDATE chains SET epoch = epoch + 1');
}

function erasedEvent(details: ErasureRecord, { tenant, now }: { tenant: string; now: number }) {
  return { time: now, event_type: 'erased', user: 'operator', tenant, agent: '', details } as const;
}

/** The positions of rows as ranges, inclusive on both sides, by chain. */
function rangesOf(rows: readonly Row[]): Record<string, [number, number][]> {
  const chains = new Map<string, [number, number][]>();
  for (const { chain, seq } of rows) {
    const ranges = chains.get(String(chain)) ?? [];
    chains.set(String(chain), ranges);
    ranges.push([Number(seq), Number(seq)]);
  }
  return Object.fromEntries([...chains].map(([chain, ranges]) => [chain, merged(ranges)]));
}

/** Sorted ranges, with adjacent ones merged. */
function merged(ranges: readonly (readonly [number, number])[]): [number, number][] {
  const result: [number, number][] = [];
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}

/** The most unrecorded erasures that are listed. */
const mostUnrecorded = 1000;

/** Entries without content that no `erased` event covers: another program than ours removed it. */
export async function unrecordedErasures(
  store: Store,
): Promise<readonly { readonly chain: string; readonly seq: number }[]> {
  // In this order: a concurrent erasure is recorded with its change, so a hole that was seen has its record by then.
  const holes = await erasedPlaces(store);
  const covered = await recordedErasures(store);
  const found: { chain: string; seq: number }[] = [];
  for (const [chain, ranges] of holes) {
    const recorded = covered.get(chain) ?? [];
    for (const [from, to] of ranges) {
      for (let seq = from; seq <= to && found.length < mostUnrecorded; seq++) {
        if (!isWithin(recorded, seq)) found.push({ chain, seq });
      }
    }
  }
  return found;
}

/** The positions with missing content, by chain. */
async function erasedPlaces(store: Store): Promise<ReadonlyMap<string, readonly [number, number][]>> {
  const all = new Map<string, [number, number][]>();
  for (let last = 0; ; ) {
    const rows = await store.read((sql) =>
      sql.all(
        'SELECT place, chain, seq FROM audit WHERE body IS NULL AND place > ? ORDER BY place LIMIT ?',
        ...[last, pageSize],
      ),
    );
    for (const [chain, ranges] of Object.entries(rangesOf(rows))) {
      const known = all.get(chain) ?? [];
      all.set(chain, known);
      for (const range of ranges) {
        const end = known.at(-1);
        if (end !== undefined && end[1] + 1 === range[0]) end[1] = range[1];
        else known.push(range);
      }
    }
    last = Number(rows.at(-1)?.['place'] ?? last);
    if (rows.length < pageSize) return all;
  }
}

/** The positions that all `erased` events cover, by chain. */
async function recordedErasures(store: Store): Promise<ReadonlyMap<string, readonly [number, number][]>> {
  const all = new Map<string, [number, number][]>();
  for (let last = 0; ; ) {
    const rows = await store.read((sql) =>
      sql.all(
        `SELECT place, chain, seq, body FROM audit
         WHERE event_type = 'erased' AND body IS NOT NULL AND place > ? ORDER BY place LIMIT ?`,
        ...[last, pageSize],
      ),
    );
    for (const row of rows) {
      for (const [chain, from, to] of rangesIn(String(row['body']))) {
        // A record covers only entries before it, never later ones.
        const end = chain === row['chain'] ? Math.min(to, Number(row['seq']) - 1) : to;
        const ranges = all.get(chain) ?? [];
        all.set(chain, ranges);
        if (from <= end) ranges.push([from, end]);
      }
    }
    last = Number(rows.at(-1)?.['place'] ?? last);
    if (rows.length < pageSize) break;
  }
  return new Map([...all].map(([chain, ranges]) => [chain, merged(ranges)]));
}

/** The ranges of an `erased` event; a malformed one covers nothing. */
function rangesIn(body: string): readonly (readonly [string, number, number])[] {
  let event: JsonValue;
  try {
    event = parseJson(body);
  } catch {
    return [];
  }
  const details = isJsonObject(event) ? event['details'] : undefined;
  const ranges = isJsonObject(details) ? details['ranges'] : undefined;
  if (!isJsonObject(ranges)) return [];
  return Object.entries(ranges).flatMap(([chain, list]) =>
    (Array.isArray(list) ? list : []).flatMap((range) => {
      const [from, to] = Array.isArray(range) ? range : [];
      return typeof from === 'number' && typeof to === 'number' ? [[chain, from, to] as const] : [];
    }),
  );
}

function isWithin(ranges: readonly [number, number][], seq: number): boolean {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.[1] ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  const [from] = ranges[low] ?? [];
  return from !== undefined && from <= seq;
}

// ── reclaiming space

/** Reclaims the space of erased data; with `whole`, the files are rewritten, which blocks writers. */
export async function tidy(store: Store, whole: boolean): Promise<{ readonly settled: boolean }> {
  if (store.engine === 'sqlite') {
    await settle(store);
    if (whole) await patiently(() => store.outside((sql) => sql.run('VACUUM')));
    return { settled: await settle(store) };
  }
  await store.outside(async (sql) => {
    const tables = await sql.all(
      `SELECT quote_ident(tablename) AS name FROM pg_tables
       WHERE schemaname = current_schema() AND tableowner = current_user`,
    );
    for (const { name } of tables) await sql.run(`VACUUM (ANALYZE) ${name}`);
  });
  return { settled: true };
}

/** Moves the write-ahead log into the file; false while a reader, or the engine, still retains old bytes. */
async function settle(store: Store): Promise<boolean> {
  if (store.engine !== 'sqlite') return false;
  const [row] = await store.outside((sql) => sql.all('PRAGMA wal_checkpoint(TRUNCATE)'));
  return Number(row?.['busy']) === 0;
}

/** Retries for a while if another process holds the lock of the store. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (const start = performance.now(); ; ) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StoreLocked) || performance.now() - start > lockedFor) throw error;
      await new Promise((resolve) => setTimeout(resolve, lockedPause));
    }
  }
}
