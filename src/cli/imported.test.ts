// Servers of other programs' files in our words: what is taken in loads, and no secret is copied.

import { describe, expect, it } from 'vitest';
import { fakeWorld } from '../../tests/support/fake-world.ts';
import { loadConfig } from '../config/index.ts';
import type { JsonObject } from '../core/index.ts';
import { foreignServers, imported, tomlOf } from './imported.ts';

const token = `ghp_${'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'}`; // sallyport:allow

function found(files: Record<string, unknown>, wanted: Parameters<typeof foreignServers>[0]) {
  return foreignServers(wanted, '/home/ann', '/work', (file) => {
    const value = files[file];
    return value === undefined ? null : typeof value === 'string' ? value : JSON.stringify(value);
  });
}

const one = (value: JsonObject, name = 'a') => imported({ name, value, file: '/f' }, '/work');

describe('files', () => {
  it('of Claude have servers for the user, for a project and in the project', () => {
    const files = {
      '/work/.mcp.json': { mcpServers: { shared: { command: 'a' } } },
      '/home/ann/.claude.json': {
        mcpServers: { mine: { command: 'b' }, shared: { command: 'other' } },
        projects: {
          '/work': { mcpServers: { here: { command: 'c' } } },
          '/else': { mcpServers: { no: {} } },
        },
      },
    };
    const servers = found(files, ['claude']);
    expect(servers.map(({ name, value }) => [name, value['command']])).toEqual([
      ['shared', 'a'],
      ['here', 'c'],
      ['mine', 'b'],
    ]);
    expect(found(files, ['cursor', 'vscode'])).toEqual([]);
  });

  it('of VS Code have comments, and another word', () => {
    const text = '{\n// mine\n"servers": { "web": { "type": "http", "url": "https://a.example/mcp" }, } }';
    expect(found({ '/work/.vscode/mcp.json': text }, ['vscode'])).toMatchObject([{ name: 'web' }]);
  });

  it('that are broken have none', () => {
    expect(found({ '/home/ann/.cursor/mcp.json': '{' }, ['cursor'])).toEqual([]);
    expect(found({ '/home/ann/.cursor/mcp.json': { mcpServers: [1] } }, ['cursor'])).toEqual([]);
  });
});

describe('a server', () => {
  it('is taken in, its secrets as variables', async () => {
    const server = one(
      {
        command: 'npx',
        args: ['-y', 'server', '${workspaceFolder}/data', '${env:REGION}'],
        env: { GITHUB_TOKEN: token, LEVEL: 'info', OTHER: token, FROM: '${input:my-key}' },
      },
      'Git Hub!',
    );
    expect(server).toMatchObject({
      name: 'git-hub',
      section: {
        command: 'npx',
        args: ['-y', 'server', '/work/data', '${REGION}'],
        env: { GITHUB_TOKEN: 'env:GITHUB_TOKEN', LEVEL: 'info', OTHER: 'env:OTHER', FROM: '${MY_KEY}' },
      },
      variables: ['REGION', 'GITHUB_TOKEN', 'OTHER', 'MY_KEY'],
    });
    const text = tomlOf([
      server,
      one({ url: 'https://a.example', headers: { Authorization: `Bearer ${token}` } }),
    ]);
    expect(text).not.toContain(token);
    const world = fakeWorld();
    world.files.set('/h/sallyport.toml', text);
    const environment = {
      REGION: 'eu',
      GITHUB_TOKEN: 't',
      OTHER: 'o',
      MY_KEY: 'k',
      A_AUTHORIZATION: 'Bearer b',
    };
    const { servers } = await loadConfig({ home: '/h', environment, world });
    expect(servers).toMatchObject([
      { name: 'git-hub', place: { args: ['-y', 'server', '/work/data', 'eu'], env: { FROM: 'k' } } },
      { name: 'a', place: { url: 'https://a.example', headers: { Authorization: 'Bearer b' } } },
    ]);
  });

  it.each([
    ['nothing', {}, /neither a command nor an address/],
    ['the older transport', { type: 'sse', url: 'https://a.example' }, /older SSE/],
    ['a variable as its address', { url: '${URL}' }, /variable in it/],
    ['Sallyport itself', { command: 'npx', args: ['sallyport', 'mcp'] }, /Sallyport itself/],
    ['arguments that are no texts', { command: 'a', args: [1] }, /no texts/],
  ])('with %s is left out, and told of', (_, value, problem) => {
    const server = one(value as JsonObject);
    expect(server).toMatchObject({ problem: expect.stringMatching(problem) });
    expect(tomlOf([server])).toMatch(/^# "a" in \/f is left out: /);
  });

  it('whose name has no letters is left out', () => {
    expect(one({ command: 'a' }, '??')).toMatchObject({ problem: 'its name has no letters' });
  });
});
