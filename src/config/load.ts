// Loads the configuration: the user's file once, and each workspace's file when an agent works there; and makes one set of
// settings of the levels.

import { dirname } from 'node:path';
import {
  canonicalJson,
  type HookEvent,
  type HostName,
  type JsonObject,
  type MaybePromise,
  messageOf,
  nearest,
  type ToolSpec,
} from '../core/index.ts';
import { readShape } from '../core/shape.ts';
import { ConfigError } from './errors.ts';
import { type ConfigWorld, diskWorld } from './home.ts';
import { effective, type InForce, inForce } from './key.ts';
import { type Provider, providersFrom } from './llm.ts';
import { programsFrom } from './programs.ts';
import {
  type ConfigSource,
  type FoundFile,
  findUserFile,
  findWorkspaceFile,
  noPolicies,
  PolicyReader,
  ruleIds,
} from './reading.ts';
import { type ConfigFile, fileShape } from './schema.ts';
import { agent, type Profile, prompt, strictest } from './sections/agents.ts';
import {
  changes,
  rules as commandRules,
  dayBudget,
  egress,
  fetch,
  guidelines,
  type PolicyFiles,
  policy,
  runBudget,
  write,
} from './sections/guards.ts';
import {
  approvals,
  auditor,
  daemon,
  detect,
  host,
  judge,
  ledger,
  notify,
  packages,
  place,
  proposals,
  run,
  sandbox,
  snapshots,
  telemetry,
  transactionalShell,
} from './sections/machine.ts';
import { serversFrom, toolsFrom, type UpstreamServer } from './servers.ts';
import type { PolicySource, Settings } from './settings.ts';
import { type PolicyStore, policyStoreFrom, sourcesFrom } from './sources.ts';
import { type User, usersFrom } from './users.ts';

// ── Makes one set of settings of the levels: the defaults, the user's file, and the workspace's file on top.

/** A workspace's file that was read, and whether the user trusts its current content. */
interface WorkspaceLevel {
  readonly file: ConfigFile;
  readonly trusted: boolean;
}

/** The settings of an agent whose section is this, with further sections; throws `InputError` if one is not. */
export function settingsFrom(section: JsonObject, sections: JsonObject = {}): Settings {
  const file = readShape(fileShape, { ...sections, agents: { default: section } });
  return mergeSettings(file, null, { agent: 'default', workspace: '/' });
}

/** The agent and workspace whose settings are requested. */
export interface Where {
  readonly agent: string;
  /** A real path. */
  readonly workspace: string;
  /** The profile where no file names one. */
  readonly profile?: Profile;
}

/** The tools and servers that the user's file registers for every workspace. */
type Registered = Pick<Settings, 'tools' | 'sources'>;

/** The tools and sources of the user's file: the same for every workspace, so they are made once. */
function registeredIn(
  { tools, sources, code_mode: defaults }: ConfigFile,
  folder: string | null = null,
): Registered {
  return { tools: toolsFrom(tools), sources: sourcesFrom(sources, defaults, folder) };
}

/** The settings of one agent in one workspace, with the policies that were read for it. */
export function mergeSettings(
  user: ConfigFile,
  level: WorkspaceLevel | null,
  where: Where,
  policies: readonly PolicySource[] = noPolicies,
  registered: Registered = registeredIn(user),
): Settings {
  const { file: theirs = {}, trusted = false } = level ?? {};
  const { own, more, ownWrite, here } = saidFor(user, level, where);
  const ofAgent = inForce(agent, own, more, trusted);
  const rules = effective(commandRules, user.rules, theirs.rules, trusted);
  const programs = programsFrom(trusted ? { ...user.programs, ...theirs.programs } : user.programs);
  return withVersion({
    ...ofAgent,
    autonomy: here.reduce((one, { autonomy = null }) => strictest(one, autonomy), ofAgent.autonomy),
    prompt: { ...inForce(prompt, own, more, trusted), judge: user.judge?.input ?? null },
    fetch: inForce(fetch, user.fetch, theirs.fetch, trusted),
    egress: inForce(egress, user.egress, theirs.egress, trusted),
    guidelines: {
      ...inForce(guidelines, user.guidelines, theirs.guidelines, trusted),
      judge: user.judge?.provider === undefined ? null : inForce(judge, user.judge),
    },
    command: {
      rules: rules.filter((rule) => rule.agent === undefined || rule.agent === where.agent),
      ...(programs.length === 0 ? {} : { programs }),
    },
    write: inForce(write, ownWrite, theirs.write, trusted),
    changes: {
      ...inForce(changes, user.changes, theirs.changes, trusted),
      run: inForce(runBudget, user.changes, theirs.changes, trusted),
      day: inForce(dayBudget, user.changes, theirs.changes, trusted),
    },
    policy: {
      fallback: effective(policy.default, user.policy?.default, theirs.policy?.default, trusted),
      sources: policies,
    },
    auditor: inForce(auditor, user.auditor),
    detect: inForce(detect, user.detect),
    packages: inForce(packages, user.packages),
    sandbox: inForce(sandbox, user.sandbox),
    shell: inForce(transactionalShell, user.shell),
    tools: trusted ? [...toolsFrom(theirs.tools), ...registered.tools] : registered.tools,
    sources: registered.sources,
  });
}

/** The files with policies that count in a workspace. */
export function policyFiles(user: ConfigFile, level: WorkspaceLevel | null): PolicyFiles {
  const theirs = level?.file.policy?.files;
  return effective(policy.files, user.policy?.files, theirs, level?.trusted ?? false);
}

/** The settings with further tools, which precede the existing ones. */
export function withTools(settings: Settings, tools: readonly ToolSpec[]): Settings {
  if (tools.length === 0) return settings;
  const { version: _, ...rest } = settings;
  return withVersion({ ...rest, tools: [...tools, ...rest.tools] });
}

/** The settings with further policies, and with what the policy store was when it was asked. */
export function withPolicies(
  settings: Settings,
  policies: readonly PolicySource[],
  store?: Settings['policy']['store'],
): Settings {
  const more = policies.filter((policy) => !settings.policy.sources.includes(policy));
  if (more.length === 0 && store === undefined) return settings;
  const { version: _, ...rest } = settings;
  const { fallback, sources } = rest.policy;
  const policy = { fallback, sources: [...sources, ...more], ...(store === undefined ? {} : { store }) };
  return withVersion({ ...rest, policy });
}

/**
 * What the levels say about an agent in a workspace: its own section before "default", and what is added there. A trusted
 * file is merged into the user's section by section, so that a section of the agent's own wins over "default" of either.
 */
export function saidFor(
  user: ConfigFile,
  level: WorkspaceLevel | null,
  { agent, workspace, profile }: Where,
) {
  const [trusted, other] = level?.trusted ? [level.file] : [undefined, level?.file];
  const said = (file: ConfigFile | undefined, name: string) => named(file?.agents, name);
  const own = {
    ...{ ...said(user, 'default'), ...said(trusted, 'default') },
    ...{ ...said(user, agent), ...said(trusted, agent) },
  };
  const here = [user, trusted].map((file) => named(file?.workspaces, workspace) ?? {});
  const hosts = [own, ...here].flatMap(({ egress_allowlist: list = [] }) => list);
  const folders = [user.write ?? {}, ...here].flatMap(({ allowed_paths: paths = [] }) => paths);
  return {
    own: { ...own, profile: own.profile ?? profile, egress_allowlist: [...new Set(hosts)] },
    more: { ...said(other, 'default'), ...said(other, agent) },
    ownWrite: { ...user.write, allowed_paths: [...new Set(folders)] },
    here,
  };
}

function named<Table>(tables: Readonly<Record<string, Table>> = {}, name: string): Table | undefined {
  return Object.hasOwn(tables, name) ? tables[name] : undefined;
}

/** The settings without credentials, as they may be shown. */
export function withoutCredentials({ sources, ...settings }: Settings): object {
  const shown = sources.map(({ name, kind, schema, mode }) => {
    const { tokenSecret: _, previousSecrets: __, ...allowed } = mode;
    return { name, kind, schema, mode: allowed };
  });
  return { ...settings, sources: shown };
}

/** The settings that affect verdicts: the secrets of tokens can be replaced without a change of what is allowed. */
function judged({ sources, ...settings }: Omit<Settings, 'version'>): unknown {
  const allowing = sources.map(({ mode, ...source }) => {
    const { tokenSecret: _, previousSecrets: __, ...allowed } = mode;
    return { ...source, mode: allowed };
  });
  return { ...settings, sources: allowing };
}

/** Computed on demand: hashing costs a command more than all of the rest. */
function withVersion(settings: Omit<Settings, 'version'>): Settings {
  let version: string | undefined;
  return {
    ...settings,
    get version() {
      version ??= process
        .getBuiltinModule('node:crypto')
        .hash('sha256', canonicalJson(judged(settings)), 'hex')
        .slice(0, 32);
      return version;
    },
  };
}

// ── Loads the configuration.

/** The location of records, and their retention. */
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
  /** The settings of an agent host. */
  host(name: HostName): InForce<typeof host>;
  /** The policy store of Amazon Verified Permissions; null: policies that are no files are in the ledger. */
  readonly policyStore: PolicyStore | null;
  /** The destinations of the proxy for requests to a model. */
  readonly providers: readonly Provider[];
  readonly telemetry: InForce<typeof telemetry>;
  /** MCP servers that calls are handed on to. */
  readonly servers: readonly UpstreamServer[];
  /** Users who sign in to the console, beside the owner. */
  readonly users: readonly User[];
  /**
   * The settings of an agent in a workspace. Throws or rejects with `ConfigError` if the
   * workspace's own file cannot be used; the caller then has to refuse.
   */
  settingsFor(where: Where): MaybePromise<Settings>;
}

/** The machine-wide settings of a file. */
function machineConfig(file: ConfigFile) {
  return {
    daemon: inForce(daemon, file.daemon),
    approvals: inForce(approvals, file.approvals),
    changes: inForce(proposals, file.approvals),
    notify: inForce(notify, file.notify),
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

/** The cached facts about a workspace until its file is checked again. */
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
  readonly #registered: Registered;
  readonly #userFile: FoundFile | null;
  readonly #policies: PolicyReader;
  readonly #states = new Map<string, WorkspaceState>();

  constructor(source: ConfigSource, user: ConfigFile, userFile: FoundFile | null) {
    this.#source = source;
    this.#world = source.world ?? diskWorld;
    this.#user = user;
    this.#registered = registeredIn(user, userFile === null ? null : dirname(userFile.path));
    this.#userFile = userFile;
    this.#policies = new PolicyReader(this.#world, source.environment);
  }

  settingsFor(where: Where): MaybePromise<Settings> {
    const now = this.#world.now();
    const known = this.#states.get(where.workspace);
    // After a clock was set back, the time since the last check is unknown.
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

  /** The cached facts, if the file is unchanged. */
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
    const settings = mergeSettings(this.#user, state.outcome, where, state.policies, this.#registered);
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
