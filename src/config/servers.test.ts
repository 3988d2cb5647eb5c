// The settings of MCP servers: one location each, unambiguous names, and never from a workspace.

import { describe, expect, test } from 'vitest';
import { fakeWorld } from '../../tests/support/fake-world.ts';
import { loadConfig } from './load.ts';

async function servers(user: string, environment: Record<string, string> = {}, inWorkspace?: string) {
  const world = fakeWorld();
  world.files.set('/h/sallyport.toml', user);
  if (inWorkspace !== undefined) world.files.set('/w/sallyport.toml', inWorkspace);
  const config = await loadConfig({ home: '/h', environment, world });
  await config.settingsFor({ agent: 'a', workspace: '/w' });
  return config.servers;
}

describe('a server', () => {
  test('is a program, with what it is given', async () => {
    const text = `[servers.git-hub]
command = "npx"
args = ["-y", "server"]
env = { TOKEN = "env:T" }
cwd = "/srv"
tools = ["read_*"]
agents = ["coder"]
call_timeout_seconds = 5
`;
    expect(await servers(text, { T: 'abc' })).toMatchObject([
      {
        name: 'git-hub',
        place: { kind: 'stdio', command: 'npx', args: ['-y', 'server'], env: { TOKEN: 'abc' }, cwd: '/srv' },
        tools: ['read_*'],
        agents: ['coder'],
        startTimeoutMs: 30_000,
        callTimeoutMs: 5000,
      },
    ]);
  });

  test('is an address, with its headers', async () => {
    const text = '[servers.web]\nurl = "https://mcp.example.com/mcp?a=1"\nheaders = { key = "${K}" }\n';
    expect(await servers(text, { K: 'v' })).toMatchObject([
      { place: { kind: 'http', url: 'https://mcp.example.com/mcp?a=1', headers: { key: 'v' } }, tools: null },
    ]);
  });

  test('is nothing that nobody wrote', async () => {
    expect(await servers('')).toEqual([]);
  });

  test.each([
    ['both', 'command = "a"\nurl = "https://a.example"', /either a "command" or a "url"/],
    ['neither', 'tools = []', /either a "command" or a "url"/],
    ['headers of a program', 'command = "a"\nheaders = { a = "b" }', /goes with a "url"/],
    [
      'the environment of an address',
      'url = "https://a.example"\nenv = { A = "b" }',
      /goes with a "command"/,
    ],
    ['a path from nowhere', 'command = "./a"', /the absolute path of a program, or its name/],
    ['a shell line', 'command = "a b"', /the absolute path of a program, or its name/],
    ['another protocol', 'url = "ftp://a.example"', /https:\/\/ or http:\/\//],
    ['a password', 'url = "https://u:p@a.example"', /without user, password/],
    ['a variable that is none', 'command = "a"\nenv = { "A B" = "b" }', /not the name of a variable/],
    [
      'a header that is none',
      'url = "https://a.example"\nheaders = { "a b" = "c" }',
      /not the name of a header/,
    ],
    ['two lines in a header', 'url = "https://a.example"\nheaders = { a = "b\\r\\nc" }', /one line of text/],
    ['a star in the middle', 'command = "a"\ntools = ["a*b"]', /only at its end/],
    ['an unknown key', 'command = "a"\ntrust = true', /trust/],
  ])('is not %s', async (_, text, problem) => {
    await expect(servers(`[servers.a]\n${text}\n`)).rejects.toThrow(problem);
  });

  test.each(['A', 'a__b', 'a_', '-a', 'a.b', `${'a'.repeat(33)}`])('is not called %s', async (name) => {
    await expect(servers(`[servers."${name}"]\ncommand = "a"\n`)).rejects.toThrow(/a server has a name of/);
  });

  test('is not called as our own bridge is', async () => {
    await expect(servers('[servers.sallyport]\ncommand = "a"\n')).rejects.toThrow(/Sallyport's own bridge/);
  });

  test('is not called almost as another', async () => {
    const text = '[servers.git-hub]\ncommand = "a"\n[servers.git_hub]\ncommand = "b"\n';
    await expect(servers(text)).rejects.toThrow(/cannot tell it from the server "git-hub"/);
  });

  test('is none of a workspace’s', async () => {
    await expect(servers('', {}, '[servers.a]\ncommand = "a"\n')).rejects.toThrow(/belongs in your own file/);
  });
});
