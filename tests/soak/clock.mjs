// Preloaded into a daemon: its wall clock is off by what a file says, in milliseconds. Clocks that only measure time go on
// as they are, as they do when somebody sets the clock of a machine.

import { readFileSync } from 'node:fs';

const file = process.env.SALLYPORT_SOAK_CLOCK;
const RealDate = Date;
let offset = 0;

function look() {
  try {
    offset = Number(readFileSync(file, 'utf8')) || 0;
  } catch {
    // It is as it was.
  }
}

globalThis.Date = class Date extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + offset);
    else super(...given);
  }
  static now() {
    return RealDate.now() + offset;
  }
};
look();
setInterval(look, 100).unref();
