// Runs a query on PostgreSQL: on a connection of its own, by the protocol that takes one statement alone, in a
// transaction that cannot write where the query only reads, under an account that may not do everything.

import type { Duplex } from 'node:stream';
import type { CodeMode } from '../../config/sources.ts';
import { joinName } from '../../config/sql-names.ts';
import { type JsonObject, type JsonValue, messageOf, visible } from '../../core/index.ts';
import type { Cleared } from '../../decide/cleared.ts';
import { isBlockedColumn } from '../../guards/query/rules/names.ts';
import { PostureRefused, QueryFailed, QueryTimedOut } from './errors.ts';
import type { ExecuteOptions } from './result.ts';
import { type Raw, Rows, uniqueNames } from './result.ts';

type Pg = typeof import('pg').default;
type Client = InstanceType<Pg['Client']>;

const connectTimeout = 5000;
/** How long a query waits for what somebody else holds, in milliseconds. */
const lockTimeout = 2000;
/** How much longer than a query may run its end is waited for. */
const graceMs = 2000;
/** Rows that are fetched at a time. */
const batch = 200;
/** What comes over the wire is larger than the same as JSON by no more than this. */
const wireFactor = 4;

export async function runPostgres(
  { action, facts }: Cleared<'query'>,
  { source, settings, signal }: ExecuteOptions,
): Promise<Raw> {
  const { mode, url } = source;
  if (url === null) throw new QueryFailed('nothing says where the database is');
  const values = positional(action.variables ?? {});
  const reads = facts['action'] === 'read';
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    connectionString: url,
    application_name: 'sallyport',
    connectionTimeoutMillis: Math.min(connectTimeout, mode.timeoutMs),
    statement_timeout: mode.timeoutMs,
    lock_timeout: Math.min(lockTimeout, mode.timeoutMs),
    idle_in_transaction_session_timeout: mode.timeoutMs,
  });
  // What breaks while nobody waits is met by the next statement.
  client.on('error', () => undefined);
  const drop = (why: Error) => streamOf(client).destroy(why);
  const abort = () => drop(new QueryFailed('the query was given up'));
  signal?.addEventListener('abort', abort);
  // The server ends the statement; where it does not answer at all, nobody waits for it.
  const timer = setTimeout(() => drop(timedOut()), mode.timeoutMs + graceMs);
  try {
    signal?.throwIfAborted();
    await client.connect();
    const warnings = await posture(client);
    await client.query(reads ? 'BEGIN READ ONLY' : 'BEGIN READ WRITE');
    // Names mean what the server itself means by them first, then the one schema that queries are judged by.
    await client.query("SELECT set_config('search_path', 'public, pg_temp', true)");
    const limits = { rows: mode.sql.maxRows, bytes: settings.fetch.maxResponseBytes };
    const found = await fetchRows(pg, client, action.text, values, limits);
    // A change that gave back more than may be read is no change that anybody looked at.
    if (found.truncated && !reads) throw new QueryFailed('the change gives back more than may be read');
    const hidden = await blockedColumns(client, found.origins, mode.sql);
    await client.query(reads ? 'ROLLBACK' : 'COMMIT');
    // What was done is done, whether or not the server says goodbye.
    await client.end().catch(() => undefined);
    return {
      data: found.rows.map((row) => withoutColumns(row, found.names, hidden)),
      rows: found.names.length === 0 ? found.changed : found.rows.length,
      truncated: found.truncated,
      warnings,
    };
  } catch (error) {
    throw named(error, signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    // A connection that failed half way is not spoken to again; the server takes back what it had begun.
    streamOf(client).destroy();
  }
}

/** Variables are `"1"`, `"2"`, … as the query has `$1`, `$2`, …; the server reads their texts by the types it wants. */
function positional(variables: JsonObject): readonly (string | null)[] {
  const names = Object.keys(variables);
  return names.map((_, index) => {
    const value = variables[String(index + 1)];
    if (value === undefined) {
      throw new QueryFailed('the variables of a query to PostgreSQL are "1", "2" and so on, none left out');
    }
    if (value === null) return null;
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  });
}

/** What the account may do; throws where that is everything, and gives words about what is more than it needs. */
async function posture(client: Client): Promise<readonly string[]> {
  const { rows } = await client.query(`
    SELECT
      (SELECT bool_or(rolsuper) FROM pg_catalog.pg_roles
        WHERE pg_catalog.pg_has_role(session_user, oid, 'MEMBER')) AS superuser,
      (SELECT bool_or(true) FROM pg_catalog.pg_roles
        WHERE rolname IN ('pg_execute_server_program', 'pg_read_server_files', 'pg_write_server_files')
          AND pg_catalog.pg_has_role(session_user, oid, 'MEMBER')) AS server_files,
      (SELECT rolbypassrls FROM pg_catalog.pg_roles WHERE rolname = session_user) AS bypasses,
      (SELECT count(*)::int FROM pg_catalog.pg_class c JOIN pg_catalog.pg_roles r ON r.oid = c.relowner
        WHERE r.rolname = session_user AND c.relkind IN ('r', 'p', 'v', 'm', 'f')) AS owned`);
  const [row] = rows;
  if (row?.superuser !== false) {
    throw new PostureRefused('the account of this source is a superuser, or can become one', {
      hint: 'make a role that may only do what queries need, and name it in the url of the source',
    });
  }
  if (row.server_files === true) {
    throw new PostureRefused('the account of this source may use files and programs of the database server');
  }
  return [
    ...(row.bypasses === true ? ['The account of this source is not held to row security.'] : []),
    ...(row.owned > 0
      ? [
          `The account of this source owns ${row.owned} tables, and so may change them; a role of its own is safer.`,
        ]
      : []),
  ];
}

interface Found {
  readonly rows: readonly JsonObject[];
  readonly names: readonly string[];
  /** The table and the column that each value comes from, as the server numbers them; 0 where from none. */
  readonly origins: readonly (readonly [table: number, column: number])[];
  readonly changed: number | null;
  readonly truncated: boolean;
}

interface Connection {
  sync(): void;
}

/** Fetches in batches, so that a large result is left on the server. */
function fetchRows(
  pg: Pg,
  client: Client,
  text: string,
  values: readonly (string | null)[],
  limits: { readonly rows: number; readonly bytes: number },
): Promise<Found> {
  const rows = new Rows(limits.rows, limits.bytes);
  let [names, origins]: [readonly string[], Found['origins']] = [[], []];

  class Batched extends pg.Query {
    handlePortalSuspended(connection: Connection): void {
      if (rows.truncated) connection.sync();
      // The types leave out what the class has.
      else (pg.Query.prototype as unknown as Batched).handlePortalSuspended.call(this, connection);
    }

    handleRowDescription(message: { readonly fields: readonly Field[] }): void {
      names = uniqueNames(message.fields.map(({ name }) => name));
      origins = message.fields.map(({ tableID, columnID }) => [tableID, columnID]);
      (pg.Query.prototype as unknown as Batched).handleRowDescription.call(this, message);
    }
  }

  return new Promise((resolve, reject) => {
    const stream = streamOf(client);
    let bytes = 0;
    const count = (chunk: Uint8Array): void => {
      bytes += chunk.length;
      if (bytes > limits.bytes * wireFactor) stream.destroy(new QueryFailed('the result is too large'));
    };
    stream.on('data', count);
    const over = (settle: () => void) => {
      stream.off('data', count);
      settle();
    };
    const query = new Batched({
      text,
      values: [...values],
      rows: batch,
      rowMode: 'array',
      queryMode: 'extended',
      types: { getTypeParser: (type: number) => parserOf(type) },
    } as ConstructorParameters<Pg['Query']>[0]);
    query.on('row', (row: readonly JsonValue[]) => {
      rows.add(Object.fromEntries(names.map((name, at) => [name, row[at] ?? null])));
    });
    query.on('error', (error) => over(() => reject(error)));
    query.on('end', (result) => {
      const { rowCount } = result as { readonly rowCount: number | null };
      over(() => resolve({ rows: rows.kept, names, origins, changed: rowCount, truncated: rows.truncated }));
    });
    client.query(query);
  });
}

interface Field {
  readonly name: string;
  readonly tableID: number;
  readonly columnID: number;
}

/** The socket beneath, for counting what comes; the types leave it out. */
function streamOf(client: Client): Duplex {
  return (client as unknown as { connection: { stream: Duplex } }).connection.stream;
}

/** Numbers that a number holds exactly, truth and documents as such; all else stays the server's own text. */
function parserOf(type: number): (text: string) => JsonValue {
  switch (type) {
    case 16:
      return (text) => text === 't';
    case 20:
    case 21:
    case 23:
    case 26:
      return (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : text);
    case 700:
    case 701:
      return (text) => (Number.isFinite(Number(text)) ? Number(text) : text);
    case 114:
    case 3802:
      return (text) => JSON.parse(text);
    default:
      return (text) => text;
  }
}

/** Which of the values come from a column that is never read, by where the server says that they come from. */
async function blockedColumns(
  client: Client,
  origins: Found['origins'],
  sql: CodeMode['sql'],
): Promise<ReadonlySet<number>> {
  const tables = [...new Set(origins.map(([table]) => table).filter((table) => table !== 0))];
  if (sql.blockedColumns.length === 0 || tables.length === 0) return new Set();
  const { rows } = await client.query(
    `SELECT a.attrelid::int8::text AS table, a.attnum::int AS column,
       ARRAY[n.nspname::text, c.relname::text, a.attname::text] AS parts
     FROM pg_catalog.pg_attribute a
     JOIN pg_catalog.pg_class c ON c.oid = a.attrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE a.attrelid = ANY ($1::oid[])`,
    [tables],
  );
  const names = new Map(rows.map(({ table, column, parts }) => [`${table} ${column}`, joinName(parts)]));
  return new Set(
    origins.flatMap(([table, column], at) => {
      const name = names.get(`${table} ${column}`);
      return name !== undefined && isBlockedColumn(name, sql) ? [at] : [];
    }),
  );
}

function withoutColumns(row: JsonObject, names: readonly string[], hidden: ReadonlySet<number>): JsonObject {
  if (hidden.size === 0) return row;
  return Object.fromEntries(names.flatMap((name, at) => (hidden.has(at) ? [] : [[name, row[name] ?? null]])));
}

/** Canceled by time, and not available for a lock. */
const timeCodes: ReadonlySet<unknown> = new Set(['57014', '55P03', '25P03']);

function timedOut(cause?: unknown): QueryTimedOut {
  return new QueryTimedOut('the query took longer than it may, and was ended', { cause });
}

function named(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return new QueryFailed('the query was given up');
  if (error instanceof QueryFailed || error instanceof QueryTimedOut || error instanceof PostureRefused) {
    return error;
  }
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (timeCodes.has(code)) return timedOut(error);
  // Words about names and rights; any other may hold values of rows that the query itself does not give back.
  const isPlain = typeof code !== 'string' || /^(?:42|25|0A)/.test(code) || code.length !== 5;
  const message = isPlain ? visible(messageOf(error), 300) : `it ended with ${code}`;
  return new QueryFailed(`the database did not take the query: ${message}`, { cause: error });
}
