// Opens what every command stands on: the home, the configuration, and who is asking.

import {
  account,
  type Config,
  ConfigError,
  type ConfigSource,
  type HomePaths,
  homeFolder,
  loadConfig,
  paths,
  type Settings,
  type Where,
  worksForAnother,
} from '../config/index.ts';
import type { World } from '../core/index.ts';
import { type Asker, pathRules, realWorld, withTelemetry } from '../decide/index.ts';
import { loadGuards } from '../guards/index.ts';
import type { Ledger } from '../ledger/index.ts';
import type { Call } from './command.ts';

export interface Opened {
  readonly home: string;
  readonly paths: HomePaths;
  readonly config: Config;
  readonly world: World;
  /** Tells the configuration whose trust in a workspace file counts, once the ledger is open. */
  readonly trustKeysOf: (ledger: Pick<Ledger, 'approvers'>) => void;
}

/** The home, for what must work even where the configuration is broken: looking, stopping, taking back. */
export function openHome(call: Call): Omit<Opened, 'config' | 'trustKeysOf'> {
  const home = homeFolder(call.io.environment);
  const places = paths(home);
  return { home, paths: places, world: realWorld({ symbols: places.symbols, ownHome: home }) };
}

/** Reads the configuration; writes nothing. */
export async function openConfig(call: Call): Promise<Opened> {
  const opened = openHome(call);
  const { home, world } = opened;
  const file = call.value('config');
  let approvers: Ledger['approvers'] | null = null;
  const config = await loadConfig({
    approverKeys: () => approvers?.ownerKeys() ?? null,
    home,
    environment: call.io.environment,
    world,
    ...ruleChecks(),
    ...(file === undefined ? {} : { file }),
  });
  refusePrograms(config);
  const trustKeysOf: Opened['trustKeysOf'] = (ledger) => {
    approvers = ledger.approvers;
  };
  return { ...opened, config, trustKeysOf, world: await withTelemetry(world, config) };
}

/**
 * A program that a system daemon starts would have its rights, with keys and store within reach, and its file may be one
 * that agents can change.
 */
function refusePrograms({ servers, hooks, notify, ledger: { headsTo } }: Config): void {
  if (!worksForAnother()) return;
  const [target = ''] = headsTo;
  const named = [
    ...servers.filter(({ place }) => place.kind === 'stdio').map(({ name }) => `[servers.${name}] command`),
    ...(hooks.length > 0 ? ['[[hooks]]'] : []),
    ...(notify.desktop ? ['[notify] desktop'] : []),
    ...(target === '' || /^(?:file:|https?:)/.test(target) ? [] : ['[ledger] heads_to']),
  ];
  if (named.length === 0) return;
  throw new ConfigError(
    `a system daemon starts no programs, and the configuration names some: ${named.join(', ')}`,
    {
      hint: 'take them out; servers of the configuration can be reached by their address instead',
    },
  );
}

/** The settings in force in the folder that a command is called from. */
export async function settingsHere(
  call: Call,
  { config, world }: Pick<Opened, 'config' | 'world'>,
): Promise<Settings> {
  const folder = call.io.folder();
  return await config.settingsFor({ agent: 'default', workspace: world.realPath(folder) ?? folder });
}

/** What a user's own rules are held against: ids that they may not take, so that a finding says whose it is; proof. */
export function ruleChecks(): Required<Pick<ConfigSource, 'reservedIds' | 'proveRules' | 'provePrograms'>> {
  return {
    reservedIds: async () => {
      const ofGuards = (await loadGuards()).flatMap((guard) => guard.rules);
      return new Set([...ofGuards, ...Object.values(pathRules)].map(({ id }) => id));
    },
    proveRules: async (rules) => (await import('../decide/own.ts')).ruleProblems(rules),
    provePrograms: async (programs) =>
      (await import('../guards/command/programs/own.ts')).programProblems(programs),
  };
}

/** The person at this machine: the account that the command works for. */
export function localAsker(): Asker {
  return { user: account().user, tenant: 'local', agent: null };
}

/** What the lists of the sources name, and no schema has; and schemas that cannot be read. */
export async function sourceProblems({ config, world }: Opened, where: Where): Promise<readonly string[]> {
  const { sources } = await config.settingsFor(where);
  if (sources.every(({ schema, idle }) => schema === null && idle.length === 0)) return [];
  const { unlistedNames } = await import('../guards/query/unlisted.ts');
  return await unlistedNames(sources, world.schemaText ?? world.readText, world.readers);
}
