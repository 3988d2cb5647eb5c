// An MCP server for the soak, over HTTP or as a program: one tool that gives back a text, and a file in which every text
// that reached it stands in a line of its own, after the time.

import { appendFileSync } from 'node:fs';
import type { Server as HttpServer } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const [kind = '', log = '', port = '0'] = process.argv.slice(2);
const tool = {
  name: 'echo',
  description: 'Gives back a text.',
  inputSchema: { type: 'object' as const, properties: { text: { type: 'string' } }, required: ['text'] },
  annotations: { readOnlyHint: true },
};

function create(): Server {
  const server = new Server({ name: 'soak', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', async () => ({ tools: [tool] }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const text = String(params.arguments?.['text']);
    appendFileSync(log, `${Date.now()} ${text}\n`);
    return { content: [{ type: 'text', text }] };
  });
  return server;
}

if (kind === 'stdio') {
  // Whoever wants to kill it reads here whom.
  appendFileSync(`${log}.pid`, `${process.pid}\n`);
  serveStdio(create);
} else {
  const handler = createMcpHandler(create);
  const listener = createAdaptorServer({ fetch: (request) => handler.fetch(request) }) as HttpServer;
  listener.keepAliveTimeout = 60_000;
  listener.listen(Number(port), '127.0.0.1', () => process.stdout.write('ready\n'));
}
