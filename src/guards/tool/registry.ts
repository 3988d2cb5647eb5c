// The registry: which tool a call means, and whether its arguments fit the shape of a host's tool.

import type { Settings } from '../../config/settings.ts';
import {
  type ActionOf,
  type JsonObject,
  jsonPointer,
  type SchemaProblem,
  type ToolSpec,
} from '../../core/index.ts';
import type { Problem } from '../../core/shape.ts';
import type { HostTool } from './hosts/host.ts';
import { hostTools, toolsOfHost } from './hosts/index.ts';

/** The tool of a call, and what is wrong with its arguments as far as a shape tells. */
export interface Registered {
  readonly tool: ToolSpec;
  readonly problem: SchemaProblem | null;
  /** The arguments of a host's tool that do not fit, or are missing. */
  readonly unfit: readonly string[];
}

/** `host:NAME` as the server says which host a call comes from. */
const hostPrefix = 'host:';

/** The host that a call comes from, and the MCP server that it goes to. */
function callerOf(server: string | undefined): {
  readonly host: string | undefined;
  readonly place: string | undefined;
} {
  const host = server?.startsWith(hostPrefix) ? server.slice(hostPrefix.length) : undefined;
  return { host, place: host === undefined ? server : undefined };
}

/** Finds the tool of a call; the user's own stand before those of the hosts. */
export function lookUp(
  { tool: name, server, arguments: given = {} }: ActionOf<'tool'>,
  { tools }: Pick<Settings, 'tools'>,
): Registered | undefined {
  const { host, place } = callerOf(server);
  const own = tools.find((tool) => tool.server === place && namesTool(tool.name, name));
  if (own !== undefined) return { tool: own, problem: null, unfit: [] };
  if (place !== undefined) return undefined;
  const forms = hostTools(name).filter((tool) => host === undefined || tool.host === host);
  return forms.length === 0 ? undefined : bestOf(forms, given);
}

function namesTool(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** The form that the arguments fit; where they fit none, the one with the least wrong. */
function bestOf(forms: readonly HostTool[], given: JsonObject): Registered {
  const read = forms.map((tool) => ({ tool, problems: problemsOf(tool, given) }));
  const best = read.reduce((one, other) => (other.problems.length < one.problems.length ? other : one));
  const [first] = best.problems;
  const problem = first === undefined ? null : { pointer: jsonPointer(first.path), message: first.message };
  const unfit = best.problems.map(({ path, message }) => String(path[0] ?? message));
  return { tool: best.tool, problem, unfit: [...new Set(unfit)] };
}

function problemsOf({ shape }: HostTool, given: JsonObject): readonly Problem[] {
  const problems: Problem[] = [];
  shape.read(given, [], (problem) => problems.push(problem));
  return problems;
}

/** Names that the caller could call in the same place: tools of the same server, or of its own host. */
export function callableNames(
  { server }: Pick<ActionOf<'tool'>, 'server'>,
  { tools }: Pick<Settings, 'tools'>,
): readonly string[] {
  const { host, place } = callerOf(server);
  const own = tools.filter((tool) => tool.server === place && !tool.name.endsWith('*'));
  const ofHost = host === undefined ? [] : toolsOfHost(host);
  return [...own, ...ofHost].map(({ name }) => name);
}

/** Hosts that name tools of MCP servers as if they were their own, so that a new tool may be anybody's. */
const mixing: ReadonlySet<string> = new Set(['copilot', 'opencode', 'kilo']);

/** Whether a call that no registry knows is certainly of the host's own tools, and of no MCP server's. */
export function isHostsOwn(server: string | undefined): boolean {
  const { host } = callerOf(server);
  return host !== undefined && !mixing.has(host);
}
