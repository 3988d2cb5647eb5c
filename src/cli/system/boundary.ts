// Whether the boundary of a system daemon holds, asked as the account whose agents it guards: each check tries what an
// agent would try, by the same kernel.

import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type SystemDaemon, systemPlaces } from '../../config/index.ts';
import { messageOf } from '../../core/index.ts';
import type { Check } from '../../surfaces/http/host-control.ts';
import { daemonPid } from '../client.ts';
import { findAccount, groupNamesOf, groupsOf } from './accounts.ts';
import { changeablePart } from './program.ts';

/** Groups whose members can become root, or read every file. */
const mighty: ReadonlySet<string> = new Set([
  ...['root', 'disk', 'docker', 'incus-admin', 'kmem', 'libvirt', 'lxd', 'shadow'],
]);

/** What makes the account as strong as root, so that no boundary holds against it. */
export function weaknesses({ user }: Pick<SystemDaemon, 'user'>): readonly Check[] {
  const found = groupNamesOf({ user }).filter((name) => mighty.has(name));
  if (found.length === 0) return [];
  const says = `${user} is in the group ${found.join(', ')}, whose members can become root: agents of ${user} can, too`;
  return [{ name: 'groups', state: 'fail', says }];
}

/** Every check, as the account itself. */
export async function checkBoundary(daemon: SystemDaemon): Promise<readonly Check[]> {
  return [
    store(daemon),
    program(daemon),
    await daemonProcess(daemon),
    port(daemon),
    sudo(),
    ...weaknesses(daemon),
  ];
}

function store({ user, as }: SystemDaemon): Check {
  const { home, socket, record, enter } = systemPlaces(user);
  const open = [home, dirname(socket), record, enter].filter(
    (path) => mayDo(path, constants.W_OK) || (path === home && mayDo(path, constants.R_OK)),
  );
  const name = 'store';
  if (open.length > 0) return { name, state: 'fail', says: `${open.join(', ')}: open to ${user}` };
  return { name, state: 'ok', says: `${home} belongs to ${as} and is closed to you` };
}

/** Whether the system would let this process do it. */
function mayDo(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

function program({ node, program: entry, user }: SystemDaemon): Check {
  const name = 'program';
  try {
    const found = changeablePart({ node, entry }, { groups: groupsOf({ user }) });
    if (found === null) return { name, state: 'ok', says: `${entry} and its Node belong to root` };
    return { name, state: 'fail', says: `${found.path} ${found.why}` };
  } catch (error) {
    return { name, state: 'fail', says: messageOf(error) };
  }
}

async function daemonProcess({ user, as, uid }: SystemDaemon): Promise<Check> {
  const name = 'process';
  const pid = await daemonPid(systemPlaces(user).socket);
  if (pid === null) {
    return {
      name,
      state: 'fail',
      says: "it does not answer, so agents are denied everything: 'sudo sallyport up --system'",
    };
  }
  const doors = [
    ...(maySignal(pid) ? ['signal it'] : []),
    ...(['environ', 'mem', 'maps'].some((file) => canRead(`/proc/${pid}/${file}`))
      ? ['read its memory']
      : []),
    ...(canList(`/proc/${pid}/fd`) ? ['see its files'] : []),
    ...(lstatSync(`/proc/${pid}`).uid === uid ? ['trace it'] : []),
  ];
  if (doors.length > 0) return { name, state: 'fail', says: `process ${pid}: you can ${doors.join(', ')}` };
  return { name, state: 'ok', says: `process ${pid} runs as ${as}; you can neither stop nor read it` };
}

function maySignal(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function canRead(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch {
    return false;
  }
}

function canList(path: string): boolean {
  try {
    readdirSync(path);
    return true;
  } catch {
    return false;
  }
}

/** The user id of the process that listens on a port of 127.0.0.1, as the kernel shows it; null where none does. */
export function listenerOf(port: number): number | null {
  const address = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const lines = existsSync('/proc/net/tcp') ? readFileSync('/proc/net/tcp', 'utf8').split('\n') : [];
  for (const line of lines) {
    const [, local, , state, , , , uid] = line.trim().split(/\s+/);
    if (local === address && state === '0A') return Number(uid);
  }
  return null;
}

/** A page on that port that is not the daemon's would ask for the passphrase as the console does. */
function port({ port: number, as }: SystemDaemon): Check {
  const name = 'port';
  const uid = listenerOf(number);
  if (uid === null) return { name, state: 'fail', says: `nothing listens on 127.0.0.1:${number}` };
  if (uid === findAccount(as)?.uid) return { name, state: 'ok', says: `127.0.0.1:${number} is the daemon's` };
  return {
    name,
    state: 'fail',
    says: `127.0.0.1:${number} is held by the user id ${uid}, not by ${as}: do not type your passphrase there`,
  };
}

/** Cached passwords are left out: whether an agent could use sudo is asked, not whether this terminal just did. */
function sudo(): Check {
  const name = 'sudo';
  const { status, error } = spawnSync('/usr/bin/sudo', ['-n', '-k', 'true'], { stdio: 'ignore' });
  if (error !== undefined || status !== 0) return { name, state: 'ok', says: 'it asks you for a password' };
  return { name, state: 'fail', says: 'sudo works without a password, so an agent of yours can become root' };
}
