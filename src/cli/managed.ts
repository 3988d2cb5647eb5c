// sallyport init HOST --managed: hooks in the settings of the whole machine, written where this user may, else left for
// one command with sudo.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { account, type HomePaths, prepareHome } from '../config/index.ts';
import { type ExitCode, exitCodes, parseJson, SallyportError, UsageError, visible } from '../core/index.ts';
import { object, readShape, text } from '../core/shape.ts';
import { quote } from '../surfaces/hooks/client.ts';
import type { HostName } from '../surfaces/hooks/index.ts';
import { clientScript, hosts } from '../surfaces/hooks/index.ts';
import {
  filesToAdd,
  filesToRemove,
  hasManagedShell,
  leftOpen,
  managedClient,
  managedFile,
  type SystemFile,
} from '../surfaces/hooks/managed.ts';
import { type Call, flagsOf } from './command.ts';
import { approverFirst, noteConnected } from './connecting.ts';
import { bindCredential, clientParts, startsShell, wantsShell } from './hosts.ts';
import { withLedger } from './ledger.ts';
import { openConfig, openHome } from './open.ts';
import { needsRoot, type SystemHere, systemHere } from './system/here.ts';
import { outputInside } from './system/inside.ts';

/** The files of the machine cannot be written by this user. */
class NeedsRoot extends SallyportError {}

/** Whether a host is hooked for this user by settings of the machine. */
export function isManaged(host: HostName): boolean {
  return existsSync(managedClient(host, account().uid));
}

/** The client of this user that settings of the machine name, and the files that are not as they should be. */
export function managedState(host: HostName): { readonly client: string; readonly stale: readonly string[] } {
  const client = managedClient(host, account().uid);
  const shell = hasManagedShell(host, process.platform, textOf);
  const wanted = filesToAdd(host, { ...machine(), client: textOf(client) ?? '', shell }, textOf);
  return { client, stale: wanted.filter(({ path, text }) => textOf(path) !== text).map(({ path }) => path) };
}

/** Adds or removes the hooks of a host in the settings of the machine. */
export async function manage(call: Call, host: HostName): Promise<ExitCode> {
  const system = systemHere(call.io.environment);
  if (system?.as === 'account') throw needsRoot(['init', host, ...flagsOf(call, initFlags)], system.daemon);
  if (system === null && isRoot() && call.io.environment['SUDO_UID'] !== undefined) {
    throw new UsageError('run it without sudo', 'it prints the one command that needs sudo');
  }
  const { paths } = openHome(call);
  const isRemoval = call.flag('remove');
  const where = machine(system?.daemon.uid);
  const files = isRemoval
    ? filesToRemove(host, { ...where, others: hasOthers(host, where.uid) }, textOf)
    : filesToAdd(
        host,
        { ...where, client: await clientOf(call, host, system), shell: await shellWanted(call, host) },
        textOf,
      );
  const due = files.filter(({ path, text }) => textOf(path) !== text);
  if (!due.every(({ path }) => isWritable(path))) throw askForRoot(call, paths, host, due);
  for (const file of due) place(file);
  say(call, host, due.length > 0, isRemoval);
  return exitCodes.pass;
}

/** Whether the host is to start its commands through the client. */
export async function shellWanted(call: Call, host: HostName): Promise<boolean> {
  if (!startsShell(host)) return false;
  const { config } = await openConfig(call);
  return await wantsShell(host, config, call.io.folder());
}

/** The flags of `init` that a call with sudo repeats. */
export const initFlags = ['project', 'managed', 'no-start', 'remove', 'yes', 'json'];

/** The client of the account: made here, or by the daemon's own account where that is another. */
async function clientOf(call: Call, host: HostName, system: SystemHere | null): Promise<string> {
  if (system?.as !== 'root') return await managedClientText(call, host);
  const said = await outputInside(system.daemon, ['init', host, '--client', '--json']);
  return readShape(clientShape, parseJson(said)).client;
}

const clientShape = object({ host: text(), client: text({ min: 1 }) });

/** The client that settings of the machine name, with a credential of its own. */
export async function managedClientText(call: Call, host: HostName): Promise<string> {
  const { home, world } = openHome(call);
  prepareHome(home);
  const note = await approverFirst(call, home);
  if (note !== null) call.io.warn(note);
  const proof = await withLedger(call, async (ledger) => {
    await noteConnected(ledger, host, world.now());
    return await bindCredential(home, host, ledger, world.now());
  });
  const { environment } = call.io;
  const parts = clientParts(home, host, proof, { start: !call.flag('no-start'), environment });
  return clientScript({ ...parts, script: managedClient(host, account().uid) });
}

function isRoot(): boolean {
  return process.geteuid?.() === 0;
}

function machine(uid = account().uid) {
  return { platform: process.platform, uid };
}

function textOf(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

/** Whether other users of this machine have a client for the host. */
function hasOthers(host: HostName, uid: number): boolean {
  const folder = dirname(dirname(managedClient(host, uid)));
  if (!existsSync(folder)) return false;
  const users = readdirSync(folder).filter((name) => /^\d+$/.test(name) && name !== String(uid));
  return users.some((user) => existsSync(managedClient(host, Number(user))));
}

function isWritable(path: string): boolean {
  // Only root keeps an agent of this user from changing it again.
  return isRoot() && path.startsWith('/');
}

function place({ path, text, isProgram }: SystemFile): void {
  if (text === null) {
    rmSync(path, { force: true });
    return;
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  const temporary = `${path}.sallyport-${process.pid}`;
  writeFileSync(temporary, text, { flag: 'wx' });
  chmodSync(temporary, isProgram === true ? 0o755 : 0o644);
  renameSync(temporary, path);
}

/** Leaves the files in the home and says the one command that puts them in place. */
function askForRoot(call: Call, paths: HomePaths, host: HostName, due: readonly SystemFile[]): NeedsRoot {
  const folder = join(paths.run, `managed-${host}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const steps = due.map(({ path, text, isProgram }, index) => {
    if (text === null) return `rm -f ${quote(path)}`;
    const staged = join(folder, String(index));
    writeFileSync(staged, text, { mode: 0o600 });
    return `mkdir -p ${quote(dirname(path))} && install -m ${isProgram === true ? '755' : '644'} ${quote(staged)} ${quote(path)}`;
  });
  const command = `sudo sh -c ${quote(steps.join(' && '))}`;
  if (call.flag('json')) call.io.json({ host, needs: 'root', command });
  return new NeedsRoot(
    `settings of the whole machine are root's: ${due.map(({ path }) => visible(path)).join(', ')}`,
    {
      hint: `run: ${command}`,
    },
  );
}

function say(call: Call, host: HostName, changed: boolean, isRemoval: boolean): void {
  const file = managedFile(host, process.platform) ?? '';
  if (call.flag('json')) {
    call.io.json({ host, scope: 'managed', file, changed });
    return;
  }
  const { title } = hosts[host];
  const state = isRemoval ? 'is no longer hooked' : changed ? 'is hooked' : 'was hooked already';
  call.io.print(`${title} ${state} for this machine: ${file}`);
  if (isRemoval) return;
  const open = leftOpen(host);
  if (open !== undefined) call.io.print(`  Not closed by this: ${open}`);
  call.io.print(
    `  Hooks in your own settings would ask twice: remove them with 'sallyport init ${host} --remove'.`,
  );
}
