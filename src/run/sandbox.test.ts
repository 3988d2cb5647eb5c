// Attacks on the sandbox: hostile commands run inside the real one. These commands are not judged.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { attempt, commandPlace, running, sandboxMissing } from '../../tests/support/command.ts';
import { processGroup } from './cgroup.ts';
import { findSandbox } from './sandbox.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const python = (source: string) => ({ kind: 'python', source }) as const;

/** Whether the kernel itself limits processes here, in addition to our own limit. */
async function counted(): Promise<boolean> {
  const group = processGroup(8);
  await group?.remove();
  return group !== null || process.getuid?.() !== 0;
}

/** A sleep duration that no other process uses. */
let lastSleep = 0;
function uniqueSleep(): string {
  lastSleep++;
  return `${40_000 + process.pid}.${lastSleep}`;
}

describe.skipIf(sandboxMissing !== null)('in the sandbox', () => {
  it('a command writes in its workspace', async () => {
    const place = commandPlace();
    const result = await attempt(place, 'echo one > a.txt && cat a.txt');
    expect(result).toEqual({
      stdout: 'one\n',
      stderr: '',
      exitCode: 0,
      signal: null,
      timedOut: false,
      limit: null,
      truncated: false,
      redactions: {},
      notes: [],
    });
    expect(readFileSync(join(place.workspace, 'a.txt'), 'utf8')).toBe('one\n');
  });

  it('nothing outside the workspace is written', async () => {
    const place = commandPlace();
    const targets = [
      place.folder,
      place.person,
      '/tmp',
      '/var/tmp',
      '/dev/shm',
      '/etc',
      '/usr',
      '/usr/local/bin',
      '/',
    ];
    const name = `sallyport-escaped-${process.pid}`;
    const commands = targets.map((folder) => `(echo x > ${folder}/${name}) 2>/dev/null`);
    const { exitCode } = await attempt(place, `${commands.join('; ')}; exit 0`);
    expect(exitCode).toBe(0);
    expect(targets.filter((folder) => existsSync(join(folder, name)))).toEqual([]);
  });

  it('a link out of the workspace leads nowhere', async () => {
    const place = commandPlace();
    symlinkSync(place.home, join(place.workspace, 'link'));
    const result = await attempt(place, 'cat link/keys; echo x > link/new');
    expect(result.stdout).toBe('');
    expect(existsSync(join(place.home, 'new'))).toBe(false);
  });

  it('keys and secrets are not there', async () => {
    const place = commandPlace();
    const { stdout } = await attempt(
      place,
      `cat ${place.home}/keys ~/.ssh/id ${place.person}/.ssh/id /etc/shadow; ls -A ~ /run /sys /home /root /mnt 2>/dev/null; ls -A ${place.folder}`,
    );
    expect(stdout).not.toContain('key of');
    expect(stdout).not.toMatch(/^root:/m);
    expect(stdout.trim().split('\n').at(-1)).toBe('workspace');
  });

  it('secrets stay hidden in a home that may be read', async () => {
    const place = commandPlace();
    writeFileSync(join(place.person, 'notes'), 'may be read');
    writeFileSync(join(place.person, '.netrc'), 'the key of a server');
    const { stdout } = await attempt(place, `cd ${place.person}; cat notes .ssh/id .netrc; ls -A .ssh`, {
      limits: { readPaths: [place.person] },
    });
    expect(stdout).toBe('may be read');
  });

  it('nothing of our own environment is told, and no shell start-up file is read', async () => {
    vi.stubEnv('CLOUD_TOKEN', 'a-value-of-ours');
    vi.stubEnv('BASH_ENV', '/tmp/start');
    const { stdout } = await attempt(commandPlace(), 'env; cat /proc/1/environ /proc/self/environ');
    expect(stdout).toContain('PATH=');
    expect(stdout).not.toMatch(/CLOUD_TOKEN|BASH_ENV|a-value-of-ours|SALLYPORT|VITEST/);
  });

  it('there is no network, not even to this machine', async () => {
    const server = createServer((socket) => socket.end('reached')).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const place = commandPlace();
    const tries = `(exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3); cat /proc/net/route | wc -l`;
    const result = await attempt(place, tries);
    expect(result.stdout).not.toContain('reached');
    expect(result.stdout.trim()).toBe('1');
    // The same command reaches the server if the user enabled the network.
    expect((await attempt(place, tries, { limits: { network: 'host' } })).stdout).toContain('reached');
    expect(
      (await attempt(place, tries, { limits: { network: 'host' }, network: 'off' })).stdout,
    ).not.toContain('reached');
  });

  it('a Unix socket of this machine is out of reach', async () => {
    const place = commandPlace();
    const socket = join(place.home, 'sock');
    const server = createServer((one) => one.end('reached')).listen(socket);
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const source = `import socket\ns = socket.socket(socket.AF_UNIX)\ns.connect(${JSON.stringify(socket)})\nprint(s.recv(9))`;
    const { stdout, stderr } = await attempt(place, python(source));
    expect(stdout).toBe('');
    expect(stderr).toContain('FileNotFoundError');
  });

  it('processes outside are neither seen nor ended', async () => {
    const outside = spawn('sleep', [uniqueSleep()]);
    onTestFinished(() => void outside.kill('SIGKILL'));
    const { stdout } = await attempt(
      commandPlace(),
      `kill -9 ${outside.pid}; ls -d /proc/[0-9]* | wc -l; trap '' TERM; kill -TERM -1; echo still`,
    );
    expect(Number(stdout.split('\n')[0])).toBeLessThan(8);
    expect(stdout).toContain('still');
    expect(outside.exitCode).toBeNull();
    expect(outside.signalCode).toBeNull();
  });

  it('/proc leads back into the sandbox, and the kernel is not set', async () => {
    const place = commandPlace();
    const { stdout } = await attempt(
      place,
      `cat /proc/1/root${place.home}/keys /proc/self/root${place.home}/keys; for f in /proc/sys/kernel/core_pattern /proc/sysrq-trigger /proc/sys/vm/drop_caches; do [ -e $f ] && (: >> $f) 2>/dev/null && echo open $f; done; ls /proc/1/root`,
    );
    expect(stdout).not.toContain('key of');
    expect(stdout).not.toContain('open');
    expect(stdout).toContain('usr');
  });

  it('no rights are gained', async () => {
    const { stdout } = await attempt(
      commandPlace(),
      'grep -E "NoNewPrivs|CapEff|CapBnd" /proc/self/status; unshare -U true && echo namespace; unshare -m true && echo mounts; mount -t tmpfs x /tmp && echo mounted; mknod n b 8 0 && echo device; chroot / true && echo root; exit 0',
    );
    expect(stdout).toBe('CapEff:\t0000000000000000\nCapBnd:\t0000000000000000\nNoNewPrivs:\t1\n');
  });

  it('there is no terminal to type into', async () => {
    const source = [
      'import fcntl, os, termios',
      'for path in ["/dev/tty", "/dev/console", "/proc/1/fd/0", "/proc/1/fd/1"]:',
      '    try:',
      '        fcntl.ioctl(os.open(path, os.O_RDWR | os.O_NOCTTY), termios.TIOCSTI, b"x")',
      '        print("typed into", path)',
      '    except OSError as error: pass',
      'print(os.getsid(0) == os.getpgid(0) or os.getsid(0))',
    ].join('\n');
    const { stdout, stderr } = await attempt(commandPlace(), python(source));
    expect(stderr).toBe('');
    expect(stdout).not.toContain('typed');
  });

  it('what says what an agent may do can be read only', async () => {
    const place = commandPlace();
    mkdirSync(join(place.workspace, '.git/hooks'), { recursive: true });
    mkdirSync(join(place.workspace, '.claude'));
    writeFileSync(join(place.workspace, 'sallyport.toml'), 'as it was');
    const { stdout } = await attempt(
      place,
      'cat sallyport.toml; echo x > sallyport.toml; echo x > .git/hooks/pre-commit; echo x > .claude/settings.json; rm -rf .claude; mv sallyport.toml y; echo x > .git/other',
    );
    expect(stdout).toBe('as it was');
    expect(readFileSync(join(place.workspace, 'sallyport.toml'), 'utf8')).toBe('as it was');
    expect(existsSync(join(place.workspace, '.git/hooks/pre-commit'))).toBe(false);
    expect(existsSync(join(place.workspace, '.claude/settings.json'))).toBe(false);
    expect(existsSync(join(place.workspace, '.git/other'))).toBe(false);
  });
});

describe.skipIf(sandboxMissing !== null)('the limits', () => {
  // The bomb would end by itself after 512 processes: a failing limit must not exhaust the machine.
  it('stop a fork bomb, and leave nothing of it', async () => {
    const sleep = uniqueSleep();
    const bomb = 'bomb() { [ $1 = 0 ] && exec sleep $2; bomb $(($1 - 1)) $2 & bomb $(($1 - 1)) $2 & wait; }';
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, running(sleep));
    }, 50);
    const result = await attempt(commandPlace(), `${bomb}; bomb 9 ${sleep}`, {
      limits: { maxProcesses: 64, timeoutMs: 2000 },
    });
    clearInterval(watch);
    expect(result.limit === 'processes' || /Resource temporarily unavailable/.test(result.stderr)).toBe(true);
    expect(most).toBeGreaterThan(1);
    if (await counted()) expect(most).toBeLessThan(80);
    expect(running(sleep)).toBe(0);
  });

  it('stop processes that hold too much memory together', async () => {
    const source = [
      'import os, time',
      'for _ in range(4):',
      '    if os.fork() == 0:',
      '        held = bytearray(b"x") * (90 * 1024 * 1024)',
      '        time.sleep(60)',
      'time.sleep(60)',
    ].join('\n');
    const result = await attempt(commandPlace(), python(source), {
      limits: { maxMemoryMb: 128, timeoutMs: 30_000 },
    });
    expect(result).toMatchObject({ limit: 'memory', timedOut: false, exitCode: 137, signal: 'SIGKILL' });
  });

  it('give one process no more memory than all may have', async () => {
    const { stderr, exitCode } = await attempt(commandPlace(), python('bytearray(400 * 1024 * 1024)'), {
      limits: { maxMemoryMb: 128 },
    });
    expect(stderr).toContain('MemoryError');
    expect(exitCode).toBe(1);
  });

  it('cut a file that grows too long', async () => {
    const place = commandPlace();
    const result = await attempt(place, 'head -c 5000000 /dev/zero > big', { limits: { maxFileMb: 1 } });
    expect(result.exitCode).not.toBe(0);
    expect(readFileSync(join(place.workspace, 'big')).length).toBeLessThanOrEqual(1_048_576);
  });

  it('cut an endless output', async () => {
    const result = await attempt(commandPlace(), 'yes', {
      limits: { maxOutputBytes: 10_000, timeoutMs: 500 },
    });
    expect(result).toMatchObject({ truncated: true, timedOut: true });
    expect(result.stdout.length).toBeLessThan(10_100);
    expect(result.stdout).toMatch(/^(?:y\n)+.*\n\[the rest is left out: more than 10000 bytes\]\n$/);
  });

  it('ask a command to end before they end it', async () => {
    const result = await attempt(commandPlace(), "trap 'echo asked; exit 7' TERM; sleep 60 & wait", {
      timeoutMs: 300,
    });
    expect(result).toMatchObject({ stdout: 'asked\n', exitCode: 7, timedOut: true });
  });

  it('end a command whose children are deaf', async () => {
    const sleep = uniqueSleep();
    const result = await attempt(
      commandPlace(),
      `trap '' TERM; (trap '' TERM; setsid sleep ${sleep}) & while :; do sleep ${sleep}; done`,
      { timeoutMs: 300 },
    );
    expect(result).toMatchObject({ timedOut: true, exitCode: 137, signal: 'SIGKILL' });
    expect(running(sleep)).toBe(0);
  });

  it('give no more time than the settings do', async () => {
    const result = await attempt(commandPlace(), 'sleep 60', {
      limits: { timeoutMs: 200 },
      timeoutMs: 60_000,
    });
    expect(result.timedOut).toBe(true);
  });

  it('leave nothing in the background', async () => {
    const sleep = uniqueSleep();
    const result = await attempt(commandPlace(), `setsid sleep ${sleep} & echo done`);
    expect(result).toMatchObject({ stdout: 'done\n', exitCode: 0, timedOut: false });
    expect(running(sleep)).toBe(0);
  });
});

describe.skipIf(sandboxMissing !== null)('a workspace', () => {
  it.each([
    ['/', 'would be in reach'],
    ['/tmp', 'would be in reach'],
    ['/usr', 'folder of the whole machine'],
    ['/etc/ssl', 'folder of the system'],
    ['/proc/self', 'folder of the system'],
    ['/run/lock', 'folder of the system'],
  ])('%s is refused', async (workspace, why) => {
    const place = { ...commandPlace(), workspace };
    await expect(attempt(place, 'true')).rejects.toThrow(why);
  });

  it("that is Sallyport's folder, a home or a folder of keys is refused", async () => {
    const place = commandPlace();
    const run = (workspace: string) => attempt({ ...place, workspace }, 'true');
    await expect(run(place.home)).rejects.toThrow("Sallyport's own folder");
    await expect(run(place.folder)).rejects.toThrow("Sallyport's own folder");
    await expect(run(place.person)).rejects.toThrow('whole home');
    await expect(run(join(place.person, '.ssh'))).rejects.toThrow('keys are kept');
  });

  it('in a home is a folder like any other', async () => {
    const place = commandPlace();
    const workspace = join(place.person, 'project');
    mkdirSync(workspace);
    const { stdout } = await attempt({ ...place, workspace }, 'pwd; ls -A ~');
    expect(stdout).toContain('project');
    expect(stdout).not.toContain('.ssh');
  });
});

describe('without a sandbox', () => {
  it.runIf(process.platform === 'linux')('says what is missing and how to mend it', async () => {
    expect(await findSandbox([])).toEqual({
      problem: 'bubblewrap is not installed',
      hint: expect.stringContaining('apt install bubblewrap'),
    });
    expect(await findSandbox(['/bin/false'])).toEqual({
      problem: 'bubblewrap cannot make a sandbox here: it ended with status 1',
      hint: expect.stringContaining('user namespaces'),
    });
  });

  it.runIf(process.platform === 'linux')('takes no program that others may have put there', async () => {
    const { folder } = commandPlace();
    const program = join(folder, 'bwrap');
    writeFileSync(program, '#!/bin/sh\nexit 0\n');
    chmodSync(program, 0o777);
    expect(await findSandbox([program])).toMatchObject({ problem: 'bubblewrap is not installed' });
  });
});
