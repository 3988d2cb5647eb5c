// The bridge of a run with the strategy `codemode`: found by its rules, with what its tools change kept.

import type { Config } from '../config/index.ts';
import type { Context } from '../core/index.ts';
import type { BridgeParts, CodeServer } from '../run/bridge/index.ts';
import type { Captures, Notice } from '../run/index.ts';
import type { McpCalls } from '../run/mcp/calls.ts';
import type { Upstreams } from '../run/mcp/index.ts';

export interface BridgeOptions extends Omit<BridgeParts, 'upstreams' | 'tools' | 'decider'> {
  readonly config: Config;
  readonly context: Context;
  readonly upstreams: Upstreams;
  /** The tools of the servers on the one path. */
  readonly calls: McpCalls;
  readonly captures: Captures;
  /** Receives the decision that a tool runs on. */
  readonly ran: (decisionId: string) => void;
  /** Receives what was found in the files that a tool changed. */
  readonly noted: (notice: Notice) => void;
}

/** Lets a strategy work on the bridge that a task means, and ends its threads; throws `BridgeUnresolved`. */
export async function onBridge(
  { mcp, mcpServer }: { readonly mcp: boolean; readonly mcpServer?: string },
  options: BridgeOptions,
  strategy: (server: CodeServer) => Promise<string>,
): Promise<string> {
  const { calls } = options;
  // Loaded with the first program: most runs call tools one by one.
  const { createBridge, resolveBridge } = await import('../run/bridge/index.ts');
  const parts = { ...options, decider: calls.decider, upstreams: keeping(options) };
  const bridge = createBridge({ ...parts, tools: (context) => calls.tools(context) });
  try {
    const named = mcpServer === undefined ? {} : { server: mcpServer };
    return await strategy(await resolveBridge({ ...parts, bridge, mcp, ...named }));
  } finally {
    await bridge.close();
  }
}

/** The servers, with what their tools change in the workspace kept. */
function keeping({
  upstreams,
  captures,
  ran,
  noted,
}: Pick<BridgeOptions, 'upstreams' | 'captures' | 'ran' | 'noted'>): Upstreams {
  return {
    ...upstreams,
    async call(cleared, options) {
      const { action, context, facts, decisionId } = cleared;
      const { tool, server = '', arguments: given = {} } = action;
      const moment = { tool, server, arguments: given, call: decisionId };
      const part = { pointer: '', action, facts, sideEffect: true };
      await captures.begin(moment, context, { verdict: { decisionId, findings: [] }, parts: [part] });
      try {
        ran(decisionId);
        return await upstreams.call(cleared, options);
      } finally {
        for (const notice of await captures.end(moment, context)) noted(notice);
      }
    },
  };
}
