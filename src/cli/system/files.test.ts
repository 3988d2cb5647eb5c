import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/ledger.ts';
import type { SystemDaemon } from '../../config/index.ts';
import { enterScript, installCommands, installedFiles, unitText } from './files.ts';

const daemon: SystemDaemon = {
  user: 'alice',
  uid: 1000,
  gid: 1000,
  user_home: '/home/alice',
  as: 'sallyport',
  port: 4719,
  node: '/opt/node 24/bin/node',
  program: '/opt/100%/it’s $HOME/sallyport.cjs',
};

describe('the script that drops the rights of root', () => {
  it('is one that a shell reads', () => {
    const { status, stderr } = spawnSync('/bin/sh', ['-n'], { input: enterScript(daemon), encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('does nothing for anybody but root', () => {
    const script = enterScript(daemon).replace('$(id -u)', '1000');
    const { status, stderr } = spawnSync('/bin/sh', ['-s', 'true'], { input: script, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 1, stderr: 'sallyport: this needs root\n' });
  });

  it('gives three capabilities in a namespace of two users, and takes every other right', () => {
    const script = enterScript(daemon);
    expect(
      script.match(/--(?:inh-caps|ambient-caps|bounding-set)=-all,\+chown,\+dac_override,\+fowner /g),
    ).toHaveLength(3);
    expect(script).toContain('unshare --user --keep-caps');
    expect(script).toContain('--no-new-privs');
    expect(script).toContain('users="$own $own 1\n1000 1000 1"');
  });
});

describe('the commands that --print shows', () => {
  const files = installedFiles(daemon, true);
  const commands = installCommands(daemon, files);

  it('are ones that a shell reads', () => {
    const { status, stderr } = spawnSync('/bin/sh', ['-n'], { input: commands.join('\n'), encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('write every file as it is', () => {
    const folder = temporaryFolder();
    for (const file of files) {
      const path = join(folder, 'file');
      const written = installCommands(daemon, [{ ...file, path }]).at(-1) ?? '';
      const { stderr } = spawnSync('/bin/sh', ['-c', `${written} && cat ${path}`], { encoding: 'utf8' });
      expect(stderr).toBe('');
      expect(spawnSync('cat', [path], { encoding: 'utf8' }).stdout).toBe(file.text);
    }
  });

  it('name no unit where systemd does not run', () => {
    expect(installedFiles(daemon, false).map(({ path }) => path)).toEqual([
      '/etc/sallyport/system/alice.sh',
      '/etc/sallyport/system/alice.json',
    ]);
  });
});

describe('the unit', () => {
  it('hands systemd every word as it is', () => {
    expect(unitText(daemon)).toContain(
      'ExecStart=/etc/sallyport/system/alice.sh "/opt/node 24/bin/node" "/opt/100%%/it’s $$HOME/sallyport.cjs" up --port 4719 --log info\n',
    );
  });

  const analyzer = ['/usr/bin/systemd-analyze', '/bin/systemd-analyze'].find((path) => existsSync(path));
  it.runIf(analyzer !== undefined)('is one that systemd takes', () => {
    const unit = join(temporaryFolder(), 'sallyport-alice.service');
    // A file that is not there would be the one complaint.
    writeFileSync(
      unit,
      unitText({ ...daemon, node: '/bin/true' }).replace('/etc/sallyport/system/alice.sh', '/bin/true'),
    );
    const { stdout, stderr } = spawnSync(analyzer ?? '', ['verify', '--man=no', unit], { encoding: 'utf8' });
    const about = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('sallyport'));
    expect(about).toEqual([]);
    const wrong = `${unitText(daemon)}\n[Service]\nProtectSytem=full\n`;
    writeFileSync(unit, wrong);
    const control = spawnSync(analyzer ?? '', ['verify', '--man=no', unit], { encoding: 'utf8' });
    expect(control.stderr).toContain('ProtectSytem');
  });
});
