// A connection to PostgreSQL for one piece of work, bounded in time, under an account that may not do everything.

import type { Duplex } from 'node:stream';
import { type JsonObject, messageOf, SallyportError, visible } from '../../core/index.ts';
import { PostureRefused, QueryFailed, QueryTimedOut } from './errors.ts';

export type Pg = typeof import('pg').default;
export type Client = InstanceType<Pg['Client']>;

const connectTimeout = 5000;
/** Lock timeout of a query, in milliseconds. */
const lockTimeout = 2000;
/** How much longer than a query may run its end is waited for. */
const graceMs = 2000;

/** Runs work on a separate connection; its errors are converted to the named ones of this folder. */
export async function withPostgres<T>(
  url: string,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
  work: (client: Client, pg: Pg) => Promise<T>,
): Promise<T> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    connectionString: url,
    application_name: 'sallyport',
    connectionTimeoutMillis: Math.min(connectTimeout, timeoutMs),
    statement_timeout: timeoutMs,
    lock_timeout: Math.min(lockTimeout, timeoutMs),
    idle_in_transaction_session_timeout: timeoutMs,
  });
  // An error without a waiting caller is reported by the next statement.
  client.on('error', () => undefined);
  const drop = (why: Error) => streamOf(client).destroy(why);
  const abort = () => drop(new QueryFailed('the query was given up'));
  signal?.addEventListener('abort', abort);
  // The server cancels the statement; if it does not answer at all, no caller waits for it.
  const timer = setTimeout(() => drop(timedOut()), timeoutMs + graceMs);
  try {
    signal?.throwIfAborted();
    await client.connect();
    const result = await work(client, pg);
    // The work is complete, whether or not the server confirms the disconnection.
    await client.end().catch(() => undefined);
    return result;
  } catch (error) {
    throw named(error, signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    // A connection that failed midway is not reused; the server rolls back.
    streamOf(client).destroy();
  }
}

/** Variables are `"1"`, `"2"`, … as the query has `$1`, `$2`, …; the server reads their texts by the types it wants. */
export function positional(variables: JsonObject): readonly (string | null)[] {
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

/** The rights of the account; throws if it has all, and returns a note about more than it needs. */
export async function posture(client: Client): Promise<readonly string[]> {
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

/** The socket beneath, for counting what comes; the types leave it out. */
export function streamOf(client: Client): Duplex {
  return (client as unknown as { connection: { stream: Duplex } }).connection.stream;
}

/** Canceled by time, and not available for a lock. */
const timeCodes: ReadonlySet<unknown> = new Set(['57014', '55P03', '25P03']);

function timedOut(cause?: unknown): QueryTimedOut {
  return new QueryTimedOut('the query took longer than it may, and was ended', { cause });
}

function named(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return new QueryFailed('the query was given up');
  if (error instanceof SallyportError) return error;
  if (timeCodes.has(codeOf(error))) return timedOut(error);
  return new QueryFailed(`the database did not take the query: ${wordsOf(error)}`, { cause: error });
}

/** Why there is no connection, in words for who set the address; null if there was one. */
export function connectionProblem(error: unknown): string | null {
  const cause = error instanceof QueryFailed ? error.cause : null;
  const code = codeOf(cause);
  if (code !== null && /^28/.test(code)) return 'it does not accept the account or its password';
  if (code === '3D000') return 'it has no database of this name';
  return code === null || code.length !== 5 || /^(?:08|53|57)/.test(code)
    ? visible(messageOf(cause), 200)
    : null;
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

function wordsOf(error: unknown): string {
  const code = codeOf(error);
  // Words about names and rights; any other may hold values of rows that the query itself does not give back.
  const isPlain = code === null || /^(?:42|25|0A)/.test(code) || code.length !== 5;
  return isPlain ? visible(messageOf(error), 300) : `it ended with ${code}`;
}

/** Why the server does not take a statement; null if the failure is not about the statement. */
export function refusalIn(error: unknown): string | null {
  const cause = error instanceof QueryFailed ? error.cause : null;
  return /^(?:08P01|0A|2[0-2]|42|5[34])/.test(codeOf(cause) ?? '') ? wordsOf(cause) : null;
}
