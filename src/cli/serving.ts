// Serves MCP on standard input and output until they end.

import { randomUUID } from 'node:crypto';
import { consoleOrigin, type ExitCode, exitCodes, SallyportError, UsageError } from '../core/index.ts';
import { createDecider, readContext } from '../decide/index.ts';
import type { Call } from './command.ts';
import { closeInherited } from './descriptors.ts';
import type { Greeted } from './greeting.ts';
import { withLedger } from './ledger.ts';
import { localAsker, openConfig } from './open.ts';
import { readDaemonFile } from './running.ts';
import { version } from './version.ts';

/** Serves what stands at a path; a client that was greeted already is spoken to by the streams of that. */
export async function serve(call: Call, path: string, greeted: Greeted | null): Promise<ExitCode> {
  closeInherited();
  const { config, world, paths } = await openConfig(call);
  const { serveStdio, StdioServerTransport } = await stdio();
  const { openServers } = await import('../surfaces/mcp/serve.ts');
  const folder = call.io.folder();
  const agent = call.value('agent');
  const { user, tenant } = localAsker();
  const context = await readContext(
    {
      // Every start is a session of its own: what was approved in another does not count in this one.
      session: `mcp-${randomUUID()}`,
      workspace: call.value('workspace') ?? folder,
      ...(agent === undefined ? {} : { agent }),
    },
    { asker: localAsker(), folder, config, world },
  );
  return await withLedger(call, async (ledger) => {
    const { serverFor, close } = openServers({
      config,
      ledger,
      world,
      decider: createDecider({ config, ledger, world }),
      version,
      owner: { user, tenant },
      approvalUrl: (id) => {
        const running = readDaemonFile(paths.daemon);
        return running === null ? null : `${consoleOrigin(running.port)}/console/#/approvals/${id}`;
      },
      onProblem: (server, problem) => call.io.warn(`sallyport: ${server}: ${problem}`),
    });
    try {
      if ((await serverFor(path, context)) === null) {
        const name = call.value('source');
        const what = name === undefined ? 'there are no sources' : `there is no source "${name}"`;
        throw new UsageError(what, 'add [sources.NAME] to your sallyport.toml');
      }
      const ended = new Promise<void>((resolve) => {
        process.stdin.once('close', resolve);
        for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
      });
      const factory = async () => {
        const server = await serverFor(path, context);
        if (server === null) throw new SallyportError('what was served is gone');
        return server;
      };
      const handle = serveStdio(
        factory,
        greeted === null ? {} : { transport: new StdioServerTransport(greeted.stdin, greeted.stdout) },
      );
      await ended;
      await handle.close();
      return exitCodes.pass;
    } finally {
      greeted?.close();
      await close();
    }
  });
}

/** The MCP package is an optional part of the package. */
async function stdio() {
  try {
    return await import('@modelcontextprotocol/server/stdio');
  } catch (error) {
    throw new SallyportError('the package @modelcontextprotocol/server is not installed', {
      hint: 'run npm install @modelcontextprotocol/server',
      cause: error,
    });
  }
}
