// The agent over HTTP: a trial is the body of a POST, the outcome is the answer.

import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { outcomeOf } from './agent.mjs';

const server = createServer(async (request, response) => {
  const outcome = outcomeOf(await json(request));
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(outcome));
});
server.listen(Number(process.argv[2] ?? 8080), '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}/\n`);
});
