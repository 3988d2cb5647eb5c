// The CodeMode bridge through the official MCP client, over HTTP on a daemon and over standard input and output: tools are
// found, code is run, a person is asked, and the chain goes on.

import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { parse } from 'smol-toml';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig, prepareHome, unlockApprover } from '../../src/config/index.ts';
import type { serversFrom } from '../../src/config/servers.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { openBridge } from '../support/bridge.ts';
import { cliEntry } from '../support/bundle.ts';
import { cli, newPlace, type Place } from '../support/cli.ts';
import { sandboxMissing } from '../support/command.ts';
import { testDaemon } from '../support/daemon.ts';
import { context } from '../support/decide.ts';
import { only, serverProgram } from '../support/mcp.ts';
import { ownerOf } from '../support/person.ts';

const root = fileURLToPath(new URL('../../', import.meta.url)).replace(/\/$/, '');

const passphrase = 'correct horse battery staple';

/** Two programs with the same tools, of which one is there for one agent only. */
const configuration = ['one', 'two']
  .map(
    (name) => `
[servers.${name}]
command = ${JSON.stringify(process.execPath)}
args = [${JSON.stringify(serverProgram)}, "usual"]
tools = ["echo", "hang", "crash"]
`,
  )
  .join('')
  .concat('agents = ["coder"]\n', '[tools.echo]\nserver = "one"\neffect = "read"\n');

type Call = (given: Record<string, unknown>, name?: string) => Promise<Record<string, unknown>>;

function caller(client: Client): Call {
  return async (given, name = 'call_tool_chain') => {
    const { structuredContent, isError } = await client.callTool({ name, arguments: given });
    return { isError, ...(structuredContent as Record<string, unknown>) };
  };
}

const code = `
  const seen: unknown[] = [];
  for (const n of [1, 2, 3]) seen.push(await one.echo({ n }));
  return { seen };`;

/** Runs the chain until it ends, with a person's lasting yes to each question. */
async function runToEnd(call: Call, yes: (id: string) => Promise<void>) {
  let answer = await call({ code });
  for (let asked = 0; answer['status'] === 'waiting' && asked < 3; asked++) {
    const [approval] = answer['approvals'] as readonly { readonly id: string }[];
    await yes(approval?.id ?? '');
    answer = await call({ run: answer['run'] });
  }
  return answer;
}

async function expectBridge(client: Client, yes: (id: string) => Promise<void>) {
  const call = caller(client);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).toSorted()).toEqual([
    'call_tool_chain',
    'get_required_keys_for_tool',
    'list_tools',
    'search_tools',
    'tools_info',
  ]);
  expect(await call({}, 'list_tools')).toMatchObject({ tools: ['one.crash', 'one.echo', 'one.hang'] });
  expect(await call({ task_description: 'give something back' }, 'search_tools')).toMatchObject({
    tools: [{ name: 'one.echo', typescript_interface: expect.stringContaining('declare namespace one') }],
  });
  expect(await runToEnd(call, yes)).toMatchObject({
    isError: false,
    success: true,
    nonMcpContentResults: { seen: [{ n: 1 }, { n: 2 }, { n: 3 }] },
    calls: [{ tool: 'one.echo' }, { tool: 'one.echo' }, { tool: 'one.echo' }],
  });
  // A server that is not there for this agent, what is no tool, and a tool that never answers.
  expect(await call({ code: 'return await two.echo({})' })).toMatchObject({
    isError: true,
    status: 'blocked',
  });
  expect(await call({ code: "return require('fs')" })).toMatchObject({
    isError: true,
    error: 'Code-mode guardrail blocked execution: module import',
  });
  expect(await call({ run: 'another' })).toMatchObject({ isError: true, error_code: 'UnknownRun' });
}

describe.each(['auto', 'legacy'] as const)('over HTTP, a client of the kind %s', (mode) => {
  it('finds tools, runs code, and goes on once a person has said yes', async () => {
    const started = await testDaemon({ configuration, passphrase: true });
    const token = await started.credential();
    const session = await started.session();
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    const url = new URL(`http://127.0.0.1:${started.daemon.port}/mcp/code`);
    const headers = { authorization: `Bearer ${token}` };
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    onTestFinished(() => client.close());
    await expectBridge(client, async (id) => {
      const body = { answer: 'approve', permission: { reach: 'project', seconds: 3600 } };
      expect((await started.call(`/v1/approvals/${id}/answer`, { token: session, body })).status).toBe(200);
    });
  });
});

describe.each(['auto', 'legacy'] as const)('over HTTP, a client of the kind %s that can ask', (mode) => {
  it('shows the question, and the chain goes on in the same call', async () => {
    const started = await testDaemon({ configuration, passphrase: true });
    const [token, session] = [await started.credential(), await started.session()];
    const client = new Client(
      { name: 'test', version: '1' },
      { versionNegotiation: { mode }, capabilities: { elicitation: { form: {} } } },
    );
    const shown: string[] = [];
    client.setRequestHandler('elicitation/create', async ({ params: { message } }) => {
      shown.push(message);
      const [, id] = /sallyport approve ([\w-]+)/.exec(message) ?? [];
      const body = { answer: 'approve', permission: { reach: 'project', seconds: 3600 } };
      await started.call(`/v1/approvals/${id}/answer`, { token: session, body });
      return { action: 'accept', content: {} };
    });
    const url = new URL(`http://127.0.0.1:${started.daemon.port}/mcp/code`);
    const headers = { authorization: `Bearer ${token}` };
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    onTestFinished(() => client.close());
    expect(await caller(client)({ code })).toMatchObject({
      success: true,
      nonMcpContentResults: { seen: [{ n: 1 }, { n: 2 }, { n: 3 }] },
    });
    expect(shown).toEqual([expect.stringContaining('waits for approval at one.echo')]);
  });
});

async function stdioClient(place: Place): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [cliEntry(), 'mcp', 'code'],
    cwd: place.workspace,
    env: { PATH: process.env['PATH'] ?? '', HOME: place.home, SALLYPORT_HOME: place.home },
    stderr: 'inherit',
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

/** A person says yes, as `sallyport approve --grant` does. */
async function approve({ home }: Place, id: string): Promise<void> {
  const { ledger: options } = await loadConfig({ home, environment: {} });
  const ledger = await openLedger(home, options);
  const signer = await unlockApprover(home, passphrase);
  try {
    await ledger.approveForGood(
      id,
      'ann',
      signer,
      {},
      { reach: 'project', lifeMs: 3_600_000, uses: null },
      Date.now(),
    );
  } finally {
    signer.forget();
    await ledger.close();
  }
}

describe('over standard input and output', () => {
  it('is the same bridge', async () => {
    const place = newPlace();
    mkdirSync(place.home, { mode: 0o700 });
    prepareHome(place.home);
    writeFileSync(join(place.home, 'sallyport.toml'), configuration, { mode: 0o600 });
    await ownerOf(place, passphrase);
    await expectBridge(await stdioClient(place), (id) => approve(place, id));
  });
});

describe('doctor', () => {
  it('looks at every server, and says which bridge our sandbox does not hold', async () => {
    const place = newPlace();
    mkdirSync(place.home, { mode: 0o700 });
    prepareHome(place.home);
    const server = (name: string, behaviour: string) =>
      `[servers.${name}]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(serverProgram)}, "${behaviour}"]\n`;
    const file = server('one', 'usual') + server('utcp', 'bridge') + server('gone', 'exit');
    writeFileSync(join(place.home, 'sallyport.toml'), file, { mode: 0o600 });
    const { stdout, status } = await cli(place, ['doctor', '--json']);
    const { checks } = JSON.parse(stdout);
    expect(checks).toContainEqual({ name: 'one', state: 'ok', says: 'an MCP server with 4 tools' });
    expect(checks).toContainEqual({
      name: 'utcp',
      state: 'note',
      says: "The code runs in the process of the MCP server 'utcp', which Sallyport's sandbox does not isolate.",
    });
    expect(checks).toContainEqual({ name: 'gone', state: 'fail', says: expect.stringContaining('gone') });
    expect(status).toBe(1);
  });
});

/** The configuration without containers, as its page has it, with a server of the tests for the bridge. */
function heldTightly() {
  const page = readFileSync(join(root, 'docs/codemode.md'), 'utf8');
  const block = [...page.matchAll(/^```toml\n(.*?)^```$/gms)]
    .map(([, text = '']) => text)
    .find((text) => text.includes('bwrap'));
  const { servers } = parse(block ?? '') as unknown as { servers: Parameters<typeof serversFrom>[0] };
  const { utcp } = servers ?? {};
  if (utcp?.args === undefined) throw new Error('there is no such configuration on the page');
  const [node, modules] = [dirname(process.execPath), realpathSync(join(root, 'node_modules'))];
  const at = utcp.args.indexOf('--setenv');
  const binds = [node, modules].flatMap((folder) => ['--ro-bind', folder, folder]);
  const args = [...utcp.args.slice(0, at), ...binds, ...utcp.args.slice(at)].map(
    (word) =>
      ({ '/srv/bridge': root, '/usr/bin/node': process.execPath, 'index.js': serverProgram })[word] ?? word,
  );
  return only({ utcp: { ...utcp, args: [...args, 'env'], tools: ['echo'] } });
}

describe('a bridge that is not ours', () => {
  it.skipIf(sandboxMissing !== null)('runs as its page holds it: nothing of ours is there', async () => {
    const { upstreams, decider } = await openBridge({
      servers: { utcp: { tools: [], config: heldTightly() } },
    });
    const action = { kind: 'tool', server: 'utcp', tool: 'echo', arguments: {} } as const;
    const { cleared } = await decider.decide(action, context);
    if (cleared === null) throw new Error('not cleared');
    const { content } = await upstreams.call(cleared, { signal: AbortSignal.timeout(60_000) });
    const [said] = content as readonly { readonly text: string }[];
    const seen = Object.keys(JSON.parse(said?.text ?? '{}')).toSorted();
    expect(seen).toEqual(['PATH', 'PWD']);
  });
});
