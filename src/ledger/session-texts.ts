// The texts that sessions read, for every daemon on one store: keyed hashes of values, sealed, and never a text.

import { createHmac } from 'node:crypto';
import type { Context } from '../core/index.ts';
import { type LedgerKeys, seal, unseal } from './keys.ts';
import type { Store } from './store.ts';

/** How long a session's texts are stored, in milliseconds. */
const retentionMs = 24 * 60 * 60 * 1000;
/** Most texts of one session that are read at once. */
const mostRead = 5000;

/** The texts of a session that were published since a position. */
interface Published {
  readonly texts: readonly { readonly place: number; readonly text: unknown }[];
  /** More texts were published than are read. */
  readonly cut: boolean;
}

/** Texts of one session, as every daemon on the store sees them. */
export class SessionTextLog {
  readonly #store: Store;
  readonly #keys: LedgerKeys;
  readonly #secret: Uint8Array;
  readonly #user: string;
  readonly #tenant: string;
  readonly #session: string;

  constructor(store: Store, keys: LedgerKeys, { tenant, user, agent, session }: Context) {
    this.#store = store;
    this.#keys = keys;
    this.#user = user;
    this.#tenant = tenant;
    this.#session = keys.mac('session', JSON.stringify([tenant, user, agent, session]));
    this.#secret = Buffer.from(keys.mac('session texts', this.#session), 'base64url');
  }

  /** The keyed hash of a value; different in every session. */
  hash(value: string): string {
    return createHmac('sha256', this.#secret).update(value).digest('base64url').slice(0, 22);
  }

  /**
   * Publishes the hashes of a text; returns its position. INVARIANT: positions of a session are committed in their
   * order.
   */
  async publish(text: object, now: number): Promise<number> {
    const sealed = Buffer.from(seal(this.#keys.sealing, this.#session, text)).toString('base64');
    return await this.#store.write(async (sql) => {
      if (this.#store.engine === 'postgres')
        await sql.all('SELECT pg_advisory_xact_lock(hashtextextended(?, 0))', this.#session);
      const [row] = await sql.all(
        'INSERT INTO session_texts (session, user_id, tenant, time, sealed) VALUES (?, ?, ?, ?, ?) RETURNING place',
        ...[this.#session, this.#user, this.#tenant, now, sealed],
      );
      return Number(row?.['place']);
    }, this.#tenant);
  }

  async since(place: number): Promise<Published> {
    const rows = await this.#store.read(
      (sql) =>
        sql.all(
          'SELECT place, sealed FROM session_texts WHERE session = ? AND place > ? ORDER BY place DESC LIMIT ?',
          ...[this.#session, place, mostRead + 1],
        ),
      this.#tenant,
    );
    const texts = rows
      .slice(0, mostRead)
      .reverse()
      .map((row) => ({
        place: Number(row['place']),
        text: unseal(this.#keys.sealing, this.#session, Buffer.from(String(row['sealed']), 'base64')),
      }));
    return { texts, cut: rows.length > mostRead };
  }
}

/** Where sessions publish their texts. */
export class SessionTextLogs {
  readonly #store: Store;
  readonly #keys: LedgerKeys;

  constructor(store: Store, keys: LedgerKeys) {
    this.#store = store;
    this.#keys = keys;
  }

  of(context: Context): SessionTextLog {
    return new SessionTextLog(this.#store, this.#keys, context);
  }

  /** Erases expired texts. */
  async sweep(now: number): Promise<void> {
    await this.#store.write((sql) => sql.run('DELETE FROM session_texts WHERE time <= ?', now - retentionMs));
  }
}
