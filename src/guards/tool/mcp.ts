// Tools of MCP servers as the registry takes them. What a server says about its own tool is a hint that nobody checked:
// without one the tool is destructive, and with one it counts once a person has seen the definition as it is.

import { canonicalJson, type JsonObject, type ToolEffect, type ToolSpec } from '../../core/index.ts';

/** A tool as a server lists it. */
export interface McpDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema?: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: JsonObject;
}

/** Makes the registry's entry; `digest` is a hash that nobody can find a second definition for. */
export function mcpTool(
  server: string,
  { name, title, description, inputSchema, outputSchema, annotations = {} }: McpDefinition,
  digest: (text: string) => string,
): ToolSpec {
  return {
    name,
    server,
    ...(description === undefined ? {} : { description }),
    ...(inputSchema === undefined ? {} : { schema: inputSchema }),
    effect: effectOf(annotations),
    definition: digest(
      canonicalJson([
        ...[server, name, title ?? '', description ?? '', inputSchema ?? {}, outputSchema ?? {}, annotations],
      ]),
    ),
  };
}

/** Only the word `true` says that a tool reads, and only `false` that it destroys nothing. */
function effectOf({ readOnlyHint, destructiveHint }: JsonObject): ToolEffect {
  if (readOnlyHint === true) return 'read';
  return destructiveHint === false ? 'network' : 'destructive';
}
