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
  if (own !== undefined) return { tool: own, problem: null };
  if (place !== undefined) return undefined;
  const forms = hostTools(name).filter((tool) => host === undefined || tool.host === host);
  return forms.length === 0 ? undefined : bestOf(forms, given);
}

function namesTool(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** The form that the arguments fit; where they fit none, the first with what is wrong. */
function bestOf(forms: readonly HostTool[], given: JsonObject): Registered | undefined {
  let first: Registered | undefined;
  for (const tool of forms) {
    const problem = shapeProblem(tool, given);
    if (problem === null) return { tool, problem };
    first ??= { tool, problem };
  }
  return first;
}

function shapeProblem({ shape }: HostTool, given: JsonObject): SchemaProblem | null {
  const problems: Problem[] = [];
  shape.read(given, [], (problem) => problems.push(problem));
  const [first] = problems;
  return first === undefined ? null : { pointer: jsonPointer(first.path), message: first.message };
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
