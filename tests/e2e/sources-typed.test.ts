// The lines of docs/queries.md, typed at a terminal by a person who reads nothing else: from an own database, or an own
// OpenAPI document, to the first approved query.

import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Terminal, type Typed, type } from '../../scripts/terminal.ts';
import { cliEntry } from '../support/bundle.ts';
import { newPlace } from '../support/cli.ts';
import { asOwner } from '../support/live-source.ts';
import { postgresMissing, sharedPostgres } from '../support/postgres.ts';
import { noTerminals, passphrase } from '../support/terminal.ts';

const page = readFileSync(fileURLToPath(new URL('../../docs/queries.md', import.meta.url)), 'utf8');
const mostLines = 10;

/** The commands in the block that follows a mark on the page. */
function linesOf(mark: string): readonly string[] {
  const block = page.split(`<!-- typed: ${mark} -->`)[1]?.split('```')[1] ?? '';
  return block.split('\n').flatMap((line) => (line.startsWith('$ ') ? [line.slice(2)] : []));
}

/** What a person types where a line asks: the same at every prompt of its kind. */
function answersTo(line: string): readonly string[] {
  if (line === 'sallyport passphrase') return [passphrase, passphrase];
  return line.startsWith('sallyport sources add') ? ['y'] : [passphrase];
}

function terminalWith(environment: Readonly<Record<string, string>>): Terminal {
  const { home, workspace } = newPlace();
  const programs = join(workspace, '..', 'programs');
  mkdirSync(programs);
  symlinkSync(cliEntry(), join(programs, 'sallyport'));
  return {
    folder: workspace,
    environment: {
      PATH: `${programs}:${join(process.execPath, '..')}:${process.env['PATH']}`,
      HOME: home,
      NO_COLOR: '1',
      SALLYPORT_HOME: join(home, '.sallyport'),
      ...environment,
    },
  };
}

async function typeAll(mark: string, terminal: Terminal): Promise<readonly Typed[]> {
  const lines = linesOf(mark);
  expect(lines.length).toBeGreaterThan(2);
  expect(lines.length).toBeLessThanOrEqual(mostLines);
  const seen: Typed[] = [];
  for (const line of lines) {
    const typed = await type(terminal, line, answersTo(line));
    expect([line, typed.status, typed.status === 0 ? '' : typed.shown]).toEqual([line, 0, '']);
    seen.push(typed);
  }
  return seen;
}

describe.skipIf(noTerminals)('typed from the page', () => {
  it.skipIf(postgresMissing !== null)(
    'an own PostgreSQL: the first approved query',
    async () => {
      const { url, name, server } = await sharedPostgres();
      await asOwner(
        url,
        'CREATE TABLE customers (id int PRIMARY KEY, name text, email text)',
        'CREATE TABLE orders (id int PRIMARY KEY, customer_id int, total numeric)',
        "INSERT INTO customers VALUES (1, 'Ann', 'ann@example.com')",
        'INSERT INTO orders VALUES (1, 1, 9.5), (2, 1, 3)',
      );
      await asOwner(
        server.superuserUrl(name),
        `CREATE ROLE typed_reader LOGIN PASSWORD 'typed'; GRANT CONNECT ON DATABASE ${name} TO typed_reader;
       GRANT USAGE ON SCHEMA public TO typed_reader; GRANT SELECT ON customers, orders TO typed_reader`,
      );
      const reader = new URL(url);
      [reader.username, reader.password] = ['typed_reader', 'typed'];
      const seen = await typeAll('postgres', terminalWith({ DATABASE_URL: reader.href }));
      expect(seen.at(-2)?.shown).toContain('{"orders":2}');
      expect(seen.at(-1)?.shown).toMatch(/Risk: MEDIUM\.[\s\S]*Approved[\s\S]*"name":"Ann"/);
    },
    120_000,
  );

  it('an own OpenAPI document in YAML: the first approved query', async () => {
    const server = createServer((request, response) => {
      response.setHeader('content-type', 'application/json');
      const isOrders = request.url === '/v1/orders';
      response.end(JSON.stringify([isOrders ? { id: 1 } : { name: 'Ann', email: 'ann@example.com' }]));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const terminal = terminalWith({});
    const listOf = (members: string) =>
      `{ get: { responses: { "200": { description: all, content: { application/json: { schema: { type: array, items: { type: object, properties: ${members} } } } } } } } }`;
    writeFileSync(
      join(terminal.folder, 'openapi.yaml'),
      `openapi: 3.0.3
info: { title: Shop, version: "1" }
servers: [{ url: "http://127.0.0.1:${port}/v1" }]
paths:
  /orders: ${listOf('{ id: { type: integer } }')}
  /customers: ${listOf('{ name: { type: string }, email: { type: string } }')}
`,
    );
    const seen = await typeAll('openapi', terminal);
    expect(seen.at(-2)?.shown).toContain('"body":[{"id":1}]');
    expect(seen.at(-1)?.shown).toMatch(/Risk: MEDIUM\.[\s\S]*Approved[\s\S]*"name":"Ann"/);
  }, 120_000);
});
