// Long work in pieces: it hands over after each, so that a daemon answers others in the meantime.

/** Gives `busy` where it waits for another process, and `turn` where it could go on at once. */
export type Turns<Result> = Generator<'turn' | 'busy', Result, void>;

/** How long to wait before asking again for what another process has, in milliseconds. */
const patience = 5;

/** Does the work without letting anybody else in. */
export function atOnce<Result>(work: Turns<Result>): Result {
  const clock = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    if (value === 'busy') Atomics.wait(clock, 0, 0, patience);
  }
}

/** Does the work piece by piece. */
export async function inTurns<Result>(work: Turns<Result>): Promise<Result> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await new Promise<void>((resolve) => {
      if (value === 'busy') setTimeout(resolve, patience);
      else setImmediate(resolve);
    });
  }
}
