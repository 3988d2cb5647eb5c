// Which system daemon a command line is about, and how a command reaches its store: as the daemon's own account, which
// only root can start. This is the one place of the command line that knows the difference.

import { resolve } from 'node:path';
import type { Environment } from '../../config/index.ts';
import {
  type SystemDaemon,
  systemDaemons,
  systemPlaces,
  systemUserOf,
  worksForAnother,
} from '../../config/system.ts';
import { SallyportError } from '../../core/index.ts';
import { quote } from '../../surfaces/hooks/client.ts';
import type { Io } from '../io.ts';

/** The command cannot be run as this account, since the store belongs to a system daemon. */
export class BelongsToSystem extends SallyportError {}

/** How this process stands to a system daemon: inside it, or as root, or as the account whose agents it guards. */
export interface SystemHere {
  readonly daemon: SystemDaemon;
  readonly as: 'daemon' | 'root' | 'account';
}

/** The system daemon that a command line is about; null where it is about a home of the account's own. */
export function systemHere(environment: Environment): SystemHere | null {
  const { SALLYPORT_HOME: home = '', SUDO_UID } = environment;
  const user = home === '' ? null : systemUserOf(resolve(home));
  if (home !== '' && user === null) return null;
  const self = process.geteuid?.() ?? -1;
  const uid = self === 0 ? Number(SUDO_UID ?? Number.NaN) : self;
  const daemon = systemDaemons().find((one) => (user === null ? one.uid === uid : one.user === user));
  if (daemon === undefined) return null;
  if (worksForAnother()) return { daemon, as: 'daemon' };
  if (self === 0) return { daemon, as: 'root' };
  return self === daemon.uid ? { daemon, as: 'account' } : null;
}

/**
 * What a command needs where there is a system daemon. `store`: its home, which only its account opens. `ask`: it tells
 * root from the account itself, and needs the socket or the record. `person`: its home, or a session with the daemon, in
 * which the account signs. `free`: nothing of it. `never`: it runs programs of the
 * account, which must not have the daemon's rights.
 */
export type SystemNeed = 'store' | 'ask' | 'person' | 'free' | 'never';

/** Where a command goes on: here, with what it reads of its surroundings, or it ran elsewhere and ended. */
export type Placed = { readonly io: Io } | { readonly exitCode: number };

/** Puts a command where it can do its work; throws `BelongsToSystem` where it cannot. */
export async function placeCommand(
  name: string,
  args: readonly string[],
  need: SystemNeed,
  io: Io,
): Promise<Placed> {
  const here = need === 'free' ? null : systemHere(io.environment);
  if (here === null) return { io };
  const { daemon, as } = here;
  if (need === 'never') throw runsPrograms(name, daemon);
  if ((need === 'store' || need === 'person') && as === 'root') {
    // Loaded for root alone: what starts processes takes time.
    const { runInside } = await import('./inside.ts');
    return { exitCode: await runInside(daemon, [name, ...args]) };
  }
  if (need === 'store' && as === 'account') throw needsRoot([name, ...args], daemon);
  const own: Environment =
    as === 'daemon' ? { HOME: daemon.user_home } : { SALLYPORT_HOME: systemPlaces(daemon.user).home };
  return { io: { ...io, environment: { ...io.environment, ...own } } };
}

/** The error for a command that only root can start, with the line to type. */
export function needsRoot(words: readonly string[], { user, as }: SystemDaemon): BelongsToSystem {
  return new BelongsToSystem(
    `the daemon of ${user} runs as the user ${as}, so '${words[0]}' cannot open its store as ${user}`,
    { hint: `run: sudo sallyport ${words.map(quote).join(' ')}` },
  );
}

function runsPrograms(name: string, { user, as }: SystemDaemon): BelongsToSystem {
  return new BelongsToSystem(
    `'${name}' runs programs of ${user}, and the store of ${user}'s daemon belongs to the user ${as}`,
    { hint: `to use your own store in addition, set SALLYPORT_HOME to another folder` },
  );
}
