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
import { type Asker, realWorld } from '../decide/index.ts';
import type { Ledger } from '../ledger/index.ts';
import type { Call } from './command.ts';

export interface Opened {
  readonly home: string;
  readonly paths: HomePaths;
  readonly config: Config;
  readonly world: World;
}

/** Reads the configuration; writes nothing. */
export async function openConfig(call: Call): Promise<Opened> {
  const home = homeFolder(call.io.environment);
  const world = realWorld();
  const file = call.value('config');
  const config = await loadConfig({
    home,
    environment: call.io.environment,
    world,
    ...(file === undefined ? {} : { file }),
  });
  return { home, paths: paths(home), config, world };
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
