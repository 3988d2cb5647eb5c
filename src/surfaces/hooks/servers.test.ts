import { describe, expect, it } from 'vitest';
import type { HookCall, HostName } from './host.ts';
import { hosts } from './hosts.ts';
import { servedBy } from './servers.ts';

const home = '/home/ann';
const workspace = '/home/ann/shop';

const ours = { command: 'sallyport', args: ['mcp'] };
const evil = { command: 'node', args: ['/home/ann/shop/evil.mjs'] };

/** The files of a machine, as JSON unless they are texts. */
function diskOf(files: Readonly<Record<string, unknown>>) {
  return {
    home,
    realPath: (path: string) => path,
    readText: (path: string) => {
      const found = Object.hasOwn(files, path) ? files[path] : undefined;
      return found === undefined ? null : typeof found === 'string' ? found : JSON.stringify(found);
    },
  };
}

/** What each host sends before a tool of an MCP server, as its real program does. */
const sent: Readonly<Record<string, (server: string, tool: string, more?: object) => HookCall>> = {
  claude: (server, tool, more = { source: 'user' }) =>
    hosts.claude.read('PreToolUse', {
      cwd: workspace,
      tool_name: `mcp__${server}__${tool}`,
      tool_input: {},
      mcp_server: { name: server, ...more },
    }),
  codex: (server, tool) =>
    hosts.codex.read('PreToolUse', { cwd: workspace, tool_name: `mcp__${server}__${tool}`, tool_input: {} }),
  gemini: (server, tool, more = ours) =>
    hosts.gemini.read('BeforeTool', {
      cwd: workspace,
      tool_name: `mcp_${server}_${tool}`,
      tool_input: {},
      mcp_context: { server_name: server, tool_name: tool, ...more },
    }),
  copilot: (server, tool) =>
    hosts.copilot.read('preToolUse', { cwd: workspace, toolName: `${server}-${tool}`, toolArgs: {} }),
  qwen: (server, tool) =>
    hosts.qwen.read('PreToolUse', { cwd: workspace, tool_name: `mcp__${server}__${tool}`, tool_input: {} }),
  kilo: (server, tool) =>
    hosts.kilo.read('tool.execute.before', { directory: workspace, tool: `${server}_${tool}`, args: {} }),
  opencode: (server, tool) =>
    hosts.opencode.read('tool.execute.before', { directory: workspace, tool: `${server}_${tool}`, args: {} }),
};

/** A server as opencode writes it. */
function localServer(entry: object) {
  const { command = '', args = [] } = entry as { command?: string; args?: readonly string[] };
  return { sallyport: { type: 'local', command: [command, ...args] } };
}

/** The user's own file of each host with one server in it. */
const userFile: Readonly<Record<string, (entry: object) => Readonly<Record<string, unknown>>>> = {
  claude: (entry) => ({ [`${home}/.claude.json`]: { mcpServers: { sallyport: entry } } }),
  codex: (entry) => {
    const { command = '', args = [] } = entry as { command?: string; args?: readonly string[] };
    const text = `[mcp_servers.sallyport]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`;
    return { [`${home}/.codex/config.toml`]: text };
  },
  gemini: (entry) => ({ [`${home}/.gemini/settings.json`]: { mcpServers: { sallyport: entry } } }),
  copilot: (entry) => ({ [`${home}/.copilot/mcp-config.json`]: { mcpServers: { sallyport: entry } } }),
  qwen: (entry) => ({ [`${home}/.qwen/settings.json`]: { mcpServers: { sallyport: entry } } }),
  opencode: (entry) => ({ [`${home}/.config/opencode/opencode.json`]: { mcp: localServer(entry) } }),
  kilo: (entry) => ({ [`${home}/.config/kilo/kilo.json`]: { mcp: localServer(entry) } }),
};

/** A file of the project that names a server. */
const projectFile: Readonly<Record<string, (name: string) => Readonly<Record<string, unknown>>>> = {
  codex: (name) => ({ [`${workspace}/.codex/config.toml`]: `[mcp_servers.${name}]\ncommand = "x"\n` }),
  gemini: (name) => ({ [`${workspace}/.gemini/settings.json`]: { mcpServers: { [name]: ours } } }),
  copilot: (name) => ({ [`${workspace}/.mcp.json`]: { mcpServers: { [name]: ours } } }),
  qwen: (name) => ({ [`${workspace}/.qwen/settings.json`]: { mcpServers: { [name]: ours } } }),
  kilo: (name) => ({ [`${workspace}/.kilo/kilo.json`]: { mcp: { [name]: { command: ['x'] } } } }),
  opencode: (name) => ({ [`${workspace}/opencode.json`]: { mcp: { [name]: { command: ['x'] } } } }),
};

const names = ['claude', 'codex', 'gemini', 'copilot', 'opencode', 'qwen', 'kilo'] as const;
const ask = (
  host: HostName,
  files: Readonly<Record<string, unknown>>,
  call = sent[host]?.('sallyport', 'files__list'),
) => servedBy(host, call as HookCall, diskOf(files));

describe('our own gateway', () => {
  it.each(names)('of %s is told by the user’s own configuration', async (host) => {
    const served = await ask(host, userFile[host]?.(ours) ?? {});
    expect(served.gateway).toBe(true);
    expect(served.call).toMatchObject({ server: 'sallyport', tool: 'files__list' });
  });

  it.each(names)('of %s is no other program of that name', async (host) => {
    const call = host === 'gemini' ? sent[host]?.('sallyport', 'files__list', evil) : undefined;
    expect((await ask(host, userFile[host]?.(evil) ?? {}, call)).gateway).toBe(false);
    expect((await ask(host, {})).gateway).toBe(false);
  });

  it.each(Object.keys(projectFile) as HostName[])('of %s cannot be replaced by the project', async (host) => {
    for (const name of ['sallyport', 'sallyport__files', 'sallyport_x']) {
      const files = { ...userFile[host]?.(ours), ...projectFile[host]?.(name) };
      expect((await ask(host, files)).gateway).toBe(false);
    }
    const other = { ...userFile[host]?.(ours), ...projectFile[host]?.('docs') };
    expect((await ask(host, other)).gateway).toBe(true);
  });

  it.each(['project', 'plugin', 'dynamic', 'sdk', ''])(
    'of claude is none from the source "%s"',
    async (source) => {
      const call = sent['claude']?.('sallyport', 'files__list', { source });
      expect((await ask('claude', userFile['claude']?.(ours) ?? {}, call)).gateway).toBe(false);
    },
  );

  it('of claude may be one that the user added for this project alone', async () => {
    const call = sent['claude']?.('sallyport', 'files__list', { source: 'local' });
    const files = (folder: string) => ({
      [`${home}/.claude.json`]: { projects: { [folder]: { mcpServers: { sallyport: ours } } } },
    });
    expect((await ask('claude', files(workspace), call)).gateway).toBe(true);
    expect((await ask('claude', files('/home/ann/other'), call)).gateway).toBe(false);
  });

  it('of gemini is the very command that runs', async () => {
    const call = sent['gemini']?.('sallyport', 'files__list', {
      command: 'sallyport',
      args: ['mcp', 'code'],
    });
    expect((await ask('gemini', userFile['gemini']?.(ours) ?? {}, call)).gateway).toBe(false);
  });

  it.each([
    [{ command: 'npx', args: ['sallyport', 'mcp'] }],
    [{ command: '/home/ann/shop/sallyport', args: ['mcp'] }],
    [{ command: 'sallyport', args: ['mcp', 'import'] }],
    [{ command: 'sallyport', args: ['run'] }],
    [{ command: 'sh', args: ['-c', 'sallyport mcp'] }],
    [{ url: 'https://sallyport.example/mcp' }],
  ])('is not started by %j', async (entry) => {
    expect((await ask('claude', userFile['claude']?.(entry) ?? {})).gateway).toBe(false);
  });

  it('may be the file that runs here', async () => {
    for (const entry of [
      { command: process.argv[1], args: ['mcp'] },
      { command: '/usr/bin/node', args: [process.argv[1], 'mcp'] },
    ]) {
      expect((await ask('claude', userFile['claude']?.(entry) ?? {})).gateway).toBe(true);
    }
  });

  it('is none where a file of the project cannot be read', async () => {
    const files = { ...userFile['codex']?.(ours), [`${workspace}/.codex/config.toml`]: '= broken' };
    expect((await ask('codex', files)).gateway).toBe(false);
  });
});

describe('the server of a tool', () => {
  it.each(['copilot', 'opencode', 'kilo'] as const)('of %s is one that is configured', async (host) => {
    const files = projectFile[host]?.('my_docs') ?? {};
    const known = await ask(host, files, sent[host]?.('my_docs', 'read_page'));
    expect(known.call).toMatchObject({ server: 'my_docs', tool: 'read_page' });
    const unknown = await ask(host, {}, sent[host]?.('my_docs', 'read_page'));
    expect(unknown.call).not.toHaveProperty('server');
  });
});
