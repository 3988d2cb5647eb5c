// Avoids awaiting values that are available already. Each promise is allocated, queued and collected, and on the path
// of a call they took more time than most guards: if a value is nearly always available, its user continues
// synchronously.

/** A value that is there, or comes later. */
export type MaybePromise<T> = T | Promise<T>;

/** Whether a value must be waited for. An async function on a measured path awaits only what is pending. */
export function isPending<V>(value: V): value is Extract<V, Promise<unknown>> {
  return value instanceof Promise;
}

/** Continues with a value as soon as it is available. */
export function whenReady<T, R>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<R>,
): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** The result of some work, or of its error handler, whether it failed synchronously or later. */
export function attempt<T, R>(
  work: () => MaybePromise<T>,
  failed: (error: unknown) => R,
): MaybePromise<T | R> {
  try {
    const value = work();
    return value instanceof Promise ? value.catch(failed) : value;
  } catch (error) {
    return failed(error);
  }
}

/** Uses a part that is loaded when it is first asked for; from then on it is at hand. */
export type Lazy<T> = <R>(use: (part: T) => MaybePromise<R>) => MaybePromise<R>;

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

/** Does work once, and again only after it failed. */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined;
  return () => {
    done ??= work().catch((error: unknown) => {
      done = undefined;
      throw error;
    });
    return done;
  };
}

/** Takes turns: each piece of work begins when the one before has ended. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  take<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}
