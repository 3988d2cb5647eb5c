// Opens what every command stands on: the home, the configuration, and who is asking.

import { userInfo } from 'node:os';
import { type Config, type HomePaths, homeFolder, loadConfig, paths } from '../config/index.ts';
import type { World } from '../core/index.ts';
import { type Asker, pathRules, realWorld } from '../decide/index.ts';
import { guards } from '../guards/index.ts';
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
