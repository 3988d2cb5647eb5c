// The MCP server that the gateway is measured before: one tool, over HTTP, made with the official SDK.

import type { Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';

const inputSchema = { type: 'object' as const, properties: { text: { type: 'string' } }, required: ['text'] };
const tool = {
  name: 'echo',
  description: 'Gives back a text.',
  inputSchema,
  annotations: { readOnlyHint: true },
};

const handler = createMcpHandler(() => {
  const server = new Server({ name: 'upstream', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', async () => ({ tools: [tool] }));
  server.setRequestHandler('tools/call', async ({ params }) => ({
    content: [{ type: 'text', text: String(params.arguments?.['text']) }],
  }));
  return server;
});
const listener = createAdaptorServer({ fetch: (request) => handler.fetch(request) }) as HttpServer;
// On a busy machine it would close connections in the moment in which they are used.
listener.keepAliveTimeout = 60_000;
listener.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (listener.address() as AddressInfo).port })}\n`);
});
process.once('SIGTERM', () => process.exit(0));
