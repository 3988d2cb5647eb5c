// Long work in steps: it yields after each, so that a daemon answers others in the meantime.

import { closeSync, fsync, fsyncSync } from 'node:fs';
import type { Runner } from './runner.ts';

/**
 * Yields `busy` while it waits for another process, `turn` if it could continue at once, and open files if it continues
 * after they are synced; they are closed then. A disk syncs many at once in little more than the time for one. A helper
 * is started the first time that it is yielded, and awaited the second time.
 */
export type Turns<Result> = Generator<'turn' | 'busy' | readonly number[] | Helper, Result, void>;

/** How long to wait before retrying a lock of another process, in milliseconds. */
const patience = 5;

/** A program that runs beside the work and only prints. */
export class Helper {
  readonly #runner: Runner;
  #ended: Promise<null> | undefined;
  #output: Buffer | null = null;

  constructor(runner: Runner) {
    this.#runner = runner;
  }

  /** Its output; null if it failed. */
  get output(): Buffer | null {
    return this.#output;
  }

  /** Starts it, or waits for its end. */
  async run(): Promise<null> {
    if (this.#ended !== undefined) return await this.#ended;
    this.#ended = this.#runner.run().then((output) => {
      this.#output = output;
      return null;
    });
    return null;
  }

  /** Runs it to its end. */
  runNow(): null {
    if (this.#ended !== undefined) return null;
    this.#ended = Promise.resolve(null);
    this.#output = this.#runner.runNow();
    return null;
  }
}

/** Runs the work synchronously. */
export function atOnce<Result>(work: Turns<Result>): Result {
  const clock = new Int32Array(new SharedArrayBuffer(4));
  for (let step = work.next(); ; ) {
    if (step.done) return step.value;
    const { value } = step;
    if (value === 'busy') Atomics.wait(clock, 0, 0, patience);
    const problem =
      typeof value === 'string' ? null : value instanceof Helper ? value.runNow() : syncNow(value);
    // INVARIANT: the work receives the error, so that it reverts its changes.
    step = problem === null ? work.next() : work.throw(problem);
  }
}

/** Runs the work step by step. */
export async function inTurns<Result>(work: Turns<Result>): Promise<Result> {
  for (let step = work.next(); ; ) {
    if (step.done) return step.value;
    const { value } = step;
    const problem =
      typeof value === 'string'
        ? await pause(value)
        : await (value instanceof Helper ? value.run() : syncAll(value));
    step = problem === null ? work.next() : work.throw(problem);
  }
}

function pause(why: 'turn' | 'busy'): Promise<null> {
  return new Promise((resolve) => {
    if (why === 'busy') setTimeout(() => resolve(null), patience);
    else setImmediate(() => resolve(null));
  });
}

function syncNow(files: readonly number[]): unknown {
  return firstOf(files.map((file) => firstOf([attempt(() => fsyncSync(file)), closed(file)])));
}

async function syncAll(files: readonly number[]): Promise<unknown> {
  const syncs = files.map((file) => new Promise<unknown>((resolve) => fsync(file, resolve)));
  const problems = await Promise.all(syncs);
  return firstOf([...problems, ...files.map(closed)]);
}

function closed(file: number): unknown {
  return attempt(() => closeSync(file));
}

/** The error that the work threw; null if it did not. */
function attempt(work: () => void): unknown {
  try {
    work();
    return null;
  } catch (error) {
    return error;
  }
}

function firstOf(problems: readonly unknown[]): unknown {
  return problems.find((problem) => problem !== null) ?? null;
}
