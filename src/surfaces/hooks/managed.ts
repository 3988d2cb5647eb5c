// Hooks in the settings that an administrator keeps for a whole machine: no setting of a user or a project ends them.
// The client that they name lies beside them and belongs to root. Pure: texts in, texts out.

import { parse as parseToml } from 'smol-toml';
import { InputError, isJsonObject, messageOf } from '../../core/index.ts';
import { jsonTable } from '../../run/integrity/unhook.ts';
import { lostReply, quote } from './client.ts';
import type { HostName } from './host.ts';
import { hosts } from './hosts.ts';
import { pluginText } from './plugin.ts';
import { hasPrefix, wirings } from './wiring.ts';

/** A file of the machine: what must stand in it, or null where it must not be there. */
export interface SystemFile {
  readonly path: string;
  readonly text: string | null;
  readonly isProgram?: true;
}

type Platform = 'linux' | 'darwin';

interface Managed {
  readonly file: Readonly<Record<Platform, string>>;
  add(found: string | null, script: string, shell: boolean): string;
  /** The text without ours; null if nothing is left. */
  remove(found: string, script: string): string | null;
  /** What this does not close, in the host's own terms. */
  readonly open?: string;
}

/** The folder of the clients that only root changes. */
const systemFolder = '/etc/sallyport/bin';

/** The program that managed settings name: it starts the client of the user whose agent runs. */
export function managedScript(host: HostName): string {
  return `${systemFolder}/${host}`;
}

/** The folder of the clients of one user. */
export function managedClients(uid: number): string {
  return `${systemFolder}/${uid}`;
}

/** Where the client of one user lies. */
export function managedClient(host: HostName, uid: number): string {
  return `${managedClients(uid)}/${host}`;
}

const managed: Readonly<Partial<Record<HostName, Managed>>> = {
  claude: {
    file: {
      linux: '/etc/claude-code/managed-settings.json',
      darwin: '/Library/Application Support/ClaudeCode/managed-settings.json',
    },
    add: (found, script, shell) => wirings.claude.add(found, script, shell),
    remove: (found, script) => wirings.claude.remove(found, script),
  },
  codex: {
    file: { linux: '/etc/codex/requirements.toml', darwin: '/etc/codex/requirements.toml' },
    add: addToml,
    remove: removeToml,
  },
  gemini: {
    file: {
      linux: '/etc/gemini-cli/settings.json',
      darwin: '/Library/Application Support/GeminiCli/settings.json',
    },
    // The word of the machine counts before that of users and projects.
    add: (found, script) => {
      const settings = jsonTable(wirings.gemini.add(found, script)) ?? {};
      const config = isJsonObject(settings['hooksConfig']) ? settings['hooksConfig'] : {};
      return pretty({ ...settings, hooksConfig: { ...config, enabled: true } });
    },
    remove: (found, script) => {
      const left = jsonTable(wirings.gemini.remove(found, script) ?? '{}') ?? {};
      const { hooksConfig, ...rest } = left;
      const { enabled: _, ...config } = isJsonObject(hooksConfig) ? hooksConfig : {};
      const kept = Object.keys(config).length === 0 ? rest : { ...rest, hooksConfig: config };
      return Object.keys(kept).length === 0 ? null : pretty(kept);
    },
    open: '"hooksConfig.disabled" in a user\'s or project\'s settings still ends a hook by its name; the daemon takes it out.',
  },
  copilot: {
    file: {
      linux: '/etc/github-copilot/policy.d/sallyport.json',
      darwin: '/etc/github-copilot/policy.d/sallyport.json',
    },
    add: (_, script) => wirings.copilot.add(null, script),
    remove: (found, script) => wirings.copilot.remove(found, script),
  },
  opencode: {
    file: {
      linux: '/etc/opencode/opencode.json',
      darwin: '/Library/Application Support/opencode/opencode.json',
    },
    add: (found) => {
      const settings = settingsIn(found);
      return pretty({ ...settings, plugin: [...pluginsIn(settings), pluginName] });
    },
    remove: (found) => {
      const { plugin: _, ...rest } = settingsIn(found);
      const others = pluginsIn(settingsIn(found));
      const kept = others.length === 0 ? rest : { ...rest, plugin: others };
      return Object.keys(kept).length === 0 ? null : pretty(kept);
    },
    open: 'OPENCODE_PURE in the environment, or --pure, leaves every plugin out.',
  },
};

/** opencode loads a plugin by the address of its file. */
const pluginFile = '/etc/sallyport/opencode.js';
const pluginName = `file://${pluginFile}`;

function settingsIn(found: string | null) {
  if (found === null || found.trim() === '') return {};
  const settings = jsonTable(found);
  if (settings === null) throw new InputError('it is not plain JSON');
  return settings;
}

function pluginsIn({ plugin }: ReturnType<typeof settingsIn>) {
  return Array.isArray(plugin) ? plugin.filter((name) => name !== pluginName) : [];
}

function pretty(settings: object): string {
  return `${JSON.stringify(settings, null, 2)}\n`;
}

/** The settings file of the machine for a host; undefined where the host has none that holds hooks. */
export function managedFile(host: HostName, platform: string): string | undefined {
  return managed[host]?.file[platform === 'darwin' ? 'darwin' : 'linux'];
}

/** What managed settings of a host do not close; undefined where nothing is known. */
export function leftOpen(host: HostName): string | undefined {
  return managed[host]?.open;
}

/** The files of the machine with which a host is hooked for one user; `client` is that user's client. */
export function filesToAdd(
  host: HostName,
  where: {
    readonly platform: string;
    readonly uid: number;
    readonly client: string;
    /** Whether the host starts its commands through the client too. */
    readonly shell?: boolean;
  },
  read: (path: string) => string | null,
): readonly SystemFile[] {
  const settings = managedOf(host, where.platform);
  const script = managedScript(host);
  return [
    // The programs stand before anything names them.
    { path: managedClient(host, where.uid), text: where.client, isProgram: true },
    { path: script, text: dispatcher(host), isProgram: true },
    ...(host === 'opencode' ? [{ path: pluginFile, text: pluginText(host, script) }] : []),
    { path: settings.path, text: settings.add(read(settings.path), script, where.shell === true) },
  ];
}

/** The files of the machine that hook a host for one user, as they should be; none where they do not. */
export function machineFiles(
  host: HostName,
  where: { readonly platform: string; readonly uid: number },
  read: (path: string) => string | null,
): readonly SystemFile[] {
  const client = managed[host] === undefined ? null : read(managedClient(host, where.uid));
  if (client === null) return [];
  try {
    return filesToAdd(host, { ...where, client, shell: hasManagedShell(host, where.platform, read) }, read);
  } catch (error) {
    // Settings that cannot be read hold no hooks: what should be in them is not known.
    if (error instanceof InputError) return [];
    throw error;
  }
}

/** Whether settings of the machine have a host start its commands through the client. */
export function hasManagedShell(
  host: HostName,
  platform: string,
  read: (path: string) => string | null,
): boolean {
  const text = host === 'claude' ? read(managedOf(host, platform).path) : null;
  return text !== null && hasPrefix(text, managedScript(host));
}

/** The files of the machine without ours for one user; the settings stay while another user has a client. */
export function filesToRemove(
  host: HostName,
  where: { readonly platform: string; readonly uid: number; readonly others: boolean },
  read: (path: string) => string | null,
): readonly SystemFile[] {
  const client: SystemFile = { path: managedClient(host, where.uid), text: null };
  if (where.others) return [client];
  const settings = managedOf(host, where.platform);
  const script = managedScript(host);
  const found = read(settings.path);
  return [
    { path: settings.path, text: found === null ? null : settings.remove(found, script) },
    ...(host === 'opencode' ? [{ path: pluginFile, text: null }] : []),
    { path: script, text: null },
    client,
  ];
}

function managedOf(host: HostName, platform: string): Managed & { readonly path: string } {
  const found = managed[host];
  const path = managedFile(host, platform);
  if (found === undefined || path === undefined) {
    throw new InputError(`${hosts[host].title} has no settings for a whole machine that hold hooks`, {
      hint: `use 'sallyport init ${host}'`,
    });
  }
  return { ...found, path };
}

/**
 * Starts the client of the user whose agent runs. Settings of the machine count for every user: for one who has no client
 * it says nothing, so that their agents go on as before.
 */
function dispatcher(host: HostName): string {
  const [event = ''] = Object.keys(hosts[host].events);
  const { stdout, stderr } = lostReply(hosts[host], event);
  return `#!/bin/sh
# Sallyport for ${hosts[host].title}, for all users of this machine. 'sallyport init ${host} --managed' writes it.
user=$(/usr/bin/id -u)
case $user in
'' | *[!0-9]*)
  printf '%s\\n' ${quote(stdout)}
  printf '%s\\n' ${quote(stderr)} >&2
  exit 2
  ;;
esac
client=${systemFolder}/$user/${host}
if [ -e "$client" ]; then exec "$client" "$@"; fi
${host === 'codex' ? "printf '{}\\n'\n" : ''}exit 0
`;
}

// ── TOML: ours stands between two lines, and a line in a table that is there already

const begin = '# sallyport: begin';
const end = '# sallyport: end';
const marked = ' # sallyport';

function addToml(found: string | null, script: string): string {
  const others = found === null ? '' : (removeToml(found) ?? '');
  const table = readToml(others);
  const { hooks } = jsonTable(wirings.codex.add(null, script)) ?? {};
  const features = table['features'];
  const has = features !== undefined && isJsonObject(features);
  if (has && features['hooks'] === false) throw new InputError('"features.hooks" is switched off in it');
  const isOn = has && features['hooks'] === true;
  const withLine =
    has && !isOn ? others.replace(/^[ \t]*\[features\][^\n]*$/m, `$&\nhooks = true${marked}`) : others;
  const events = hooks !== undefined && isJsonObject(hooks) ? hooks : {};
  const entries = Object.entries(events).flatMap(([event, list]) =>
    Array.isArray(list) ? list.map((group) => tomlGroup(event, group)) : [],
  );
  const block = [begin, ...(has ? [] : ['[features]', 'hooks = true', '']), ...entries, end].join('\n');
  const text = `${withLine === '' ? '' : `${withLine.trimEnd()}\n\n`}${block}\n`;
  const written = readToml(text)['features'];
  if (written === undefined || !isJsonObject(written) || written['hooks'] !== true) {
    throw new InputError('its "features" are written in a form that cannot be added to', {
      hint: 'put "hooks = true" into its [features] by hand',
    });
  }
  return text;
}

function tomlGroup(event: string, group: unknown): string {
  if (typeof group !== 'object' || group === null || !('hooks' in group) || !Array.isArray(group.hooks))
    return '';
  const matcher = 'matcher' in group ? [`matcher = ${JSON.stringify(group.matcher)}`] : [];
  const entries = group.hooks.flatMap((hook: object) => [
    `[[hooks.${event}.hooks]]`,
    ...Object.entries(hook).map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
  ]);
  return [`[[hooks.${event}]]`, ...matcher, ...entries, ''].join('\n');
}

function removeToml(found: string): string | null {
  const lines = found.split('\n');
  const from = lines.indexOf(begin);
  const to = lines.indexOf(end);
  const outside = from === -1 || to < from ? lines : [...lines.slice(0, from), ...lines.slice(to + 1)];
  const text = outside.filter((line) => !line.endsWith(marked)).join('\n');
  return text.trim() === '' ? null : `${text.trimEnd()}\n`;
}

function readToml(text: string) {
  try {
    return jsonTable(JSON.stringify(parseToml(text))) ?? {};
  } catch (error) {
    throw new InputError(`it is not TOML: ${messageOf(error)}`, { cause: error });
  }
}
