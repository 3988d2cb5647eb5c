// sallyport upgrade: takes the version that is installed now into use: a backup, the daemon, clients of hosts, the service.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { displayPath, type HomePaths } from '../../config/index.ts';
import { exitCodes, InputError, NotAllowed, SallyportError, UsageError, visible } from '../../core/index.ts';
import { copyStore } from '../../ledger/backup.ts';
import { hosts } from '../../surfaces/hooks/index.ts';
import { askDaemon } from '../client.ts';
import type { Call, Command } from '../command.ts';
import { connectHost, planAddition } from '../host-connection.ts';
import { clientFiles, recordedHosts } from '../hosts.ts';
import { openHome } from '../open.ts';
import { ownCommand } from '../own.ts';
import { installService, serviceHere, stateOf } from '../service/index.ts';
import { installWords } from '../setup/program.ts';
import { needsRoot, systemHere } from '../system/here.ts';
import { confirm, NoTerminal } from '../terminal.ts';
import { version } from '../version.ts';
import { command as doctor } from './doctor.ts';
import { stopDaemon } from './uninstall.ts';

/** The new package could not be installed. */
class NotInstalled extends SallyportError {}

export const command: Command = {
  usage: ['upgrade [--yes]', 'upgrade TARBALL [--yes]'],
  about:
    'Upgrades the daemon, the clients of the hosts and the service to the installed program: copies an embedded store,\n' +
    'restarts the daemon, which migrates its tables, and runs the doctor. With a TARBALL (sallyport-VERSION.tgz) it installs\n' +
    "that first, with npm. In a clone: 'git pull', then 'npx sallyport upgrade'.",
  examples: ['upgrade', 'upgrade ./sallyport-0.2.0.tgz'],
  options: {
    yes: { help: 'do not ask, if no agent host is connected' },
  },
  async run(call) {
    const [tarball, extra] = call.words;
    if (extra !== undefined) throw new UsageError(`unexpected argument "${visible(extra, 40)}"`);
    const here = systemHere(call.io.environment);
    if (here !== null) throw needsRoot(['up', '--system'], here.daemon);
    await agree(call);
    if (tarball !== undefined) return installed(call, tarball);
    const { paths } = openHome(call);
    const before = (await askDaemon(paths.ask, 'GET /healthz'))?.body.version ?? null;
    const backup = backUpStore(paths);
    await stopDaemon(paths);
    const renewed = await renewHosts(call, paths);
    await start(call, paths);
    if (call.flag('json')) {
      call.io.json({ version, before, backup, hosts: renewed });
      return exitCodes.pass;
    }
    const from = before === null || before === version ? '' : ` (the daemon was ${before})`;
    call.io.print(`Sallyport ${version} is in use${from}.`);
    if (backup !== null)
      call.io.print(`The store before it: ${displayPath(backup, call.io.environment['HOME'])}`);
    for (const host of renewed) call.io.print(`${hosts[host].title}: its client is written again`);
    return await doctor.run(call, {});
  },
};

/** Asks the person: until the daemon is back, calls of hosts are denied. */
async function agree(call: Call): Promise<void> {
  const { paths } = openHome(call);
  const connected = recordedHosts(paths).length;
  if (connected === 0 && call.flag('yes')) return;
  let yes: boolean;
  try {
    yes = await confirm(
      `Replace the daemon by Sallyport ${version}? Calls of agent hosts are denied for some seconds.`,
    );
  } catch (error) {
    if (!(error instanceof NoTerminal)) throw error;
    throw new NotAllowed('upgrade at a terminal', {
      hint: "run 'sallyport upgrade' in a terminal",
    });
  }
  if (!yes) throw new NotAllowed('nothing was changed');
}

/** Puts a package in the place of this program, and lets that go on. */
function installed(call: Call, tarball: string): number {
  const file = resolve(call.io.folder(), tarball);
  if (!existsSync(file)) throw new InputError(`there is no file ${visible(file)}`);
  const words = installWords(file);
  if (words === null) {
    throw new UsageError(
      'this is a clone, which takes no package',
      "'git pull', then 'npx sallyport upgrade'",
    );
  }
  const npm = spawnSync('npm', words, { stdio: ['ignore', 2, 2], env: { ...call.io.environment } });
  if (npm.status !== 0) {
    throw new NotInstalled(
      `npm ${words[0]} ended with ${npm.status ?? 'an error'}; the version before is in use`,
    );
  }
  const program = realpathSync(process.argv[1] ?? '');
  const flags = ['yes', 'json'].filter((name) => call.flag(name)).map((name) => `--${name}`);
  const next = spawnSync(process.execPath, [program, 'upgrade', ...flags], {
    stdio: 'inherit',
    env: { ...call.io.environment },
  });
  return next.status ?? exitCodes.failed;
}

/** Copies the embedded store as it is, before a newer version changes its tables; null where there is none. */
function backUpStore(paths: HomePaths): string | null {
  if (!existsSync(paths.ledger)) return null;
  const copy = `${paths.ledger}.before-upgrade`;
  rmSync(copy, { force: true });
  copyStore(paths.ledger, copy);
  return copy;
}

/** Writes the client of every connected host again, and its hooks as this version writes them. */
async function renewHosts(call: Call, paths: HomePaths) {
  const { home } = openHome(call);
  const connected = recordedHosts(paths);
  for (const { host, file, scope = 'user' } of connected) {
    const { script } = clientFiles(home, host);
    const start = !existsSync(script) || readFileSync(script, 'utf8').includes('--again');
    await connectHost(call, await planAddition(call, { host, file, scope }), start);
  }
  return [...new Set(connected.map(({ host }) => host))];
}

/** Starts the daemon by its service where it has one. */
async function start(call: Call, paths: HomePaths): Promise<void> {
  const service = serviceHere(call);
  if (service !== null && stateOf(service) !== 'none') installService(call, service);
  rmSync(paths.stopped, { force: true });
  await ownCommand(['up', '--detach', '--again', '--json']);
}
