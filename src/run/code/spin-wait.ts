// A thread polls for a moment before it sleeps: waking it takes longer than most answers do.

import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';

/** Milliseconds to poll, and to poll where the other thread has to wake first. */
const moment = 0.25;
const waking = 1;
/** The most chances that are skipped after polls that found nothing. */
const mostSkipped = 256;

/** Polls where polling paid off before; after each failure it skips twice as many chances, up to a limit. */
export class SpinWait {
  readonly #port: MessagePort;
  #skipped = 0;
  #penalty = 0;

  constructor(port: MessagePort) {
    this.#port = port;
  }

  /** An item that arrives within a moment, if any. */
  receive<Message>(): Message | undefined {
    if (this.#skipped > 0) {
      this.#skipped--;
      return undefined;
    }
    // After a failure the other thread sleeps; two threads that poll too briefly would keep missing each other.
    const until = performance.now() + (this.#penalty === 0 ? moment : waking);
    do {
      const found: { readonly message: Message } | undefined = receiveMessageOnPort(this.#port);
      if (found === undefined) continue;
      this.#penalty = 0;
      return found.message;
    } while (performance.now() < until);
    this.#skipped = this.#penalty;
    this.#penalty = Math.min(Math.max(1, this.#penalty * 2), mostSkipped);
    return undefined;
  }
}
