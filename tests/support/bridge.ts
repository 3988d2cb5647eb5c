// A bridge for tests: real MCP servers over HTTP, the one path, and the sandbox.

import type { CallToolResult } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';
import { configOf, settingsFrom, type UpstreamServer } from '../../src/config/index.ts';
import type { JsonObject } from '../../src/core/index.ts';
import { createDecider, realWorld } from '../../src/decide/index.ts';
import {
  type Bridge,
  type ChainAnswer,
  type ChainRequest,
  createBridge,
} from '../../src/run/bridge/index.ts';
import { openUpstreams } from '../../src/run/mcp/index.ts';
import { context } from './decide.ts';
import { openEnrolledLedger } from './ledger.ts';
import { httpServer, only } from './mcp.ts';
import type { ListedTool } from './mcp-tools.ts';

export interface TestServer {
  readonly tools: readonly ListedTool[];
  readonly call?: (name: string, given: Record<string, unknown>) => CallToolResult | Promise<CallToolResult>;
  /** Keys of its section of the configuration, or all of it; one that has a program is not started here. */
  readonly config?: Readonly<Record<string, unknown>> | UpstreamServer;
}

export interface BridgeSetting {
  readonly servers: Readonly<Record<string, TestServer>>;
  /** The section `[tools]`; where nothing is said, every tool of every server only reads. */
  readonly tools?: JsonObject;
  readonly agent?: JsonObject;
}

export function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

function isServer(config: NonNullable<TestServer['config']>): config is UpstreamServer {
  return 'place' in config;
}

/** Opens servers and a bridge over them; what is called is in `calls`. */
export async function openBridge({ servers, tools, agent = {} }: BridgeSetting) {
  const calls: string[] = [];
  const opened = Object.entries(servers).map(async ([name, { tools: listed, call, config = {} }]) => {
    if (isServer(config)) return config;
    if ('command' in config) return only({ [name]: config });
    const { url } = await httpServer({
      tools: () => listed,
      call: async (tool, given) => {
        calls.push(`${name}.${tool}`);
        return (await call?.(tool, given)) ?? textResult(JSON.stringify(given));
      },
    });
    return only({ [name]: { url, ...config } });
  });
  const ledger = await openEnrolledLedger();
  const world = realWorld();
  const read = Object.keys(servers).map((server) => ({ name: '*', server, effect: 'read' as const }));
  const base = settingsFrom(agent, tools === undefined ? {} : { tools });
  const settings = tools === undefined ? { ...base, tools: [...base.tools, ...read] } : base;
  const config = configOf(() => settings);
  const decider = createDecider({ config, ledger, world });
  const upstreams = openUpstreams({
    servers: await Promise.all(opened),
    decider,
    ledger,
    world,
    owner: { user: 'ann', tenant: 'acme' },
    environment: { PATH: process.env['PATH'] },
    version: '0',
  });
  const parts = { config, ledger, world, decider, upstreams };
  const bridge = createBridge(parts);
  onTestFinished(async () => {
    await bridge.close();
    await upstreams.close();
  });
  return { ...parts, bridge, calls };
}

/** A server with issues. */
export const issues: TestServer = {
  tools: [
    {
      name: 'list_issues',
      description: 'Lists the issues of a repository.',
      inputSchema: {
        type: 'object',
        properties: { repo: { type: 'string' }, state: { enum: ['open', 'closed'] } },
        required: ['repo'],
      },
    },
    { name: 'close-issue', description: 'Closes an issue.' },
  ],
  call: (name, given) => textResult(JSON.stringify(name === 'list_issues' ? [{ id: 1 }, { id: 2 }] : given)),
};

/** Runs code as a client would. */
export async function run(bridge: Bridge, code: string, more: Partial<ChainRequest> = {}) {
  return (await bridge.chain({ code, ...more }, context)).answer;
}

/** What an answer says of a run that went wrong. */
export const failed = (code: string, message: string): Partial<ChainAnswer> => ({
  success: false,
  error_code: code,
  error: message,
  nonMcpContentResults: null,
});
