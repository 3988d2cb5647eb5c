// Validates the tools of a server: limited in number and size, without duplicate names; and calls one by the SDK.

import type { CallToolResult, Client, RequestOptions, Tool } from '@modelcontextprotocol/client';
import { type JsonObject, visible } from '../../core/index.ts';
import { longestDescription, longestSchema } from './limits.ts';

/** A tool of a server, as the server describes it. */
export interface UpstreamTool {
  readonly server: string;
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: JsonObject;
  /** The server's data for programs, such as the address of an interface. */
  readonly meta?: JsonObject;
}

const longestTitle = 256;
const longestAnnotations = 4096;

/** Whether a list with `*` for any suffix names a tool; no list names all. */
export function isAllowed(name: string, patterns: readonly string[] | null): boolean {
  if (patterns === null) return true;
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  );
}

/** The tools that are used; omitted ones are reported. */
export function takeTools(
  server: string,
  listed: readonly Tool[],
  patterns: readonly string[] | null,
  onProblem: (problem: string) => void,
): readonly UpstreamTool[] {
  const times = new Map<string, number>();
  for (const { name } of listed) times.set(name, (times.get(name) ?? 0) + 1);
  return listed.flatMap((tool) => {
    if (!isAllowed(tool.name, patterns)) return [];
    const problem = times.get(tool.name) === 1 ? problemOf(tool) : 'is listed more than once';
    if (problem === undefined) return [taken(server, tool)];
    onProblem(`the tool "${visible(tool.name, 80)}" ${problem}, and is left out`);
    return [];
  });
}

function problemOf({ name, title, description, inputSchema, outputSchema, annotations, _meta: meta }: Tool) {
  // Methods of the protocol itself have names with a slash, and no tool may be mistaken for one.
  if (
    !/^[A-Za-z0-9_./-]{1,128}$/.test(name) ||
    /^(?:resources|prompts|completion|elicitation)\//.test(name)
  ) {
    return 'has a name that is not plain';
  }
  if ((title?.length ?? 0) > longestTitle) return 'has too long a title';
  if ((description?.length ?? 0) > longestDescription) return 'has too long a description';
  for (const schema of [inputSchema, outputSchema]) {
    if (!(sizeOf(schema) <= longestSchema)) return 'has too large a schema';
  }
  return [annotations, meta].every((one) => sizeOf(one) <= longestAnnotations)
    ? undefined
    : 'has too many annotations';
}

/** Its length as JSON; infinite if it is nested too deeply to be serialized. */
function sizeOf(value: object | undefined): number {
  try {
    return value === undefined ? 0 : JSON.stringify(value).length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function taken(server: string, tool: Tool): UpstreamTool {
  const { name, title, description = '', inputSchema, outputSchema, annotations, _meta: meta } = tool;
  return {
    server,
    name,
    description,
    // INVARIANT: a message was parsed from JSON, and so was every part of it.
    inputSchema: inputSchema as JsonObject,
    ...(title === undefined ? {} : { title }),
    ...(outputSchema === undefined ? {} : { outputSchema: outputSchema as JsonObject }),
    ...(annotations === undefined ? {} : { annotations: annotations as JsonObject }),
    ...(meta === undefined ? {} : { meta: meta as JsonObject }),
  };
}

/** Lets the SDK make a call. */
export async function callBySdk(
  client: Client,
  { name, inputSchema }: UpstreamTool,
  given: Readonly<Record<string, unknown>>,
  request: RequestOptions,
): Promise<CallToolResult> {
  // Some parameters are sent in headers too, which the SDK finds in the definition. INVARIANT: no schema of an output
  // is in it, because a pattern in one, compiled here, could run forever.
  const toolDefinition = { name, inputSchema: { ...inputSchema, type: 'object' as const } };
  return await client.callTool({ name, arguments: { ...given } }, { ...request, toolDefinition });
}
