// A provider for the benchmark, in a process of its own: streams of chat chunks, each in a write of its own, as models
// say them. `seed` of the request is the number of pieces, `user` the milliseconds between two; 0 is as fast as it goes,
// and behind a `~` stands how many there are on average: timers of equal length make all streams speak in one moment.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const words =
  'The quick brown fox jumps over the lazy dog while we look at how many tokens flow through'.split(' ');
const clock = () => performance.timeOrigin + performance.now();

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-benchmark',
    object: 'chat.completion.chunk',
    // When it was sent, to a fraction of a millisecond; a number passes every proxy as it is.
    created: clock(),
    model: 'gpt-benchmark',
    system_fingerprint: 'fp_benchmark',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  })}\n\n`;

const server = createServer((request, response) => {
  const body: Buffer[] = [];
  request.on('data', (piece: Buffer) => body.push(piece));
  request.on('end', () => {
    const { seed: pieces, user } = JSON.parse(Buffer.concat(body).toString('utf8'));
    const average = Number(String(user).replace('~', ''));
    const pause = () => (user === String(average) ? average : average * (0.5 + Math.random()));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.socket?.setNoDelay(true);
    response.write(chunk({ role: 'assistant', content: '' }));
    let at = 0;
    const say = (): void => {
      if (response.destroyed) return;
      if (at === pieces) {
        response.write(chunk({}, 'stop'));
        response.end('data: [DONE]\n\n');
        return;
      }
      const goes = response.write(chunk({ content: ` ${words[at++ % words.length]}` }));
      if (!goes) response.once('drain', say);
      else if (average > 0) setTimeout(say, pause());
      else setImmediate(say);
    };
    say();
  });
});
// A connection that is kept must not end just when it is used again.
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`);
});
