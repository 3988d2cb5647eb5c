// Opens what commands stand on: the home, the configuration, the ledger, the decider.

import { userInfo } from 'node:os';
import {
  type Config,
  type HomePaths,
  homeFolder,
  loadConfig,
  paths,
  prepareHome,
  readApprover,
  verifyByApprover,
} from '../config/index.ts';
import type { World } from '../core/index.ts';
import { type Asker, pathRules, realWorld } from '../decide/index.ts';
import { guards } from '../guards/index.ts';
import type { Ledger } from '../ledger/index.ts';
import type { Call } from './command.ts';

export interface Opened {
  readonly home: string;
  readonly paths: HomePaths;
  readonly config: Config;
  readonly world: World;
}

/** The home, for what must work even where the configuration is broken: looking, stopping, taking back. */
export function openHome(call: Call): Omit<Opened, 'config'> {
  const home = homeFolder(call.io.environment);
  return { home, paths: paths(home), world: realWorld() };
}

/** Reads the configuration; writes nothing. */
export async function openConfig(call: Call): Promise<Opened> {
  const opened = openHome(call);
  const { home, world } = opened;
  const file = call.value('config');
  const config = await loadConfig({
    home,
    environment: call.io.environment,
    world,
    reservedIds: builtInIds(),
    ...(file === undefined ? {} : { file }),
  });
  return { ...opened, config };
}

/** The ids that a user's own rule may not take: a finding must say whose it is. */
export function builtInIds(): ReadonlySet<string> {
  return new Set(
    [...guards.flatMap((guard) => guard.rules), ...Object.values(pathRules)].map(({ id }) => id),
  );
}

/** Opens the ledger in the home, making both if they are not there. */
export async function openLedger(home: string): Promise<Ledger> {
  prepareHome(home);
  const { Ledger } = await import('../ledger/index.ts');
  const places = paths(home);
  return new Ledger({
    file: places.ledger,
    keys: places.keys,
    // Read at each use: the person may choose the passphrase while a daemon runs.
    verify: (payload, signature) => {
      const approver = readApprover(home);
      return approver !== null && verifyByApprover(approver.publicKey, payload, signature);
    },
  });
}

/** Opens the ledger for one piece of work and closes it whatever happens. */
export async function withLedger<T>(home: string, work: (ledger: Ledger) => T | Promise<T>): Promise<T> {
  const ledger = await openLedger(home);
  try {
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}

/** The person at this machine: the account that runs the command. */
export function localAsker(): Asker {
  return { user: localUser(), tenant: 'local', agent: null };
}

function localUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}
