// Makes one set of settings of the levels: the defaults, the user's file, and the workspace's file on top.

import { canonicalJson, type JsonObject, type ToolSpec } from '../core/index.ts';
import { readShape } from '../core/shape.ts';
import { noPolicies } from './policies.ts';
import { type ConfigFile, fileShape, type Key, keys, type PolicyFiles } from './schema.ts';
import type { PolicySource, Settings } from './settings.ts';
import { toolsFrom } from './tools.ts';

/** A workspace's file that was read, and whether a person trusts it as it is. */
export interface WorkspaceLevel {
  readonly file: ConfigFile;
  readonly trusted: boolean;
}

/** The settings of an agent whose section is this and nothing else; throws `InputError` if it is not one. */
export function settingsFrom(section: JsonObject): Settings {
  const file = readShape(fileShape, { agents: { default: section } });
  return mergeSettings(file, null, { agent: 'default', workspace: '/' });
}

/** The settings of one agent in one workspace, which is a real path, with the policies that were read for it. */
export function mergeSettings(
  user: ConfigFile,
  level: WorkspaceLevel | null,
  where: { readonly agent: string; readonly workspace: string },
  policies: readonly PolicySource[] = noPolicies,
): Settings {
  const own = user.fetch ?? {};
  const theirs = level?.file.fetch ?? {};
  const trusted = level?.trusted ?? false;
  const agent = agentValues(user, level, where.agent);
  const { mode, egress_allowlist: list } = keys.agent;
  const added = [user, ...(level?.trusted ? [level.file] : [])].flatMap((file) =>
    addedList(file, where.workspace),
  );
  const userList = [...new Set([...(agent.own.egress_allowlist ?? list.fallback), ...added])];
  return withVersion({
    profile: effective(keys.agent.profile, agent.own.profile, agent.theirs.profile, trusted),
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
    detect: { packs: user.detect?.packs ?? keys.detect.packs.fallback },
    egress: {
      rules: effective(
        keys.egress.redaction_rules,
        user.egress?.redaction_rules,
        level?.file.egress?.redaction_rules,
        trusted,
      ),
    },
    policy: {
      fallback: effective(keys.policy.default, user.policy?.default, level?.file.policy?.default, trusted),
      sources: policies,
    },
    tools: [...(level?.trusted ? toolsFrom(level.file.tools) : []), ...toolsFrom(user.tools)],
    userIdArguments: effective(
      keys.agent.user_id_arguments,
      agent.own.user_id_arguments,
      agent.theirs.user_id_arguments,
      trusted,
    ),
  });
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

function addedList(file: ConfigFile, workspace: string): readonly string[] {
  const workspaces = file.workspaces ?? {};
  return (Object.hasOwn(workspaces, workspace) ? workspaces[workspace]?.egress_allowlist : undefined) ?? [];
}

/** The version is worked out when somebody asks: hashing costs a command more than all of the rest. */
function withVersion(settings: Omit<Settings, 'version'>): Settings {
  let version: string | undefined;
  return {
    ...settings,
    get version() {
      version ??= process
        .getBuiltinModule('node:crypto')
        .hash('sha256', canonicalJson(settings), 'hex')
        .slice(0, 32);
      return version;
    },
  };
}
