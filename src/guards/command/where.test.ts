// Tests of where paths lead.

import { describe, expect, it } from 'vitest';
import type { Target, Value } from './effects.ts';
import { escapeOf, isBroad, isCritical, isPersonal, locate, type PathScope } from './where.ts';

const links: Readonly<Record<string, string>> = {
  '/work/shop/out': '/srv/data',
  '/work/shop/inner': '/work/shop/src',
  '/work/shop/keys': '/home/ann/.ssh',
};

/** Follows the links above in whatever path they begin. */
function realPath(path: string): string | null {
  for (const [link, target] of Object.entries(links)) {
    if (path === link || path.startsWith(`${link}/`)) return target + path.slice(link.length);
  }
  return path.endsWith('/missing') ? null : path;
}

const pathScope: PathScope = {
  cwd: '/work/shop',
  workspace: '/work/shop',
  home: '/home/ann',
  allowed: ['/work/shared'],
  realPath,
  spend: () => {},
};

function path(text: string, kind: Value['kind'] = 'literal'): Target {
  const value: Value =
    kind === 'unknown'
      ? { kind }
      : kind === 'choice'
        ? { kind, texts: text.split('|') }
        : { kind: kind === 'prefix' ? 'prefix' : 'literal', text };
  return { kind: 'path', path: value, ...(/[*?[]/.test(text) ? { glob: true } : {}) };
}

function at(text: string, more: Partial<PathScope> = {}, follow = true) {
  return locate({ ...pathScope, ...more }, path(text), { follow })[0]!;
}

describe('zones', () => {
  it.each([
    ['.', 'workspace_root', '/work/shop'],
    ['', 'unknown', null],
    ['src/a.ts', 'workspace', '/work/shop/src/a.ts'],
    ['/work/shop', 'workspace_root', '/work/shop'],
    ['/work/shop/src/..', 'workspace_root', '/work/shop'],
    ['./*', 'workspace_root', '/work/shop/*'],
    ['.*', 'workspace_root', '/work/shop/.*'],
    ['src/*', 'workspace', '/work/shop/src/*'],
    ['*.log', 'workspace', '/work/shop/*.log'],
    ['..', 'above', '/work'],
    ['../*', 'above', '/work/*'],
    ['../other', 'elsewhere', '/work/other'],
    ['/work/shopping', 'elsewhere', '/work/shopping'],
    ['/work/shared/a', 'allowed', '/work/shared/a'],
    ['/', 'filesystem', '/'],
    ['//', 'filesystem', '/'],
    ['/./', 'filesystem', '/'],
    ['/etc/..', 'filesystem', '/'],
    ['../../..', 'filesystem', '/'],
    ['/*', 'filesystem', '/*'],
    ['/proc/self/root', 'filesystem', '/'],
    ['/proc/1/root/etc', 'system', '/etc'],
    ['/proc/self/task/7/root/etc', 'system', '/etc'],
    ['/proc/self/root/proc/self/root/etc', 'system', '/etc'],
    ['/proc/self/cwd/src', 'workspace', '/work/shop/src'],
    ['/etc', 'system', '/etc'],
    ['/etc/demo', 'system', '/etc/demo'],
    ['/et?', 'system', '/et?'],
    ['/e*', 'system', '/e*'],
    ['/[e]tc', 'system', '/[e]tc'],
    ['/x*', 'elsewhere', '/x*'],
    ['/*/bin', 'system', '/*/bin'],
    ['/usr/lib/*', 'system', '/usr/lib/*'],
    ['/var/log', 'system', '/var/log'],
    ['/usr/local', 'system', '/usr/local'],
    ['/usr/local/go', 'elsewhere', '/usr/local/go'],
    ['/opt', 'system', '/opt'],
    ['/opt/tool', 'elsewhere', '/opt/tool'],
    ['/data', 'elsewhere', '/data'],
    ['/tmp/x', 'temporary', '/tmp/x'],
    ['/tmp/*', 'temporary', '/tmp/*'],
    ['/tmp', 'elsewhere', '/tmp'],
    ['/tmp/../etc', 'system', '/etc'],
    ['/var/tmp/x', 'temporary', '/var/tmp/x'],
    ['/var/lib/apt/lists/*', 'temporary', '/var/lib/apt/lists/*'],
    ['/dev/null', 'stream', '/dev/null'],
    ['/dev/fd/3', 'stream', '/dev/fd/3'],
    ['/dev/sda', 'device', '/dev/sda'],
    ['/dev/shm/x', 'temporary', '/dev/shm/x'],
    ['~', 'home_root', '/home/ann'],
    ['~/', 'home_root', '/home/ann'],
    ['~/*', 'home_root', '/home/ann/*'],
    ['~root', 'home_root', '/root'],
    ['~bob/x', 'home', '/home/bob/x'],
    ['/home', 'home_root', '/home'],
    ['/home/*', 'home_root', '/home/*'],
    ['/home/b*', 'home_root', '/home/b*'],
    ['/home/bob', 'home_root', '/home/bob'],
    ['/root', 'home_root', '/root'],
    ['/Users/bob', 'home_root', '/Users/bob'],
    ['~/code/x', 'home', '/home/ann/code/x'],
    ['a\u0000b', 'unknown', null],
    ['x'.repeat(5000), 'unknown', null],
  ])('of %j is %s', (text, zone, real) => {
    expect([at(text).zone, at(text).path]).toEqual([zone, real]);
  });

  it.each([
    ['/etc/', 'prefix', ['system']],
    ['/et', 'prefix', ['unknown']],
    ['/', 'prefix', ['unknown']],
    ['', 'prefix', ['unknown']],
    ['/tmp/tmp.', 'prefix', ['temporary']],
    ['/home/', 'prefix', ['home_root']],
    ['~/', 'prefix', ['home']],
    ['./src/', 'prefix', ['workspace']],
    ['', 'unknown', ['unknown']],
    ['src|/etc|/', 'choice', ['workspace', 'system', 'filesystem']],
  ] as const)('of %j, a %s, are %j', (text, kind, zones) => {
    expect(locate(pathScope, path(text, kind), { follow: true }).map(({ zone }) => zone)).toEqual(zones);
  });

  it('are none of what is no path', () => {
    expect(locate(pathScope, { kind: 'none' }, { follow: true })).toEqual([]);
  });

  it.each([
    ['/', '/etc/x', 'system'],
    ['/', '/data', 'elsewhere'],
    ['/home/ann', '~', 'home_root'],
    ['/home/ann', '/home/ann/code', 'home'],
    ['/etc/shop', '/etc/shop/a', 'system'],
    ['/opt/shop', '/opt/shop/a', 'workspace'],
    ['/tmp/shop', '/tmp/shop/a', 'workspace'],
    ['/tmp/shop', '/tmp/shop', 'workspace_root'],
  ])('with the workspace %s, of %s is %s', (workspace, text, zone) => {
    expect(at(text, { workspace, cwd: workspace }).zone).toBe(zone);
  });

  it.each([
    ['/tmp/ann', '~/x', 'home'],
    ['/tmp/ann', '/tmp/ann', 'home_root'],
    ['/tmp/ann', '/tmp/*', 'home_root'],
    ['/tmp/ann', '/tmp/x', 'temporary'],
    ['/var/lib/jenkins', '/var/lib/jenkins/x', 'home'],
    ['/tmp', '~/x', 'temporary'],
  ])('with the home %s, of %s is %s', (home, text, zone) => {
    expect(at(text, { home }).zone).toBe(zone);
  });

  it('know a home without its path', () => {
    expect([at('~', { home: null }).zone, at('~/x', { home: null }).zone]).toEqual(['home_root', 'home']);
  });
});

describe('links', () => {
  it.each([
    ['out/a', 'elsewhere', '/srv/data/a', 'symlink_escape'],
    ['out/missing', 'elsewhere', '/srv/data/missing', 'symlink_escape'],
    ['inner/a', 'workspace', '/work/shop/src/a', null],
    ['out/..', 'system', '/srv', 'symlink_escape'],
    ['keys/id_rsa', 'home', '/home/ann/.ssh/id_rsa', 'symlink_escape'],
    ['new/missing', 'workspace', '/work/shop/new/missing', null],
  ] as const)('%s leads to %s', (text, zone, real, leaving) => {
    const found = at(text);
    expect([found.zone, found.path, escapeOf(found, text)]).toEqual([zone, real, leaving]);
  });

  it('are themselves what is deleted', () => {
    expect(at('out', {}, false)).toMatchObject({ path: '/work/shop/out', link: true });
    expect(at('src', {}, false).link).toBe(false);
    expect(at('out/', {}, false).path).toBe('/srv/data');
    expect(at('out/*', {}, false).path).toBe('/srv/data/*');
  });

  it('cost steps, so that a long path ends', () => {
    let left = 50;
    const spend = (steps: number) => {
      left -= steps;
      if (left < 0) throw new Error('spent');
    };
    const deep = `${'a/'.repeat(200)}x`;
    expect(() => at(deep, { realPath: () => null, spend })).toThrow('spent');
  });
});

describe('ways out', () => {
  it.each([
    ['../a', 'cat ../a', 'path_traversal'],
    ['/work/a', 'cat ../a', 'path_traversal'],
    ['/srv/a', 'cat /srv/a', 'absolute_path'],
    ['/srv/a', 'cat a', 'outside_workspace'],
    ['~/a', 'cat ~/a', 'outside_workspace'],
    ['/proc/self/root/srv/a', 'cat /proc/self/root/srv/a', 'symlink_escape'],
    ['/work/shop/a', 'cat /work/shop/a', null],
    ['src/../a', 'cat src/../a', null],
    ['/dev/null', 'cat /dev/null', null],
    ['a..b', 'cat a..b', null],
  ] as const)('%s in %j is %s', (text, segment, leaving) => {
    expect(escapeOf(at(text), segment)).toBe(leaving);
  });
});

it.each([
  ['~/Documents', true],
  ['~/.ssh', true],
  ['~/.ssh/*', true],
  ['/home/bob/Documents', true],
  ['~/Documents/a', false],
  ['~/code', false],
])('whether %s is what a person keeps: %s', (text, expected) => {
  expect(isPersonal(pathScope, at(text))).toBe(expected);
});

it.each([
  ['/etc/passwd', true],
  ['/etc/sudoers.d/x', true],
  ['/boot/vmlinuz', true],
  ['/proc/self/root/etc/shadow', true],
  ['/etc/hosts', false],
  ['passwd', false],
])('whether %s is a file on which the system rests: %s', (text, expected) => {
  expect(isCritical(at(text))).toBe(expected);
});

it.each([
  ['/', true],
  ['/home/ann', true],
  ['/home', true],
  ['/home/ann/code', false],
  ['/work/shop', false],
])('whether the workspace %s is as wide as a home: %s', (workspace, expected) => {
  expect(isBroad({ ...pathScope, workspace })).toBe(expected);
});
