// `sallyport mcp` as a host starts it: the official client before it, real servers behind it, nothing else on the pipe.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { prepareHome } from '../../src/config/index.ts';
import { cliEntry } from '../support/bundle.ts';
import { cli, newPlace, type Place, startCli } from '../support/cli.ts';
import { serverProgram } from '../support/mcp.ts';
import { browse, protectedServer } from '../support/oauth.ts';
import { atTerminal, noTerminals } from '../support/terminal.ts';

function placeWith(configuration: string): Place {
  const place = newPlace();
  mkdirSync(place.home, { mode: 0o700 });
  prepareHome(place.home);
  if (configuration !== '') writeFileSync(join(place.home, 'sallyport.toml'), configuration);
  return place;
}

async function connect(place: Place) {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [cliEntry(), 'mcp'],
    cwd: place.workspace,
    env: { PATH: process.env['PATH'] ?? '', HOME: place.home, SALLYPORT_HOME: place.home },
    stderr: 'pipe',
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

const section = (name: string, behaviour: string) =>
  `[servers.${name}]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(serverProgram)}, "${behaviour}"]\n`;

describe('sallyport mcp', () => {
  it('offers the servers that can be reached, and asks before a call', async () => {
    const client = await connect(placeWith(section('good', 'garbage') + section('bad', 'exit')));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['good__echo', 'good__crash', 'good__hang', 'good__ask']);
    const result = await client.callTool({ name: 'good__echo', arguments: {} });
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result.content)).toMatch(/sallyport approve \w+/);
  });

  it.runIf(process.platform === 'linux')(
    'starts servers without the descriptors that it inherited',
    async () => {
      const place = placeWith('');
      const seen = join(place.home, 'seen');
      const script = `for fd in /proc/self/fd/*; do readlink "$fd"; done > ${seen}; echo all >> ${seen}`;
      writeFileSync(
        join(place.home, 'sallyport.toml'),
        `[servers.x]\ncommand = "/bin/bash"\nargs = ["-c", ${JSON.stringify(script)}]\n`,
      );
      const opened = [3, 8, 9, 30, 200, 1000].map((number) => `exec ${number}<${place.home}`).join('; ');
      const hello = {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'x', version: '1' },
      };
      const messages = [
        { jsonrpc: '2.0', id: 1, method: 'initialize', params: hello },
        { jsonrpc: '2.0', method: 'notifications/initialized' },
        { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} },
      ];
      const child = startCli(place, ['mcp'], { wrapper: ['/bin/bash', '-c', `${opened}; exec "$@"`, 'sh'] });
      child.stdin?.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
      await vi.waitUntil(() => existsSync(seen) && readFileSync(seen, 'utf8').includes('all'), {
        timeout: 60_000,
      });
      expect(readFileSync(seen, 'utf8').split('\n')).not.toContain(place.home);
    },
  );

  it('with no servers offers nothing', async () => {
    const client = await connect(placeWith(''));
    expect((await client.listTools()).tools).toEqual([]);
  });

  it.each([
    [['mcp', 'other'], 'unknown server "other"'],
    [['mcp', 'query'], 'there are no sources'],
    [['mcp', 'query', '--source', 'none'], 'there is no source "none"'],
    [['mcp', 'import', '--from', 'emacs'], '--from is one of claude, cursor, vscode'],
  ])('is told what is wrong with %j', async (args, problem) => {
    const { status, stderr } = await cli(placeWith(''), args);
    expect([status, stderr]).toEqual([2, expect.stringContaining(problem)]);
  });
});

describe.skipIf(noTerminals)('sallyport mcp login', () => {
  const page = /http:\S+\/authorize\S+/;

  it('shows the page, keeps what it gave until the logout, and writes no token down', async () => {
    const remote = await protectedServer();
    const place = placeWith(`[servers.tickets]\nurl = "${remote.url}"\n`);
    const without = await (await connect(place)).callTool({ name: 'tickets__echo', arguments: {} });
    expect(JSON.stringify(without.content)).toContain('sallyport mcp login tickets');
    let opened: Promise<number> | undefined;
    const login = await atTerminal(place, ['mcp', 'login', 'tickets'], [], undefined, (shown) => {
      const found = page.exec(shown);
      if (found !== null) opened ??= browse(found[0]);
    });
    expect(login.stdout).toContain(`tickets sends you to ${remote.issuer} to log in.`);
    expect(login.stdout).toContain('Logged in to tickets.');
    expect(await opened).toBe(200);
    const tools = (await (await connect(place)).listTools()).tools.map(({ name }) => name);
    expect(tools).toContain('tickets__echo');
    for (const file of ['ledger.db', 'ledger.db-wal']) {
      const path = join(place.home, file);
      const bytes = existsSync(path) ? readFileSync(path, 'latin1') : '';
      for (const secret of remote.secrets()) expect(bytes).not.toContain(secret);
    }
    expect(await cli(place, ['mcp', 'logout', 'tickets'])).toMatchObject({ status: 0 });
    expect((await (await connect(place)).listTools()).tools).toEqual([]);
    expect(await cli(place, ['mcp', 'logout', 'tickets'])).toMatchObject({ status: 1 });
  });

  it('is given up with Ctrl-C', async () => {
    const remote = await protectedServer();
    const place = placeWith(`[servers.tickets]\nurl = "${remote.url}"\n`);
    const key = { at: 'Open this page', key: '\u0003' };
    const { status, stdout } = await atTerminal(place, ['mcp', 'login', 'tickets'], [], key);
    expect(status).not.toBe(0);
    expect(stdout).toContain('cancelled');
  });

  it.each([
    [['mcp', 'login', 'other'], 2, 'there is no server "other"'],
    [['mcp', 'login'], 2, 'the name of a server is missing'],
    [['mcp', 'login', 'tickets'], 1, 'log in at a terminal, and there is none here'],
  ])('is told what is wrong with %j', async (args, code, problem) => {
    const { status, stderr } = await cli(
      placeWith('[servers.tickets]\nurl = "https://tickets.example/mcp"\n'),
      args,
      {
        wrapper: ['setsid', '-w'],
      },
    );
    expect([status, stderr]).toEqual([code, expect.stringContaining(problem)]);
  });
});

describe('sallyport mcp import', () => {
  const theirs = { mcpServers: { Echo: { command: '/bin/echo', args: ['a'], env: { API_KEY: 'abc' } } } };

  it('prints what Cursor has, and adds it where it would load', async () => {
    const place = placeWith('[daemon]\nport = 4800\n');
    mkdirSync(join(place.home, '.cursor'));
    writeFileSync(join(place.home, '.cursor/mcp.json'), JSON.stringify(theirs));
    const printed = await cli(place, ['mcp', 'import', '--from', 'cursor']);
    expect([printed.status, printed.stdout]).toEqual([0, expect.stringContaining('[servers.echo]')]);
    expect(printed.stdout).not.toContain('abc');
    const refused = await cli(place, ['mcp', 'import', '--write']);
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('"API_KEY" is not set')]);
    const file = join(place.home, 'sallyport.toml');
    expect(readFileSync(file, 'utf8')).toBe('[daemon]\nport = 4800\n');
    const environment = { API_KEY: 'x' };
    expect(await cli(place, ['mcp', 'import', '--write'], { environment })).toMatchObject({ status: 0 });
    expect(readFileSync(file, 'utf8')).toContain('env = { "API_KEY" = "env:API_KEY" }');
    const again = await cli(place, ['mcp', 'import', '--write'], { environment });
    expect(again.stderr).toContain('nothing to add');
  });

  it('says that there is nothing where there is nothing', async () => {
    const { status, stderr, stdout } = await cli(placeWith(''), ['mcp', 'import']);
    expect([status, stdout]).toEqual([0, '']);
    expect(stderr).toContain('no MCP servers');
  });
});
