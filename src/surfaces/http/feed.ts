// The log as it grows, for pages that stay open: server-sent events of new entries, each to whom may see it.

import { type JsonObject, LimitError } from '../../core/index.ts';
import type { Entry, Ledger, Reader } from '../../ledger/index.ts';

/** Too many pages follow the log. */
class TooManyReaders extends LimitError {}

export interface FeedOptions {
  readonly ledger: { readonly audit: Pick<Ledger['audit'], 'lastPlace' | 'list'> };
  /** Takes out of an entry what no screen may show. */
  readonly shown: (entry: Entry) => Entry;
  /** Ends every stream when the daemon stops. */
  readonly stopping: AbortSignal;
  readonly lookEveryMs?: number;
  readonly beatEveryMs?: number;
}

interface Follower {
  readonly reader: Reader;
  /** Whether the follower may still do so. */
  readonly allowed: () => boolean;
  readonly controller: ReadableStreamDefaultController<Uint8Array>;
  /** The last place that was sent. */
  at: number;
}

const mostFollowers = 32;
/** Most entries of one frame; a page that missed more gets their number, and asks for them itself if it wants them. */
const mostEntries = 200;
/** Bytes that may wait for a slow page before it is let go; it comes back and asks again. */
const mostWaiting = 4_194_304;

const encoder = new TextEncoder();

export class Feed {
  readonly #options: FeedOptions;
  readonly #followers = new Set<Follower>();
  #timer: NodeJS.Timeout | undefined;
  #beat: NodeJS.Timeout | undefined;

  constructor(options: FeedOptions) {
    this.#options = options;
    options.stopping.addEventListener('abort', () => {
      for (const follower of this.#followers) this.#end(follower);
    });
  }

  /** A stream of what is recorded from now on; `allowed` is asked again with every beat. */
  async follow(reader: Reader, allowed: () => boolean): Promise<ReadableStream<Uint8Array>> {
    if (this.#followers.size >= mostFollowers) {
      throw new TooManyReaders('too many pages follow the log', { hint: 'close some of them' });
    }
    const at = await this.#options.ledger.audit.lastPlace();
    let follower: Follower | undefined;
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          follower = { reader, allowed, controller, at };
          this.#followers.add(follower);
          controller.enqueue(frame('hello', { at }));
          this.#start();
        },
        cancel: () => {
          if (follower !== undefined) this.#followers.delete(follower);
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: mostWaiting }),
    );
  }

  #start(): void {
    const { lookEveryMs = 200, beatEveryMs = 15_000 } = this.#options;
    this.#timer ??= setTimeout(async () => {
      this.#timer = undefined;
      // A store that does not answer for a moment is asked again; the follower sees that nothing comes.
      await this.#look().catch(() => undefined);
      if (this.#followers.size > 0) this.#start();
    }, lookEveryMs);
    this.#beat ??= setInterval(() => {
      for (const follower of this.#followers) {
        if (follower.allowed()) this.#send(follower, encoder.encode(': \n\n'));
        else this.#end(follower);
      }
      if (this.#followers.size > 0) return;
      clearInterval(this.#beat);
      this.#beat = undefined;
    }, beatEveryMs);
    this.#timer.unref();
    this.#beat.unref();
  }

  async #look(): Promise<void> {
    const { audit } = this.#options.ledger;
    const last = await audit.lastPlace();
    for (const follower of this.#followers) {
      if (follower.at >= last) continue;
      const entries = await audit.list({ ...follower.reader, after: follower.at, limit: mostEntries });
      const skipped = entries.length === mostEntries ? last - follower.at - mostEntries : 0;
      follower.at = Math.max(last, entries[0]?.place ?? 0);
      if (entries.length === 0) continue;
      const shown = [...entries].reverse().map((entry) => ({ ...this.#options.shown(entry) }));
      this.#send(follower, frame('entries', { entries: shown, skipped }));
    }
  }

  #send(follower: Follower, bytes: Uint8Array): void {
    const { controller } = follower;
    if ((controller.desiredSize ?? 0) < bytes.length) this.#end(follower);
    else controller.enqueue(bytes);
  }

  #end(follower: Follower): void {
    if (!this.#followers.delete(follower)) return;
    follower.controller.close();
  }
}

function frame(event: string, data: JsonObject): Uint8Array {
  return encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}
