// Logins: what a person was given when they logged in to a server, encrypted, and bound to that server and its address.

import { randomBytes } from 'node:crypto';
import { canonicalJson, isJsonObject, type JsonObject } from '../core/index.ts';
import type { AuditLog } from './audit.ts';
import { type LedgerKeys, seal, unseal } from './keys.ts';
import { type Row, type Store, StoreDamaged } from './store.ts';

/** Which server, by its name and its address. */
export interface LoginPlace {
  readonly server: string;
  readonly url: string;
}

/** A login as it stands; every change of it has another mark. */
export interface Login extends LoginPlace {
  readonly mark: string;
  readonly content: JsonObject;
}

interface Person {
  readonly user: string;
  readonly tenant: string;
}

/** How long one process has to renew a login before another may try, in milliseconds. */
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

  /** Keeps a login in place of the one that was there. */
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

  /** The login to a server at this address. INVARIANT: one that was made for another address is none. */
  async find({ server, url }: LoginPlace): Promise<Login | undefined> {
    const [row] = await this.#store.read((sql) =>
      sql.all('SELECT * FROM logins WHERE server = ? AND url = ?', server, url),
    );
    return row === undefined
      ? undefined
      : { server, url, mark: String(row['mark']), content: this.#unseal(row) };
  }

  /**
   * Lets one caller renew a login, on whatever daemon: a server that hands out each token once would take the second
   * caller for a thief.
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

  /** Puts other content in place of what was claimed; false if the login has gone, or changed, meanwhile. */
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

  /** Forgets a login; false if there was none. */
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

/** INVARIANT: what is sealed opens for this server, at this address, for this person alone. */
function boundTo({ server, url, user_id: user, tenant, mark }: Row): string {
  return `login ${canonicalJson([server, url, user, tenant, mark].map(String))}`;
}
