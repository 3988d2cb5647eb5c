// Locations, the private home folder, and writing into it.

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { InputError } from '../core/index.ts';
import { ConfigError, HomeError } from './errors.ts';
import {
  AlreadyExists,
  diskWorld,
  homeFolder,
  homeIsExposed,
  isInside,
  maxConfigBytes,
  paths,
  prepareHome,
  readRegularFile,
  writePrivate,
} from './home.ts';
import { displayPath } from './reading.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-home-'));
});

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

const modeOf = (path: string) => statSync(path).mode & 0o777;

describe('homeFolder', () => {
  test.each([
    [{ SALLYPORT_HOME: '/a/b' }, '/a/b'],
    [{ SALLYPORT_HOME: '/a/../b/' }, '/b'],
    [{ SALLYPORT_HOME: '/a', HOME: '/u' }, '/a'],
    [{ SALLYPORT_HOME: '', HOME: '/u' }, '/u/.sallyport'],
    [{ HOME: '/u' }, '/u/.sallyport'],
  ])('of %j is %s', (environment, expected) => {
    expect(homeFolder(environment)).toBe(expected);
  });

  test.each([
    [{}],
    [{ HOME: '' }],
    [{ SALLYPORT_HOME: '', HOME: '' }],
    [{ SALLYPORT_HOME: 'relative' }],
    [{ SALLYPORT_HOME: '~/x', HOME: '/u' }],
    [{ SALLYPORT_HOME: '/a\0b' }],
    [{ HOME: 'relative' }],
  ])('of %j is an error that says what to set', (environment) => {
    expect(() => homeFolder(environment)).toThrow(ConfigError);
    expect(() => homeFolder(environment)).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('set SALLYPORT_HOME'), exitCode: 2 }),
    );
  });
});

test('paths names everything inside the home folder', () => {
  expect(paths('/h')).toEqual({
    config: '/h/sallyport.toml',
    bench: '/h/bench',
    deferred: '/h/deferred',
    ledger: '/h/ledger.db',
    keys: '/h/keys',
    snapshots: '/h/snapshots',
    symbols: '/h/symbols',
    runs: '/h/runs',
    run: '/h/run',
    socket: '/h/run/sallyport.sock',
    ask: '/h/run/sallyport.sock',
    daemon: '/h/run/daemon.json',
    lock: '/h/run/daemon.lock',
    start: '/h/run/start.json',
    stopped: '/h/run/stopped',
    token: '/h/keys/decide.token',
    trust: '/h/trust.json',
    approver: '/h/approver.json',
    approverNext: '/h/approver-next.json',
    bin: '/h/bin',
    held: '/h/keys',
    hosts: '/h/hosts.json',
    sessions: '/h/sessions.json',
  });
});

test('paths of a system daemon names what agents reach outside of its home', () => {
  const home = '/var/lib/sallyport/alice/home';
  expect(paths(home)).toMatchObject({
    keys: `${home}/keys`,
    socket: `${home}/run/sallyport.sock`,
    ask: '/run/sallyport/alice/ask.sock',
    bin: '/var/lib/sallyport/alice/clients',
    held: '/var/lib/sallyport/alice/clients',
    token: '/var/lib/sallyport/alice/clients/decide.token',
  });
});

describe('prepareHome', () => {
  test('creates the folders for the owner alone, and does nothing the second time', () => {
    const home = join(folder, 'a', 'home');
    prepareHome(home);
    prepareHome(home);
    for (const path of [home, paths(home).keys, paths(home).run]) expect(modeOf(path)).toBe(0o700);
  });

  test('tightens what is too open', () => {
    const home = join(folder, 'home');
    mkdirSync(join(home, 'run'), { recursive: true });
    chmodSync(home, 0o777);
    chmodSync(join(home, 'run'), 0o755);
    prepareHome(home);
    expect(modeOf(home)).toBe(0o700);
    expect(modeOf(join(home, 'run'))).toBe(0o700);
  });

  test('does not close a folder that others use', () => {
    const shared = join(folder, 'shared');
    mkdirSync(join(shared, 'of somebody'), { recursive: true });
    chmodSync(shared, 0o777);
    expect(() => prepareHome(shared)).toThrow("holds things that are not Sallyport's");
    expect(modeOf(shared)).toBe(0o777);
    chmodSync(shared, 0o700);
    prepareHome(shared);
    expect(modeOf(shared)).toBe(0o700);
  });

  test('takes a link to a folder of our own', () => {
    mkdirSync(join(folder, 'real'));
    symlinkSync(join(folder, 'real'), join(folder, 'home'));
    prepareHome(join(folder, 'home'));
    expect(modeOf(join(folder, 'real'))).toBe(0o700);
    expect(lstatSync(join(folder, 'home')).isSymbolicLink()).toBe(true);
  });

  test('refuses a file in its place', () => {
    writeFileSync(join(folder, 'home'), '');
    expect(() => prepareHome(join(folder, 'home'))).toThrow(HomeError);
    expect(() => prepareHome(join(folder, 'home'))).toThrow('is not a folder');
  });

  test('refuses a file on the way', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => prepareHome(join(folder, 'file', 'home'))).toThrow(HomeError);
  });

  test('refuses a link that leads nowhere', () => {
    symlinkSync(join(folder, 'nowhere'), join(folder, 'home'));
    expect(() => prepareHome(join(folder, 'home'))).toThrow(HomeError);
  });

  test('refuses a link to a file', () => {
    writeFileSync(join(folder, 'file'), '');
    symlinkSync(join(folder, 'file'), join(folder, 'home'));
    expect(() => prepareHome(join(folder, 'home'))).toThrow('is not a folder');
  });

  test('refuses links in place of its subfolders', () => {
    mkdirSync(join(folder, 'home'));
    mkdirSync(join(folder, 'elsewhere'));
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'home', 'run'));
    expect(() => prepareHome(join(folder, 'home'))).toThrow('is a symbolic link');
  });

  test('refuses a folder of another user, also behind a link', () => {
    const home = join(folder, 'home');
    mkdirSync(home);
    chmodSync(home, 0o755);
    symlinkSync(home, join(folder, 'link'));
    const self = process.geteuid?.() ?? 0;
    vi.spyOn(process, 'geteuid').mockReturnValue(self + 1);
    expect(() => prepareHome(home)).toThrow('belongs to another user');
    expect(() => prepareHome(join(folder, 'link'))).toThrow('belongs to another user');
    expect(modeOf(home)).toBe(0o755);
  });

  test('refuses a place where nothing can be written', () => {
    expect(() => prepareHome('/proc/sallyport')).toThrow(HomeError);
  });
});

describe('writePrivate', () => {
  test('writes and replaces, for the owner alone, and leaves nothing beside', () => {
    const path = join(folder, 'a.json');
    writeFileSync(path, 'old', { mode: 0o644 });
    writePrivate(path, 'new');
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(modeOf(path)).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['a.json']);
  });

  test('replaces a link and not what it leads to', () => {
    writeFileSync(join(folder, 'target'), 'kept');
    symlinkSync(join(folder, 'target'), join(folder, 'a.json'));
    writePrivate(join(folder, 'a.json'), 'new');
    expect(readFileSync(join(folder, 'target'), 'utf8')).toBe('kept');
    expect(lstatSync(join(folder, 'a.json')).isFile()).toBe(true);
  });

  test('leaves an existing file alone if told so', () => {
    const path = join(folder, 'a.json');
    writePrivate(path, 'first', { exclusive: true });
    expect(() => writePrivate(path, 'second', { exclusive: true })).toThrow(AlreadyExists);
    expect(readFileSync(path, 'utf8')).toBe('first');
    expect(readdirSync(folder)).toEqual(['a.json']);
  });

  test('says why it cannot write, and leaves nothing behind', () => {
    mkdirSync(join(folder, 'taken', 'full'), { recursive: true });
    expect(() => writePrivate(join(folder, 'taken'), 'x')).toThrow(HomeError);
    expect(() => writePrivate(join(folder, 'missing', 'a.json'), 'x')).toThrow('does not exist');
    expect(readdirSync(folder)).toEqual(['taken']);
  });
});

describe('readRegularFile', () => {
  test('reads a file, a link to one, and gives null where there is none', () => {
    writeFileSync(join(folder, 'a'), 'ä');
    symlinkSync(join(folder, 'a'), join(folder, 'link'));
    expect(readRegularFile(join(folder, 'a'))).toBe('ä');
    expect(readRegularFile(join(folder, 'link'))).toBe('ä');
    expect(readRegularFile(join(folder, 'none'))).toBeNull();
    expect(readRegularFile(join(folder, 'a', 'b'))).toBeNull();
  });

  test('reads a file of exactly the limit', () => {
    writeFileSync(join(folder, 'a'), 'x'.repeat(maxConfigBytes));
    expect(readRegularFile(join(folder, 'a'))).toHaveLength(maxConfigBytes);
  });

  test('refuses a folder, a device, a loop of links, a large file and bytes that are not UTF-8', () => {
    writeFileSync(join(folder, 'large'), 'x'.repeat(maxConfigBytes + 1));
    writeFileSync(join(folder, 'latin'), Buffer.from([0xe4]));
    symlinkSync(join(folder, 'loop'), join(folder, 'loop'));
    expect(() => readRegularFile(folder)).toThrow('is not a regular file');
    expect(() => readRegularFile('/dev/zero')).toThrow('is not a regular file');
    expect(() => readRegularFile(join(folder, 'loop'))).toThrow('go in a circle');
    expect(() => readRegularFile(join(folder, 'large'))).toThrow('is larger than');
    expect(() => readRegularFile(join(folder, 'latin'))).toThrow(InputError);
  });

  test('does not wait on a pipe that nobody writes to', async () => {
    const { execFileSync } = await import('node:child_process');
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    expect(() => readRegularFile(join(folder, 'pipe'))).toThrow('is not a regular file');
  });
});

test('diskWorld resolves links, gives null for nothing, and throws for a loop', () => {
  writeFileSync(join(folder, 'a'), '');
  symlinkSync(join(folder, 'a'), join(folder, 'link'));
  symlinkSync(join(folder, 'loop'), join(folder, 'loop'));
  expect(diskWorld.realPath(join(folder, 'link'))).toBe(diskWorld.realPath(join(folder, 'a')));
  expect(diskWorld.realPath(join(folder, 'none'))).toBeNull();
  expect(() => diskWorld.realPath(join(folder, 'loop'))).toThrow(InputError);
  expect(diskWorld.now()).toBeGreaterThan(0);
});

test.each([
  ['/a', '/a', true],
  ['/a', '/a/b', true],
  ['/a', '/a/..b', true],
  ['/', '/a', true],
  ['/a', '/ab', false],
  ['/a/b', '/a', false],
  ['/a', '/b', false],
])('isInside(%s, %s) is %s', (outer, inner, expected) => {
  expect(isInside(outer, inner)).toBe(expected);
});

describe('homeIsExposed', () => {
  test('to a workspace that holds it, is it, or lies in it', () => {
    mkdirSync(join(folder, 'w', 'home', 'run'), { recursive: true });
    const home = join(folder, 'w', 'home');
    for (const workspace of ['/', folder, join(folder, 'w'), home, join(home, 'run')]) {
      expect(homeIsExposed(home, workspace)).toBe(true);
    }
    mkdirSync(join(folder, 'other'));
    expect(homeIsExposed(home, join(folder, 'other'))).toBe(false);
  });

  test('through a link, and also before it exists', () => {
    mkdirSync(join(folder, 'w'));
    mkdirSync(join(folder, 'u'));
    symlinkSync(join(folder, 'w'), join(folder, 'u', 'link'));
    expect(homeIsExposed(join(folder, 'u', 'link', 'new', 'home'), join(folder, 'w'))).toBe(true);
    expect(homeIsExposed(join(folder, 'u', 'new', 'home'), join(folder, 'w'))).toBe(false);
    expect(existsSync(join(folder, 'u', 'new'))).toBe(false);
  });

  test('counts as exposed if that cannot be known', () => {
    symlinkSync(join(folder, 'loop'), join(folder, 'loop'));
    expect(homeIsExposed(join(folder, 'loop'), join(folder, 'w'))).toBe(true);
  });
});

test.each([
  ['/u/a', '/u', '~/a'],
  ['/ub/a', '/u', '/ub/a'],
  ['/u', '/u', '/u'],
  ['/a', '/', '/a'],
  ['/a', undefined, '/a'],
  ['/u/\u202ea', '/u', '~/\\u{202e}a'],
])('displayPath(%j, %j) is %s', (path, userHome, expected) => {
  expect(displayPath(path, userHome)).toBe(expected);
});
