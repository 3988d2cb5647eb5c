// The MCP servers of the configuration, as doctor looks at them: whether each answers, and whether one of them is a bridge,
// which runs code where our sandbox does not hold it.

import { messageOf } from '../core/index.ts';
import { createDecider } from '../decide/index.ts';
import { bridgesIn, sandboxBoundary } from '../run/bridge/index.ts';
import { openUpstreams } from '../run/mcp/index.ts';
import type { Check } from '../surfaces/http/host-control.ts';
import type { Call } from './command.ts';
import { withLedger } from './ledger.ts';
import { localAsker, type Opened } from './open.ts';
import { version } from './version.ts';

/** One check for each server. */
export async function checkServers({ config, world }: Opened, call: Call): Promise<readonly Check[]> {
  const { servers } = config;
  const { user, tenant } = localAsker();
  return await withLedger(call, async (ledger) => {
    const upstreams = openUpstreams({
      ...{ servers, ledger, world, version },
      decider: createDecider({ config, ledger, world }),
      owner: { user, tenant },
      environment: call.io.environment,
    });
    const check = async (name: string): Promise<Check> => {
      try {
        const tools = await upstreams.tools(name);
        if (bridgesIn(tools).has(name)) return { name, state: 'note', says: sandboxBoundary(name) };
        return { name, state: 'ok', says: `an MCP server with ${tools.length} tools` };
      } catch (error) {
        return { name, state: 'fail', says: messageOf(error) };
      }
    };
    try {
      return await Promise.all(upstreams.servers.map(check));
    } finally {
      await upstreams.close();
    }
  });
}
