// Law: what is there already is not waited for. Each promise is allocated, queued and collected, and on the path of a call
// they took more time than most guards: where a value nearly always is at hand, its user goes on at once.

/** Goes on with a value as soon as it is there. */
export function whenReady<T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** What some work gives, or what is made of its failure, whether it failed at once or later. */
export function attempt<T, R>(
  work: () => T | Promise<T>,
  failed: (error: unknown) => R,
): T | R | Promise<T | R> {
  try {
    const value = work();
    return value instanceof Promise ? value.catch(failed) : value;
  } catch (error) {
    return failed(error);
  }
}

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

/** A text as it is sent: one that is long as bytes, which Node sends several times as fast. */
export function toSend(text: string): string | Uint8Array<ArrayBuffer> {
  return text.length > longest ? new Uint8Array(Buffer.from(text)) : text;
}

/** Uses a part that is loaded when it is first asked for; from then on it is at hand. */
export type Lazy<T> = <R>(use: (part: T) => R | Promise<R>) => R | Promise<R>;

export function lazily<T>(load: () => Promise<T>): Lazy<T> {
  let loaded: { readonly part: T } | undefined;
  return (use) =>
    loaded === undefined
      ? load().then((part) => {
          loaded = { part };
          return use(part);
        })
      : use(loaded.part);
}
