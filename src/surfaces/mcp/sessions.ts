// Sessions of older clients over HTTP: each bound to the credential and the path that opened it, as many at once as one
// credential needs, and ended when nobody uses them.

import { LimitError } from '../../core/index.ts';

/** More clients are connected than are served at once. */
class TooManySessions extends LimitError {}

/** What a session is held by. */
export interface Session {
  readonly credential: string;
  readonly path: string;
  handle(request: Request, body: unknown): Promise<Response>;
  close(): Promise<void>;
}

const mostOfOne = 32;
const mostOfAll = 1024;
const idleMs = 30 * 60 * 1000;
const sweepMs = 60 * 1000;

export class Sessions {
  /** In the order in which they were last used. */
  readonly #sessions = new Map<string, { readonly session: Session; readonly usedAt: number }>();
  readonly #elapsed: () => number;
  readonly #sweeper: NodeJS.Timeout;

  /** `elapsed` gives milliseconds that never go back. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
    this.#sweeper = setInterval(() => this.sweep(), sweepMs);
    this.#sweeper.unref();
  }

  /** The session of an id, if it is the credential's own and of that path. */
  find(id: string, credential: string, path: string): Session | undefined {
    this.sweep();
    const session = this.#sessions.get(id)?.session;
    if (session === undefined || session.credential !== credential || session.path !== path) return undefined;
    this.#keep(id, session);
    return session;
  }

  /** Adds a session; the credential's own that was not used for longest makes room for it. */
  add(id: string, session: Session): void {
    this.sweep();
    const own = [...this.#sessions].filter(
      ([, { session: other }]) => other.credential === session.credential,
    );
    const [oldest] = own;
    if (own.length >= mostOfOne && oldest !== undefined) this.end(oldest[0]);
    if (this.#sessions.size >= mostOfAll) {
      throw new TooManySessions('too many clients are connected', { hint: 'close some, or try later' });
    }
    this.#keep(id, session);
  }

  end(id: string): void {
    const found = this.#sessions.get(id);
    this.#sessions.delete(id);
    void found?.session.close();
  }

  /** Ends what was not used for long. */
  sweep(): void {
    const now = this.#elapsed();
    for (const [id, { usedAt }] of this.#sessions) {
      if (now - usedAt < idleMs) return;
      this.end(id);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(sessions.map(({ session }) => session.close()));
  }

  #keep(id: string, session: Session): void {
    this.#sessions.delete(id);
    this.#sessions.set(id, { session, usedAt: this.#elapsed() });
  }
}
