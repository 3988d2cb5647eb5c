// A request with a response that is most likely short: it is buffered, without a stream, which would cost more than the
// rest of the exchange. A streamed response is still returned as a stream.

import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { FetchTooLarge } from './errors.ts';

type Controller = Dispatcher.DispatchController;
type Headers = NodeJS.Dict<string | string[]>;

/** The head of a response, and its body: buffered, or as a stream. */
export interface Came<B = Buffer | Readable> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: B;
}

export interface BufferedOptions {
  readonly signal: AbortSignal;
  /** Whether a response with such a head is streamed. */
  readonly flows: (headers: Headers) => boolean;
  /** Maximum size of a buffered body in bytes. */
  readonly most: number;
}

/** Sends a request over a connection of the pool. */
export function exchangeBuffered(
  pool: Pick<Dispatcher, 'dispatch'>,
  request: Dispatcher.DispatchOptions,
  options: BufferedOptions,
): Promise<Came> {
  return new Promise((resolve, reject) => {
    pool.dispatch(request, new BufferedHandler(options, resolve, reject));
  });
}

class BufferedHandler implements Dispatcher.DispatchHandler {
  readonly #options: BufferedOptions;
  readonly #resolve: (came: Came) => void;
  readonly #reject: (error: unknown) => void;
  readonly #giveUp = () => this.#controller?.abort(this.#options.signal.reason);
  readonly #pieces: Buffer[] = [];
  #size = 0;
  #controller: Controller | undefined;
  #head: Omit<Came, 'body'> | undefined;
  #stream: Readable | undefined;
  #over = false;

  constructor(options: BufferedOptions, resolve: (came: Came) => void, reject: (error: unknown) => void) {
    this.#options = options;
    this.#resolve = resolve;
    this.#reject = reject;
    options.signal.addEventListener('abort', this.#giveUp, { once: true });
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#options.signal.aborted) this.#giveUp();
  }

  onResponseStart(controller: Controller, status: number, headers: Headers): void {
    // An informational response precedes the actual one.
    if (status < 200) return;
    this.#head = { status, headers };
    if (!this.#options.flows(headers)) return;
    this.#stream = new Readable({
      read: () => controller.resume(),
      destroy: (error, done) => {
        if (!this.#over) controller.abort(error ?? new Error('the answer has no reader'));
        done(error);
      },
    });
    // A failure before the body is read must not end the process; the reader gets the error all the same.
    this.#stream.on('error', () => {});
    this.#resolve({ ...this.#head, body: this.#stream });
  }

  onResponseData(controller: Controller, piece: Buffer): void {
    if (this.#stream !== undefined) {
      if (!this.#stream.push(piece)) controller.pause();
      return;
    }
    this.#size += piece.length;
    this.#pieces.push(piece);
    if (this.#size > this.#options.most) {
      controller.abort(new FetchTooLarge(`the answer has more than ${this.#options.most} bytes`));
    }
  }

  onResponseEnd(): void {
    this.#end();
    this.#stream?.push(null);
    const [first, ...others] = this.#pieces;
    const body = first !== undefined && others.length === 0 ? first : Buffer.concat(this.#pieces);
    if (this.#head !== undefined) this.#resolve({ ...this.#head, body });
  }

  onResponseError(_: Controller, error: Error): void {
    this.#end();
    this.#stream?.destroy(error);
    this.#reject(error);
  }

  #end(): void {
    this.#over = true;
    this.#options.signal.removeEventListener('abort', this.#giveUp);
  }
}
