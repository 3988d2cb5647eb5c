// A thread that waits a moment for the other before it sleeps: to be woken takes longer than most answers do.

import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';

/** Milliseconds that are waited, and where the other thread has to be woken first. */
const moment = 0.25;
const waking = 1;
/** The most chances that are let go by after those that came to nothing. */
const mostSkipped = 256;

/** Waits where that was worth it before: once it was not, twice, ever more chances are let go by. */
export class Linger {
  readonly #port: MessagePort;
  #skipped = 0;
  #penalty = 0;

  constructor(port: MessagePort) {
    this.#port = port;
  }

  /** What comes within a moment, if anything does. */
  receive<Message>(): Message | undefined {
    if (this.#skipped > 0) {
      this.#skipped--;
      return undefined;
    }
    // Whoever came in vain before finds the other asleep; two that wait too briefly would miss one another for ever.
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
