// What the registry knows of the tools of MCP servers: what the user says of them, and where the user says nothing, that
// nobody knows what they do. The schema of the arguments is the server's own, unless the user wrote another.

import { createHash } from 'node:crypto';
import { type Config, type Settings, withTools } from '../config/index.ts';
import { canonicalJson, type JsonObject, type ToolSpec } from '../core/index.ts';
import type { UpstreamTool } from '../run/mcp/index.ts';

/** The configuration with the tools of servers in every agent's settings. */
export function withUpstream<C extends Pick<Config, 'settingsFor'>>(
  config: C,
  tools: readonly UpstreamTool[],
): C {
  if (tools.length === 0) return config;
  const made = new WeakMap<Settings, Settings>();
  const add = (settings: Settings): Settings => {
    const known =
      made.get(settings) ??
      withTools(
        settings,
        tools.map((tool) => specOf(tool, settings)),
      );
    made.set(settings, known);
    return known;
  };
  return {
    ...config,
    settingsFor: (where) => {
      const settings = config.settingsFor(where);
      return settings instanceof Promise ? settings.then(add) : add(settings);
    },
  };
}

function specOf(tool: UpstreamTool, { tools }: Pick<Settings, 'tools'>): ToolSpec {
  const { server, name, description, inputSchema: schema } = tool;
  const known = tools.find((one) => one.server === server && names(one.name, name));
  if (known !== undefined) return { schema, ...known, name };
  const definition = createHash('sha256')
    .update(canonicalJson(tool as unknown as JsonObject))
    .digest('hex');
  return { name, server, description, schema, effect: 'destructive', definition };
}

function names(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
