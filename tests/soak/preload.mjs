// Preloaded into a daemon under soak. Its wall clock is off by what a file says, in milliseconds; clocks that only measure
// time go on as they are, as they do when somebody sets the clock of a machine. And it tells what memory it keeps, which is
// what is left after collecting: what the engine merely has not collected yet is no leak.

import { appendFileSync, readFileSync } from 'node:fs';

const {
  SALLYPORT_SOAK_CLOCK: clock,
  SALLYPORT_SOAK_MEMORY: memory,
  SALLYPORT_SOAK_START: start,
} = process.env;
const megabyte = 1_048_576;
const RealDate = Date;
let offset = 0;

function look() {
  try {
    offset = Number(readFileSync(clock, 'utf8')) || 0;
  } catch {
    // It is as it was.
  }
}

class ShiftedDate extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + offset);
    else super(...given);
  }
  static now() {
    return RealDate.now() + offset;
  }
}
Object.defineProperty(ShiftedDate, 'name', { value: 'Date' });
globalThis.Date = ShiftedDate;
look();
setInterval(look, 100).unref();

setInterval(() => {
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  const at = Math.round(performance.now() / 1000);
  appendFileSync(memory, `${start} ${at} ${heapUsed / megabyte} ${rss / megabyte}\n`);
}, 2000).unref();
