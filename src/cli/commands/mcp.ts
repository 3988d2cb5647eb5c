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
    'Serves an agent host over standard input and output: all configured MCP servers as one; with code, five tools for code\n' +
    'that calls their tools; with query, the sources.\n' +
    'list, status, scan and test show the servers, their tools and effects, and which definitions are hidden from models and\n' +
    'why. trust approves all current definitions of a server; its calls are judged as before. add writes a server to your\n' +
    'sallyport.toml, and tries a program out in a sandbox. import converts the servers of other programs. login shows the page\n' +
    'to log in to a server, and stores the tokens encrypted until logout.',
  examples: ['mcp', 'mcp list', 'mcp add tickets https://mcp.example.com', 'mcp trust tickets'],
  options: {
    source: { value: 'NAME', help: 'one source by name; default: all' },
    agent: { value: 'NAME', help: 'judge as this agent' },
    workspace: { value: 'FOLDER', help: 'the workspace; default: the current folder' },
    from: { value: 'PROGRAM', help: 'import from claude, cursor or vscode; default: all' },
    env: { value: 'NAMES', help: 'variables for an added program, separated by commas' },
    'no-sandbox': { help: 'add a program without a sandbox' },
    yes: { help: 'do not ask' },
    write: { help: 'add the sections to your sallyport.toml' },
    scope: { value: 'SCOPE', help: 'scope to request at login, if the server names none' },
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
