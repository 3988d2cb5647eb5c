// The server of the bridge, by the official client: which tools it has, what it takes, and what it says when it fails.

import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openBridge, type TestServer, textResult } from '../../../tests/support/bridge.ts';
import { context } from '../../../tests/support/decide.ts';
import { person } from '../../../tests/support/ledger.ts';
import type { JsonObject } from '../../core/index.ts';
import type { Bridge } from '../../run/bridge/index.ts';
import { EngineMissing } from '../../run/code/index.ts';
import { createBridgeServer } from './bridge.ts';

const approvalUrl = (id: string) => `http://127.0.0.1:1/v1/approvals/${id}`;

async function connect(bridge: Bridge, capabilities: JsonObject = {}) {
  const server = await createBridgeServer({ bridge, context, version: '1', approvalUrl });
  const client = new Client({ name: 'test', version: '1' }, { capabilities });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  await client.connect(near);
  onTestFinished(() => client.close());
  return client;
}

const shop: TestServer = {
  tools: [
    {
      name: 'get-order',
      description: 'Gets an order by its number.',
      inputSchema: { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] },
    },
    { name: 'photo' },
    { name: 'refund' },
  ],
  call: (name, given) =>
    name === 'photo'
      ? { content: [{ type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' }] }
      : textResult(JSON.stringify({ name, ...given })),
};

/** A bridge that does nothing but what a test says. */
function bridgeOf(parts: Partial<Bridge>): Bridge {
  const refuse = async () => {
    throw new Error('at /srv/secret.ts');
  };
  return {
    search: refuse,
    list: refuse,
    info: refuse,
    keys: refuse,
    chain: refuse,
    close: async () => {},
    ...parts,
  };
}

async function call(client: Client, name: string, given: JsonObject) {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: { ...given } });
  return { content, isError, value: structuredContent as JsonObject };
}

describe('the tools', () => {
  it('are exactly five, and only one of them does anything', async () => {
    const client = await connect(bridgeOf({}));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'search_tools',
      'list_tools',
      'tools_info',
      'get_required_keys_for_tool',
      'call_tool_chain',
    ]);
    expect(tools.map(({ annotations }) => annotations?.readOnlyHint)).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
    expect(client.getInstructions()).toContain('search_tools');
    await expect(client.callTool({ name: 'register_manual', arguments: {} })).rejects.toThrow();
  });

  it('find, tell and run what the servers offer', async () => {
    const { bridge } = await openBridge({ servers: { shop } });
    const client = await connect(bridge);
    const found = await call(client, 'search_tools', { task_description: 'get an order', limit: 1 });
    expect(found.value).toEqual({
      tools: [
        {
          name: 'shop.get_order',
          server: 'shop',
          tool: 'get-order',
          description: 'Gets an order by its number.',
          typescript_interface: expect.stringContaining('function get_order(input: {'),
        },
      ],
    });
    expect(JSON.parse((found.content[0] as { text: string }).text)).toEqual(found.value);
    expect((await call(client, 'list_tools', {})).value).toEqual({
      tools: ['shop.get_order', 'shop.photo', 'shop.refund'],
    });
    expect((await call(client, 'list_tools', { server: 'gone' })).value).toEqual({ tools: [] });
    expect(
      (await call(client, 'tools_info', { tool_names: ['shop.photo', 'shop.gone'] })).value,
    ).toMatchObject({
      tools: [{ name: 'shop.photo' }],
      unknown: ['shop.gone'],
    });
    expect((await call(client, 'get_required_keys_for_tool', { tool_name: 'shop.get_order' })).value).toEqual(
      {
        name: 'shop.get_order',
        required_keys: ['id'],
        optional_keys: [],
      },
    );
    const code = 'return [await shop.get_order({ id: 7 }), await shop.photo()]';
    const ran = await call(client, 'call_tool_chain', { code, timeout: 30_000, max_output_size: 200_000 });
    expect(ran).toMatchObject({
      isError: false,
      content: [{ type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' }, { type: 'text' }],
      value: { success: true, nonMcpContentResults: [{ name: 'get-order', id: 7 }] },
    });
  });
});

describe('a call', () => {
  it.each([
    ['search_tools', {}],
    ['search_tools', { task_description: 'x', limit: 1000 }],
    ['search_tools', { task_description: 'x', agent: 'root' }],
    ['tools_info', { tool_names: 'shop.photo' }],
    ['get_required_keys_for_tool', {}],
    ['call_tool_chain', {}],
    ['call_tool_chain', { code: 'return 1', run: 'x' }],
    ['call_tool_chain', { code: 'return 1', user: 'root' }],
    ['call_tool_chain', { code: 'return 1', timeout: 0 }],
    ['call_tool_chain', { code: 'return 1', max_output_size: 3 }],
    ['call_tool_chain', { code: 7 }],
  ])('of %s is refused with %j', async (name, given) => {
    const asked: string[] = [];
    const take = (what: string) => async () => {
      asked.push(what);
      throw new Error('asked');
    };
    const client = await connect(
      bridgeOf({ search: take('search'), chain: take('chain'), info: take('info') }),
    );
    expect(await call(client, name, given)).toMatchObject({ isError: true });
    expect(asked).toEqual([]);
  });

  it.each([
    [
      new EngineMissing('no engine', { hint: 'install it' }),
      { error: 'no engine', error_code: 'EngineMissing', hint: 'install it' },
    ],
    [new Error('at /srv/secret.ts'), { error: 'the call could not be handled', error_code: 'InternalError' }],
  ])('that fails says no more than it may: %s', async (error, expected) => {
    const fail = async () => {
      throw error;
    };
    const client = await connect(bridgeOf({ search: fail, chain: fail }));
    const wanted = { isError: true, value: { success: false, ...expected } };
    expect(await call(client, 'search_tools', { task_description: 'x' })).toMatchObject(wanted);
    expect(await call(client, 'call_tool_chain', { code: 'return 1' })).toMatchObject(wanted);
  });

  it('of code that ends badly is an error to the client too', async () => {
    const { bridge } = await openBridge({ servers: { shop } });
    const client = await connect(bridge);
    for (const [given, expected] of [
      [{ code: 'throw new Error("no")' }, { status: 'error', error: expect.stringContaining('no') }],
      [{ code: 'return await fetch("https://example.com")' }, { status: 'blocked' }],
      [{ code: 'for (;;) await shop.photo()' }, { status: 'limit', error_code: 'tool_call_limit' }],
      [{ code: 'for (;;);', timeout: 200 }, { status: 'timeout' }],
    ] as const) {
      const value = { success: false, ...expected };
      expect(await call(client, 'call_tool_chain', given)).toMatchObject({ isError: true, value });
    }
  });
});

describe('a call that needs a person', () => {
  const setting = {
    servers: { shop },
    tools: { refund: { server: 'shop', effect: 'destructive' } },
  } as const;
  const given = { code: 'return await shop.refund({ id: 7 })' };

  it('is told to a client that cannot ask, which goes on with it later', async () => {
    const { bridge, ledger, calls } = await openBridge(setting);
    const client = await connect(bridge);
    const { isError, value } = await call(client, 'call_tool_chain', given);
    expect([isError, value]).toMatchObject([true, { status: 'waiting', run: expect.any(String) }]);
    const [asked] = value['approvals'] as readonly { readonly id: string }[];
    await ledger.approvals.answer(asked?.id ?? '', 'approve', 'olga', person, {}, Date.now());
    const run = String(value['run']);
    expect(await call(client, 'call_tool_chain', { run })).toMatchObject({
      isError: false,
      value: { success: true, nonMcpContentResults: { name: 'refund', id: 7 } },
    });
    expect(calls).toEqual(['shop.refund']);
    expect(await call(client, 'call_tool_chain', { run })).toMatchObject({
      isError: true,
      value: { error_code: 'RunTaken' },
    });
  });

  it.each([
    ['approve', { success: true, nonMcpContentResults: { name: 'refund', id: 7 } }],
    [null, { success: false, status: 'waiting' }],
  ] as const)(
    'is shown by a client that can ask, whose own yes counts for nothing: %s',
    async (said, expected) => {
      const { bridge, ledger } = await openBridge(setting);
      const { client, shown } = await asking(bridge, { form: {} }, async () => {
        const [pending] = await ledger.approvals.pending({}, Date.now());
        if (said !== null)
          await ledger.approvals.answer(pending?.id ?? '', said, 'olga', person, {}, Date.now());
      });
      expect((await call(client, 'call_tool_chain', given)).value).toMatchObject(expected);
      expect(shown).toMatchObject([{ message: expect.stringContaining('sallyport approve') }]);
    },
  );

  it('is shown once for each question, and by an address of ours where the client can', async () => {
    const { bridge, ledger, calls } = await openBridge(setting);
    const { client, shown } = await asking(bridge, { form: {}, url: {} }, async ({ url = '' }) => {
      const id = url.slice(url.lastIndexOf('/') + 1);
      await ledger.approvals.answer(id, 'approve', 'olga', person, {}, Date.now());
    });
    const code = `
      const both = await Promise.all([shop.refund({ id: 1 }), shop.refund({ id: 2 })]);
      return [...both, await shop.refund({ id: 3 })].map(({ id }) => id);`;
    const ran = await call(client, 'call_tool_chain', { code });
    expect(ran).toMatchObject({
      value: {
        success: true,
        nonMcpContentResults: [1, 2, 3],
      },
    });
    expect(shown).toHaveLength(3);
    expect(shown[0]).toMatchObject({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:1\/v1\/approvals\//),
    });
    expect(calls).toHaveLength(3);
  });
});

type Asked = { readonly message: string; readonly url?: string };

/** A client that can ask, and what it was asked to show. */
async function asking(bridge: Bridge, ways: JsonObject, onAsk: (asked: Asked) => Promise<void>) {
  const client = await connect(bridge, { elicitation: ways });
  const shown: Asked[] = [];
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    shown.push(params);
    await onAsk(params);
    return { action: 'accept', content: {} };
  });
  return { client, shown };
}
