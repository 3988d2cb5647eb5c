// Hosts as they are really wired: the written settings, the written client, a real daemon, and an environment that
// wants the tool to run. Whatever happens, the hook ends in a deny or in a verdict.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { daemonPid } from '../../src/cli/client.ts';
import { askCodex } from '../../src/cli/codex.ts';
import type { Call } from '../../src/cli/command.ts';
import { bindCredential, clientFiles, clientParts, writeClient } from '../../src/cli/hosts.ts';
import { checkHosts as hostChecks } from '../../src/cli/provoke.ts';
import { endDaemon } from '../../src/cli/running.ts';
import { paths, unlockApprover } from '../../src/config/index.ts';
import { loadGuards } from '../../src/guards/index.ts';
import { type HostName, hostNames, hosts, unansweredReply, wirings } from '../../src/surfaces/hooks/index.ts';
import type { Check } from '../../src/surfaces/http/host-control.ts';
import { cli, type Ended, type Place } from '../support/cli.ts';
import { passphrase, testDaemon } from '../support/daemon.ts';
import { finding, guardOf, judgement } from '../support/decide.ts';
import {
  call,
  callIn,
  type Environment,
  type FakeTrust,
  fakeCodex,
  newUser,
  up,
  writeClients,
} from '../support/hosts.ts';
import { atTerminal, chose, noTerminals } from '../support/terminal.ts';

/** Connects a host; its client starts no daemon unless that is asked for, since it would outlive the test. */
async function checkHosts(call: Call): Promise<Check[]> {
  const checks: Check[] = [];
  for await (const check of hostChecks(call)) checks.push(check);
  return checks;
}

async function init(place: ReturnType<typeof newUser>, ...args: string[]): Promise<Ended> {
  const start = args.includes('--start') || args.includes('--remove') ? [] : ['--no-start'];
  const result = await cli(place, ['init', ...args, ...start, '--yes'], { environment: place.environment });
  expect(result.stderr).toBe('');
  expect(result.status).toBe(0);
  return result;
}

/** Stops the daemon of a place, if one runs, as a service manager does. */
async function stopped(place: Place): Promise<void> {
  const pid = await daemonPid(paths(place.home).socket);
  if (pid !== null) await endDaemon(pid);
}

const decided = /\(sallyport why [\w-]{36}\)/;

/** A deny that the daemon decided, in the words of the host. */
function expectDecided(result: Ended, name: HostName): void {
  expect(result.stderr).toMatch(decided);
  const { event } = hosts[name].provocation('/');
  const { stdout, exit } = hosts[name].answer(event, { does: 'deny', reason: result.stderr.trim() });
  expect(result).toMatchObject({ status: exit, stdout: `${stdout}\n` });
}

/** The deny that the client says by itself. */
function expectUnanswered(result: Ended, name: HostName, event?: string): void {
  const [first = ''] = Object.keys(hosts[name].events);
  const { stdout, stderr, exit } = unansweredReply(hosts[name], event ?? first);
  const line = (text: string) => (text === '' ? '' : `${text}\n`);
  expect(result).toEqual({ status: exit, stdout: line(stdout), stderr: line(stderr) });
}

describe('all six hosts', () => {
  it('are wired in, and doctor proves through each that it denies', async () => {
    const place = newUser();
    for (const name of hostNames) await init(place, name);
    const asleep = await checkHosts(callIn(place));
    for (const name of hostNames) {
      expect(asleep).toContainEqual({ name, state: 'note', says: expect.stringContaining('it denies') });
    }
    await up(place);
    const codex = fakeCodex(place.user, join(place.user, '.codex/hooks.json'), 'trusted');
    const { stdout, status } = await cli(place, ['doctor'], {
      environment: { ...place.environment, PATH: `${codex}:/usr/bin:/bin` },
    });
    expect(status).toBe(0);
    expect(stdout).toMatch(/ok +block +a metadata address was blocked by metadata_address/);
    expect(stdout).toMatch(/ok +daemon +it blocked the same through the socket/);
    expect(stdout).toMatch(/ok +proxy +blocked a test injection, and forwarded nothing/);
    for (const name of hostNames) {
      expect(stdout).toMatch(new RegExp(`ok +${name} +it denied a deletion of / in \\d+ ms`));
    }
    expect(stdout).toMatch(/^[\d.]+ s of processor time in our own processes/m);
  }, 120_000);

  it('deny in their own words at every moment when the daemon is not there', async () => {
    const place = newUser();
    await writeClients(place, ...hostNames);
    for (const name of hostNames) {
      for (const event of Object.keys(hosts[name].events)) {
        expectUnanswered(await call(place, name, { event }), name, event);
      }
      expectUnanswered(await call(place, name, { event: 'SomethingNew' }), name);
      expectUnanswered(await call(place, name, { event: '' }), name);
    }
  });

  it('come out again, and the files are as they were', async () => {
    const place = newUser();
    const settings = join(place.user, '.claude', 'settings.json');
    const before = `${JSON.stringify({ model: 'opus', hooks: { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] } }, null, 4)}\n`;
    mkdirSync(join(place.user, '.claude'));
    writeFileSync(settings, before, { mode: 0o644 });
    for (const name of ['claude', 'copilot']) await init(place, name);
    await init(place, 'claude', '--project');
    expect(readFileSync(settings, 'utf8')).toContain(clientFiles(place.home, 'claude').script);
    expect(statSync(settings).mode & 0o777).toBe(0o644);
    const once = readFileSync(settings, 'utf8');
    expect((await init(place, 'claude')).stdout).toContain('was connected already');
    expect(readFileSync(settings, 'utf8')).toBe(once);
    await init(place, 'claude', '--remove');
    expect(readFileSync(settings, 'utf8')).toBe(before);
    // The project's file still names the client.
    expect(existsSync(clientFiles(place.home, 'claude').script)).toBe(true);
    await init(place, 'claude', '--project', '--remove');
    await init(place, 'copilot', '--remove');
    for (const name of hostNames) {
      const { script, header } = clientFiles(place.home, name);
      expect([script, header].filter(existsSync)).toEqual([]);
    }
    expect(existsSync(join(place.user, '.copilot/hooks/sallyport.json'))).toBe(false);
    expect(existsSync(paths(place.home).hosts)).toBe(false);
    expect(JSON.parse((await cli(place, ['credentials', '--json'])).stdout)).toEqual([]);
    expect((await init(place, 'claude', '--remove')).stdout).toContain('was not connected');
  });
});

describe('init', () => {
  it('shows the change and writes nothing without a yes', async () => {
    const place = newUser();
    const { status, stdout, stderr } = await cli(place, ['init', 'gemini'], {
      environment: place.environment,
      wrapper: ['setsid', '-w'],
    });
    expect(status).toBe(2);
    expect(stdout).toContain('+     "BeforeTool": [');
    expect(stderr).toContain('nothing was written');
    expect(existsSync(join(place.user, '.gemini'))).toBe(false);
    expect(existsSync(join(place.home, 'bin', 'gemini'))).toBe(false);
  });

  it('leaves a file alone that it cannot read', async () => {
    const place = newUser();
    const file = join(place.user, '.gemini', 'settings.json');
    mkdirSync(join(place.user, '.gemini'));
    writeFileSync(file, '{ // a comment\n}');
    const { status, stderr } = await cli(place, ['init', 'gemini', '--yes'], {
      environment: place.environment,
    });
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('not plain JSON') });
    expect(readFileSync(file, 'utf8')).toBe('{ // a comment\n}');
  });

  it.each([
    [['init', 'claud'], 'did you mean "claude"?'],
    [['init', '--remove'], 'known hosts: claude'],
    [['init', 'claude', '--user', '--project'], 'not both'],
  ])('%j is wrong use', async (args, why) => {
    const { status, stderr } = await cli(newUser(), args);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(why) });
  });

  it.each<[HostName, string, string]>([
    ['claude', 'CLAUDE_CONFIG_DIR', 'settings.json'],
    ['codex', 'CODEX_HOME', 'hooks.json'],
    ['gemini', 'GEMINI_CLI_HOME', '.gemini/settings.json'],
    ['copilot', 'COPILOT_HOME', 'hooks/sallyport.json'],
    ['opencode', 'XDG_CONFIG_HOME', 'opencode/plugins/sallyport.js'],
    ['kilo', 'XDG_CONFIG_HOME', 'kilo/plugins/sallyport.js'],
    ['qwen', 'QWEN_HOME', 'settings.json'],
  ])('connects %s in the folder that %s names', async (name, variable, below) => {
    const place = newUser();
    const folder = join(place.user, 'elsewhere');
    const moved = { ...place, environment: { ...place.environment, [variable]: folder } };
    await init(place, name);
    const [before, ...none] = await checkHosts(callIn(moved)).then((checks) =>
      checks.filter(({ state }) => state === 'fail'),
    );
    expect(none).toEqual([]);
    expect(before?.says).toContain(`elsewhere/${below} (${variable}), which does not name the client`);
    await init(moved, name);
    expect(readFileSync(join(folder, below), 'utf8')).toContain(clientFiles(place.home, name).script);
    const after = await checkHosts(callIn(moved));
    expect(after.filter(({ state }) => state === 'fail')).toEqual([]);
    await init(moved, name, '--remove');
    expect(existsSync(join(folder, below))).toBe(false);
    const relative = { environment: { ...place.environment, [variable]: 'x' } };
    expect(await cli(place, ['init', name, '--yes'], relative)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`${variable} is not an absolute path`),
    });
  });

  it('writes down that Codex may trust the hooks, and takes it out again', async () => {
    const place = newUser();
    const file = join(place.user, '.codex/hooks.json');
    const config = join(place.user, '.codex/config.toml');
    const before = '# mine\nmodel = "x"\n[projects."/p"]\ntrust_level = "trusted"';
    mkdirSync(join(place.user, '.codex'));
    writeFileSync(config, before);
    const path = fakeCodex(place.user, file, 'untrusted');
    const there = { ...place, environment: { ...place.environment, PATH: `${path}:/usr/bin:/bin` } };
    const { stdout } = await init(there, 'codex');
    const entries = Object.keys(hosts.codex.events).map((event) =>
      event.replace(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase(),
    );
    for (const event of entries) expect(stdout).toContain(`+ [hooks.state."${file}:${event}:0:0"]`);
    const written = readFileSync(config, 'utf8');
    expect(written.startsWith(`${before}\n\n[hooks.state."`)).toBe(true);
    expect(written.match(/^trusted_hash = "sha256:c9ef21bc"$/gm)).toHaveLength(entries.length);
    expect((await init(there, 'codex')).stdout).toContain('was connected already');
    expect(readFileSync(config, 'utf8')).toBe(written);
    await init(there, 'codex', '--remove');
    expect(readFileSync(config, 'utf8')).toBe(`${before}\n`);
  });

  it('says what to do where there is no Codex to ask', async () => {
    const place = newUser();
    const there = { ...place, environment: { ...place.environment, PATH: '/usr/bin:/bin' } };
    const { stdout } = await init(there, 'codex');
    expect(stdout).toMatch(/could not be asked how \(there is no codex on PATH\): open \/hooks in Codex/);
    expect(existsSync(join(place.user, '.codex/config.toml'))).toBe(false);
  });

  it('says what the daemon needs', async () => {
    const place = newUser();
    expect((await init(place, 'gemini', '--start')).stdout).toContain('The daemon starts by itself');
    expect((await init(place, 'gemini')).stdout).toContain("Start the daemon with 'sallyport up'");
    await up(place);
    expect((await init(place, 'gemini', '--start')).stdout).toContain('The daemon runs;');
  }, 60_000);
});

describe('a client that starts the daemon', () => {
  const port = async (place: Place): Promise<number> =>
    JSON.parse((await cli(place, ['status', '--json'])).stdout).port;

  it('does so after a crash, once for two calls, as it was started before', async () => {
    const place = newUser();
    await init(place, 'codex', '--start');
    onTestFinished(async () => await stopped(place));
    const started = await cli(place, ['up', '--detach', '--port', '0', '--log', 'info', '--json']);
    const { pid } = JSON.parse(started.stdout);
    expect(await port(place)).toBeGreaterThan(0);
    process.kill(pid, 'SIGKILL');
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(), 10_000);
    expect(existsSync(paths(place.home).socket)).toBe(true);
    const both = await Promise.all([call(place, 'codex'), call(place, 'codex')]);
    for (const one of both) expectDecided(one, 'codex');
    const log = readFileSync(join(paths(place.home).run, 'daemon.log'), 'utf8');
    expect(log.match(/"event":"started"/g)).toHaveLength(2);
    // The client was written by another program than the one that runs the daemon, and is known all the same.
    expect(log).not.toContain('guard_unhooked');
    expect(JSON.parse(readFileSync(paths(place.home).start, 'utf8')).options).toEqual([
      '--port',
      '0',
      '--log',
      'info',
    ]);
    const running = JSON.parse(readFileSync(paths(place.home).daemon, 'utf8'));
    expect(running.pid).not.toBe(pid);
    process.kill(running.pid, 'SIGTERM');
  }, 90_000);

  it.skipIf(noTerminals)(
    'leaves it stopped where a person stopped it, until it is started again',
    async () => {
      const place = newUser();
      await init(place, 'codex', '--start');
      await up(place);
      expect(await atTerminal(place, ['down'], ['y'])).toMatchObject({ status: 0 });
      expectUnanswered(await call(place, 'codex'), 'codex');
      expect((await cli(place, ['up', '--detach', '--again'])).stderr).toContain("'sallyport down' stopped");
      await up(place);
      expect(existsSync(paths(place.home).stopped)).toBe(false);
      expectDecided(await call(place, 'codex'), 'codex');
    },
    90_000,
  );

  it('starts nothing for the end of a session', async () => {
    const place = newUser();
    await init(place, 'codex', '--start');
    expectUnanswered(await call(place, 'codex', { event: 'SessionEnd' }), 'codex', 'SessionEnd');
    expect(existsSync(paths(place.home).daemon)).toBe(false);
  });
});

describe('what a script cannot do unseen', () => {
  const settingsOf = ({ user }: { readonly user: string }) => join(user, '.claude', 'settings.json');

  it.skipIf(noTerminals)(
    'stop the daemon, or disconnect a host without the passphrase',
    async () => {
      const place = newUser();
      await chose(place);
      await init(place, 'claude');
      await up(place);
      onTestFinished(async () => await stopped(place));
      const down = await cli(place, ['down']);
      expect(down).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('only be stopped at a terminal'),
      });
      expect(existsSync(paths(place.home).stopped)).toBe(false);
      const { environment } = place;
      const removed = await cli(place, ['init', 'claude', '--remove', '--yes'], { environment });
      expect(removed).toMatchObject({ status: 1, stderr: expect.stringContaining('at a terminal') });
      expect(readFileSync(settingsOf(place), 'utf8')).toContain(clientFiles(place.home, 'claude').script);
      expect((await atTerminal(place, ['down'], ['n'])).stdout).toContain('keeps running');
      expect((await cli(place, ['status'])).status).toBe(0);
    },
    60_000,
  );

  it('unhook a host while the daemon is away: status and doctor say so, and the next start restores it', async () => {
    const place = newUser();
    await init(place, 'claude');
    const { environment } = place;
    const settings = settingsOf(place);
    writeFileSync(settings, '{}\n');
    rmSync(paths(place.home).hosts);
    const status = await cli(place, ['status'], { environment });
    expect(status.stdout).toContain(`${settings} no longer holds the hooks of claude`);
    const { checks } = JSON.parse((await cli(place, ['doctor', '--json'], { environment })).stdout);
    expect(checks).toContainEqual(expect.objectContaining({ name: 'claude', state: 'fail' }));
    await up(place);
    onTestFinished(async () => await stopped(place));
    await vi.waitFor(
      () => expect(readFileSync(settings, 'utf8')).toContain(clientFiles(place.home, 'claude').script),
      10_000,
    );
    const entries = await cli(place, ['log', '--type', 'guard_unhooked', '--json']);
    expect(entries.stdout).toContain(settings);
    expect(JSON.parse((await cli(place, ['status', '--json'])).stdout)).toMatchObject({ alarms: 2 });
  }, 60_000);
});

describe('doctor', () => {
  it.each<[string, (place: ReturnType<typeof newUser>) => void, string]>([
    [
      'a client that others may read',
      ({ home }) => chmodSync(join(home, 'bin/claude'), 0o755),
      'open to others',
    ],
    [
      'a client that lets everything through',
      ({ home }) => writeFileSync(join(home, 'bin/claude'), '#!/bin/sh\nexit 0\n'),
      'not as it was written',
    ],
    ['a missing client', ({ home }) => unlinkSync(join(home, 'bin/claude')), 'bin/claude is gone'],
    ['a missing credential', ({ home }) => unlinkSync(join(home, 'keys/hook-claude')), 'hook-claude is gone'],
    ['settings that are gone', ({ user }) => rmSync(join(user, '.claude/settings.json')), 'is gone'],
    [
      'settings that name it no more',
      ({ user }) => writeFileSync(join(user, '.claude/settings.json'), '{}'),
      'no longer names',
    ],
    [
      'hooks that are switched off',
      ({ user }) => {
        const file = join(user, '.claude/settings.json');
        const settings = JSON.parse(readFileSync(file, 'utf8'));
        writeFileSync(file, JSON.stringify({ ...settings, disableAllHooks: true }));
      },
      'disableAllHooks',
    ],
  ])('finds %s', async (_, spoil, says) => {
    const place = newUser();
    await writeClients(place, 'claude');
    const file = join(place.user, '.claude/settings.json');
    mkdirSync(join(place.user, '.claude'));
    writeFileSync(file, wirings.claude.add(null, clientFiles(place.home, 'claude').script));
    writeFileSync(paths(place.home).hosts, JSON.stringify({ hosts: [{ host: 'claude', file }] }));
    const doctor = () => checkHosts(callIn(place));
    expect(await doctor()).toMatchObject([{ name: 'claude', state: 'note' }]);
    spoil(place);
    const [check, ...others] = await doctor();
    expect(others).toEqual([]);
    expect(check).toMatchObject({ name: 'claude', state: 'fail', says: expect.stringContaining(says) });
  });

  it.each<[HostName, string, string, string]>([
    ['claude', '.claude/settings.json', '{"disableAllHooks":true}', '"disableAllHooks"'],
    ['claude', '.claude/settings.local.json', '{"disableAllHooks":true}', '"disableAllHooks"'],
    [
      'gemini',
      '.gemini/settings.json',
      '{"hooksConfig":{"disabled":["sallyport"]}}',
      '"hooksConfig.disabled"',
    ],
  ])('finds that %s is switched off by the project, in %s', async (name, below, text, key) => {
    const place = newUser();
    await init(place, name);
    const fails = async () => (await checkHosts(callIn(place))).filter(({ state }) => state === 'fail');
    expect(await fails()).toEqual([]);
    const file = join(place.workspace, below);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, text);
    const says = expect.stringMatching(
      new RegExp(`${below.replaceAll('.', '\\.')}: ${key}.* does not call the hooks`),
    );
    expect(await fails()).toEqual([{ name, state: 'fail', says }]);
  });

  it('sees what a repository brings along for hosts that are not connected, from any folder of it', async () => {
    const place = newUser();
    await init(place, 'claude');
    const put = (below: string, text: string) => {
      const file = join(place.workspace, below);
      mkdirSync(join(file, '..'), { recursive: true });
      writeFileSync(file, text);
    };
    mkdirSync(join(place.workspace, '.git'));
    put('.codex/config.toml', '[features]\nhooks = false\n');
    put('.gemini/settings.json', '{"hooksConfig":{"enabled":false}}');
    put('.qwen/settings.json', '{"disableAllHooks":true}');
    put('.github/copilot/settings.json', '{"model":"x"}');
    mkdirSync(join(place.workspace, 'deep'));
    const checks = await checkHosts(callIn({ ...place, workspace: join(place.workspace, 'deep') }));
    const notes = checks.filter(({ name }) => name !== 'claude');
    expect(notes.map(({ name, state }) => [name, state])).toEqual([
      ['codex', 'note'],
      ['gemini', 'note'],
      ['qwen', 'note'],
    ]);
    for (const { says } of notes) expect(says).toMatch(/would run unguarded in this project/);
  });

  it('says that the project switches Codex off where Codex cannot be asked', async () => {
    const place = newUser();
    await init(place, 'codex');
    mkdirSync(join(place.workspace, '.codex'));
    writeFileSync(join(place.workspace, '.codex/config.toml'), '[features]\nhooks = false\n');
    const environment = { ...place.environment, PATH: '/usr/bin:/bin' };
    expect(await checkHosts(callIn({ ...place, environment }))).toMatchObject([
      { name: 'codex', state: 'fail', says: expect.stringContaining('"features.hooks" switches') },
    ]);
  });

  it('says which version of a host was proven, and which is installed', async () => {
    const place = newUser();
    await init(place, 'gemini');
    const versions = async (text: string) => {
      writeFileSync(join(place.user, 'gemini'), `#!/bin/sh\necho ${text}\n`, { mode: 0o755 });
      const environment = { ...place.environment, PATH: `${place.user}:/usr/bin:/bin` };
      const checks = await checkHosts(callIn({ ...place, environment }));
      return checks.filter(({ says }) => says.includes('was proven'));
    };
    expect(await versions('0.61.0')).toEqual([]);
    expect(await versions('0.99.1')).toEqual([
      { name: 'gemini', state: 'note', says: 'Gemini CLI 0.99.1 is installed; 0.61.0 was proven' },
    ]);
  });

  it('finds a client that lets everything through, whatever its text', async () => {
    const place = newUser();
    await writeClients(place, 'claude');
    const { script } = clientFiles(place.home, 'claude');
    const file = join(place.user, '.claude', 'settings.json');
    mkdirSync(join(place.user, '.claude'));
    const settings = wirings.claude
      .add(null, script)
      .replaceAll(`${script} PreToolUse`, `${script} SessionEnd`);
    writeFileSync(file, settings);
    writeFileSync(paths(place.home).hosts, JSON.stringify({ hosts: [{ host: 'claude', file }] }));
    expect(await checkHosts(callIn(place))).toMatchObject([
      { state: 'fail', says: expect.stringContaining('would have run a deletion of /') },
    ]);
  });

  /** Codex wired in by `init`, with a program of that name on PATH; none where `trust` is null. */
  async function doctorOfCodex(trust: FakeTrust | null, spoil: (file: string) => void = () => undefined) {
    const place = newUser();
    await init(place, 'codex');
    const file = join(place.user, '.codex/hooks.json');
    spoil(file);
    const path = trust === null ? '' : fakeCodex(place.user, file, trust);
    const environment = { ...place.environment, PATH: `${path}:/usr/bin:/bin` };
    const [check, ...others] = await checkHosts(callIn({ ...place, environment }));
    expect(others).toEqual([]);
    return check;
  }

  it.each<[FakeTrust | null, 'note' | 'fail', string]>([
    ['trusted', 'note', 'it denies, for the daemon does not answer it; ~/.codex/hooks.json'],
    ['untrusted', 'fail', 'Codex does not trust the hooks in ~/.codex/hooks.json'],
    ['switched off', 'fail', 'Codex does not load the hooks in ~/.codex/hooks.json here'],
    ['disabled', 'fail', 'Codex does not trust the hooks in ~/.codex/hooks.json'],
    ['old', 'note', 'could not ask Codex whether it trusts the hooks (it does not know the question'],
    ['dead', 'note', 'could not ask Codex whether it trusts the hooks (it ended without an answer)'],
    [null, 'note', 'could not ask Codex whether it trusts the hooks (there is no codex on PATH)'],
  ])('asks Codex whether it trusts the hooks: %s', async (trust, state, says) => {
    expect(await doctorOfCodex(trust)).toMatchObject({ state, says: expect.stringContaining(says) });
  });

  it('does not wait for a Codex that does not answer', async () => {
    const place = newUser();
    const file = join(place.user, 'hooks.json');
    writeFileSync(file, wirings.codex.add(null, '/x/bin/codex'));
    const path = fakeCodex(place.user, file, 'deaf');
    const environment = { PATH: `${path}:/usr/bin:/bin` };
    const commands = wirings.codex.commands(readFileSync(file, 'utf8'), '/x/bin/codex');
    expect(await askCodex({ file, folder: place.user, commands, environment, patienceMs: 300 })).toEqual({
      answer: 'none',
      why: 'it did not answer in time',
    });
  });

  it('finds a hook that an earlier version wrote, and one that is missing', async () => {
    const edit = (change: (hooks: Record<string, unknown>) => void) => (file: string) => {
      const settings = JSON.parse(readFileSync(file, 'utf8'));
      change(settings.hooks);
      writeFileSync(file, JSON.stringify(settings));
    };
    const old = await doctorOfCodex('trusted', (file) => {
      const script = readFileSync(file, 'utf8').match(/\S+\/bin\/codex/)?.[0];
      edit((hooks) => {
        hooks['PreToolUse'] = [
          { matcher: '.*', hooks: [{ type: 'command', command: `${script} PreToolUse` }] },
        ];
      })(file);
    });
    const gone = await doctorOfCodex(
      'trusted',
      edit((hooks) => delete hooks['PostToolUse']),
    );
    expect([old, gone]).toMatchObject([
      {
        state: 'fail',
        says: expect.stringMatching(/earlier version.*: PreToolUse; run 'sallyport init codex' again/),
      },
      {
        state: 'fail',
        says: expect.stringMatching(/changed since: PostToolUse; run 'sallyport init codex' again/),
      },
    ]);
  });

  it('reads the files of hosts, also where nobody wrote down that they were wired in', async () => {
    const place = newUser();
    await writeClients(place, 'gemini');
    const write = (path: string, text: string) => {
      mkdirSync(join(place.user, path, '..'), { recursive: true });
      writeFileSync(join(place.user, path), text);
    };
    write('.claude/settings.json', wirings.claude.add(null, '/nowhere/.sallyport/bin/claude'));
    write('.gemini/settings.json', wirings.gemini.add(null, clientFiles(place.home, 'gemini').script));
    write('.cursor/hooks.json', '{"version":1,"hooks":{"preToolUse":[{"command":"/usr/bin/true"}]}}');
    const checks = await checkHosts(callIn(place));
    expect(checks).toMatchObject([
      { name: 'gemini', state: 'note', says: expect.stringContaining('it denies') },
      {
        name: 'claude',
        state: 'fail',
        says: expect.stringContaining('names a client that is gone, /nowhere/.sallyport/bin/claude'),
      },
    ]);
  });

  it('says so where none is wired in, and where the list of them is broken', async () => {
    const place = newUser();
    await writeClients(place);
    expect(await checkHosts(callIn(place))).toMatchObject([{ name: 'hosts', state: 'note' }]);
    writeFileSync(paths(place.home).hosts, '{"hosts":[{"host":"emacs","file":"x"}]}');
    await expect(checkHosts(callIn(place))).rejects.toThrow('cannot be read');
  });
});

describe('a hostile environment', () => {
  it('changes nothing', async () => {
    const place = newUser();
    await writeClients(place, 'claude', 'copilot');
    await up(place);
    const evil = join(place.workspace, 'evil');
    mkdirSync(evil);
    const ran = join(evil, 'ran');
    writeFileSync(join(evil, 'evil.cjs'), `require('node:fs').writeFileSync('${ran}', '');process.exit(0)`);
    writeFileSync(join(evil, 'evil.sh'), `touch '${ran}'; exit 0\n`);
    for (const program of ['perl', 'curl', 'node', 'env', 'sh', 'printf']) {
      writeFileSync(join(evil, program), `#!/bin/sh\n: > '${ran}'\nexit 0\n`, { mode: 0o755 });
    }
    writeFileSync(join(evil, 'evil.pm'), `open(my $file, '>', '${ran}'); exit 0;\n`);
    writeFileSync(join(evil, '.curlrc'), `output = "${ran}"\nurl = "http://127.0.0.1:1/"\n`);
    const environments: Environment[] = [
      { NODE_OPTIONS: `--require ${join(evil, 'evil.cjs')}` },
      { PATH: evil },
      { PATH: '' },
      { SALLYPORT_HOME: evil, HOME: evil },
      { ENV: join(evil, 'evil.sh'), BASH_ENV: join(evil, 'evil.sh') },
      { CURL_HOME: evil, XDG_CONFIG_HOME: evil },
      { PERL5OPT: `-I${evil} -Mevil`, PERL5LIB: evil },
      { http_proxy: 'http://127.0.0.1:1', ALL_PROXY: 'http://127.0.0.1:1', SSLKEYLOGFILE: ran },
      { IFS: '/', LC_ALL: 'C', event: 'SessionEnd', code: '0', proof: 'x', answer: 'x' },
      { 'BASH_FUNC_printf%%': '() { exit 0; }', 'BASH_FUNC_exit%%': '() { :; }' },
    ];
    for (const environment of environments) {
      for (const name of ['claude', 'copilot'] as const) {
        expectDecided(await call(place, name, { environment }), name);
      }
    }
    expect(existsSync(ran)).toBe(false);
  });

  it('a stopped daemon is not waited for', async () => {
    const place = newUser();
    await writeClients(place, 'codex');
    const pid = await up(place);
    process.kill(pid, 'SIGSTOP');
    try {
      expectUnanswered(await call(place, 'codex'), 'codex');
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    expectDecided(await call(place, 'codex'), 'codex');
  });

  it('a credential that is missing, wrong or of another host gets nothing', async () => {
    const place = newUser();
    await writeClients(place, 'codex', 'gemini');
    await up(place);
    const [own, other] = (['codex', 'gemini'] as const).map((name) => clientFiles(place.home, name).header);
    const spoilt = ['authorization: Bearer sp_nobody\n', '', readFileSync(other!, 'utf8')];
    for (const header of spoilt) {
      writeFileSync(own!, header);
      const { stdout, stderr } = await call(place, 'codex');
      expect([header, stdout]).toEqual([header, expect.stringContaining('"permissionDecision":"deny"')]);
      expect(stderr).not.toMatch(decided);
    }
    unlinkSync(own!);
    expectUnanswered(await call(place, 'codex'), 'codex');
  });
});

describe('a squatter on the socket', () => {
  /** Answers every connection with these bytes, or never. */
  async function squat(place: Place, answer: string | null): Promise<void> {
    const connections = new Set<Socket>();
    const server = createServer((connection) => {
      connections.add(connection);
      connection.on('error', () => undefined);
      connection.on('data', () => {
        if (answer !== null) connection.write(answer);
        if (answer?.includes('close')) connection.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(paths(place.home).socket, resolve));
    onTestFinished(() => {
      for (const connection of connections) connection.destroy();
      server.close();
    });
  }

  const http = (body: string, status = '200 OK', length = body.length) =>
    `HTTP/1.1 ${status}\r\ncontent-type: text/plain\r\ncontent-length: ${length}\r\n\r\n${body}`;

  it.each<[string, string | null]>([
    ['answers nothing', null],
    ['says allow', http('{"hookSpecificOutput":{"permissionDecision":"allow"}}')],
    ['says nothing, successfully', http('')],
    ['speaks in the form of a pass without the proof', http(' 0\n\n\n.')],
    ['guesses a proof', http(`${'A'.repeat(43)} 0\n\n\n.`)],
    ['speaks JSON of a pass', http('{"stdout":"","stderr":"","exit":0}')],
    ['fails', http('no', '500 Internal Server Error')],
    ['redirects', http('', '302 Found\r\nlocation: http://localhost/elsewhere')],
    ['breaks off', `${http('half', '200 OK', 4000)}close`],
    ['speaks no HTTP', 'hello\r\nclose'],
  ])('that %s lets nothing through', async (_, answer) => {
    const place = newUser();
    await writeClients(place, 'claude');
    await squat(place, answer);
    expectUnanswered(await call(place, 'claude'), 'claude');
  });
});

describe('with a guard for tools', () => {
  /** Judges a shell tool by its command, as the tool guard will: `rm` is blocked, `ls` passes, the rest asks. */
  const guard = guardOf(['tool'], ({ arguments: input = {} }) => {
    const command = String(input['command']);
    if (command === 'ls') return judgement();
    const decision = command.startsWith('rm') ? 'block' : 'approve';
    return judgement({ findings: [finding({ decision, contract: 'AG-TOOL-3' })], sideEffect: true });
  });

  type Carrier = 'perl' | 'curl' | 'node';

  async function connectedDaemon(name: HostName, carrier: Carrier) {
    const daemon = await testDaemon({
      passphrase: true,
      guards: [guard, ...(await loadGuards()).filter(({ name }) => name === 'prompt')],
    });
    const { home, ledger, world, workspace } = daemon;
    const proof = await bindCredential(home, name, ledger, world.now());
    const parts = clientParts(home, name, proof, { start: false, environment: {} });
    const client = clientFiles(home, name).carrier;
    const carriers = {
      perl: { perl: '/usr/bin/perl' },
      curl: { curl: '/usr/bin/curl' },
      node: { node: process.execPath, client },
    };
    writeClient({ ...parts, carrier: carriers[carrier] });
    const place = { home, workspace };
    const claude = (command: string) => ({
      session_id: 's',
      cwd: workspace,
      permission_mode: 'acceptEdits',
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command },
    });
    const run = (command: string, environment: Environment = {}) =>
      call(place, name, { event: 'PreToolUse', value: claude(command), environment });
    return { ...daemon, place, run };
  }

  it.each(['perl', 'curl', 'node'] as const)(
    '%s carries a pass as silence and a block as a deny',
    async (carrier) => {
      const { run, place } = await connectedDaemon('claude', carrier);
      const quiet = { status: 0, stdout: '', stderr: '' };
      expect(await run('ls')).toEqual(quiet);
      const evil = join(place.workspace, 'evil.cjs');
      writeFileSync(evil, 'process.exit(0)');
      expectDecided(await run('rm -rf /', { NODE_OPTIONS: `--require ${evil}` }), 'claude');
    },
  );

  it.each(['perl', 'curl', 'node'] as const)('%s denies as well where nobody answers', async (carrier) => {
    const { daemon, run } = await connectedDaemon('claude', carrier);
    await daemon.stop();
    expectUnanswered(await run('ls'), 'claude');
  });

  it('waits for approval, and goes on with the yes; the next time asks again', async () => {
    const { run, ledger, world, home } = await connectedDaemon('codex', 'perl');
    const person = await unlockApprover(home, passphrase);
    const answer = async (said: 'approve' | 'deny') => {
      for (;;) {
        const [pending] = await ledger.approvals.pending({}, world.now());
        if (pending !== undefined) {
          await ledger.approvals.answer(pending.id, said, 'owner', person, {}, world.now());
          return pending;
        }
        await new Promise((go) => setTimeout(go, 20));
      }
    };
    const waiting = run('git push');
    const asked = await answer('approve');
    expect(asked.question?.action).toMatchObject({ tool: 'Bash', arguments: { command: 'git push' } });
    expect(asked.agent).toBe('codex');
    expect(await waiting).toEqual({ status: 0, stdout: '{}\n', stderr: '' });
    const again = run('git push');
    await answer('deny');
    const refused = await again;
    expect(refused.stderr).toContain('a person denied this action');
    expectDecided(refused, 'codex');
  });

  it('denies with the way to approve when the daemon ends before a person answered', async () => {
    const { run, ledger, world, daemon } = await connectedDaemon('codex', 'perl');
    const waiting = run('git push');
    while ((await ledger.approvals.pending({}, world.now())).length === 0) {
      await new Promise((go) => setTimeout(go, 20));
    }
    await daemon.stop();
    const refused = await waiting;
    expectDecided(refused, 'codex');
    expect(refused.stderr).toMatch(
      /To approve: sallyport approve \w{8}\..* Then try exactly this once more\./,
    );
  });

  it('the plugin for opencode throws at a deny, and lets a pass go', async () => {
    const { place, home, workspace } = await connectedDaemon('opencode', 'perl');
    const module = join(workspace, 'plugin.mjs');
    writeFileSync(module, wirings.opencode.add(null, clientFiles(home, 'opencode').script));
    const { Sallyport } = await import(/* @vite-ignore */ pathToFileURL(module).href);
    const plugin = await Sallyport({ directory: place.workspace });
    const run = (command: string) =>
      plugin['tool.execute.before'](
        { tool: 'bash', sessionID: 's', callID: 'c' },
        { args: { command, description: 'x' } },
      );
    await run('ls');
    await expect(run('rm -rf /')).rejects.toThrow(decided);
    const output = { output: `TOKEN=ghp_${'a1B2c3D4e5F6'.repeat(3)}` };
    await plugin['tool.execute.after']({ tool: 'bash', sessionID: 's', callID: 'c', args: {} }, output);
    expect(output.output).toBe('TOKEN=[REDACTED:access-token]');
    const message = async (...parts: object[]) => {
      await plugin['chat.message']({ sessionID: 's' }, { parts });
      return parts;
    };
    const file = { type: 'file', url: 'file:///secret' };
    expect(await message({ id: 1, type: 'text', text: 'hello' }, file)).toHaveLength(2);
    await plugin['chat.params']({ sessionID: 's' });
    rmSync(clientFiles(home, 'opencode').script);
    // A prompt that was not judged is taken out, and the request to the model fails with the reason.
    expect(await message({ id: 1, type: 'text', text: 'hello' }, file)).toEqual([
      { id: 1, type: 'text', text: expect.stringMatching(/^\[prompt withheld\] .*cannot be started/) },
    ]);
    await expect(plugin['chat.params']({ sessionID: 's' })).rejects.toThrow('cannot be started');
    await plugin['chat.params']({ sessionID: 'another' });
    await expect(run('ls')).rejects.toThrow('cannot be started');
    await plugin['tool.execute.after']({ tool: 'bash', sessionID: 's', callID: 'c', args: {} }, output);
    expect(output.output).toContain('[output withheld]');
  });
});
