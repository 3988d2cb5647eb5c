// What `query-meaning` asks: a company whose blocked columns are shown under many names, and a warehouse.

import type { JsonObject } from '../src/core/index.ts';

/** The schema as it was once. */
export const early = `
  CREATE SCHEMA hr;
  CREATE SCHEMA "Audit";
  CREATE TABLE employees (id int PRIMARY KEY, name text, birth_date text, boss int);
  CREATE TABLE hr.salaries (employee_id int, ssn text, amount int);
  CREATE TABLE "Audit"."Log" (id int, "User" text, "Secret" text);
  CREATE TABLE staff (id int, word text);
  CREATE TABLE payment (id int, amount text, paid date) PARTITION BY RANGE (paid);
  CREATE TABLE payment_2022 PARTITION OF payment FOR VALUES FROM ('2022-01-01') TO ('2023-01-01');
  CREATE TABLE people (id int, nick text, code text);
  CREATE TABLE customer (id int, name text, tenant_id text);
  CREATE VIEW cards AS SELECT id, name FROM employees;
`;

/** What migrations made of it. */
export const late = `
  ALTER TABLE employees ADD COLUMN home_phone text;
  ALTER TABLE employees ADD COLUMN national_id text;
  ALTER TABLE employees ADD COLUMN label text GENERATED ALWAYS AS (name || national_id) STORED;
  CREATE OR REPLACE VIEW cards AS SELECT e.id, e.name, e.birth_date AS born, upper(e.home_phone) AS phone, s.ssn AS code
    FROM employees e JOIN hr.salaries s ON s.employee_id = e.id;
  CREATE VIEW cards2 (number, title, day, way, mark) AS SELECT id, name, born, phone, code FROM cards;
  CREATE VIEW cards3 AS SELECT number, way || mark AS both_of_them, day FROM cards2;
  CREATE MATERIALIZED VIEW newest AS SELECT id, name, national_id AS n FROM employees;
  CREATE VIEW sub AS SELECT id, (SELECT max(ssn) FROM hr.salaries s WHERE s.employee_id = e.id) AS top FROM employees e;
  CREATE VIEW unions AS SELECT id, name AS what FROM employees UNION ALL SELECT employee_id, ssn FROM hr.salaries;
  CREATE VIEW whole AS SELECT e.id, e AS person, to_jsonb(e) AS doc FROM employees e;
  CREATE VIEW windows AS SELECT id, first_value(home_phone) OVER (ORDER BY id DESC) AS f FROM employees;
  CREATE VIEW nested AS SELECT x.i, x.p FROM (SELECT id AS i, home_phone AS p, birth_date FROM employees) x;
  CREATE VIEW with_query AS WITH q AS (SELECT id AS a, birth_date AS b FROM employees) SELECT a, b FROM q;
  CREATE RECURSIVE VIEW chain (id, top) AS SELECT id, home_phone FROM employees WHERE boss IS NULL
    UNION ALL SELECT e.id, c.top FROM employees e JOIN chain c ON c.id = e.boss;
  CREATE VIEW joined AS SELECT * FROM employees JOIN (SELECT employee_id AS id, ssn FROM hr.salaries) s USING (id);
  CREATE VIEW logs AS SELECT id, "Secret" AS s, "User" AS u FROM "Audit"."Log";
  CREATE FUNCTION hr.number_of(int) RETURNS text LANGUAGE sql STABLE AS 'SELECT ssn FROM hr.salaries WHERE employee_id = $1';
  CREATE VIEW called AS SELECT id, hr.number_of(id) AS n FROM employees;
  CREATE VIEW hr.cards AS SELECT id, birth_date AS b FROM public.employees;
  CREATE VIEW staff_list AS SELECT id, word FROM staff;
  CREATE VIEW staff_list2 AS SELECT id AS i, word AS w FROM staff_list;
  CREATE MATERIALIZED VIEW staff_kept AS SELECT * FROM staff;
  CREATE VIEW staff_joined AS SELECT e.id, e.name, s.word AS t FROM employees e JOIN staff s ON s.id = e.id;
  CREATE VIEW staff_filtered AS SELECT id, name FROM employees WHERE id IN (SELECT id FROM staff WHERE word > 'M');
  CREATE TABLE staff_old (left_on date) INHERITS (staff);
  CREATE TABLE payment_2023 (id int, amount text, paid date);
  ALTER TABLE payment ATTACH PARTITION payment_2023 FOR VALUES FROM ('2023-01-01') TO ('2024-01-01');
  CREATE TABLE contractors (rate int) INHERITS (people);
  CREATE TABLE customer_vip () INHERITS (customer);
  CREATE VIEW customer_list AS SELECT id, name, tenant_id AS owner FROM customer;
  CREATE VIEW customer_names AS SELECT id, name FROM customer;
  CREATE VIEW customer_sums AS SELECT tenant_id, count(*) OVER () AS n FROM customer;
  CREATE VIEW customer_pairs AS SELECT a.id, b.name, a.tenant_id FROM customer a, customer b;
`;

/** Rows that are the same in both databases but for what is protected. */
export function protectedRows(name: string): string {
  const turn = name === 'one' ? 0 : 7;
  const secret = (what: string) => `'${what}' || ((n * 31 + ${turn}) % 97)`;
  return `
    INSERT INTO employees (id, name, birth_date, boss, home_phone, national_id)
      SELECT n, 'name ' || n, ${secret('B')}, nullif(n / 2, 0), ${secret('P')}, ${secret('N')} FROM generate_series(1, 30) n;
    INSERT INTO hr.salaries SELECT n, ${secret('S')}, n * 10 FROM generate_series(1, 30) n;
    INSERT INTO "Audit"."Log" SELECT n, 'user ' || n, ${secret('L')} FROM generate_series(1, 10) n;
    INSERT INTO staff SELECT n * ${turn + 1}, ${secret('W')} FROM generate_series(1, ${10 + turn}) n;
    INSERT INTO staff_old SELECT n, ${secret('O')}, '2020-01-01' FROM generate_series(1, 5) n;
    INSERT INTO payment SELECT n, ${secret('A')}, '2022-03-03' FROM generate_series(1, 10) n;
    INSERT INTO payment SELECT n, ${secret('A')}, '2023-03-03' FROM generate_series(11, 20) n;
    INSERT INTO people SELECT n, 'nick ' || n, ${secret('C')} FROM generate_series(1, 10) n;
    INSERT INTO contractors SELECT n, 'nick ' || n, ${secret('C')}, n FROM generate_series(11, 15) n;
    INSERT INTO customer SELECT n, 'ours ' || n, 'acme' FROM generate_series(1, 5) n;
    INSERT INTO customer SELECT n, ${secret('T')}, 'other' FROM generate_series(6, ${12 + turn}) n;
    INSERT INTO customer_vip SELECT n, ${secret('V')}, 'other' FROM generate_series(100, ${104 + turn}) n;
    REFRESH MATERIALIZED VIEW newest; REFRESH MATERIALIZED VIEW staff_kept; ANALYZE;`;
}

/** The same protection, spelled in as many ways as there are descriptions. */
export function protectedBy(spelling: string): JsonObject {
  const full = spelling === 'right';
  const quoted = spelling === 'old';
  const name = (...parts: readonly string[]) => {
    const kept = full || parts[0] !== 'public' ? parts : parts.slice(1);
    return kept.map((part) => (quoted || part !== part.toLowerCase() ? `"${part}"` : part)).join('.');
  };
  return {
    sql_blocked_columns: [
      name('public', 'employees', 'birth_date'),
      name('public', 'employees', 'home_phone'),
      name('public', 'employees', 'national_id'),
      name('hr', 'salaries', 'ssn'),
      name('Audit', 'Log', 'Secret'),
      name('public', 'payment', 'amount'),
      name('public', 'people', 'code'),
    ],
    sql_blocked_tables: [name('public', 'staff')],
    tenant_column: 'tenant_id',
    tenant_tables: [name('public', 'customer')],
  };
}

/** Every relation and column that shows what a list blocks. */
const shown: readonly (readonly [relation: string, column: string, key: string])[] = [
  ['employees', 'birth_date', 'id'],
  ['employees', 'home_phone', 'id'],
  ['employees', 'national_id', 'id'],
  ['public.employees', '"national_id"', 'id'],
  ['employees', 'label', 'id'],
  ['hr.salaries', 'ssn', 'employee_id'],
  ['"Audit"."Log"', '"Secret"', 'id'],
  ['cards', 'born', 'id'],
  ['cards', 'phone', 'id'],
  ['public."cards"', 'code', 'id'],
  ['cards2', 'mark', 'number'],
  ['cards3', 'both_of_them', 'number'],
  ['newest', 'n', 'id'],
  ['sub', 'top', 'id'],
  ['unions', 'what', 'id'],
  ['whole', 'doc', 'id'],
  ['windows', 'f', 'id'],
  ['nested', 'p', 'i'],
  ['with_query', 'b', 'a'],
  ['chain', 'top', 'id'],
  ['joined', 'ssn', 'id'],
  ['joined', 'home_phone', 'id'],
  ['logs', 's', 'id'],
  ['called', 'n', 'id'],
  ['hr.cards', 'b', 'id'],
  ['payment', 'amount', 'id'],
  ['payment_2022', 'amount', 'id'],
  ['payment_2023', 'amount', 'id'],
  ['people', 'code', 'id'],
  ['contractors', 'code', 'id'],
  ['staff', 'word', 'id'],
  ['staff_list', 'word', 'id'],
  ['staff_list2', 'w', 'i'],
  ['staff_kept', 'word', 'id'],
  ['staff_joined', 't', 'id'],
  ['staff_old', 'word', 'id'],
];

const shapes: readonly ((relation: string, column: string, key: string) => string)[] = [
  (r, c, k) => `SELECT ${c} FROM ${r} ORDER BY ${k}`,
  (r, c, k) => `SELECT x.${c} || '' AS harmless FROM ${r} x ORDER BY x.${k}`,
  (r, c, k) => `SELECT ${k} FROM ${r} WHERE ${c}::text LIKE '%1%' ORDER BY ${k}`,
  (r, c, k) => `SELECT ${k} FROM ${r} ORDER BY ${c}, ${k} LIMIT 5`,
  (r, c) => `SELECT count(*) AS n FROM ${r} GROUP BY left(${c}::text, 2) ORDER BY 1`,
  (r, c) => `SELECT max(${c}::text) AS m, min(${c}::text) FROM ${r}`,
  (r, c, k) => `WITH q(a, b) AS (SELECT ${k}, ${c} FROM ${r}) SELECT b FROM q ORDER BY a`,
  (r, _, k) => `SELECT x::text AS t FROM ${r} x ORDER BY x.${k}`,
  (r, _, k) => `SELECT to_json(x) AS j FROM ${r} x ORDER BY x.${k}`,
  (r, _, k) => `SELECT * FROM ${r} ORDER BY ${k}`,
  (r, c, k) => `SELECT a.${k} FROM ${r} a JOIN ${r} b ON a.${c} > b.${c} ORDER BY 1 LIMIT 20`,
  (r, c, k) =>
    `SELECT e.id FROM employees e WHERE EXISTS (SELECT 1 FROM ${r} x WHERE x.${k} = e.id AND x.${c}::text > 'M5') ORDER BY 1`,
  (r, c, k) => `SELECT (SELECT string_agg(${c}::text, ',' ORDER BY ${k}) FROM ${r}) AS s`,
  (r, c) => `SELECT count(*) FILTER (WHERE ${c}::text ~ '[1-4]') AS n FROM ${r}`,
];

const ofTenants = [
  'SELECT id, name FROM customer ORDER BY id',
  "SELECT id FROM customer WHERE tenant_id = 'other' ORDER BY id",
  "SELECT id FROM customer WHERE tenant_id = 'acme' OR true ORDER BY id",
  'SELECT count(*) AS n FROM customer',
  'SELECT id, name FROM customer_list ORDER BY id',
  "SELECT id FROM customer_list WHERE owner <> 'acme' ORDER BY id",
  "SELECT id FROM customer_list WHERE name = 'acme' OR owner = 'other' ORDER BY id",
  'SELECT id, name FROM customer_names ORDER BY id',
  "SELECT n FROM customer_sums WHERE tenant_id = 'acme'",
  "SELECT name FROM customer_pairs WHERE tenant_id = 'acme' ORDER BY 1",
  'SELECT id FROM customer_vip ORDER BY id',
  "SELECT id FROM customer_vip WHERE tenant_id = 'acme' ORDER BY id",
  "SELECT id, name FROM customer WHERE tenant_id = 'acme' ORDER BY id",
  "SELECT id, name FROM customer_list WHERE owner = 'acme' ORDER BY id",
  "SELECT c.id, d.id FROM customer c JOIN customer d USING (id) WHERE c.tenant_id = 'acme' ORDER BY 1",
  "SELECT c.id FROM customer c LEFT JOIN customer d ON d.tenant_id = 'acme' ORDER BY 1",
  'SELECT id, name FROM staff_filtered ORDER BY id',
  'SET search_path = hr, public; SELECT b FROM cards',
  "SELECT set_config('search_path', 'hr, public', false)",
];

/** Ways to what is protected; some of them are legal and tell nothing. */
export function attacks(): readonly string[] {
  return [
    ...shown.flatMap(([relation, column, key], at) =>
      // Six of the shapes for each, others for the next.
      shapes.filter((_, shape) => (shape + at) % 7 < 3).map((shape) => shape(relation, column, key)),
    ),
    ...ofTenants,
  ];
}

/** What shows nothing of it, beside it. */
export const harmless: readonly string[] = [
  'SELECT id, name FROM employees ORDER BY id',
  'SELECT id, name FROM cards ORDER BY id',
  'SELECT number, title FROM cards2 ORDER BY number',
  'SELECT c.number FROM cards3 c ORDER BY 1',
  'SELECT id, name FROM newest ORDER BY id',
  'SELECT count(*) AS n FROM sub',
  'SELECT i FROM nested ORDER BY i',
  'SELECT a FROM with_query ORDER BY a',
  'SELECT id FROM chain ORDER BY id',
  'SELECT id, name, boss FROM joined ORDER BY id',
  'SELECT id, u FROM logs ORDER BY id',
  'SELECT id FROM called ORDER BY id',
  'SELECT employee_id, amount FROM hr.salaries ORDER BY 1',
  'SELECT c.id FROM hr.cards c ORDER BY 1',
  'SELECT id, paid FROM payment ORDER BY id',
  'SELECT id, paid FROM payment_2023 ORDER BY id',
  'SELECT id, nick FROM people ORDER BY id',
  'SELECT id, rate FROM contractors ORDER BY id',
  "SELECT id, name FROM customer WHERE tenant_id = 'acme' ORDER BY id",
  "SELECT id, name FROM customer_list WHERE owner = 'acme' ORDER BY id",
];

/** A warehouse as benchmarks of decision support have it. */
export const warehouse = `
  CREATE SCHEMA sales;
  CREATE TABLE region (r_id int PRIMARY KEY, r_name text);
  CREATE TABLE nation (n_id int PRIMARY KEY, n_name text, r_id int REFERENCES region);
  CREATE TABLE supplier (s_id int PRIMARY KEY, s_name text, n_id int, s_balance numeric);
  CREATE TABLE part (p_id int PRIMARY KEY, p_name text, p_brand text, p_type text, p_size int, p_price numeric);
  CREATE TABLE partsupp (p_id int, s_id int, ps_qty int, ps_cost numeric, PRIMARY KEY (p_id, s_id));
  CREATE TABLE customer (c_id int PRIMARY KEY, c_name text, n_id int, c_segment text, c_balance numeric);
  CREATE TABLE sales.orders (o_id int PRIMARY KEY, c_id int, o_status text, o_date date, o_priority text);
  CREATE TABLE sales.lineitem (o_id int, l_no int, p_id int, s_id int, l_qty int, l_price numeric, l_discount numeric,
    l_tax numeric, l_flag text, l_ship date, l_receipt date, l_mode text) PARTITION BY RANGE (l_ship);
  CREATE TABLE sales.lineitem_old PARTITION OF sales.lineitem FOR VALUES FROM ('1990-01-01') TO ('1996-01-01');
  CREATE TABLE sales.lineitem_new PARTITION OF sales.lineitem FOR VALUES FROM ('1996-01-01') TO ('2000-01-01');
  CREATE VIEW sales.revenue AS SELECT s_id, sum(l_price * (1 - l_discount)) AS total FROM sales.lineitem GROUP BY s_id;
  CREATE MATERIALIZED VIEW sales.by_month AS SELECT date_trunc('month', o_date) AS month, count(*) AS n FROM sales.orders GROUP BY 1;
  INSERT INTO region SELECT n, (ARRAY['AFRICA','AMERICA','ASIA','EUROPE','MIDDLE EAST'])[n] FROM generate_series(1, 5) n;
  INSERT INTO nation SELECT n, 'NATION ' || n, 1 + n % 5 FROM generate_series(1, 25) n;
  INSERT INTO supplier SELECT n, 'Supplier ' || n, 1 + n % 25, n * 1.5 FROM generate_series(1, 50) n;
  INSERT INTO part SELECT n, 'part ' || n, 'Brand#' || n % 7, (ARRAY['BRASS','STEEL','TIN'])[1 + n % 3], n % 50, n FROM generate_series(1, 200) n;
  INSERT INTO partsupp SELECT n, 1 + (n * 7) % 50, n % 90, n / 3.0 FROM generate_series(1, 200) n;
  INSERT INTO customer SELECT n, 'Customer ' || n, 1 + n % 25, (ARRAY['BUILDING','AUTOMOBILE'])[1 + n % 2], n - 50 FROM generate_series(1, 100) n;
  INSERT INTO sales.orders SELECT n, 1 + n % 100, (ARRAY['F','O'])[1 + n % 2], DATE '1993-01-01' + n, (ARRAY['1-URGENT','5-LOW'])[1 + n % 2] FROM generate_series(1, 1500) n;
  INSERT INTO sales.lineitem SELECT 1 + n % 1500, n % 7, 1 + n % 200, 1 + n % 50, n % 50, n % 900, (n % 10) / 100.0, 0.05,
    (ARRAY['A','N','R'])[1 + n % 3], DATE '1993-01-01' + n % 1800, DATE '1993-01-05' + n % 1800, (ARRAY['AIR','SHIP','MAIL'])[1 + n % 3] FROM generate_series(1, 6000) n;
  REFRESH MATERIALIZED VIEW sales.by_month; ANALYZE;
`;

export const analytics: readonly string[] = [
  "SELECT l_flag, sum(l_qty) AS qty, avg(l_price) AS price, count(*) AS n FROM sales.lineitem WHERE l_ship <= DATE '1998-09-02' GROUP BY l_flag ORDER BY l_flag",
  "SELECT s.s_name, n.n_name, p.p_id FROM part p JOIN partsupp ps USING (p_id) JOIN supplier s USING (s_id) JOIN nation n USING (n_id) JOIN region r USING (r_id) WHERE p.p_size = 15 AND r.r_name = 'EUROPE' AND ps.ps_cost = (SELECT min(ps2.ps_cost) FROM partsupp ps2 WHERE ps2.p_id = p.p_id) ORDER BY s.s_balance DESC LIMIT 100",
  "SELECT l.o_id, sum(l.l_price * (1 - l.l_discount)) AS revenue, o.o_date FROM customer c, sales.orders o, sales.lineitem l WHERE c.c_segment = 'BUILDING' AND c.c_id = o.c_id AND l.o_id = o.o_id AND o.o_date < '1995-03-15' GROUP BY l.o_id, o.o_date ORDER BY revenue DESC LIMIT 10",
  'SELECT o_priority, count(*) FROM sales.orders o WHERE EXISTS (SELECT 1 FROM sales.lineitem l WHERE l.o_id = o.o_id AND l.l_receipt > l.l_ship) GROUP BY o_priority',
  "SELECT n.n_name, sum(l.l_price) AS revenue FROM customer c JOIN sales.orders o USING (c_id) JOIN sales.lineitem l USING (o_id) JOIN supplier s ON s.s_id = l.s_id AND s.n_id = c.n_id JOIN nation n ON n.n_id = s.n_id JOIN region r ON r.r_id = n.r_id WHERE r.r_name = 'ASIA' GROUP BY n.n_name ORDER BY revenue DESC",
  "SELECT sum(l_price * l_discount) AS revenue FROM sales.lineitem WHERE l_ship >= '1994-01-01' AND l_discount BETWEEN 0.05 AND 0.07 AND l_qty < 24",
  'SELECT supp, cust, year, sum(volume) FROM (SELECT n1.n_name AS supp, n2.n_name AS cust, extract(year FROM l.l_ship) AS year, l.l_price AS volume FROM supplier s, sales.lineitem l, sales.orders o, customer c, nation n1, nation n2 WHERE s.s_id = l.s_id AND o.o_id = l.o_id AND c.c_id = o.c_id AND s.n_id = n1.n_id AND c.n_id = n2.n_id) AS shipping GROUP BY supp, cust, year ORDER BY 1, 2, 3',
  "SELECT o_year, sum(CASE WHEN nation = 'NATION 3' THEN volume ELSE 0 END) / sum(volume) AS share FROM (SELECT extract(year FROM o.o_date) AS o_year, l.l_price * (1 - l.l_discount) AS volume, n2.n_name AS nation FROM part p, supplier s, sales.lineitem l, sales.orders o, customer c, nation n1, nation n2, region r WHERE p.p_id = l.p_id AND s.s_id = l.s_id AND l.o_id = o.o_id AND o.c_id = c.c_id AND c.n_id = n1.n_id AND n1.r_id = r.r_id AND s.n_id = n2.n_id) x GROUP BY o_year ORDER BY o_year",
  "SELECT c.c_id, c.c_name, sum(l.l_price) AS lost FROM customer c JOIN sales.orders o USING (c_id) JOIN sales.lineitem l USING (o_id) WHERE l.l_flag = 'R' GROUP BY c.c_id, c.c_name ORDER BY lost DESC LIMIT 20",
  'SELECT p_id, sum(ps_cost * ps_qty) AS value FROM partsupp GROUP BY p_id HAVING sum(ps_cost * ps_qty) > (SELECT sum(ps_cost * ps_qty) * 0.001 FROM partsupp) ORDER BY value DESC',
  "SELECT l_mode, sum(CASE WHEN o_priority = '1-URGENT' THEN 1 ELSE 0 END) AS high FROM sales.orders JOIN sales.lineitem USING (o_id) WHERE l_mode IN ('MAIL', 'SHIP') GROUP BY l_mode",
  'SELECT c_count, count(*) AS dist FROM (SELECT c.c_id, count(o.o_id) FROM customer c LEFT JOIN sales.orders o ON c.c_id = o.c_id GROUP BY c.c_id) AS t(c_id, c_count) GROUP BY c_count ORDER BY dist DESC',
  "SELECT 100.00 * sum(CASE WHEN p_type LIKE 'STEEL%' THEN l_price ELSE 0 END) / sum(l_price) AS promo FROM sales.lineitem JOIN part USING (p_id)",
  'SELECT s.s_id, s.s_name, r.total FROM supplier s JOIN sales.revenue r USING (s_id) WHERE r.total = (SELECT max(total) FROM sales.revenue)',
  'SELECT p_brand, p_type, count(DISTINCT ps.s_id) AS n FROM partsupp ps JOIN part p USING (p_id) WHERE ps.s_id NOT IN (SELECT s_id FROM supplier WHERE s_balance < 5) GROUP BY p_brand, p_type ORDER BY n DESC',
  'SELECT sum(l.l_price) / 7.0 AS yearly FROM sales.lineitem l JOIN part p USING (p_id) WHERE l.l_qty < (SELECT 0.2 * avg(l2.l_qty) FROM sales.lineitem l2 WHERE l2.p_id = p.p_id)',
  'SELECT c.c_name, o.o_id, sum(l.l_qty) FROM customer c JOIN sales.orders o USING (c_id) JOIN sales.lineitem l USING (o_id) WHERE o.o_id IN (SELECT o_id FROM sales.lineitem GROUP BY o_id HAVING sum(l_qty) > 100) GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 100',
  "SELECT s.s_name FROM supplier s WHERE s.s_id IN (SELECT ps.s_id FROM partsupp ps WHERE ps.p_id IN (SELECT p_id FROM part WHERE p_name LIKE 'part 1%')) ORDER BY 1",
  "SELECT s.s_name, count(*) AS waits FROM supplier s JOIN sales.lineitem l1 USING (s_id) JOIN sales.orders o USING (o_id) WHERE o.o_status = 'F' AND NOT EXISTS (SELECT 1 FROM sales.lineitem l3 WHERE l3.o_id = l1.o_id AND l3.s_id <> l1.s_id AND l3.l_receipt > l3.l_ship + 10) GROUP BY s.s_name ORDER BY waits DESC LIMIT 100",
  'SELECT month, n, n - lag(n) OVER (ORDER BY month) AS change, avg(n) OVER (ORDER BY month ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS smooth FROM sales.by_month ORDER BY month',
  'SELECT * FROM sales.by_month ORDER BY month LIMIT 5',
  "SELECT count(*) FROM sales.lineitem_old WHERE l_mode = 'AIR'",
  'WITH ranked AS (SELECT c_id, o_id, row_number() OVER (PARTITION BY c_id ORDER BY o_date DESC) AS place FROM sales.orders) SELECT c.c_name, r.o_id FROM ranked r JOIN customer c USING (c_id) WHERE place <= 3 ORDER BY 1, 2',
  "SELECT d::date AS day, count(o.o_id) FROM generate_series(DATE '1993-01-01', DATE '1993-02-01', interval '1 day') d LEFT JOIN sales.orders o ON o.o_date = d GROUP BY 1 ORDER BY 1",
  'SELECT r_name, n_name, sum(c_balance) FROM region JOIN nation USING (r_id) JOIN customer USING (n_id) GROUP BY ROLLUP (r_name, n_name) ORDER BY 1, 2',
  'SELECT p_type, percentile_cont(0.5) WITHIN GROUP (ORDER BY p_price) AS median FROM part GROUP BY p_type',
];
