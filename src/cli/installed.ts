// The agent hosts of this machine: which are installed, and which are connected already.

import { existsSync } from 'node:fs';
import { displayPath, type HomePaths } from '../config/index.ts';
import { type HostName, hostNames, hosts, proofOf } from '../surfaces/hooks/index.ts';
import type { Call } from './command.ts';
import { programOnPath, recordedHosts, userFolder } from './hosts.ts';
import { isManaged } from './managed.ts';

/** How a host stands on this machine. */
export interface HostState {
  readonly host: HostName;
  readonly title: string;
  /** Where it was found: its program on PATH, else the folder of its settings; null where neither is there. */
  readonly found: string | null;
  /** The settings files that name our client. */
  readonly files: readonly string[];
  /** Whether settings of the whole machine hold its hooks. */
  readonly managed: boolean;
}

/** Every host that can be connected, in the order of the documentation. */
export function hostStates(call: Call, paths: HomePaths): readonly HostState[] {
  const connected = recordedHosts(paths);
  return hostNames.map((host) => ({
    host,
    title: hosts[host].title,
    found: whereFound(call, host),
    files: connected.filter((one) => one.host === host).map(({ file }) => file),
    managed: isManaged(host),
  }));
}

function whereFound(call: Call, host: HostName): string | null {
  const { environment } = call.io;
  const { program } = proofOf(host);
  const path = program === null ? undefined : programOnPath(environment, program);
  if (path !== undefined) return path;
  try {
    const folder = userFolder(host, environment);
    return existsSync(folder) ? folder : null;
  } catch {
    return null;
  }
}

/** One line for each host. */
export function hostLines(call: Call, states: readonly HostState[]): readonly string[] {
  const shown = (path: string) => displayPath(path, call.io.environment['HOME']);
  const width = Math.max(...states.map(({ host }) => host.length));
  return states.map(({ host, title, found, files, managed }) => {
    const places = [...files.map(shown), ...(managed ? ['settings of the machine'] : [])];
    const state =
      places.length > 0
        ? `connected: ${places.join(', ')}`
        : found === null
          ? 'not found'
          : `not connected; found ${shown(found)}`;
    return `${host.padEnd(width)}  ${title}: ${state}`;
  });
}
