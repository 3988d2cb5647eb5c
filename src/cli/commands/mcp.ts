// sallyport mcp: the servers that speak MCP on standard input and output.

import { randomUUID } from 'node:crypto';
import { exitCodes, SallyportError, UsageError } from '../../core/index.ts';
import { readRequest } from '../../decide/index.ts';
import { createQueryPipeline } from '../../run/query/index.ts';
import { createQueryServer } from '../../surfaces/mcp/query.ts';
import { type Command, onlyWords } from '../command.ts';
import { withLedger } from '../ledger.ts';
import { localAsker, openConfig } from '../open.ts';
import { readDaemonFile } from '../running.ts';
import { version } from '../version.ts';

export const command: Command = {
  usage: ['mcp query --source NAME'],
  about:
    'Serves one source of the configuration to an agent host: its schema, a tool that judges queries and one that runs\n' +
    'them with the token of that. It speaks MCP on standard input and output, and ends with them.',
  options: {
    source: { value: 'NAME', help: 'the source, by its name in [sources]' },
    agent: { value: 'NAME', help: 'judge as this agent' },
    workspace: { value: 'FOLDER', help: 'the workspace; default: the current folder' },
  },
  async run(call) {
    const [what] = onlyWords(call, ['what to serve']);
    if (what !== 'query') throw new UsageError(`unknown server "${what}"`, 'there is: query');
    const name = call.value('source');
    if (name === undefined) throw new UsageError('--source is missing', 'name a source of the configuration');
    const { config, world, paths } = await openConfig(call);
    const folder = call.io.folder();
    const agent = call.value('agent');
    // Every start is a session of its own: what was approved in another does not count in this one.
    const said = { session: `mcp-${randomUUID()}`, ...(agent === undefined ? {} : { agent }) };
    const { context } = await readRequest(
      {
        ...{ kind: 'query', target: name, language: 'sql', text: '' },
        context: { ...said, workspace: call.value('workspace') ?? folder },
      },
      { asker: localAsker(), folder, config, world },
    );
    const source = (await config.settingsFor(context)).sources.find((one) => one.name === name);
    if (source === undefined) {
      throw new UsageError(`there is no source "${name}"`, 'add [sources.NAME] to your sallyport.toml');
    }
    const { serveStdio } = await stdio();
    return await withLedger(call, async (ledger) => {
      const approvalUrl = (id: string) => {
        const running = readDaemonFile(paths.daemon);
        return running === null ? null : `http://127.0.0.1:${running.port}/approve/${id}`;
      };
      const pipeline = createQueryPipeline({ config, ledger, world, approvalUrl });
      const ended = new Promise<void>((resolve) => {
        process.stdin.once('close', resolve);
        for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
      });
      const handle = serveStdio(() => createQueryServer({ source, pipeline, world, context, version }));
      await ended;
      await handle.close();
      return exitCodes.pass;
    });
  },
};

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
