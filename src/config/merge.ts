// Makes one set of settings of the levels: the defaults, the user's file, and the workspace's file on top.

import { canonicalJson, type JsonObject, type ToolSpec } from '../core/index.ts';
import { readShape } from '../core/shape.ts';
import { effective, inForce } from './key.ts';
import { noPolicies } from './policies.ts';
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
import { auditor, detect, judge, packages, sandbox, transactionalShell } from './sections/machine.ts';
import type { PolicySource, Settings } from './settings.ts';
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
  const { file: theirs = {}, trusted = false } = level ?? {};
  const { own, more, ownWrite, here } = saidFor(user, level, where);
  const ofAgent = inForce(agent, own, more, trusted);
  const rules = effective(commandRules, user.rules, theirs.rules, trusted);
  return withVersion({
    ...ofAgent,
    autonomy: here.reduce((one, { autonomy = null }) => strictest(one, autonomy), ofAgent.autonomy),
    prompt: inForce(prompt, own, more, trusted),
    fetch: inForce(fetch, user.fetch, theirs.fetch, trusted),
    egress: inForce(egress, user.egress, theirs.egress, trusted),
    guidelines: {
      ...inForce(guidelines, user.guidelines, theirs.guidelines, trusted),
      judge: user.judge === undefined ? null : inForce(judge, user.judge),
    },
    command: { rules: rules.filter((rule) => rule.agent === undefined || rule.agent === where.agent) },
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
    tools: [...toolsFrom(trusted ? theirs.tools : undefined), ...toolsFrom(user.tools)],
    sources: sourcesFrom(user.sources, user.code_mode),
  });
}

/** The files with policies that count in a workspace. */
export function policyFiles(user: ConfigFile, level: WorkspaceLevel | null): PolicyFiles {
  const theirs = level?.file.policy?.files;
  return effective(policy.files, user.policy?.files, theirs, level?.trusted ?? false);
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
