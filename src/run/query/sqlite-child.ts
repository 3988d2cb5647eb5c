// Runs one query on a SQLite file in a process of its own, for only a process can be ended in the middle of one. Reads
// the order as JSON from its input, and writes the answer to its output.

import { constants, DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { joinName, type Naming } from '../../config/sql-names.ts';
import type { JsonObject, JsonValue } from '../../core/index.ts';
import { isBlockedColumn, isBlockedTable } from '../../guards/query/rules/names.ts';
import { Rows, uniqueNames } from './result.ts';

export interface Order {
  readonly file: string;
  readonly text: string;
  readonly variables: JsonObject;
  readonly may: 'read' | 'write' | 'admin';
  readonly blockedColumns: readonly string[];
  readonly blockedTables: readonly string[];
  readonly naming: Naming;
  readonly mostRows: number;
  readonly mostBytes: number;
  readonly lockTimeoutMs: number;
}

export type Answer =
  | { readonly rows: readonly JsonObject[]; readonly changed: number | null; readonly truncated: boolean }
  | { readonly error: string };

const reading = [
  constants.SQLITE_SELECT,
  constants.SQLITE_READ,
  constants.SQLITE_FUNCTION,
  constants.SQLITE_RECURSIVE,
];
const writing = [...reading, constants.SQLITE_INSERT, constants.SQLITE_UPDATE, constants.SQLITE_DELETE];
const administering = [
  ...writing,
  ...[constants.SQLITE_CREATE_TABLE, constants.SQLITE_CREATE_INDEX, constants.SQLITE_CREATE_VIEW],
  ...[constants.SQLITE_DROP_TABLE, constants.SQLITE_DROP_INDEX, constants.SQLITE_DROP_VIEW],
  ...[constants.SQLITE_ALTER_TABLE, constants.SQLITE_REINDEX],
];
/**
 * The permitted operations of each statement. ATTACH, PRAGMA, triggers, extensions and transactions are in none of
 * them.
 */
const allowed: Readonly<Record<Order['may'], ReadonlySet<number>>> = {
  read: new Set(reading),
  write: new Set(writing),
  admin: new Set(administering),
};
/** Functions that reach out of the database, or into the engine. */
const forbiddenFunctions: ReadonlySet<string> = new Set([
  ...['load_extension', 'readfile', 'writefile', 'edit', 'fts3_tokenizer', 'zipfile', 'lsdir'],
]);
const largestHeap = 268_435_456;

export function runOrder(order: Order): Answer {
  const { may } = order;
  const database = new DatabaseSync(order.file, {
    readOnly: may === 'read',
    allowExtension: false,
    enableDoubleQuotedStringLiterals: false,
    timeout: order.lockTimeoutMs,
  });
  try {
    database.exec(`PRAGMA hard_heap_limit = ${largestHeap}; PRAGMA trusted_schema = OFF`);
    database.enableDefensive(true);
    if (may === 'read') return answer(database, order);
    database.exec('BEGIN IMMEDIATE');
    const given = answer(database, order);
    // A change that gave back more than may be read is no change that anybody looked at.
    const whole = !('error' in given) && !given.truncated;
    database.exec(whole ? 'COMMIT' : 'ROLLBACK');
    return whole || 'error' in given ? given : { error: 'the change gives back more than may be read' };
  } catch (error) {
    return { error: error instanceof Error ? error.message : 'the database failed' };
  } finally {
    database.close();
  }
}

function answer(database: DatabaseSync, order: Order): Answer {
  const { text, variables, may, mostRows, mostBytes } = order;
  database.setAuthorizer((code, first, second, place) =>
    permission(order, allowed[may], code, first, second, place),
  );
  try {
    const statement = database.prepare(text);
    statement.setReadBigInts(true);
    const values = bindings(variables);
    const names = uniqueNames(statement.columns().map(({ name }) => name));
    if (names.length === 0) {
      return { rows: [], changed: Number(statement.run(values).changes), truncated: false };
    }
    statement.setReturnArrays(true);
    const rows = new Rows(mostRows, mostBytes);
    // Written so for the compiler: the types do not know of arrays.
    for (const row of statement.iterate(values) as unknown as Iterable<readonly unknown[]>) {
      if (!rows.add(Object.fromEntries(names.map((name, at) => [name, plain(row[at])])))) break;
    }
    return { rows: rows.kept, changed: null, truncated: rows.truncated };
  } finally {
    database.setAuthorizer(null);
  }
}

function permission(
  order: Order,
  codes: ReadonlySet<number>,
  code: number,
  first: string | null,
  second: string | null,
  place: string | null,
): number {
  if (!codes.has(code)) return constants.SQLITE_DENY;
  if (code === constants.SQLITE_FUNCTION && forbiddenFunctions.has(second?.toLowerCase() ?? '')) {
    return constants.SQLITE_DENY;
  }
  if (code !== constants.SQLITE_READ || first === null) return constants.SQLITE_OK;
  const table = place === null ? [first] : [place, first];
  if (isBlockedTable(joinName(table), order)) return constants.SQLITE_DENY;
  // Read as if it were empty, at any position in the query.
  const column = joinName([...table, second ?? '']);
  return isBlockedColumn(column, order) ? constants.SQLITE_IGNORE : constants.SQLITE_OK;
}

/** A variable `1` is `?1`; any other goes by its name, whichever sign the query has before it. */
function bindings(variables: JsonObject): Record<string, SQLInputValue> {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [/^\d+$/.test(name) ? `?${name}` : name, bound(value)]),
  );
}

function bound(value: JsonValue): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

function plain(value: unknown): JsonValue {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  return typeof value === 'string' ? value : null;
}

let input = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (piece: string) => {
  input += piece;
});
process.stdin.on('end', () => {
  process.stdout.write(JSON.stringify(runOrder(JSON.parse(input) as Order)));
});
