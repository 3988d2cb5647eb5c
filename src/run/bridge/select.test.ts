// Which bridge is selected, and how a foreign one is treated.

import type { CallToolResult } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import {
  type BridgeSetting,
  openBridge,
  type TestServer,
  textResult,
} from '../../../tests/support/bridge.ts';
import { context } from '../../../tests/support/decide.ts';
import { type ChainAnswer, type ResolveOptions, resolveBridge, spokenOf } from './index.ts';

const plain: TestServer = { tools: [{ name: 'list_issues' }] };
const never = new AbortController().signal;

/** A foreign bridge, with a tool that would register further tools. */
function other(
  chain: CallToolResult = textResult('{"success":true,"nonMcpContentResults":{"city":"Rome"},"logs":["a"]}'),
) {
  const seen: unknown[] = [];
  const server: TestServer = {
    tools: ['search_tools', 'list_tools', 'register_manual', 'call_tool_chain'].map((name) => ({ name })),
    call: (name, given) => {
      seen.push([name, given]);
      const tools = [{ name: 'weather.get', description: 'd', typescript_interface: 't' }, { odd: 1 }, 'x'];
      return name === 'search_tools' ? textResult(JSON.stringify({ tools })) : chain;
    },
  };
  return { server, seen };
}

async function resolve(setting: BridgeSetting, asked: Partial<ResolveOptions> = {}) {
  const opened = await openBridge(setting);
  const found = resolveBridge({ ...opened, mcp: true, context, ...asked });
  return { ...opened, found };
}

const unresolved = {
  name: 'BridgeUnresolved',
  message: 'Code-mode strategy could not resolve an MCP server exposing call_tool_chain/search_tools.',
};

describe('the bridge of a run', () => {
  it.each<[string, BridgeSetting['servers'], string | undefined, string]>([
    ['our own, where there are servers', { github: plain }, undefined, 'sallyport'],
    ['the only other one, where there is nothing else', { utcp: other().server }, undefined, 'utcp'],
    ['the one that is named', { utcp: other().server, github: plain }, 'utcp', 'utcp'],
    ['our own, where that is named', { utcp: other().server, github: plain }, 'sallyport', 'sallyport'],
  ])('is %s', async (_, servers, server, expected) => {
    const { found } = await resolve({ servers }, server === undefined ? {} : { server });
    expect(await found).toMatchObject({ server: expected });
  });

  it('is nobody’s without MCP', async () => {
    const { found } = await resolve({ servers: { github: plain } }, { mcp: false });
    await expect(found).rejects.toMatchObject({
      name: 'BridgeUnresolved',
      message: 'Code-mode strategy requires mcp=on.',
    });
  });

  it('is not guessed among several', async () => {
    const two = await resolve({ servers: { a: other().server, b: other().server } });
    await expect(two.found).rejects.toMatchObject({
      name: 'BridgeUnresolved',
      message: `${unresolved.message} Several do: name one with mcp_server=NAME (a, b).`,
    });
    const mixed = await resolve({ servers: { a: other().server, github: plain } });
    await expect(mixed.found).rejects.toMatchObject({
      name: 'BridgeUnresolved',
      message: `${unresolved.message} Several do: name one with mcp_server=NAME (sallyport, a).`,
    });
  });

  it('is none where there is no server, or not the one that is named, or not for this agent', async () => {
    await expect((await resolve({ servers: {} })).found).rejects.toMatchObject(unresolved);
    await expect(
      (await resolve({ servers: { github: plain } }, { server: 'gone' })).found,
    ).rejects.toMatchObject({
      ...unresolved,
      hint: 'there is no MCP server "gone"',
    });
    const closed = { ...other().server, config: { agents: ['reviewer'] } };
    await expect((await resolve({ servers: { a: closed } })).found).rejects.toMatchObject(unresolved);
    await expect((await resolve({ servers: { a: closed } }, { server: 'a' })).found).rejects.toMatchObject(
      unresolved,
    );
  });

  it.each([
    [['list_issues'], 'search_tools and call_tool_chain'],
    [['search_tools'], 'call_tool_chain'],
    [['call_tool_chain'], 'search_tools'],
  ])('needs both of its tools: %j', async (names, missing) => {
    const server = { tools: names.map((name) => ({ name })) };
    const { found } = await resolve({ servers: { a: server } }, { server: 'a' });
    await expect(found).rejects.toMatchObject({
      name: 'BridgeUnresolved',
      message: `Code-mode MCP server 'a' is missing required tools: ${missing}.`,
    });
  });
});

describe('our own bridge', () => {
  it('finds tools and runs code in the sandbox, with nothing to be warned of', async () => {
    const { found, calls } = await resolve({ servers: { github: plain } });
    const bridge = await found;
    expect(bridge.boundary).toBeNull();
    expect(await bridge.search('list the issues', 10, never)).toMatchObject([{ name: 'github.list_issues' }]);
    expect(await bridge.chain({ code: 'return await github.list_issues({ a: 1 })' }, never)).toMatchObject({
      success: true,
      nonMcpContentResults: { a: 1 },
    });
    expect(calls).toEqual(['github.list_issues']);
  });
});

describe('a bridge of somebody else', () => {
  const boundary =
    "The code runs in the process of the MCP server 'utcp', which Sallyport's sandbox does not isolate.";

  it('is used with that said, for the code as it was judged, and by no other of its tools', async () => {
    const { server, seen } = other();
    const bridge = await (await resolve({ servers: { utcp: server } })).found;
    expect(bridge.boundary).toBe(boundary);
    expect(await bridge.search('the weather', 10, never)).toEqual([
      { name: 'weather.get', description: 'd', typescript_interface: 't' },
    ]);
    const code = 'const city: string = "Rome"; return await weather.get({ city })';
    expect(await bridge.chain({ code, timeout: 10 ** 9 }, never)).toEqual({
      success: true,
      status: 'ok',
      nonMcpContentResults: { city: 'Rome' },
      logs: ['a'],
      calls: [],
    });
    const stripped = expect.not.stringContaining(': string');
    expect(seen).toEqual([
      ['search_tools', { task_description: 'the weather', limit: 10 }],
      ['call_tool_chain', { code: stripped, timeout: 30_000, max_output_size: 200_000 }],
    ]);
  });

  it.each([
    ["return await fetch('https://example.com')", 'network api'],
    ['return await utcp.register_manual({})', 'neither the code nor the language nor a tool has this name'],
    ['return await weather.other({})', 'the code may not call this tool'],
  ])('is not handed code that is refused: %s', async (code, reason) => {
    const { server, seen } = other();
    const bridge = await (await resolve({ servers: { utcp: server } })).found;
    await bridge.search('the weather', 10, never);
    const error = `Code-mode guardrail blocked execution: ${reason}`;
    expect(await bridge.chain({ code }, never)).toMatchObject({
      success: false,
      error,
      error_code: 'blocked',
    });
    expect(seen).toHaveLength(1);
  });

  it('is called by the one path', async () => {
    const { server, seen } = other();
    const tools = {
      search_tools: { server: 'utcp', effect: 'read' },
      call_tool_chain: { server: 'utcp', effect: 'destructive' },
    };
    const bridge = await (await resolve({ servers: { utcp: server }, tools })).found;
    await bridge.search('the weather', 10, never);
    expect(await bridge.chain({ code: 'return 1' }, never)).toMatchObject({
      success: false,
      status: 'waiting',
      error_code: 'needs_approval',
      approvals: [{ how: expect.stringContaining('sallyport approve') }],
    });
    expect(seen).toHaveLength(1);
    const unknown = await (await resolve({ servers: { utcp: server }, tools: {} })).found;
    await expect(unknown.search('the weather', 10, never)).rejects.toThrow();
    expect(await unknown.chain({ code: 'return 1' }, never)).toMatchObject({ error_code: 'blocked' });
    expect(seen).toHaveLength(1);
  });

  it.each<[string, CallToolResult, object]>([
    ['a failure', textResult('{"success":false,"error":"no"}'), { success: false, error: 'no' }],
    ['an error', { ...textResult('it broke'), isError: true }, { success: false, error: 'it broke' }],
    [
      'a success that is an error',
      { ...textResult('{"success":true,"nonMcpContentResults":1}'), isError: true },
      { success: false },
    ],
    [
      'a success with an error',
      textResult('{"success":true,"error":{"a":1}}'),
      { success: false, error: '{"a":1}' },
    ],
    ['a text', textResult('just text'), { success: true, nonMcpContentResults: 'just text' }],
    ['a text that was cut', textResult('{"success":true,"non...'), { success: true }],
    [
      'an image beside it',
      {
        content: [
          { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' },
          { type: 'text', text: '{"success":false,"error":"late"}' },
        ],
      },
      { success: false, error: 'late' },
    ],
  ])('is taken at its worst word: %s', async (_, result, expected) => {
    const { server } = other(result);
    const bridge = await (await resolve({ servers: { utcp: server } })).found;
    expect(await bridge.chain({ code: 'return 1' }, never)).toMatchObject(expected);
  });

  it('that does not end is not waited for, and one that is given up neither', async () => {
    const { server } = other();
    const slow = { ...server, call: () => new Promise<CallToolResult>(() => {}) };
    const bridge = await (await resolve({ servers: { utcp: slow } })).found;
    expect(await bridge.chain({ code: 'return 1', timeout: 100 }, never)).toMatchObject({
      success: false,
      status: 'timeout',
      error: 'the code took longer than 100 ms',
    });
    expect(await bridge.chain({ code: 'return 1' }, AbortSignal.timeout(500))).toMatchObject({
      success: false,
      status: 'aborted',
    });
  });

  it('hands no secret on, and no more than was asked for', async () => {
    // sallyport:allow (a key that nobody has)
    const secret = `AKIA${'Z7XQ2MLKJ4W3N5VB'}`;
    const { server } = other(
      textResult(JSON.stringify({ success: true, nonMcpContentResults: [secret, 'x'.repeat(9000)] })),
    );
    const bridge = await (await resolve({ servers: { utcp: server } })).found;
    const answer = await bridge.chain({ code: 'return 1', maxOutputSize: 1000 }, never);
    expect(answer).toMatchObject({ success: true, truncated: true });
    expect(JSON.stringify(answer)).not.toContain('AKIA');
    expect(JSON.stringify(answer).length).toBeLessThanOrEqual(1000);
  });
});

describe('what came of a chain in one text', () => {
  const answer = { success: true, status: 'ok', nonMcpContentResults: null, logs: [], calls: [] } as const;
  it.each<[ChainAnswer, string]>([
    [{ ...answer, nonMcpContentResults: { a: 1 } }, '{"a":1}'],
    [answer, 'Code-mode execution completed with empty output.'],
    [
      { ...answer, success: false, status: 'error', error: 'no luck', error_code: 'Error' },
      'Code-mode execution failed: no luck',
    ],
    [
      {
        ...answer,
        success: false,
        status: 'blocked',
        error: 'Code-mode guardrail blocked execution: network api',
        error_code: 'blocked',
      },
      'Code-mode guardrail blocked execution: network api',
    ],
  ])('%j', (given, expected) => {
    expect(spokenOf(given)).toBe(expected);
  });
});
