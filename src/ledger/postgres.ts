// The engine for more than one machine: PostgreSQL through a pool, with named errors and reconnection.

import { readFileSync } from 'node:fs';
import { messageOf, SallyportError } from '../core/index.ts';
import { isCurrent, migrate } from './schema.ts';
import {
  Listeners,
  type Sql,
  type SqlValue,
  type Store,
  StoreDamaged,
  StoreError,
  StoreFull,
  StoreLocked,
  StoreReadOnly,
  type StoreReplaced,
  StoreUnreachable,
} from './store.ts';

/** The connection settings of the server. */
export interface PostgresOptions {
  readonly url: string;
  readonly poolSize: number;
  readonly statementTimeoutMs: number;
  /** A file with the certificate authority of the server; with it, TLS is required. */
  readonly ca?: string;
}

type Pg = typeof import('pg').default;
type Pool = InstanceType<Pg['Pool']>;
type Client = InstanceType<Pg['Client']>;

/** The lock for migrations, so that daemons that start at the same time migrate one after the other. */
const migrationLock = 7_216_330_517;
const connectTimeout = 5000;
/** First and longest wait before a lost listener connects again, in milliseconds. */
const firstWait = 100;
const longestWait = 5000;

export class PostgresStore implements Store {
  readonly engine = 'postgres';
  readonly place: string;
  readonly #pg: Pg;
  readonly #pool: Pool;
  readonly #options: PostgresOptions;
  readonly #listeners = new Listeners();
  #listener: Client | undefined;
  #refused: StoreReplaced | null = null;
  #closed = false;

  private constructor(pg: Pg, options: PostgresOptions) {
    this.#pg = pg;
    this.#options = options;
    this.place = withoutPassword(options.url);
    this.#pool = new pg.Pool({
      ...this.#connection(),
      max: options.poolSize,
      idleTimeoutMillis: 30_000,
    });
    // A connection that breaks while idle is removed by the pool; the next use opens another.
    this.#pool.on('error', () => undefined);
    // One that breaks between two statements emits an error without a listener; the next statement on it fails, which
    // is enough.
    this.#pool.on('connect', (client) => void client.on('error', () => undefined));
  }

  /** Connects and brings the schema up to date. */
  static async open(options: PostgresOptions): Promise<PostgresStore> {
    const { default: pg } = await import('pg');
    // 64-bit integers are returned as text by default; ours are counts and times within the safe range.
    pg.types.setTypeParser(pg.types.builtins.INT8, Number);
    const store = new PostgresStore(pg, options);
    try {
      await store.#migrate();
    } catch (error) {
      await store.close();
      throw error;
    }
    return store;
  }

  read<T>(work: (sql: Sql) => Promise<T>, tenant = '*'): Promise<T> {
    return this.#transaction('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', work, tenant);
  }

  /** Checking whether something has changed takes as long here as reading it. */
  recall<T>(_name: string, work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.read(work);
  }

  async write<T>(work: (sql: Sql) => Promise<T>, tenant = '*', committed?: () => void): Promise<T> {
    if (this.#refused !== null) throw this.#refused;
    const result = await this.#transaction('BEGIN', work, tenant);
    committed?.();
    return result;
  }

  refused(): StoreReplaced | null {
    return this.#refused;
  }

  /** Every write is a transaction that looks up the newest known entry, and none is deferred. */
  disturbed(): boolean {
    return false;
  }

  refuse(reason: StoreReplaced): StoreReplaced {
    this.#refused ??= reason;
    return this.#refused;
  }

  /** Not deferred here: a server that crashes loses unsynced commits like one after a power failure. */
  writeDeferred<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.write(work);
  }

  async outside<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const query: Query = (text, values = []) => this.#guarded(() => this.#pool.query(text, [...values]));
    return await work(statementsOf(query, []));
  }

  async notify(channel: string, text: string): Promise<boolean> {
    await this.#guarded(() => this.#pool.query('SELECT pg_notify($1, $2)', [channel, text]));
    return true;
  }

  async listen(channel: string, heard: (text: string) => void): Promise<() => void> {
    const forget = this.#listeners.add(channel, heard);
    // No caller waits for the connection: before it is established, and after it is lost, polling finds the answer.
    if (this.#listener === undefined) void this.#connectListener();
    else this.#listener.query(`LISTEN ${this.#pg.escapeIdentifier(channel)}`).catch(() => undefined);
    return forget;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled([this.#listener?.end(), this.#pool.end()]);
  }

  #connection() {
    const { url, statementTimeoutMs, ca } = this.#options;
    return {
      connectionString: url,
      connectionTimeoutMillis: connectTimeout,
      statement_timeout: statementTimeoutMs,
      // The server may hang without closing the connection; then the client times out.
      query_timeout: statementTimeoutMs + 1000,
      // Shorter than the statement timeout: a lock can then be distinguished from an unreachable server.
      lock_timeout: Math.ceil(statementTimeoutMs * 0.8),
      idle_in_transaction_session_timeout: statementTimeoutMs + 1000,
      keepAlive: true,
      application_name: 'sallyport',
      ...(ca === undefined ? {} : { ssl: { ca: readFileSync(ca, 'utf8'), rejectUnauthorized: true } }),
    };
  }

  async #migrate(): Promise<void> {
    // A role that may use the tables and not change them can open a store that is up to date.
    if (await this.read((sql) => isCurrent(sql, 'postgres', this.place))) return;
    await this.write(async (sql) => {
      await sql.run('SELECT pg_advisory_xact_lock(?)', migrationLock);
      await migrate(sql, 'postgres', this.place);
    });
  }

  async #transaction<T>(begin: string, work: (sql: Sql) => Promise<T>, tenant: string): Promise<T> {
    const client = await this.#guarded(() => this.#pool.connect());
    const query: Query = (text, values = []) => this.#guarded(() => client.query(text, [...values]));
    let broken: Error | undefined;
    const afterwards: (() => void)[] = [];
    try {
      await query(begin);
      await query("SELECT set_config('sallyport.tenant', $1, true)", [tenant]);
      const result = await work(statementsOf(query, afterwards));
      await query('COMMIT');
      for (const call of afterwards) call();
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch((failure: Error) => {
        broken = failure;
      });
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /** Listens on a separate connection, and reconnects with exponential backoff. */
  async #connectListener(wait = firstWait): Promise<void> {
    const client = new this.#pg.Client({ ...this.#connection(), query_timeout: 0, statement_timeout: 0 });
    let next = Math.min(wait * 2, longestWait);
    const again = () => {
      if (this.#listener !== client) return;
      this.#listener = undefined;
      const timer = setTimeout(() => {
        // Another call may have connected already by subscribing.
        if (!this.#closed && this.#listener === undefined) void this.#connectListener(next);
      }, wait);
      timer.unref();
    };
    this.#listener = client;
    client.on('error', again);
    client.on('end', again);
    client.on('notification', ({ channel, payload }) => {
      this.#listeners.tell(channel, payload ?? '');
    });
    try {
      await client.connect();
      for (const channel of this.#listeners.channels)
        await client.query(`LISTEN ${this.#pg.escapeIdentifier(channel)}`);
      next = firstWait;
    } catch {
      // Polling finds missed notifications; the connection is retried.
      again();
    }
  }

  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw named(error, this.place);
    }
  }
}

type Query = (
  text: string,
  values?: readonly SqlValue[],
) => Promise<{ rows: Record<string, unknown>[]; rowCount: number | null }>;

const numbered = new Map<string, string>();

/** The text with `$1`, `$2` … for each `?`. */
function withNumbers(text: string): string {
  let result = numbered.get(text);
  if (result === undefined) {
    let count = 0;
    result = text.replace(/\?/g, () => `$${++count}`);
    numbered.set(text, result);
  }
  return result;
}

/** The server acknowledges a commit once it is on disk: calls are made in the order of commits. */
function statementsOf(query: Query, afterwards: (() => void)[]): Sql {
  return {
    after: (_, call) => void afterwards.push(call),
    all: async (text, ...values) => (await query(withNumbers(text), values)).rows,
    run: async (text, ...values) => (await query(withNumbers(text), values)).rowCount ?? 0,
    insert: async (table, columns, rows) => {
      if (rows.length === 0) return;
      let count = 0;
      const tuples = rows.map((row) => `(${row.map(() => `$${++count}`).join(', ')})`).join(', ');
      await query(`INSERT INTO ${table} (${columns.join(', ')}) VALUES ${tuples}`, rows.flat());
    },
  };
}

/** The address without its password, for messages. */
function withoutPassword(url: string): string {
  try {
    const parsed = new URL(url);
    if (parsed.password !== '') parsed.password = '…';
    return decodeURI(parsed.href);
  } catch {
    return 'postgres';
  }
}

/** Converts an error of the server or the connection to a named one; others stay unchanged. */
function named(error: unknown, place: string): unknown {
  if (!(error instanceof Error) || error instanceof SallyportError) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const options = (hint: string) => ({ hint, cause: error });
  if (code === '55P03') {
    return new StoreLocked(
      `the store ${place} is locked by another process`,
      options('wait for that process'),
    );
  }
  if (/^(53100|53200)$/.test(code)) {
    return new StoreFull(`the store ${place} has no room left`, options('make room on the database server'));
  }
  if (/^(25006|42501)$/.test(code)) {
    return new StoreReadOnly(
      `the store ${place} may not be written`,
      options('check the role and the server'),
    );
  }
  if (/^XX/.test(code))
    return new StoreDamaged(`the store ${place} is damaged`, options('see the server log'));
  const answered = /^[0-9FHPX][0-9A-Z]{4}$/.test(code);
  if (!answered || /^(08|57|53|28|3D)/.test(code)) {
    return new StoreUnreachable(
      `the store ${place} cannot be reached: ${messageOf(error)}`,
      options('check that the server runs and that the address and the password are right'),
    );
  }
  return new StoreError(`the store ${place} failed: ${messageOf(error)} (${code})`, { cause: error });
}
