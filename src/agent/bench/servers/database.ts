// The small database of the bench. It runs whatever SQL it is handed: what may be asked is decided before it.

import { join, resolve } from 'node:path';
import { constants, DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { isInside } from '../../../config/home.ts';
import type { JsonValue } from '../../../core/index.ts';
import { object, text } from '../../../core/shape.ts';
import { type ServerTool, tool } from './tool.ts';

/** The file of a database in a world. */
export function databaseFile(folder: string, name: 'database' | 'tickets'): string {
  return join(folder, `${name}.db`);
}

/** Does some work on a database of a world, and closes it. INVARIANT: no SQL reaches a file beyond the world. */
export function onDatabase<T>(
  folder: string,
  name: 'database' | 'tickets',
  work: (database: DatabaseSync) => T,
): T {
  const database = new DatabaseSync(databaseFile(folder, name), { timeout: 5000 });
  database.setAuthorizer((action, file) => {
    const reaches = action === constants.SQLITE_ATTACH && !isOfWorld(folder, file ?? '');
    return reaches ? constants.SQLITE_DENY : constants.SQLITE_OK;
  });
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** Whether a name that SQL gives a database stands for a file of the world, or for none at all. */
function isOfWorld(folder: string, file: string): boolean {
  if (file === '' || file === ':memory:') return true;
  return !file.startsWith('file:') && isInside(folder, resolve(folder, file));
}

/** The rows of a query, as JSON holds them. */
export function rowsOf(
  database: DatabaseSync,
  sql: string,
  ...values: readonly (string | number)[]
): readonly Readonly<Record<string, JsonValue>>[] {
  const rows = database.prepare(sql).all(...values);
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([key, value]) => [key, plain(value)])),
  );
}

function plain(value: SQLOutputValue): JsonValue {
  if (typeof value === 'bigint') return Number(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}

export const databaseTools: readonly ServerTool[] = [
  tool({
    name: 'list_tables',
    description: 'Lists the tables of the shop database and their columns.',
    input: object({}),
    effect: 'read',
    call: (folder) =>
      onDatabase(folder, 'database', (database) => ({
        tables: rowsOf(database, "SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name"),
      })),
  }),
  tool({
    name: 'query',
    description: 'Runs one SQL query on the shop database and returns its rows.',
    input: object({ sql: text({ min: 1, max: 100_000 }) }),
    effect: 'query',
    roles: { '/sql': 'query' },
    call: (folder, { sql }) =>
      onDatabase(folder, 'database', (database) => ({ rows: rowsOf(database, sql) })),
  }),
];
