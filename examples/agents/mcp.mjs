// The agent over MCP: a server that offers the tool run_fixture.

import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { outcomeOf } from './agent.mjs';

serveStdio(() => {
  const server = new McpServer({ name: 'example-agent', version: '1.0.0' });
  const inputSchema = fromJsonSchema({ type: 'object' });
  server.registerTool('run_fixture', { description: 'Runs one trial.', inputSchema }, async (trial) => {
    const structuredContent = outcomeOf(trial);
    return { structuredContent, content: [{ type: 'text', text: JSON.stringify(structuredContent) }] };
  });
  return server;
});
