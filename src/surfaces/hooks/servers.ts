// Which MCP server a tool of a host belongs to, and whether that server is Sallyport's own gateway. A name proves nothing:
// the server counts as ours only if the user's own configuration of the host starts our program under that name, and
// nothing in the project could stand in its place.

import { basename, dirname, isAbsolute, join } from 'node:path';
import { loadTomlParser } from '../../config/toml.ts';
import { realPathIn } from '../../core/guard.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson, type World } from '../../core/index.ts';
import { hostTools } from '../../guards/tool/registry.ts';
import type { HookCall, HostName } from './host.ts';

/** Where a host's configuration names MCP servers. */
interface Configuration {
  /** The user's own files, from the home folder. */
  readonly user: readonly string[];
  /** Files of a project, which agents may have written. */
  readonly project: readonly string[];
  /** The member that holds the servers. */
  readonly key: string;
  /** What stands between server and tool in a name, where the host sends no server. */
  readonly divider?: string;
}

const configurations: Readonly<Partial<Record<HostName, Configuration>>> = {
  claude: { user: ['.claude.json'], project: [], key: 'mcpServers' },
  codex: { user: ['.codex/config.toml'], project: ['.codex/config.toml'], key: 'mcp_servers' },
  gemini: { user: ['.gemini/settings.json'], project: ['.gemini/settings.json'], key: 'mcpServers' },
  qwen: { user: ['.qwen/settings.json'], project: ['.qwen/settings.json', '.mcp.json'], key: 'mcpServers' },
  copilot: {
    user: ['.copilot/mcp-config.json'],
    project: ['.mcp.json', '.github/mcp.json', '.copilot/mcp-config.json', '.vscode/mcp.json'],
    key: 'mcpServers',
    divider: '-',
  },
  opencode: opencodeLike('.config/opencode', ['opencode', 'config'], ['opencode'], ['.opencode']),
  kilo: opencodeLike(
    '.config/kilo',
    ['kilo', 'opencode', 'config'],
    ['kilo', 'opencode'],
    ['.kilo', '.kilocode', '.opencode'],
  ),
};

/** The files of opencode, or of a host made from it: `NAME.json` and `NAME.jsonc` in the user's folder and in projects. */
function opencodeLike(
  folder: string,
  own: readonly string[],
  project: readonly string[],
  projectFolders: readonly string[],
): Configuration {
  const files = (names: readonly string[]) => names.flatMap((name) => [`${name}.json`, `${name}.jsonc`]);
  return {
    user: files(own).map((name) => `${folder}/${name}`),
    project: ['', ...projectFolders.map((name) => `${name}/`)].flatMap((place) =>
      files(project).map((name) => `${place}${name}`),
    ),
    key: 'mcp',
    divider: '_',
  };
}

type Disk = Pick<World, 'readText' | 'realPath' | 'home'>;

/** A call with the server that it goes to, and whether that is our own gateway. */
export interface ServedCall {
  readonly call: HookCall;
  readonly gateway: boolean;
}

/** Finds the server of a call. INVARIANT: what cannot be read or is not certain is not our gateway. */
export async function servedBy(host: HostName, call: HookCall, world: Disk): Promise<ServedCall> {
  const configuration = configurations[host];
  const { home } = world;
  if (!('tool' in call) || configuration === undefined || !home) return { call, gateway: false };
  if (call.server === undefined) {
    const isHosts = hostTools(call.tool).some((tool) => tool.host === host);
    if (isHosts || configuration.divider === undefined) return { call, gateway: false };
  }
  const user = new Map<string, JsonValue>();
  for (const file of configuration.user) {
    const text = textOf(join(home, file), world);
    if (text === null) continue;
    const servers = await serversIn(file, text, configuration.key, call);
    for (const [name, entry] of Object.entries(servers ?? {})) user.set(name, entry);
  }
  const project = await projectServers(configuration, call.folder ?? '', home, world);
  const named = withServer(call, configuration, [...user.keys(), ...(project ?? [])]);
  const isOurs = (name: string) => startsUs(user.get(name), world, call);
  return { call: named, gateway: isGateway(host, named, user, project, isOurs) };
}

function isGateway(
  host: HostName,
  call: HookCall,
  user: ReadonlyMap<string, JsonValue>,
  project: readonly string[] | null,
  isOurs: (name: string) => boolean,
): boolean {
  if (!('tool' in call) || call.server === undefined) return false;
  const { server, provenance } = call;
  // Claude Code says where the server's configuration stands; both of these are in the user's own file.
  if (host === 'claude') return ['user', 'local'].includes(provenance?.source ?? '') && isOurs(server);
  if (project === null || !isOurs(server)) return false;
  // Names of server and tool run together, so a server whose name begins alike could pass for this one.
  const alike = [...project, ...[...user.keys()].filter((name) => !isOurs(name))];
  return !alike.some((name) => name.startsWith(server));
}

/** The names of servers in files of the project and of the folders above it; null where a file cannot be read. */
async function projectServers(
  { user, project, key }: Configuration,
  workspace: string,
  home: string,
  world: Disk,
): Promise<readonly string[] | null> {
  if (project.length === 0) return [];
  if (!isAbsolute(workspace)) return null;
  const own = new Set(user.map((file) => join(home, file)));
  const names: string[] = [];
  for (let folder = workspace; ; folder = dirname(folder)) {
    for (const file of project) {
      const path = join(folder, file);
      const text = own.has(path) ? null : textOf(path, world);
      if (text === null) continue;
      const servers = await serversIn(file, text, key);
      if (servers === null) return null;
      names.push(...Object.keys(servers));
    }
    if (folder === dirname(folder)) return names;
  }
}

function textOf(path: string, { readText }: Disk): string | null {
  try {
    return readText(path);
  } catch {
    // It is there, and nobody knows what it says.
    return '';
  }
}

/** The servers that a file names; null where it cannot be read. */
async function serversIn(
  file: string,
  text: string,
  key: string,
  call?: HookCall,
): Promise<JsonObject | null> {
  try {
    const json = file.endsWith('.toml') ? JSON.stringify((await loadTomlParser())(text)) : text;
    const whole = asObject(parseJson(json));
    const all = { ...asObject(whole['servers']), ...asObject(whole[key]) };
    if (file !== '.claude.json') return all;
    // Servers that the user added for one project alone stand in the user's file, too.
    const local = asObject(asObject(asObject(whole['projects'])[call?.folder ?? ''])['mcpServers']);
    const isLocal = call !== undefined && 'tool' in call && call.provenance?.source === 'local';
    return isLocal ? local : all;
  } catch {
    return null;
  }
}

function asObject(value: JsonValue | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}

/** The call with its server split off its name, where the host writes both as one and the server is known. */
function withServer(call: HookCall, { divider }: Configuration, servers: readonly string[]): HookCall {
  if (!('tool' in call) || divider === undefined || call.server !== undefined) return call;
  const { tool } = call;
  const found = servers
    .filter((name) => tool.startsWith(`${written(name)}${divider}`) && tool.length > name.length + 1)
    .sort((a, b) => b.length - a.length)[0];
  return found === undefined ? call : { ...call, server: found, tool: tool.slice(found.length + 1) };
}

/** A server's name as hosts write it into the names of tools. */
function written(name: string): string {
  return name.replace(/[^\w-]/g, '_');
}

/** Whether an entry starts this very program as the gateway. */
function startsUs(entry: JsonValue | undefined, world: Disk, call: HookCall): boolean {
  const { command, args } = asObject(entry);
  const words = [command, args].flat().filter((word) => word !== undefined);
  if (!words.every((word) => typeof word === 'string')) return false;
  const told = 'tool' in call ? call.provenance?.command : undefined;
  if (told !== undefined && (told.length !== words.length || told.some((word, at) => word !== words[at])))
    return false;
  const [program = '', ...rest] = words;
  const [script = '', ...further] = /^node(?:js)?$/.test(basename(program)) ? rest : [program, ...rest];
  return isProgram(script, world) && further[0] === 'mcp' && /^(?:code|query|--.*)?$/.test(further[1] ?? '');
}

/** Whether a word starts Sallyport: by its name, which the user's own PATH finds, or as the file that runs here. */
function isProgram(word: string, world: Disk): boolean {
  if (word === 'sallyport') return true;
  const running = realPathIn(world, process.argv[1] ?? '');
  return isAbsolute(word) && typeof running === 'string' && realPathIn(world, word) === running;
}
