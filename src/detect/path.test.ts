// What a path is by its name.

import { describe, expect, it } from 'vitest';
import { classify, normalise } from './path.ts';

const place = { cwd: '/work/project', home: '/home/dev' };

describe('normalise', () => {
  it.each([
    ['a/../b', '/work/project/b'],
    ['../../etc//./passwd', '/etc/passwd'],
    ['~', '/home/dev'],
    ['~/x', '/home/dev/x'],
    ['~root/x', '/root/x'],
    ['~bob', '/home/bob'],
    ['/proc/self/root/etc/shadow', '/etc/shadow'],
    ['/proc/1/cwd/a', '/work/project/a'],
    ['/..', '/'],
    ['file:///etc/passwd', '/etc/passwd'],
  ])('%s', (path, absolute) => expect(normalise(path, place)).toBe(absolute));
});

describe('secret', () => {
  it.each([
    ['.env', 'environment'],
    ['config/.env.production', 'environment'],
    ['prod.env', 'environment'],
    ['~/.ssh/id_rsa', 'key'],
    ['~/.ssh', 'key'],
    ['/root/.ssh/deploy', 'key'],
    ['server.pem', 'key'],
    ['~/.aws/credentials', 'credentials'],
    ['~/.kube/config', 'credentials'],
    ['~/.config/gh/hosts.yml', 'credentials'],
    ['~/.docker/config.json', 'credentials'],
    ['~/.npmrc', 'credentials'],
    ['/etc/shadow', 'accounts'],
    ['/etc/shadow-', 'accounts'],
    ['/etc/../etc/shadow', 'accounts'],
    ['/e??/sha*', 'accounts'],
    ['.en*', 'environment'],
    ['~/.ssh/id_*', 'key'],
    ['/proc/1/environ', 'memory'],
    ['~/.bash_history', 'history'],
    ['~/.config/google-chrome/Default/Login Data', 'browser'],
  ])('%s is %s', (path, kind) => expect(classify(path, place).secret).toBe(kind));

  it.each([
    '.env.example',
    '.env.sample',
    'src/env.ts',
    '~/.ssh/id_rsa.pub',
    '~/.ssh/known_hosts',
    '~/.ssh/config',
    '*',
    '*.ts',
    'shadow',
    'src/key.ts',
    '/etc/hosts',
    'README.md',
    '.*',
  ])('%s is not', (path) => expect(classify(path, place).secret).toBeNull());

  it('is quick with any pattern', () => {
    const started = classify(`${'?*'.repeat(30)}x`, place);
    expect(started.secret).toBeNull();
  });
});

describe('persistence', () => {
  it.each([
    ['~/.bashrc', 'shell-start'],
    ['/etc/profile.d/x.sh', 'shell-start'],
    ['~/.config/fish/config.fish', 'shell-start'],
    ['~/.ssh/authorized_keys', 'authorized-keys'],
    ['/etc/cron.d/job', 'cron'],
    ['/var/spool/cron/root', 'cron'],
    ['/etc/systemd/system/x.service', 'service'],
    ['~/Library/LaunchAgents/x.plist', 'service'],
    ['.git/hooks/pre-commit', 'git-hook'],
    ['~/.gitconfig', 'git-hook'],
    ['/etc/sudoers.d/x', 'login'],
    ['/etc/ld.so.preload', 'login'],
    ['~/.config/autostart/x.desktop', 'autostart'],
  ])('%s is %s', (path, kind) => expect(classify(path, place).persistence).toBe(kind));

  it.each(['.git/hooks/pre-commit.sample', 'src/profile.ts', 'bashrc.md'])('%s is not', (path) =>
    expect(classify(path, place).persistence).toBeNull(),
  );
});

describe('system, home, device', () => {
  it.each([
    ['/', 'root'],
    ['/*', 'root'],
    ['/etc', 'tree'],
    ['/usr/*', 'tree'],
    ['/etc/nginx', 'inside'],
    ['/tmp/x', null],
    ['/var/tmp/x', null],
    ['src', null],
    ['../../usr', 'tree'],
  ])('%s: %s', (path, system) => expect(classify(path, place).system).toBe(system));

  it.each([
    ['~', 'itself'],
    ['~/*', 'itself'],
    ['/home', 'itself'],
    ['/Users/x', 'itself'],
    ['/root', 'itself'],
    ['~/Documents', 'inside'],
    ['src', null],
  ])('%s: %s', (path, home) => expect(classify(path, place).home).toBe(home));

  it.each([
    ['/dev/sda', 'disk'],
    ['/dev/nvme0n1p1', 'disk'],
    ['/dev/mapper/vg-root', 'disk'],
    ['/dev/disk/by-id/x', 'disk'],
    ['/dev/sd*', 'disk'],
    ['/dev/null', 'harmless'],
    ['/dev/stdout', 'harmless'],
    ['/dev/shm/x', 'harmless'],
    ['/dev/mem', 'memory'],
    ['/dev/ttyUSB0', 'other'],
    ['dev/sda', null],
  ])('%s: %s', (path, device) => expect(classify(path, place).device).toBe(device));
});

describe('rebuildable, temporary, guard', () => {
  it.each([
    'node_modules',
    './node_modules/x',
    'packages/a/dist',
    'target',
    'build/x',
    '.next',
    'src/__pycache__',
    'a.pyc',
    '/work/project/coverage',
  ])('%s is rebuildable', (path) => expect(classify(path, place).rebuildable).toBe(true));
  it.each([
    'src',
    '.',
    '*',
    'src/build/rules.ts',
    'node_modules/../src',
    '/',
    '/usr/lib/node_modules',
    '/build',
    '~',
  ])('%s is not', (path) => expect(classify(path, place).rebuildable).toBe(false));
  it.each(['/tmp/x', '/var/tmp/a/b', '/private/tmp/x'])('%s is temporary', (path) =>
    expect(classify(path, place).temporary).toBe(true),
  );
  it.each(['/tmp', '/tmp/../etc', 'tmp/x'])('%s is not temporary', (path) =>
    expect(classify(path, place).temporary).toBe(false),
  );
  it.each([
    '~/.sallyport/rules.toml',
    '.claude/settings.json',
    '.claude/settings.local.json',
    '~/.codex/config.toml',
    '.cursor/hooks.json',
    '~/.config/sallyport/x',
    '.claude',
    'sallyport.toml',
    '/usr/local/bin/sallyport',
    '/run/sallyport.sock',
    '/w/node_modules/sallyport/dist/cli.cjs',
    '/etc/claude-code/managed-settings.json',
    '/etc/codex',
    '~/.config/opencode/x',
    '.kiro/mcp.json',
    '${SALLYPORT_HOME}/rules.toml',
  ])('%s is the guard’s', (path) => expect(classify(path, place).guard).toBe(true));
  it.each(['.claude/commands/x.md', 'CLAUDE.md', 'src/settings.json', '.cursor/rules/x.mdc'])(
    '%s is not',
    (path) => expect(classify(path, place).guard).toBe(false),
  );
});
