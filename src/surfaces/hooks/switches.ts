// What switches the hooks of a host off besides the file that names them: settings of a project, of the machine, and
// variables. Each was tried with the real host.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../core/index.ts';
import type { HostName } from './host.ts';
import { switchesIn } from './unhook.ts';

/** Where a host is looked at. */
export interface SwitchPlace {
  /** Folders whose settings count for the project. */
  readonly projects: readonly string[];
  /** The folder of the host for the user. */
  readonly user: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether a text names our client. */
  readonly namesClient: (text: string) => boolean;
}

/** One thing that keeps the host from calling our hooks. */
export interface Switch {
  /** The file or the variable. */
  readonly where: string;
  /** The key and its value. */
  readonly what: string;
}

interface HostSwitches {
  /** Variables that switch hooks off when they are set. */
  readonly variables: readonly string[];
  readonly files: (place: SwitchPlace) => readonly string[];
  /** What in a file switches our hooks off; undefined where nothing does. */
  readonly off: (settings: JsonObject, text: string, place: SwitchPlace) => string | undefined;
}

const claudeMachine =
  process.platform === 'darwin' ? '/Library/Application Support/ClaudeCode' : '/etc/claude-code';
const geminiMachine =
  process.platform === 'darwin' ? '/Library/Application Support/GeminiCli' : '/etc/gemini-cli';

const qwenMachine =
  process.platform === 'darwin' ? '/Library/Application Support/QwenCode' : '/etc/qwen-code';

function isSet(value: JsonValue | undefined): boolean {
  return typeof value === 'string' && !['', '0', 'false'].includes(value);
}

const switches: Readonly<Partial<Record<HostName, HostSwitches>>> = {
  claude: {
    variables: ['CLAUDE_CODE_SIMPLE'],
    files: ({ projects, user }) => [
      join(user, 'settings.json'),
      ...projects.flatMap((folder) =>
        ['settings.json', 'settings.local.json'].map((name) => join(folder, '.claude', name)),
      ),
      join(claudeMachine, 'managed-settings.json'),
      ...jsonFilesIn(join(claudeMachine, 'managed-settings.d')),
    ],
    off: (settings, text, { namesClient }) => {
      if (settings['disableAllHooks'] === true) return '"disableAllHooks": true';
      const isForeign = settings['allowManagedHooksOnly'] === true && !namesClient(text);
      return isForeign ? '"allowManagedHooksOnly": true' : undefined;
    },
  },
  gemini: {
    variables: [],
    files: ({ projects, user, environment }) => [
      join(user, 'settings.json'),
      ...projects.map((folder) => join(folder, '.gemini', 'settings.json')),
      environment['GEMINI_CLI_SYSTEM_SETTINGS_PATH'] || join(geminiMachine, 'settings.json'),
      environment['GEMINI_CLI_SYSTEM_DEFAULTS_PATH'] || join(geminiMachine, 'system-defaults.json'),
    ],
    off: ({ hooksConfig: config }) => {
      if (!isJsonObject(config)) return undefined;
      if (config['enabled'] === false) return '"hooksConfig.enabled": false';
      const { disabled } = config;
      return Array.isArray(disabled) && disabled.includes('sallyport')
        ? '"hooksConfig.disabled" names sallyport'
        : undefined;
    },
  },
  qwen: {
    variables: ['QWEN_CODE_SIMPLE', 'QWEN_CODE_SAFE_MODE'],
    files: ({ projects, user, environment }) => [
      join(user, 'settings.json'),
      join(user, '.env'),
      ...projects.flatMap((folder) =>
        ['.qwen/settings.json', '.qwen/.env', '.env'].map((name) => join(folder, name)),
      ),
      environment['QWEN_CODE_SYSTEM_SETTINGS_PATH'] || join(qwenMachine, 'settings.json'),
      environment['QWEN_CODE_SYSTEM_DEFAULTS_PATH'] || join(qwenMachine, 'system-defaults.json'),
    ],
    off: ({ disableAllHooks, tools, env }) => {
      if (disableAllHooks === true) return '"disableAllHooks": true';
      if (isJsonObject(tools) && isJsonObject(tools['executionSandbox'])) return '"tools.executionSandbox"';
      const set = ['QWEN_CODE_SIMPLE', 'QWEN_CODE_SAFE_MODE'].find(
        (name) => isJsonObject(env) && isSet(env[name]),
      );
      return set === undefined ? undefined : `"env.${set}"`;
    },
  },
  opencode: { variables: ['OPENCODE_PURE'], files: () => [], off: () => undefined },
  kilo: { variables: ['KILO_PURE'], files: () => [], off: () => undefined },
};

/** Everything that switches the hooks of a host off at a place. */
export function switchedOff(host: HostName, place: SwitchPlace): readonly Switch[] {
  const known = switches[host];
  if (known === undefined) return [];
  const variables = known.variables.flatMap((name) => {
    const value = place.environment[name] ?? '';
    return isSet(value) ? [{ where: name, what: `is ${value}` }] : [];
  });
  const files = [...new Set(known.files(place))].flatMap((where) => {
    const text = textOf(where);
    if (text === null) return [];
    if (where.endsWith('.env')) {
      return switchesIn(host, 'env', text).map(({ key }) => ({ where, what: key.join('.') }));
    }
    const settings = settingsIn(text);
    const what = settings === null ? undefined : known.off(settings, text, place);
    return what === undefined ? [] : [{ where, what }];
  });
  return [...variables, ...files];
}

function jsonFilesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** The settings in a text; comments, which some hosts allow, are dropped. Null for what no host could read either. */
function settingsIn(text: string): JsonObject | null {
  const plain = text.replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, '$1');
  try {
    const value = parseJson(plain);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
