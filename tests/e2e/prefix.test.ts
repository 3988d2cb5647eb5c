// Commands of Claude Code as transactions: the written settings, the written client as the host's shell prefix, a real
// daemon, and lines as the real host writes them.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { daemonPid } from '../../src/cli/client.ts';
import { clientFiles } from '../../src/cli/hosts.ts';
import { paths } from '../../src/config/index.ts';
import { quote } from '../../src/surfaces/hooks/client.ts';
import { wirings } from '../../src/surfaces/hooks/index.ts';
import { cli, type Ended, ended } from '../support/cli.ts';
import { hidden } from '../support/hidden.ts';
import { type Environment, newUser, up } from '../support/hosts.ts';
import { overlayMissing } from '../support/overlay.ts';

type User = ReturnType<typeof newUser>;

const session = 'a1b2c3d4-0000-4000-8000-000000000000';
const variable = 'CLAUDE_CODE_SHELL_PREFIX';
let number = 0;

/** A user whose Claude Code is connected, with transactions or without, and a daemon that runs. */
async function connected(text = '[shell]\ntransactional = true\n'): Promise<User> {
  const place = newUser();
  mkdirSync(place.home, { recursive: true });
  writeFileSync(join(place.home, 'sallyport.toml'), text, { mode: 0o600 });
  const { status, stderr } = await init(place);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  await up(place, place.environment);
  await hook(place, 'SessionStart', { source: 'startup' });
  return place;
}

const init = (place: User, ...more: string[]) =>
  cli(place, ['init', 'claude', '--yes', ...(more.length > 0 ? more : ['--no-start'])], {
    environment: place.environment,
  });

const settingsOf = ({ user }: User): string => join(user, '.claude/settings.json');
const prefixIn = (place: User): unknown =>
  JSON.parse(readFileSync(settingsOf(place), 'utf8')).env?.[variable];

/** What the host starts: its hooks by their command, and its commands by a line, all through the prefix. */
function prefixed(place: User, line: string, input = '', environment: Environment = {}): Promise<Ended> {
  const { script } = clientFiles(place.home, 'claude');
  const child = spawn('/bin/sh', ['-c', `${quote(script)} ${quote(line)}`], {
    env: {
      PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
      HOME: place.user,
      CLAUDE_CODE_SESSION_ID: session,
      ...environment,
    },
    cwd: place.workspace,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return ended(child);
}

const hook = (place: User, event: string, value: object) =>
  prefixed(
    place,
    `${quote(clientFiles(place.home, 'claude').script)} ${event}`,
    JSON.stringify({ session_id: session, cwd: place.workspace, hook_event_name: event, ...value }),
  );

/** The line that Claude Code 2.1 writes for a command. */
function lineOf({ user }: User, command: string): string {
  const quoted = `'${command.replaceAll("'", `'"'"'`)}'`;
  return `source ${user}/.claude/shell-snapshots/snapshot-bash-1-a.sh 2>/dev/null || true && { \\builtin shopt -u extglob || \\builtin setopt NO_EXTENDED_GLOB; } >/dev/null 2>&1 || true && eval ${quoted} < /dev/null && pwd -P >| /tmp/claude-test-${process.pid}-cwd`;
}

/** A call of the Bash tool, as the host makes it. */
async function bash(place: User, command: string, more: object = {}): Promise<Ended & { denied: boolean }> {
  const call = {
    tool_name: 'Bash',
    tool_use_id: `toolu_${number++}`,
    permission_mode: 'bypassPermissions',
    tool_input: { command, ...more },
  };
  const asked = await hook(place, 'PreToolUse', call);
  if (asked.stdout.includes('"deny"')) return { ...asked, denied: true };
  const ran = await prefixed(place, lineOf(place, command));
  await hook(place, 'PostToolUse', { ...call, tool_response: { stdout: ran.stdout, stderr: ran.stderr } });
  return { ...ran, denied: false };
}

/** Where a file of the workspace is. */
const at = ({ workspace }: User, path: string): string => join(workspace, path);

/** Whether a command has made a file aside. */
function isAside({ home }: User, name: string): boolean {
  const folder = join(home, 'shell');
  const layers = existsSync(folder)
    ? readdirSync(folder).flatMap((one) => ['0', '1', '2'].map((layer) => join(folder, one, layer)))
    : [];
  return layers.some((layer) => existsSync(join(layer, 'upper', name)));
}

describe.skipIf(overlayMissing !== null)('the shell prefix of Claude Code', () => {
  it('is set with transactions alone, and goes with them and with the hooks', async () => {
    const place = newUser();
    const toml = join(place.home, 'sallyport.toml');
    mkdirSync(place.home, { recursive: true });
    await init(place);
    expect(prefixIn(place)).toBeUndefined();
    writeFileSync(toml, '[shell]\ntransactional = true\n', { mode: 0o600 });
    await init(place);
    expect(prefixIn(place)).toBe(clientFiles(place.home, 'claude').script);
    writeFileSync(toml, '', { mode: 0o600 });
    await init(place);
    expect(prefixIn(place)).toBeUndefined();
    writeFileSync(toml, '[shell]\ntransactional = true\n', { mode: 0o600 });
    await init(place);
    await init(place, '--remove');
    expect(existsSync(settingsOf(place))).toBe(false);
  });

  it('commits what passes, with the exit code and output of the command, and undo takes it back', async () => {
    const place = await connected();
    const ran = await bash(place, "echo 'it'\"'\"'s' > new.txt; echo said; echo wrong >&2; exit 3");
    expect(ran).toMatchObject({ status: 3, stdout: 'said\n', stderr: 'wrong\n' });
    expect(readFileSync(at(place, 'new.txt'), 'utf8')).toBe("it's\n");
    const shown = await cli(place, ['snapshots', '--json']);
    expect(shown.stdout.match(/new\.txt/g)).toHaveLength(1);
    expect((await cli(place, ['undo', '--yes'])).stdout).toContain('Undone:');
    expect(existsSync(at(place, 'new.txt'))).toBe(false);
    expect(readdirSync(join(place.home, 'shell'))).toEqual([]);
  });

  it('discards what a script plants in the workspace and in the home', async () => {
    const place = await connected();
    const script =
      'mkdir -p .claude; echo {} > .claude/settings.json; echo x >> ~/.bashrc; echo built > out.txt';
    const ran = await bash(place, hidden(place.workspace, script));
    expect(ran.status).toBe(1);
    expect(ran.stderr).toContain('nothing that it changed was kept: Blocked');
    expect(readdirSync(place.workspace)).toEqual(['plan.json', 'run.mjs']);
    expect(existsSync(join(place.user, '.bashrc'))).toBe(false);
  });

  it.each([
    ['a word that ends a line of the host', "node run.mjs && echo ' && pwd -P >| /tmp/x'"],
    ['an eval of its own', "eval 'node run.mjs' < /dev/null && pwd -P >| /tmp/x"],
    ['the name of our client', 'node run.mjs # /home/ann/.sallyport/bin/claude PreToolUse'],
    ['line breaks and quotes', "cat <<'EOF' > /dev/null\nit's \"here\" \\\nEOF\nnode run.mjs"],
    ['programs that work on the machine', 'ps > /dev/null; kill -0 1; node run.mjs'],
  ])('judges the difference whatever the command says: %s', async (_, command) => {
    const place = await connected();
    hidden(place.workspace, 'mkdir -p .claude; echo {} > .claude/settings.json');
    const ran = await bash(place, command);
    expect(ran).toMatchObject({
      denied: false,
      stderr: expect.stringContaining('nothing that it changed was kept'),
    });
    expect(existsSync(at(place, '.claude'))).toBe(false);
  });

  it('judges a command that no hook saw by the same path, and runs it as a transaction', async () => {
    const place = await connected();
    const blocked = await prefixed(place, lineOf(place, 'rm -rf /'));
    expect(blocked).toMatchObject({ status: 126, stderr: expect.stringContaining('mass_deletion') });
    const unread = hidden(place.workspace, 'mkdir -p .claude; echo {} > .claude/settings.json');
    const ran = await prefixed(place, lineOf(place, unread));
    expect(ran.stderr).toContain('nothing that it changed was kept');
    expect(existsSync(at(place, '.claude'))).toBe(false);
    // What a hook judged runs once; the same line again is judged again.
    await bash(place, 'echo one >> a.txt');
    await prefixed(place, lineOf(place, 'echo one >> a.txt'));
    expect(readFileSync(at(place, 'a.txt'), 'utf8')).toBe('one\none\n');
  });

  it('takes no session, folder or program from the environment', async () => {
    const place = await connected();
    const evil = join(place.user, 'evil.sh');
    writeFileSync(evil, `echo owned > ${join(place.user, 'owned')}\n`, { mode: 0o755 });
    const environment = {
      CLAUDE_CODE_SESSION_ID: 'another',
      ...{ SALLYPORT_HOME: '/nowhere', PATH: '/nowhere', ENV: evil },
      ...{ 'BASH_FUNC_exec%%': `() { . ${evil}; }`, 'BASH_FUNC_mount%%': `() { . ${evil}; }` },
    };
    const other = await prefixed(place, lineOf(place, 'echo x > x.txt'), '', environment);
    expect(other).toMatchObject({
      status: 126,
      stderr: expect.stringContaining('no hook spoke of this session'),
    });
    const own = { ...environment, CLAUDE_CODE_SESSION_ID: session };
    await prefixed(place, lineOf(place, 'echo x > x.txt'), '', own);
    expect(readFileSync(at(place, 'x.txt'), 'utf8')).toBe('x\n');
    expect(existsSync(join(place.user, 'owned'))).toBe(false);
  });

  it('runs other programs of the host as they are, and commands not at all, where no daemon answers', async () => {
    const place = newUser();
    mkdirSync(place.home, { recursive: true });
    writeFileSync(join(place.home, 'sallyport.toml'), '[shell]\ntransactional = true\n', { mode: 0o600 });
    await init(place);
    expect(await prefixed(place, 'cat; echo "$0"', 'given\n')).toMatchObject({
      status: 0,
      stdout: 'given\n/bin/sh\n',
    });
    const ran = await prefixed(place, lineOf(place, 'echo x > x.txt'));
    expect(ran).toMatchObject({ status: 126, stderr: expect.stringContaining('the daemon did not answer') });
    expect(existsSync(at(place, 'x.txt'))).toBe(false);
  });

  it('runs what must live on, and what was approved elsewhere, as without transactions', async () => {
    const place = await connected();
    await bash(place, '(sleep 0.3; echo late > late.txt) & echo started');
    await bash(place, 'echo b > background.txt', { run_in_background: true });
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(readFileSync(at(place, 'late.txt'), 'utf8')).toBe('late\n');
    expect(readFileSync(at(place, 'background.txt'), 'utf8')).toBe('b\n');
  });

  it('keeps nothing of a command whose shell is killed, and leaves no overlay', async () => {
    const place = await connected();
    const command = 'echo half > half.txt; sleep 60';
    await hook(place, 'PreToolUse', {
      tool_name: 'Bash',
      tool_use_id: 'toolu_killed',
      tool_input: { command },
      permission_mode: 'bypassPermissions',
    });
    const { script } = clientFiles(place.home, 'claude');
    const child = spawn(script, [lineOf(place, command)], {
      env: { PATH: '/usr/bin:/bin', HOME: place.user, CLAUDE_CODE_SESSION_ID: session },
      cwd: place.workspace,
      stdio: 'ignore',
    });
    const folder = join(place.home, 'shell');
    const wait = async (until: () => boolean) => {
      for (let tries = 0; tries < 200 && !until(); tries++)
        await new Promise((resolve) => setTimeout(resolve, 50));
      return until();
    };
    expect(await wait(() => isAside(place, 'half.txt'))).toBe(true);
    child.kill('SIGKILL');
    expect(await wait(() => readdirSync(folder).length === 0)).toBe(true);
    expect(existsSync(at(place, 'half.txt'))).toBe(false);
  });

  it('keeps all or nothing where the daemon dies, and says so', async () => {
    const place = await connected();
    const ran = bash(place, 'echo x > x.txt; sleep 2');
    for (let tries = 0; tries < 200 && !isAside(place, 'x.txt'); tries++)
      await new Promise((resolve) => setTimeout(resolve, 50));
    const pid = await daemonPid(paths(place.home).socket);
    process.kill(pid ?? 0, 'SIGKILL');
    expect(await ran).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('as a whole or not at all'),
    });
    expect(existsSync(at(place, 'x.txt'))).toBe(false);
  });

  it('is restored where something takes it out or puts another in its place', async () => {
    const place = await connected();
    const good = readFileSync(settingsOf(place), 'utf8');
    const script = clientFiles(place.home, 'claude').script;
    for (const value of [undefined, '/tmp/evil', `${script} `]) {
      const settings = JSON.parse(good);
      settings.env = value === undefined ? undefined : { [variable]: value };
      writeFileSync(settingsOf(place), JSON.stringify(settings));
      await hook(place, 'SessionStart', { source: 'startup' });
      expect(prefixIn(place)).toBe(script);
    }
    rmSync(settingsOf(place));
    await hook(place, 'SessionStart', { source: 'startup' });
    expect(wirings.claude.commands(readFileSync(settingsOf(place), 'utf8'), script)).toHaveProperty(
      'PreToolUse',
    );
  });
});
