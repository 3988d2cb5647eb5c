// Names in SQL: what the schema of a source does not list is refused, and a name means the same table however the
// configuration and the statement spell it.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { askGuard, type SqlAsked } from '../../../../tests/support/sql-guard.ts';
import type { JsonObject } from '../../../core/index.ts';

const tables = `
  CREATE TABLE users (id int PRIMARY KEY, name text, email text, ssn text, tenant_id text);
  CREATE TABLE public.orders (id int, user_id int, total numeric, placed date, tags text[], tenant_id text);
  CREATE SCHEMA hr;
  CREATE TABLE hr.salaries (id int, user_id int, amount int);
  CREATE TABLE hr.users (id int, badge text);
  CREATE VIEW cards AS SELECT id, name FROM users;
  CREATE MATERIALIZED VIEW totals AS SELECT 1 AS n;
  CREATE TYPE public.mood AS ENUM ('sad', 'happy');
`;
/** The same for databases without schemas. */
const plainTables = `
  CREATE TABLE users (id INTEGER PRIMARY KEY, name text, email text, ssn text, tenant_id text);
  CREATE TABLE orders (id int, user_id int, total int, placed date, tenant_id text);
  CREATE VIEW cards AS SELECT id, name FROM users;
`;

type Asked = Partial<SqlAsked>;

async function ask(text: string, { kind = 'postgres', ...more }: Asked = {}) {
  const given = kind === 'postgres' ? tables : plainTables;
  return await askGuard(text, { kind, schema: given, ...more });
}

const rules = async (text: string, asked?: Asked) => [
  ...new Set((await ask(text, asked)).findings.map(({ rule }) => rule)),
];
const isDenied = async (text: string, asked?: Asked) =>
  (await ask(text, asked)).findings.some(({ decision }) => decision === 'block');

describe('PostgreSQL: a name that the schema does not list is denied', () => {
  it.each([
    'SELECT "SSN" FROM users',
    'SELECT u."SSN" FROM users u',
    'SELECT national_id FROM users',
    "SELECT national_id || '' AS x FROM users",
    "SELECT id FROM users WHERE national_id LIKE 'N%'",
    'SELECT id FROM users ORDER BY national_id',
    'SELECT count(*) FROM users GROUP BY national_id',
    'SELECT count(*) FROM users GROUP BY ROLLUP (national_id)',
    'SELECT count(*) FROM users HAVING max(national_id) > 1',
    'SELECT DISTINCT ON (national_id) id FROM users',
    'SELECT sum(id) OVER (PARTITION BY national_id) FROM users',
    'SELECT sum(id) OVER w FROM users WINDOW w AS (ORDER BY national_id)',
    'SELECT count(*) FILTER (WHERE national_id = 1) FROM users',
    'SELECT 1 FROM users JOIN orders ON national_id = total',
    'SELECT 1 FROM users JOIN orders USING (national_id)',
    'SELECT 1 FROM users JOIN orders USING (total)',
    'SELECT (SELECT national_id) FROM users',
    'SELECT id FROM users WHERE EXISTS (SELECT 1 FROM orders WHERE national_id = total)',
    'SELECT x FROM (SELECT national_id AS x FROM users) y',
    'SELECT y.b FROM (SELECT id AS a FROM users) y',
    'WITH y AS (SELECT id AS a FROM users) SELECT b FROM y',
    'WITH y(a) AS (SELECT id FROM users) SELECT id FROM y',
    'SELECT v.c FROM (VALUES (1, 2)) v(a, b)',
    'SELECT f FROM users AS u(a, b, c, d, e, f)',
    'SELECT f FROM (SELECT * FROM users) AS u(a, b, c, d, e, f)',
    'SELECT x FROM users, LATERAL (SELECT users.national_id AS x) y',
    'SELECT x FROM users, (SELECT total AS x FROM users) y, orders',
    'SELECT national_id',
    'SELECT id FROM nowhere',
    'SELECT id FROM salaries',
    'SELECT id FROM other.users',
    'SELECT id FROM hr.orders',
    'SELECT id FROM "Users"',
    'SELECT id FROM pg_temp.users',
    'SELECT public.nowhere.id FROM users',
    'SELECT users.id FROM users u',
    'SELECT hr.users.ssn FROM hr.users',
    'SELECT id FROM users UNION SELECT national_id FROM users',
    'SELECT id FROM users UNION SELECT id FROM orders ORDER BY name',
  ])('%s', async (text) => {
    expect(await rules(text)).toContain('unsupported_statement');
  });

  it.each([
    'INSERT INTO users (national_id) VALUES (1)',
    'INSERT INTO nowhere (id) VALUES (1)',
    'INSERT INTO users (name) SELECT email FROM orders',
    'INSERT INTO users (id) VALUES (1) RETURNING national_id',
    'INSERT INTO users (id) VALUES (1) ON CONFLICT (national_id) DO NOTHING',
    'INSERT INTO users (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET national_id = 1',
    'INSERT INTO users (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.national_id',
    'INSERT INTO users (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET name = national_id',
    'UPDATE users SET national_id = 1 WHERE id = 1',
    "UPDATE users SET (name, national_id) = ('a', 'b') WHERE id = 1",
    'UPDATE users SET name = national_id WHERE id = 1',
    'UPDATE users SET name = 1 WHERE national_id = 1',
    'DELETE FROM users WHERE national_id = 1',
    'DELETE FROM users WHERE id = 1 RETURNING national_id',
    'MERGE INTO users u USING orders o ON u.id = o.id WHEN MATCHED THEN UPDATE SET national_id = 1',
    'MERGE INTO users u USING orders o ON u.id = o.id WHEN NOT MATCHED THEN INSERT (national_id) VALUES (1)',
  ])('%s', async (text) => {
    const mode = { sql_allow_writes: true, sql_allow_deletes: true };
    expect(await rules(text, { mode })).toContain('unsupported_statement');
  });

  it('says which name is near, unless that name is not to be asked for', async () => {
    const said = async (text: string, mode: JsonObject = {}) =>
      (await ask(text, { mode })).findings.map(({ message }) => message).join(' ');
    expect(await said('SELECT "SSN" FROM users')).toContain('did you mean "ssn"?');
    expect(await said('SELECT u.nam FROM users u')).toContain('did you mean "name"?');
    expect(await said('SELECT id FROM usrs')).toContain('did you mean "users"?');
    expect(await said('SELECT id FROM salaries')).toContain('did you mean "hr.salaries"?');
    expect(await said('SELECT sn FROM users', { sql_blocked_columns: ['ssn'] })).not.toContain('ssn');
    expect(await said('SELECT id FROM salarys', { sql_blocked_tables: ['salaries'] })).not.toContain('hr.');
  });

  it('holds a name to the blocked columns all the same', async () => {
    const mode = { sql_blocked_columns: ['national_id', 'users.ssn'] };
    expect(await rules('SELECT "SSN" FROM users', { mode })).toContain('blocked_column');
    expect(await rules('SELECT national_id FROM users', { mode })).toContain('blocked_column');
    // No table lists it, and any may have it by now.
    expect(await rules('SELECT national_id FROM users, cards', { mode })).toContain('blocked_column');
    expect(await rules('SELECT ssn FROM cards', { mode: { sql_blocked_columns: ['ssn'] } })).toContain(
      'blocked_column',
    );
    expect(await rules('SELECT 1 AS national_id FROM users GROUP BY national_id', { mode })).toContain(
      'blocked_column',
    );
    expect(await rules('SELECT national_id FROM users national_id', { mode })).toContain('blocked_column');
  });

  it('counts a blocked column that the schema lacks as one of its table', async () => {
    const mode = { sql_blocked_columns: ['public.users.national_id'] };
    for (const text of [
      'SELECT * FROM users',
      'SELECT u::text FROM users u',
      'SELECT row_to_json(u) FROM users u',
      'SELECT f FROM users AS u(a, b, c, d, e, f)',
      'SELECT (SELECT national_id FROM users LIMIT 1) FROM hr.salaries',
    ]) {
      expect(await rules(text, { mode }), text).toContain('blocked_column');
    }
    expect(await rules('SELECT id, name FROM users', { mode })).toEqual([]);
    const bare = { sql_blocked_columns: ['national_id'] };
    expect(await rules('SELECT u::text FROM users u', { mode: bare })).toContain('blocked_column');
    expect(await rules('WITH x AS (SELECT * FROM users) SELECT x::text FROM x', { mode: bare })).toContain(
      'blocked_column',
    );
    expect(await rules('SELECT * FROM orders', { mode: bare })).toEqual([]);
  });
});

describe('PostgreSQL: a name that the statement or the schema gives passes', () => {
  it.each([
    'SELECT id, "name", SSN IS NULL AS gone FROM users ORDER BY gone, 1',
    'SELECT public.users.id FROM users',
    'SELECT users.id FROM public.users',
    'SELECT ctid, tableoid FROM users WHERE xmin IS NOT NULL',
    'SELECT u.ctid FROM users u',
    'SELECT name AS n, count(*) FROM users GROUP BY n HAVING count(*) > 1 ORDER BY n',
    'SELECT name AS n, count(*) AS c FROM users GROUP BY ROLLUP (n) ORDER BY c DESC',
    'SELECT lower(name) AS l FROM users GROUP BY GROUPING SETS ((l), ())',
    'SELECT DISTINCT ON (n) name AS n FROM users',
    'SELECT id AS a FROM users UNION SELECT id FROM orders ORDER BY a',
    'SELECT count(*) FROM users GROUP BY name ORDER BY count',
    'SELECT sum(total) OVER w FROM orders WINDOW w AS (PARTITION BY user_id ORDER BY placed)',
    'SELECT x.a, b FROM (SELECT id AS a, name AS b FROM users) x',
    'SELECT a FROM (SELECT id AS a FROM users)',
    'SELECT p, q FROM (SELECT id, name FROM users) AS x(p, q)',
    'SELECT p, name FROM (SELECT id, name FROM users) AS x(p)',
    'WITH y AS (SELECT id AS a FROM users) SELECT a FROM y',
    'WITH y(a, b) AS (SELECT id, name FROM users) SELECT a, y.b FROM y',
    'WITH y(a) AS (SELECT id, name FROM users) SELECT a, name FROM y',
    'WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT n FROM t',
    'WITH y AS (SELECT * FROM users) SELECT y.name FROM y JOIN orders o ON o.user_id = y.id',
    'SELECT x.n FROM users u, LATERAL (SELECT u.name AS n) x',
    'SELECT x.n FROM users u CROSS JOIN LATERAL (SELECT max(total) AS n FROM orders WHERE user_id = u.id) x',
    'SELECT id, name FROM users JOIN hr.salaries USING (id)',
    'SELECT id, total FROM users NATURAL JOIN orders',
    'SELECT a, b FROM users AS u(a, b)',
    'SELECT j.name, j.total FROM (users JOIN orders ON users.id = orders.user_id) AS j',
    'SELECT j.a FROM (users JOIN orders ON true) AS j(a)',
    'SELECT g FROM generate_series(1, 3) g',
    'SELECT g.n FROM generate_series(1, 3) AS g(n)',
    'SELECT generate_series FROM generate_series(1, 3)',
    'SELECT n, o FROM generate_series(1, 3) WITH ORDINALITY AS g(n, o)',
    "SELECT a, x.b FROM json_to_recordset('[]') AS x(a int, b text)",
    'SELECT t FROM orders, unnest(tags) AS t',
    'SELECT t.tag, o.id FROM orders o, unnest(o.tags) AS t(tag)',
    "SELECT key, value FROM json_each('{}')",
    "SELECT e.value FROM json_each('{}') e",
    "SELECT a FROM JSON_TABLE('[]', '$' COLUMNS (a int PATH '$.a'))",
    "SELECT a FROM XMLTABLE('/a' PASSING ('<a/>'::xml) COLUMNS a text)",
    'SELECT column1, v.column2 FROM (VALUES (1, 2)) v',
    'SELECT a FROM (VALUES (1), (2)) AS v(a)',
    "SELECT x.date FROM (SELECT '2024-01-01'::date) x",
    'SELECT x.placed FROM (SELECT placed::timestamp FROM orders) x',
    'SELECT x.int4 FROM (SELECT 1::int) x',
    'SELECT x.case, x.coalesce, x.max FROM (SELECT CASE WHEN true THEN 1 END, coalesce(1, 2), max(id) FROM users) x',
    'SELECT x.date_part, x.extract FROM (SELECT date_part($$year$$, placed), extract(year FROM placed) FROM orders) x',
    'SELECT x.current_date, x.exists, x.array, x.nullif FROM (SELECT current_date, EXISTS (SELECT 1), ARRAY[1], nullif(1, 2)) x',
    'SELECT x.name FROM (SELECT (SELECT name FROM users LIMIT 1)) x',
    'SELECT u.id, (SELECT count(*) FROM orders o WHERE o.user_id = u.id) AS n FROM users u',
    'SELECT id FROM users u WHERE EXISTS (SELECT 1 FROM orders WHERE user_id = u.id AND email IS NOT NULL)',
    'SELECT amount FROM hr.salaries',
    'SELECT u.id, h.badge FROM users u JOIN hr.users h ON h.id = u.id',
    'SELECT id, name FROM cards',
    'SELECT n FROM totals',
    "SELECT 'sad'::mood, 'sad'::public.mood",
    'SELECT 1',
    'SELECT count(users) FROM users',
    'EXPLAIN SELECT id FROM users',
  ])('%s', async (text) => {
    expect(await rules(text, { mode: { auto_approve_levels: ['low', 'medium'] } })).toEqual([]);
  });

  it.each([
    ["INSERT INTO users (id, name) VALUES (1, 'a')", 'query_changes'],
    [
      'INSERT INTO users AS u (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name WHERE u.id > 1 RETURNING id, name',
      'query_changes',
    ],
    ['INSERT INTO users (id, name) SELECT id, tags[1] FROM orders', 'query_changes'],
    ["UPDATE users SET name = 'a', (email, ssn) = ('b', 'c') WHERE id = 1 RETURNING id", 'query_changes'],
    ['UPDATE users u SET name = o.tags[1] FROM orders o WHERE o.user_id = u.id', 'query_changes'],
    ['DELETE FROM users USING orders o WHERE o.user_id = users.id RETURNING email', 'query_destroys'],
    [
      'MERGE INTO users u USING orders o ON u.id = o.user_id WHEN MATCHED THEN UPDATE SET name = o.tags[1] WHEN NOT MATCHED THEN INSERT (id, name) VALUES (o.id, o.tags[2])',
      'query_changes',
    ],
  ])('%s', async (text, rule) => {
    const mode = { sql_allow_writes: true, sql_allow_deletes: true };
    expect(await rules(text, { mode })).toEqual([rule]);
  });

  it('asks the catalogs of the server as far as they tell nothing that is hidden', async () => {
    const mode = { sql_allow_catalogs: true };
    for (const text of [
      "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'",
      'SELECT c.relname, n.nspname FROM pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace',
    ]) {
      expect(await rules(text, { mode }), text).toEqual([]);
      expect(await rules(text), text).toEqual([]);
      const blocked = { sql_blocked_columns: ['users.ssn'] };
      expect(await rules(text, { mode: blocked }), text).toContain('unsupported_statement');
    }
  });
});

describe('PostgreSQL: a name that stands outside a part of a FROM', () => {
  const mode = { sql_blocked_columns: ['users.ssn'] };
  const schema = `${tables}; CREATE TABLE notes (id int, ssn text);`;
  it.each([
    // Without LATERAL the query sees what is around the whole FROM, and not what stands beside it.
    'SELECT (SELECT x.v FROM notes, (SELECT ssn AS v) x LIMIT 1) FROM users',
    'SELECT (SELECT 1 FROM notes, orders a JOIN orders b ON ssn = a.tenant_id LIMIT 1) FROM users',
    'SELECT * FROM public.users, hr.users',
  ])('means what is around it: %s', async (text) => {
    expect(await rules(text, { mode, schema })).toContain('blocked_column');
  });
});

describe('the schema of PostgreSQL as migrations write it', () => {
  const schema = `
    SET search_path = public, pg_catalog;
    CREATE TABLE people (id int, nick text);
    ALTER TABLE people ADD COLUMN ssn text, ADD COLUMN born date;
    ALTER TABLE ONLY public.people DROP COLUMN born;
    ALTER TABLE people RENAME COLUMN nick TO name;
    CREATE TABLE contractors (rate int) INHERITS (people);
    CREATE TABLE copies (LIKE people INCLUDING ALL, copied date);
    CREATE TABLE events (id int, at date) PARTITION BY RANGE (at);
    CREATE TABLE events_2024 PARTITION OF events FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
    CREATE TABLE old_name (id int);
    ALTER TABLE old_name RENAME TO new_name;
    CREATE TABLE moved (id int);
    ALTER TABLE moved SET SCHEMA hr;
    CREATE TABLE gone (id int);
    DROP TABLE gone;
    CREATE SCHEMA lab CREATE TABLE probes (id int);
    SET search_path = hr;
    CREATE TABLE salaries (amount int);
    CREATE TYPE grade AS ENUM ('a');
    CREATE FOREIGN TABLE public.remote (id int) SERVER elsewhere;
    CREATE TABLE public.made AS SELECT 1 AS n;
  `;
  it.each([
    ['SELECT id, name, ssn FROM people', true],
    ['SELECT born FROM people', false],
    ['SELECT nick FROM people', false],
    ['SELECT id, name, rate FROM contractors', true],
    ['SELECT copied, name FROM copies', true],
    ['SELECT id, at FROM events_2024', true],
    ['SELECT id FROM old_name', false],
    ['SELECT id FROM new_name', true],
    ['SELECT id FROM moved', false],
    ['SELECT id FROM hr.moved', true],
    ['SELECT id FROM gone', false],
    ['SELECT id FROM lab.probes', true],
    ['SELECT amount FROM hr.salaries', true],
    ['SELECT amount FROM salaries', false],
    ["SELECT 'a'::hr.grade", true],
    ["SELECT 'a'::grade", false],
    ['SELECT id FROM remote', true],
    ['SELECT n FROM made', true],
  ])('%s', async (text, known) => {
    expect(await isDenied(text, { schema })).toBe(!known);
  });

  it('has the columns of its parents for a whole row', async () => {
    const mode = { sql_blocked_columns: ['contractors.ssn'] };
    expect(await rules('SELECT c::text FROM contractors c', { schema, mode })).toContain('blocked_column');
  });
});

describe('PostgreSQL: what does not end, or ends late', () => {
  const counting = (step: string) =>
    `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL ${step}) SELECT max(n) FROM c`;
  it.each([
    counting('SELECT n + 1 FROM c'),
    counting('SELECT n + 1 FROM c WHERE n > 0'),
    counting('SELECT n - 1 FROM c WHERE n < 10'),
    counting('SELECT n FROM c'),
    'SELECT count(*) FROM generate_series(1, (SELECT 1000000000))',
    'SELECT count(*) FROM generate_series(1, (SELECT 1000 * 1000000))',
  ])('%s', async (text) => {
    expect(await isDenied(text)).toBe(true);
  });

  it.each([
    counting('SELECT n + 1 FROM c WHERE n < 10'),
    counting('SELECT n - 1 FROM c WHERE n BETWEEN 0 AND 10'),
    counting('SELECT o.id FROM c JOIN orders o ON o.user_id = c.n'),
    'SELECT count(*) FROM generate_series((SELECT min(placed) FROM orders), (SELECT max(placed) FROM orders), interval $$1 day$$)',
  ])('and what does: %s', async (text) => {
    expect(await isDenied(text)).toBe(false);
  });
});

describe('one table has one name', () => {
  const spellings = [
    'users',
    'public.users',
    '"users"',
    '"public"."users"',
    'PUBLIC.Users',
    'shop.public.users',
  ];
  const statements = [
    'SELECT id FROM users',
    'SELECT id FROM public.users',
    'SELECT id FROM "public"."users"',
    'SELECT u.id FROM Users u',
  ];
  const pairs = spellings.flatMap((name) => statements.map((text) => [name, text] as const));

  it.each(pairs)('%s is blocked in %s', async (name, text) => {
    for (const schema of [tables, null]) {
      expect(await rules(text, { schema, mode: { sql_blocked_tables: [name] } })).toContain('blocked_table');
      expect(await rules(text, { schema, mode: { sql_allowed_tables: [name] } })).not.toContain(
        'table_not_allowed',
      );
      const columns = { sql_blocked_columns: [`${name}.id`, `${name}."email"`] };
      expect(await rules(text, { schema, mode: columns })).toContain('blocked_column');
      const tenants = { tenant_column: 'tenant_id', tenant_tables: [name] };
      expect(await rules(text, { schema, mode: tenants })).toContain('tenant_missing');
      const held = / u$/.test(text)
        ? `${text} WHERE u.tenant_id = 'acme'`
        : `${text} WHERE tenant_id = 'acme'`;
      expect(await rules(held, { schema, mode: tenants })).not.toContain('tenant_missing');
      const { facts } = await ask(text, { schema, mode: { sensitive_fields: [`${name}.id`] } });
      expect(facts['sensitive']).toEqual(['users.id']);
    }
  });

  it('is not that of another schema', async () => {
    const mode = { sql_blocked_tables: ['public.users'], sql_blocked_columns: ['public.users.id'] };
    expect(await rules('SELECT id FROM hr.users', { mode })).toEqual([]);
    expect(await rules('SELECT id FROM hr.users', { mode: { sql_blocked_tables: ['users'] } })).toEqual([
      'blocked_table',
    ]);
    expect(
      await rules('SELECT id FROM hr.users', { mode: { sql_allowed_tables: ['public.users'] } }),
    ).toEqual(['table_not_allowed']);
  });

  it('keeps a quoted name apart where a list allows', async () => {
    const schema = 'CREATE TABLE users (id int); CREATE TABLE "Users" (id int)';
    const allowed = (name: string) => ({ schema, mode: { sql_allowed_tables: [name] } });
    expect(await rules('SELECT id FROM "Users"', allowed('users'))).toEqual(['table_not_allowed']);
    expect(await rules('SELECT id FROM "Users"', allowed('"Users"'))).toEqual([]);
    expect(await rules('SELECT id FROM "Users"', allowed('Users'))).toEqual([]);
    expect(await rules('SELECT id FROM users', allowed('"Users"'))).toEqual(['table_not_allowed']);
  });

  it('keeps a dot in a name apart from one between names', async () => {
    const schema = 'CREATE TABLE "hr.pay" (id int); CREATE TABLE hr.pay (id int)';
    const mode = { sql_blocked_tables: ['hr.pay'] };
    expect(await rules('SELECT id FROM hr.pay', { schema, mode })).toEqual(['blocked_table']);
    expect(await rules('SELECT id FROM "hr.pay"', { schema, mode })).toEqual([]);
    expect(
      await rules('SELECT id FROM "hr.pay"', { schema, mode: { sql_blocked_tables: ['"hr.pay"'] } }),
    ).toEqual(['blocked_table']);
  });

  it('is dropped under that name too', async () => {
    const mode = { sql_allow_ddl: true, sql_blocked_tables: ['public.users'] };
    expect(await rules('DROP TABLE users', { mode })).toContain('blocked_table');
    expect(await rules('DROP TABLE orders', { mode })).not.toContain('blocked_table');
  });
});

describe('MySQL and SQLite', () => {
  it.each([
    ['sqlite', 'SELECT national_id FROM users'],
    ['sqlite', 'SELECT "national_id" FROM users'],
    ['sqlite', 'SELECT [national_id] FROM users'],
    ['sqlite', 'SELECT u.national_id FROM users u'],
    ['sqlite', 'SELECT id FROM users WHERE national_id = 1'],
    ['sqlite', 'SELECT id FROM nowhere'],
    ['sqlite', 'SELECT id FROM temp.users'],
    ['sqlite', 'SELECT x.id FROM users u'],
    ['sqlite', 'SELECT 1 FROM users JOIN orders USING (national_id)'],
    ['mysql', 'SELECT `national_id` FROM users'],
    ['mysql', 'SELECT id FROM other.users'],
    ['mysql', 'SELECT nowhere.id FROM users'],
  ] as const)('%s denies %s', async (kind, text) => {
    expect(await rules(text, { kind, url: kind === 'mysql' ? 'mysql://db/shop' : '/shop.db' })).toContain(
      'unsupported_statement',
    );
  });

  it.each([
    ['sqlite', 'INSERT INTO users (national_id) VALUES (1)'],
    ['sqlite', 'UPDATE users SET national_id = 1 WHERE id = 1'],
    ['sqlite', 'DELETE FROM users WHERE national_id = 1'],
    ['mysql', 'UPDATE users SET `national_id` = 1 WHERE id = 1'],
  ] as const)('%s denies %s', async (kind, text) => {
    const mode = { sql_allow_writes: true, sql_allow_deletes: true };
    expect(await rules(text, { kind, mode })).toContain('unsupported_statement');
  });

  it.each([
    ['sqlite', 'SELECT ID, "Name", [email], `ssn` FROM Users'],
    ['sqlite', 'SELECT rowid, _rowid_, u.oid FROM users u'],
    ['sqlite', 'SELECT main.users.id FROM main.users'],
    ['sqlite', 'SELECT name AS n FROM users WHERE n = 1 GROUP BY n HAVING n > 1 ORDER BY n'],
    ['sqlite', 'WITH y(a) AS (SELECT id FROM users) SELECT a, y.a FROM y'],
    ['sqlite', 'SELECT x.n, n FROM (SELECT count(*) AS n FROM users) x'],
    ['sqlite', 'SELECT column1 FROM (VALUES (1), (2))'],
    ['sqlite', "SELECT value, j.key FROM json_each('[1]') j"],
    ['sqlite', 'SELECT id, name FROM cards'],
    ['sqlite', 'SELECT id FROM users JOIN orders USING (id)'],
    ['sqlite', 'SELECT id FROM users WHERE name = "A. Person" OR name LIKE "%x%" OR name IN ("a", "b")'],
    ['sqlite', 'SELECT id FROM users ORDER BY name COLLATE NOCASE'],
    ['mysql', 'SELECT ID, `Name` FROM users'],
    ['mysql', 'SELECT shop.users.id FROM shop.users'],
    ['mysql', 'SELECT TIMESTAMPDIFF(MONTH, placed, NOW()) AS months FROM orders ORDER BY months'],
    ['mysql', 'SELECT id FROM orders WHERE placed > DATE_SUB(NOW(), INTERVAL 7 DAY)'],
    ['mysql', 'SELECT name FROM users WHERE name = "a text"'],
    ['mysql', 'SELECT id FROM users WHERE name COLLATE utf8mb4_bin = 1'],
  ] as const)('%s lets %s pass', async (kind, text) => {
    const mode = { auto_approve_levels: ['low', 'medium'] };
    const url = kind === 'mysql' ? 'mysql://db/shop' : '/shop.db';
    expect(await rules(text, { kind, mode, url })).toEqual([]);
  });

  it.each([
    ['sqlite', 'main.users', 'SELECT id FROM users'],
    ['sqlite', 'users', 'SELECT id FROM main.Users'],
    ['sqlite', '[main].[Users]', 'SELECT id FROM "users"'],
    ['mysql', 'shop.users', 'SELECT id FROM users'],
    ['mysql', '`shop`.`users`', 'SELECT id FROM users'],
    ['mysql', 'users', 'SELECT id FROM `shop`.`users`'],
  ] as const)('%s: %s is blocked in %s', async (kind, name, text) => {
    const url = kind === 'mysql' ? 'mysql://db/shop' : '/shop.db';
    for (const schema of [plainTables, null]) {
      const asked = { kind, url, schema };
      expect(await rules(text, { ...asked, mode: { sql_blocked_tables: [name] } })).toContain(
        'blocked_table',
      );
      expect(await rules(text, { ...asked, mode: { sql_blocked_columns: [`${name}.id`] } })).toContain(
        'blocked_column',
      );
      expect(await rules(text, { ...asked, mode: { sql_allowed_tables: [name] } })).toEqual([]);
      const tenants = { tenant_column: 'tenant_id', tenant_tables: [name] };
      expect(await rules(text, { ...asked, mode: tenants })).toContain('tenant_missing');
    }
  });

  it('hold a text in double quotes to the lists, as it may be a column', async () => {
    const text = 'SELECT id FROM users WHERE "national_id" = 1';
    expect(await rules(text, { kind: 'sqlite', mode: { sql_blocked_columns: ['national_id'] } })).toContain(
      'blocked_column',
    );
    expect((await ask(text, { kind: 'sqlite' })).facts['fields']).toContain('users.national_id');
  });

  it('read what an INSERT is set to', async () => {
    const mode = { sql_allow_writes: true, sql_blocked_columns: ['users.ssn'] };
    const text = 'INSERT INTO orders SET total = (SELECT ssn FROM users LIMIT 1)';
    expect(await rules(text, { kind: 'mysql', mode })).toContain('blocked_column');
  });

  it('read a column under an alias that stands for two tables', async () => {
    const mode = { sql_blocked_columns: ['users.ssn'] };
    const text = 'SELECT u.ssn FROM users u WHERE EXISTS (SELECT 1 FROM orders u)';
    expect(await rules(text, { kind: 'sqlite', mode })).toContain('blocked_column');
  });

  it('read the key of a table by the number of its rows', async () => {
    const mode = { sql_blocked_columns: ['users.id'] };
    expect(await rules('SELECT rowid FROM users', { kind: 'sqlite', mode })).toContain('blocked_column');
    expect(await rules('SELECT rowid FROM orders', { kind: 'sqlite', mode })).toEqual([]);
  });

  it('follow what a schema changes later', async () => {
    const schema = `CREATE TABLE a (id int, b int); ALTER TABLE a ADD COLUMN ssn text; ALTER TABLE a RENAME COLUMN b TO c;
      ALTER TABLE a RENAME TO z; CREATE TABLE g (id int); DROP TABLE g; CREATE VIEW v AS SELECT 1 AS n; CREATE TABLE k AS SELECT 1 AS n;`;
    const known = async (text: string) => !(await isDenied(text, { kind: 'sqlite', schema }));
    expect(await known('SELECT id, ssn, c FROM z')).toBe(true);
    expect(await known('SELECT b FROM z')).toBe(false);
    expect(await known('SELECT id FROM a')).toBe(false);
    expect(await known('SELECT id FROM g')).toBe(false);
    expect(await known('SELECT n FROM v')).toBe(true);
    expect(await known('SELECT n FROM k')).toBe(true);
  });
});

/** Columns of the true database; the schema file may not know all of them. */
const database: Readonly<Record<string, readonly string[]>> = {
  users: ['id', 'label', 'ssn', 'note'],
  orders: ['id', 'total', 'note', 'national_id'],
};
const allTables = Object.keys(database);

interface Asking {
  readonly text: string;
  /** What it reads of the true database; null for every column of that table. */
  readonly reads: readonly (readonly [table: string, column: string | null])[];
}

/** Statements that a server would take, with what they read of the true database. */
const statements: fc.Arbitrary<Asking> = fc
  .record({
    table: fc.constantFrom(...allTables),
    other: fc.constantFrom(...allTables),
    shape: fc.nat(11),
    first: fc.nat(3),
    second: fc.nat(3),
    alias: fc.constantFrom('u', 'ssn', 'note', 'id'),
    schema: fc.constantFrom('', 'public.'),
  })
  .map(({ table, other, shape, first, second, alias, schema }) => {
    const [a = ''] = [database[table]?.[first]];
    const [b = ''] = [database[other]?.[second]];
    const from = `${schema}${table}`;
    const shapes: readonly Asking[] = [
      { text: `SELECT ${a} FROM ${from}`, reads: [[table, a]] },
      { text: `SELECT t.${a} AS ${alias} FROM ${from} t ORDER BY ${alias}`, reads: [[table, a]] },
      { text: `SELECT "${a}" || '' FROM ${from} WHERE ${a} LIKE '1%'`, reads: [[table, a]] },
      { text: `SELECT (SELECT ${b} FROM ${other} LIMIT 1) FROM ${from}`, reads: [[other, b]] },
      { text: `SELECT x.v FROM (SELECT ${a} AS v FROM ${from}) x`, reads: [[table, a]] },
      { text: `WITH x(v) AS (SELECT ${a} FROM ${from}) SELECT v FROM x`, reads: [[table, a]] },
      { text: `SELECT count(*) FROM ${from} GROUP BY ${a}`, reads: [[table, a]] },
      {
        text: `SELECT 1 FROM ${from} p JOIN ${other} q ON p.${a} = q.${b}`,
        reads: [
          [table, a],
          [other, b],
        ],
      },
      { text: `SELECT t::text FROM ${from} t`, reads: [[table, null]] },
      { text: `SELECT row_to_json(x) FROM (SELECT * FROM ${from}) x`, reads: [[table, null]] },
      {
        text: `SELECT max(${a}) OVER (PARTITION BY ${a}) FROM ${from}, generate_series(1, 2) g`,
        reads: [[table, a]],
      },
      { text: `SELECT x.v FROM ${from} t, LATERAL (SELECT t.${a} AS v) x`, reads: [[table, a]] },
    ];
    return shapes[shape] ?? { text: 'SELECT 1', reads: [] };
  });

const listed = fc
  .record({
    users: fc.subarray([...(database['users'] ?? [])]),
    orders: fc.subarray([...(database['orders'] ?? [])]),
  })
  .map((columns) => new Map(Object.entries(columns)));
const fileOf = (columns: ReadonlyMap<string, readonly string[]>) =>
  [...columns]
    .map(([table, names]) => `CREATE TABLE ${table} (${names.map((name) => `"${name}" text`).join(', ')});`)
    .join('\n');
const columnNames = [...new Set(Object.values(database).flat())];
const bareNames = fc.subarray(columnNames, { minLength: 1 });
const fullNames = fc.subarray(
  allTables.flatMap((table) =>
    (database[table] ?? []).flatMap((name) => [`${table}.${name}`, `public.${table}.${name}`]),
  ),
  { minLength: 1 },
);

describe('a schema', () => {
  it('never lets a blocked column be read, whatever it does not list', async () => {
    await fc.assert(
      fc.asyncProperty(
        statements,
        listed,
        fc.oneof(bareNames, fullNames),
        async ({ text, reads }, columns, blocked) => {
          // What the schema gives to another table alone, it takes from this one: there a row is believed to end.
          const isElsewhere = (table: string, column: string) =>
            [...columns].some(([other, names]) => other !== table && names.includes(column));
          const isBlocked = (table: string, column: string) =>
            blocked.some((name) =>
              [column, `${table}.${column}`, `public.${table}.${column}`].includes(name),
            );
          const leaks = reads.some(([table, column]) =>
            column === null
              ? (database[table] ?? []).some(
                  (name) =>
                    isBlocked(table, name) &&
                    !(
                      blocked.includes(name) &&
                      isElsewhere(table, name) &&
                      !columns.get(table)?.includes(name)
                    ),
                )
              : isBlocked(table, column),
          );
          const denied = await isDenied(text, {
            schema: fileOf(columns),
            mode: { sql_blocked_columns: blocked },
          });
          if (leaks) expect(denied).toBe(true);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('allows nothing by a name that is denied without it', async () => {
    await fc.assert(
      fc.asyncProperty(
        statements.filter(({ reads }) => reads.every(([, column]) => column !== null)),
        listed,
        bareNames,
        async ({ text }, columns, blocked) => {
          const mode = { sql_blocked_columns: blocked };
          if (await isDenied(text, { schema: fileOf(columns), mode })) return;
          expect(await isDenied(text, { schema: null, mode })).toBe(false);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('lets a statement pass that names only what it lists, and no other', async () => {
    await fc.assert(
      fc.asyncProperty(
        // What an inner query does not find, it finds around itself.
        statements.filter(({ text }) => !text.startsWith('SELECT (')),
        listed,
        async ({ text, reads }, columns) => {
          const knows = reads.every(
            ([table, column]) => column === null || columns.get(table)?.includes(column),
          );
          expect(await isDenied(text, { schema: fileOf(columns) })).toBe(!knows);
        },
      ),
      { numRuns: 400 },
    );
  });
});
