// MCP over HTTP on a real daemon, with the official client: today's and older ones, and who is not let in.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { testDaemon } from '../../../tests/support/daemon.ts';
import { Sessions } from './sessions.ts';

async function shop() {
  const started = await testDaemon({
    configuration: (workspace) => {
      const [file, schema] = [join(workspace, 'shop.db'), join(workspace, 'schema.sql')];
      const tables = 'CREATE TABLE orders (id INTEGER PRIMARY KEY, total INTEGER);';
      const database = new DatabaseSync(file);
      database.exec(`${tables} INSERT INTO orders VALUES (1, 10), (2, 20)`);
      database.close();
      writeFileSync(schema, tables);
      return `[sources.shop]\nkind = "sqlite"\nschema = "${schema}"\nurl = "${file}"\n`;
    },
  });
  return { ...started, url: `http://127.0.0.1:${started.daemon.port}/mcp` };
}

type Started = Awaited<ReturnType<typeof shop>>;

async function connect({ url }: Started, token: string, mode: 'auto' | 'legacy', path = 'query/shop') {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/${path}`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, transport };
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
};
const accept = { accept: 'application/json, text/event-stream' };

describe.each(['auto', 'legacy'] as const)('a client of the kind %s', (mode) => {
  it('reads the schema, has a query judged, and runs it', async () => {
    const started = await shop();
    const { client } = await connect(started, await started.credential(), mode);
    expect(client.getProtocolEra()).toBe(mode === 'auto' ? 'modern' : 'legacy');
    const { contents } = await client.readResource({ uri: 'sql://schema' });
    expect(contents).toMatchObject([{ text: expect.stringContaining('orders') }]);
    const query = 'SELECT id, total FROM orders WHERE id = 2';
    const judged = await client.callTool({ name: 'validate_query', arguments: { query } });
    expect(judged.structuredContent).toMatchObject({ valid: true, auto_approved: true });
    const { approval_token } = judged.structuredContent as { approval_token: string };
    const found = await client.callTool({ name: 'execute_query', arguments: { query, approval_token } });
    expect(found.structuredContent).toMatchObject({ data: [{ id: 2, total: 20 }] });
    const again = await client.callTool({ name: 'execute_query', arguments: { query, approval_token } });
    expect(again.isError).toBe(true);
  });

  it('learns the schema of every source through the tools of one server', async () => {
    const started = await shop();
    const { client } = await connect(started, await started.credential(), mode, 'queries');
    expect(client.getInstructions()).toMatch(/search_schema/);
    const found = await client.callTool({ name: 'search_schema', arguments: { words: 'total of an order' } });
    expect(found.structuredContent).toMatchObject({ matches: [{ name: 'orders', kind: 'table' }] });
    const told = await client.callTool({ name: 'describe', arguments: { names: ['orders'] } });
    expect(told.structuredContent).toMatchObject({
      described: [
        {
          members: [
            { name: 'id', marks: ['primary key'] },
            { name: 'total', type: 'integer' },
          ],
        },
      ],
    });
  });

  it('that gives a call up asks for the same query again, with the token that it has', async () => {
    const started = await shop();
    const { client } = await connect(started, await started.credential(), mode);
    const count =
      'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 2000000) SELECT max(x) AS n FROM c';
    const judged = await client.callTool({ name: 'validate_query', arguments: { query: count } });
    const { approval_token } = judged.structuredContent as { approval_token: string };
    const call = { name: 'execute_query', arguments: { query: count, approval_token } };
    const leaving = new AbortController();
    const first = client.callTool(call, { signal: leaving.signal });
    setTimeout(() => leaving.abort(), 50);
    await expect(first).rejects.toThrow();
    // The server hears of it a moment later.
    await vi.waitFor(
      async () =>
        expect((await client.callTool(call)).structuredContent).toMatchObject({ data: [{ n: 2_000_000 }] }),
      { timeout: 60_000 },
    );
    expect((await client.callTool(call)).structuredContent).toMatchObject({ error: 'AlreadyUsed' });
  });

  it('is somebody, and a token of another does not count for it', async () => {
    const started = await shop();
    const [ann, bob] = [await started.credential(), await started.credential({ user: 'bob' })];
    const query = 'SELECT id FROM orders';
    const { client } = await connect(started, ann, mode);
    const judged = await client.callTool({ name: 'validate_query', arguments: { query } });
    const { approval_token } = judged.structuredContent as { approval_token: string };
    const other = await connect(started, bob, mode);
    const found = await other.client.callTool({
      name: 'execute_query',
      arguments: { query, approval_token },
    });
    expect(found.structuredContent).toMatchObject({ error: 'UserMismatch' });
  });

  it.each([
    ['without a credential', { token: '' }],
    ['with one that approves', { scope: 'approve' as const }],
    ['with one that administers', { scope: 'admin' as const }],
  ])('is not let in %s', async (_, { token, scope }: { token?: string; scope?: 'approve' | 'admin' }) => {
    const started = await shop();
    const given = token ?? (await started.credential(scope === undefined ? {} : { scope }));
    await expect(connect(started, given, mode)).rejects.toThrow();
  });

  it('finds nothing where there is nothing', async () => {
    const started = await shop();
    const token = await started.credential();
    for (const path of ['query/other', 'query', 'query/shop/more']) {
      await expect(connect(started, token, mode, path)).rejects.toThrow();
    }
  });
});

describe('a request', () => {
  it('of another origin, too large or not plain JSON is refused', async () => {
    const started = await shop();
    const token = await started.credential();
    const send = (more: object) =>
      started.call('/mcp/query/shop', { token, method: 'POST', headers: accept, body: initialize, ...more });
    expect(await send({})).toMatchObject({ status: 200 });
    expect(await send({ headers: { ...accept, origin: 'https://evil.example' } })).toMatchObject({
      status: 403,
    });
    expect(await send({ headers: { ...accept, host: 'evil.example' } })).toMatchObject({ status: 403 });
    expect(await send({ raw: '{"jsonrpc":"2.0","jsonrpc":"2.0"}' })).toMatchObject({ status: 400 });
    expect(await send({ raw: 'x'.repeat(20_000_000) })).toMatchObject({ status: 413 });
    expect(await send({ headers: { 'content-type': 'text/plain' } })).toMatchObject({ status: 415 });
    expect(await send({ headers: { ...accept, 'x-sallyport-workspace': 'nowhere' } })).toMatchObject({
      status: 400,
    });
  });

  it('for another agent than the credential’s is refused', async () => {
    const started = await shop();
    const token = await started.credential({ agent: 'coder' });
    const headers = { ...accept, 'x-sallyport-agent': 'other' };
    expect(await started.call('/mcp/query/shop', { token, headers, body: initialize })).toMatchObject({
      status: 403,
    });
  });
});

describe('a session', () => {
  it('is its credential’s own, and of its path', async () => {
    const started = await shop();
    const [ann, bob] = [await started.credential(), await started.credential()];
    const { client, transport } = await connect(started, ann, 'legacy');
    const headers = { ...accept, 'mcp-session-id': transport.sessionId ?? '' };
    const ping = { jsonrpc: '2.0', id: 9, method: 'ping' };
    const send = (token: string, path: string) => started.call(path, { token, headers, body: ping });
    expect(await send(bob, '/mcp/query/shop')).toMatchObject({ status: 404 });
    expect(await send(ann, '/mcp/query/other')).toMatchObject({ status: 404 });
    await client.ping();
    await transport.terminateSession();
    expect(await send(ann, '/mcp/query/shop')).toMatchObject({ status: 404 });
  });

  it('begins with "initialize", and ends with the daemon', async () => {
    const started = await shop();
    const token = await started.credential();
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect(await started.call('/mcp/query/shop', { token, headers: accept, body })).toMatchObject({
      status: 400,
    });
    const { client } = await connect(started, token, 'legacy');
    await started.daemon.stop();
    await expect(client.ping()).rejects.toThrow();
  });

  it('that nobody uses is ended, and the oldest makes room', () => {
    let now = 0;
    const ended: string[] = [];
    const sessions = new Sessions(() => now);
    onTestFinished(() => sessions.close());
    const add = (id: string, credential = 'a') =>
      sessions.add(id, {
        credential,
        path: '',
        handle: async () => new Response(),
        close: async () => {
          ended.push(id);
        },
      });
    add('other', 'b');
    for (let number = 0; number < 33; number++) add(`${number}`);
    expect(ended).toEqual(['0']);
    expect(sessions.find('1', 'b', '')).toBeUndefined();
    expect(sessions.find('1', 'a', '')).toBeDefined();
    now += 29 * 60 * 1000;
    expect(sessions.find('other', 'b', '')).toBeDefined();
    now += 60 * 1000;
    sessions.sweep();
    expect(ended).toHaveLength(33);
    expect(sessions.find('other', 'b', '')).toBeDefined();
    const full = () => {
      for (let number = 0; number < 1100; number++) add(`x${number}`, `c${number}`);
    };
    expect(full).toThrow('too many clients are connected');
  });
});
