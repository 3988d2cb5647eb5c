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
