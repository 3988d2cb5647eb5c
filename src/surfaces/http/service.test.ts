// The routes of the daemon itself.

import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

// In a process of its own: it matters what the process did before it loaded the module.
const program = `
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
getRequestListener(() => new Response('of another server'));
const { proxied } = await import(process.argv[1]);
const llm = async () => ({ serve: async ({ outgoing }) => outgoing.end('by the proxy') });
const server = createServer(getRequestListener((_, env) => proxied({ llm }, { env })));
server.listen(0, '127.0.0.1', async () => {
  const answer = await fetch('http://127.0.0.1:' + server.address().port);
  console.log(answer.status, await answer.text());
  server.close();
});`;

it('a call that the proxy answered is not answered again, even where another server ran before', () => {
  const args = ['--input-type=module', '--eval', program, new URL('service.ts', import.meta.url).href];
  const said = execFileSync('sh', ['-c', '"$0" "$@" 2>&1', process.execPath, ...args], {
    encoding: 'utf8',
    cwd: import.meta.dirname,
  });

  expect(said).toBe('200 by the proxy\n');
});
