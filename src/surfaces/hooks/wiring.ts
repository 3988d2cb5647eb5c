// Where each host keeps its hooks, and how ours go in and out of that file. What else stands there is left as it is.

import {
  InputError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  messageOf,
  parseJson,
  SallyportError,
} from '../../core/index.ts';
import { jsonTable } from '../../run/integrity/unhook.ts';
import { hookTimeout, lostReply, quote } from './client.ts';
import type { HostName } from './host.ts';
import { hosts } from './hosts.ts';
import { pluginText } from './plugin.ts';

/** Whose settings name the client: those of the user, or those of one project. */
export const scopes = ['user', 'project'] as const;
export type WiringScope = (typeof scopes)[number];

export interface Wiring {
  /** The file for the user: in a folder of the home folder, or below the one that a variable of the host names. */
  readonly user: {
    readonly folder: string;
    readonly moved?: { readonly variable: string; readonly below: string };
    readonly file: string;
  };
  /** The file in a project. */
  readonly project: string;
  /**
   * The file with ours in it; `found` is null if there is none. `shell`: the host starts its commands through the client
   * too, where it can. Throws `InputError` for what it cannot read.
   */
  add(found: string | null, script: string, shell?: boolean): string;
  /** The file without ours; null if nothing is left of it. */
  remove(found: string, script: string): string | null;
  /** Why the host would not call the hooks that stand there, or null. */
  idle(found: string): string | null;
  /** The commands of ours that stand there, by the host's names of its moments. */
  commands(found: string, script: string): Readonly<Record<string, string>>;
  /** Clients of any Sallyport home that stand there, by their absolute paths. */
  clients(found: string): readonly string[];
}

/** What putting ours into a file, and finding it there, takes. */
type Edits = Pick<Wiring, 'add' | 'remove' | 'commands' | 'clients'>;

/** One hook of ours, in the host's form. */
type Entry = (command: string, timeout: number, event: string) => JsonObject;

/** Hooks in groups with a matcher: `{"hooks": {EVENT: [{"matcher", "hooks": [{"command"}]}]}}`. */
function grouped(
  host: HostName,
  entry: Entry,
  matcher: string,
  command: (script: string, event: string) => string = commandFor,
): Edits {
  const { events } = hosts[host];
  return jsonFile(host, Object.keys(events), (event, script) => {
    const matched = /^tool/.test(events[event] ?? '') ? { matcher } : {};
    return { ...matched, hooks: [entry(command(script, event), hookTimeout(hosts[host], event), event)] };
  });
}

/** Hooks one by one: `{"hooks": {EVENT: [{"command"}]}}`. */
function flat(host: HostName, events: readonly string[], entry: Entry): Edits {
  const make = (event: string, script: string) =>
    entry(commandFor(script, event), hookTimeout(hosts[host], event), event);
  return jsonFile(host, events, make, { version: 1 });
}

function commandFor(script: string, event: string): string {
  return `${quote(script)} ${event}`;
}

/**
 * Runs the client and prints its answer. Where the client is missing, fails, is killed or prints no whole object, the
 * text beside it is the answer. Called by whichever shell the user has, so it is one plain command to that shell.
 */
const answering = `/usr/bin/env -i /bin/sh -c ${quote(
  'o=$("$0" "$1") && case $o in "{"*"}") ;; *) false ;; esac || o=$2; printf "%s\\n" "$o"',
)} `;

/** The command for a host that runs the tool when its hook fails. */
function answeringCommand(host: HostName): (script: string, event: string) => string {
  return (script, event) => {
    const { stdout } = lostReply(hosts[host], event);
    const plain = commandFor(script, event);
    // A moment at which nothing can be stopped needs no answer.
    return stdout === '' ? plain : `${answering}${plain} ${quote(stdout)}`;
  };
}

/** Whether a command is ours, in the form of this version or of an earlier one. */
function isOurs(command: string, script: string): boolean {
  return ['', answering].some((before) => command.startsWith(`${before}${quote(script)} `));
}

function jsonFile(
  host: HostName,
  events: readonly string[],
  make: (event: string, script: string) => JsonObject,
  base: JsonObject = {},
): Edits {
  return {
    add(found, script) {
      const settings = found === null ? base : readSettings(found);
      const { rest } = takeOut(settings, script);
      const hooks = isJsonObject(rest['hooks']) ? rest['hooks'] : {};
      const added = Object.fromEntries(
        events.map((event) => [event, [...listAt(hooks, event), make(event, script)]]),
      );
      return write({ ...rest, hooks: { ...hooks, ...added } }, found);
    },
    remove(found, script) {
      const settings = readSettings(found);
      const { rest, taken } = takeOut(settings, script);
      if (Object.keys(taken).length === 0) return found;
      const left = Object.keys(rest).filter(
        (name) => JSON.stringify(rest[name]) !== JSON.stringify(base[name]),
      );
      return left.length === 0 ? null : write(rest, found);
    },
    commands: (found, script) => takeOut(readSettings(found), script).taken,
    clients: (found) => [...new Set(commandsIn(readSettings(found)).flatMap((one) => clientIn(one, host)))],
  };
}

/** The variable that names the program through which Claude Code starts commands. */
const prefixVariable = 'CLAUDE_CODE_SHELL_PREFIX';

/** The settings with or without our client as the program through which the host starts commands. */
function withPrefix(edits: Edits): Edits {
  return {
    ...edits,
    add(found, script, shell = false) {
      const text = edits.add(found, script);
      const settings = readSettings(text);
      const env = isJsonObject(settings['env']) ? settings['env'] : {};
      const value = env[prefixVariable];
      if (!shell) return value === script ? write(withoutPrefix(settings), text) : text;
      if (value !== undefined && value !== script) {
        throw new InputError(`its "env.${prefixVariable}" names another program`, {
          hint: 'remove it, or leave [shell] transactional off',
        });
      }
      return write({ ...settings, env: { ...env, [prefixVariable]: script } }, text);
    },
    remove(found, script) {
      if (!hasPrefix(found, script)) return edits.remove(found, script);
      const left = withoutPrefix(readSettings(found));
      return Object.keys(left).length === 0 ? null : edits.remove(write(left, found), script);
    },
  };
}

/** Whether settings have a host start commands through our client. */
export function hasPrefix(text: string, script: string): boolean {
  const env = jsonTable(text)?.['env'];
  return env !== undefined && isJsonObject(env) && env[prefixVariable] === script;
}

function withoutPrefix(settings: JsonObject): JsonObject {
  const { env, ...rest } = settings;
  const { [prefixVariable]: _, ...others } = isJsonObject(env) ? env : {};
  return Object.keys(others).length === 0 ? rest : { ...settings, env: others };
}

/** The text of a host's settings without what is ours in it. */
export function withoutOurs(host: HostName, text: string, script: string): string {
  try {
    return wirings[host].remove(text, script) ?? '';
  } catch (error) {
    // What cannot be read as settings has nothing of ours.
    if (error instanceof SallyportError) return text;
    throw error;
  }
}

/** Every command of hooks, whosever it is. */
function commandsIn({ hooks }: JsonObject): readonly string[] {
  const own = (entry: JsonValue): readonly string[] => {
    if (!isJsonObject(entry)) return [];
    const command = entry['command'] ?? entry['bash'];
    const inner = Array.isArray(entry['hooks']) ? entry['hooks'].flatMap(own) : [];
    return typeof command === 'string' ? [command, ...inner] : inner;
  };
  return Object.values(isJsonObject(hooks) ? hooks : {}).flatMap((list) =>
    Array.isArray(list) ? list.flatMap(own) : [],
  );
}

/** The client that a command of ours calls: `…/bin/HOST EVENT`, in whichever home. */
function clientIn(command: string, host: HostName): readonly string[] {
  const rest = command.startsWith(answering) ? command.slice(answering.length) : command;
  const [, word = '', event = ''] = /^((?:'[^']*'|\\'|[^\s'])+) (\S+)/.exec(rest) ?? [];
  const path = word.replaceAll("'\\''", '\0').replaceAll("'", '').replaceAll('\0', "'");
  return path.endsWith(`/bin/${host}`) && Object.hasOwn(hosts[host].events, event) ? [path] : [];
}

function readSettings(text: string): JsonObject {
  if (text.trim() === '') return {};
  let value: JsonValue;
  try {
    value = parseJson(text);
  } catch (error) {
    throw new InputError(`it is not plain JSON: ${messageOf(error)}`, {
      hint: 'take comments out of it, or put the hooks in by hand: see docs/hosts.md',
      cause: error,
    });
  }
  if (!isJsonObject(value)) throw new InputError('it is not a table');
  if (value['hooks'] !== undefined && !isJsonObject(value['hooks'])) {
    throw new InputError('its "hooks" are not a table');
  }
  return value;
}

function listAt(hooks: JsonObject, event: string): readonly JsonValue[] {
  const list = hooks[event] ?? [];
  if (!Array.isArray(list)) throw new InputError(`its "hooks.${event}" is not a list`);
  return list;
}

/** The settings without our entries, and the commands of those. What was empty before stays; what we empty goes. */
function takeOut(
  settings: JsonObject,
  script: string,
): { readonly rest: JsonObject; readonly taken: Readonly<Record<string, string>> } {
  const taken: Record<string, string> = {};
  const { hooks } = settings;
  if (!isJsonObject(hooks)) return { rest: settings, taken };
  const mine = (event: string, entry: JsonValue): boolean => {
    const command = isJsonObject(entry) ? (entry['command'] ?? entry['bash']) : undefined;
    if (typeof command !== 'string' || !isOurs(command, script)) return false;
    taken[event] = command;
    return true;
  };
  const kept = Object.entries(hooks).flatMap(([event, list]): [string, JsonValue][] => {
    if (!Array.isArray(list)) return [[event, list]];
    const left = list.flatMap((group): JsonValue[] => {
      if (mine(event, group)) return [];
      if (!isJsonObject(group) || !Array.isArray(group['hooks'])) return [group];
      const others = group['hooks'].filter((entry) => !mine(event, entry));
      if (others.length === group['hooks'].length) return [group];
      return others.length === 0 ? [] : [{ ...group, hooks: others }];
    });
    return left.length === 0 && list.length > 0 ? [] : [[event, left]];
  });
  if (Object.keys(taken).length === 0) return { rest: settings, taken };
  const { hooks: _, ...others } = settings;
  return {
    rest: kept.length === 0 ? others : { ...settings, hooks: Object.fromEntries(kept) },
    taken,
  };
}

/** The settings as text, indented as the file was. */
function write(settings: JsonObject, found: string | null): string {
  const indent = /^[ \t]+(?=")/m.exec(found ?? '')?.[0] ?? '  ';
  return `${JSON.stringify(settings, null, indent)}\n`;
}

/** A plugin, in a file that is ours alone. */
function ownPlugin(host: HostName): Edits {
  const mine = (found: string, script: string) => found.includes(JSON.stringify(script));
  return {
    add: (_, script) => pluginText(host, script),
    remove: (found, script) => (mine(found, script) ? null : found),
    commands: (found, script) =>
      mine(found, script) ? { 'tool.execute.before': commandFor(script, 'tool.execute.before') } : {},
    clients: (found) => {
      const [, path] = /^\/\/ Sallyport's plugin .*?^const client = "([^"\\]+)";$/ms.exec(found) ?? [];
      return path === undefined ? [] : [path];
    },
  };
}

const neverIdle = () => null;

function allHooksOff(found: string): string | null {
  return readSettings(found)['disableAllHooks'] === true ? '"disableAllHooks" switches all hooks off' : null;
}

/** What the host shows while it waits for us: a question is what takes long. */
const waitingMessage = 'Sallyport judges this; if it waits for you, answer with: sallyport approvals --watch';

export const wirings: Readonly<Record<HostName, Wiring>> = {
  claude: {
    user: {
      folder: '.claude',
      moved: { variable: 'CLAUDE_CONFIG_DIR', below: '' },
      file: 'settings.json',
    },
    // Not the file that is shared with others: it would name programs of this machine.
    project: '.claude/settings.local.json',
    ...withPrefix(
      grouped(
        'claude',
        (command, timeout, event) => ({
          ...{ type: 'command', command, timeout, onFailure: 'block' },
          ...(event === 'PreToolUse' ? { statusMessage: waitingMessage } : {}),
        }),
        '*',
      ),
    ),
    idle: allHooksOff,
  },
  codex: {
    user: { folder: '.codex', moved: { variable: 'CODEX_HOME', below: '' }, file: 'hooks.json' },
    project: '.codex/hooks.json',
    ...grouped(
      'codex',
      (command, timeout) => ({ type: 'command', command, timeout }),
      '.*',
      answeringCommand('codex'),
    ),
    idle: neverIdle,
  },
  gemini: {
    // The variable stands for the home folder.
    user: {
      folder: '.gemini',
      moved: { variable: 'GEMINI_CLI_HOME', below: '.gemini' },
      file: 'settings.json',
    },
    project: '.gemini/settings.json',
    ...grouped(
      'gemini',
      (command, timeout) => ({ type: 'command', name: 'sallyport', command, timeout: timeout * 1000 }),
      '.*',
    ),
    idle: (found) => {
      const config = readSettings(found)['hooksConfig'];
      return isJsonObject(config) && config['enabled'] === false
        ? '"hooksConfig.enabled" switches all hooks off'
        : null;
    },
  },
  cursor: {
    user: { folder: '.cursor', file: 'hooks.json' },
    project: '.cursor/hooks.json',
    // One moment before each tool: with a second one, each call would be decided twice.
    ...flat(
      'cursor',
      [
        'preToolUse',
        'postToolUse',
        'postToolUseFailure',
        'afterMCPExecution',
        'beforeSubmitPrompt',
        'sessionStart',
        'sessionEnd',
      ],
      (command, timeout) => ({ command, timeout, failClosed: true }),
    ),
    idle: neverIdle,
  },
  copilot: {
    user: {
      folder: '.copilot',
      moved: { variable: 'COPILOT_HOME', below: '' },
      file: 'hooks/sallyport.json',
    },
    project: '.github/hooks/sallyport.json',
    ...flat('copilot', Object.keys(hosts.copilot.events), (command, timeout) => ({
      type: 'command',
      bash: command,
      timeoutSec: timeout,
    })),
    idle: neverIdle,
  },
  opencode: {
    // OPENCODE_CONFIG_DIR names a folder that is read besides this one, which is always read.
    user: {
      folder: '.config/opencode',
      moved: { variable: 'XDG_CONFIG_HOME', below: 'opencode' },
      file: 'plugins/sallyport.js',
    },
    project: '.opencode/plugin/sallyport.js',
    ...ownPlugin('opencode'),
    idle: neverIdle,
  },
  kilo: {
    // KILO_CONFIG_DIR names a folder that is read besides this one, which is always read.
    user: {
      folder: '.config/kilo',
      moved: { variable: 'XDG_CONFIG_HOME', below: 'kilo' },
      file: 'plugins/sallyport.js',
    },
    project: '.kilo/plugin/sallyport.js',
    ...ownPlugin('kilo'),
    idle: neverIdle,
  },
  qwen: {
    user: { folder: '.qwen', moved: { variable: 'QWEN_HOME', below: '' }, file: 'settings.json' },
    project: '.qwen/settings.json',
    ...grouped(
      'qwen',
      (command, timeout) => ({ type: 'command', name: 'sallyport', command, timeout }),
      '*',
      answeringCommand('qwen'),
    ),
    idle: allHooksOff,
  },
};
