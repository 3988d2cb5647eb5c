// sallyport mcp list, status, scan, test, trust and add, with a real server.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findSandbox } from '../../src/run/index.ts';
import { cli, newPlace, type Place } from '../support/cli.ts';
import { serverProgram } from '../support/mcp.ts';
import { atTerminal, choose, noTerminals, passphrase } from '../support/terminal.ts';

const hasSandbox = 'program' in (await findSandbox());

function configure(place: Place, text: string): void {
  mkdirSync(place.home, { recursive: true, mode: 0o700 });
  writeFileSync(join(place.home, 'sallyport.toml'), text, { mode: 0o600 });
}

function placeWith(behaviour: string) {
  const place = newPlace();
  const args = JSON.stringify([serverProgram, behaviour]);
  const section = `[servers.tools]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${args}\n`;
  configure(place, section);
  return place;
}

describe('the servers of the configuration', () => {
  it('are listed, asked and tested', async () => {
    const place = placeWith('usual');
    expect((await cli(place, ['mcp', 'list'])).stdout).toContain('tools  ');
    const status = await cli(place, ['mcp', 'status', '--json']);
    expect(JSON.parse(status.stdout)).toMatchObject({
      servers: [
        {
          server: 'tools',
          problem: null,
          hidden: [],
          tools: [{ name: 'echo', effect: 'read', new: true }, {}, {}, {}],
        },
      ],
    });
    const tested = await cli(place, ['mcp', 'test', 'tools']);
    expect(tested).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/new read {9}echo: Gives back/),
    });
    expect((await cli(place, ['mcp', 'scan'])).status).toBe(0);
    expect(await cli(place, ['mcp', 'test', 'none'])).toMatchObject({ status: 2 });
  });

  it('that do not answer are told of', async () => {
    const place = newPlace();
    configure(place, '[servers.gone]\ncommand = "/usr/bin/false"\n');
    const status = await cli(place, ['mcp', 'status']);
    expect(status).toMatchObject({ status: 1, stdout: expect.stringContaining('gone  does not answer') });
  });

  it('are added once', async () => {
    const place = newPlace();
    const added = await cli(place, ['mcp', 'add', 'web', 'https://tools.example/mcp', '--yes']);
    expect(added.status).toBe(0);
    const words = ['mcp', 'add', 'own', '--no-sandbox', '--yes', '--', 'node', 'server.js', '--fast'];
    const program = await cli(place, words);
    expect(program).toMatchObject({ status: 0, stderr: expect.stringContaining('runs as you') });
    const file = readFileSync(join(place.home, 'sallyport.toml'), 'utf8');
    expect(file).toContain('[servers.web]\nurl = "https://tools.example/mcp"');
    expect(file).toContain('args = ["server.js", "--fast"]');
    expect(await cli(place, ['mcp', 'add', 'web', 'https://other.example', '--yes'])).toMatchObject({
      status: 2,
    });
    expect((await cli(place, ['mcp', 'list', '--json'])).stdout).toContain('"own"');
  });
});

describe.skipIf(!hasSandbox)('a program that is added', () => {
  const words = (name: string, ...command: string[]) => ['mcp', 'add', name, '--yes', '--', ...command];

  it('runs in a sandbox in which it was tried out', { timeout: 60_000 }, async () => {
    const place = newPlace();
    const added = await cli(place, words('own', process.execPath, serverProgram, 'usual'));
    expect(added.stdout).toContain('starts in its sandbox and lists 4 tools');
    expect(added.stdout).toMatch(/^writes {2}nothing$/m);
    const file = readFileSync(join(place.home, 'sallyport.toml'), 'utf8');
    expect(file).toMatch(
      /\[servers\.own\.sandbox\]\nread = \[".+"\]\nwrite = \[\]\nnetwork = "(?:off|host)"/,
    );
    const status = JSON.parse((await cli(place, ['mcp', 'status', '--json'])).stdout);
    expect(status.servers[0]).toMatchObject({ server: 'own', problem: null });
  });

  it('and does not start there is not written', { timeout: 60_000 }, async () => {
    const place = newPlace();
    const failed = await cli(place, words('gone', '/usr/bin/false'));
    expect(failed.stderr).toContain('does not start in its sandbox');
    expect(failed.status).not.toBe(0);
    expect(existsSync(join(place.home, 'sallyport.toml'))).toBe(false);
    const missing = await cli(place, words('none', 'no-such-program-here'));
    expect(missing.stderr).toContain('there is no program');
  });
});

describe.skipIf(noTerminals)('one yes', () => {
  it('answers every definition of a server as it is, and nothing else', { timeout: 60_000 }, async () => {
    const place = placeWith('usual');
    await choose(place);
    const trusted = await atTerminal(place, ['mcp', 'trust', 'tools'], [passphrase]);
    expect(trusted.stdout).toContain('Trusted: 4 definitions of tools');
    const { servers } = JSON.parse((await cli(place, ['mcp', 'status', '--json'])).stdout);
    expect(servers[0].tools.map((tool: { new: boolean }) => tool.new)).toEqual([false, false, false, false]);
    const permissions = await cli(place, ['permissions', '--json']);
    expect(permissions.stdout.match(/tool definition [0-9a-f]{64} tools\//g)?.length).toBeGreaterThanOrEqual(
      4,
    );
    const again = await atTerminal(place, ['mcp', 'trust', 'tools'], []);
    expect(again.stdout).toContain('has been seen');
  });
});
