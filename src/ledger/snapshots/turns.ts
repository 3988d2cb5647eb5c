// Long work in pieces: it hands over after each, so that a daemon answers others in the meantime.

import { closeSync, fsync, fsyncSync } from 'node:fs';

/**
 * Gives `busy` where it waits for another process, `turn` where it could go on at once, and open files where it goes on
 * when the disk has them; they are closed then. A disk takes many at once in little more than the time for one.
 */
export type Turns<Result> = Generator<'turn' | 'busy' | readonly number[], Result, void>;

/** How long to wait before asking again for what another process has, in milliseconds. */
const patience = 5;

/** Does the work without letting anybody else in. */
export function atOnce<Result>(work: Turns<Result>): Result {
  const clock = new Int32Array(new SharedArrayBuffer(4));
  for (let step = work.next(); ; ) {
    if (step.done) return step.value;
    const { value } = step;
    if (value === 'busy') Atomics.wait(clock, 0, 0, patience);
    const problem = typeof value === 'string' ? null : syncNow(value);
    // INVARIANT: the work is told, so that it takes back what it began.
    step = problem === null ? work.next() : work.throw(problem);
  }
}

/** Does the work piece by piece. */
export async function inTurns<Result>(work: Turns<Result>): Promise<Result> {
  for (let step = work.next(); ; ) {
    if (step.done) return step.value;
    const { value } = step;
    const problem = typeof value === 'string' ? await pause(value) : await syncTogether(value);
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

async function syncTogether(files: readonly number[]): Promise<unknown> {
  const syncs = files.map((file) => new Promise<unknown>((resolve) => fsync(file, resolve)));
  const problems = await Promise.all(syncs);
  return firstOf([...problems, ...files.map(closed)]);
}

function closed(file: number): unknown {
  return attempt(() => closeSync(file));
}

/** What work threw; null where it did not. */
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
