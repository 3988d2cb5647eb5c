// sallyport up --system and down --system: puts a daemon of another user id in place for one account, starts it, stops it.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, realpathSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Account,
  isAccountName,
  type SystemDaemon,
  systemDaemons,
  systemPlaces,
} from '../../config/index.ts';
import {
  type ExitCode,
  exitCodes,
  SallyportError,
  UsageError,
  usualPort,
  visible,
} from '../../core/index.ts';
import { askDaemon } from '../client.ts';
import { type Call, wholeNumber } from '../command.ts';
import { version } from '../version.ts';
import { findAccount, groupsOf, outputOf, rootEnvironment } from './accounts.ts';
import { weaknesses } from './boundary.ts';
import { installCommands, installedFiles } from './files.ts';
import { systemHere } from './here.ts';
import { outputInside, terminalVariables } from './inside.ts';
import { changeablePart } from './program.ts';

/** A daemon of another user id cannot be put in place here. */
class CannotSeparate extends SallyportError {}

const startMs = 30_000;
const lookEvery = 50;

/** Puts the daemon in place and starts it; with --print, shows what that would do. */
export async function upSystem(call: Call): Promise<ExitCode> {
  const daemon = planned(call);
  const withSystemd = hasSystemd();
  const commands = installCommands(daemon, installedFiles(daemon, withSystemd));
  const start = withSystemd ? unitCommands(daemon) : [];
  if (call.flag('print')) return print(call, daemon, [...commands, ...start], withSystemd);
  requireRoot(call);
  requireTools();
  requireProgram(daemon);
  requireOwnHome(daemon);
  runAll(commands);
  for (const { says } of weaknesses(daemon)) call.io.warn(`Note: ${says}`);
  // One that runs already was started with what was given before.
  if (!withSystemd && (await isUp(daemon))) await outputInside(daemon, ['down']);
  if (withSystemd) runAll(start);
  else if (!call.flag('detach')) return await foreground(call, daemon);
  const child = withSystemd ? null : startBehind(daemon);
  await answering(call, daemon, child);
  say(call, daemon);
  return exitCodes.pass;
}

/** Stops the daemon; with --remove, takes its unit, script and record away and leaves its home. */
export async function downSystem(call: Call): Promise<ExitCode> {
  const here = systemHere(call.io.environment) ?? named(call);
  if (here === null) {
    throw new UsageError('there is no system daemon for this account', "'sallyport up --system' makes one");
  }
  requireRoot(call);
  const { daemon } = here;
  const { unit, record, enter } = systemPlaces(daemon.user);
  if (hasSystemd() && existsSync(unit)) {
    runAll([`systemctl stop ${unitName(daemon)}`, `systemctl disable --quiet ${unitName(daemon)}`]);
  } else if (await isUp(daemon)) {
    await outputInside(daemon, ['down']);
  }
  const isRemoval = call.flag('remove');
  if (isRemoval) {
    for (const file of [unit, enter, record]) rmSync(file, { force: true });
    if (hasSystemd()) runAll(['systemctl daemon-reload']);
  }
  const { home } = systemPlaces(daemon.user);
  if (call.flag('json')) call.io.json({ stopped: true, user: daemon.user, removed: isRemoval });
  else {
    call.io.print(`The daemon of ${daemon.user} is stopped; agents that ask it are denied everything.`);
    if (isRemoval) call.io.print(`It is removed. Its store stays in ${home}.`);
  }
  return exitCodes.pass;
}

function named(call: Call) {
  const user = call.value('for');
  const daemon = systemDaemons().find((one) => one.user === user);
  return daemon === undefined ? null : { daemon, as: 'root' as const };
}

/** The daemon as the call describes it; an existing one keeps what the call does not name. */
function planned(call: Call): SystemDaemon {
  const account = guarded(call);
  const all = systemDaemons();
  const before = all.find((one) => one.user === account.user);
  const as = call.value('as') ?? before?.as ?? 'sallyport';
  requireName('--as', as);
  if (as === account.user || as === 'root') {
    throw new UsageError(`--as names an account of its own, neither root nor ${account.user}`);
  }
  const other = all.find((one) => one.as === as && one.user !== account.user);
  if (other !== undefined) {
    throw new UsageError(
      `the user ${as} runs the daemon of ${other.user}, whose store it can read`,
      `give this one its own account: --as sallyport-${account.user}`,
    );
  }
  const { user, uid, gid, home } = account;
  const taken = all.filter((one) => one.user !== user).map(({ port }) => port);
  const port = wholeNumber(call, 'port', 1, 65_535) ?? before?.port ?? freePort(taken);
  const program = realpathSync(process.argv[1] ?? '');
  return { user, uid, gid, user_home: home, as, port, node: realpathSync(process.execPath), program };
}

function freePort(taken: readonly number[]): number {
  let port = usualPort;
  while (taken.includes(port)) port++;
  return port;
}

/** The account whose agents the daemon guards. */
function guarded(call: Call): Account {
  const name = call.value('for') ?? call.io.environment['SUDO_USER'];
  if (name === undefined) {
    throw new UsageError('for whose agents?', "run it with sudo as that account, or name it: '--for USER'");
  }
  requireName('--for', name);
  const found = findAccount(name);
  if (found === null) throw new UsageError(`there is no account "${visible(name, 40)}"`);
  if (found.uid === 0) {
    throw new UsageError('agents that run as root cannot be restricted', 'name another account: --for USER');
  }
  return found;
}

function requireName(option: string, name: string): void {
  if (!isAccountName(name))
    throw new UsageError(`${option}: "${visible(name, 40)}" is no plain name of an account`);
}

function requireRoot(call: Call): void {
  if (process.platform !== 'linux') {
    throw new CannotSeparate(
      'a daemon of another user id needs Linux: user namespaces keep its rights apart',
    );
  }
  if (process.geteuid?.() === 0) return;
  const verb = call.flag('print') ? '' : ', or look first: sallyport up --system --print';
  throw new CannotSeparate('only root can start a daemon of another user id', {
    hint: `run it with sudo${verb}`,
  });
}

/** The programs of the system that the script needs, and a kernel that lets root make user namespaces. */
function requireTools(): void {
  const missing = ['unshare', 'setpriv', 'getent', 'install'].filter(
    (name) => !rootEnvironment.PATH.split(':').some((folder) => existsSync(join(folder, name))),
  );
  if (missing.length > 0) {
    throw new CannotSeparate(`this machine has no ${missing.join(', ')}`, {
      hint: 'install util-linux and coreutils',
    });
  }
  if (outputOf('unshare', ['--user', '--keep-caps', 'true']) === null) {
    throw new CannotSeparate(
      'user namespaces cannot be made here, or unshare is older than util-linux 2.36',
      {
        hint: 'see user.max_user_namespaces; in a container, its runtime must allow them',
      },
    );
  }
}

/** INVARIANT: an account that could change the program or its Node could become the daemon. */
function requireProgram({ node, program, user }: SystemDaemon): void {
  const found = changeablePart({ node, entry: program }, { groups: groupsOf({ user }) });
  if (found === null) return;
  throw new CannotSeparate(
    `${visible(found.path)} ${found.why}, so agents of ${user} could change the daemon`,
    {
      hint: 'install Node and Sallyport for the whole machine: sudo npm install --global sallyport',
    },
  );
}

function requireOwnHome({ user, as }: SystemDaemon): void {
  const { home } = systemPlaces(user);
  if (!existsSync(home)) return;
  const owner = statSync(home).uid;
  if (owner === findAccount(as)?.uid) return;
  throw new CannotSeparate(`${home} belongs to the user id ${owner}, not to ${as}`, {
    hint: `name the account that made it: --as NAME, or: sudo chown -R ${as}: ${home}`,
  });
}

/** Whether systemd runs this machine. */
function hasSystemd(): boolean {
  return existsSync('/run/systemd/system');
}

function unitName({ user }: SystemDaemon): string {
  return `sallyport-${user}.service`;
}

function unitCommands(daemon: SystemDaemon): readonly string[] {
  const unit = unitName(daemon);
  return ['systemctl daemon-reload', `systemctl enable --quiet ${unit}`, `systemctl restart ${unit}`];
}

function runAll(commands: readonly string[]): void {
  const script = ['set -eu', 'umask 022', ...commands].join('\n');
  const { status, stderr } = spawnSync('/bin/sh', ['-c', script], { encoding: 'utf8', env: rootEnvironment });
  if (status !== 0) throw new CannotSeparate(`a step failed: ${visible(stderr.trim(), 500)}`);
}

function print(
  call: Call,
  daemon: SystemDaemon,
  commands: readonly string[],
  withSystemd: boolean,
): ExitCode {
  const { enter, log } = systemPlaces(daemon.user);
  const started = withSystemd
    ? []
    : [`${enter} ${daemon.node} ${daemon.program} up --port ${daemon.port} >>${log} 2>&1 &`];
  const all = [...commands, ...started];
  if (call.flag('json')) call.io.json({ daemon, commands: all });
  else
    call.io.print(
      [
        '#!/bin/sh',
        '# Nothing was done. These commands, as root, would do it.',
        'set -eu',
        'umask 022',
        ...all,
      ].join('\n'),
    );
  return exitCodes.pass;
}

function daemonWords({ node, program, port }: SystemDaemon): readonly string[] {
  return [node, program, 'up', '--port', String(port)];
}

async function foreground(call: Call, daemon: SystemDaemon): Promise<ExitCode> {
  const { enter } = systemPlaces(daemon.user);
  const level = call.value('log');
  const words = [...daemonWords(daemon), ...(level === undefined ? [] : ['--log', level])];
  const more = call.flag('json') ? ['--json'] : [];
  const child = spawn(enter, [...words, ...more], { stdio: 'inherit', env: terminalVariables() });
  const pass = (signal: NodeJS.Signals) => void child.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, pass);
  return await new Promise((settle, reject) => {
    child.once('error', reject);
    child.once('close', (code) => settle(code === 0 ? exitCodes.pass : exitCodes.failed));
  });
}

function startBehind(daemon: SystemDaemon): ChildProcess {
  const { enter, log } = systemPlaces(daemon.user);
  const file = openSync(log, 'a', 0o600);
  const child = spawn(enter, [...daemonWords(daemon), '--log', 'info'], {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['ignore', file, file],
  });
  closeSync(file);
  child.unref();
  return child;
}

async function isUp({ user }: SystemDaemon): Promise<boolean> {
  return (await askDaemon(systemPlaces(user).socket, 'GET /livez')) !== null;
}

/** Waits until the daemon answers; `child` is its process where no service manager has it. */
async function answering(call: Call, daemon: SystemDaemon, child: ChildProcess | null): Promise<void> {
  const { socket, log } = systemPlaces(daemon.user);
  const until = performance.now() + startMs;
  while ((await askDaemon(socket, 'GET /healthz')) === null) {
    if (performance.now() > until || (child !== null && child.exitCode !== null)) {
      const where = child === null ? `journalctl -u ${unitName(daemon)}` : log;
      throw new CannotSeparate('the daemon did not start', { hint: `see ${where}` });
    }
    call.io.progress('starting …');
    await new Promise((resolve) => setTimeout(resolve, lookEvery));
  }
  call.io.progress('');
}

function say(call: Call, daemon: SystemDaemon): void {
  const { user, as, port } = daemon;
  const { home, socket } = systemPlaces(user);
  if (call.flag('json')) {
    call.io.json({ user, as, port, home, socket });
    return;
  }
  call.io.print(`${call.io.paint('green', `Sallyport ${version} is up`)} for the agents of ${user}, as the user ${as}.
  console      http://localhost:${port}
  agents ask   ${socket}
  store        ${home}, which ${user} cannot open

What to do next:
  sudo sallyport passphrase              choose the passphrase for approvals
  sudo sallyport init claude --managed   hook an agent host by settings that agents cannot change
  sallyport doctor                       as ${user}: check that the boundary holds
  sudo -k                                forget the password that you typed for sudo`);
}
