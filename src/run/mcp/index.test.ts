// Upstream servers in practice: real programs and a real HTTP server, with their misbehaviour contained.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { context, testDecider } from '../../../tests/support/decide.ts';
import { openEnrolledLedger, temporaryFolder } from '../../../tests/support/ledger.ts';
import { httpServer, only, plainServer, programServer } from '../../../tests/support/mcp.ts';
import { heardTelemetry } from '../../../tests/support/telemetry.ts';
import { configOf, settingsFrom, type UpstreamServer } from '../../config/index.ts';
import type { ActionOf, JsonObject, World } from '../../core/index.ts';
import { type Cleared, createDecider, realWorld } from '../../decide/index.ts';
import { openUpstreams } from './index.ts';

const never = new AbortController().signal;

const upstreams = (...servers: UpstreamServer[]) => upstreamsIn(realWorld(), ...servers);

async function upstreamsIn(world: World, ...servers: UpstreamServer[]) {
  const ledger = await openEnrolledLedger();
  const problems: string[] = [];
  const environment = { PATH: process.env['PATH'], HOME: '/', SECRET: 'ours' };
  const opened = openUpstreams({
    servers,
    decider: testDecider({ ledger, world }),
    ledger,
    world,
    owner: { user: 'ann', tenant: 'acme' },
    environment,
    version: '0',
    onProblem: (server, problem) => problems.push(`${server}: ${problem}`),
  });
  onTestFinished(() => opened.close());
  return { opened, problems };
}

/** A call that the request path has cleared: the registry here knows every tool as one that only reads. */
async function cleared(server: string, tool: string, given: JsonObject = {}): Promise<Cleared<'tool'>> {
  const settings = settingsFrom({}, { tools: { '*': { server, effect: 'read' } } });
  const { decide } = createDecider({
    config: configOf(() => settings),
    ledger: await openEnrolledLedger(),
    world: realWorld(),
  });
  const action: ActionOf<'tool'> = { kind: 'tool', tool, server, arguments: given };
  const { cleared: found, verdict } = await decide(action, context);
  if (found === null) throw new Error(verdict.explanation);
  return found;
}

const text = (value: unknown) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });

async function call(
  opened: Awaited<ReturnType<typeof upstreams>>['opened'],
  server: string,
  tool: string,
  given: JsonObject = {},
  signal = never,
) {
  return await opened.call(await cleared(server, tool, given), { signal });
}

/** An exited process may stay listed until its status is read. */
function isRunning(pid: string): boolean {
  const file = `/proc/${pid}/stat`;
  return existsSync(file) && !/\) Z/.test(readFileSync(file, 'utf8'));
}

describe('a program', () => {
  it('lists its tools and is handed a cleared call, once', async () => {
    const { opened } = await upstreams(programServer('usual'));
    expect(await opened.tools()).toContainEqual({
      server: 'usual',
      name: 'echo',
      description: 'Gives back what it is given.',
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: true },
    });
    const action = await cleared('usual', 'echo', { a: 1 });
    expect(await opened.call(action, { signal: never })).toMatchObject(text({ a: 1 }));
    await expect(opened.call(action, { signal: never })).rejects.toMatchObject({ name: 'NotCleared' });
  });

  it('has the environment that it was given, and next to nothing of ours', async () => {
    const { opened } = await upstreams(programServer('env', { env: { TOKEN: 'theirs' } }));
    const result = await call(opened, 'env', 'echo');
    const [block] = result.content;
    const found = JSON.parse(block?.type === 'text' ? block.text : '{}') as Record<string, string>;
    expect(Object.keys(found).sort()).toEqual(['HOME', 'PATH', 'TOKEN']);
  });

  it('that prints other things is understood', async () => {
    const { opened } = await upstreams(programServer('garbage'));
    expect(await call(opened, 'garbage', 'echo', { b: 2 })).toMatchObject(text({ b: 2 }));
  });

  it('that ends when it is asked what it speaks is spoken to in the older way', async () => {
    const { opened } = await upstreams(programServer('old'));
    expect(await call(opened, 'old', 'echo', { c: 3 })).toMatchObject(text({ c: 3 }));
  });

  it('that is killed in a call gives a clean error, and comes back', async () => {
    const { opened } = await upstreams(programServer('usual'));
    await expect(call(opened, 'usual', 'crash')).rejects.toMatchObject({
      name: 'UpstreamGone',
      message: 'the MCP server "usual": the program has ended',
    });
    expect(await call(opened, 'usual', 'echo', { d: 4 })).toMatchObject(text({ d: 4 }));
  });

  it('that dies again and again is left alone for a while', async () => {
    const { opened } = await upstreams(programServer('exit'));
    const gone = { name: 'UpstreamGone' };
    await expect(opened.tools('exit')).rejects.toMatchObject({
      ...gone,
      message: 'the MCP server "exit": the program has ended; it said: there is no \\u{1b}[31mtoken',
    });
    await expect(opened.tools('exit')).rejects.toMatchObject(gone);
    await expect(opened.tools('exit')).rejects.toMatchObject({
      ...gone,
      message: expect.stringMatching(/failed 2 times and is tried again in 1 s/),
    });
  });

  it('that is not there is an error', async () => {
    const server = only({ none: { command: '/nowhere/program' } });
    const { opened } = await upstreams(server);
    await expect(opened.tools('none')).rejects.toThrow('could not be started (ENOENT)');
  });

  it('that says nothing is given up after its time', async () => {
    const { opened } = await upstreams(programServer('silent', { start_timeout_seconds: 1 }));
    await expect(opened.tools('silent')).rejects.toMatchObject({ name: 'UpstreamTimedOut' });
  });

  it('that does not answer a call is given up after its time, and when the caller gives up', async () => {
    const { opened } = await upstreams(programServer('usual', { call_timeout_seconds: 1 }));
    await opened.tools();
    await expect(call(opened, 'usual', 'hang')).rejects.toMatchObject({ name: 'UpstreamTimedOut' });
    await expect(call(opened, 'usual', 'hang', {}, AbortSignal.timeout(100))).rejects.toMatchObject({
      name: 'UpstreamAborted',
    });
    expect(await call(opened, 'usual', 'echo')).toMatchObject(text({}));
  });

  it.each(['flood', 'endless-line'])('that floods us is ended: %s', async (behaviour) => {
    const { opened } = await upstreams(programServer(behaviour));
    await expect(opened.tools(behaviour)).rejects.toMatchObject({
      name: 'UpstreamFailed',
      message: expect.stringContaining('the program was ended: it sent'),
    });
  });

  it('that floods us in a call is ended', async () => {
    const { opened } = await upstreams(programServer('gush'));
    await expect(call(opened, 'gush', 'echo')).rejects.toThrow('more than anybody asked for');
  });

  it('is ended with all that it started', async () => {
    const file = join(temporaryFolder(), 'pids');
    const server = programServer('family');
    const { place } = server;
    if (place.kind !== 'stdio') throw new Error('a program');
    const { opened } = await upstreams({ ...server, place: { ...place, args: [...place.args, file] } });
    await opened.tools();
    const pids = readFileSync(file, 'utf8').split(' ');
    expect(pids.filter(isRunning)).toEqual(pids);
    await opened.close();
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
    await expect(opened.tools('family')).rejects.toMatchObject({ name: 'UpstreamGone' });
  });

  it('that was killed is started again by the next list, and by the call after one that failed', async () => {
    const file = join(temporaryFolder(), 'pids');
    const server = programServer('family');
    const { place } = server;
    if (place.kind !== 'stdio') throw new Error('a program');
    const { opened } = await upstreams({ ...server, place: { ...place, args: [...place.args, file] } });
    const kill = () => process.kill(Number(readFileSync(file, 'utf8').split(' ')[0]), 'SIGKILL');
    const before = await opened.tools('family');
    kill();
    expect(await opened.tools('family', { fresh: true })).toEqual(before);
    kill();
    await call(opened, 'family', 'echo').catch(() => undefined);
    expect(await call(opened, 'family', 'echo')).toMatchObject(text({}));
  });

  it('that asks somebody who is not there is told no, and that asks for a model has it refused', async () => {
    const { opened } = await upstreams(programServer('usual'));
    expect(await call(opened, 'usual', 'ask')).toMatchObject(text({ action: 'decline' }));
    await expect(call(opened, 'usual', 'ask', { sample: true })).rejects.toMatchObject({
      name: 'UpstreamFailed',
      message: expect.stringContaining('sampling'),
    });
  });

  it('has the time of a person’s answer not counted as its own', async () => {
    const slow = programServer('usual', { call_timeout_seconds: 1 });
    const { opened } = await upstreams(slow);
    await opened.tools();
    const ask = () =>
      new Promise<{ action: 'cancel' }>((resolve) => setTimeout(() => resolve({ action: 'cancel' }), 1500));
    const action = await cleared('usual', 'ask');
    expect(await opened.call(action, { signal: never, ask })).toMatchObject(text({ action: 'cancel' }));
    await expect(call(opened, 'usual', 'hang')).rejects.toMatchObject({ name: 'UpstreamTimedOut' });
  });

  it('that asks in the course of two calls at once is not told the answer of either', async () => {
    const { opened } = await upstreams(programServer('usual'));
    await opened.tools();
    let answer = (_: { action: 'accept' }): void => {};
    const first = opened.call(await cleared('usual', 'ask'), {
      signal: never,
      ask: () => new Promise((resolve) => (answer = resolve)),
    });
    const other = cleared('usual', 'ask', { message: 'Another?' });
    const second = opened.call(await other, { signal: never, ask: async () => ({ action: 'accept' }) });
    expect(await second).toMatchObject(text({ action: 'decline' }));
    answer({ action: 'accept' });
    expect(await first).toMatchObject(text({ action: 'accept' }));
  });
});

describe('a list', () => {
  it('leaves a name that stands there twice out, and tells of it', async () => {
    const { opened, problems } = await upstreams(programServer('twice'));
    expect((await opened.tools()).map(({ name }) => name)).toEqual(['crash', 'hang', 'ask', 'once']);
    expect(new Set(problems)).toEqual(
      new Set(['twice: the tool "echo" is listed more than once, and is left out']),
    );
    await expect(call(opened, 'twice', 'echo')).rejects.toThrow('has no tool "echo"');
  });

  it('leaves out what is too large or oddly named', async () => {
    const { opened, problems } = await upstreams(programServer('large'));
    expect((await opened.tools()).map(({ name }) => name)).toEqual(['small']);
    expect(problems).toHaveLength(3);
  });

  it.each(['endless', 'many'])('that does not end is refused: %s', async (behaviour) => {
    const { opened } = await upstreams(programServer(behaviour));
    await expect(opened.tools(behaviour)).rejects.toThrow('lists without end');
  });

  it('of all servers leaves out those that cannot be reached, and tells of them', async () => {
    const { opened, problems } = await upstreams(programServer('exit'), programServer('usual'));
    expect(new Set((await opened.tools()).map(({ server }) => server))).toEqual(new Set(['usual']));
    expect(problems).toEqual([expect.stringContaining('exit: the MCP server "exit": the program has ended')]);
  });
});

describe('the allowlist', () => {
  it('of tools is kept, in lists and in calls', async () => {
    const { opened } = await upstreams(programServer('usual', { tools: ['ec*', 'hang'] }));
    expect((await opened.tools()).map(({ name }) => name)).toEqual(['echo', 'hang']);
    await expect(call(opened, 'usual', 'crash')).rejects.toMatchObject({
      name: 'BlockedByMcpPolicy',
      message: "MCP tool 'mcp:usual:crash' blocked by MCP policy (tool 'crash' not allowed).",
    });
  });

  it('of servers and of agents is kept', async () => {
    const { opened } = await upstreams(programServer('usual', { agents: ['other'] }));
    const message = (server: string) =>
      `MCP tool 'mcp:${server}:echo' blocked by MCP policy (server '${server}' not allowed).`;
    await expect(call(opened, 'usual', 'echo')).rejects.toThrow(message('usual'));
    await expect(call(opened, 'unknown', 'echo')).rejects.toThrow(message('unknown'));
    expect(() => opened.tools('unknown')).toThrow(expect.objectContaining({ name: 'BlockedByMcpPolicy' }));
    expect(opened.serversFor('other')).toEqual(['usual']);
    expect(opened.serversFor('coder')).toEqual([]);
  });
});

describe('a server over HTTP', () => {
  it.each(['stateless', 'reject'] as const)(
    'is called with its headers, older clients: %s',
    async (legacy) => {
      const { url, seen } = await httpServer({}, legacy);
      const { opened } = await upstreams(only({ web: { url, headers: { 'X-Key': 'k' } } }));
      expect(await call(opened, 'web', 'echo', { a: 1 })).toMatchObject(text({ a: 1 }));
      expect(seen.every(({ headers }) => headers.get('x-key') === 'k')).toBe(true);
    },
  );

  it.each(['auto', 'sse'] as const)(
    'that breaks off in a call gives a clean error: %s',
    async (responses) => {
      const { url, server, seen } = await httpServer({}, 'stateless', responses);
      const { opened } = await upstreams(only({ web: { url } }));
      await opened.tools();
      const waiting = call(opened, 'web', 'hang');
      const outcome = expect(waiting).rejects.toMatchObject({ name: 'UpstreamGone' });
      await expect.poll(() => seen.map(({ headers }) => headers.get('mcp-method'))).toContain('tools/call');
      server.closeAllConnections();
      await outcome;
      expect(await call(opened, 'web', 'echo')).toMatchObject(text({}));
    },
  );

  it.each([
    ['that is named', ['servers.web'], true],
    ['that is not', ['llm.web'], false],
  ])('%s is told of the trace of a call or not', async (_, propagateTo, knows) => {
    const { telemetry, spans, all } = heardTelemetry(propagateTo);
    const { url, seen } = await httpServer();
    const { opened } = await upstreamsIn({ ...realWorld(), telemetry }, only({ web: { url } }));
    await call(opened, 'web', 'echo', { word: 'of ann' });
    const [span] = spans('sallyport.call');
    expect(span?.attributes).toMatchObject({ 'sallyport.server': 'web' });
    const called = seen.find(({ headers }) => headers.get('mcp-method') === 'tools/call');
    expect(called?.headers.get('traceparent')).toBe(knows ? `00-${span?.trace}-${span?.id}-01` : null);
    expect(JSON.stringify(all)).not.toContain('of ann');
  });

  it('that is not there is an error', async () => {
    const { url, server } = await httpServer();
    await new Promise((resolve) => server.close(resolve));
    const { opened } = await upstreams(only({ web: { url } }));
    await expect(opened.tools('web')).rejects.toMatchObject({ name: 'UpstreamGone' });
  });

  it('that leads elsewhere is not followed', async () => {
    const { url, seen } = await httpServer();
    const leading = await plainServer((_, out) => out.writeHead(307, { location: url }).end());
    const { opened } = await upstreams(only({ web: { url: `${leading}/mcp` } }));
    await expect(opened.tools('web')).rejects.toThrow('leads elsewhere');
    expect(seen).toEqual([]);
  });

  it('that floods us is given up', async () => {
    const flooding = await plainServer((_, out) => {
      out.writeHead(200, { 'content-type': 'text/event-stream' });
      const pour = (): void => {
        while (out.write('data: {"jsonrpc":"2.0","method":"notifications/x"}\n\n'.repeat(1000)));
        out.once('drain', pour);
      };
      pour();
    });
    const { opened } = await upstreams(only({ web: { url: flooding, start_timeout_seconds: 20 } }));
    await expect(opened.tools('web')).rejects.toMatchObject({ name: expect.stringMatching(/^Upstream/) });
  });

  it('that speaks something else is an error', async () => {
    const odd = await plainServer((_, out) => out.writeHead(200, { 'content-type': 'text/html' }).end('<p>'));
    const { opened } = await upstreams(only({ web: { url: odd } }));
    await expect(opened.tools('web')).rejects.toMatchObject({ name: expect.stringMatching(/^Upstream/) });
  });
});
