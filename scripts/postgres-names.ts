// Writes what PostgreSQL itself has by name, from a real server: functions that only compute, operators and types.
// Run it when the embedded server changes: node scripts/postgres-names.ts

import { writeFileSync } from 'node:fs';
import pg from 'pg';
import { startPostgres } from '../tests/support/postgres.ts';

const target = new URL('../src/guards/query/sql/postgres/names.ts', import.meta.url);

/** What a statement can call; a name counts as volatile if any function of that name is. */
const functions = `
  SELECT proname AS name,
         bool_or(provolatile = 'v') AS volatile,
         bool_or(prokind = 'a') AS aggregate
  FROM pg_proc
  WHERE pronamespace = 'pg_catalog'::regnamespace
    AND prokind IN ('f', 'a', 'w')
    AND NOT 'internal'::regtype = ANY (proargtypes)
    AND prorettype NOT IN ('internal'::regtype, 'trigger'::regtype, 'event_trigger'::regtype,
      'language_handler'::regtype, 'fdw_handler'::regtype, 'index_am_handler'::regtype,
      'tsm_handler'::regtype, 'table_am_handler'::regtype, 'cstring'::regtype)
  GROUP BY proname ORDER BY proname`;
const operators = `
  SELECT DISTINCT oprname AS name FROM pg_operator
  WHERE oprnamespace = 'pg_catalog'::regnamespace ORDER BY oprname`;
const types = `
  SELECT typname AS name FROM pg_type
  WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype IN ('b', 'r', 'm') AND typcategory <> 'A'
    AND typname !~ '^(reg|pg_|_|gtsvector)' AND typname NOT IN ('aclitem', 'refcursor', 'cid', 'xid', 'xid8', 'txid_snapshot')
  ORDER BY typname`;

const server = await startPostgres();
const client = new pg.Client(server.superuserUrl());
await client.connect();
try {
  const rows = async (sql: string) => (await client.query(sql)).rows;
  const all = await rows(functions);
  const pure = all.filter(({ volatile }) => !volatile).map(({ name }) => name);
  const aggregates = all.filter(({ aggregate }) => aggregate).map(({ name }) => name);
  const version = (await rows('SHOW server_version'))[0].server_version;
  const words = (list: readonly string[]) => JSON.stringify(list.join(' ')).replaceAll("'", "\\'");
  const named = async (sql: string) => (await rows(sql)).map(({ name }) => name);
  writeFileSync(
    target,
    `// What PostgreSQL ${version} has by name in pg_catalog; written by scripts/postgres-names.ts from a real server.

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Functions of which no form is volatile. */
export const pureFunctions = words(
  ${words(pure)},
);

export const aggregates = words(
  ${words(aggregates)},
);

export const operators = words(
  ${words(await named(operators))},
);

/** Types whose values are data; those that look names up in the catalog are left out. */
export const types = words(
  ${words(await named(types))},
);
`,
  );
} finally {
  await client.end();
  await server.stop();
}
