// Loaded into a daemon before anything else: measures how much processor time the turns of its event loop take. On
// SIGUSR2 the longest one since the last signal is written into its home.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';

/** How often the clock is looked at, in milliseconds: a turn may be shorter by so much than it is said to be. */
const every = 5;

/** Processor time of this thread, in milliseconds. */
function used(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

if (isMainThread) {
  let last = used();
  let longest = 0;
  setInterval(() => {
    const now = used();
    longest = Math.max(longest, now - last);
    last = now;
  }, every).unref();
  process.on('SIGUSR2', () => {
    writeFileSync(join(process.env['SALLYPORT_HOME'] ?? '', 'longest-turn'), String(longest));
    longest = 0;
  });
}
