// Monitoring a host's processes, with real ones: those of a call are found, those of hooks and earlier ones are not.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { CallProcesses } from './processes.ts';

/** A host that starts the commands that it receives, one per line, and reports it. */
async function startHost(): Promise<ChildProcess> {
  const script = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const child = require('node:child_process').spawn('/bin/sh', ['-c', line], { stdio: 'ignore' });
    child.once('spawn', () => console.log('started'));
    child.once('exit', () => console.log('ended'));
  }); console.log('ready');`;
  const host = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void host.kill('SIGKILL'));
  await once(host.stdout, 'data');
  return host;
}

async function tell(host: ChildProcess, line: string): Promise<void> {
  host.stdin?.write(`${line}\n`);
  if (host.stdout !== null) await once(host.stdout, 'data');
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-processes-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test.runIf(process.platform === 'linux')(
  'a call is busy while a process of it lives, and no hook counts',
  async () => {
    const clients = temporaryFolder();
    const folder = temporaryFolder();
    writeFileSync(join(clients, 'claude'), '#!/bin/sh\nsleep 60\n', { mode: 0o755 });
    const host = await startHost();
    await tell(host, 'exec sleep 60');
    const found = CallProcesses.calledFrom(host.pid ?? 0, clients);
    expect(found?.look()).toBe('quiet');
    await tell(host, `exec '${clients}/claude'`);
    expect(found?.look()).toBe('quiet');
    await tell(host, `until [ -e '${folder}/seen' ]; do sleep 0.05; done`);
    await vi.waitFor(() => expect(found?.look()).toBe('busy'), 20_000);
    writeFileSync(join(folder, 'seen'), '');
    if (host.stdout !== null) await once(host.stdout, 'data');
    expect(found?.look()).toBe('quiet');
    host.kill('SIGKILL');
    await once(host, 'exit');
    expect(found?.look()).toBe('gone');
    expect(CallProcesses.calledFrom(0, clients)).toBeNull();
  },
);

test.runIf(process.platform === 'linux')(
  'the shell of a hook is not the host, however long the hook takes',
  async () => {
    const clients = temporaryFolder();
    const ids = join(clients, 'ids');
    const client = `#!/bin/sh\necho $PPID $$ > '${ids}.new'; mv '${ids}.new' '${ids}'\nexec sleep 60\n`;
    writeFileSync(join(clients, 'claude'), client, { mode: 0o755 });
    const host = await startHost();
    await tell(host, `'${clients}/claude'; :`);
    await vi.waitFor(() => expect(existsSync(ids)).toBe(true), 20_000);
    const [shell = 0, hook = 0] = readFileSync(ids, 'utf8').split(' ').map(Number);
    expect(shell).not.toBe(host.pid);
    const found = CallProcesses.calledFrom(shell, clients, 0);
    process.kill(shell, 'SIGKILL');
    process.kill(hook, 'SIGKILL');
    if (host.stdout !== null) await once(host.stdout, 'data');
    expect(found?.look()).not.toBe('gone');
  },
);

test.runIf(process.platform === 'linux')(
  'what a call leaves running is known, also when the shell that started it has ended',
  async () => {
    const folder = temporaryFolder();
    const host = await startHost();
    await tell(host, 'exec sleep 61');
    const found = CallProcesses.calledFrom(host.pid ?? 0, '/nowhere');
    // The shell reports when it has a session of its own, and exits only once it was scanned.
    const shell = 'sleep 62 & : > started; until [ -e seen ]; do sleep 0.05; done';
    await tell(host, `cd '${folder}' && setsid sh -c '${shell}'; :`);
    await vi.waitFor(() => expect(existsSync(join(folder, 'started'))).toBe(true), 20_000);
    expect(found?.look()).toBe('busy');
    writeFileSync(join(folder, 'seen'), '');
    if (host.stdout !== null) await once(host.stdout, 'data');
    const left = found?.survivors() ?? [];
    onTestFinished(() => left.forEach((id) => void process.kill(id, 'SIGKILL')));
    const words = left.map((id) => readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0').join(' ').trim());
    expect(words).toEqual(['sleep 62']);
  },
);

/** Node cannot copy itself without becoming another program; Perl can. */
const hasPerl = process.platform === 'linux' && spawnSync('perl', ['-e', '1']).status === 0;

test.runIf(hasPerl)('a copy of the host counts once it has become another program', async () => {
  const script = `$| = 1; sysread STDIN, $_, 6; if (fork == 0) { sysread STDIN, $_, 3; exec 'sleep', '60' } print "ready\\n"; sleep 60`;
  const host = spawn('perl', ['-e', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  onTestFinished(() => void process.kill(-(host.pid ?? 0), 'SIGKILL'));
  const found = CallProcesses.calledFrom(host.pid ?? 0, '/nowhere');
  host.stdin.write('begin\n');
  await once(host.stdout, 'data');
  expect(found?.look()).toBe('quiet');
  host.stdin.write('go\n');
  await vi.waitFor(() => expect(found?.look()).toBe('busy'));
});
