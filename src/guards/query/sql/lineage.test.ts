// What a name reads beneath it: the tables and columns that a view shows, the parents of a partition, the columns that
// a generated column is computed from. All of them are held to the lists, to the tenant and to policies.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { askGuard, type SqlAsked } from '../../../../tests/support/sql-guard.ts';

const schema = `
  CREATE TABLE public.employees (id int, name text, birth_date date, home_phone text, manager_id int,
    label text GENERATED ALWAYS AS (name || home_phone) STORED);
  CREATE SCHEMA hr;
  CREATE TABLE hr.salaries (employee_id int, ssn text, amount int);
  CREATE TABLE hr.staff (id int, name text);
  CREATE VIEW employee_cards AS
    SELECT e.id, e.name, e.birth_date AS born, upper(e.home_phone) AS phone, s.ssn AS code
    FROM employees e JOIN hr.salaries s ON s.employee_id = e.id;
  CREATE VIEW cards_of_cards (number, title, day, way) AS SELECT id, name, born, phone FROM employee_cards;
  CREATE MATERIALIZED VIEW born_by_year AS
    SELECT extract(year FROM birth_date) AS year, count(*) AS n FROM employees GROUP BY 1;
  CREATE VIEW staff_list AS SELECT * FROM hr.staff;
  CREATE VIEW chosen AS SELECT id, name FROM employees WHERE id IN (SELECT id FROM hr.staff);
  CREATE VIEW ordered AS SELECT id FROM employees e ORDER BY (SELECT max(s.id) FROM hr.staff s WHERE s.id = e.id);
  CREATE VIEW safe AS SELECT id, name FROM employees WHERE birth_date > '2000-01-01';
  CREATE VIEW nested AS SELECT x.id, x.p FROM (SELECT id, home_phone AS p, birth_date FROM employees) x;
  CREATE VIEW with_query AS WITH q AS (SELECT id AS a, birth_date AS b FROM employees) SELECT a, b FROM q;
  CREATE VIEW both_sides AS SELECT id, name AS t FROM employees UNION ALL SELECT id, home_phone FROM employees;
  CREATE VIEW sub AS SELECT id, (SELECT max(ssn) FROM hr.salaries s WHERE s.employee_id = e.id) AS m FROM employees e;
  CREATE VIEW asked AS SELECT id, EXISTS (SELECT 1 FROM hr.salaries WHERE ssn LIKE '1%') AS has FROM employees;
  CREATE VIEW row_view AS SELECT e.id, e AS whole, to_jsonb(e) AS doc FROM employees e;
  CREATE VIEW used AS SELECT * FROM employees JOIN hr.staff USING (id);
  CREATE VIEW used_renamed (a, b, c, d, e, f, g) AS SELECT * FROM employees JOIN hr.staff USING (id);
  CREATE VIEW lateral_view AS SELECT e.id, x.v FROM employees e, LATERAL (SELECT e.birth_date AS v) x;
  CREATE VIEW joined AS SELECT j.id, j.birth_date AS b FROM (employees e JOIN hr.salaries s ON true) AS j;
  CREATE RECURSIVE VIEW chain (id, top) AS
    SELECT id, home_phone FROM employees WHERE manager_id IS NULL
    UNION ALL SELECT e.id, c.top FROM employees e JOIN chain c ON c.id = e.manager_id;
  CREATE VIEW windowed AS SELECT id, rank() OVER w AS r FROM employees WINDOW w AS (ORDER BY birth_date);
  CREATE VIEW listed AS SELECT v.column1 AS a FROM (VALUES (1)) v;
  CREATE VIEW functions AS SELECT g.x FROM employees e, json_each_text(to_json(e.birth_date)) AS g(x);

  CREATE TABLE payment (id int, amount int, paid date, tenant_id text) PARTITION BY RANGE (paid);
  CREATE TABLE payment_2022 PARTITION OF payment FOR VALUES FROM ('2022-01-01') TO ('2023-01-01');
  CREATE TABLE payment_2023 (id int, amount int, paid date, tenant_id text);
  ALTER TABLE ONLY public.payment ATTACH PARTITION public.payment_2023 FOR VALUES FROM ('2023-01-01') TO ('2024-01-01');
  CREATE TABLE people (id int, nick text);
  CREATE TABLE contractors (rate int) INHERITS (people);
  CREATE TABLE lone (id int, nick text);
  ALTER TABLE lone INHERIT people;
  ALTER TABLE people ADD COLUMN ssn text;
  CREATE TABLE copy AS SELECT id, birth_date AS b FROM employees;

  CREATE TABLE customer (id int, name text, tenant_id text);
  CREATE VIEW customer_list AS SELECT id, name, tenant_id AS owner FROM customer;
  CREATE VIEW customer_known AS SELECT c.id, c.tenant_id FROM customer c WHERE c.id IN (SELECT id FROM hr.staff);
  CREATE VIEW customer_names AS SELECT id, name FROM customer;
  CREATE VIEW customer_pairs AS SELECT a.id, b.name, a.tenant_id FROM customer a, customer b;
  CREATE VIEW customer_totals AS SELECT tenant_id, sum(id) OVER () AS total FROM customer;
  CREATE VIEW customer_texts AS SELECT id, tenant_id::varchar(1) AS tenant_id FROM customer;
  CREATE VIEW customer_views AS SELECT id, owner AS o FROM customer_list;
`;

/** No question about what only looks sensitive. */
const calm = { auto_approve_levels: ['low', 'medium'] };
const rules = async (text: string, given: SqlAsked['mode'] = {}, more: Partial<SqlAsked> = {}) => [
  ...new Set(
    (await askGuard(text, { schema, mode: { ...calm, ...given }, ...more })).findings.map(({ rule }) => rule),
  ),
];
const blocked = {
  sql_blocked_columns: ['employees.birth_date', 'public.employees.home_phone', 'hr.salaries.ssn'],
};

describe('PostgreSQL: a blocked column is blocked under every name that shows it', () => {
  it.each([
    'SELECT born FROM employee_cards',
    'SELECT c.phone FROM employee_cards c',
    'SELECT code FROM employee_cards',
    "SELECT id FROM employee_cards WHERE code LIKE '1%'",
    'SELECT * FROM employee_cards',
    'SELECT c::text FROM employee_cards c',
    'SELECT day FROM cards_of_cards',
    'SELECT way FROM public."cards_of_cards"',
    'SELECT year FROM born_by_year',
    'SELECT label FROM employees',
    'SELECT p FROM nested',
    'SELECT b FROM with_query',
    'SELECT t FROM both_sides',
    'SELECT m FROM sub',
    'SELECT has FROM asked',
    'SELECT whole FROM row_view',
    'SELECT doc FROM row_view',
    'SELECT birth_date FROM used',
    'SELECT c FROM used_renamed',
    'SELECT v FROM lateral_view',
    'SELECT b FROM joined',
    'SELECT top FROM chain',
    'SELECT r FROM windowed',
    'SELECT x FROM functions',
    'SELECT b FROM copy',
  ])('%s', async (text) => {
    expect(await rules(text, blocked)).toContain('blocked_column');
  });

  it.each([
    'SELECT id, name FROM employee_cards',
    'SELECT number, title FROM cards_of_cards',
    'SELECT n FROM born_by_year',
    'SELECT id, name FROM safe',
    'SELECT * FROM safe',
    'SELECT id FROM nested',
    'SELECT a FROM with_query',
    'SELECT id FROM both_sides',
    'SELECT id FROM sub',
    'SELECT id FROM row_view',
    'SELECT id, name FROM used',
    'SELECT a, b FROM used_renamed',
    'SELECT id FROM lateral_view',
    'SELECT id FROM joined',
    'SELECT id FROM chain',
    'SELECT a FROM listed',
    'SELECT count(*) FROM employee_cards',
    'SELECT * FROM staff_list',
    'SELECT id FROM copy',
  ])('and nothing else is: %s', async (text) => {
    expect(await rules(text, blocked)).toEqual([]);
  });

  it('knows the columns of a view', async () => {
    expect(await rules('SELECT nope FROM employee_cards')).toEqual(['unsupported_statement']);
    expect(await rules('SELECT birth_date FROM employee_cards')).toEqual(['unsupported_statement']);
    const { findings } = await askGuard('SELECT borne FROM employee_cards', { schema });
    expect(findings.map(({ message }) => message).join(' ')).toContain('did you mean "born"?');
  });

  it('follows a column that is renamed after the view was made', async () => {
    const later = `${schema}; ALTER TABLE employees RENAME COLUMN birth_date TO secret_date;
      ALTER TABLE employees RENAME TO workers; ALTER VIEW employee_cards RENAME COLUMN born TO arrived;`;
    const mode = { sql_blocked_columns: ['workers.secret_date'] };
    expect(await rules('SELECT arrived FROM employee_cards', mode, { schema: later })).toContain(
      'blocked_column',
    );
    expect(await rules('SELECT day FROM cards_of_cards', mode, { schema: later })).toContain(
      'blocked_column',
    );
  });

  it('follows a view that is replaced after another was made from it', async () => {
    const later = `CREATE TABLE t (id int, ssn text); CREATE VIEW a AS SELECT NULL::int AS id, NULL::text AS x;
      CREATE VIEW b AS SELECT id, x FROM a; CREATE OR REPLACE VIEW a AS SELECT id, ssn AS x FROM t;`;
    const mode = { sql_blocked_columns: ['t.ssn'] };
    expect(await rules('SELECT x FROM b', mode, { schema: later })).toContain('blocked_column');
    expect(await rules('SELECT id FROM b', mode, { schema: later })).toEqual([]);
  });

  it('counts everything of a view whose columns are not known', async () => {
    const later = 'CREATE VIEW v AS SELECT * FROM elsewhere; CREATE VIEW w AS SELECT * FROM v;';
    const mode = { sql_blocked_columns: ['elsewhere.ssn'] };
    for (const text of ['SELECT a FROM v', 'SELECT ssn FROM w', 'SELECT * FROM w'])
      expect(await rules(text, mode, { schema: later }), text).toContain('blocked_column');
  });

  it('names what a view reads to policies', async () => {
    const { facts } = await askGuard('SELECT day FROM cards_of_cards', { schema });
    expect(facts['relations']).toEqual(['cards_of_cards', 'employee_cards', 'employees', 'hr.salaries']);
    expect(facts['fields']).toEqual(['cards_of_cards.day', 'employee_cards.born', 'employees.birth_date']);
  });

  it('holds functions that a view calls to the list of functions', async () => {
    const later = `CREATE TABLE t (id int, name text, x int GENERATED ALWAYS AS (public.secret(id)) STORED);
      CREATE VIEW v AS SELECT id, public.secret(id) AS s, upper(name) AS n, pg_catalog.length(name) AS l, id + 1 AS o FROM t;
      CREATE VIEW w AS SELECT f.a, t.id FROM t, public.rows_of(t.id) f;
      CREATE VIEW o AS SELECT id OPERATOR(public.###) 1 AS a, id BETWEEN 1 AND 2 AS b FROM t;`;
    const asked = { schema: later };
    for (const text of [
      'SELECT s FROM v',
      'SELECT x FROM t',
      'SELECT a FROM w',
      'SELECT a FROM o',
      "SELECT id FROM v WHERE s = 'x'",
    ])
      expect(await rules(text, {}, asked), text).toEqual(['unsupported_statement']);
    for (const text of ['SELECT id, n, l, o FROM v', 'SELECT id FROM w', 'SELECT b FROM o'])
      expect(await rules(text, {}, asked), text).toEqual([]);
    expect(await rules('SELECT s FROM v', { sql_allowed_functions: ['public.secret'] }, asked)).toEqual([]);
    expect(await rules('SELECT x FROM t', { sql_allowed_functions: ['secret'] }, asked)).toEqual([]);
  });

  it('looks for tables along the search path', async () => {
    const later = `CREATE SCHEMA a; CREATE SCHEMA b; CREATE TABLE a.t (id int, ssn text); CREATE TABLE b.u (id int);
      SET search_path = b, a; CREATE VIEW v AS SELECT t.ssn AS x FROM t, u;`;
    const mode = { sql_blocked_columns: ['a.t.ssn'] };
    expect(await rules('SELECT x FROM b.v', mode, { schema: later })).toContain('blocked_column');
    expect(await rules('SELECT x FROM v', {}, { schema: later })).toContain('unsupported_statement');
  });
});

describe('PostgreSQL: a blocked table is blocked under every name that shows it', () => {
  it.each([
    ['hr.staff', 'SELECT * FROM staff_list'],
    ['staff', 'SELECT id FROM used'],
    ['staff', 'SELECT id FROM chosen'],
    ['staff', 'SELECT id FROM ordered'],
    ['hr.salaries', 'SELECT id, name FROM employee_cards'],
    ['hr.salaries', 'SELECT title FROM cards_of_cards'],
    ['employees', 'SELECT n FROM born_by_year'],
    ['employee_cards', 'SELECT title FROM cards_of_cards'],
    ['payment', 'SELECT id FROM payment_2022'],
    ['payment', 'SELECT id FROM payment_2023'],
    ['payment_2022', 'SELECT id FROM payment'],
    ['people', 'SELECT rate FROM contractors'],
    ['people', 'SELECT nick FROM lone'],
    ['contractors', 'SELECT id FROM people'],
  ])('%s: %s', async (table, text) => {
    expect(await rules(text, { sql_blocked_tables: [table] })).toContain('blocked_table');
  });

  it('keeps siblings apart', async () => {
    const mode = { sql_blocked_tables: ['payment_2022', 'contractors'] };
    expect(await rules('SELECT id FROM payment_2023', mode)).toEqual([]);
    expect(await rules('SELECT id FROM lone', mode)).toEqual([]);
  });

  it.each([
    ['payment.amount', 'SELECT amount FROM payment_2022'],
    ['public.payment.amount', 'SELECT amount FROM payment_2023'],
    ['payment_2022.amount', 'SELECT amount FROM payment'],
    ['people.ssn', 'SELECT ssn FROM contractors'],
    ['people.nick', 'SELECT l::text FROM lone l'],
    ['contractors.nick', 'SELECT nick FROM people'],
  ])('columns likewise, %s: %s', async (column, text) => {
    expect(await rules(text, { sql_blocked_columns: [column] })).toContain('blocked_column');
  });

  it('lets a view be the only table that is allowed', async () => {
    expect(await rules('SELECT id FROM safe', { sql_allowed_tables: ['safe'] })).toEqual([]);
    expect(await rules('SELECT id FROM employees', { sql_allowed_tables: ['safe'] })).toEqual([
      'table_not_allowed',
    ]);
    expect(await rules('SELECT id FROM payment', { sql_allowed_tables: ['payment'] })).toEqual([]);
  });
});

describe('PostgreSQL: the tenant holds through views and partitions', () => {
  const mode = { tenant_column: 'tenant_id', tenant_tables: ['customer', 'public.payment'] };
  it.each([
    'SELECT id, name FROM customer_list',
    "SELECT id FROM customer_list WHERE owner = 'other'",
    "SELECT id FROM customer_list WHERE name = 'acme'",
    'SELECT id FROM customer_names',
    "SELECT id FROM customer_names WHERE name = 'acme'",
    "SELECT id FROM customer_pairs WHERE tenant_id = 'acme'",
    "SELECT total FROM customer_totals WHERE tenant_id = 'acme'",
    "SELECT id FROM customer_texts WHERE tenant_id = 'acme'",
    'SELECT o FROM customer_views',
    'SELECT id FROM payment_2022',
    'SELECT id FROM payment_2023',
  ])('%s', async (text) => {
    expect(await rules(text, mode)).toContain('tenant_missing');
  });

  it.each([
    "SELECT id, name FROM customer_list WHERE owner = 'acme'",
    "SELECT c.id FROM customer_list c WHERE c.owner = 'acme'",
    "SELECT id FROM customer_views WHERE o = 'acme'",
    "SELECT id FROM payment_2022 WHERE tenant_id = 'acme'",
    "SELECT p.id FROM payment_2023 p JOIN customer c ON c.id = p.id AND c.tenant_id = 'acme' WHERE p.tenant_id = 'acme'",
    'SELECT id FROM safe',
    "SELECT id FROM customer_known WHERE tenant_id = 'acme'",
  ])('and is met by %s', async (text) => {
    expect(await rules(text, mode)).toEqual([]);
  });
});

describe('MySQL and SQLite', () => {
  const plain = `
    CREATE TABLE users (id INTEGER PRIMARY KEY, name text, ssn text, initials text GENERATED ALWAYS AS (substr(ssn, 1, 1)));
    CREATE TABLE orders (id int, user_id int, total int, tenant_id text);
    CREATE VIEW cards AS SELECT u.id, u.name, upper(u.ssn) AS code FROM users u WHERE u.ssn IS NOT NULL;
    CREATE VIEW cards_of_cards (number, mark) AS SELECT id, code FROM cards;
    CREATE VIEW wide AS SELECT * FROM users JOIN orders ON orders.user_id = users.id;
    CREATE VIEW mixed AS SELECT id AS a FROM orders UNION SELECT ssn FROM users;
    CREATE VIEW sub AS SELECT id, (SELECT max(ssn) FROM users) AS m FROM orders;
  `;
  const kinds = ['mysql', 'sqlite'] as const;
  const mode = { sql_blocked_columns: ['users.ssn'] };
  it.each(
    kinds.flatMap((kind) =>
      [
        'SELECT code FROM cards',
        'SELECT * FROM cards',
        "SELECT id FROM cards WHERE Code = 'x'",
        'SELECT mark FROM cards_of_cards',
        'SELECT ssn FROM wide',
        'SELECT a FROM mixed',
        'SELECT m FROM sub',
        'SELECT initials FROM users',
      ].map((text) => [kind, text] as const),
    ),
  )('%s: %s', async (kind, text) => {
    expect(await rules(text, mode, { kind, schema: plain })).toContain('blocked_column');
  });

  it.each(
    kinds.flatMap((kind) =>
      [
        'SELECT id, name FROM cards',
        'SELECT number FROM cards_of_cards',
        'SELECT name, total FROM wide',
        'SELECT id FROM sub',
        'SELECT id, name FROM users',
      ].map((text) => [kind, text] as const),
    ),
  )('%s lets pass: %s', async (kind, text) => {
    expect(await rules(text, mode, { kind, schema: plain })).toEqual([]);
  });

  it.each(kinds)('%s holds tables and tenants through views', async (kind) => {
    const asked = { kind, schema: plain } as const;
    expect(
      await rules('SELECT number FROM cards_of_cards', { sql_blocked_tables: ['users'] }, asked),
    ).toContain('blocked_table');
    const tenants = { tenant_column: 'tenant_id', tenant_tables: ['orders'] };
    expect(await rules('SELECT name FROM wide', tenants, asked)).toContain('tenant_missing');
    expect(await rules('SELECT name FROM cards', tenants, asked)).toEqual([]);
    expect(await rules('SELECT nope FROM cards', {}, asked)).toEqual(['unsupported_statement']);
  });
});

/** A relation of a made-up schema, and what each of its columns shows. */
interface Made {
  readonly name: string;
  readonly columns: ReadonlyMap<string, ReadonlySet<string>>;
  readonly sql: string;
}

const bases: readonly Made[] = ['t0', 't1'].map((name) => ({
  name,
  columns: new Map(['a', 'b', 'c'].map((column) => [column, new Set([`${name}.${column}`])])),
  sql: `CREATE TABLE ${name} (a text, b text, c text);`,
}));

interface Choice {
  readonly form: number;
  readonly of: readonly [number, number];
  readonly columns: readonly [number, number];
}

/** One more view over what there is already; the forms are those that views are written in. */
function viewOf(made: readonly Made[], { form, of, columns }: Choice): Made {
  const name = `v${made.length}`;
  const [first, second] = of.map((at) => made[at % made.length]) as [Made, Made];
  const pick = (relation: Made, at: number) =>
    [...relation.columns][at % relation.columns.size] as [string, Set<string>];
  const [[c, cs], [d, ds]] = [pick(first, columns[0]), pick(first, columns[1])];
  const [e, es] = pick(second, columns[1]);
  const one = first.name;
  const two = second.name;
  const forms: readonly (readonly [sql: string, x: Iterable<string>, y: Iterable<string>])[] = [
    [`SELECT ${c} AS x, r.${d} AS y FROM ${one} r`, cs, ds],
    [`SELECT upper(${c}) || r.${d} AS x, ${d} AS y FROM public.${one} r WHERE ${c} > ''`, [...cs, ...ds], ds],
    [`SELECT s.p AS x, q AS y FROM (SELECT ${c} AS p, ${d} AS q FROM ${one}) s`, cs, ds],
    [`WITH s(p, q) AS (SELECT ${c}, ${d} FROM ${one}) SELECT q AS x, p AS y FROM s`, ds, cs],
    [`SELECT ${c} AS x, 'k' AS y FROM ${one} UNION ALL SELECT ${e}, ${e} FROM ${two}`, [...cs, ...es], es],
    [`SELECT l.${c} AS x, r.${e} AS y FROM ${one} l LEFT JOIN ${two} r ON l.${d} = r.${e}`, cs, es],
    [`SELECT 'k' AS x, (SELECT max(${e}) FROM ${two}) AS y FROM ${one}`, [], es],
    [`SELECT max(${c}) AS x, count(*) AS y FROM ${one} GROUP BY ${d}`, cs, []],
    [
      `SELECT CASE WHEN ${c} = 'a' THEN 1 END AS x, row_number() OVER (ORDER BY ${d}) AS y FROM ${one}`,
      cs,
      ds,
    ],
    [`SELECT z.x, z.y FROM ${one} r, LATERAL (SELECT r.${c} AS x, r.${d} AS y) z`, cs, ds],
  ];
  const [sql, x, y] = forms[form % forms.length] as (typeof forms)[number];
  const kind = form % 3 === 0 ? 'MATERIALIZED VIEW' : 'VIEW';
  return {
    name,
    columns: new Map([
      ['x', new Set(x)],
      ['y', new Set(y)],
    ]),
    sql: `CREATE ${kind} ${name} AS ${sql};`,
  };
}

const schemas = fc
  .array(
    fc.record({
      form: fc.nat(9),
      of: fc.tuple(fc.nat(9), fc.nat(9)),
      columns: fc.tuple(fc.nat(2), fc.nat(2)),
    }),
    { minLength: 1, maxLength: 5 },
  )
  .map((choices) => {
    const made = [...bases];
    for (const choice of choices) made.push(viewOf(made, choice));
    return made;
  });
const names = bases.flatMap(({ columns }) => [...columns.values()].flatMap((from) => [...from]));

it('follows any tower of views to the columns that it shows, and to no other', async () => {
  await fc.assert(
    fc.asyncProperty(schemas, fc.subarray(names, { minLength: 1, maxLength: 2 }), async (made, columns) => {
      const text = made.map(({ sql }) => sql).join('\n');
      const mode = { sql_blocked_columns: columns };
      for (const { name, columns: shown } of made) {
        for (const [column, from] of shown) {
          const query = `SELECT ${column} FROM ${name}`;
          const found = await rules(query, mode, { schema: text });
          expect(found, `${query}; blocked ${columns}; ${text}`).toEqual(
            columns.some((one) => from.has(one)) ? ['blocked_column'] : [],
          );
        }
      }
    }),
    { numRuns: 60 },
  );
});

it('allows no more with a schema than without one', async () => {
  const lists = fc.record({
    sql_blocked_columns: fc.subarray([...names, 'a', 'x', 'v2.y', 'public.v3.x']),
    sql_blocked_tables: fc.subarray(['t0', 'public.t1', 'v2', '"v3"']),
  });
  await fc.assert(
    fc.asyncProperty(schemas, lists, async (made, mode) => {
      const text = made.map(({ sql }) => sql).join('\n');
      for (const { name, columns } of made) {
        for (const query of [
          ...[...columns.keys()].map((column) => `SELECT ${column} FROM ${name}`),
          `SELECT r.a FROM ${name} r`,
          `SELECT count(*) FROM ${name} WHERE x = '1'`,
        ]) {
          const withSchema = await rules(query, mode, { schema: text });
          const without = await rules(query, mode, { schema: null });
          if (without.length > 0) expect(withSchema.length, `${query}; ${text}`).toBeGreaterThan(0);
        }
      }
    }),
    { numRuns: 40 },
  );
});
