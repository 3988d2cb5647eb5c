// Credentials: bearer tokens with one scope each, mapping to a user, a tenant and perhaps an agent.

import { randomBytes, randomUUID } from 'node:crypto';
import { SallyportError } from '../core/index.ts';
import type { AuditLog } from './audit.ts';
import type { LedgerKeys } from './keys.ts';
import type { Store } from './store.ts';

export const scopes = ['decide', 'approve', 'admin'] as const;
export type Scope = (typeof scopes)[number];

/** Who a request comes from, as far as the credential proves it. */
export interface Principal {
  readonly credential: string;
  readonly scope: Scope;
  readonly user: string;
  readonly tenant: string;
  /** The agent that the credential is bound to; null where the request may name one. */
  readonly agent: string | null;
}

/** No credential has this id, or it is revoked already. */
export class UnknownCredential extends SallyportError {}

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

  /** Makes a credential; the token is shown once and only its keyed hash is kept. */
  make(
    owner: Omit<Principal, 'credential'>,
    now: number,
  ): { readonly token: string; readonly principal: Principal } {
    const token = prefix + randomBytes(32).toString('base64url');
    const principal: Principal = { ...owner, credential: randomUUID().slice(0, 8) };
    const { credential: id, scope, user, tenant, agent } = principal;
    this.#store.write(() => {
      this.#store
        .statement(
          'INSERT INTO credentials (id, hash, scope, user, tenant, agent, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
        )
        .run(id, this.#hash(token), scope, user, tenant, agent, now);
      this.#audit.insert({
        time: now,
        event_type: 'credential_made',
        user,
        tenant,
        agent: agent ?? '',
        details: { credential: id, scope },
      });
    });
    return { token, principal };
  }

  /** The principal of a token, or undefined. */
  find(token: string): Principal | undefined {
    if (!token.startsWith(prefix)) return undefined;
    const row = this.#store.read(() =>
      this.#store
        .statement('SELECT * FROM credentials WHERE hash = ? AND revoked_at IS NULL')
        .get(this.#hash(token)),
    );
    return row === undefined ? undefined : principalOf(row);
  }

  list(): readonly Principal[] {
    return this.#store.read(() =>
      this.#store
        .statement('SELECT * FROM credentials WHERE revoked_at IS NULL ORDER BY created_at')
        .all()
        .map(principalOf),
    );
  }

  /** Ends a credential. */
  revoke(id: string, now: number): void {
    this.#store.write(() => {
      const row = this.#store
        .statement('UPDATE credentials SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL RETURNING *')
        .get(now, id);
      if (row === undefined) throw new UnknownCredential(`there is no credential ${id}`);
      const { user, tenant, agent } = principalOf(row);
      this.#audit.insert({
        time: now,
        event_type: 'credential_revoked',
        user,
        tenant,
        agent: agent ?? '',
        details: { credential: id },
      });
    });
  }

  #hash(token: string): string {
    return this.#keys.mac('credential', token);
  }
}

function principalOf(row: Record<string, unknown>): Principal {
  return {
    credential: String(row['id']),
    scope: row['scope'] as Scope,
    user: String(row['user']),
    tenant: String(row['tenant']),
    agent: row['agent'] === null ? null : String(row['agent']),
  };
}
