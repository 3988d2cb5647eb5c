// The sample shop through the official MCP client: the schema is read, a query validated, approved and run.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startShop } from '../../examples/shop/shop.ts';
import { loadConfig, paths, prepareHome, unlockApprover } from '../../src/config/index.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { cliEntry } from '../support/bundle.ts';
import { cli, newPlace, type Place } from '../support/cli.ts';
import { testDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/ledger.ts';
import { ownerOf } from '../support/person.ts';

const folder = fileURLToPath(new URL('../../examples/shop', import.meta.url));
const passphrase = 'correct horse battery staple';

interface Shop {
  readonly place: Place;
  readonly environment: Readonly<Record<string, string>>;
  readonly config: string;
}

/** The shop, its server running, under one of its configurations. */
async function shopUnder(name: string): Promise<Shop> {
  const place = newPlace();
  mkdirSync(place.home, { mode: 0o700 });
  prepareHome(place.home);
  const file = join(place.workspace, '..', 'shop.db');
  const { server, url } = await startShop(file);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const environment = { SHOP: folder, SHOP_URL: url, SHOP_FILE: file };
  return { place, environment, config: join(folder, `${name}.toml`) };
}

type Elicited = { action: 'accept' | 'decline'; content?: Record<string, never> };

async function connect(shop: Shop, source: string | null, onAsk?: (message: string) => Promise<Elicited>) {
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: onAsk === undefined ? {} : { elicitation: { form: {} } } },
  );
  if (onAsk !== undefined) {
    client.setRequestHandler('elicitation/create', async ({ params }) => await onAsk(params.message));
  }
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [
      cliEntry(),
      ...['mcp', 'query', '--config', shop.config],
      ...(source === null ? [] : ['--source', source]),
    ],
    cwd: shop.place.workspace,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: shop.place.home,
      SALLYPORT_HOME: shop.place.home,
      ...shop.environment,
    },
    stderr: 'inherit',
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call = async (name: string, given: Record<string, unknown>) => {
    const answer = await client.callTool({ name, arguments: given });
    // biome-ignore lint/suspicious/noExplicitAny: a test reads what the server says as it comes
    return { isError: answer.isError ?? false, ...(answer.structuredContent as any) };
  };
  return { client, call };
}

/** A person says yes, as `sallyport approve` does. */
async function approve({ place, config, environment }: Shop, id: string): Promise<void> {
  const { ledger: options } = await loadConfig({ home: place.home, environment, file: config });
  const ledger = await openLedger(place.home, options);
  const signer = await unlockApprover(place.home, passphrase);
  try {
    await ledger.approvals.answer(id, 'approve', 'ann', signer, {}, Date.now());
  } finally {
    signer.forget();
    await ledger.close();
  }
}

describe('the shop, read-only', () => {
  it('shows its schema, and is read', async () => {
    const shop = await shopUnder('read-only');
    const { client, call } = await connect(shop, 'shop');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'validate_query',
      'execute_query',
      'search_schema',
      'describe',
    ]);
    expect(tools[1]?.annotations).toMatchObject({ readOnlyHint: true });
    const { contents } = await client.readResource({ uri: 'graphql://schema' });
    expect(contents[0]).toMatchObject({ text: expect.stringContaining('orders(first: Int!)') });
    expect(JSON.stringify(contents)).not.toContain('createOrder');
    const { messages } = await client.getPrompt({ name: 'start_code_mode' });
    expect(JSON.stringify(messages)).toMatch(/get their yes before you execute/);

    const query = 'query($n: Int!) { orders(first: $n) { id total customer { name } } }';
    const given = { query, variables: { n: 1 } };
    const answer = await call('validate_query', given);
    expect(answer).toMatchObject({ isError: false, valid: true, risk_level: 'LOW', auto_approved: true });
    const { approval_token: token } = answer;
    expect(
      await call('execute_query', { ...given, variables: { n: 2 }, approval_token: token }),
    ).toMatchObject({
      isError: true,
      error: 'CodeMismatch',
    });
    expect(await call('execute_query', { ...given, approval_token: token })).toMatchObject({
      isError: false,
      data: { data: { orders: [{ id: '1', total: 120, customer: { name: 'Ann' } }] } },
    });
    expect(await call('execute_query', { ...given, approval_token: token })).toMatchObject({
      isError: true,
      error: 'AlreadyUsed',
    });
  });

  it('is one server for all of its sources, and tells a model of each what there is', async () => {
    const { client, call } = await connect(await shopUnder('read-only'), null);
    const { tools } = await client.listTools();
    expect(tools[0]?.description).toMatch(/shop \(GraphQL\).*tables \(SQL of SQLite/);
    expect(await call('search_schema', { source: 'shop', words: 'customers of orders' })).toMatchObject({
      matches: expect.arrayContaining([expect.objectContaining({ name: 'orders', kind: 'query' })]),
    });
    expect(await call('describe', { source: 'tables', names: ['Order'] })).toMatchObject({
      described: [
        {
          name: 'orders',
          members: expect.arrayContaining([expect.objectContaining({ name: 'total', type: 'integer' })]),
        },
      ],
    });
    const given = { source: 'tables', query: 'SELECT total FROM orders WHERE id = 3' };
    const { approval_token: token } = await call('validate_query', given);
    expect(await call('execute_query', { ...given, approval_token: token })).toMatchObject({
      data: [{ total: 1500 }],
    });
    // A token of one source counts for no other.
    const { approval_token: other } = await call('validate_query', given);
    expect(await call('execute_query', { ...given, source: 'shop', approval_token: other })).toMatchObject({
      isError: true,
    });
  });

  it('refuses a mutation that hides in a fragment', async () => {
    const { call } = await connect(await shopUnder('read-only'), 'shop');
    const query = 'mutation { ...F } fragment F on Mutation { deleteOrder(id: 1) }';
    expect(await call('validate_query', { query })).toMatchObject({
      isError: true,
      valid: false,
      approval_token: null,
      violations: [{ policy: 'server', rule: 'allow_mutations' }],
    });
    expect(await call('validate_query', { query, dry_run: true })).toMatchObject({ valid: false });
    expect(await call('execute_query', { query, approval_token: 'sp1.a.b.c' })).toMatchObject({
      isError: true,
      error: 'TokenInvalid',
    });
  });

  it('reads its tables, and refuses arguments that do not fit', async () => {
    const { client, call } = await connect(await shopUnder('read-only'), 'tables');
    const { contents } = await client.readResource({ uri: 'sql://schema' });
    expect(contents[0]).toMatchObject({ text: expect.stringContaining('orders (id, customer_id, total)') });
    const given = { query: 'SELECT total FROM orders WHERE id = :id', variables: { id: 3 } };
    const { approval_token: token } = await call('validate_query', given);
    expect(await call('execute_query', { ...given, approval_token: token })).toMatchObject({
      data: [{ total: 1500 }],
      rows: 1,
    });
    const wrong = await client.callTool({
      name: 'validate_query',
      arguments: { query: 'SELECT 1', more: 1 },
    });
    expect(wrong.isError).toBe(true);
  });
});

describe('the shop with one mutation', () => {
  const given = { query: 'mutation { createOrder(customer: 1, total: 7) { id total } }' };

  it('runs it when a person has said yes, once', async () => {
    const shop = await shopUnder('specific-mutations');
    await ownerOf(shop.place, passphrase);
    const asked: string[] = [];
    const { call } = await connect(shop, 'shop', async (message) => {
      asked.push(message);
      const [, id = ''] = /sallyport approve (\S+)/.exec(message) ?? [];
      await approve(shop, id);
      return { action: 'accept', content: {} };
    });
    const answer = await call('validate_query', given);
    expect(asked).toEqual([expect.stringMatching(/^Changes createOrder/)]);
    expect(answer).toMatchObject({ valid: true, auto_approved: false, risk_level: 'MEDIUM' });
    expect(answer.approval_token).toEqual(expect.any(String));
    const run = { ...given, approval_token: answer.approval_token };
    expect(await call('execute_query', run)).toMatchObject({
      data: { data: { createOrder: { id: '4', total: 7 } } },
    });
    expect(await call('execute_query', run)).toMatchObject({ error: 'AlreadyUsed' });
    const { stdout } = await cli(shop.place, ['log', '--json', '--config', shop.config], {
      environment: shop.environment,
    });
    expect(stdout).toContain('approval_used');
    expect(stdout).toContain('token_refused');
  });

  it('gives no token where the client cannot ask, or the person says nothing', async () => {
    const shop = await shopUnder('specific-mutations');
    const silent = await connect(shop, 'shop');
    const pending = { valid: true, approval_token: null, approval: { id: expect.any(String), url: null } };
    expect(await silent.call('validate_query', given)).toMatchObject(pending);
    const agreeing = await connect(shop, 'shop', async () => ({ action: 'accept', content: {} }));
    expect(await agreeing.call('validate_query', given)).toMatchObject(pending);
  });

  it('refuses the others, and tables that are not on the list', async () => {
    const shop = await shopUnder('specific-mutations');
    const { call } = await connect(shop, 'shop');
    expect(await call('validate_query', { query: 'mutation { deleteOrder(id: 1) }' })).toMatchObject({
      valid: false,
      violations: [{ rule: 'mutation_not_allowed' }],
    });
    const tables = await connect(shop, 'tables');
    const query = "UPDATE customers SET name = 'x' WHERE id = 1";
    expect(await tables.call('validate_query', { query })).toMatchObject({
      valid: false,
      violations: [{ rule: 'table_not_allowed' }],
    });
  });
});

describe('the shop with sensitive data', () => {
  it('shows and reads nothing that is blocked, and asks about what is sensitive', async () => {
    const shop = await shopUnder('sensitive-data');
    const { client, call } = await connect(shop, 'shop');
    const { contents } = await client.readResource({ uri: 'graphql://schema' });
    expect(JSON.stringify(contents)).toContain('email');
    expect(JSON.stringify(contents)).not.toContain('ssn');
    const blocked = { query: '{ customer(id: 1) { ...F } } fragment F on Customer { x: ssn }' };
    expect(await call('validate_query', blocked)).toMatchObject({
      valid: false,
      violations: [{ rule: 'blocked_field' }],
    });
    expect(await call('validate_query', { query: '{ customer(id: 1) { email } }' })).toMatchObject({
      valid: true,
      risk_level: 'MEDIUM',
      approval_token: null,
    });
    const tables = await connect(shop, 'tables');
    const { contents: sql } = await tables.client.readResource({ uri: 'sql://schema' });
    expect(JSON.stringify(sql)).not.toContain('ssn');
    expect(await tables.call('validate_query', { query: 'SELECT * FROM customers' })).toMatchObject({
      valid: false,
      violations: [{ rule: 'blocked_column' }],
    });
  });
});

describe.each(['auto', 'legacy'] as const)('the shop over HTTP, for a client of the kind %s', (mode) => {
  it('is read, and changed once a person has said yes on the page', async () => {
    const folders = join(temporaryFolder(), 'shop.db');
    const { server, url: shopUrl } = await startShop(folders);
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const started = await testDaemon({
      passphrase: true,
      configuration: readFileSync(join(folder, 'specific-mutations.toml'), 'utf8'),
      environment: { SHOP: folder, SHOP_URL: shopUrl, SHOP_FILE: folders },
    });
    const place = `http://127.0.0.1:${started.daemon.port}`;
    const client = new Client(
      { name: 'test', version: '1' },
      { capabilities: { elicitation: { url: {} } }, versionNegotiation: { mode } },
    );
    const pages: string[] = [];
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      if (params.mode !== 'url') throw new Error('asked by a form');
      pages.push(params.url);
      const id = params.url.split('/').at(-1);
      const body = { answer: 'approve' };
      await started.call(`/v1/approvals/${id}/answer`, { token: await started.session(), body });
      return { action: 'accept' };
    });
    const token = await started.credential();
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${place}/mcp/query/shop`), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      }),
    );
    onTestFinished(() => client.close());
    expect(client.getProtocolEra()).toBe(mode === 'auto' ? 'modern' : 'legacy');
    const call = async (name: string, given: Record<string, unknown>) =>
      // biome-ignore lint/suspicious/noExplicitAny: a test reads what the server says as it comes
      (await client.callTool({ name, arguments: given })).structuredContent as any;

    const { contents } = await client.readResource({ uri: 'graphql://schema' });
    expect(JSON.stringify(contents)).toContain('createOrder');
    const given = { query: 'mutation { createOrder(customer: 1, total: 7) { id total } }' };
    const answer = await call('validate_query', given);
    const page = `^http://localhost:${started.daemon.port}/console/#/approvals/`;
    expect(pages).toEqual([expect.stringMatching(page)]);
    expect(answer).toMatchObject({ valid: true, auto_approved: false, approval_token: expect.any(String) });
    const run = { ...given, approval_token: answer.approval_token };
    expect(await call('execute_query', run)).toMatchObject({
      data: { data: { createOrder: { id: '4', total: 7 } } },
    });
    expect(await call('execute_query', run)).toMatchObject({ error: 'AlreadyUsed' });
  });
});

describe('the command', () => {
  it.each([
    [['mcp', 'other'], 2],
    [['mcp', 'query'], 2],
    [['mcp', 'query', '--source', 'none'], 2],
  ])('refuses %j', async (args, status) => {
    expect((await cli(newPlace(), args)).status).toBe(status);
  });

  it('registers nothing for a source that takes no queries', async () => {
    const shop = await shopUnder('read-only');
    const config = paths(shop.place.home).config;
    writeFileSync(
      config,
      `[sources.shop]\nkind = "graphql"\nschema = "${folder}/schema.graphql"\n[sources.shop.code_mode]\nenabled = false\n`,
    );
    const { client } = await connect({ ...shop, config }, 'shop');
    expect(client.getServerCapabilities()?.tools).toBeUndefined();
  });
});
