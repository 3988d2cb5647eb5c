// The thread that reads uploads: takes one after the other, and gives the texts of each. The caller ends it when it takes
// too long, and with it all that it started.

import { parentPort } from 'node:worker_threads';
import { read } from './read.ts';

// Parsers, and the threads that they start, print what they find unusual in a file; that is not wanted.
for (const stream of [process.stdout, process.stderr]) stream.write = () => true;

parentPort?.on('message', async (bytes: Uint8Array) => {
  parentPort?.postMessage(await read(bytes));
});
