// What a person reads before they decide: what is read or changed, which columns are set to what, and which rows.

import { describe, expect, it } from 'vitest';
import { askGuard } from '../../../tests/support/sql-guard.ts';

const schema = `
  CREATE TABLE orders (id int, total numeric, status text, placed date, customer_id int);
  CREATE TABLE customers (id int, name text, city text);
`;
const mode = {
  sql_allow_writes: true,
  sql_allow_deletes: true,
  sql_allow_ddl: true,
  sql_require_where_on_writes: false,
};

describe('PostgreSQL', () => {
  it.each([
    ['SELECT 1', 'Computes 1.'],
    ['SELECT * FROM orders', 'Reads every column of orders.'],
    [
      "SELECT o.id, c.name FROM orders o JOIN customers c ON c.id = o.customer_id WHERE o.total > 1000 AND c.city IN ('Rio', 'Oslo') LIMIT 5",
      "Reads orders.id and customers.name of orders and customers where orders.total > 1000 and customers.city in ('Rio', 'Oslo'), at most 5 rows.",
    ],
    [
      'SELECT status, count(*), sum(total) FROM orders GROUP BY status HAVING count(*) > 3',
      'Reads status, count(*) and sum(total) of orders, grouped by status, of groups with count(*) > 3.',
    ],
    [
      'SELECT id FROM orders WHERE placed BETWEEN $1 AND $2',
      'Reads id of orders where placed between $1 and $2.',
    ],
    [
      'SELECT id FROM orders WHERE status IS NULL OR NOT status LIKE $$a%$$',
      "Reads id of orders where status is null or (not status like 'a%').",
    ],
    [
      "UPDATE orders SET total = total * 1.1, status = 'new' WHERE id = 7",
      "Changes orders: sets total = total * 1.1 and status = 'new' where id = 7.",
    ],
    ['UPDATE orders SET total = 0', 'Changes orders: sets total = 0.'],
    [
      "INSERT INTO customers (id, name) VALUES (1, 'Ann'), (2, 'Bob')",
      "Adds 2 rows to customers: id = 1 and name = 'Ann' and 1 more.",
    ],
    [
      "DELETE FROM orders WHERE placed < '1997-01-01'",
      "Deletes rows of orders where placed < '1997-01-01'; this cannot be undone.",
    ],
    [
      'SELECT name FROM customers c WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id)',
      'Reads name of customers where there is no row of orders where customer_id = id.',
    ],
    [
      'SELECT name FROM customers WHERE id IN (SELECT customer_id FROM orders WHERE total > 9)',
      'Reads name of customers where id in (customer_id of orders where total > 9).',
    ],
    [
      'WITH big AS (SELECT id FROM orders WHERE total > 9) SELECT count(*) FROM big',
      'Reads count(*) of big (id of orders where total > 9).',
    ],
    [
      'SELECT a.id, b.id FROM customers a CROSS JOIN customers b',
      'Reads a.id and b.id of customers and customers, every row with every row.',
    ],
    [
      'INSERT INTO orders (id, total) VALUES (1, 5) ON CONFLICT (id) DO UPDATE SET total = EXCLUDED.total',
      'Adds a row to orders: id = 1 and total = 5; where the row is there already, sets total = new.total.',
    ],
    [
      "INSERT INTO orders (id) SELECT id FROM customers WHERE city = 'Rio'",
      "Adds rows to orders: id of customers where city = 'Rio'.",
    ],
    ['DELETE FROM orders', 'Deletes every row of orders; this cannot be undone.'],
    ['TRUNCATE orders, customers', 'Deletes every row of orders and customers; this cannot be undone.'],
    ['DROP TABLE orders', 'Drops the table orders; this cannot be undone.'],
    ['ALTER TABLE orders ADD COLUMN note text', 'Changes the structure of orders; this cannot be undone.'],
    [
      'ALTER TABLE orders DROP COLUMN total, ADD COLUMN note text, ALTER COLUMN status TYPE int USING 1',
      'Changes the structure of orders: drops the column total and changes the type of status; this cannot be undone.',
    ],
    ['SELECT id FROM orders LIMIT 1', 'Reads id of orders, at most 1 row.'],
  ])('%s', async (text, told) => {
    const { facts } = await askGuard(text, { schema, mode });
    expect(facts['detail']).toBe(told);
  });

  it('keeps values out of what is written down', async () => {
    const { facts, findings } = await askGuard("DELETE FROM orders WHERE status = 'Jane Doe'", {
      schema,
      mode,
    });
    expect(facts['explanation']).toBe('Deletes rows of orders where status = …; this cannot be undone.');
    expect(JSON.stringify(findings)).not.toContain('Jane');
  });

  it('names the column of the tenant', async () => {
    const tenants = { tenant_column: 'customer_id', tenant_tables: ['orders'] };
    const { findings } = await askGuard('SELECT id FROM orders', { schema, mode: tenants });
    expect(findings[0]?.suggestion).toContain('customer_id = …');
  });
});
