// The CodeMode bridge: the tools of upstream servers for code that a model writes. It finds them, describes their
// arguments, and runs the code.

import type { Context } from '../../core/index.ts';
import type { Decider } from '../../decide/types.ts';
import type { Ledger } from '../../ledger/index.ts';
import { createRunner, type SandboxOptions } from '../code/index.ts';
import type { Upstreams, UpstreamTool } from '../mcp/index.ts';
import type { OutputParts } from '../output.ts';
import { catalogs } from './catalog.ts';
import { runChain } from './chain.ts';
import type { Bridge } from './select.ts';

export { defaultLimits } from '../code/limits.ts';
export { bridgesIn } from './catalog.ts';
export type { ChainAnswer, ChainRequest, ChainResult, ResumeRequest } from './chain.ts';
export { CallRefused, type CodeServer, type FoundTool, sandboxBoundary, spokenOf } from './foreign.ts';
export { type Bridge, type ResolveOptions, resolveBridge } from './select.ts';

export interface BridgeParts extends OutputParts {
  readonly ledger: Pick<Ledger, 'record' | 'runs' | 'approvals' | 'fingerprint'>;
  readonly decider: Pick<Decider, 'decide' | 'session'>;
  readonly upstreams: Pick<Upstreams, 'serversFor' | 'tools' | 'call'>;
  /** The tools that the caller may see; by default all of the servers that are there for their agent. */
  readonly tools?: (context: Context) => Promise<readonly UpstreamTool[]>;
  readonly sandbox?: SandboxOptions;
}

/** Makes the bridge. */
export function createBridge(parts: BridgeParts): Bridge {
  const { ledger, world } = parts;
  const runner = createRunner(parts.decider, {
    ...parts.sandbox,
    pausing: { ledger, now: () => world.now() },
  });
  const catalogFor = catalogs(parts.tools ?? (({ agent }) => toolsFor(parts.upstreams, agent)));
  return {
    search: async (task, limit, context) => (await catalogFor(context)).search(task, limit),
    list: async (context, server) =>
      (await catalogFor(context)).tools
        .filter(({ tool }) => server === undefined || tool.server === server)
        .map(({ name }) => name),
    info: async (names, context) => (await catalogFor(context)).info(names),
    keys: async (name, context) => (await catalogFor(context)).keys(name),
    chain: async (request, context, signal) =>
      await runChain({ ...parts, runner }, await catalogFor(context), request, context, signal),
    close: () => runner.close(),
  };
}

async function toolsFor(
  upstreams: Pick<Upstreams, 'serversFor' | 'tools'>,
  agent: string,
): Promise<readonly UpstreamTool[]> {
  const servers = upstreams.serversFor(agent);
  return (await upstreams.tools()).filter(({ server }) => servers.includes(server));
}
