// MCP servers made for tests: one of them over HTTP, and where the program of the others is.

import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createAdaptorServer } from '@hono/node-server';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';
import { serversFrom, type UpstreamServer } from '../../src/config/servers.ts';
import { type ServerOptions, toolServer } from './mcp-tools.ts';

/** The program; its arguments say how it behaves. */
export const serverProgram = fileURLToPath(new URL('./mcp-server.ts', import.meta.url));

/** A server over HTTP on a free port; it stops when the test is over. */
export async function httpServer(
  options: ServerOptions = {},
  legacy: 'stateless' | 'reject' = 'stateless',
  responseMode: 'auto' | 'sse' = 'auto',
) {
  const handler = createMcpHandler(() => toolServer(options), { legacy, responseMode });
  const seen: Request[] = [];
  const server = createAdaptorServer({
    fetch: async (request) => {
      seen.push(request);
      if (options.delayMs !== undefined) await pause(options.delayMs);
      return await handler.fetch(request);
    },
  }) as HttpServer;
  return { url: `${await listening(server)}/mcp`, server, seen };
}

/** A plain HTTP server; it stops when the test is over. */
export async function plainServer(answer: Parameters<typeof createServer>[1] & {}): Promise<string> {
  return await listening(createServer(answer));
}

/** Where a server listens; it stops when the test is over. */
export async function listening(server: HttpServer): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server of the configuration whose program behaves as is said. */
export function programServer(behaviour: string, more: Record<string, unknown> = {}): UpstreamServer {
  const value = { command: process.execPath, args: [serverProgram, behaviour], ...more };
  return only({ [behaviour]: value });
}

export function only(servers: Parameters<typeof serversFrom>[0]): UpstreamServer {
  const [server] = serversFrom(servers);
  if (server === undefined) throw new Error('no server');
  return server;
}
