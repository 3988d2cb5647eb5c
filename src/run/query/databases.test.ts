// A database's enforcement for a cleared query: the last barrier behind the guard. The guard is omitted here, so that
// queries it would refuse reach the executors.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { context, guardOf, judgement, testDecider } from '../../../tests/support/decide.ts';
import { openTestLedger, temporaryFolder } from '../../../tests/support/ledger.ts';
import { postgresMissing, type SharedDatabase, sharedPostgres } from '../../../tests/support/postgres.ts';
import { settingsFrom } from '../../config/index.ts';
import type { JsonObject } from '../../core/index.ts';
import { realWorld } from '../../decide/index.ts';
import { runQuery } from './execute.ts';
import { databaseOf } from './live.ts';

/** Runs a text as if the guard had called it such an action. */
async function run(
  source: JsonObject,
  text: string,
  { does = 'read', variables = {}, signal = undefined as AbortSignal | undefined } = {},
) {
  const settings = settingsFrom({}, { sources: { shop: source } });
  const [placed] = settings.sources;
  // As the guard would have judged it a moment before.
  if (placed !== undefined) databaseOf(placed)?.forget();
  const schema = await (placed === undefined ? null : databaseOf(placed))?.schema();
  const facts = { action: does, catalog: schema?.digest ?? '' };
  const decider = testDecider({
    guards: [guardOf(['query'], () => judgement({ facts }))],
    policy: () => ({ findings: [], asked: [] }),
  });
  const language = 'sql';
  const { cleared } = await decider.decide(
    { kind: 'query', target: 'shop', language, text, variables },
    context,
  );
  if (cleared === null || settings.sources[0] === undefined) throw new Error('not cleared');
  return await runQuery(cleared, {
    decider,
    ledger: await openTestLedger(),
    world: realWorld(),
    source: settings.sources[0],
    settings,
    ...(signal === undefined ? {} : { signal }),
  });
}

const endless = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c';

describe('SQLite', () => {
  function shop(mode: JsonObject = {}) {
    const file = join(temporaryFolder(), 'shop.db');
    const database = new DatabaseSync(file);
    database.exec(`CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, ssn TEXT, photo BLOB);
      INSERT INTO users VALUES (1, 'Ann', '111', x'00ff'), (2, 'Bob', '222', NULL);
      CREATE TABLE secrets (word TEXT); INSERT INTO secrets VALUES ('open')`);
    database.close();
    const rows = () => {
      const again = new DatabaseSync(file, { readOnly: true });
      try {
        return again.prepare('SELECT count(*) AS n FROM users').get()?.['n'];
      } finally {
        again.close();
      }
    };
    return { source: { kind: 'sqlite', url: file, code_mode: mode }, rows, file };
  }

  it('gives rows by the names of their columns, each once', async () => {
    const { source } = shop();
    const text =
      'SELECT u.id, v.id, u.photo, 9007199254740993 AS big, 0.5 AS half FROM users u, users v WHERE u.id = ?1 AND v.name = :name';
    expect(await run(source, text, { variables: { 1: 1, name: 'Bob' } })).toMatchObject({
      data: [{ id: 1, id_2: 2, photo: 'AP8=', big: '9007199254740993', half: 0.5 }],
      rows: 1,
    });
  });

  it.each([
    'DELETE FROM users',
    'INSERT INTO users (id) VALUES (9)',
    'CREATE TABLE other (id)',
    'DROP TABLE users',
    "ATTACH '/tmp/other.db' AS other",
    'PRAGMA query_only = 0',
    'PRAGMA table_info(users)',
    "SELECT load_extension('/tmp/x')",
    "SELECT fts3_tokenizer('simple')",
    'BEGIN',
    'VACUUM',
    "VACUUM INTO '/tmp/copy.db'",
  ])('does not let a read do more: %s', async (text) => {
    const { source, rows } = shop();
    await expect(run(source, text)).rejects.toMatchObject({ name: 'QueryFailed' });
    expect(rows()).toBe(2);
  });

  it.each(["ATTACH '/tmp/other.db' AS other", 'PRAGMA user_version = 5', 'DROP TABLE users', 'COMMIT'])(
    'does not let a write do more: %s',
    async (text) => {
      const { source, rows } = shop();
      await expect(run(source, text, { does: 'write' })).rejects.toMatchObject({ name: 'QueryFailed' });
      expect(rows()).toBe(2);
    },
  );

  it('writes what may be written', async () => {
    const { source, rows } = shop();
    expect(await run(source, 'DELETE FROM users WHERE id = 1', { does: 'delete' })).toMatchObject({
      rows: 1,
    });
    expect(rows()).toBe(1);
    await run(source, 'DROP TABLE secrets', { does: 'admin' });
    await expect(run(source, 'SELECT * FROM secrets')).rejects.toThrow(/no such table/);
  });

  it('reads a column that is blocked as if it were empty, and a table not at all', async () => {
    const { source } = shop({ sql_blocked_columns: ['users.ssn'], sql_blocked_tables: ['secrets'] });
    expect(await run(source, "SELECT id, ssn, 'x' || ssn AS more FROM users WHERE id = 1")).toMatchObject({
      data: [{ id: 1, ssn: null, more: null }],
    });
    expect(await run(source, "SELECT id FROM users WHERE ssn = '111'")).toMatchObject({ data: [] });
    await expect(run(source, 'SELECT * FROM secrets')).rejects.toMatchObject({ name: 'QueryFailed' });
  });

  it('does not read a table of many tenants', async () => {
    const { source } = shop({ tenant_column: 'name', tenant_tables: ['users'] });
    await expect(run(source, 'SELECT id FROM users')).rejects.toMatchObject({ name: 'QueryFailed' });
    expect(await run(source, 'SELECT word FROM secrets')).toMatchObject({ rows: 1 });
  });

  it('gives no more rows than may be read, and changes nothing that gives back more', async () => {
    const { source, rows } = shop({ sql_max_rows: 1 });
    expect(await run(source, 'SELECT id FROM users ORDER BY id')).toMatchObject({
      data: [{ id: 1 }],
      rows: 1,
      truncated: true,
    });
    const text = 'DELETE FROM users RETURNING id';
    await expect(run(source, text, { does: 'delete' })).rejects.toThrow(/more than may be read/);
    expect(rows()).toBe(2);
  });

  it('is ended when its time is up', async () => {
    const { source } = shop({ query_timeout_seconds: 1 });
    await expect(run(source, endless)).rejects.toMatchObject({ name: 'QueryTimedOut' });
  });

  it('is ended when the caller gives up', async () => {
    const { source } = shop();
    const stop = new AbortController();
    const running = run(source, endless, { signal: stop.signal });
    setTimeout(() => stop.abort(), 200);
    await expect(running).rejects.toThrow('the query was given up');
    await expect(run(source, 'SELECT 1', { signal: stop.signal })).rejects.toThrow('the query was given up');
  });

  it('fails where there is no database', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'text'), 'no database');
    for (const url of [join(folder, 'none.db'), join(folder, 'text'), 'relative.db']) {
      await expect(run({ kind: 'sqlite', url }, 'SELECT 1')).rejects.toMatchObject({ name: 'QueryFailed' });
    }
    await expect(run({ kind: 'sqlite' }, 'SELECT 1')).rejects.toMatchObject({ name: 'QueryFailed' });
  });
});

describe.skipIf(postgresMissing !== null)('PostgreSQL', () => {
  let database: SharedDatabase;
  /** An ordinary role that may read and write, and owns nothing. */
  let plain: string;

  beforeAll(async () => {
    database = await sharedPostgres();
    const owner = new pg.Client(database.url);
    await owner.connect();
    await owner.query(`CREATE TABLE users (id int PRIMARY KEY, name text, ssn text, born date, more jsonb, big int8);
      INSERT INTO users SELECT n, 'user ' || n, 'ssn ' || n, '2000-01-01', '{"a": [1]}', 9007199254740993
      FROM generate_series(1, 1000) n`);
    await owner.end();
    const root = new pg.Client(database.server.superuserUrl(database.name));
    await root.connect();
    await root.query(
      `CREATE ROLE reader LOGIN PASSWORD 'reader'; GRANT CONNECT ON DATABASE ${database.name} TO PUBLIC; GRANT SELECT, INSERT, UPDATE, DELETE ON users TO reader`,
    );
    await root.end();
    const url = new URL(database.url);
    [url.username, url.password] = ['reader', 'reader'];
    plain = url.href;
  });

  const source = (mode: JsonObject = {}, url = plain) => ({ kind: 'postgres', url, code_mode: mode });

  async function count(): Promise<number> {
    const client = new pg.Client(database.url);
    await client.connect();
    const { rows } = await client.query('SELECT count(*)::int AS n FROM users');
    await client.end();
    return rows[0].n;
  }

  it('gives rows with the values that JSON has', async () => {
    const text =
      'SELECT id, name, born, more, big, true AS yes, 0.5::float8 AS half, null AS none, 1.50::numeric AS n, 0.1234567890123456789::numeric AS exact, ARRAY[1, NULL, 3] AS list, ARRAY[$$a,b$$, $$c$$] AS words FROM users WHERE id = $1';
    expect(await run(source(), text, { variables: { 1: 7 } })).toMatchObject({
      data: [
        {
          id: 7,
          name: 'user 7',
          born: '2000-01-01',
          more: { a: [1] },
          big: '9007199254740993',
          yes: true,
          half: 0.5,
          none: null,
          n: 1.5,
          exact: '0.1234567890123456789',
          list: [1, null, 3],
          words: ['a,b', 'c'],
        },
      ],
      rows: 1,
      warnings: [],
    });
  });

  it.each([
    ['DELETE FROM users', /read-only transaction/],
    ['SELECT 1; DELETE FROM users', /multiple commands/],
    ['SELECT 1; COMMIT; DELETE FROM users', /multiple commands/],
    ['WITH d AS (DELETE FROM users RETURNING 1) SELECT * FROM d', /read-only transaction/],
    ['CREATE TABLE other (id int)', /read-only transaction/],
    ["COPY users TO '/tmp/users'", /permission denied/],
    ["SELECT pg_read_file('/etc/passwd')", /permission denied for function/],
  ])('does not let a read do more: %s', async (text, why) => {
    await expect(run(source(), text)).rejects.toThrow(why);
    expect(await count()).toBe(1000);
  });

  it('writes what may be written, and nothing that gives back more than may be read', async () => {
    const text = 'INSERT INTO users (id) VALUES (2000)';
    expect(await run(source(), text, { does: 'write' })).toMatchObject({ data: [], rows: 1 });
    expect(await count()).toBe(1001);
    const all = 'DELETE FROM users RETURNING id';
    await expect(run(source({ sql_max_rows: 10 }), all, { does: 'delete' })).rejects.toThrow(
      /more than may be read/,
    );
    expect(await count()).toBe(1001);
    await run(source(), 'DELETE FROM users WHERE id = 2000', { does: 'delete' });
    expect(await count()).toBe(1000);
  });

  it('gives no more rows than may be read', async () => {
    const result = await run(source({ sql_max_rows: 500 }), 'SELECT id FROM users ORDER BY id');
    expect(result).toMatchObject({ rows: 500, truncated: true });
    expect(await run(source(), 'SELECT id FROM users')).toMatchObject({ rows: 1000, truncated: false });
  });

  it('tells no value of a row by way of an error', async () => {
    const failed = run(source(), 'SELECT ssn::int FROM users WHERE id = 7');
    await expect(failed).rejects.toThrow(/22P02/);
    await expect(failed).rejects.not.toThrow(/ssn 7/);
    await expect(run(source(), 'SELECT none FROM users')).rejects.toThrow(/column "none" does not exist/);
  });

  it('is broken off where one row is too large', async () => {
    const text = "SELECT repeat('x', 100000000) AS large";
    await expect(run(source(), text)).rejects.toMatchObject({ name: 'QueryFailed' });
  });

  it('takes out the columns that are blocked, by where they come from', async () => {
    const mode = { sql_blocked_columns: ['users.ssn'] };
    const text = 'SELECT a.id, a.ssn AS harmless, b.name FROM users a JOIN users b USING (id) WHERE id = 1';
    expect(await run(source(mode), text)).toMatchObject({ data: [{ id: 1, name: 'user 1' }] });
    expect(JSON.stringify(await run(source(mode), text))).not.toContain('harmless');
  });

  it('looks for names in its own schema first, and in no schema of a user', async () => {
    const owner = new pg.Client(database.url);
    await owner.connect();
    await owner.query(
      'CREATE SCHEMA reader; CREATE TABLE reader.users (id int); GRANT USAGE ON SCHEMA reader TO reader; GRANT SELECT ON reader.users TO reader',
    );
    await owner.end();
    expect(await run(source(), 'SELECT count(*) AS n FROM users')).toMatchObject({ data: [{ n: 1000 }] });
  });

  it('is ended when its time is up, and does not wait for locks', async () => {
    const mode = { query_timeout_seconds: 1 };
    await expect(run(source(mode), 'SELECT pg_sleep(30)')).rejects.toMatchObject({ name: 'QueryTimedOut' });
    const owner = new pg.Client(database.url);
    await owner.connect();
    await owner.query('BEGIN; LOCK TABLE users IN ACCESS EXCLUSIVE MODE');
    await expect(run(source(mode), 'SELECT id FROM users')).rejects.toMatchObject({ name: 'QueryTimedOut' });
    await owner.end();
  });

  it('is ended when the caller gives up', async () => {
    const stop = new AbortController();
    const running = run(source(), 'SELECT pg_sleep(30)', { signal: stop.signal });
    setTimeout(() => stop.abort(), 300);
    await expect(running).rejects.toThrow('the query was given up');
  });

  it('is not asked under an account that may do everything', async () => {
    const root = database.server.superuserUrl(database.name);
    await expect(run(source({}, root), 'SELECT 1')).rejects.toMatchObject({ name: 'PostureRefused' });
    const client = new pg.Client(root);
    await client.connect();
    await client.query("CREATE ROLE filer LOGIN PASSWORD 'filer' IN ROLE pg_read_server_files");
    await client.query("CREATE ROLE hidden LOGIN PASSWORD 'hidden' NOINHERIT IN ROLE postgres");
    await client.end();
    for (const name of ['filer', 'hidden']) {
      const url = new URL(plain);
      [url.username, url.password] = [name, name];
      await expect(run(source({}, url.href), 'SELECT 1')).rejects.toMatchObject({ name: 'PostureRefused' });
    }
  });

  it('says so where the account owns what it reads', async () => {
    const { warnings } = await run(source({}, database.url), 'SELECT 1 AS one');
    expect(warnings).toEqual([expect.stringMatching(/owns \d+ tables/)]);
  });

  it.each([{ 2: 'a' }, { a: 1 }, { 1: 'a', 3: 'b' }])(
    'refuses variables that it has no places for: %j',
    async (variables) => {
      await expect(run(source(), 'SELECT $1::text', { variables })).rejects.toThrow(/"1", "2"/);
    },
  );

  it('fails where there is no server', async () => {
    await expect(run(source({}, 'postgres://a:b@127.0.0.1:1/none'), 'SELECT 1')).rejects.toMatchObject({
      name: 'QueryFailed',
    });
    await expect(run({ kind: 'postgres' }, 'SELECT 1')).rejects.toMatchObject({ name: 'QueryFailed' });
  });
});
