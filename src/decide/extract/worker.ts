// The thread that reads uploads: one after the other, returning the texts of each. The caller terminates it after a
// timeout, and with it every thread that it started.

import { parentPort } from 'node:worker_threads';
import { read } from './read.ts';

// Parsers, and the threads that they start, print warnings about a file; these are suppressed.
for (const stream of [process.stdout, process.stderr]) stream.write = () => true;

parentPort?.on('message', async (bytes: Uint8Array) => {
  parentPort?.postMessage(await read(bytes));
});
