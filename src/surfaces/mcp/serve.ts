// What the daemon serves over MCP, by path: `query/NAME` is the query guard of one source.

import type { Config } from '../../config/index.ts';
import type { World } from '../../core/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import { createQueryPipeline } from '../../run/query/index.ts';
import { McpEndpoint } from './http.ts';
import { createQueryServer } from './query.ts';

export interface McpParts {
  readonly config: Config;
  readonly ledger: Ledger;
  readonly world: World;
  readonly version: string;
  /** The port of the daemon, once it is known. */
  readonly port: () => number;
}

export async function openMcp(parts: McpParts): Promise<McpEndpoint> {
  const { config, ledger, world, version, port } = parts;
  const approvalUrl = (id: string) => `http://127.0.0.1:${port()}/approve/${id}`;
  const pipeline = createQueryPipeline({ config, ledger, world, approvalUrl });
  return await McpEndpoint.open({
    config,
    world,
    serverFor: async (path, context) => {
      const name = /^query\/([^/]+)$/.exec(path)?.[1];
      const { sources } = await config.settingsFor(context);
      const source = sources.find((one) => one.name === name);
      return source === undefined
        ? null
        : await createQueryServer({ source, pipeline, world, context, version });
    },
  });
}
