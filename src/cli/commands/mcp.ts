// sallyport mcp: what speaks MCP on standard input and output, and the servers of other programs for our configuration.

import { randomUUID } from 'node:crypto';
import { consoleOrigin, type ExitCode, exitCodes, SallyportError, UsageError } from '../../core/index.ts';
import { createDecider, readContext } from '../../decide/index.ts';
import { type Call, type Command, onlyWords } from '../command.ts';
import { closeInherited } from '../descriptors.ts';
import { withLedger } from '../ledger.ts';
import { localAsker, openConfig } from '../open.ts';
import { readDaemonFile } from '../running.ts';
import { version } from '../version.ts';

export const command: Command = {
  usage: [
    'mcp',
    'mcp code',
    'mcp query [--source NAME]',
    'mcp import [--from claude|cursor|vscode] [--write]',
    'mcp login NAME [--scope SCOPE]',
    'mcp logout NAME',
  ],
  about:
    'Serves an agent host over standard input and output, and ends with them: all MCP servers of the configuration as\n' +
    'one; with code, five tools to find theirs and to run code that calls them; with query, the schemas of all sources,\n' +
    'or of one, with tools that search them, judge queries and run them.\n' +
    'With import, prints the MCP servers that other programs have as sections for sallyport.toml.\n' +
    'With login, shows the page where you log in to a server of the configuration, and keeps what that gives,\n' +
    'encrypted, until you log out.',
  options: {
    source: { value: 'NAME', help: 'one source, by its name in [sources]; default: all of them' },
    agent: { value: 'NAME', help: 'judge as this agent' },
    workspace: { value: 'FOLDER', help: 'the workspace; default: the current folder' },
    from: { value: 'PROGRAM', help: 'import from claude, cursor or vscode; default: from all of them' },
    write: { help: 'add the imported sections to your sallyport.toml' },
    scope: { value: 'SCOPE', help: 'what to ask for when you log in, where the server does not say it' },
  },
  async run(call) {
    const [what] = call.words;
    if (what === 'import') {
      onlyWords(call, ['import']);
      return await (await import('../imported.ts')).importServers(call);
    }
    if (what === 'login' || what === 'logout') {
      onlyWords(call, [what, 'the name of a server']);
      const { logIn, logOut } = await import('../login.ts');
      return await (what === 'login' ? logIn(call) : logOut(call));
    }
    return await serve(call, pathOf(call));
  },
};

/** What is served, by the path that it has on the daemon. */
function pathOf(call: Call): string {
  const [what] = call.words;
  if (what === undefined) return '';
  onlyWords(call, ['what to serve']);
  if (what === 'code') return what;
  if (what !== 'query') throw new UsageError(`unknown server "${what}"`, 'there are: code, query');
  const name = call.value('source');
  return name === undefined ? 'queries' : `query/${name}`;
}

async function serve(call: Call, path: string): Promise<ExitCode> {
  closeInherited();
  const { config, world, paths } = await openConfig(call);
  const { serveStdio } = await stdio();
  const { openServers } = await import('../../surfaces/mcp/serve.ts');
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
      told: (server, problem) => call.io.warn(`sallyport: ${server}: ${problem}`),
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
      const handle = serveStdio(async () => {
        const server = await serverFor(path, context);
        if (server === null) throw new SallyportError('what was served is gone');
        return server;
      });
      await ended;
      await handle.close();
      return exitCodes.pass;
    } finally {
      await close();
    }
  });
}

/** What speaks MCP is an optional part of the package. */
async function stdio() {
  try {
    return await import('@modelcontextprotocol/server/stdio');
  } catch (error) {
    throw new SallyportError('what speaks MCP (@modelcontextprotocol/server) is not installed', {
      hint: 'run npm install @modelcontextprotocol/server',
      cause: error,
    });
  }
}
