// Setting up and taking out again, as a person does it: what is found, what is asked, what is there afterwards.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { daemonPid } from '../../src/cli/client.ts';
import { endDaemon } from '../../src/cli/running.ts';
import { paths } from '../../src/config/index.ts';
import { findSandbox } from '../../src/run/sandbox.ts';
import { cli } from '../support/cli.ts';
import { newUser } from '../support/hosts.ts';
import { noTerminals, passphrase, atTerminal as typeAt } from '../support/terminal.ts';

const port = '[daemon]\nport = 0\n';
const settings = '{ "model": "opus", "hooks": { "Stop": [] } }\n';

/** A user with Claude Code on PATH, and a service manager that does what the unit says. */
function newPerson() {
  const user = newUser();
  const bin = join(user.user, 'bin');
  mkdirSync(bin);
  const program = (name: string, text: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  program('claude', 'echo 2.1.326');
  // Of the unit it reads the line that systemd would start.
  program(
    'systemctl',
    `echo "$@" >>"$HOME/systemctl.log"
case "$*" in *restart*)
  line=$(sed -n 's/^ExecStart=//p' "$HOME/.config/systemd/user/"*.service)
  exported=$(sed -n 's/^Environment=//p' "$HOME/.config/systemd/user/"*.service)
  (exec </dev/null >/dev/null 2>&1; eval "exec env -i HOME='$HOME' $exported $line" &) ;;
esac`,
  );
  program('launchctl', 'exit 1');
  mkdirSync(join(user.user, '.claude'));
  writeFileSync(join(user.user, '.claude/settings.json'), settings);
  mkdirSync(user.home, { mode: 0o700 });
  writeFileSync(paths(user.home).config, port, { mode: 0o600 });
  const environment = { ...user.environment, NO_COLOR: '1', PATH: `${bin}:${process.env['PATH']}` };
  onTestFinished(async () => {
    const pid = await daemonPid(paths(user.home).socket);
    if (pid !== null) await endDaemon(pid);
  });
  return {
    ...user,
    environment,
    settings: join(user.user, '.claude/settings.json'),
    unitFolder: join(user.user, '.config/systemd/user'),
    run: (args: readonly string[]) => cli(user, args, { environment }),
    type: (args: readonly string[], answers: readonly string[]) =>
      typeAt({ ...user, environment }, args, answers),
    managed: () => readFileSync(join(user.user, 'systemctl.log'), 'utf8'),
  };
}

const isLinux = process.platform === 'linux';

describe('a look at what setup would do', () => {
  it('names hosts, files and the service, and writes nothing', async () => {
    const person = newPerson();
    const before = readdirSync(person.home);
    const { status, stdout } = await person.run(['setup', '--dry-run', '--json', '--answer']);
    expect(status).toBe(0);
    const plan = JSON.parse(stdout);
    expect(plan.hosts.find(({ host }: { host: string }) => host === 'claude').found).toContain('/bin/claude');
    const files: string[] = plan.changes.map(({ file }: { file: string }) => file);
    expect(files).toContain(person.settings);
    expect(files).toContain(paths(person.home).config);
    expect(plan.passphrase).toBe(true);
    expect(readdirSync(person.home)).toEqual(before);
    expect(readFileSync(person.settings, 'utf8')).toBe(settings);
    const shown = (await person.run(['setup', '--dry-run'])).stdout;
    expect(shown).toContain('Claude Code: not connected; found ~/bin/claude');
    expect(shown).toContain('Nothing was done.');
    expect(shown).toMatch(/^ {4}\+ .*PreToolUse/m);
  });

  it('lets commands of Claude Code run as transactions where that is possible', async () => {
    const person = newPerson();
    const { status, stdout, stderr } = await person.run(['setup', '--dry-run', '--json', '--transactional']);
    if (!('program' in (await findSandbox()))) {
      expect(status).toBe(2);
      expect(stderr).toContain('bubblewrap');
      return;
    }
    expect(status).toBe(0);
    const changes: readonly { file: string; text: string }[] = JSON.parse(stdout).changes;
    const text = (file: string) => changes.find((change) => change.file === file)?.text;
    expect(text(person.settings)).toContain('CLAUDE_CODE_SHELL_PREFIX');
    expect(text(paths(person.home).config)).toContain('[shell]\ntransactional = true\n');
  });

  it.each([
    [['setup', '--hosts', 'claud', '--dry-run'], 'unknown host "claud"'],
    [['setup', '--service', '--no-service'], 'not both'],
    [['setup'], 'add --yes'],
    [['setup', '--system'], 'set up by root'],
    [['uninstall', '--records', 'burn'], 'keep or delete'],
    [['uninstall'], 'add --yes'],
    [['upgrade', 'none.tgz', '--yes'], 'there is no file'],
  ])('refuses %j', async (args, why) => {
    // Root sets a system daemon up.
    if (args.includes('--system') && process.geteuid?.() === 0) return;
    const { status, stderr } = await newPerson().run(args);
    expect(status).toBe(2);
    expect(stderr).toContain(why);
  });
});

describe.skipIf(noTerminals || !isLinux)('setup at a terminal', () => {
  it('asks once, sets everything up, can be run again, and is taken out without a trace', async () => {
    const person = newPerson();
    const done = await person.type(['setup'], ['a', 'y', passphrase, passphrase]);
    expect(done).toMatchObject({ status: 0, unasked: 0 });
    for (const line of [
      /a: answer harmless prompts of the hosts for me \(off\)[\s\S]*a: answer .* \(on\)/,
      /settings\.json {2}\(\+\d+ −\d+ lines\)/,
      /Recovery code: [\w-]{39}/,
      /done {2}Claude Code is connected/,
      /done {2}the service is installed: sallyport-[0-9a-f]{8}\.service/,
      /done {2}the daemon is started/,
      /ok {4}passphrase/,
      /ok {4}claude {9}it denied a deletion/,
      /Try:/,
    ])
      expect(done.stdout).toMatch(line);
    expect(readFileSync(paths(person.home).config, 'utf8')).toBe(
      `${port}\n[hosts.claude]\nanswer = "reversible"\n`,
    );
    expect(person.managed()).toMatch(/--user daemon-reload\n.*--user enable[^\n]*\n.*--user restart /s);

    const again = await person.run(['setup', '--yes', '--answer', '--json']);
    expect(again.status).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({ running: true, notes: [], doctor: { healthy: true } });
    const status = await person.run(['status']);
    expect(status.stdout).toMatch(
      /\nSallyport 0\.\d+\.\d+ on Node [\d.]+; a service starts it when you sign in\n/,
    );

    const gone = await person.type(['uninstall'], ['y', passphrase, 'y']);
    expect(gone).toMatchObject({ status: 0, unasked: 0 });
    expect(gone.stdout).toContain('Claude Code is no longer connected');
    expect(gone.stdout).toContain('The records are deleted.');
    expect(gone.stdout).toMatch(/Remove the program: \S/);
    expect(JSON.parse(readFileSync(person.settings, 'utf8'))).toEqual(JSON.parse(settings));
    expect(existsSync(person.home)).toBe(false);
    expect(readdirSync(person.unitFolder)).toEqual([]);
    expect(await daemonPid(paths(person.home).socket)).toBeNull();
  });

  it('goes without a service where it is not wanted, and leaves the rest as it was on a no', async () => {
    const person = newPerson();
    const refused = await person.type(['setup'], ['d', 'n']);
    expect(refused.stdout).toContain('nothing was done');
    expect(refused.stdout).toContain('"PreToolUse"');
    expect(readFileSync(person.settings, 'utf8')).toBe(settings);
    const done = await person.type(['setup', '--no-service', '--yes'], [passphrase, passphrase]);
    expect(done).toMatchObject({ status: 0, unasked: 0 });
    expect(existsSync(person.unitFolder)).toBe(false);
    expect((await person.run(['status', '--json'])).stdout).toContain('"service":null');
  });

  it('upgrades with a copy of the store and another daemon; uninstall keeps the records', async () => {
    const person = newPerson();
    await person.type(['setup', '--no-service', '--yes'], [passphrase, passphrase]);
    const { socket, ledger } = paths(person.home);
    const before = await daemonPid(socket);
    expect((await person.run(['upgrade', '--yes'])).stderr).toContain('upgrade at a terminal');
    const upgraded = await person.type(['upgrade'], ['y']);
    expect(upgraded).toMatchObject({ status: 0, unasked: 0 });
    expect(upgraded.stdout).toMatch(
      /Sallyport 0\.\S+ is in use\.[\s\S]*Claude Code: its client is written again/,
    );
    const after = await daemonPid(socket);
    expect(after).not.toBeNull();
    expect(after).not.toBe(before);
    expect(statSync(`${ledger}.before-upgrade`).size).toBeGreaterThan(0);
    expect(statSync(`${ledger}.before-upgrade`).mode & 0o077).toBe(0);
    const gone = await person.type(['uninstall', '--records', 'keep', '--yes'], [passphrase]);
    expect(gone).toMatchObject({ status: 0, unasked: 0 });
    expect(JSON.parse(readFileSync(person.settings, 'utf8'))).toEqual(JSON.parse(settings));
    expect(existsSync(ledger)).toBe(true);
    expect((await person.run(['log', 'verify'])).stdout).toContain('clean:');
    expect(existsSync(join(person.home, 'bin', 'claude'))).toBe(false);
  });

  it('is not taken out with a wrong passphrase, and the hooks stay', async () => {
    const person = newPerson();
    await person.type(['setup', '--no-service', '--yes'], [passphrase, passphrase]);
    const hooked = readFileSync(person.settings, 'utf8');
    const refused = await person.type(['uninstall', '--records', 'delete', '--yes'], ['wrong passphrase']);
    expect(refused.status).not.toBe(0);
    expect(readFileSync(person.settings, 'utf8')).toBe(hooked);
    expect(existsSync(paths(person.home).ledger)).toBe(true);
    rmSync(person.settings);
  });
});
