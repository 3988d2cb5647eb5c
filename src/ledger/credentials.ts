// Credentials: bearer tokens with one scope each, mapping to a user, a tenant and optionally an agent; and single-use
// tokens.

import { hash, randomBytes, randomUUID } from 'node:crypto';
import { type MaybePromise, SallyportError } from '../core/index.ts';
import type { AuditLog } from './audit.ts';
import type { LedgerKeys } from './keys.ts';
import type { Row, Store } from './store.ts';

// ── Single-use tokens: a token's id is used by exactly one caller, on any daemon.

/** Maximum clock difference between two daemons, in milliseconds. */
const clockSlack = 60 * 60 * 1000;

export class Tokens {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** True for the first caller, false for all later ones; the id is remembered until the token has expired. */
  async consume(id: string, expiresAt: number, now: number): Promise<boolean> {
    if (now >= expiresAt) return false;
    return await this.#store.write(async (sql) => {
      // Another daemon's clock may be behind: a token is deleted only when it has expired by every clock.
      await sql.run('DELETE FROM tokens WHERE expires_at <= ?', now - clockSlack);
      const text = 'INSERT INTO tokens (id, expires_at) VALUES (?, ?) ON CONFLICT DO NOTHING';
      return (await sql.run(text, id, expiresAt)) === 1;
    });
  }
}

// ── credentials

export const scopes = ['decide', 'approve', 'admin'] as const;
export type Scope = (typeof scopes)[number];

/** The origin of a request, as far as the credential proves it. */
export interface Principal {
  readonly credential: string;
  readonly scope: Scope;
  readonly user: string;
  readonly tenant: string;
  /** The agent that the credential is bound to; null if the request may name one. */
  readonly agent: string | null;
}

/** No credential has this id, or it was revoked already. */
class UnknownCredential extends SallyportError {}

const prefix = 'sp_';

export class Credentials {
  readonly #store: Store;
  readonly #audit: AuditLog;
  readonly #keys: LedgerKeys;

  constructor(store: Store, audit: AuditLog, keys: LedgerKeys) {
    this.#store = store;
    this.#audit = audit;
    this.#keys = keys;
  }

  /** Creates a credential; the token is shown once and only its keyed hash is stored. */
  async make(
    owner: Omit<Principal, 'credential'>,
    now: number,
  ): Promise<{ readonly token: string; readonly principal: Principal }> {
    const token = prefix + randomBytes(32).toString('base64url');
    const principal: Principal = { ...owner, credential: randomUUID().slice(0, 8) };
    const { credential: id, scope, user, tenant, agent } = principal;
    await this.#store.write(async (sql) => {
      await sql.run(
        'INSERT INTO credentials (id, hash, scope, user_id, tenant, agent, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
        ...[id, this.#hash(token), scope, user, tenant, agent, now],
      );
      const details = { credential: id, scope };
      await this.#audit.insert(sql, [
        { time: now, event_type: 'credential_made', user, tenant, agent: agent ?? '', details },
      ]);
    });
    return { token, principal };
  }

  /** The principal of a token, or undefined. */
  find(token: string): MaybePromise<Principal | undefined> {
    if (!token.startsWith(prefix)) return undefined;
    return this.#store.recall(`credential ${hash('sha256', token)}`, async (sql) => {
      const find = 'SELECT * FROM credentials WHERE hash = ? AND revoked_at IS NULL';
      const [row] = await sql.all(find, this.#hash(token));
      return row === undefined ? undefined : principalOf(row);
    });
  }

  /** The credentials that are not revoked, oldest first. */
  async list(): Promise<readonly Principal[]> {
    const rows = await this.#store.read((sql) =>
      sql.all('SELECT * FROM credentials WHERE revoked_at IS NULL ORDER BY created_at, id'),
    );
    return rows.map(principalOf);
  }

  /** Revokes a credential. */
  async revoke(id: string, now: number): Promise<void> {
    await this.#store.write(async (sql) => {
      const [row] = await sql.all('SELECT * FROM credentials WHERE id = ? AND revoked_at IS NULL', id);
      if (row === undefined) throw new UnknownCredential(`there is no credential ${id}`);
      await sql.run('UPDATE credentials SET revoked_at = ? WHERE id = ?', now, id);
      const { user, tenant, agent } = principalOf(row);
      const details = { credential: id };
      await this.#audit.insert(sql, [
        { time: now, event_type: 'credential_revoked', user, tenant, agent: agent ?? '', details },
      ]);
    });
  }

  #hash(token: string): string {
    return this.#keys.mac('credential', token);
  }
}

function principalOf(row: Row): Principal {
  return {
    credential: String(row['id']),
    scope: row['scope'] as Scope,
    user: String(row['user_id']),
    tenant: String(row['tenant']),
    agent: row['agent'] === null ? null : String(row['agent']),
  };
}
