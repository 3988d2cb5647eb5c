// Explanations as the person reads them who has to decide, each beside its statement, with the rows that PostgreSQL
// expects beside those that the statement really reads or changes. Everything runs for real and is taken back.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { asOwner, liveSource } from '../tests/support/live-source.ts';
import { postgresMissing, startPostgres } from '../tests/support/postgres.ts';
import { context, openLedger } from './parts.ts';
import { printNote } from './table.ts';

const tables = `
  CREATE TABLE customers (id int PRIMARY KEY, name text NOT NULL, city text, email text, birth_date date);
  CREATE TABLE products (id int PRIMARY KEY, name text, unit_price numeric, stock int, discontinued boolean);
  CREATE TABLE orders (id int PRIMARY KEY, customer_id int REFERENCES customers, placed date, shipped date, status text, freight numeric);
  CREATE TABLE order_lines (order_id int, product_id int, quantity int, price numeric, PRIMARY KEY (order_id, product_id));
  CREATE VIEW open_orders AS SELECT id, customer_id, placed FROM orders WHERE shipped IS NULL;
  INSERT INTO customers SELECT n, 'Customer ' || n, (ARRAY['Berlin','Lisbon','Recife'])[1 + n % 3], 'c' || n || '@example.com', DATE '1960-01-01' + n * 100 FROM generate_series(1, 91) n;
  INSERT INTO products SELECT n, 'Product ' || n, n, n % 40, n % 10 = 0 FROM generate_series(1, 77) n;
  INSERT INTO orders SELECT n, 1 + n % 91, DATE '1996-07-04' + (n * 671 / 830), CASE WHEN n % 40 > 0 THEN DATE '1996-07-10' + (n * 671 / 830) END, (ARRAY['open','paid','sent'])[1 + n % 3], n % 100 FROM generate_series(1, 830) n;
  INSERT INTO order_lines SELECT 1 + n % 830, 1 + n / 830, n % 50, n % 77 FROM generate_series(0, 2154) n;
  ANALYZE;
`;

const statements: readonly string[] = [
  'SELECT 1',
  'SELECT * FROM customers',
  'SELECT name, city FROM customers WHERE id = 7',
  "SELECT name FROM customers WHERE city = 'Berlin' ORDER BY name LIMIT 10",
  'SELECT name, birth_date FROM customers',
  'SELECT count(*) FROM orders',
  "SELECT id, placed FROM orders WHERE placed >= '1998-01-01' AND shipped IS NULL",
  "SELECT id FROM orders WHERE placed BETWEEN '1997-01-01' AND '1997-01-31'",
  "SELECT id FROM orders WHERE status IN ('open', 'paid') AND freight > 50",
  'SELECT status, count(*), avg(freight) FROM orders GROUP BY status',
  'SELECT customer_id, sum(freight) FROM orders GROUP BY customer_id HAVING sum(freight) > 400',
  'SELECT c.name, o.placed FROM customers c JOIN orders o ON o.customer_id = c.id WHERE o.freight > 90',
  'SELECT c.name, count(o.id) FROM customers c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.name',
  'SELECT p.name, sum(l.quantity * l.price) AS revenue FROM products p JOIN order_lines l ON l.product_id = p.id GROUP BY p.name ORDER BY revenue DESC LIMIT 5',
  'SELECT name FROM products WHERE id IN (SELECT product_id FROM order_lines WHERE quantity > 45)',
  'SELECT name FROM customers c WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id)',
  'SELECT * FROM open_orders',
  'SELECT city FROM customers UNION SELECT name FROM products',
  'WITH big AS (SELECT id FROM orders WHERE freight > 95) SELECT count(*) FROM big',
  'SELECT id, row_number() OVER (PARTITION BY customer_id ORDER BY placed) FROM orders',
  "SELECT name, CASE WHEN stock = 0 THEN 'out' ELSE 'in' END FROM products",
  'SELECT DISTINCT city FROM customers',
  'SELECT a.id, b.id FROM customers a CROSS JOIN customers b',
  "SELECT name FROM customers WHERE name ILIKE 'customer 1%' OR email IS NULL",
  "DELETE FROM orders WHERE placed < '1997-01-01'",
  'DELETE FROM orders WHERE id = 5',
  'DELETE FROM orders WHERE id > 0',
  "DELETE FROM order_lines USING orders o WHERE o.id = order_lines.order_id AND o.status = 'open'",
  'DELETE FROM customers WHERE id NOT IN (SELECT customer_id FROM orders)',
  'UPDATE products SET unit_price = unit_price * 1.1 WHERE discontinued = false',
  "UPDATE orders SET status = 'sent', shipped = CURRENT_DATE WHERE id = 12",
  'UPDATE products SET stock = stock - l.quantity FROM order_lines l WHERE l.product_id = products.id AND l.order_id = 3',
  "UPDATE customers SET email = NULL WHERE city = 'Recife'",
  "INSERT INTO customers (id, name, city) VALUES (100, 'Ann', 'Berlin')",
  "INSERT INTO products (id, name) VALUES (101, 'A'), (102, 'B'), (103, 'C')",
  "INSERT INTO order_lines SELECT id, 77, 1, 1 FROM orders WHERE status = 'paid'",
  'INSERT INTO products (id, stock) VALUES (1, 5) ON CONFLICT (id) DO UPDATE SET stock = EXCLUDED.stock',
  'TRUNCATE order_lines',
  'DROP TABLE order_lines',
  'ALTER TABLE customers DROP COLUMN email',
  'ALTER TABLE customers ADD COLUMN phone text',
  'CREATE INDEX by_city ON customers (city)',
  'CREATE TABLE notes (id int, body text)',
];

const mode = {
  sql_allow_writes: true,
  sql_allow_deletes: true,
  sql_allow_ddl: true,
  sql_require_where_on_writes: false,
};

/** Prints all of them; true where each says what it does, and expectations are of the size of what happens. */
export async function queryExplanations(progress: (text: string) => void): Promise<boolean> {
  if (postgresMissing !== null) {
    process.stdout.write(`skipped: ${postgresMissing}\n`);
    return true;
  }
  progress(`explanations of ${statements.length} statements`);
  const server = await startPostgres();
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-explanations-'));
  const ledger = await openLedger(folder);
  try {
    const url = await server.createDatabase('explanations');
    await asOwner(url, tables);
    const { pipeline } = liveSource(url, { mode }, ledger, folder);
    const owner = new pg.Client(url);
    await owner.connect();
    let [refused, far] = [0, 0];
    for (const [at, text] of statements.entries()) {
      const answer = await pipeline.validate({ target: 'shop', text }, context, { dryRun: true });
      const rows = await rowsOf(owner, text);
      const expected = /about ([\d,]+)/.exec(answer.explanation)?.[1]?.replaceAll(',', '');
      if (!answer.valid) refused++;
      if (expected !== undefined && rows !== null && isFar(Number(expected), rows)) far++;
      const real = rows === null ? '' : `, really ${rows}`;
      process.stdout.write(
        `${at + 1}. ${text}\n   ${answer.explanation}\n   ${answer.risk_level}; expected rows: ${expected ?? 'not said'}${real}\n`,
      );
      for (const { message } of answer.violations) process.stdout.write(`   refused: ${message}\n`);
    }
    await owner.end();
    printNote(
      `${statements.length} explanations, ${refused} refused; ${far} expectations differ from the real rows by more than ten times and by more than 50 (the goal is at most 2)`,
    );
    return refused === 0 && far <= 2;
  } finally {
    await ledger.close();
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

/** How many rows a statement gives or changes; it is taken back. */
async function rowsOf(owner: pg.Client, text: string): Promise<number | null> {
  await owner.query('BEGIN');
  try {
    return (await owner.query(text)).rowCount;
  } catch {
    return null;
  } finally {
    await owner.query('ROLLBACK');
  }
}

function isFar(expected: number, real: number): boolean {
  const [less, more] = [Math.min(expected, real), Math.max(expected, real)];
  return more > 10 * Math.max(1, less) && more - less > 50;
}
