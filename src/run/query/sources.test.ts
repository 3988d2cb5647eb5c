// Which functions of real extensions a new source allows.

import { expect, it } from 'vitest';
import { asOwner } from '../../../tests/support/live-source.ts';
import { postgresMissing, sharedPostgres } from '../../../tests/support/postgres.ts';
import { realWorld } from '../../decide/index.ts';
import { sqlWithoutData } from './schema-data.ts';
import { readSchema } from './sources.ts';

it.skipIf(postgresMissing !== null)('allows the functions of extensions that only compute', async () => {
  const { url, name, server } = await sharedPostgres();
  const extensions = [
    'pg_trgm',
    'tablefunc',
    'hstore',
    'pgcrypto',
    'dblink',
    'unaccent',
    'xml2',
    'fuzzystrmatch',
  ];
  for (const extension of extensions) {
    await asOwner(server.superuserUrl(name), `CREATE EXTENSION IF NOT EXISTS ${extension}`).catch(
      () => undefined,
    );
  }
  await asOwner(
    url,
    'CREATE TABLE t (id int)',
    'CREATE SCHEMA own',
    'CREATE FUNCTION own.half(n int) RETURNS int IMMUTABLE LANGUAGE sql AS $$ SELECT n / 2 $$',
    'CREATE FUNCTION own.both(n int) RETURNS int IMMUTABLE LANGUAGE sql AS $$ SELECT n $$',
    'CREATE FUNCTION own.both(n text) RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
    'CREATE FUNCTION own.calls(n int) RETURNS int IMMUTABLE LANGUAGE sql AS $$ SELECT own.both(n) $$',
    'CREATE FUNCTION own.sleeps(n int) RETURNS text IMMUTABLE LANGUAGE sql AS $$ SELECT pg_sleep(n)::text $$',
    "CREATE FUNCTION own.sets(n int) RETURNS text IMMUTABLE LANGUAGE sql AS $$ SELECT set_config('a.b', 'c', false) $$",
  );
  const source = { name: 'shop', kind: 'postgres', url, headers: {}, schemaFrom: null } as const;
  const { functions } = await readSchema(source, realWorld().readers);
  expect(functions.computing).toEqual(
    expect.arrayContaining(['similarity', 'unaccent', 'levenshtein', 'digest', 'own.half']),
  );
  const other = new Map(functions.other.map(({ name: called, about }) => [called, about]));
  for (const called of [
    'crosstab',
    'connectby',
    'dblink',
    'gen_salt',
    'own.both',
    'own.calls',
    'own.sleeps',
    'own.sets',
  ])
    expect([called, other.has(called)]).toEqual([called, true]);
  expect(other.get('crosstab')).toContain('of the extension tablefunc');
});

it.each([
  [
    'postgres',
    "CREATE TABLE t (a text DEFAULT 'it''s'); -- note\nCREATE TABLE \"-- u\" (b int);",
    "CREATE TABLE t (a text DEFAULT 'it''s'); \nCREATE TABLE \"-- u\" (b int);",
  ],
  [
    'postgres',
    "COMMENT ON TABLE t IS 'see bob.miller@exemplo.net';",
    "COMMENT ON TABLE t IS 'see <redacted:email>';",
  ],
  [
    'mysql',
    "CREATE TABLE `a--b` (c enum('x\\'y','#z')); # gone",
    "CREATE TABLE `a--b` (c enum('x\\'y','#z')); ",
  ],
])('%s: %s', (kind, sql, kept) => expect(sqlWithoutData(sql, kind)).toBe(kept));
