// Long work: it is judged on a worker thread, and reading or writing it takes a turn of the event loop of its own. A
// small decision beside it does not wait.

import { isJsonObject } from '../core/index.ts';

/**
 * Longest action that is judged in place, in UTF-16 units of all of its texts: judging that takes a few milliseconds.
 */
export const longestOnTheSpot = 16_384;
/** The cost of a value in addition to its text: many small values take time too. */
const eachValue = 4;

/** Whether a value is larger than what is read in place; stops as soon as that is known. */
export function isLong(value: unknown): boolean {
  return measured(value, longestOnTheSpot) < 0;
}

/** The rest of a number of units after a value is subtracted. */
function measured(value: unknown, units: number): number {
  if (typeof value === 'string') return units - value.length;
  let left = units - eachValue;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && left >= 0; at++) left = measured(value[at], left);
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) {
      if (left < 0) break;
      left = measured(value[key], left - key.length);
    }
  }
  return left;
}

// ── Turns of the event loop: long work yields to short work, and is spread over many turns.

/** Yields to everything else that is ready. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

let lastOwn: Promise<void> = Promise.resolve();

/**
 * A turn in which no other long work runs, however much is queued: many long requests that arrive together would
 * otherwise be read, hashed and written in one turn, and every small request would wait for all of them.
 */
export function ownTurn(): Promise<void> {
  lastOwn = lastOwn.then(nextTurn);
  return lastOwn;
}

/** From this many bytes or UTF-16 units on, reading or writing a value takes a turn of its own. */
const longest = 65_536;

/** A turn of its own for work on data of a given length; undefined if that is short. */
export function turnFor(length: number): Promise<void> | undefined {
  return length > longest ? ownTurn() : undefined;
}

const utf8 = new TextEncoder();

/** A text as it is sent: a long one as bytes, which Node sends several times as fast. */
export function toSend(text: string): string | Uint8Array<ArrayBuffer> {
  return text.length > longest ? utf8.encode(text) : text;
}
