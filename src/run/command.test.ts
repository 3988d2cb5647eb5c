// How a cleared command is run: once, as judged, within its options, its output redacted; and when it is refused.

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { attempt, clearFor, commandPlace, running, sandboxMissing } from '../../tests/support/command.ts';
import { settingsFrom } from '../config/index.ts';
import { InputError } from '../core/index.ts';
import { type Cleared, NotCleared, realWorld } from '../decide/index.ts';
import { runCommand } from './command.ts';
import { CommandAborted, NotUndoable, SandboxFailed, SandboxUnavailable } from './errors.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const token = `ghp_${'x7Kq2mZ9'.repeat(4)}abcd`; // sallyport:allow
const shell = (command: string) => ({ kind: 'shell', command }) as const;
const python = (source: string) => ({ kind: 'python', source }) as const;

describe.skipIf(sandboxMissing !== null)('a cleared command', () => {
  it.each([
    ['exit 7', 7, null],
    ['kill -SEGV $$', 139, 'SIGSEGV'],
    ['no-such-program', 127, null],
  ])('%s ends as it ends', async (command, exitCode, signal) => {
    expect(await attempt(commandPlace(), command)).toMatchObject({
      exitCode,
      signal,
      timedOut: false,
      limit: null,
    });
  });

  it('runs once', async () => {
    const place = commandPlace();
    const cleared = await clearFor(shell('true'), place);
    const options = { settings: settingsFrom({}), world: realWorld(), home: place.home };
    expect((await runCommand(cleared, options)).exitCode).toBe(0);
    await expect(runCommand(cleared, options)).rejects.toThrow(NotCleared);
    const forged = { ...cleared } as Cleared<'shell'>;
    await expect(runCommand(forged, options)).rejects.toThrow(NotCleared);
  });

  it('starts in its folder', async () => {
    const place = commandPlace();
    await attempt(place, 'mkdir -p a/b');
    const { stdout } = await attempt(place, { ...shell('pwd'), cwd: 'a/b' });
    expect(stdout).toMatch(/workspace\/a\/b\n$/);
    await expect(attempt(place, { ...shell('pwd'), cwd: 'none' })).rejects.toThrow(SandboxFailed);
  });

  it('finds nothing on standard input', async () => {
    expect(await attempt(commandPlace(), 'cat; bash')).toMatchObject({ stdout: '', exitCode: 0 });
  });

  it('gives what it prints piece by piece', async () => {
    const pieces: string[] = [];
    const { stdout } = await attempt(commandPlace(), 'echo one; echo two >&2', {
      onOutput: (stream, text) => pieces.push(`${stream} ${text}`),
    });
    expect(stdout).toBe('one\n');
    expect(pieces.toSorted()).toEqual(['stderr two\n', 'stdout one\n']);
  });

  it('prints no secret, whole or in part', async () => {
    const place = commandPlace();
    writeFileSync(join(place.workspace, 'a'), `key: ${token} end\n`);
    const whole = await attempt(place, 'cat a; cat a >&2');
    expect(whole.stdout).toBe('key: [REDACTED:access-token] end\n');
    expect(whole.redactions).toEqual({ 'access-token': 2 });
    const live: string[] = [];
    for (const size of [1024, 1034, 1044]) {
      const filler = 'y'.repeat(1024 - 9);
      writeFileSync(join(place.workspace, 'b'), `${filler}\n${token}\n${filler}`);
      const cut = await attempt(place, 'cat b', {
        limits: { maxOutputBytes: size },
        onOutput: (_, text) => live.push(text),
      });
      expect(cut.truncated).toBe(true);
      expect(cut.stdout).toContain('left out');
      expect(cut.stdout).not.toContain('ghp_');
    }
    expect(live.join('')).not.toContain('ghp_');
  });

  it('says where a secret that does not end cuts it off', async () => {
    const begin = "echo '-----BEGIN RSA PRIVATE'' KEY-----'";
    const { stdout, truncated } = await attempt(
      commandPlace(),
      `${begin}; seq 1 40000 | tr -d "\\n" | base64; echo after`,
    );
    expect(truncated).toBe(true);
    expect(stdout).toMatch(
      /\[REDACTED:private-key\]\n\[the rest is left out: a secret began that does not end\]\n$/,
    );
  });

  it('passes bytes that are no text', async () => {
    const { stdout } = await attempt(commandPlace(), "printf 'a\\377b\\0c'");
    expect(stdout).toBe('a\ufffdb\0c');
  });

  it('is captured before it starts, or does not start', async () => {
    const place = commandPlace();
    const seen: boolean[] = [];
    const changed = join(place.workspace, 'changed');
    const look = () => void seen.push(existsSync(changed));
    const end = async () => {
      look();
      return ['what was found'];
    };
    const { notes } = await attempt(place, 'touch changed', {
      capture: async () => {
        look();
        return { whole: true, end };
      },
    });
    expect(notes).toEqual(['what was found']);
    expect(seen).toEqual([false, true]);
    const failing = attempt(place, 'touch other', {
      capture: async () => {
        throw new Error('the disk is full');
      },
    });
    await expect(failing).rejects.toThrow('the disk is full');
    expect(existsSync(join(place.workspace, 'other'))).toBe(false);
  });

  it('does not start where it could not be undone, unless the action says so', async () => {
    const place = commandPlace();
    let ended = 0;
    const end = async () => {
      ended++;
      return [];
    };
    const capture = async () => ({ whole: false, end });
    await expect(attempt(place, 'touch lost', { capture })).rejects.toThrow(NotUndoable);
    expect([existsSync(join(place.workspace, 'lost')), ended]).toEqual([false, 1]);
  });

  it('ends when its caller gives up', async () => {
    const place = commandPlace();
    const stop = new AbortController();
    const sleep = `${50_000 + process.pid}.5`;
    const result = attempt(place, `echo up; sleep ${sleep}`, {
      signal: stop.signal,
      onOutput: () => stop.abort(),
    });
    await expect(result).rejects.toThrow(CommandAborted);
    expect(running(sleep)).toBe(0);
    await expect(attempt(place, 'touch late', { signal: stop.signal })).rejects.toThrow(CommandAborted);
    expect(existsSync(join(place.workspace, 'late'))).toBe(false);
  });

  it('ends when what it prints cannot be taken in', async () => {
    const sleep = `${55_000 + process.pid}.5`;
    const result = attempt(commandPlace(), `echo one; sleep ${sleep}`, {
      onOutput: () => {
        throw new Error('nobody listens');
      },
    });
    await expect(result).rejects.toThrow('nobody listens');
    expect(running(sleep)).toBe(0);
  });

  it('that is too long to be started is refused', async () => {
    const place = commandPlace();
    await expect(attempt(place, `: ${'x'.repeat(140_000)}`)).rejects.toThrow(InputError);
    await expect(attempt(place, 'echo a\0b')).rejects.toThrow(InputError);
    expect((await attempt(place, `: ${'x'.repeat(131_000)}`)).exitCode).toBe(0);
  });
});

describe.skipIf(sandboxMissing !== null)('a Python program', () => {
  it('runs as the main module', async () => {
    const { stdout } = await attempt(
      commandPlace(),
      python('import sys\nprint(__name__, sys.argv, __file__ if "__file__" in globals() else None)'),
    );
    expect(stdout).toBe("__main__ ['<source>'] None\n");
  });

  it('imports from the workspace, but never in the place of a module of Python', async () => {
    const place = commandPlace();
    writeFileSync(join(place.workspace, 'json.py'), 'print("posed as json")');
    writeFileSync(join(place.workspace, 'mine.py'), 'value = 7');
    const { stdout } = await attempt(place, python('import json, mine\nprint(json.dumps(mine.value))'));
    expect(stdout).toBe('7\n');
  });

  it('that fails says where', async () => {
    const { stderr, exitCode } = await attempt(commandPlace(), python('x = 1\n1 / 0'));
    expect(stderr).toMatch(/File "<source>", line 2[\s\S]*ZeroDivisionError/);
    expect(exitCode).toBe(1);
  });
});

describe('where no sandbox can be made', () => {
  const none = { sandboxPrograms: [] };

  it('nothing runs', async () => {
    const place = commandPlace();
    const refused = attempt(place, 'touch done', none);
    await expect(refused).rejects.toThrow(SandboxUnavailable);
    await expect(refused).rejects.toThrow('the command was not run');
    expect(existsSync(join(place.workspace, 'done'))).toBe(false);
  });

  it.each([
    ['the action does not say so', {}, false],
    ['the user did not let it', { sandbox: 'none' }, true],
  ] as const)('nothing runs where %s', async (_, said, required) => {
    const place = commandPlace();
    const refused = attempt(place, { ...shell('touch done'), ...said }, { ...none, limits: { required } });
    await expect(refused).rejects.toThrow(SandboxUnavailable);
    expect(existsSync(join(place.workspace, 'done'))).toBe(false);
  });

  const unsandboxed = { ...none, limits: { required: false } };
  const bare = (command: string) => ({ ...shell(command), sandbox: 'none' }) as const;

  it.skipIf(!existsSync('/bin/bash'))('what says so runs, with a clean environment', async () => {
    vi.stubEnv('CLOUD_TOKEN', 'a-value-of-ours');
    const place = commandPlace();
    const result = await attempt(place, bare('pwd; env; exit 3'), unsandboxed);
    expect(result).toMatchObject({ exitCode: 3, timedOut: false });
    expect(result.stdout).toContain('workspace');
    expect(result.stdout).not.toContain('a-value-of-ours');
  });

  it.skipIf(!existsSync('/bin/bash'))('its time is bounded, and its group ends with it', async () => {
    const place = commandPlace();
    const sleep = `${60_000 + process.pid}.5`;
    const late = await attempt(place, bare(`trap '' TERM; while :; do sleep ${sleep}; done`), {
      ...unsandboxed,
      timeoutMs: 200,
    });
    expect(late).toMatchObject({ timedOut: true, exitCode: 137 });
    const quick = await attempt(place, bare(`sleep ${sleep} & echo done`), unsandboxed);
    expect(quick).toMatchObject({ stdout: 'done\n', exitCode: 0 });
    if (process.platform === 'linux') await vi.waitFor(() => expect(running(sleep)).toBe(0));
  });
});
