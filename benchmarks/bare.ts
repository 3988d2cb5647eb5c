// The floor of benchmarks of proxies, in a process of its own: a proxy that passes every byte on and looks at none.

import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

const port = Number(process.argv[2]);
const agent = new Agent({ keepAlive: true });

const server = createServer((incoming, outgoing) => {
  const { host: _, connection: __, ...headers } = incoming.headers;
  const sent = request(
    { port, host: '127.0.0.1', path: incoming.url, method: incoming.method, agent, headers },
    (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      outgoing.flushHeaders();
      answer.pipe(outgoing);
    },
  );
  incoming.pipe(sent);
  sent.on('error', () => outgoing.destroy());
  outgoing.on('close', () => sent.destroy());
});
// As long as those behind it, whose word it passes on.
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`);
});
