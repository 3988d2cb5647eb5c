// A thread that waits a moment for the other before it sleeps: to be woken takes longer than most answers do.

import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';

/** Milliseconds that are waited. */
const moment = 0.25;
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
    const until = performance.now() + moment;
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
