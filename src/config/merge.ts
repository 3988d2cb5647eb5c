// Makes one set of settings of the levels: the defaults, the user's file, and the workspace's file on top.

import { canonicalJson, type JsonObject, type ToolSpec } from '../core/index.ts';
import { readShape } from '../core/shape.ts';
import type { Key } from './key.ts';
import { noPolicies } from './policies.ts';
import { type ConfigFile, fileShape, keys } from './schema.ts';
import { strictest } from './sections/agents.ts';
import type { PolicyFiles } from './sections/guards.ts';
import type {
  Autonomy,
  ChangeSettings,
  JudgeSettings,
  PolicySource,
  Profile,
  SandboxSettings,
  Settings,
  WriteSettings,
} from './settings.ts';
import { sourcesFrom } from './sources.ts';
import { toolsFrom } from './tools.ts';

/** A workspace's file that was read, and whether a person trusts it as it is. */
export interface WorkspaceLevel {
  readonly file: ConfigFile;
  readonly trusted: boolean;
}

/** The settings of an agent whose section is this, with further sections; throws `InputError` if one is not. */
export function settingsFrom(section: JsonObject, sections: JsonObject = {}): Settings {
  const file = readShape(fileShape, { ...sections, agents: { default: section } });
  return mergeSettings(file, null, { agent: 'default', workspace: '/' });
}

/** Whose settings are asked for. */
export interface Where {
  readonly agent: string;
  /** A real path. */
  readonly workspace: string;
  /** The profile where no file names one. */
  readonly profile?: Profile;
}

/** The settings of one agent in one workspace, with the policies that were read for it. */
export function mergeSettings(
  user: ConfigFile,
  level: WorkspaceLevel | null,
  where: Where,
  policies: readonly PolicySource[] = noPolicies,
): Settings {
  const own = user.fetch ?? {};
  const theirs = level?.file.fetch ?? {};
  const trusted = level?.trusted ?? false;
  const agent = agentValues(user, level, where.agent);
  const { mode, egress_allowlist: list } = keys.agent;
  const believed = [user, ...(level?.trusted ? [level.file] : [])];
  const added = believed.map((file) => workspaceSection(file, where.workspace));
  const userList = [
    ...new Set([
      ...(agent.own.egress_allowlist ?? list.fallback),
      ...added.flatMap(({ egress_allowlist: more = [] }) => more),
    ]),
  ];
  const rules = effective(keys.rules, user.rules, level?.file.rules, trusted);
  return withVersion({
    profile: effective(keys.agent.profile, agent.own.profile ?? where.profile, agent.theirs.profile, trusted),
    mode: effective(mode, agent.own.mode, agent.theirs.mode, trusted),
    egressAllowlists: effective(list, userList, agent.theirs.egress_allowlist, trusted),
    fetch: {
      timeoutMs: effective(keys.fetch.timeout_ms, own.timeout_ms, theirs.timeout_ms, trusted),
      maxResponseBytes: effective(
        keys.fetch.max_response_bytes,
        own.max_response_bytes,
        theirs.max_response_bytes,
        trusted,
      ),
      maxRedirects: effective(keys.fetch.max_redirects, own.max_redirects, theirs.max_redirects, trusted),
      rules: effective(keys.fetch.rules, own.rules, theirs.rules, trusted),
    },
    auditor: { guards: user.auditor?.guards ?? keys.auditor.guards.fallback },
    detect: { packs: user.detect?.packs ?? keys.detect.packs.fallback },
    egress: {
      rules: effective(
        keys.egress.redaction_rules,
        user.egress?.redaction_rules,
        level?.file.egress?.redaction_rules,
        trusted,
      ),
    },
    guidelines: {
      judge: judgeSettings(user),
      refusal: effective(
        keys.guidelines.refusal,
        user.guidelines?.refusal,
        level?.file.guidelines?.refusal,
        trusted,
      ),
      own: effective(
        keys.guidelines.categories,
        user.guidelines?.categories,
        level?.file.guidelines?.categories,
        trusted,
      ),
    },
    command: { rules: rules.filter((rule) => rule.agent === undefined || rule.agent === where.agent) },
    prompt: {
      piiText: effective(keys.agent.pii_text, agent.own.pii_text, agent.theirs.pii_text, trusted),
      piiFiles: effective(keys.agent.pii_files, agent.own.pii_files, agent.theirs.pii_files, trusted),
      injectionBlock: effective(
        keys.agent.injection_block,
        agent.own.injection_block,
        agent.theirs.injection_block,
        trusted,
      ),
      injectionBlockUntrusted: effective(
        keys.agent.injection_block_untrusted,
        agent.own.injection_block_untrusted,
        agent.theirs.injection_block_untrusted,
        trusted,
      ),
      injectionWarn: effective(
        keys.agent.injection_warn,
        agent.own.injection_warn,
        agent.theirs.injection_warn,
        trusted,
      ),
    },
    write: writeSettings(user, level, added),
    autonomy: strictestOf([agent.own.autonomy, agent.theirs.autonomy, ...added.map((here) => here.autonomy)]),
    changes: changeSettings(user, level),
    packages: {
      npm: user.packages?.npm ?? keys.packages.npm.fallback,
      pypi: user.packages?.pypi ?? keys.packages.pypi.fallback,
    },
    sandbox: sandboxSettings(user),
    policy: {
      fallback: effective(keys.policy.default, user.policy?.default, level?.file.policy?.default, trusted),
      sources: policies,
    },
    tools: [...(level?.trusted ? toolsFrom(level.file.tools) : []), ...toolsFrom(user.tools)],
    sources: sourcesFrom(user.sources, user.code_mode),
    userIdArguments: effective(
      keys.agent.user_id_arguments,
      agent.own.user_id_arguments,
      agent.theirs.user_id_arguments,
      trusted,
    ),
  });
}

function writeSettings(
  user: ConfigFile,
  level: WorkspaceLevel | null,
  here: readonly WorkspaceValues[],
): WriteSettings {
  const { blocked_paths, blocked_patterns, allowed_paths } = keys.write;
  const theirs = level?.file.write ?? {};
  const trusted = level?.trusted ?? false;
  const own = [
    ...(user.write?.allowed_paths ?? allowed_paths.fallback),
    ...here.flatMap(({ allowed_paths: more = [] }) => more),
  ];
  return {
    blockedPaths: effective(blocked_paths, user.write?.blocked_paths, theirs.blocked_paths, trusted),
    blockedPatterns: effective(
      blocked_patterns,
      user.write?.blocked_patterns,
      theirs.blocked_patterns,
      trusted,
    ),
    allowedPaths: effective(allowed_paths, [...new Set(own)], theirs.allowed_paths, trusted),
  };
}

function judgeSettings({ judge }: ConfigFile): JudgeSettings | null {
  if (judge === undefined) return null;
  const { judge: known } = keys;
  return {
    provider: judge.provider ?? known.provider.fallback,
    model: judge.model ?? known.model.fallback,
    timeoutMs: judge.timeout_ms ?? known.timeout_ms.fallback,
    windowCharacters: judge.window_characters ?? known.window_characters.fallback,
  };
}

/** Null where nothing is said. */
function strictestOf(said: readonly (Autonomy | undefined)[]): Autonomy | null {
  return said
    .filter((word) => word !== undefined)
    .reduce<Autonomy | null>((one, other) => (one === null ? other : strictest(one, other)), null);
}

function changeSettings(user: ConfigFile, level: WorkspaceLevel | null): ChangeSettings {
  const { changes: known } = keys;
  const own = user.changes ?? {};
  const theirs = level?.file.changes ?? {};
  const trusted = level?.trusted ?? false;
  const most = (name: `${'run' | 'day'}_${'files' | 'bytes' | 'cost_cents'}`) =>
    effective(known[name], own[name], theirs[name], trusted);
  return {
    undecided: effective(known.undecided, own.undecided, theirs.undecided, trusted),
    suggestOnly: effective(known.suggest_only, own.suggest_only, theirs.suggest_only, trusted),
    run: { files: most('run_files'), bytes: most('run_bytes'), costCents: most('run_cost_cents') },
    day: { files: most('day_files'), bytes: most('day_bytes'), costCents: most('day_cost_cents') },
  };
}

function sandboxSettings({ sandbox = {} }: ConfigFile): SandboxSettings {
  const { sandbox: known } = keys;
  return {
    required: sandbox.required ?? known.required.fallback,
    network: sandbox.network ?? known.network.fallback,
    timeoutMs: sandbox.timeout_ms ?? known.timeout_ms.fallback,
    maxOutputBytes: sandbox.max_output_bytes ?? known.max_output_bytes.fallback,
    maxProcesses: sandbox.max_processes ?? known.max_processes.fallback,
    maxMemoryMb: sandbox.max_memory_mb ?? known.max_memory_mb.fallback,
    maxFileMb: sandbox.max_file_mb ?? known.max_file_mb.fallback,
    readPaths: sandbox.read_paths ?? known.read_paths.fallback,
    path: sandbox.path ?? known.path.fallback,
  };
}

/** The files with policies that count in a workspace. */
export function policyFiles(user: ConfigFile, level: WorkspaceLevel | null): PolicyFiles {
  const theirs = level?.file.policy?.files;
  return effective(keys.policy.files, user.policy?.files, theirs, level?.trusted ?? false);
}

/** The settings with further tools, which stand before those that are there. */
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

/** One key's value from the levels that have it. */
function effective<Value, Effective>(
  key: Key<Value, Effective>,
  own: Value | undefined,
  theirs: Value | undefined,
  trusted: boolean,
): Effective {
  const below = key.own(own ?? key.fallback);
  if (theirs === undefined) return below;
  if (trusted) return key.merge(below, theirs);
  // INVARIANT: what an untrusted file may not say was refused when it was read.
  return key.tighten === null ? below : key.tighten.apply(below, theirs);
}

type AgentValues = NonNullable<ConfigFile['agents']>[string];
type WorkspaceValues = NonNullable<ConfigFile['workspaces']>[string];

/**
 * What the levels say about an agent, its own section before "default". A trusted file is merged into the
 * user's section by section, so that a section of the agent's own wins over "default" of either file.
 */
function agentValues(
  user: ConfigFile,
  level: WorkspaceLevel | null,
  agent: string,
): { readonly own: AgentValues; readonly theirs: AgentValues } {
  const ownDefault = section(user, 'default');
  const ownSection = section(user, agent);
  if (level === null) return { own: { ...ownDefault, ...ownSection }, theirs: {} };
  const theirDefault = section(level.file, 'default');
  const theirSection = section(level.file, agent);
  return level.trusted
    ? { own: { ...ownDefault, ...theirDefault, ...ownSection, ...theirSection }, theirs: {} }
    : { own: { ...ownDefault, ...ownSection }, theirs: { ...theirDefault, ...theirSection } };
}

function section(file: ConfigFile, agent: string): AgentValues {
  const agents = file.agents ?? {};
  return (Object.hasOwn(agents, agent) ? agents[agent] : undefined) ?? {};
}

function workspaceSection(
  file: ConfigFile,
  workspace: string,
): NonNullable<ConfigFile['workspaces']>[string] {
  const workspaces = file.workspaces ?? {};
  return (Object.hasOwn(workspaces, workspace) ? workspaces[workspace] : undefined) ?? {};
}

/** What is judged by: the secrets of tokens are replaced without anything else being allowed. */
function judged({ sources, ...settings }: Omit<Settings, 'version'>): unknown {
  const allowing = sources.map(({ mode, ...source }) => {
    const { tokenSecret: _, previousSecrets: __, ...allowed } = mode;
    return { ...source, mode: allowed };
  });
  return { ...settings, sources: allowing };
}

/** The version is worked out when somebody asks: hashing costs a command more than all of the rest. */
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
