// The texts that flow: a stream is opened, fed and ended by calls of one credential, in the order in which they come.
// INVARIANT: every stream ends with a record; one that is left alone ends as blocked.

import { LimitError, NotFoundError } from '../../core/index.ts';
import type { DecisionStream } from '../../decide/index.ts';

/** No stream has this id, it has ended, or it is another credential's. */
export class UnknownStream extends NotFoundError {}
/** Too many streams are open already. */
export class TooManyStreams extends LimitError {}

const mostOpen = 512;
const mostOfOne = 128;
/** Texts of one answer that may flow side by side. */
const mostChannels = 100;
/** What may flow through the open streams of one credential together, in UTF-16 units: some guards hold all of it. */
const mostTaken = 16_777_216;
/** How long a stream may be left alone, in milliseconds. */
const longestIdle = 60_000;

/** What a credential has open, or is opening. */
interface Use {
  streams: number;
  taken: number;
}

interface Open {
  readonly stream: DecisionStream;
  readonly credential: string;
  readonly channels: Set<string>;
  taken: number;
  /** The last call that was taken. */
  turn: Promise<unknown>;
  waiting: number;
  timer: NodeJS.Timeout | undefined;
}

/** The streams that are open. */
export class Streams {
  readonly #open = new Map<string, Open>();
  readonly #idleMs: number;
  readonly #uses = new Map<string, Use>();
  /** Those that are being ended without a call. */
  readonly #ending = new Set<Promise<void>>();
  #closed = false;

  constructor(options: { readonly idleMs?: number } = {}) {
    this.#idleMs = options.idleMs ?? longestIdle;
  }

  /** Opens a stream for a credential; throws `TooManyStreams`. */
  async open(credential: string, opening: () => Promise<DecisionStream>): Promise<DecisionStream> {
    const use = this.#uses.get(credential) ?? { streams: 0, taken: 0 };
    const all = [...this.#uses.values()].reduce((sum, { streams }) => sum + streams, 0);
    if (this.#closed || use.streams >= mostOfOne || all >= mostOpen) {
      throw new TooManyStreams('too many streams are open', { hint: 'end those that are done' });
    }
    this.#uses.set(credential, use);
    use.streams++;
    let stream: DecisionStream;
    try {
      stream = await opening();
    } catch (error) {
      this.#release(credential, 0);
      throw error;
    }
    const open: Open = {
      ...{ stream, credential, channels: new Set<string>() },
      ...{ taken: 0, turn: Promise.resolve(), waiting: 0, timer: undefined },
    };
    this.#open.set(stream.decisionId, open);
    this.#rest(open);
    // The daemon may have stopped in the meantime.
    if (this.#closed) await this.close();
    return stream;
  }

  /** Feeds a stream, after what came before. */
  async push(id: string, credential: string, piece: string, name = '') {
    this.#bound(this.#find(id, credential), name, piece.length);
    return await this.#take(id, credential, async ({ stream }) => await stream.push(piece, name));
  }

  /** Ends one text of a stream. */
  async finish(id: string, credential: string, name = '') {
    this.#bound(this.#find(id, credential), name, 0);
    return await this.#take(id, credential, async ({ stream }) => await stream.finish(name));
  }

  /** Stops a stream. */
  async stop(id: string, credential: string, why: string) {
    return await this.#take(id, credential, async ({ stream }) => {
      stream.stop(why);
      return { emit: '', findings: [] };
    });
  }

  /** Ends a stream, after what came before. */
  async end(id: string, credential: string): ReturnType<DecisionStream['end']> {
    const open = this.#find(id, credential);
    this.#forget(open);
    await open.turn;
    return await open.stream.end();
  }

  /** Ends all streams as blocked; no more are opened. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const open of this.#open.values()) this.#leave(open, 'daemon_stopped', 'the daemon stops');
    await Promise.all(this.#ending);
  }

  #find(id: string, credential: string): Open {
    const open = this.#open.get(id);
    if (open === undefined || open.credential !== credential) {
      throw new UnknownStream('there is no such stream, or it has ended');
    }
    return open;
  }

  /** Stops a stream that grows beyond what is held for it. INVARIANT: what is counted here is given back at its end. */
  #bound(open: Open, name: string, length: number): void {
    open.channels.add(name);
    if (open.channels.size > mostChannels) open.stream.stop(`more than ${mostChannels} channels`);
    open.taken += length;
    const use = this.#uses.get(open.credential);
    if (use === undefined) return;
    use.taken += length;
    if (use.taken > mostTaken) open.stream.stop('more text than may flow at the same time');
  }

  /** Does one thing with a stream when its turn comes. */
  async #take<T extends object>(id: string, credential: string, work: (open: Open) => Promise<T>) {
    const open = this.#find(id, credential);
    clearTimeout(open.timer);
    open.waiting++;
    const done = open.turn.then(() => work(open));
    // What was not judged must not be passed over.
    open.turn = done.catch(() => open.stream.stop('a piece could not be judged'));
    try {
      return { ...(await done), blocked: open.stream.blocked };
    } finally {
      open.waiting--;
      this.#rest(open);
    }
  }

  /** From now on the stream is alone, until the next call. */
  #rest(open: Open): void {
    if (open.waiting > 0 || this.#open.get(open.stream.decisionId) !== open) return;
    const leave = () => this.#leave(open, 'idle', 'nothing came any more');
    open.timer = setTimeout(leave, this.#idleMs).unref();
  }

  /** Ends a stream that nobody ended. */
  #leave(open: Open, ended: string, why: string): void {
    this.#forget(open);
    const ending = open.turn
      .then(() => {
        open.stream.stop(why);
        return open.stream.end({ ended });
      })
      .then(() => undefined)
      .finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  #forget(open: Open): void {
    clearTimeout(open.timer);
    this.#open.delete(open.stream.decisionId);
    this.#release(open.credential, open.taken);
  }

  #release(credential: string, taken: number): void {
    const use = this.#uses.get(credential);
    if (use === undefined) return;
    use.streams--;
    use.taken -= taken;
    if (use.streams === 0) this.#uses.delete(credential);
  }
}
