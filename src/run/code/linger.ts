// A thread that waits a moment for the other before it sleeps: to be woken takes longer than most answers do.

import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';

/** Milliseconds that are waited. */
const moment = 0.1;
/** The most chances that are let go by after those that came to nothing. */
const mostSkipped = 256;

/** Waits where that was worth it before: each time that it was not, twice as many chances are let go by. */
export class Linger {
  readonly #port: MessagePort;
  #skipped = 0;
  #penalty = 1;

  constructor(port: MessagePort) {
    this.#port = port;
  }

  /** What comes within a moment, if anything does. */
  receive<Message>(): Message | undefined {
    if (this.#skipped > 0) {
      this.#skipped--;
      return undefined;
    }
    const until = performance.now() + moment;
    do {
      const found: { readonly message: Message } | undefined = receiveMessageOnPort(this.#port);
      if (found === undefined) continue;
      this.#penalty = 1;
      return found.message;
    } while (performance.now() < until);
    this.#penalty = Math.min(this.#penalty * 2, mostSkipped);
    this.#skipped = this.#penalty;
    return undefined;
  }
}
