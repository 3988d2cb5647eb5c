// sallyport exec as people and scripts meet it.

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cli, ended, jsonLines, newPlace, type Place, startCli } from '../support/cli.ts';
import { running, sandboxMissing } from '../support/command.ts';
import { hidden } from '../support/hidden.ts';

describe('sallyport exec', () => {
  it('blocks, says why on standard error, and records it', async () => {
    const place = newPlace();
    const blocked = await cli(place, ['exec', '--', 'rm', '-rf', '/']);
    expect(blocked).toMatchObject({ status: 1, stdout: '' });
    expect(blocked.stderr).toContain('BLOCK command/mass_deletion (layer 1');
    const [entry] = jsonLines((await cli(place, ['log', '--json'])).stdout);
    expect(entry).toMatchObject({ event_type: 'decision', decision: 'block' });
  });

  it('answers machines with the decision and the error of the rule', async () => {
    const { stdout, status } = await cli(newPlace(), ['exec', '--json', '-c', 'r""m -rf /']);
    expect(jsonLines(stdout)).toEqual([
      {
        decision: 'block',
        decisionId: expect.any(String),
        error: expect.stringContaining("matches dangerous pattern 'mass_deletion'"),
        rule: 'mass_deletion',
        layer: 1,
      },
    ]);
    expect(status).toBe(1);
  });

  it('waits where a person must say yes', async () => {
    const place = newPlace();
    const args = ['exec', '--profile', 'developer', '--json', '--', 'unknown-program'];
    const { stdout, status } = await cli(place, args);
    expect(jsonLines(stdout)).toMatchObject([{ decision: 'approve', approval: { id: expect.any(String) } }]);
    expect(status).toBe(3);
    expect((await cli(place, ['approvals'])).stdout).toContain('unknown-program');
  });

  it.each([
    [[], 'there is nothing to run'],
    [['-c', 'ls', '--', 'ls'], 'more than one thing'],
    [['-c', 'ls', '--python', '1'], 'more than one thing'],
    [['--timeout', '60', '--', 'ls'], '--timeout is a time'],
    [['--timeout', '0s', '--', 'ls'], '--timeout is a time'],
    [['--network', 'host', '--', 'ls'], '--network can only be off'],
    [['--profile', 'loose', '--', 'ls'], '--profile is developer or strict'],
    [['--cwd', '..', '--', 'ls'], '"cwd" does not lie in the workspace'],
    [['--python-file', 'none.py'], 'there is no file'],
    [['ls', '-la'], 'unknown option --l'],
  ])('%j is wrong use', async (args, message) => {
    const { status, stderr, stdout } = await cli(newPlace(), ['exec', ...args]);
    expect(stderr).toContain(message);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  });

  it('runs nothing under another profile than the one asked for', async () => {
    const place = newPlace();
    mkdirSync(place.home, { mode: 0o700 });
    writeFileSync(join(place.home, 'sallyport.toml'), '[agents.default]\nprofile = "strict"\n');
    const { status, stderr } = await cli(place, ['exec', '--profile', 'developer', '--', 'ls']);
    expect(stderr).toContain('the configuration says "strict"');
    expect(status).toBe(2);
  });

  it('leaves what comes after -- to the command', async () => {
    const { stdout } = await cli(newPlace(), [
      ...['exec', '--json', '--profile', 'strict', '--', 'make', '--help', '-h', '--json'],
    ]);
    expect(jsonLines(stdout)).toMatchObject([{ decision: 'block', rule: 'command_not_allowed' }]);
  });
});

describe.skipIf(sandboxMissing !== null)('sallyport exec runs', () => {
  it('nothing in a workspace that holds more than snapshots keep before a person says yes', async () => {
    const place = newPlace();
    mkdirSync(place.home, { mode: 0o700 });
    writeFileSync(join(place.home, 'sallyport.toml'), '[snapshots]\nmax_megabytes = 1\n');
    for (const name of ['a', 'b', 'c']) writeFileSync(join(place.workspace, name), name.repeat(500_000));
    const asked = await cli(place, ['exec', '--profile', 'developer', '--', 'touch', 'd']);
    expect(asked.status).toBe(3);
    expect(asked.stderr).toContain('command/no_undo');
    expect(existsSync(join(place.workspace, 'd'))).toBe(false);
    expect((await cli(place, ['approvals'])).stdout).toContain('touch d');
    // What only reads needs no way back.
    expect((await cli(place, ['exec', '--', 'ls'])).status).toBe(0);
  });

  it('a command with its words as they are, and ends as it does', async () => {
    const place = newPlace();
    writeFileSync(join(place.workspace, "it's; a $(file)"), 'one\ntwo\n');
    const ran = await cli(place, ['exec', '--', 'cat', "it's; a $(file)"]);
    expect(ran).toEqual({ status: 0, stdout: 'one\ntwo\n', stderr: '' });
    const failed = await cli(place, ['exec', '--', 'ls', '*.ts']);
    expect(failed).toMatchObject({ status: 2, stdout: '' });
    expect(failed.stderr).toContain("'*.ts'");
  });

  it('a text of bash, in a folder, within a time', async () => {
    const place = newPlace();
    mkdirSync(join(place.workspace, 'src'));
    const ran = await cli(
      place,
      ['exec', '--cwd', 'src', '--network', 'off', '-c', 'echo hi | tee a | wc -c'],
      {
        environment: { CLOUD_TOKEN: 'ours' },
      },
    );
    expect(ran).toEqual({ status: 0, stdout: '3\n', stderr: '' });
    expect(readFileSync(join(place.workspace, 'src/a'), 'utf8')).toBe('hi\n');
    const late = await cli(place, ['exec', '--json', '--timeout', '300ms', '--python', 'while True: pass']);
    expect(jsonLines(late.stdout)).toMatchObject([{ decision: 'pass', timed_out: true, exit_code: 143 }]);
    expect(late.status).toBe(143);
  });

  it('Python from a file, and takes secrets out of what it prints', async () => {
    const place = newPlace();
    const token = `ghp_${'x7Kq2mZ9'.repeat(4)}abcd`; // sallyport:allow
    writeFileSync(join(place.workspace, 'a.py'), `print("token", "${token}")`);
    const shown = await cli(place, ['exec', '--python-file', 'a.py']);
    expect(shown.stdout).toBe('token [REDACTED:access-token]\n');
    expect(shown.stderr).toBe('sallyport: redacted in the output: 1 access-token\n');
    const machine = await cli(place, ['exec', '--json', '--python-file', 'a.py']);
    expect(machine.stdout).not.toContain('ghp_');
    expect(jsonLines(machine.stdout)).toMatchObject([{ redactions: { 'access-token': 1 } }]);
  });

  it('nothing any more when it is asked to end', async () => {
    const marker = `${70_000 + process.pid}`;
    const child = startCli(newPlace(), [
      'exec',
      '--python',
      `import time\nprint("up", flush=True)\ntime.sleep(${marker})`,
    ]);
    child.stdout?.once('data', () => child.kill('SIGTERM'));
    const { status, stdout, stderr } = await ended(child);
    expect({ status, stdout }).toEqual({ status: 1, stdout: 'up\n' });
    expect(stderr).toContain('the command was given up, and ended');
    expect(running(marker)).toBe(0);
  });

  it('nothing that is on standard input', async () => {
    expect(await cli(newPlace(), ['exec', '--', 'cat'], { input: 'not judged' })).toEqual({
      status: 0,
      stdout: '',
      stderr: '',
    });
  });
});

describe.skipIf(sandboxMissing !== null)('sallyport exec keeps to its workspace', () => {
  // A pipe and a folder each, at numbers that Node closes by itself and at ones that it does not.
  const numbers = [3, 4, 8, 9, 15, 16, 30, 63, 200, 251, 254, 255, 1000, 1023, 4000];

  it.each([
    ['a folder', 'FD<"$FOLDER"'],
    ['a file', 'FD<"$FOLDER/token"'],
    ['a pipe', 'FD< <(echo secret; sleep 1)'],
    ['a socket', 'FD<>/dev/tcp/127.0.0.1/$PORT'],
  ])('where it inherits %s at whatever number', async (_, how) => {
    const place = newPlace();
    mkdirSync(place.home, { mode: 0o700 });
    writeFileSync(join(place.home, 'token'), 'secret');
    const server = createServer((socket) => void socket.on('error', () => undefined)).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const address = server.address();
    const opened = numbers.map((number) => `exec ${how.replace('FD', String(number))}`).join('; ');
    const wrapper = ['/bin/bash', '-c', `ulimit -n 5000; ${opened}; exec "$@"`, 'sh'];
    const look = numbers.map(
      (fd) => `cat /proc/self/fd/${fd} /proc/self/fd/${fd}/token /proc/1/fd/${fd}/token`,
    );
    writeFileSync(
      join(place.workspace, 'look.py'),
      `import os, subprocess
print([fd for fd in map(int, os.listdir("/proc/self/fd")) if fd > 2 and os.path.exists(f"/proc/self/fd/{fd}")])
print(subprocess.run(["bash", "-c", ${JSON.stringify(look.join('; '))}], capture_output=True, close_fds=False).stdout)`,
    );
    const { stdout, stderr } = await cli(
      place,
      ['exec', '--profile', 'developer', '--json', '--', 'python3', 'look.py'],
      {
        wrapper,
        environment: {
          FOLDER: place.home,
          PORT: String(typeof address === 'object' ? address?.port : 0),
        },
      },
    );
    expect(stderr).toBe('');
    expect(jsonLines(stdout)).toMatchObject([{ decision: 'pass', exit_code: 0, stdout: "[]\nb''\n" }]);
  });
});

/** Git as the person runs it, outside of any sandbox. */
function git(folder: string, ...args: readonly string[]): string {
  const environment = { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', [...args], { cwd: folder, env: environment, stdio: 'pipe' }).toString();
}

/** A workspace that is a repository, with files that are committed. */
function repositoryWith(files: Readonly<Record<string, string>>): Place {
  const place = newPlace();
  git(place.workspace, 'init', '-q', '.');
  git(place.workspace, 'config', 'user.name', 'Ann');
  git(place.workspace, 'config', 'user.email', 'ann@example.com');
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(place.workspace, name), text);
    chmodSync(join(place.workspace, name), 0o755);
  }
  git(place.workspace, 'add', '.');
  git(place.workspace, 'commit', '-qm', 'one');
  return place;
}

const developer = ['exec', '--profile', 'developer', '--json', '-c'];

describe.skipIf(sandboxMissing !== null)('sallyport exec guards the repository', () => {
  it.each([
    ['deletes it', 'import shutil\nshutil.rmtree(".git", ignore_errors=True)'],
    [
      'replaces it by a copy with a hook',
      'import os, shutil\nos.rename(".git", "g")\nshutil.copytree("g", ".git")\nopen(".git/hooks/pre-commit", "w").write("#!/bin/sh\\ntouch ran\\n")\nos.chmod(".git/hooks/pre-commit", 0o755)',
    ],
  ])('against a script that %s', async (_, source) => {
    const place = repositoryWith({ 'op.py': source });
    const [answer] = jsonLines((await cli(place, [...developer, 'python3 op.py'])).stdout);
    expect(answer).toMatchObject({ decision: 'pass' });
    git(place.workspace, 'commit', '-q', '--allow-empty', '-m', 'two');
    expect(git(place.workspace, 'log', '--format=%s')).toBe('two\none\n');
    expect(existsSync(join(place.workspace, 'ran'))).toBe(false);
  });

  const version = JSON.stringify({
    name: 'x',
    version: '1.0.0',
    scripts: { mark: 'bash rel.sh', test: 'node t.cjs' },
  });
  const files = {
    'package.json': version,
    Makefile: 'all:\n\ttrue\nmark: all\n\tgit tag v9\ntest:\n\tgit describe --always && python3 op.py\n',
    'rel.sh': 'set -e\ngit tag v9\n',
    'rel.py': 'import subprocess\nsubprocess.run(["git", "tag", "v9"], check=True)\n',
    'op.py': 'import shutil\nshutil.rmtree(".git")\n',
    't.cjs': 'require("fs").rmSync(".git", { recursive: true })\n',
  };

  const cases = [
    ['git tag v9', true],
    ['npm version patch', true],
    ['npm run mark', true],
    ['make mark', true],
    ['bash rel.sh', true],
    ['./rel.sh', true],
    ['python3 rel.py', true],
    ['git log && git diff --stat', true],
    ['make test', false],
    ['npm test', false],
    ['python3 op.py; git status', false],
  ] as const;
  const here = cases.filter(
    ([command]) => !/^(?:npm|make)/.test(command) || existsSync(`/usr/bin/${command.split(' ')[0]}`),
  );

  it.each(here)('and runs %s, which may change it: %s', async (command, works) => {
    const place = repositoryWith(files);
    const [answer] = jsonLines((await cli(place, [...developer, command])).stdout);
    expect(answer).toMatchObject({ decision: 'pass', ...(works ? { exit_code: 0 } : {}) });
    expect(git(place.workspace, 'log', '--format=%s').endsWith('one\n')).toBe(true);
    git(place.workspace, 'fsck', '--strict');
  });
});

describe.skipIf(sandboxMissing !== null)('what a command changed', () => {
  it('is looked at again: put back, or asked about with the next command', async () => {
    const place = newPlace();
    const at = (path: string) => join(place.workspace, path);
    mkdirSync(at('deep'));
    const lines = [
      'mkdir -p deep/.claude .github/workflows',
      `echo '{"disableAllHooks":true}' > deep/.claude/settings.json`,
      'echo "on: push" > .github/workflows/x.yml',
    ];
    const command = hidden(place.workspace, lines.join('\n'));
    const exec = (...words: readonly string[]) =>
      cli(place, ['exec', '--profile', 'developer', '--', ...words]);
    const first = await exec(...command.split(' '));
    expect(first).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/deep\/\.claude\/settings\.json/),
    });
    expect(first.stderr).toContain('.github/workflows/x.yml (runs in a pipeline)');
    expect(existsSync(at('deep/.claude/settings.json'))).toBe(false);
    expect((await exec('cat', '.github/workflows/x.yml')).status).toBe(0);
    const asked = await exec('touch', 'a.txt');
    expect(asked).toMatchObject({ status: 3, stderr: expect.stringContaining('path/unreviewed_change') });
    expect((await cli(place, ['approvals'])).stdout).toContain('+on: push');
  });
});
