// Grants: a standing yes that a person made for one effect in one workspace; signed, expiring, revocable.

import { randomUUID } from 'node:crypto';
import { type Context, type Grant, SallyportError } from '../core/index.ts';
import type { Reader, Signer, Verifier } from './approvals.ts';
import type { AuditLog } from './audit.ts';
import type { Store } from './store.ts';

/** No grant has this id, or it is revoked already. */
export class UnknownGrant extends SallyportError {}

/** The longest that a grant may stand. */
export const longestGrantMs = 30 * 24 * 60 * 60 * 1000;

function payload(grant: Grant): readonly (string | number)[] {
  const { id, effect, user, tenant, agent, workspace, createdAt, expiresAt } = grant;
  return ['sallyport.grant.v1', id, effect, user, tenant, agent, workspace, createdAt, expiresAt];
}

export class Grants {
  readonly #store: Store;
  readonly #audit: AuditLog;
  readonly #verify: Verifier;

  constructor(store: Store, audit: AuditLog, verify: Verifier) {
    this.#store = store;
    this.#audit = audit;
    this.#verify = verify;
  }

  /** Makes one grant for each effect, for the context in which it was asked. */
  make(
    effects: readonly string[],
    context: Context,
    lifeMs: number,
    signer: Signer,
    now: number,
  ): readonly Grant[] {
    const expiresAt = now + Math.min(lifeMs, longestGrantMs);
    const { user, tenant, agent, workspace } = context;
    return this.#store.write(() =>
      effects.map((effect) => {
        const grant: Grant = {
          id: randomUUID().slice(0, 8),
          effect,
          user,
          tenant,
          agent,
          workspace,
          createdAt: now,
          expiresAt,
        };
        this.#store
          .statement(
            `INSERT INTO grants (id, effect, user, tenant, agent, workspace, created_at, expires_at, signature)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          )
          .run(grant.id, effect, user, tenant, agent, workspace, now, expiresAt, signer.sign(payload(grant)));
        this.#audit.insert({
          time: now,
          event_type: 'grant_made',
          user,
          tenant,
          agent,
          details: { grant: grant.id, effect, workspace, expires_at: expiresAt },
        });
        return grant;
      }),
    );
  }

  /** Those of the effects that a grant covers in this context. */
  covered(effects: readonly string[], context: Context, now: number): ReadonlySet<string> {
    const covered = new Set<string>();
    for (const effect of effects) {
      const rows = this.#store.read(() =>
        this.#store
          .statement(
            `SELECT * FROM grants WHERE tenant = ? AND user = ? AND workspace = ? AND effect = ? AND agent = ?
             AND revoked_at IS NULL`,
          )
          .all(context.tenant, context.user, context.workspace, effect, context.agent),
      );
      if (rows.some((row) => this.#counts(row, now))) covered.add(effect);
    }
    return covered;
  }

  /** The grants that stand, newest first. */
  list(reader: Reader, now: number): readonly Grant[] {
    return this.#store.read(() =>
      this.#store
        .statement('SELECT * FROM grants WHERE revoked_at IS NULL ORDER BY created_at DESC, id')
        .all()
        .filter((row) => this.#counts(row, now))
        .map(grantOf)
        .filter((grant) => reader.tenant === undefined || grant.tenant === reader.tenant)
        .filter((grant) => reader.user === undefined || grant.user === reader.user)
        .filter((grant) => reader.agent === undefined || grant.agent === reader.agent),
    );
  }

  /** Takes a grant back; from then on the effect is asked for again. */
  revoke(id: string, reader: Reader, now: number): Grant {
    const grant = this.list(reader, now).find((candidate) => candidate.id === id);
    if (grant === undefined) {
      throw new UnknownGrant(`there is no grant ${id}`, { hint: "see 'sallyport grants'" });
    }
    this.#store.write(() => {
      this.#store.statement('UPDATE grants SET revoked_at = ? WHERE id = ?').run(now, id);
      this.#audit.insert({
        time: now,
        event_type: 'grant_revoked',
        user: grant.user,
        tenant: grant.tenant,
        agent: grant.agent,
        details: { grant: id, effect: grant.effect },
      });
    });
    return grant;
  }

  /** INVARIANT: a grant counts only within its time and with the person's signature on all of its fields. */
  #counts(row: Record<string, unknown>, now: number): boolean {
    const grant = grantOf(row);
    if (!(grant.createdAt <= now && now < grant.expiresAt)) return false;
    return this.#verify(payload(grant), String(row['signature']));
  }
}

function grantOf(row: Record<string, unknown>): Grant {
  return {
    id: String(row['id']),
    effect: String(row['effect']),
    user: String(row['user']),
    tenant: String(row['tenant']),
    agent: String(row['agent']),
    workspace: String(row['workspace']),
    createdAt: Number(row['created_at']),
    expiresAt: Number(row['expires_at']),
  };
}
