// What is long: it is judged on a thread of its own, and reading or writing it takes a turn of the event loop of its own. A
// small decision beside it does not wait.

import { isJsonObject } from '../core/index.ts';

/** Longest action that is judged on the spot, in UTF-16 units of all of its texts: judging that takes a few milliseconds. */
export const longestOnTheSpot = 16_384;
/** What a value counts for beside its text: many small ones take their time too. */
const eachValue = 4;

/** Whether a value holds more than is read on the spot; looks no further than it has to. */
export function isLong(value: unknown): boolean {
  return measured(value, longestOnTheSpot) < 0;
}

/** What is left of a number of units once a value is taken off. */
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

// ── Turns of the event loop: long work gives way to short work, and much of it takes one turn after the other.

/** Lets everything else that is ready have its turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

let lastOwn: Promise<void> = Promise.resolve();

/**
 * A turn in which nobody else does long work, however much of it is there: many long requests that come together would
 * otherwise be read, hashed and written in one turn, and everything small would wait for all of them.
 */
export function ownTurn(): Promise<void> {
  lastOwn = lastOwn.then(nextTurn);
  return lastOwn;
}

/** From so many bytes or UTF-16 units on, reading or writing something takes a turn of its own. */
const longest = 65_536;

/** A turn of its own for work on something of a length; undefined where that is short. */
export function turnFor(length: number): Promise<void> | undefined {
  return length > longest ? ownTurn() : undefined;
}

const utf8 = new TextEncoder();

/** A text as it is sent: one that is long as bytes, which Node sends several times as fast. */
export function toSend(text: string): string | Uint8Array<ArrayBuffer> {
  return text.length > longest ? utf8.encode(text) : text;
}
