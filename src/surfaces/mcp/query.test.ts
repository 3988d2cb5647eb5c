// The server of a source, apart from what stands behind it: what a client is told when something fails, and who asks.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { context } from '../../../tests/support/decide.ts';
import { settingsFrom } from '../../config/index.ts';
import type { JsonObject } from '../../core/index.ts';
import { realWorld } from '../../decide/index.ts';
import { TokenError } from '../../ledger/query-token.ts';
import type { QueryResult } from '../../run/query/index.ts';
import { QueryFailed, type QueryPipeline, QueryTimedOut } from '../../run/query/index.ts';
import { createQueryServer } from './query.ts';

const answer = {
  valid: true,
  explanation: 'Reads nothing.',
  risk_level: 'LOW',
  approval_token: 'token',
  action: 'read',
  auto_approved: true,
  warnings: [],
  violations: [],
  validated_code_hash: '',
  metadata: { is_read_only: true, accessed_types: [], accessed_fields: [], validation_time_ms: 1 },
} as const;

async function connect(
  pipeline: Partial<QueryPipeline>,
  {
    source = {},
    others = {},
    capabilities = {},
    onAsk,
  }: {
    source?: JsonObject;
    others?: JsonObject;
    capabilities?: JsonObject;
    onAsk?: (asked: unknown) => void;
  } = {},
) {
  const { sources } = settingsFrom({}, { sources: { shop: { kind: 'sqlite', ...source }, ...others } });
  const refuse = async () => {
    throw new Error('not asked for');
  };
  const server = await createQueryServer({
    sources,
    only: sources.length === 1 ? 'shop' : null,
    pipeline: { validate: refuse, execute: refuse, nextPage: refuse, ...pipeline },
    world: realWorld(),
    context,
    version: '1',
  });
  const client = new Client({ name: 'test', version: '1' }, { capabilities });
  if (onAsk !== undefined) {
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      onAsk(params);
      return { action: 'accept', ...(params.mode === 'url' ? {} : { content: {} }) };
    });
  }
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  await client.connect(near);
  onTestFinished(() => client.close());
  return client;
}

const run = { name: 'execute_query', arguments: { query: 'SELECT 1', approval_token: 'x' } };

describe('a failure', () => {
  it.each([
    ['a token', new TokenError('UserMismatch', 'Somebody else’s.'), 'UserMismatch', 'Somebody else’s.'],
    ['a database', new QueryFailed('no such table'), 'QueryFailed', 'no such table'],
    ['time', new QueryTimedOut('too long'), 'QueryTimedOut', 'too long'],
    ['a fault of ours', new Error('at /srv/secret.ts'), 'InternalError', 'the query could not be handled'],
  ])('of %s is told by its name', async (_, error, name, message) => {
    const fail = async () => {
      throw error;
    };
    const client = await connect({ execute: fail, validate: fail });
    const expected = { isError: true, structuredContent: { error: name, message } };
    expect(await client.callTool(run)).toMatchObject(expected);
    expect(await client.callTool({ name: 'validate_query', arguments: { query: 'x' } })).toMatchObject(
      expected,
    );
  });

  it('of the schema shows nothing', async () => {
    const client = await connect({}, { source: { schema: '/nowhere/schema.sql' } });
    await expect(client.readResource({ uri: 'sql://schema' })).rejects.toThrow();
    await expect(client.getPrompt({ name: 'start_code_mode' })).rejects.toThrow();
  });
});

function page(more: Partial<QueryResult> = {}): QueryResult {
  return { data: [], rows: 0, truncated: false, warnings: [], redactions: {}, ...more };
}

describe('a call', () => {
  it('reads on by the handle of the page before, and sends a long page once', async () => {
    const seen: unknown[] = [];
    const client = await connect({
      nextPage: async (...given) => {
        seen.push(...given);
        return page({ data: 'x'.repeat(200_000), next_page: 'abc.2' });
      },
    });
    const answer = await client.callTool({
      name: 'execute_query',
      arguments: { query: 'SELECT 1', approval_token: 't', page: 'abc.1' },
    });
    expect(seen).toEqual([{ target: 'shop', text: 'SELECT 1', variables: {} }, 't', 'abc.1', context]);
    expect(answer.structuredContent).toBeUndefined();
    expect(JSON.stringify(answer).length).toBeLessThan(262_144);
    expect(JSON.stringify(answer)).toContain('abc.2');
  });

  it('is made for the session’s own user, with the variables as they are given', async () => {
    const seen: unknown[] = [];
    const client = await connect({
      execute: async (...given) => {
        seen.push(...given.slice(0, 3));
        return page();
      },
    });
    const given = { ...run.arguments, variables: { user: 'root' } };
    expect(await client.callTool({ ...run, arguments: given })).toMatchObject({ isError: false });
    expect(seen).toEqual([{ target: 'shop', text: 'SELECT 1', variables: { user: 'root' } }, 'x', context]);
  });

  it.each([
    ['without a token', { query: 'SELECT 1' }],
    ['with a user', { ...run.arguments, user: 'root' }],
    ['with another source', { ...run.arguments, target: 'other' }],
    ['without a query', { approval_token: 'x' }],
  ])('is refused %s', async (_, given) => {
    const client = await connect({});
    expect(await client.callTool({ ...run, arguments: given })).toMatchObject({ isError: true });
  });

  it('hands a dry run on, and asks nobody for what needs nobody', async () => {
    const seen: unknown[] = [];
    const client = await connect({
      validate: async (_, __, options) => {
        seen.push(options);
        return answer;
      },
    });
    await client.callTool({ name: 'validate_query', arguments: { query: 'x', dry_run: true } });
    await client.callTool({ name: 'validate_query', arguments: { query: 'x' } });
    expect(seen).toEqual([{ dryRun: true }, { dryRun: false }]);
  });
});

describe('a question for a person', () => {
  const approval = {
    id: 'x',
    url: 'http://127.0.0.1:1/console/#/approvals/x',
    how: 'sallyport approve x',
    expires_at: '',
  };
  const call = { name: 'validate_query', arguments: { query: 'x' } };

  /** A query that waits, until the client was asked. */
  async function ask(elicitation: JsonObject | null, url: string | null = approval.url) {
    const asked: unknown[] = [];
    let said = false;
    const pending = { ...answer, auto_approved: false, approval_token: null, approval: { ...approval, url } };
    const client = await connect(
      { validate: async () => (said ? { ...answer, auto_approved: false } : pending) },
      {
        capabilities: elicitation === null ? {} : { elicitation },
        ...(elicitation === null
          ? {}
          : {
              onAsk: (params) => {
                said = true;
                asked.push(params);
              },
            }),
      },
    );
    const { structuredContent, isError } = await client.callTool(call);
    return { asked, structuredContent, isError };
  }

  it.each([
    ['by a page where the client opens one', { url: {} }, approval.url, { mode: 'url', url: approval.url }],
    ['by a page rather than by a form', { url: {}, form: {} }, approval.url, { mode: 'url' }],
    [
      'by a form where there is no page',
      { url: {}, form: {} },
      null,
      { message: expect.stringContaining('sallyport approve x') },
    ],
    ['by a form', { form: {} }, approval.url, { message: expect.stringContaining('sallyport approve x') }],
    [
      'by a form of a client that does not say how',
      {},
      approval.url,
      { message: expect.stringContaining('Risk: LOW') },
    ],
  ])('is put %s', async (_, elicitation, url, expected) => {
    const { asked, structuredContent } = await ask(elicitation, url);
    expect(asked).toMatchObject([expected]);
    expect(structuredContent).toMatchObject({ valid: true, approval_token: 'token' });
  });

  it.each([
    ['cannot ask at all', null, approval.url],
    ['opens pages alone, and there is none', { url: {} }, null],
  ])('stays open, without a token, where a client %s', async (_, elicitation, url) => {
    const { asked, structuredContent, isError } = await ask(elicitation, url);
    expect(asked).toEqual([]);
    expect([isError, structuredContent]).toMatchObject([
      false,
      { valid: true, approval_token: null, approval: { id: 'x', how: 'sallyport approve x' } },
    ]);
  });
});

describe('a tool', () => {
  it.each([
    [{}, true],
    [{ code_mode: { sql_allow_writes: true } }, false],
    [{ code_mode: { sql_allow_ddl: true } }, false],
    [{ kind: 'graphql', schema: '/s', code_mode: { allow_mutations: true } }, false],
    [{ kind: 'rest', schema: '/s', code_mode: { openapi_allowed_writes: ['a'] } }, false],
  ])('is called read-only only where nothing can be changed: %j', async (source, readOnlyHint) => {
    const { tools } = await (await connect({}, { source })).listTools();
    expect(tools.find(({ name }) => name === 'execute_query')?.annotations).toMatchObject({ readOnlyHint });
  });
});

describe('the schema', () => {
  const schema = (...parts: readonly string[]) => {
    const path = join(mkdtempSync(join(tmpdir(), 'sallyport-query-')), 'schema.sql');
    writeFileSync(path, parts.join('\n'));
    onTestFinished(() => rmSync(dirname(path), { recursive: true }));
    return path;
  };
  const tables =
    'CREATE TABLE orders (id int PRIMARY KEY, placed date, ssn text); CREATE TABLE secrets (a int);';
  const blocked = { sql_blocked_columns: ['ssn'], sql_blocked_tables: ['secrets'] };

  it('is searched and described by tools, without what is blocked', async () => {
    const client = await connect({}, { source: { schema: schema(tables), code_mode: blocked } });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'validate_query',
      'execute_query',
      'search_schema',
      'describe',
    ]);
    const search = { name: 'search_schema', arguments: { words: 'order dates placed' } };
    expect((await client.callTool(search)).structuredContent).toEqual({
      source: 'shop',
      matches: [{ name: 'orders', kind: 'table', members: ['placed: date'] }],
      found: 1,
    });
    const describeThem = { name: 'describe', arguments: { names: ['Order', 'secrets', 'ordres'] } };
    const { structuredContent } = await client.callTool(describeThem);
    expect(structuredContent).toEqual({
      source: 'shop',
      described: [
        {
          name: 'orders',
          kind: 'table',
          members: [
            { name: 'id', type: 'int', marks: ['primary key'] },
            { name: 'placed', type: 'date' },
          ],
          example: 'SELECT id, placed FROM orders LIMIT 10',
        },
      ],
      not_found: [
        { name: 'secrets', did_you_mean: [] },
        { name: 'ordres', did_you_mean: ['orders'] },
      ],
    });
    expect(client.getInstructions()).toMatch(/search_schema.*describe/s);
  });

  it('is read from a database where there is no file', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'sallyport-query-')), 'shop.db');
    onTestFinished(() => rmSync(dirname(file), { recursive: true }));
    const database = new DatabaseSync(file);
    database.exec('CREATE TABLE orders (id INTEGER PRIMARY KEY)');
    database.close();
    const client = await connect({}, { source: { url: file } });
    const { structuredContent } = await client.callTool({ name: 'search_schema', arguments: { words: '' } });
    expect(structuredContent).toMatchObject({ matches: [{ name: 'orders' }] });
  });

  it('that is too large is an index with links, each of which can be read', async () => {
    const many = Array.from({ length: 3000 }, (_, at) => {
      const columns = Array.from({ length: 8 }, (__, column) => `some_long_column_name_${column} text`);
      return `CREATE TABLE table_${at} (${columns.join(', ')});`;
    });
    const client = await connect({}, { source: { schema: schema(...many) } });
    const { contents } = await client.readResource({ uri: 'sql://schema' });
    const text = String((contents[0] as { text?: string }).text);
    expect(text.length).toBeLessThanOrEqual(262_144);
    const link = /sql:\/\/schema\/table_2999/.exec(text)?.[0] ?? '';
    const part = await client.readResource({ uri: link });
    expect(part.contents[0]).toMatchObject({ text: expect.stringContaining('some_long_column_name_7') });
    await expect(client.readResource({ uri: 'sql://schema/nothing' })).rejects.toThrow();
  });

  it('of an answer to a model is no longer than a resource may be', async () => {
    const columns = Array.from({ length: 3000 }, (_, at) => `c${at} text`).join(', ');
    const client = await connect({}, { source: { schema: schema(`CREATE TABLE wide (${columns})`) } });
    const { content } = await client.callTool({ name: 'describe', arguments: { names: ['wide'] } });
    expect(JSON.stringify(content)).toMatch(/more_members/);
    expect(JSON.stringify(content).length).toBeLessThan(262_144);
  });
});

describe('several sources', () => {
  const others = { api: { kind: 'sqlite' }, gone: { kind: 'sqlite', code_mode: { enabled: false } } };

  it('are served by one server, and each call names one', async () => {
    const seen: unknown[] = [];
    const client = await connect(
      {
        validate: async ({ target }) => {
          seen.push(target);
          return answer;
        },
      },
      { others },
    );
    const { tools } = await client.listTools();
    for (const { inputSchema } of tools) {
      expect(inputSchema).toMatchObject({
        properties: { source: { enum: ['shop', 'api'] } },
        required: expect.arrayContaining(['source']),
      });
    }
    const call = (given: JsonObject) =>
      client.callTool({ name: 'validate_query', arguments: { query: 'SELECT 1', ...given } });
    expect(await call({ source: 'api' })).toMatchObject({ isError: false });
    expect(await call({})).toMatchObject({ isError: true });
    expect(await call({ source: 'gone' })).toMatchObject({ isError: true });
    expect(seen).toEqual(['api']);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(['sql://shop/schema', 'sql://api/schema']);
    expect(tools[0]?.description).toMatch(/shop \(SQL of SQLite.*api \(SQL of SQLite/);
    expect(client.getInstructions()).toMatch(/several sources/);
  });
});
