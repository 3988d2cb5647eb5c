// Loads the configuration: the user's file once, and each workspace's file when an agent works there.

import { type HookEvent, type HostName, type MaybePromise, messageOf, nearest } from '../core/index.ts';
import { ConfigError } from './errors.ts';
import { type ConfigWorld, diskWorld } from './home.ts';
import { type InForce, inForce } from './key.ts';
import { type Provider, providersFrom } from './llm.ts';
import { mergeSettings, policyFiles, type Where, type WorkspaceLevel } from './merge.ts';
import { noPolicies, PolicyReader } from './policies.ts';
import { type ConfigSource, type FoundFile, findUserFile, findWorkspaceFile, ruleIds } from './reading.ts';
import type { ConfigFile } from './schema.ts';
import {
  approvals,
  daemon,
  host,
  ledger,
  place,
  proposals,
  run,
  snapshots,
  telemetry,
} from './sections/machine.ts';
import { serversFrom, type UpstreamServer } from './servers.ts';
import type { PolicySource, Settings } from './settings.ts';
import { type PolicyStore, policyStoreFrom } from './sources.ts';
import { type User, usersFrom } from './users.ts';

/** Where records live and how they are kept. */
export type LedgerConfig = InForce<typeof place> & InForce<typeof ledger>;

/** A program of the user's own that is asked at a moment of a session. */
export interface UserHook {
  readonly event: HookEvent;
  readonly command: readonly string[];
  readonly timeoutMs: number;
}

/** The configuration in force. */
export interface Config extends ReturnType<typeof machineConfig> {
  readonly home: string;
  /** The user's file or the one named instead; null if there is none and the defaults hold. */
  readonly file: string | null;
  readonly hooks: readonly UserHook[];
  /** What is set for an agent host. */
  host(name: HostName): InForce<typeof host>;
  /** The policy store of Amazon Verified Permissions; null: policies that are no files are in the ledger. */
  readonly policyStore: PolicyStore | null;
  /** Where the proxy may send requests to a model. */
  readonly providers: readonly Provider[];
  readonly telemetry: InForce<typeof telemetry>;
  /** MCP servers that calls are handed on to. */
  readonly servers: readonly UpstreamServer[];
  /** People who come in to the console, beside the owner. */
  readonly users: readonly User[];
  /**
   * The settings of an agent in a workspace. Throws or rejects with `ConfigError` if the
   * workspace's own file cannot be used; whoever asks then has to refuse.
   */
  settingsFor(where: Where): MaybePromise<Settings>;
}

/** What a file says of the whole machine. */
function machineConfig(file: ConfigFile) {
  return {
    daemon: inForce(daemon, file.daemon),
    approvals: inForce(approvals, file.approvals),
    changes: inForce(proposals, file.approvals),
    ledger: { ...inForce(place, file), ...inForce(ledger, file.ledger) },
    snapshots: inForce(snapshots, file.snapshots),
    run: inForce(run, file.run),
  };
}

/** A configuration of these settings and otherwise of defaults, as everything that decides takes one. */
export function configOf<S extends Config['settingsFor']>(
  settingsFor: S,
  limits: Partial<Config['approvals']> = {},
): { readonly settingsFor: S } & ReturnType<typeof machineConfig> {
  const config = machineConfig({});
  return { settingsFor, ...config, approvals: { ...config.approvals, ...limits } };
}

/** Loads the configuration; throws `ConfigError` with every problem of the user's file. */
export async function loadConfig(source: ConfigSource): Promise<Config> {
  const found = findUserFile(source);
  const file = found === null ? {} : await (await loadReading()).readConfigFile(found, 'user', source);
  const workspaces = new Workspaces(source, file, found);
  const providers = providersFrom(file.llm, source.environment, source.world ?? diskWorld);
  const servers = serversFrom(file.servers);
  return {
    home: source.home,
    file: found?.path ?? null,
    ...machineConfig(file),
    hooks: (file.hooks ?? []).map(({ timeout_ms: timeoutMs, ...hook }) => ({ ...hook, timeoutMs })),
    host: (name) => inForce(host, file.hosts?.[name]),
    policyStore: policyStoreFrom(file.code_mode),
    providers,
    telemetry: telemetryConfig(file, providers, servers),
    servers,
    users: usersFrom(file.users),
    settingsFor: (where) => workspaces.settingsFor(where),
  };
}

/** Throws `ConfigError` for a service that is not there: its traces would end without a word. */
function telemetryConfig(
  file: ConfigFile,
  providers: readonly Provider[],
  servers: readonly UpstreamServer[],
): Config['telemetry'] {
  const config = inForce(telemetry, file.telemetry);
  const known = [
    ...providers.map(({ name }) => `llm.${name}`),
    ...servers.map(({ name }) => `servers.${name}`),
  ];
  const unknown = config.propagateTo.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const near = nearest(unknown, known);
    throw new ConfigError(`telemetry.propagate_to: there is no "${unknown}"`, {
      hint: near === undefined ? 'it names a provider or a server of this file' : `did you mean "${near}"?`,
    });
  }
  return config;
}

/** Everything that reads a file is loaded with the first file: most commands meet none, and start sooner without. */
type Reading = typeof import('./files.ts');
let reading: Reading | undefined;

async function loadReading(): Promise<Reading> {
  const files = await import('./files.ts');
  await files.loadTomlParser();
  reading = files;
  return files;
}

const recheckMilliseconds = 1000;
const maxWorkspaces = 256;
const maxAgents = 64;

/** What is known about a workspace until its file is looked at again. */
interface WorkspaceState {
  readonly checkedAt: number;
  readonly found: FoundFile | null;
  readonly trusted: boolean;
  readonly outcome: WorkspaceLevel | ConfigError | null;
  /** The policies that count there, as they were read with the file. */
  readonly policies: readonly PolicySource[] | ConfigError;
  readonly settings: Map<string, Settings>;
}

/** The workspaces that agents work in, with their files as last seen. */
class Workspaces {
  readonly #source: ConfigSource;
  readonly #world: ConfigWorld;
  readonly #user: ConfigFile;
  readonly #userFile: FoundFile | null;
  readonly #policies: PolicyReader;
  readonly #states = new Map<string, WorkspaceState>();

  constructor(source: ConfigSource, user: ConfigFile, userFile: FoundFile | null) {
    this.#source = source;
    this.#world = source.world ?? diskWorld;
    this.#user = user;
    this.#userFile = userFile;
    this.#policies = new PolicyReader(this.#world, source.environment);
  }

  settingsFor(where: Where): MaybePromise<Settings> {
    const now = this.#world.now();
    const known = this.#states.get(where.workspace);
    // A clock that goes back says nothing about how long ago the file was looked at.
    if (known !== undefined && now >= known.checkedAt && now - known.checkedAt < recheckMilliseconds) {
      return this.#settings(known, where);
    }
    const { workspace } = where;
    const found = this.#find(workspace);
    if (found === null || found instanceof ConfigError) {
      return this.#settings(this.#withoutFile(workspace, now, found), where);
    }
    const same = reading === undefined ? null : this.#unchanged(workspace, now, found, reading);
    if (same !== null) return this.#settings(same, where);
    return this.#withFile(workspace, now, found).then((state) => this.#settings(state, where));
  }

  #find(workspace: string): FoundFile | ConfigError | null {
    try {
      return findWorkspaceFile(this.#source, workspace, this.#userFile);
    } catch (error) {
      return asConfigError(error);
    }
  }

  #withoutFile(workspace: string, now: number, outcome: ConfigError | null): WorkspaceState {
    const known = this.#states.get(workspace);
    const settings =
      outcome === null && known?.outcome === null ? known.settings : new Map<string, Settings>();
    return this.#remember(workspace, { checkedAt: now, found: null, trusted: false, outcome, settings });
  }

  /** What is known, where the file is as it was. */
  #unchanged(workspace: string, now: number, found: FoundFile, files: Reading): WorkspaceState | null {
    const known = this.#states.get(workspace);
    if (known?.found?.text !== found.text || known.found.path !== found.path) return null;
    if (known.trusted !== files.trustIn(this.#source, found).trusted) return null;
    return this.#remember(workspace, { ...known, checkedAt: now });
  }

  async #withFile(workspace: string, now: number, found: FoundFile): Promise<WorkspaceState> {
    const files = await loadReading();
    const { trusted } = files.trustIn(this.#source, found);
    const outcome = await this.#read(files, found, trusted);
    return this.#remember(workspace, { checkedAt: now, found, trusted, outcome, settings: new Map() });
  }

  #remember(workspace: string, seen: Omit<WorkspaceState, 'policies'>): WorkspaceState {
    const known = this.#states.get(workspace);
    const before = known?.policies instanceof ConfigError ? noPolicies : (known?.policies ?? noPolicies);
    const policies = this.#readPolicies(workspace, seen.outcome, before);
    // Settings that were made with other policies do not count any more.
    const state = policies === before ? { ...seen, policies } : { ...seen, policies, settings: new Map() };
    this.#states.delete(workspace);
    this.#states.set(workspace, state);
    dropOldest(this.#states, maxWorkspaces);
    return state;
  }

  #readPolicies(
    workspace: string,
    outcome: WorkspaceState['outcome'],
    known: readonly PolicySource[],
  ): WorkspaceState['policies'] {
    if (outcome instanceof ConfigError) return noPolicies;
    try {
      return this.#policies.read(policyFiles(this.#user, outcome), workspace, known);
    } catch (error) {
      return asConfigError(error);
    }
  }

  async #read(files: Reading, found: FoundFile, trusted: boolean): Promise<WorkspaceLevel | ConfigError> {
    const level = trusted ? 'trusted' : 'untrusted';
    try {
      const takenIds = ruleIds(this.#user);
      const file = await files.readConfigFile(found, level, { ...this.#source, takenIds });
      return { file, trusted };
    } catch (error) {
      return asConfigError(error);
    }
  }

  #settings(state: WorkspaceState, where: Where): Settings {
    if (state.outcome instanceof ConfigError) throw state.outcome;
    if (state.policies instanceof ConfigError) throw state.policies;
    const key = `${where.profile ?? ''} ${where.agent}`;
    const cached = state.settings.get(key);
    if (cached !== undefined) return cached;
    const settings = mergeSettings(this.#user, state.outcome, where, state.policies);
    state.settings.set(key, settings);
    dropOldest(state.settings, maxAgents);
    return settings;
  }
}

function asConfigError(error: unknown): ConfigError {
  return error instanceof ConfigError ? error : new ConfigError(messageOf(error), { cause: error });
}

/** Agents name themselves, so what is remembered about them has to have an end. */
function dropOldest(map: Map<string, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}
