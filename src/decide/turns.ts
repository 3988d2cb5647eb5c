// Turns of the event loop: long work gives way to short work, and much of it takes one turn after the other.

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
