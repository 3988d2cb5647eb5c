// The servers of the bench and their tools, as they are served, registered and documented.

import type { JsonObject } from '../../../core/index.ts';
import type { ServerName } from '../case.ts';
import { databaseFile, databaseTools } from './database.ts';
import { fileTools } from './files.ts';
import { ticketTools } from './tickets.ts';
import type { ServerTool } from './tool.ts';

export const serverTools: Readonly<Record<ServerName, readonly ServerTool[]>> = {
  files: fileTools,
  database: databaseTools,
  tickets: ticketTools,
};

/** The configuration of a world with some of the servers, as an operator would write it; `program` starts a server. */
export function worldConfiguration(
  folder: string,
  names: readonly ServerName[],
  program: readonly [string, ...string[]],
): JsonObject {
  const [command, ...args] = program;
  const tools = names.flatMap((server) => serverTools[server].map((one) => ({ server, one })));
  return {
    servers: Object.fromEntries(
      names.map((name) => [name, { command, args: [...args, name, folder], cwd: folder }]),
    ),
    tools: Object.fromEntries(
      tools.map(({ server, one: { name, effect, inputSchema, roles } }) => [
        name,
        {
          server,
          effect,
          schema: inputSchema,
          arguments: roles,
          ...(effect === 'query' ? { target: 'shop', language: 'sql' } : {}),
        },
      ]),
    ),
    sources: { shop: { kind: 'sqlite', url: databaseFile(folder, 'database') } },
  };
}
