// The bridge of a run with the strategy `codemode`: found by its rules, with what its tools change kept.

import type { Config } from '../config/index.ts';
import { type Context, SallyportError } from '../core/index.ts';
import type { BridgeParts, CodeServer } from '../run/bridge/index.ts';
import type { Captures } from '../run/index.ts';
import type { Upstreams } from '../run/mcp/index.ts';

export interface BridgeOptions extends Omit<BridgeParts, 'upstreams'> {
  readonly config: Config;
  /** Null where there are none. */
  readonly upstreams: Upstreams | null;
  readonly captures: Captures;
  readonly context: Context;
}

/** Lets a strategy work on the bridge that a task means, and ends its threads; throws `BridgeUnresolved`. */
export async function onBridge(
  { mcp, mcpServer }: { readonly mcp: boolean; readonly mcpServer?: string },
  options: BridgeOptions,
  strategy: (server: CodeServer) => Promise<string>,
): Promise<string> {
  // Loaded with the first program: most runs call tools one by one.
  const { createBridge, resolveBridge } = await import('../run/bridge/index.ts');
  const upstreams = keeping(options.upstreams ?? none, options.captures);
  const bridge = createBridge({ ...options, upstreams });
  try {
    const named = mcpServer === undefined ? {} : { server: mcpServer };
    return await strategy(await resolveBridge({ ...options, upstreams, bridge, mcp, ...named }));
  } finally {
    await bridge.close();
  }
}

const none: Upstreams = {
  servers: [],
  serversFor: () => [],
  tools: async () => [],
  call: async () => {
    throw new SallyportError('there is no MCP server');
  },
  close: async () => {},
};

/** The servers, with what their tools change in the workspace kept. */
function keeping(upstreams: Upstreams, captures: Captures): Upstreams {
  return {
    ...upstreams,
    async call(cleared, options) {
      const { action, context, facts, decisionId } = cleared;
      const { tool, server = '', arguments: given = {} } = action;
      const moment = { tool, server, arguments: given, call: decisionId };
      const part = { pointer: '', action, facts, sideEffect: true };
      await captures.begin(moment, context, { verdict: { decisionId, findings: [] }, parts: [part] });
      try {
        return await upstreams.call(cleared, options);
      } finally {
        await captures.end(moment, context);
      }
    },
  };
}
