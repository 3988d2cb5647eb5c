// Reading the live database: names have their meaning there, whatever the schema file says, and a statement that would
// cost too much is not run.

import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { openTestLedger, temporaryFolder } from '../../../tests/support/ledger.ts';
import { asOwner, liveSource } from '../../../tests/support/live-source.ts';
import { postgresMissing, type SharedDatabase, sharedPostgres } from '../../../tests/support/postgres.ts';
import { context } from '../../../tests/support/shop.ts';
import type { JsonObject } from '../../core/index.ts';
import { realWorld } from '../../decide/index.ts';
import { postgresCatalog } from '../../guards/query/sql/postgres/catalog.ts';
import { catalogStamp, describePostgres } from './describe.ts';

const tables = `
  CREATE SCHEMA hr;
  CREATE SCHEMA "Odd one";
  CREATE TYPE mood AS ENUM ('sad', 'it''s fine');
  CREATE DOMAIN cents AS int;
  CREATE TYPE pair AS (a int, "B" text);
  CREATE TABLE employees (id int PRIMARY KEY, name text, birth_date date, boss int REFERENCES employees, feels mood,
    label text GENERATED ALWAYS AS (name || id) STORED);
  CREATE TABLE hr.salaries (employee_id int, ssn text, amount cents);
  CREATE TABLE "Odd one"."Table" ("Select" int, "a""b" text, "user" text);
  CREATE TABLE payment (id int, amount int, paid date, tenant_id text) PARTITION BY RANGE (paid);
  CREATE TABLE payment_2022 PARTITION OF payment FOR VALUES FROM ('2022-01-01') TO ('2023-01-01');
  CREATE TABLE people (id int, nick text);
  CREATE TABLE contractors (rate int) INHERITS (people);
  CREATE TABLE typed OF pair;
  CREATE VIEW later AS SELECT 1 AS n;
  CREATE VIEW cards AS SELECT e.id, e.birth_date AS born, s.ssn AS code FROM employees e JOIN hr.salaries s ON s.employee_id = e.id;
  CREATE VIEW cards_of_cards AS SELECT id, code AS c FROM cards WHERE born > '1900-01-01';
  CREATE MATERIALIZED VIEW totals AS SELECT boss, count(*) AS n, max(birth_date) AS last FROM employees GROUP BY boss;
  CREATE VIEW odd AS SELECT "Select", "a""b" FROM "Odd one"."Table";
  COMMENT ON TABLE employees IS 'who works here''s list';
  COMMENT ON COLUMN employees.boss IS 'the id of another';
  INSERT INTO employees (id, name, birth_date) SELECT n, 'name ' || n, '1990-01-01' FROM generate_series(1, 20) n;
  INSERT INTO hr.salaries SELECT n, 'SSN-' || n, n FROM generate_series(1, 20) n;
  INSERT INTO payment VALUES (1, 777, '2022-05-05', 'acme');
  REFRESH MATERIALIZED VIEW totals; ANALYZE;
`;

describe.skipIf(postgresMissing !== null)('PostgreSQL', () => {
  let database: SharedDatabase;

  beforeAll(async () => {
    database = await sharedPostgres();
    await asOwner(database.url, tables);
  });

  const source = async (mode: JsonObject = {}, schema: string | null = null) =>
    liveSource(database.url, { mode, schema }, await openTestLedger(), temporaryFolder());

  async function client(): Promise<pg.Client> {
    const made = new pg.Client(database.url);
    await made.connect();
    return made;
  }

  async function described(): Promise<string> {
    const asked = await client();
    try {
      await asked.query('BEGIN READ ONLY');
      return await describePostgres(asked);
    } finally {
      await asked.end();
    }
  }

  it('describes itself in statements that make the same', async () => {
    const text = await described();
    const parse = await realWorld().readers?.postgres?.();
    const read = parse?.(text);
    if (read === undefined || 'error' in read) throw new Error(`${JSON.stringify(read)}\n${text}`);
    const catalog = postgresCatalog(read.tree);
    expect(catalog.columnsOf('employees')).toEqual(['id', 'name', 'birth_date', 'boss', 'feels', 'label']);
    expect(catalog.columnsOf('"Odd one"."Table"')).toEqual(['Select', 'a"b', 'user']);
    expect(catalog.columnsOf('contractors')).toEqual(['id', 'nick', 'rate']);
    expect(catalog.columnsOf('typed')).toEqual(['a', 'B']);
    expect(catalog.columnsOf('totals')).toEqual(['boss', 'n', 'last']);
    expect(catalog.find('payment_2022')?.parents.map(({ name }) => name)).toEqual(['payment']);
    expect([...catalog.types].sort()).toEqual(['cents', 'mood']);
    expect(text).toContain("COMMENT ON COLUMN public.employees.boss IS 'the id of another';");
    expect(text).toContain('FOREIGN KEY (boss) REFERENCES public.employees(id)');
    // Another database that is created from it has the same description.
    const copy = await sharedPostgres();
    await asOwner(copy.url, text);
    const asked = new pg.Client(copy.url);
    await asked.connect();
    await asked.query('BEGIN READ ONLY');
    const again = await describePostgres(asked);
    await asked.end();
    const sorted = (sql: string) => sql.split(/;\n/).toSorted();
    // A typed table is described by its columns.
    expect(sorted(again)).toEqual(sorted(text));
  });

  it('tells what there is, and no name that is hidden', async () => {
    const names = (mode: JsonObject, text: string) =>
      source(mode).then(async ({ ask }) => JSON.stringify((await ask(text)).data));
    const columns =
      "SELECT a.attname, format_type(a.atttypid, a.atttypmod) AS type FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE c.relname = 'people' AND a.attnum > 0 ORDER BY a.attnum";
    expect(await names({}, columns)).toBe(
      '[{"attname":"id","type":"integer"},{"attname":"nick","type":"text"}]',
    );
    expect(await names({ sql_blocked_tables: ['hr.salaries'] }, columns)).toContain('nick');
    expect(await names({ sql_blocked_columns: ['people.nick'] }, columns)).toBe('null');
    const all = "SELECT table_name FROM information_schema.tables WHERE table_schema IN ('public', 'hr')";
    expect(await names({}, all)).toContain('salaries');
    expect(await names({ sql_blocked_tables: ['hr.salaries'] }, all)).toBe('null');
    // The view shows what is blocked, and so it is hidden itself.
    const cards = "SELECT column_name FROM information_schema.columns WHERE table_name = 'cards'";
    expect(await names({ sql_blocked_columns: ['hr.salaries.ssn'] }, cards)).toBe('null');
  });

  it('reads of views what the database says that they depend on', async () => {
    const parse = await realWorld().readers?.postgres?.();
    const read = parse?.(await described());
    if (read === undefined || 'error' in read) throw new Error('not SQL');
    const catalog = postgresCatalog(read.tree);
    const asked = await client();
    const { rows } =
      await asked.query(`SELECT DISTINCT v.oid::regclass::text AS view, t.oid::regclass::text AS "table", a.attname AS "column"
      FROM pg_rewrite r JOIN pg_class v ON v.oid = r.ev_class JOIN pg_depend d ON d.objid = r.oid
      JOIN pg_class t ON t.oid = d.refobjid AND t.oid <> v.oid
      JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid
      WHERE d.refclassid = 'pg_class'::regclass AND v.oid >= 16384`);
    await asked.end();
    expect(rows.length).toBeGreaterThan(8);
    for (const { view, table } of rows) expect(catalog.find(view)?.uses, view).toContain(catalog.find(table));
  });

  it('has a stamp that changes with its tables, and not with its rows', async () => {
    const asked = await client();
    const stamp = await catalogStamp(asked);
    await asked.query(
      "INSERT INTO people VALUES (1, 'a'); ANALYZE people; VACUUM people".split(';')[0] ?? '',
    );
    await asked.query('ANALYZE people');
    expect(await catalogStamp(asked)).toBe(stamp);
    const changes = [
      'CREATE TABLE stamped (id int)',
      'ALTER TABLE stamped ADD COLUMN more text',
      'ALTER TABLE stamped RENAME COLUMN more TO less',
      'CREATE VIEW stamped_view AS SELECT id FROM stamped',
      'CREATE OR REPLACE VIEW stamped_view AS SELECT id + 1 AS id FROM stamped',
      'ALTER TABLE stamped SET SCHEMA hr',
      'DROP VIEW stamped_view',
      'ALTER TABLE hr.stamped INHERIT people',
      'DROP TABLE hr.stamped',
    ];
    let before = stamp;
    for (const change of changes) {
      if (change.includes('INHERIT')) await asked.query('ALTER TABLE hr.stamped ADD COLUMN nick text');
      before = await catalogStamp(asked);
      await asked.query(change);
      expect(await catalogStamp(asked), change).not.toBe(before);
    }
    await asked.end();
  });

  it.each([
    'SELECT born FROM cards',
    'SELECT c FROM cards_of_cards',
    "SELECT id FROM cards_of_cards WHERE c LIKE 'SSN-1%'",
    'SELECT last FROM totals',
    'SELECT amount FROM payment_2022',
    'SELECT p::text FROM payment_2022 p',
    'SELECT x FROM (SELECT * FROM cards) AS y(i, x)',
  ])('holds to its own definitions, without a schema file: %s', async (text) => {
    const mode = {
      sql_blocked_columns: ['employees.birth_date', 'hr.salaries.ssn', 'public.payment.amount'],
    };
    const { ask } = await source(mode);
    expect(await ask(text)).toMatchObject({ rules: ['blocked_column'], data: null });
    expect((await ask('SELECT id FROM cards_of_cards WHERE id < 3 ORDER BY id')).data).toEqual([
      { id: 1 },
      { id: 2 },
    ]);
  });

  it('refuses what the schema file does not know of, and says how to write it anew', async () => {
    const old = 'CREATE TABLE employees (id int, name text); CREATE VIEW cards AS SELECT 1 AS id, 2 AS born;';
    const { ask } = await source({}, old);
    for (const text of [
      'SELECT * FROM employees',
      'SELECT e::text FROM employees e',
      'SELECT birth_date FROM employees',
    ]) {
      const { answer, data } = await ask(text);
      expect(data, text).toBe(null);
      const drift = answer.violations.find(({ rule }) => rule === 'schema_drift');
      expect(drift?.message, text).toContain('older than the database');
      expect(drift?.suggestion).toContain('sallyport sources refresh shop');
    }
    expect((await ask('SELECT id, name FROM employees WHERE id = 1')).data).toEqual([
      { id: 1, name: 'name 1' },
    ]);
    const blocked = await source({ sql_blocked_columns: ['employees.birth_date'] }, old);
    expect(await blocked.ask('SELECT born FROM cards')).toMatchObject({ rules: ['blocked_column'] });
  });

  it('refuses with the nearest name what it does not have', async () => {
    const { answer } = await (await source()).ask('SELECT nam FROM employees');
    expect(answer.violations.map(({ message }) => message).join(' ')).toContain('did you mean "name"?');
  });

  it('does not run with a token what means something else by now', async () => {
    const { pipeline } = await source({ sql_blocked_columns: ['hr.salaries.amount'] });
    const query = { target: 'shop', text: 'SELECT n FROM later' };
    const answer = await pipeline.validate(query, context);
    await asOwner(database.url, 'CREATE OR REPLACE VIEW later AS SELECT employee_id AS n FROM hr.salaries');
    await expect(pipeline.execute(query, answer.approval_token ?? '', context)).rejects.toMatchObject({
      problem: 'ContextChanged',
    });
    const again = await pipeline.validate(query, context);
    expect(again.valid).toBe(true);
    await asOwner(database.url, 'CREATE OR REPLACE VIEW later AS SELECT amount::int AS n FROM hr.salaries');
    await expect(pipeline.execute(query, again.approval_token ?? '', context)).rejects.toThrow();
  });

  it.each([
    'SELECT count(*) FROM employees a, employees b, employees c, employees d, employees e, employees f, employees g WHERE a.id + b.id > c.id + d.id + e.id + f.id + g.id',
    'SELECT count(*) FROM generate_series(1, 9000) a, generate_series(1, 9000) b',
  ])('does not start what would cost too much: %s', async (text) => {
    const { ask } = await source({ max_cost: 1_000_000_000, sql_max_joins: 10 });
    const { rules, data } = await ask(text);
    expect(data).toBe(null);
    expect(rules).toEqual(['excessive_estimate']);
  });

  it('plans only what passed everything else, and tells nothing of the plan', async () => {
    await asOwner(
      database.url,
      'CREATE TABLE planned (n int)',
      `CREATE FUNCTION public.spy(int) RETURNS int LANGUAGE plpgsql STABLE AS $$ BEGIN RAISE EXCEPTION 'planned with %', $1; END $$`,
    );
    const { ask } = await source();
    const { rules, answer } = await ask('SELECT n FROM planned WHERE n = public.spy(42)');
    expect(rules).toEqual(['unsupported_statement']);
    expect(JSON.stringify(answer)).not.toContain('planned with');
    const refused = await ask('SELECT n FROM planned WHERE n = $1');
    expect(refused.rules).toEqual(['query_invalid']);
    expect(JSON.stringify((await ask('SELECT n FROM planned')).answer)).not.toContain('Seq Scan');
  });

  it.each([
    ['SELECT name FROM employees WHERE id <= 5', /about [3-6] of 20 rows/],
    ['SELECT name FROM employees', 'about 20 rows'],
    ['SELECT name FROM employees ORDER BY name LIMIT 3', 'about 3 of 20 rows'],
    ['DELETE FROM employees WHERE id <= 5', /about [3-6] of 20 rows/],
    ['SELECT count(*) FROM employees', 'about 1 row'],
    ['SELECT e.name FROM employees e JOIN employees f ON e.id = f.id', /about \d+ rows/],
    // It was never analyzed, and PostgreSQL estimates by the size of a page.
    ['SELECT n FROM fresh', 'about 3 rows'],
    ['SELECT n FROM fresh WHERE n = 1', /about \d+ (?:of 3 )?rows?/],
    ['SELECT amount FROM payment WHERE id = 1', /about 1 row/],
  ])('%s: %s', async (text, amount) => {
    await asOwner(
      database.url,
      'CREATE TABLE IF NOT EXISTS fresh (n int)',
      'INSERT INTO fresh SELECT generate_series(1, 3) WHERE NOT EXISTS (SELECT FROM fresh)',
    );
    const { ask } = await source({ sql_allow_deletes: true });
    const { answer } = await ask(text);
    expect(answer.explanation).toMatch(amount);
    expect(answer.valid).toBe(true);
  });

  it('takes a change of nearly every row for what it is, whatever its condition says', async () => {
    const { ask } = await source({ sql_allow_deletes: true, sql_allow_writes: true });
    const risk = async (text: string) => (await ask(text)).answer;
    expect(await risk('DELETE FROM employees WHERE id > 0')).toMatchObject({
      risk_level: 'CRITICAL',
      explanation: expect.stringContaining('about 20 of 20 rows'),
    });
    expect(await risk('DELETE FROM employees WHERE id = 3')).toMatchObject({ risk_level: 'HIGH' });
    expect(await risk("UPDATE employees SET name = 'x' WHERE id > 0")).toMatchObject({ risk_level: 'HIGH' });
    expect(await risk("UPDATE employees SET name = 'x' WHERE id = 3")).toMatchObject({
      risk_level: 'MEDIUM',
    });
  });

  it('does not tell a tenant how many rows there are of all', async () => {
    const mode = { tenant_column: 'tenant_id', tenant_tables: ['payment'] };
    const { ask } = await source(mode);
    const { answer } = await ask("SELECT amount FROM payment WHERE tenant_id = 'acme'");
    expect(answer.valid).toBe(true);
    expect(answer.explanation).not.toMatch(/ of \d/);
  });

  it('may have no table at all', async () => {
    const empty = await sharedPostgres();
    const { ask } = liveSource(empty.url, {}, await openTestLedger(), temporaryFolder());
    expect((await ask('SELECT 1 AS one')).data).toEqual([{ one: 1 }]);
    expect((await ask('SELECT id FROM users')).rules).toEqual(['unsupported_statement']);
  });

  it('is judged by the schema file alone where it does not answer, and then not run', async () => {
    const file = 'CREATE TABLE employees (id int)';
    const made = liveSource(
      'postgres://nobody@127.0.0.1:1/none',
      { schema: file },
      await openTestLedger(),
      temporaryFolder(),
    );
    const outcome = await made.ask('SELECT id FROM employees');
    expect(outcome.answer.valid).toBe(true);
    expect(outcome).toMatchObject({
      data: null,
      error: expect.stringContaining('the database did not take'),
    });
  });
});
