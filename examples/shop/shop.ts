// The shop: a SQLite file, and a GraphQL server over it. Run it: node examples/shop/shop.ts /tmp/shop.db

import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { buildSchema, graphql } from 'graphql';

const beside = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

/** Makes the database where there is none yet. */
export function makeShop(file: string): void {
  if (existsSync(file)) return;
  const database = new DatabaseSync(file);
  database.exec(beside('schema.sql'));
  database.exec(beside('data.sql'));
  database.close();
}

/** Starts the server on a free port. */
export async function startShop(file: string): Promise<{ readonly server: Server; readonly url: string }> {
  makeShop(file);
  const database = new DatabaseSync(file);
  const schema = buildSchema(beside('schema.graphql'));
  const root = resolvers(database);
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', async () => {
      const { query, variables } = JSON.parse(Buffer.concat(pieces).toString('utf8'));
      const answer = await graphql({ schema, source: query, rootValue: root, variableValues: variables });
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer));
    });
  });
  server.on('close', () => database.close());
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql` };
}

function resolvers(database: DatabaseSync) {
  const customer = (id: number) => {
    const row = database.prepare('SELECT * FROM customers WHERE id = ?').get(id);
    return row === undefined ? null : { ...row, orders: ({ first }: { first: number }) => orders(first, id) };
  };
  const order = (row: Record<string, unknown>) => ({
    ...row,
    customer: () => customer(Number(row['customer_id'])),
  });
  const orders = (first: number, of?: number) =>
    database
      .prepare('SELECT * FROM orders WHERE ?1 IS NULL OR customer_id = ?1 ORDER BY id LIMIT ?2')
      .all(of ?? null, first)
      .map(order);
  return {
    customer: ({ id }: { id: string }) => customer(Number(id)),
    orders: ({ first }: { first: number }) => orders(first),
    createOrder: ({ customer: of, total }: { customer: string; total: number }) => {
      const { lastInsertRowid } = database
        .prepare('INSERT INTO orders (customer_id, total) VALUES (?, ?)')
        .run(Number(of), total);
      return order(database.prepare('SELECT * FROM orders WHERE id = ?').get(lastInsertRowid) ?? {});
    },
    deleteOrder: ({ id }: { id: string }) =>
      database.prepare('DELETE FROM orders WHERE id = ?').run(Number(id)).changes === 1,
  };
}

if (process.argv[1] === import.meta.filename) {
  const { url } = await startShop(resolve(process.argv[2] ?? 'shop.db'));
  process.stdout.write(`${url}\n`);
}
