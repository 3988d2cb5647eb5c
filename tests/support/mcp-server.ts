// An MCP server as a program; its first argument says what it does, or does wrong.

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import type { ListedTool } from './mcp-tools.ts';

// Tests start this program many times, with nothing of their environment.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/compiled'));
const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
const { toolServer, usualTools } = await import('./mcp-tools.ts');

const [, , behaviour = 'usual', file = ''] = process.argv;

const lists: Record<string, () => readonly ListedTool[]> = {
  twice: () => [...usualTools, { name: 'echo', description: 'Another.' }, { name: 'once' }],
  large: () => [
    { name: 'small' },
    { name: 'long', description: 'x'.repeat(20_000) },
    { name: 'wide', inputSchema: { type: 'object', description: 'x'.repeat(200_000) } },
    { name: 'odd name' },
  ],
  bridge: () => [{ name: 'search_tools' }, { name: 'call_tool_chain' }],
  many: () => Array.from({ length: 2000 }, (_, index) => ({ name: `tool${index}` })),
};

/** Writes for as long as it is read. */
function pour(text: string): void {
  const more = (): void => {
    while (process.stdout.write(text));
    process.stdout.once('drain', more);
  };
  more();
}

switch (behaviour) {
  case 'exit':
    process.stderr.write('there is no \u001b[31mtoken\n');
    process.exit(3);
    break;
  case 'silent':
    process.stdin.resume();
    break;
  case 'flood':
    pour(`${'x'.repeat(100)}\n`);
    break;
  case 'endless-line':
    pour('x'.repeat(65_536));
    break;
  case 'old': {
    // Ends when it meets anything before the handshake, as some do.
    process.stdin.once('data', (piece: Buffer) => {
      if (!piece.toString('utf8').includes('"initialize"')) process.exit(1);
      process.stdin.unshift(piece);
      serveStdio(() => toolServer());
    });
    break;
  }
  default: {
    if (behaviour === 'garbage') {
      process.stdout.write('Welcome!\n{ this is no message }\n{"jsonrpc":"2.0","odd":1}\n[1]\n');
    }
    if (behaviour === 'family') {
      const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
      writeFileSync(file, `${process.pid} ${child.pid}`);
    }
    const tools = lists[behaviour];
    serveStdio(() =>
      toolServer({
        ...(tools === undefined ? {} : { tools }),
        endless: behaviour === 'endless',
        ...(behaviour === 'env'
          ? { call: () => ({ content: [{ type: 'text', text: JSON.stringify(process.env) }] }) }
          : {}),
        ...(behaviour === 'gush'
          ? {
              call: () => {
                pour(
                  `{"jsonrpc":"2.0","method":"notifications/x","params":{"text":"${'x'.repeat(1000)}"}}\n`,
                );
                return new Promise(() => {});
              },
            }
          : {}),
      }),
    );
  }
}
