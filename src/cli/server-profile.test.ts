// Tests of what is looked up of a program before it is added.

import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { absolute, npmPackage, profileOf, startOf } from './server-profile.ts';

describe('npx', () => {
  it.each([
    [['-y', 'server-a'], { spec: 'server-a', name: 'server-a', args: [] }],
    [['--yes', '@a/b@1.2.3', '/srv'], { spec: '@a/b@1.2.3', name: '@a/b', args: ['/srv'] }],
    [['server-a@latest', '--fast'], { spec: 'server-a@latest', name: 'server-a', args: ['--fast'] }],
  ])('%j runs a package', (args, found) => {
    expect(npmPackage('npx', args)).toEqual(found);
  });

  it.each([
    ['npx', ['-p', 'a', 'b']],
    ['npx', ['https://example.com/a.tgz']],
    ['npx', ['git+ssh://example.com/a']],
    ['npx', ['../a']],
    ['npx', []],
    ['node', ['server.js']],
  ])('%s %j runs what is not known to be one', (command, args) => {
    expect(npmPackage(command, args)).toBeUndefined();
  });
});

/** A package that is installed in a folder of its own, with one that it depends on. */
function installed(code: string) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-test-')));
  const own = join(folder, 'node_modules', '@a', 'server');
  const other = join(folder, 'node_modules', 'other');
  for (const path of [own, other]) mkdirSync(path, { recursive: true });
  writeFileSync(join(own, 'package.json'), JSON.stringify({ bin: { server: 'main.js' } }));
  writeFileSync(join(own, 'main.js'), code);
  writeFileSync(join(other, 'index.js'), 'fetch("https://other.test")');
  return { folder, own };
}

describe('a package', () => {
  const npm = { spec: '@a/server', name: '@a/server', args: ['--fast'] };

  it('is read as a whole, and its arguments name what it changes', () => {
    const { folder, own } = installed('// nothing');
    const start = startOf(npm, folder);
    expect(start).toEqual({ command: process.execPath, args: [join(own, 'main.js'), '--fast'] });
    const { sandbox } = profileOf({ command: '/usr/bin/env', args: [...start.args, tmpdir()] }, false);
    expect(sandbox).toEqual({ read: [folder], write: [tmpdir()], network: 'off' });
  });

  it('that names hosts has the network, as one that is passed a variable', () => {
    const { folder } = installed('fetch("https://API.tickets.test/v1") // see https://www.npmjs.com');
    const { sandbox, hosts } = profileOf(startOf(npm, folder), false);
    expect(hosts).toEqual(['api.tickets.test']);
    expect(sandbox.network).toBe('host');
    const silent = startOf(npm, installed('').folder);
    expect(profileOf(silent, false).sandbox.network).toBe('off');
    expect(profileOf(silent, true).sandbox.network).toBe('host');
  });
});

it('a command is found by its absolute path', () => {
  expect(absolute('sh', '/nowhere:/bin')).toBe('/bin/sh');
  expect(absolute('/bin/sh')).toBe('/bin/sh');
  expect(() => absolute('sh', 'bin')).toThrow('there is no program');
  expect(() => absolute('/nowhere/sh')).toThrow('there is no program');
});
