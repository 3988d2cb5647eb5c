// Takes what a stream brings at once, in batches of what came together: a loop that waits for every chunk costs more
// than judging most of them.

import { finished, type Readable } from 'node:stream';
import type { MaybePromise } from '../../core/index.ts';

/** Takes a batch, at once or in a while; says whether more is wanted. */
export type Take = (chunks: readonly Uint8Array[]) => MaybePromise<boolean>;

/**
 * Lets everything be taken that a stream brings, until it ends or no more is wanted. INVARIANT: nothing is taken while
 * a batch before it is, and whatever ends this waits for that batch as well.
 */
export function takeBatches(body: Readable, take: Take): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let batch: Uint8Array[] = [];
  let taking = false;
  /** How this ends, once what came before has been taken. */
  let end: (() => void) | null = null;

  const add = (chunk: Uint8Array): void => {
    // Whatever comes in the same moment is there before this runs.
    if (batch.push(chunk) === 1) queueMicrotask(goOn);
  };
  const goOn = (): void => {
    if (taking) return;
    if (batch.length > 0) {
      const chunks = batch;
      batch = [];
      try {
        const wanted = take(chunks);
        if (typeof wanted === 'boolean') taken(wanted);
        else {
          taking = true;
          body.pause();
          wanted.then(taken, fail);
        }
      } catch (error) {
        fail(error);
      }
    } else end?.();
  };
  const taken = (wanted: boolean): void => {
    if (!wanted) stop(resolve);
    else if (taking) body.resume();
    taking = false;
    goOn();
  };
  const fail = (error: unknown): void => {
    taking = false;
    stop(() => reject(error));
    goOn();
  };
  /** Leaves what has not been taken. */
  const stop = (how: () => void): void => {
    batch = [];
    end = how;
    body.off('data', add);
    unwatch();
  };
  const unwatch = finished(body, { writable: false }, (error) => {
    if (error) stop(() => reject(error));
    else end = resolve;
    goOn();
  });
  body.on('data', add);
  return promise;
}
