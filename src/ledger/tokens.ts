// Single-use tokens: a token's id is used up by exactly one caller, whichever daemon asks.

import type { Store } from './store.ts';

/** How far the clocks of two daemons may be apart, in milliseconds. */
const clockSlack = 60 * 60 * 1000;

export class Tokens {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** True for the first caller, false for everybody after; the id is remembered until the token has expired. */
  async consume(id: string, expiresAt: number, now: number): Promise<boolean> {
    if (now >= expiresAt) return false;
    return await this.#store.write(async (sql) => {
      // Another daemon's clock may run behind: a token is forgotten only when it is over by every clock.
      await sql.run('DELETE FROM tokens WHERE expires_at <= ?', now - clockSlack);
      const text = 'INSERT INTO tokens (id, expires_at) VALUES (?, ?) ON CONFLICT DO NOTHING';
      return (await sql.run(text, id, expiresAt)) === 1;
    });
  }
}
