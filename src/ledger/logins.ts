// Logins: the credentials that a user received by logging in to a server, encrypted, and bound to that server and its
// address.

import { randomBytes } from 'node:crypto';
import { canonicalJson, isJsonObject, type JsonObject } from '../core/index.ts';
import type { AuditLog } from './audit.ts';
import { type LedgerKeys, seal, unseal } from './keys.ts';
import { type Row, type Store, StoreDamaged } from './store.ts';

/** A server, by its name and its address. */
export interface LoginPlace {
  readonly server: string;
  readonly url: string;
}

/** The current state of a login; every change of it has another mark. */
export interface Login extends LoginPlace {
  readonly mark: string;
  readonly content: JsonObject;
}

interface Person {
  readonly user: string;
  readonly tenant: string;
}

/** How long one process may take to renew a login before another may try, in milliseconds. */
const claimMs = 30_000;

export class Logins {
  readonly #store: Store;
  readonly #audit: AuditLog;
  readonly #keys: LedgerKeys;

  constructor(store: Store, audit: AuditLog, keys: LedgerKeys) {
    this.#store = store;
    this.#audit = audit;
    this.#keys = keys;
  }

  /** Stores a login, replacing the previous one. */
  async save(
    { server, url }: LoginPlace,
    { user, tenant }: Person,
    content: JsonObject,
    now: number,
  ): Promise<void> {
    const row = { server, url, user_id: user, tenant, mark: newMark() };
    await this.#store.write(async (sql) => {
      await sql.run('DELETE FROM logins WHERE server = ?', server);
      const columns = [...Object.keys(row), 'updated_at', 'claimed_until', 'sealed'];
      await sql.insert('logins', columns, [[...Object.values(row), now, 0, this.#seal(row, content)]]);
      const details = { server, origin: new URL(url).origin };
      await this.#audit.insert(sql, [
        { time: now, event_type: 'server_login', user, tenant, agent: '', details },
      ]);
    });
  }

  /** The login to a server at this address. INVARIANT: one that was created for another address is not returned. */
  async find({ server, url }: LoginPlace): Promise<Login | undefined> {
    const [row] = await this.#store.read((sql) =>
      sql.all('SELECT * FROM logins WHERE server = ? AND url = ?', server, url),
    );
    return row === undefined
      ? undefined
      : { server, url, mark: String(row['mark']), content: this.#unseal(row) };
  }

  /**
   * Lets one caller renew a login, on any daemon: a server that issues each token once would treat the second caller as
   * a thief.
   */
  async claim({ server, mark }: Pick<Login, 'server' | 'mark'>, now: number): Promise<boolean> {
    const claimed = await this.#store.write((sql) =>
      sql.run(
        `UPDATE logins SET claimed_until = ? WHERE server = ? AND mark = ?
         AND (claimed_until <= ? OR claimed_until > ?)`,
        ...[now + claimMs, server, mark, now, now + claimMs],
      ),
    );
    return claimed === 1;
  }

  /** Replaces the content of a claimed login; false if the login was deleted, or changed, meanwhile. */
  async renew(
    { server, mark }: Pick<Login, 'server' | 'mark'>,
    content: JsonObject,
    now: number,
  ): Promise<boolean> {
    return await this.#store.write(async (sql) => {
      const [row] = await sql.all('SELECT * FROM logins WHERE server = ? AND mark = ?', server, mark);
      if (row === undefined) return false;
      const fresh = { ...row, mark: newMark() };
      const changed = await sql.run(
        'UPDATE logins SET mark = ?, updated_at = ?, claimed_until = 0, sealed = ? WHERE server = ? AND mark = ?',
        ...[fresh.mark, now, this.#seal(fresh, content), server, mark],
      );
      return changed === 1;
    });
  }

  /** Deletes a login; false if there was none. */
  async remove(server: string, { user, tenant }: Person, now: number): Promise<boolean> {
    return await this.#store.write(async (sql) => {
      const removed = await sql.run('DELETE FROM logins WHERE server = ?', server);
      if (removed === 0) return false;
      const details = { server };
      await this.#audit.insert(sql, [
        { time: now, event_type: 'server_logout', user, tenant, agent: '', details },
      ]);
      return true;
    });
  }

  #seal(row: Row, content: JsonObject): string {
    return Buffer.from(seal(this.#keys.sealing, boundTo(row), content)).toString('base64');
  }

  #unseal(row: Row): JsonObject {
    const content = unseal(this.#keys.sealing, boundTo(row), Buffer.from(String(row['sealed']), 'base64'));
    if (!isJsonObject(content)) throw new StoreDamaged('a login cannot be read');
    return content;
  }
}

function newMark(): string {
  return randomBytes(8).toString('hex');
}

/** INVARIANT: sealed data opens for this server, at this address, for this user alone. */
function boundTo({ server, url, user_id: user, tenant, mark }: Row): string {
  return `login ${canonicalJson([server, url, user, tenant, mark].map(String))}`;
}
