// sallyport mcp: what speaks MCP on standard input and output, and the servers of other programs for our configuration.

import { UsageError } from '../../core/index.ts';
import { type Call, type Command, onlyWords } from '../command.ts';
import { greetedClient } from '../greeting.ts';

export const command: Command = {
  usage: [
    'mcp',
    'mcp code',
    'mcp query [--source NAME]',
    'mcp list',
    'mcp status [NAME]',
    'mcp scan [NAME]',
    'mcp test NAME',
    'mcp trust NAME',
    'mcp add NAME ADDRESS [--yes]',
    'mcp add NAME [--env NAMES] [--no-sandbox] [--yes] -- COMMAND [ARGUMENT…]',
    'mcp import [--from claude|cursor|vscode] [--write]',
    'mcp login NAME [--scope SCOPE]',
    'mcp logout NAME',
  ],
  about:
    'Serves an agent host over standard input and output, and ends with them: all MCP servers of the configuration as\n' +
    'one; with code, five tools to find theirs and to run code that calls them; with query, the schemas of all sources,\n' +
    'or of one, with tools that search them, judge queries and run them.\n' +
    'With list, shows the MCP servers of the configuration; with status, asks each for its tools; with scan, tells which\n' +
    'definitions are hidden from models and why; with test, starts one server and lists its tools with their effects.\n' +
    'With trust, one yes to all definitions of a server as they are: what a tool does is asked about as before.\n' +
    'With add, writes a server to your sallyport.toml. A program is tried out in a sandbox, where there is one, and runs\n' +
    'in it with what it needs; a package that npx would run is installed first, without its install scripts.\n' +
    'With import, prints the MCP servers that other programs have as sections for sallyport.toml.\n' +
    'With login, shows the page where you log in to a server of the configuration, and keeps what that gives,\n' +
    'encrypted, until you log out.',
  examples: ['mcp', 'mcp list', 'mcp add tickets https://mcp.example.com', 'mcp trust tickets'],
  options: {
    source: { value: 'NAME', help: 'one source, by its name in [sources]; default: all of them' },
    agent: { value: 'NAME', help: 'judge as this agent' },
    workspace: { value: 'FOLDER', help: 'the workspace; default: the current folder' },
    from: { value: 'PROGRAM', help: 'import from claude, cursor or vscode; default: from all of them' },
    env: { value: 'NAMES', help: 'variables that an added program gets, with commas between them' },
    'no-sandbox': { help: 'add a program that runs as you' },
    yes: { help: 'add a server without being asked' },
    write: { help: 'add the imported sections to your sallyport.toml' },
    scope: { value: 'SCOPE', help: 'what to ask for when you log in, where the server does not say it' },
  },
  async run(call) {
    const [what] = call.words;
    if (what === 'add') return await (await import('../mcp-add.ts')).addServer(call);
    if (what !== undefined && Object.hasOwn(serverCommands, what)) {
      const servers = await import('../mcp-servers.ts');
      return await serverCommands[what as keyof typeof serverCommands](servers)(call);
    }
    if (what === 'import') {
      onlyWords(call, ['import']);
      return await (await import('../imported.ts')).importServers(call);
    }
    if (what === 'login' || what === 'logout') {
      onlyWords(call, [what, 'the name of a server']);
      const { logIn, logOut } = await import('../login.ts');
      return await (what === 'login' ? logIn(call) : logOut(call));
    }
    const path = pathOf(call);
    const { serve } = await import('../serving.ts');
    return await serve(call, path, greetedClient());
  },
};

/** What is done with the servers of the configuration. */
const serverCommands = {
  list: (servers: Servers) => servers.listServers,
  status: (servers: Servers) => servers.serverStatus,
  scan: (servers: Servers) => servers.scanServers,
  test: (servers: Servers) => servers.testServer,
  trust: (servers: Servers) => servers.trustServer,
} as const;

type Servers = typeof import('../mcp-servers.ts');

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
