// A server of the bench as a program of its own: `main NAME FOLDER` speaks MCP on standard input and output.

import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { isJsonObject, type JsonObject, messageOf } from '../../../core/index.ts';
import { type ServerName, serverNames } from '../case.ts';
import { serverTools } from './index.ts';
import { logCall } from './log.ts';

function serverFor(name: ServerName, folder: string): McpServer {
  const server = new McpServer({ name, version: '1' });
  for (const one of serverTools[name]) {
    const { description, inputSchema, effect } = one;
    server.registerTool(
      one.name,
      {
        description,
        inputSchema: fromJsonSchema<JsonObject>(inputSchema),
        annotations: { readOnlyHint: effect === 'read', destructiveHint: effect === 'destructive' },
      },
      (args) => {
        logCall(folder, name, one.name, args);
        try {
          const result = one.call(folder, args);
          const content = [{ type: 'text' as const, text: JSON.stringify(result) }];
          return { content, ...(isJsonObject(result) ? { structuredContent: { ...result } } : {}) };
        } catch (error) {
          return { content: [{ type: 'text', text: messageOf(error) }], isError: true };
        }
      },
    );
  }
  return server;
}

const [, , given = '', folder = ''] = process.argv;
const name = serverNames.find((known) => known === given);
if (name === undefined || folder === '') {
  process.stderr.write('say which server, and the folder of its world\n');
  process.exitCode = 2;
} else {
  serveStdio(() => serverFor(name, folder));
}
