// Selects the bridge that runs the code of a task: the named one, or else the only one. Guessing among several is an
// error. The messages are part of the interface: scripts match on them.

import { ownName } from '../../config/servers.ts';
import type { Context } from '../../core/index.ts';
import { SallyportError, visible } from '../../core/index.ts';
import type { ToolInfo, ToolKeys } from './catalog.ts';
import { bridgesIn, bridgeTools } from './catalog.ts';
import type { ChainRequest, ChainResult, ResumeRequest } from './chain.ts';
import { type CodeServer, type ForeignParts, foreignBridge } from './foreign.ts';

/** No bridge, or more than one, or one without a required function. */
class BridgeUnresolved extends SallyportError {}

/** The context determines whose tools are shown and called. */
export interface Bridge {
  search(task: string, limit: number, context: Context): Promise<readonly ToolInfo[]>;
  /** The names of all tools; of one server, where one is named. */
  list(context: Context, server?: string): Promise<readonly string[]>;
  info(
    names: readonly string[],
    context: Context,
  ): Promise<{ readonly tools: readonly ToolInfo[]; readonly unknown: readonly string[] }>;
  /** Throws `InputError` for a name that no tool has. */
  keys(name: string, context: Context): Promise<ToolKeys>;
  /**
   * Runs code, or resumes code that waited for approval; throws `EngineMissing`, and for a run that cannot be resumed
   * an error with the reason.
   */
  chain(request: ChainRequest | ResumeRequest, context: Context, signal?: AbortSignal): Promise<ChainResult>;
  /** Stops its threads; the upstream servers keep running. */
  close(): Promise<void>;
}

export interface ResolveOptions extends ForeignParts {
  /** Whether MCP is on. */
  readonly mcp: boolean;
  /** The server that the user named. */
  readonly server?: string;
  readonly bridge: Pick<Bridge, 'search' | 'chain' | 'list' | 'info'>;
}

/** The bridge of a run; throws `BridgeUnresolved`, and what a named server throws that cannot be reached. */
export async function resolveBridge(options: ResolveOptions): Promise<CodeServer> {
  const { mcp, server, upstreams, context } = options;
  if (!mcp) throw new BridgeUnresolved('Code-mode strategy requires mcp=on.');
  const allowed = upstreams.serversFor(context.agent);
  if (server === ownName) return own(options);
  if (server !== undefined) {
    if (!allowed.includes(server)) throw unresolved(`there is no MCP server "${visible(server, 80)}"`);
    const names = new Set((await upstreams.tools(server)).map(({ name }) => name));
    const missing = bridgeTools.filter((name) => !names.has(name));
    if (missing.length > 0) {
      throw new BridgeUnresolved(
        `Code-mode MCP server '${server}' is missing required tools: ${missing.join(' and ')}.`,
      );
    }
    return foreignBridge(options, server);
  }
  const tools = (await upstreams.tools()).filter((tool) => allowed.includes(tool.server));
  const bridges = bridgesIn(tools);
  // Our own is there for the tools of servers that are no bridges themselves.
  const isOwn = tools.some((tool) => !bridges.has(tool.server));
  const choices = [...(isOwn ? [ownName] : []), ...bridges];
  const [only] = choices;
  if (only === undefined) throw unresolved('add [servers.NAME] to your sallyport.toml');
  if (choices.length > 1) {
    const several = `Several do: name one with mcp_server=NAME (${choices.join(', ')}).`;
    throw new BridgeUnresolved(`${unresolvedMessage} ${several}`);
  }
  return only === ownName && isOwn ? own(options) : foreignBridge(options, only);
}

const unresolvedMessage =
  'Code-mode strategy could not resolve an MCP server exposing call_tool_chain/search_tools.';

function unresolved(hint: string): BridgeUnresolved {
  return new BridgeUnresolved(unresolvedMessage, { hint });
}

function own({ bridge, context }: ResolveOptions): CodeServer {
  return {
    server: ownName,
    boundary: null,
    search: (task, limit) => bridge.search(task, limit, context),
    catalog: {
      names: () => bridge.list(context),
      info: async (names) => (await bridge.info(names, context)).tools,
    },
    chain: async (request, signal) => (await bridge.chain(request, context, signal)).answer,
  };
}
