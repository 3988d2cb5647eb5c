// The tools `bash` and `runpy` as an agent uses them: judged by the real guards, then run.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type CommandPlace, commandPlace, sandboxMissing } from '../../tests/support/command.ts';
import { context as anyContext, noRecords } from '../../tests/support/decide.ts';
import { openEnrolledLedger, person } from '../../tests/support/ledger.ts';
import { loadConfig } from '../config/index.ts';
import { type Context, InputError, readAction } from '../core/index.ts';
import { createDecider, type Records, realWorld } from '../decide/index.ts';
import { SandboxUnavailable } from './errors.ts';
import { callTool, commandTools, createRunner, type RunnerParts } from './tools.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

/** The tools of an agent in a workspace, under a configuration. */
async function toolsIn(
  place: CommandPlace,
  toml = '',
  { ledger = noRecords, ...more }: Partial<RunnerParts> & { readonly ledger?: Records } = {},
) {
  writeFileSync(join(place.home, 'sallyport.toml'), toml);
  const config = await loadConfig({ home: place.home, environment: {} });
  const world = realWorld();
  const decider = createDecider({ config, ledger, world });
  const run = createRunner({ config, decider, world, ...more });
  const context: Context = { ...anyContext, workspace: place.workspace };
  return {
    bash: (input: unknown) => callTool(run, 'bash', input, context),
    runpy: (input: unknown) => callTool(run, 'runpy', input, context),
  };
}

describe('a refused command', () => {
  it.each([
    [
      'rm -rf /',
      '{"error":"Command blocked by safety rule: Pattern \'rm -rf /\' matches dangerous pattern \'mass_deletion\'","rule":"mass_deletion","layer":1}',
    ],
    [
      'cat ../x',
      '{"error":"Command blocked by safety rule: Path \'../x\' violates path rule \'path_traversal\'","rule":"path_traversal","layer":2}',
    ],
    [
      'make all',
      '{"error":"Command blocked by safety rule: Command \'make\' violates command rule \'command_not_allowed\'","rule":"command_not_allowed","layer":3}',
    ],
  ])('%s is answered with the error of its rule', async (command, answer) => {
    const { bash } = await toolsIn(commandPlace());
    expect(JSON.stringify(await bash({ command }))).toBe(answer);
  });

  it('in Python is answered so too', async () => {
    const { runpy } = await toolsIn(commandPlace());
    expect(await runpy({ source: "import shutil\nshutil.rmtree('/')" })).toMatchObject({
      rule: 'mass_deletion',
      layer: 1,
    });
  });

  it('is refused before anything is said about a sandbox', async () => {
    const { bash } = await toolsIn(commandPlace(), '', { sandboxPrograms: [] });
    expect(await bash({ command: 'rm -rf /' })).toMatchObject({ rule: 'mass_deletion' });
    await expect(bash({ command: 'ls' })).rejects.toThrow(SandboxUnavailable);
  });
});

describe('the profile', () => {
  it('is strict unless the agent has one', async () => {
    const place = commandPlace();
    const strict = await toolsIn(place);
    expect(await strict.bash({ command: 'make' })).toMatchObject({ rule: 'command_not_allowed' });
    const own = await toolsIn(place, '[agents.coder]\nprofile = "developer"\nmode = "auto"');
    expect(await own.bash({ command: 'unknown-program' })).toMatchObject({ waiting: expect.any(String) });
    const everybody = await toolsIn(place, '[agents.default]\nprofile = "developer"');
    expect(await everybody.bash({ command: 'unknown-program' })).toMatchObject({
      waiting: expect.any(String),
    });
  });

  it('is not loosened by a file of the workspace', async () => {
    const place = commandPlace();
    writeFileSync(join(place.workspace, 'sallyport.toml'), '[agents.coder]\nprofile = "developer"');
    const { bash } = await toolsIn(place);
    expect(await bash({ command: 'make' })).toMatchObject({ rule: 'command_not_allowed' });
    writeFileSync(join(place.workspace, 'sallyport.toml'), '[sandbox]\nnetwork = "host"');
    const { bash: refused } = await toolsIn(place);
    await expect(refused({ command: 'ls' })).rejects.toThrow('"sandbox" belongs in your own file');
  });
});

describe('arguments', () => {
  it.each([
    [{}],
    [{ command: '' }],
    [{ command: 'ls', cwd: '..' }],
    [{ command: 'ls', cwd: '/etc' }],
    [{ command: 'ls', cwd: 'link' }],
    [{ command: 'ls', timeout_ms: 0 }],
    [{ command: 'ls', network: 'host' }],
    [{ command: 'ls', sandbox: 'none' }],
    [{ command: ['ls'] }],
    ['ls'],
  ])('%j are refused', async (input) => {
    const place = commandPlace();
    const { bash } = await toolsIn(place);
    await expect(bash(input)).rejects.toThrow(InputError);
  });

  it('are described for models', () => {
    expect(commandTools.map(({ name, inputSchema }) => [name, inputSchema['required']])).toEqual([
      ['bash', ['command']],
      ['runpy', ['source']],
    ]);
  });
});

describe.skipIf(sandboxMissing !== null)('a command that passes', () => {
  it('runs in its folder and answers with all of its end', async () => {
    const place = commandPlace();
    mkdirSync(join(place.workspace, 'src'));
    writeFileSync(join(place.workspace, 'src/a.txt'), 'b\na\n');
    const { bash, runpy } = await toolsIn(place);
    const clean = { signal: null, timed_out: false, limit: null, truncated: false, redactions: {} };
    expect(await bash({ command: 'sort a.txt; cat none', cwd: 'src' })).toEqual({
      stdout: 'a\nb\n',
      stderr: 'cat: none: No such file or directory\n',
      exit_code: 1,
      ...clean,
    });
    expect(await runpy({ source: 'print(6 * 7)' })).toEqual({
      stdout: '42\n',
      stderr: '',
      exit_code: 0,
      ...clean,
    });
    expect(await runpy({ source: 'while True: pass', timeout_ms: 200 })).toMatchObject({ timed_out: true });
  });
});

describe.skipIf(sandboxMissing !== null)('a command that it was approved to', () => {
  it('runs once', async () => {
    const ledger = await openEnrolledLedger();
    const { bash } = await toolsIn(commandPlace(), '[agents.coder]\nprofile = "developer"', { ledger });
    const first = await bash({ command: 'unknown-program' });
    const id = 'approval' in first ? (first.approval?.id ?? '') : '';
    await ledger.approvals.answer(id, 'approve', 'ann', person, {}, Date.now());
    expect(await bash({ command: 'unknown-program' })).toMatchObject({ exit_code: 127 });
    expect(await bash({ command: 'unknown-program' })).toHaveProperty('waiting');
  });
});

describe.skipIf(sandboxMissing !== null)('a command that could not be undone', () => {
  it('waits for approval, and runs once', async () => {
    const place = commandPlace();
    const ledger = await openEnrolledLedger();
    const seen: string[] = [];
    const capture: RunnerParts['capture'] = async ({ action }) => {
      seen.push(action.undo ?? '');
      const end = async () => {
        seen.push('end');
        return [];
      };
      return { whole: false, end };
    };
    const { bash } = await toolsIn(place, '[agents.coder]\nprofile = "developer"', { ledger, capture });
    const command = 'touch lost';
    const first = await bash({ command });
    expect(first).toMatchObject({ waiting: expect.stringContaining('could not be undone') });
    expect(existsSync(join(place.workspace, 'lost'))).toBe(false);
    expect(seen).toEqual(['', 'end']);
    const id = 'approval' in first ? (first.approval?.id ?? '') : '';
    await ledger.approvals.answer(id, 'approve', 'ann', person, {}, Date.now());
    expect(await bash({ command: 'touch other' })).toHaveProperty('waiting');
    expect(await bash({ command })).toMatchObject({ exit_code: 0 });
    expect(existsSync(join(place.workspace, 'lost'))).toBe(true);
    expect(seen.slice(-4)).toEqual(['', 'end', 'none', 'end']);
    expect(await bash({ command })).toHaveProperty('waiting');
  });
});

describe('without a sandbox, by the user’s leave', () => {
  it('each command waits for approval, and runs once', async () => {
    const place = commandPlace();
    const ledger = await openEnrolledLedger();
    const { bash } = await toolsIn(place, '[sandbox]\nrequired = false', { ledger, sandboxPrograms: [] });
    const first = await bash({ command: 'ls -a' });
    expect(first).toMatchObject({
      waiting: expect.stringContaining('without a sandbox'),
      approval: { how: expect.stringMatching(/^sallyport approve /) },
    });
    const id = 'approval' in first ? (first.approval?.id ?? '') : '';
    await ledger.approvals.answer(id, 'approve', 'ann', person, {}, Date.now());
    expect(await bash({ command: 'ls -a -l' })).toHaveProperty('waiting');
    expect(await bash({ command: 'ls -a' })).toMatchObject({ exit_code: 0, stdout: '.\n..\n' });
    expect(await bash({ command: 'ls -a' })).toHaveProperty('waiting');
  });

  it('what an action says of itself on the wire only asks more', () => {
    expect(readAction({ kind: 'shell', command: 'ls', sandbox: 'none' }).action).toHaveProperty(
      'sandbox',
      'none',
    );
    expect(() => readAction({ kind: 'shell', command: 'ls', sandbox: 'bwrap' })).toThrow(InputError);
  });
});
