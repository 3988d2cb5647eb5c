import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { InputError } from '../core/index.ts';
import {
  account,
  isAccountName,
  isOwnPlace,
  ownFolders,
  readRecord,
  recordText,
  type SystemDaemon,
  systemPlaces,
  systemUserOf,
  worksForAnother,
} from './system.ts';

const daemon: SystemDaemon = {
  user: 'alice',
  uid: 1000,
  gid: 1000,
  user_home: '/home/alice',
  as: 'sallyport',
  port: 4719,
  node: '/usr/bin/node',
  program: '/usr/lib/node_modules/sallyport/bin/sallyport.cjs',
};

describe('the record of a system daemon', () => {
  it('is read as it was written', () => {
    expect(readRecord(recordText(daemon))).toEqual(daemon);
  });

  it.each([
    ['a name that is a path', { user: '../bob' }],
    ['a name with a command', { as: 'x;reboot' }],
    ['root as the guarded account', { uid: 0 }],
    ['a port that is none', { port: 0 }],
    ['a relative program', { program: 'bin/sallyport.cjs' }],
    ['a program with a line break', { node: '/usr/bin/node\nx' }],
    ['a member that nobody knows', { shell: '/bin/sh' }],
  ])('is refused with %s', (_, change) => {
    expect(() => readRecord(JSON.stringify({ ...daemon, ...change }))).toThrow(InputError);
  });
});

describe('names of accounts', () => {
  it.each(['alice', '_apt', 'A.User-2'])('may be %s', (name) => expect(isAccountName(name)).toBe(true));
  it.each(['', '.', '..', '-x', 'a b', 'a/b', "a'b", 'a$(id)', 'a\nb', '0day', 'x'.repeat(33)])(
    'may not be %j',
    (name) => expect(isAccountName(name)).toBe(false),
  );
});

describe('the home of a system daemon', () => {
  it('is known by where it is', () => {
    expect(systemUserOf(systemPlaces('alice').home)).toBe('alice');
  });

  it.each([
    '/var/lib/sallyport/alice',
    '/var/lib/sallyport/home',
    '/var/lib/sallyport/../x/home',
    '/var/lib/sallyport/a/b/home',
    '/home/alice/.sallyport',
    '/tmp/var/lib/sallyport/alice/home',
  ])('is not %s', (home) => expect(systemUserOf(home)).toBeNull());
});

it('an ordinary process works for its own account, and closes no folder to itself', () => {
  expect(worksForAnother()).toBe(false);
  expect(account()).toMatchObject({ uid: process.getuid?.(), gid: process.getgid?.() });
  expect(ownFolders()).toEqual([]);
  expect(isOwnPlace('/var/lib/sallyport/alice/home/keys')).toBe(false);
});

/**
 * What a system daemon starts has its rights, with keys and store within reach. A module that starts programs belongs
 * here only if it never does so in a system daemon, or starts nothing but our own code.
 */
it('every module that starts programs is known', () => {
  const source = fileURLToPath(new URL('..', import.meta.url));
  const found = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.ts$/.test(name) && !/\.test\.ts$|^cli\//.test(name))
    .filter((name) =>
      /from 'node:child_process'|(?:import|getBuiltinModule)\(\s*'node:child_process'\)/.test(
        readFileSync(join(source, name), 'utf8'),
      ),
    );
  expect(found.sort()).toEqual([
    // Refused with the configuration (cli/open.ts).
    'decide/hooks.ts',
    // A fixed program of the system, which only prints the id of an image.
    'decide/state-of.ts',
    // Its only caller finds no git in a system daemon (ledger/snapshots/stat-index.ts).
    'ledger/snapshots/runner.ts',
    // Returns before it starts git.
    'run/integrity/history.ts',
    // As the first.
    'run/mcp/stdio.ts',
    // `exec` and `run` refuse to work with a system daemon (cli/main.ts).
    'run/process.ts',
    // Our own code, with no variable of the environment.
    'run/query/sqlite.ts',
    // As run/process.ts.
    'run/sandbox.ts',
    // As run/process.ts: `exec` and `shell` alone run commands on overlays.
    'run/shell/overlay.ts',
    // Text of a plugin that the host loads.
    'surfaces/hooks/plugin.ts',
    // As the first.
    'surfaces/http/keeper.ts',
    // As the first: `[notify] desktop`.
    'surfaces/http/notify.ts',
  ]);
});
