// Runs a query on PostgreSQL: on a connection of its own, by the protocol that takes one statement alone, in a
// transaction that cannot write where the query only reads, under an account that may not do everything.

import type { CodeMode, Source } from '../../config/sources.ts';
import { joinName } from '../../config/sql-names.ts';
import type { Facts, JsonObject, JsonValue } from '../../core/index.ts';
import type { Cleared } from '../../decide/cleared.ts';
import { isBlockedColumn } from '../../guards/query/rules/names.ts';
import { type Client, type Pg, positional, posture, streamOf, withPostgres } from './connection.ts';
import { QueryFailed } from './errors.ts';
import { databaseOf } from './live.ts';
import { type ExecuteOptions, type Raw, Rows, rawOf, uniqueNames } from './result.ts';

/** Rows that are fetched at a time. */
const batch = 200;
/** The wire format is larger than the same data as JSON by no more than this. */
const wireFactor = 4;

export async function runPostgres(
  { action, facts }: Cleared<'query'>,
  { source, settings, signal }: ExecuteOptions,
): Promise<Raw> {
  const { mode, url } = source;
  if (url === null) throw new QueryFailed('nothing says where the database is');
  const values = positional(action.variables ?? {});
  const reads = facts['action'] === 'read';
  return await withPostgres(url, { timeoutMs: mode.timeoutMs, signal }, async (client, pg) => {
    const warnings = await posture(client);
    await client.query(reads ? 'BEGIN READ ONLY' : 'BEGIN READ WRITE');
    // A statement that changes tables itself is bound to their previous state.
    const changesTables = facts['action'] === 'admin' || hasFlag(facts, 'schema_change');
    if (!reads) await expectCatalog(client, source, facts);
    // Names mean what the server itself means by them first, then the one schema that queries are judged by.
    await client.query("SELECT set_config('search_path', 'public, pg_temp', true)");
    const limits = { rows: mode.sql.maxRows, bytes: settings.fetch.maxResponseBytes };
    const found = await fetchRows(pg, client, action.text, values, limits);
    // A change that gave back more than may be read is no change that anybody looked at.
    if (found.truncated && !reads) throw new QueryFailed('the change gives back more than may be read');
    const hidden = await blockedColumns(client, found.origins, mode.sql);
    if (!changesTables) await expectCatalog(client, source, facts);
    await client.query(reads ? 'ROLLBACK' : 'COMMIT');
    return rawOf(
      found.rows.map((row) => withoutColumns(row, found.names, hidden)),
      { changed: found.names.length === 0 ? found.changed : null, truncated: found.truncated, warnings },
    );
  });
}

/** INVARIANT: rows are returned, and changes committed, only if the query was judged by the current tables. */
async function expectCatalog(client: Client, source: Source, { catalog }: Facts): Promise<void> {
  const now = await databaseOf(source)?.schemaOn(client);
  if (now === undefined || now.digest !== catalog) {
    throw new QueryFailed('the tables of the database are not those that the query was judged by', {
      hint: 'validate the query again',
    });
  }
}

function hasFlag({ flags }: Facts, flag: string): boolean {
  return Array.isArray(flags) && flags.includes(flag);
}

interface Found {
  readonly rows: readonly JsonObject[];
  readonly names: readonly string[];
  /** The table and the column of each value, by the server's numbers; 0 if there is none. */
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
      types: { getTypeParser: (type: number) => parserOf(pg, type) },
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

/** Numbers that a number holds exactly, truth, lists and documents as such; all else stays the server's own text. */
function parserOf(pg: Pg, type: number): (text: string) => JsonValue {
  const member = memberTypes.get(type);
  if (member !== undefined) {
    const parse = parserOf(pg, member);
    // The types take the module for a function.
    const { arrayParser } = pg.types as unknown as { readonly arrayParser: ArrayParser };
    return (text) => arrayParser.create(text, parse).parse();
  }
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
    case 1700:
      return (text) => (isExact(text) ? Number(text) : text);
    case 114:
    case 3802:
      return (text) => JSON.parse(text);
    default:
      return (text) => text;
  }
}

interface ArrayParser {
  create(text: string, parse: (member: string) => JsonValue): { parse(): JsonValue[] };
}

/** Types of lists, with those of their members, as the server numbers them. */
const memberTypes: ReadonlyMap<number, number> = new Map([
  [1000, 16],
  [1016, 20],
  [1005, 21],
  [1007, 23],
  [1021, 700],
  [1022, 701],
  [1231, 1700],
  [199, 114],
  [3807, 3802],
  // Texts, names, dates and times, addresses and ids.
  ...[1009, 1015, 1014, 1003, 1182, 1115, 1185, 1183, 2951, 1041].map((list): [number, number] => [list, 25]),
]);

/** Whether a number holds a decimal as it is written: fifteen digits are sure to be. */
function isExact(text: string): boolean {
  return /^-?\d+(?:\.\d+)?$/.test(text) && text.replace(/^-?0*|\./g, '').length <= 15;
}

/** Which of the values come from a protected column, by the server's column numbers. */
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
