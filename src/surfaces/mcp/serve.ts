// What is served over MCP, by path: nothing more is the gateway, `code` the CodeMode bridge, `queries` the query guard
// of all sources, and `query/NAME` that of one.

import type { McpServer, Server } from '@modelcontextprotocol/server';
import type { Config } from '../../config/index.ts';
import { type Context, consoleOrigin, type World } from '../../core/index.ts';
import type { Decider } from '../../decide/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import type { Bridge } from '../../run/bridge/index.ts';
import { McpCalls } from '../../run/mcp/calls.ts';
import { openUpstreams, type Upstreams } from '../../run/mcp/index.ts';
import { createQueryPipeline } from '../../run/query/index.ts';
import { callTool } from './call.ts';
import { Conversations } from './conversations.ts';
import { createGateway, identity } from './gateway.ts';
import { type Gateway, McpEndpoint, type ServerFor } from './http.ts';
import { createQueryServer } from './query.ts';

export interface McpParts {
  readonly config: Config;
  readonly decider: Decider;
  readonly ledger: Ledger;
  readonly world: World;
  readonly version: string;
  /** For whom connections are made: whose configuration it is. */
  readonly owner: { readonly user: string; readonly tenant: string };
  /** Where a person sees a question; null where there is no such place. */
  readonly approvalUrl: (id: string) => string | null;
  /** Takes what was left out of what servers offer, and which of them could not be reached. */
  readonly onProblem: (server: string, problem: string) => void;
}

/** The servers by path, and the end of what stands behind them. */
export interface McpServers {
  readonly serverFor: ServerFor;
  readonly gateway: Gateway;
  close(): Promise<void>;
}

export function openServers(parts: McpParts): McpServers {
  const { config, decider, ledger, world, version, approvalUrl } = parts;
  const pipeline = createQueryPipeline({ decider, ledger, world, approvalUrl });
  let opened: Calling | undefined;
  const calling = (): Calling => {
    opened ??= openCalling(parts);
    return opened;
  };
  const partsFor = (context: Context) => ({ ...calling(), context, version, approvalUrl });

  /** Without a name the server of all sources that take queries. */
  async function queryServer(name: string | undefined, context: Context): Promise<McpServer | null> {
    const all = (await config.settingsFor(context)).sources;
    const sources = all.filter((one) => (name === undefined ? one.mode.enabled : one.name === name));
    return sources.length === 0
      ? null
      : await createQueryServer({ sources, only: name ?? null, pipeline, world, context, version });
  }

  let opening: Promise<Bridge> | undefined;
  /** Loaded with the first client that writes code. */
  async function codeServer(context: Context): Promise<McpServer> {
    const { createBridgeServer } = await import('./bridge.ts');
    const { calls, upstreams } = calling();
    opening ??= import('../../run/bridge/index.ts').then(({ createBridge }) =>
      createBridge({
        ...{ config, ledger, world, upstreams },
        decider: calls.decider,
        tools: (whose) => calls.tools(whose, { fresh: false }),
      }),
    );
    return await createBridgeServer({ bridge: await opening, context, version, approvalUrl });
  }

  return {
    async serverFor(path, context): Promise<McpServer | Server | null> {
      if (path === '') return await createGateway(partsFor(context));
      if (path === 'code') return await codeServer(context);
      if (path === 'queries') return await queryServer(undefined, context);
      const name = /^query\/([^/]+)$/.exec(path)?.[1];
      return name === undefined ? null : await queryServer(name, context);
    },
    gateway: {
      identity: () => identity(version),
      call: (call, context) => callTool(partsFor(context), call),
      answering: (made, context) => createGateway(partsFor(context), made),
    },
    async close() {
      opened?.conversations.close();
      await (await opening)?.close();
      await opened?.upstreams.close();
    },
  };
}

/** What the gateway and the bridge share: connections to servers, and calls in whose course a server asks something. */
interface Calling {
  readonly upstreams: Upstreams;
  readonly calls: McpCalls;
  readonly conversations: Conversations;
}

function openCalling({
  config,
  decider,
  ledger,
  world,
  owner,
  version,
  onProblem: onEach,
}: McpParts): Calling {
  const onProblem = once(onEach);
  const upstreams = openUpstreams({
    ...{ servers: config.servers, decider, ledger, world, owner, version, onProblem },
    environment: process.env,
  });
  const calls = new McpCalls({ config, decider, ledger, world, upstreams, onProblem });
  return { upstreams, calls, conversations: new Conversations() };
}

/** Lists are read again and again; what is wrong with them is said once. */
function once(onProblem: McpParts['onProblem']): McpParts['onProblem'] {
  const said = new Set<string>();
  return (server, problem) => {
    const key = `${server} ${problem}`;
    if (said.has(key)) return;
    if (said.size >= mostSaid) said.clear();
    said.add(key);
    onProblem(server, problem);
  };
}

const mostSaid = 1000;

/** The same on the daemon. */
export async function openMcp(
  parts: Omit<McpParts, 'onProblem' | 'approvalUrl'> & {
    /** The port of the daemon, once it is known. */
    readonly port: () => number;
    readonly log: (level: 'info', event: string, fields: Readonly<Record<string, string>>) => void;
  },
): Promise<McpEndpoint> {
  const { serverFor, gateway, close } = openServers({
    ...parts,
    approvalUrl: (id) => `${consoleOrigin(parts.port())}/console/#/approvals/${id}`,
    onProblem: (server, problem) => parts.log('info', 'mcp_server', { server, problem }),
  });
  return await McpEndpoint.open({ config: parts.config, world: parts.world, serverFor, gateway, close });
}
