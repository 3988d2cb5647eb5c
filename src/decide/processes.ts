// The processes of this machine, as far as the system shows them without further privileges.

import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { account } from '../config/index.ts';
import type { PortUse, RunningProcess } from '../core/index.ts';

/** More processes than this are not examined. */
const mostProcesses = 8192;
/** The words of a command line that identify the program: an interpreter, its script, a subcommand. */
const tellingWords = 3;

/** The running processes; null on a system that does not show them as files. */
export function runningProcesses(): readonly RunningProcess[] | null {
  let names: readonly string[];
  try {
    names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return null;
  }
  if (names.length === 0 || names.length > mostProcesses) return null;
  const { uid } = account();
  return names.flatMap((name) => processAt(name, uid) ?? []);
}

/** One process; null if it has ended in the meantime. */
function processAt(name: string, uid: number): RunningProcess | null {
  try {
    const pid = Number(name);
    const words = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
    return {
      pid,
      name: readFileSync(`/proc/${name}/comm`, 'utf8').trim(),
      line: words.join(' ').trim(),
      own: statSync(`/proc/${name}`).uid === uid,
      guard: pid === process.pid || words.slice(0, tellingWords).some((word) => /sallyport/i.test(word)),
      ...originOf(name),
    };
  } catch {
    return null;
  }
}

let boot: string | undefined;

/** The boot id of the machine: process ids start again with each boot. */
function bootName(): string {
  boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return boot;
}

/** The parent and the working folder of a process, as far as the system shows them. */
function originOf(name: string): Pick<RunningProcess, 'parent' | 'born' | 'folder'> {
  const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
  // The name of the program, in brackets, may contain any character.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const origin = { parent: Number(fields[1]), born: `${name} ${fields[19]} ${bootName()}` };
  try {
    return { ...origin, folder: readlinkSync(`/proc/${name}/cwd`) };
  } catch {
    // The working folder of another user's process is not readable.
    return origin;
  }
}

/** The states of a connection, in the tables of the kernel: established, or listening. */
const established = '01';
const listening = '0A';

/** The processes of this user that have ports open; null on a system that does not show them as files. */
export function openPorts(): readonly PortUse[] | null {
  const sockets = new Map<string, readonly Omit<PortUse, 'pid'>[]>();
  try {
    for (const table of ['tcp', 'tcp6']) {
      for (const line of readFileSync(`/proc/net/${table}`, 'utf8').split('\n').slice(1)) {
        const [, local = '', remote = '', state = '', , , , , , socket = ''] = line.trim().split(/\s+/);
        const listens = state === listening;
        const ends = listens ? [local] : state === established ? [local, remote] : [];
        sockets.set(
          `socket:[${socket}]`,
          ends.map((end) => ({ port: Number.parseInt(end.split(':')[1] ?? '', 16), listens })),
        );
      }
    }
  } catch {
    return null;
  }
  const processes = runningProcesses()?.filter(({ own }) => own) ?? null;
  return (
    processes?.flatMap(({ pid }) =>
      [...new Set(descriptorsOf(pid))].flatMap((target) =>
        (sockets.get(target) ?? []).map((use) => ({ pid, ...use })),
      ),
    ) ?? null
  );
}

/** The targets of the open descriptors of a process; empty if it ended, or does not show them. */
function descriptorsOf(pid: number): readonly string[] {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).flatMap((name) => {
      try {
        return [readlinkSync(`${folder}/${name}`)];
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}
