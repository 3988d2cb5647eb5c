// Loaded before every script: an error that a script throws on purpose, or meets outside, ends it with its message alone;
// a fault in the script itself keeps its stack. Built-ins only, and syntax that Node 20 reads, since setup.mjs loads it too.
import { isMainThread } from 'node:worker_threads';

/** What a mistake in code throws. What Node and its libraries throw of these for bad input has a code. */
const faults = [TypeError, ReferenceError, RangeError, SyntaxError];

function messageOf(error) {
  if (!(error instanceof Error)) return String(error);
  const isFault = error.code === undefined && faults.some((fault) => error instanceof fault);
  return isFault ? error.stack : error.message;
}

// An error of a thread belongs to the script that started it.
if (isMainThread) {
  process.on('uncaughtException', (error) => {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exit(1);
  });
}
