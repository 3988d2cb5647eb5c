// A provider of models for the soak: streams that flow, that dawdle, that hang and that break off, by what a file says; and a
// file in which the `user` of every request that reached it stands in a line of its own.

import { appendFileSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [log = '', mood = '', port = '0'] = process.argv.slice(2);

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-soak',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'soak',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })}\n\n`;

function moodNow(): string {
  try {
    return readFileSync(mood, 'utf8').trim();
  } catch {
    return 'well';
  }
}

const server = createServer((request, response) => {
  const body: Buffer[] = [];
  request.on('data', (piece: Buffer) => body.push(piece));
  request.on('end', () => {
    const { user } = JSON.parse(Buffer.concat(body).toString('utf8'));
    appendFileSync(log, `${user}\n`);
    const now = moodNow();
    if (now === 'hanging') return;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk({ role: 'assistant', content: '' }));
    const pause = now === 'slow' ? 200 : 5;
    let left = 20;
    const say = (): void => {
      if (response.destroyed) return;
      if (now === 'broken' && left === 10) {
        response.destroy();
        return;
      }
      if (left-- === 0) {
        response.write(chunk({}, 'stop'));
        response.end('data: [DONE]\n\n');
        return;
      }
      response.write(chunk({ content: ` word ${left}` }));
      setTimeout(say, pause);
    };
    say();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(Number(port), '127.0.0.1', () => process.stdout.write('ready\n'));
