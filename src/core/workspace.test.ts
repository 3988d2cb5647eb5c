import { expect, it } from 'vitest';
import { unfitWorkspace } from './workspace.ts';

const scope = { homes: ['/home/ann'], own: ['/home/ann/.sallyport'] };

it.each([
  ...[
    '/',
    '/etc',
    '/etc/nginx',
    '/usr',
    '/usr/lib',
    '/usr/lib/x',
    '/usr/local',
    '/usr/local/bin',
    '/usr/share/x',
  ],
  ...[
    '/var',
    '/var/lib',
    '/var/lib/postgresql',
    '/var/log',
    '/var/spool/cron',
    '/bin',
    '/sbin',
    '/lib',
    '/lib64',
  ],
  ...[
    '/boot',
    '/opt',
    '/proc',
    '/proc/1',
    '/sys',
    '/dev',
    '/dev/shm',
    '/run',
    '/run/user/1000',
    '/tmp',
    '/var/tmp',
  ],
  ...['/home', '/home/ann', '/home/bob', '/root', '/Users', '/Users/bob', '/var/home/bob', '/var/root'],
  ...[
    '/System/Library',
    '/Library',
    '/Applications',
    '/private',
    '/private/etc',
    '/private/var',
    '/private/tmp',
  ],
  ...['/home/ann/.ssh', '/home/ann/.ssh/x', '/home/bob/.ssh', '/root/.ssh', '/home/ann/.config/autostart'],
  ...['/home/ann/.config/systemd/user', '/home/ann/.claude', '/home/ann/.codex', '/home/ann/.aws'],
  ...['/home/ann/.sallyport', '/home/ann/.sallyport/keys', '/mnt', '/nix/store/x'],
])('%s is no workspace', (folder) => {
  expect(unfitWorkspace(folder, scope)?.why).toMatch(/^(?:is|contains) /);
});

it.each([
  ...['/home/ann/shop', '/home/ann/shop/infra', '/home/bob/shop', '/root/project', '/Users/bob/code/x'],
  ...['/app', '/workspace', '/workspaces/x', '/srv', '/srv/app', '/opt/app', '/code', '/data/x', '/mnt/c/x'],
  ...[
    '/tmp/x',
    '/var/tmp/x',
    '/private/tmp/x',
    '/var/folders/zz/x',
    '/private/var/folders/zz/x',
    '/usr/src/app',
  ],
  ...['/var/www', '/var/www/html', '/var/home/bob/x', '/home/ann/.config/nvim', '/home/ann/.dotfiles'],
  ...['/home/ann/etc', '/home/ann/.sallyport-notes', '/etcetera', '/Volumes/disk/x', '/github/workspace'],
])('%s is a workspace', (folder) => {
  expect(unfitWorkspace(folder, scope)).toBeNull();
});

it('takes neither the own folder of Sallyport, nor what holds it, nor what lies in it', () => {
  const own = { homes: [], own: ['/srv/guard/sp'] };
  for (const path of ['/srv/guard/sp', '/srv/guard/sp/keys', '/srv/guard', '/srv', '/']) {
    expect([path, unfitWorkspace(path, own)?.kind]).toEqual([path, 'own']);
  }
  expect(unfitWorkspace('/srv/guard/spare', own)).toBeNull();
});

it('takes folders in the home of a service, wherever that lies', () => {
  const service = { homes: ['/var/lib/jenkins'], own: [] };
  expect(unfitWorkspace('/var/lib/jenkins', service)?.kind).toBe('home');
  expect(unfitWorkspace('/var/lib/jenkins/workspace/shop', service)).toBeNull();
  expect(unfitWorkspace('/var/lib/postgresql', service)?.kind).toBe('system');
  // An account without a home of its own has none that would open the system.
  expect(unfitWorkspace('/etc/nginx', { homes: ['/etc'], own: [] })?.kind).toBe('system');
});
