// Which hosts are connected: what the registry names, and what the log says beside it. The registry is a file that an
// agent can write, so a host that goes from it without a signed disconnection stays connected.

import type { Connection, Ledger } from '../../ledger/index.ts';
import { type ConnectedHost, recordedHosts } from './connected.ts';
import { hostNames } from './host.ts';
import { scopes } from './wiring.ts';

/** What the log says of connections. */
export interface Connections {
  readonly list: () => Promise<readonly Connection[]>;
  /** Records one that the registry names and an earlier version did not write into the log. */
  readonly connect: (connection: Connection) => Promise<void>;
  /** The keyed hash of hooks. */
  readonly seal: (hooks: string) => string;
}

/** The keyed hash of hooks, by which the log knows them. */
export function hooksSeal(ledger: Pick<Ledger, 'fingerprint'>, hooks: string): string {
  return ledger.fingerprint('hooks', () => hooks);
}

/** What was found when the registry was read again. */
export interface Registered {
  /** Every connection, whether the registry names it or not. */
  readonly connected: readonly ConnectedHost[];
  /** Those that the registry no longer names, though nobody signed for that. */
  readonly missing: readonly ConnectedHost[];
}

/** Reads the registry and the log; what only the registry names is recorded in the log from now on. */
export async function registered(file: string, log: Connections): Promise<Registered> {
  const logged = await log.list();
  const found = connectedIn(namedIn(file), logged);
  for (const one of found.connected) if (!has(logged, one)) await log.connect(one);
  return found;
}

/** What is connected by what the registry names and by what the log says. */
export function connectedIn(named: readonly ConnectedHost[], logged: readonly Connection[]): Registered {
  const known = logged.flatMap(connectedOf);
  const missing = known.filter((one) => !has(named, one));
  return { connected: [...named.map((one) => ({ ...one, ...hooksOf(one, known) })), ...missing], missing };
}

/** A registry that cannot be read names nobody, and what it named is missing. */
export function namedIn(file: string): readonly ConnectedHost[] {
  try {
    return recordedHosts({ hosts: file });
  } catch {
    return [];
  }
}

function has(all: readonly Connection[], { host, file }: Connection): boolean {
  return all.some((one) => one.host === host && one.file === file);
}

/** What the log says of the hooks in a file. */
function hooksOf(
  { host, file }: ConnectedHost,
  known: readonly ConnectedHost[],
): Pick<ConnectedHost, 'hooks'> {
  const hooks = known.find((one) => one.host === host && one.file === file)?.hooks;
  return hooks === undefined ? {} : { hooks };
}

/** A connection of the log, if this version knows its host. */
function connectedOf({ host: name, file, scope: said, client, hooks }: Connection): readonly ConnectedHost[] {
  const host = hostNames.find((known) => known === name);
  if (host === undefined) return [];
  const scope = scopes.find((known) => known === said);
  return [
    {
      host,
      file,
      ...(scope === undefined ? {} : { scope }),
      ...(client === undefined ? {} : { client }),
      ...(hooks === undefined ? {} : { hooks }),
    },
  ];
}
