// Shows readings of bytes only the runs of letters that are long enough to hold a secret: most texts have none, and
// are then not decoded at all. INVARIANT: which runs are read does not depend on how the text is cut, and no run is safe
// as long as it may become one that is read.

import type { ReadingChannel } from './channel.ts';
import { type BytesDecoder, isRunLetter, shortestRun } from './ways.ts';

/** A reading of bytes, and what decodes it. */
export interface BytesReading {
  readonly channel: ReadingChannel;
  readonly decoder: BytesDecoder;
}

export class Runs {
  readonly #readings: readonly BytesReading[];
  /** The run that the text ends in, as long as it is too short to be read. */
  #short = '';
  /** Whether the text ends in a run that is being read. */
  #reading = false;
  /** How much came before `#short`, and how much of that was shown to no reading. */
  #passed = 0;
  #skipped = 0;
  /** Up to where the readings call safe what they were shown; none of them holds anything if this is infinite. */
  #held = Number.POSITIVE_INFINITY;
  /** Up to where the source is safe. */
  safe = 0;

  constructor(readings: readonly BytesReading[]) {
    this.#readings = readings;
  }

  push(piece: string, last: boolean): void {
    const text = this.#short === '' ? piece : this.#short + piece;
    const end = this.#endOfDecided(text);
    if (last || this.#reading || hasLongRun(text)) this.#show(text, end, last);
    else this.#skipped += end;
    this.#passed += end;
    this.#short = end === text.length ? '' : text.slice(end);
    this.safe = Math.min(this.#held, last ? this.#passed + this.#short.length : this.#passed);
  }

  /** Where the run begins that the text ends in, if that is too short to be read; else the end of the text. */
  #endOfDecided(text: string): number {
    let start = text.length;
    while (start > 0 && isRunLetter(text.charCodeAt(start - 1))) {
      start--;
      if (text.length - start === shortestRun) return text.length;
    }
    return start === 0 && this.#reading ? text.length : start;
  }

  #show(text: string, end: number, last: boolean): void {
    this.#held = Number.POSITIVE_INFINITY;
    for (const { channel, decoder } of this.#readings) {
      channel.skip(this.#skipped);
      decoder.skip(this.#skipped);
      channel.push(text.slice(0, end), false);
      if (last) {
        channel.skip(text.length - end);
        channel.push('', true);
      }
      if (channel.safe < channel.taken && channel.safe < this.#held) this.#held = channel.safe;
    }
    this.#skipped = 0;
    this.#reading = end > 0 && end === text.length && isRunLetter(text.charCodeAt(end - 1));
  }
}

/** Whether a text holds a run that is long enough to be read. Every such run stands at one of the places looked at. */
function hasLongRun(text: string): boolean {
  for (let place = shortestRun - 1; place < text.length; place += shortestRun) {
    if (!isRunLetter(text.charCodeAt(place))) continue;
    let from = place;
    while (from > 0 && isRunLetter(text.charCodeAt(from - 1))) from--;
    while (place + 1 < text.length && isRunLetter(text.charCodeAt(place + 1))) place++;
    if (place + 1 - from >= shortestRun) return true;
  }
  return false;
}
