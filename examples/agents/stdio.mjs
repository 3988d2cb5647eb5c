// The agent on standard streams: a trial a line in, an outcome a line out.

import { createInterface } from 'node:readline';
import { outcomeOf } from './agent.mjs';

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(outcomeOf(JSON.parse(line)))}\n`);
}
