// Which settings of a host disable or bypass its hooks, and the same settings without those. Pure: texts in, texts out.
// A switch that only the user who starts the host can set (a flag, a shell variable) is not visible here.

import { parse as parseToml } from 'smol-toml';
import {
  canonicalJson,
  type HostName,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../core/index.ts';

/** A settings file of a host that can end its hooks, by where it is looked for. */
export interface SwitchFile {
  /** The way from the host's own folder, or from a project. */
  readonly path: string;
  /** How its text is read. */
  readonly form: 'json' | 'toml' | 'env';
}

/** The files with switches, of the user and of a project. A file that holds our hooks is not named again. */
export const switchFiles: Readonly<
  Record<HostName, { readonly user: readonly SwitchFile[]; readonly project: readonly SwitchFile[] }>
> = {
  claude: {
    user: [{ path: 'settings.json', form: 'json' }],
    project: [
      { path: '.claude/settings.json', form: 'json' },
      { path: '.claude/settings.local.json', form: 'json' },
    ],
  },
  codex: {
    user: [{ path: 'config.toml', form: 'toml' }],
    project: [{ path: '.codex/config.toml', form: 'toml' }],
  },
  gemini: {
    user: [{ path: 'settings.json', form: 'json' }],
    project: [{ path: '.gemini/settings.json', form: 'json' }],
  },
  cursor: { user: [], project: [] },
  copilot: {
    user: [
      { path: 'config.json', form: 'json' },
      { path: 'settings.json', form: 'json' },
    ],
    project: [
      { path: '.github/copilot/settings.json', form: 'json' },
      { path: '.github/copilot/settings.local.json', form: 'json' },
    ],
  },
  opencode: { user: [], project: [] },
  kilo: { user: [], project: [] },
  qwen: {
    user: [
      { path: 'settings.json', form: 'json' },
      { path: '.env', form: 'env' },
    ],
    project: [
      { path: '.qwen/settings.json', form: 'json' },
      { path: '.qwen/.env', form: 'env' },
      { path: '.env', form: 'env' },
    ],
  },
};

/** A key, by its names from the outermost table on, and the values of it that loosen us. */
interface Switch {
  readonly key: readonly string[];
  readonly loosens: (value: JsonValue) => boolean;
  readonly why: string;
  /** True where the host, really run, did not heed it; it is removed all the same, since another version may. */
  readonly isIgnored?: boolean;
}

const isOn = (value: JsonValue): boolean => value !== false && value !== null && value !== 'false';
const isOff = (value: JsonValue): boolean => value === false || value === 'false';
const namesUs = (value: JsonValue): boolean =>
  Array.isArray(value) && value.some((name) => typeof name === 'string' && /sallyport/i.test(name));

/**
 * Variables that settings can set, and by which a host ends hooks, runs them by another program, or takes its settings
 * from another place.
 */
const variables: Readonly<Partial<Record<HostName, RegExp>>> = {
  claude:
    /^(?:CLAUDE_(?:CONFIG_DIR|CODE_(?:SIMPLE|SAFE_MODE|SHELL|SHELL_PREFIX|SHELL_LAUNCHER_SCRIPT|RESTRICTED|RESTRICT_PERSONAL_CONFIG|PERSONAL_\w+|MANAGED_SETTINGS_PATH|REMOTE_SETTINGS_PATH|MOCK_REMOTE_SETTINGS|DISABLE_ADMIN_ENV_UNION|DISABLE_HOOK\w*|HOST_OWNED_CONFIG_DIR))|SHELL|ZDOTDIR|LD_(?:PRELOAD|AUDIT|LIBRARY_PATH)|DYLD_\w+|BASH_ENV|SHELLOPTS|BASH_FUNC_.*)$/,
  // It ignores such redirecting variables in its settings.
  qwen: /^QWEN_(?:HOME|CODE_(?:SIMPLE|SAFE_MODE|SYSTEM_SETTINGS_PATH|SYSTEM_DEFAULTS_PATH))$/,
};

const allHooksOff: Switch = {
  key: ['disableAllHooks'],
  loosens: isOn,
  why: '"disableAllHooks" switches all hooks off',
};

const switches: Readonly<Partial<Record<HostName, readonly Switch[]>>> = {
  claude: [
    allHooksOff,
    // Only settings of the machine have a say in it.
    {
      key: ['allowManagedHooksOnly'],
      loosens: isOn,
      why: '"allowManagedHooksOnly" ends hooks of the user',
      isIgnored: true,
    },
    {
      key: ['strictPluginOnlyCustomization'],
      loosens: isOn,
      why: '"strictPluginOnlyCustomization" ends hooks of the user',
      isIgnored: true,
    },
  ],
  codex: [
    { key: ['features', 'hooks'], loosens: isOff, why: '"features.hooks" switches all hooks off' },
    {
      key: ['features', 'codex_hooks'],
      loosens: isOff,
      why: '"features.codex_hooks" switches all hooks off',
    },
  ],
  gemini: [
    { key: ['hooksConfig', 'enabled'], loosens: isOff, why: '"hooksConfig.enabled" switches all hooks off' },
    { key: ['hooksConfig', 'disabled'], loosens: namesUs, why: '"hooksConfig.disabled" names our hook' },
    { key: ['hooks', 'disabled'], loosens: namesUs, why: '"hooks.disabled" names our hook', isIgnored: true },
    {
      key: ['hooks', 'enabled'],
      loosens: isOff,
      why: '"hooks.enabled" switches all hooks off',
      isIgnored: true,
    },
    {
      key: ['tools', 'enableHooks'],
      loosens: isOff,
      why: '"tools.enableHooks" switches all hooks off',
      isIgnored: true,
    },
  ],
  copilot: [{ ...allHooksOff, isIgnored: true }],
  qwen: [
    allHooksOff,
    // Commands then run in a sandbox of the host's, without any hook.
    {
      key: ['tools', 'executionSandbox'],
      loosens: isOn,
      why: '"tools.executionSandbox" switches all hooks off',
    },
  ],
};

/** One switch in a file. */
export type Found = Pick<Switch, 'key' | 'why' | 'isIgnored'>;

/**
 * The switches in a text. An unparseable text has none: hosts ignore such a file, and whether that disables our hooks
 * is checked where they are configured.
 */
export function switchesIn(host: HostName, form: SwitchFile['form'], text: string): readonly Found[] {
  const settings = readers[form](text);
  if (settings === null) return [];
  const keys = (switches[host] ?? []).filter(({ key, loosens }) => {
    const value = valueAt(settings, key);
    return value !== undefined && loosens(value);
  });
  const env = form === 'env' ? settings : settings['env'];
  const names = isJsonObject(env) ? Object.keys(env) : [];
  const set = names.filter((name) => variables[host]?.test(name) === true);
  return [
    ...keys,
    ...set.map((name) => ({
      key: form === 'env' ? [name] : ['env', name],
      why: `it sets ${name}, by which hooks end or are led elsewhere`,
    })),
    ...hookStates(host, settings),
  ];
}

/** Codex can switch single hooks off. */
function hookStates(host: HostName, settings: JsonObject): readonly Found[] {
  const state = host === 'codex' ? valueAt(settings, ['hooks', 'state']) : undefined;
  if (!isJsonObject(state)) return [];
  return Object.entries(state).flatMap(([name, value]) =>
    isJsonObject(value) && value['enabled'] === false
      ? [{ key: ['hooks', 'state', name, 'enabled'], why: '"hooks.state" switches single hooks off' }]
      : [],
  );
}

/** The text without its switches, or some of them, and everything else in it as it was; null if that cannot be done. */
export function withoutSwitches(
  host: HostName,
  form: SwitchFile['form'],
  text: string,
  found: readonly Found[] = switchesIn(host, form, text),
): string | null {
  if (found.length === 0) return text;
  const changed =
    form === 'json'
      ? withoutKeys(text, found)
      : text
          .split('\n')
          .filter((line) => !found.some(({ key }) => names(line, key.at(-1) ?? '', form)))
          .join('\n');
  const left = new Set(switchesIn(host, form, changed).map(({ key }) => key.join('.')));
  return found.some(({ key }) => left.has(key.join('.'))) ? null : changed;
}

/** Whether a line sets a key to what loosens us. */
function names(line: string, key: string, form: SwitchFile['form']): boolean {
  if (form === 'env') return Object.hasOwn(envTable(line), key);
  const [, name = ''] = /^\s*(?:[\w"'-]+\s*\.\s*)*["']?([\w-]+)["']?\s*=/.exec(line) ?? [];
  return name === key && !/=\s*true\b/.test(line);
}

function withoutKeys(text: string, found: readonly Found[]): string {
  return jsonText(
    found.reduce((table, { key }) => withoutKey(table, key), jsonTable(text) ?? {}),
    text,
  );
}

/** A table as text, indented as another. */
function jsonText(table: JsonObject, like: string): string {
  const indent = /^[ \t]+(?=")/m.exec(like)?.[0] ?? '  ';
  return `${JSON.stringify(table, null, indent)}\n`;
}

function withoutKey(table: JsonObject, [name = '', ...rest]: readonly string[]): JsonObject {
  const { [name]: inner, ...others } = table;
  if (rest.length === 0 || inner === undefined || !isJsonObject(inner)) return others;
  return { ...table, [name]: withoutKey(inner, rest) };
}

function valueAt(table: JsonObject, key: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = table;
  for (const name of key) {
    if (value === undefined || !isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** The table in a text, parsed as leniently as hosts do: comments, trailing commas, duplicate keys. */
export function jsonTable(text: string): JsonObject | null {
  const plain = text.replace(/^\uFEFF/, '');
  for (const variant of [() => plain, () => withoutComments(plain)]) {
    try {
      const value: JsonValue = JSON.parse(variant());
      return isJsonObject(value) ? value : null;
    } catch {
      // The next variant may be understood.
    }
  }
  return null;
}

/** JSON with comments and commas at the end, without those. Texts in it stay as they are. */
function withoutComments(text: string): string {
  return text
    .replace(/("(?:[^"\\\n]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_, quoted?: string) => quoted ?? ' ')
    .replace(/("(?:[^"\\\n]|\\.)*")|,(?=\s*[\]}])/g, (_, quoted?: string) => quoted ?? '');
}

const readers: Readonly<Record<SwitchFile['form'], (text: string) => JsonObject | null>> = {
  json: jsonTable,
  toml: tomlTable,
  env: envTable,
};

/** The variables that a file of lines `NAME=value` sets to something. */
function envTable(text: string): JsonObject {
  const lines = text.matchAll(/^\s*(?:export\s+)?([\w.-]+)\s*[=:]\s*(\S.*)$/gm);
  return Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]));
}

function tomlTable(text: string): JsonObject | null {
  try {
    const value: JsonValue = JSON.parse(JSON.stringify(parseToml(text)));
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

// ── what a change of a file in a project does to us

/** A change of a file that unhooks or loosens us. */
export interface Unhooked {
  /** The host of the file. */
  readonly of: HostName | 'sallyport';
  readonly why: string;
  /** The expected content; null: the file should not exist. */
  readonly right: string | null;
  /** True where it runs code with the host and does not unhook us: that a commit holds it is then an excuse. */
  readonly isExcusable: boolean;
}

/** A file of a project that names code which the host runs, by its path in lower case. */
interface RunningFile {
  readonly host: HostName;
  readonly path: RegExp;
  /** The position of the code's name: in a list for each event, in one list, or the file is itself the code. */
  readonly by: 'hooks' | 'plugin' | 'code';
  readonly form: 'json' | 'toml';
}

const runningFiles: readonly RunningFile[] = [
  { host: 'claude', path: /(?:^|\/)\.claude\/settings(?:\.local)?\.json$/, by: 'hooks', form: 'json' },
  { host: 'codex', path: /(?:^|\/)\.codex\/hooks\.json$/, by: 'hooks', form: 'json' },
  { host: 'codex', path: /(?:^|\/)\.codex\/config\.toml$/, by: 'hooks', form: 'toml' },
  { host: 'gemini', path: /(?:^|\/)\.gemini\/settings\.json$/, by: 'hooks', form: 'json' },
  { host: 'cursor', path: /(?:^|\/)\.cursor\/hooks\.json$/, by: 'hooks', form: 'json' },
  { host: 'copilot', path: /(?:^|\/)\.github\/hooks\/[^/]+\.json$/, by: 'hooks', form: 'json' },
  { host: 'qwen', path: /(?:^|\/)\.qwen\/settings\.json$/, by: 'hooks', form: 'json' },
  { host: 'opencode', path: /(?:^|\/)opencode\.jsonc?$/, by: 'plugin', form: 'json' },
  { host: 'kilo', path: /(?:^|\/)kilo\.jsonc?$/, by: 'plugin', form: 'json' },
  { host: 'opencode', path: /(?:^|\/)\.opencode\/plugins?\//, by: 'code', form: 'json' },
  { host: 'kilo', path: /(?:^|\/)\.kilo(?:code)?\/plugins?\//, by: 'code', form: 'json' },
];

/** Folders of hosts, as links: their targets are read as settings of the project. */
const hostFolder = /(?:^|\/)\.(?:claude|codex|gemini|cursor|qwen|opencode|kilo|kilocode)$/;

/** The text of a host's settings without our own hooks, which `init` may write while a call runs. */
export type WithoutOurs = (host: HostName, text: string) => string;

/**
 * How a change of a file in a project unhooks or loosens us; null if it does not. The path is the way from the
 * project, and each text what a host would read there; null: nothing.
 */
export function unhookedBy(
  path: string,
  before: string | null,
  after: string | null,
  withoutOurs: WithoutOurs = (_, text) => text,
): Unhooked | null {
  const way = path.toLowerCase();
  if (/(?:^|\/)sallyport\.toml$/.test(way)) {
    // A new file in a folder below the project has no effect yet, and can only add stricter rules.
    if (before === null && way.includes('/')) return null;
    const why = "it holds Sallyport's rules for this project";
    return { of: 'sallyport', why, right: before, isExcusable: false };
  }
  if (after === null) return null;
  return switchedBy(way, before, after, withoutOurs) ?? runBy(way, before, after, withoutOurs);
}

/** Whether a host, or we ourselves, read a file of a project at its start: such a change may unhook us. */
export function isHostFile(path: string): boolean {
  const way = path.toLowerCase();
  if (/(?:^|\/)sallyport\.toml$/.test(way) || runningFiles.some((file) => file.path.test(way))) return true;
  return Object.values(switchFiles).some(({ project }) =>
    project.some((file) => way === file.path || way.endsWith(`/${file.path}`)),
  );
}

/** Whether the entry at a path in a project, as a link, leads a host elsewhere. */
export function leadsHost(path: string): boolean {
  return hostFolder.test(path.toLowerCase());
}

function switchedBy(
  way: string,
  before: string | null,
  after: string,
  withoutOurs: WithoutOurs,
): Unhooked | null {
  for (const host of Object.keys(switchFiles) as HostName[]) {
    const file = switchFiles[host].project.find(({ path }) => way === path || way.endsWith(`/${path}`));
    if (file === undefined) continue;
    const had = new Set(before === null ? [] : switchesIn(host, file.form, before).map(({ why }) => why));
    const foreign = withoutOurs(host, after);
    const found = switchesIn(host, file.form, foreign).filter(({ why }) => !had.has(why));
    const [first] = found;
    if (first === undefined) continue;
    const cleared = withoutSwitches(host, file.form, after, found);
    const runs = cleared === null ? null : runBy(way, before, cleared, withoutOurs);
    const right = cleared === null ? before : runs === null ? asBefore(before, cleared) : runs.right;
    return { of: host, why: first.why, right, isExcusable: false };
  }
  return null;
}

function runBy(way: string, before: string | null, after: string, withoutOurs: WithoutOurs): Unhooked | null {
  const file = runningFiles.find(({ path }) => path.test(way));
  if (file === undefined) return null;
  const { host, by, form } = file;
  const unhooked = (right: string | null): Unhooked => ({
    of: host,
    why: `it has the host run code: ${by === 'code' ? 'a plugin' : `"${by}"`}`,
    right,
    isExcusable: true,
  });
  const foreign = withoutOurs(host, after);
  if (by === 'code') return after === before || foreign !== after ? null : unhooked(before);
  const had = new Set(entriesIn(readers[form](before ?? ''), by));
  const added = entriesIn(readers[form](foreign), by).filter((entry) => !had.has(entry));
  if (added.length === 0) return null;
  const table = form === 'json' ? jsonTable(after) : null;
  return unhooked(
    table === null ? before : asBefore(before, jsonText(withoutEntries(table, by, new Set(added)), after)),
  );
}

/** The previous text if the other is equivalent; none if there was none and nothing is left. */
function asBefore(before: string | null, text: string): string | null {
  if (before !== null) {
    const [a, b] = [jsonTable(before), jsonTable(text)];
    return a !== null && b !== null && canonicalJson(a) === canonicalJson(b) ? before : text;
  }
  return isBlank(text) ? null : text;
}

/** Whether a text of settings sets nothing. */
export function isBlank(text: string): boolean {
  const table = jsonTable(text);
  return table === null ? /^\s*(?:\[[\w.]+\]\s*)*$/.test(text) : isBare(table);
}

/** Whether a table contains nothing but empty tables. */
function isBare(table: JsonObject): boolean {
  return Object.values(table).every((value) =>
    Array.isArray(value) ? value.length === 0 : isJsonObject(value) && isBare(value),
  );
}

/** The commands that a table has the host run, each as one text. */
export function entriesIn(table: JsonObject | null, by: 'hooks' | 'plugin'): readonly string[] {
  const found = table?.[by];
  if (by === 'plugin') return Array.isArray(found) ? found.map((entry) => canonicalJson([by, entry])) : [];
  if (!isJsonObject(found)) return [];
  return Object.entries(found).flatMap(([event, list]) =>
    Array.isArray(list) ? list.map((entry) => canonicalJson([event, entry])) : [],
  );
}

function withoutEntries(table: JsonObject, by: 'hooks' | 'plugin', entries: ReadonlySet<string>): JsonObject {
  const found = table[by];
  const without = (name: string, list: readonly JsonValue[]) =>
    list.filter((entry) => !entries.has(canonicalJson([name, entry])));
  if (by === 'plugin') return Array.isArray(found) ? { ...table, [by]: without(by, found) } : table;
  if (!isJsonObject(found)) return table;
  const left = Object.entries(found).map(([event, list]): [string, JsonValue] => [
    event,
    Array.isArray(list) ? without(event, list) : list,
  ]);
  return { ...table, [by]: Object.fromEntries(left) };
}
