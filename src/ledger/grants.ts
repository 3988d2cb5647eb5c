// Grants: a standing yes that a person made for one effect in one workspace; signed, expiring, revocable.

import { hash } from 'node:crypto';
import {
  type Context,
  canonicalJson,
  type Grant,
  grantFields,
  isPending,
  type MaybePromise,
  NotFoundError,
  type Payload,
  parseJson,
  purposes,
  whenReady,
} from '../core/index.ts';
import type { Reader, Signed } from './approvals.ts';
import type { Approvers } from './approvers.ts';
import type { AuditLog } from './audit.ts';
import type { Row, Sql, Store } from './store.ts';

/** No grant has this id, or it is revoked already. */
export class UnknownGrant extends NotFoundError {}

/** The longest that a grant may stand. */
export const longestGrantMs = 30 * 24 * 60 * 60 * 1000;

/**
 * The grants for some effects in the context in which they were asked about; they count once they are signed. The same
 * for the same answer at the same time, so that a client can sign them before they are made.
 */
export function proposeGrants(
  approval: string,
  effects: readonly string[],
  { user, tenant, agent, workspace }: Context,
  lifeMs: number,
  now: number,
): readonly Grant[] {
  const expiresAt = now + Math.min(lifeMs, longestGrantMs);
  return effects.map((effect) => {
    const id = hash('sha256', JSON.stringify([approval, effect, now])).slice(0, 8);
    return { id, effect, user, tenant, agent, workspace, createdAt: now, expiresAt };
  });
}

export class Grants {
  readonly #store: Store;
  readonly #audit: AuditLog;
  readonly #approvers: Pick<Approvers, 'isSigned'>;

  constructor(store: Store, audit: AuditLog, approvers: Pick<Approvers, 'isSigned'>) {
    this.#store = store;
    this.#audit = audit;
    this.#approvers = approvers;
  }

  /** Stores grants that are part of a signed answer, in the transaction of that answer. */
  async insert(
    sql: Sql,
    grants: readonly Grant[],
    { payload, signature }: Signed,
    now: number,
  ): Promise<void> {
    const signed = canonicalJson([payload, signature]);
    await sql.insert(
      'grants',
      columns,
      grants.map((grant) => [...grantFields(grant), signed]),
    );
    await this.#audit.insert(
      sql,
      grants.map(({ id, effect, user, tenant, agent, workspace, expiresAt }) => ({
        time: now,
        event_type: 'grant_made' as const,
        ...{ user, tenant, agent },
        details: { grant: id, effect, workspace, expires_at: expiresAt },
      })),
    );
  }

  /** Those of the effects that a grant covers in this context. */
  async covered(effects: readonly string[], context: Context, now: number): Promise<ReadonlySet<string>> {
    const covered = new Set<string>();
    for (const effect of effects) {
      const found = this.#madeFor(effect, context, now);
      for (const row of isPending(found) ? await found : found) {
        const grant = grantOf(row);
        const stands = isInTime(grant, now) && this.#stands(row, grant);
        if (isPending(stands) ? await stands : stands) {
          covered.add(effect);
          break;
        }
      }
    }
    return covered;
  }

  /** The grants for an effect that had not run out when they were looked for. */
  #madeFor(effect: string, context: Context, now: number): MaybePromise<readonly Row[]> {
    const { tenant, user, workspace, agent } = context;
    const whose = [tenant, user, workspace, effect, agent];
    return this.#store.recall(`grants ${JSON.stringify(whose)}`, (sql) =>
      sql.all(
        `SELECT * FROM grants WHERE tenant = ? AND user_id = ? AND workspace = ? AND effect = ? AND agent = ?
         AND revoked_at IS NULL AND expires_at > ?`,
        ...[...whose, now],
      ),
    );
  }

  /** The grants that stand, newest first. */
  async list(reader: Reader, now: number): Promise<readonly Grant[]> {
    const rows = await this.#store.read(
      (sql) => sql.all('SELECT * FROM grants WHERE revoked_at IS NULL ORDER BY created_at DESC, id'),
      reader.tenant,
    );
    const grants: Grant[] = [];
    for (const row of rows) {
      const grant = grantOf(row);
      const visible =
        (reader.tenant === undefined || grant.tenant === reader.tenant) &&
        (reader.user === undefined || grant.user === reader.user) &&
        (reader.agent === undefined || grant.agent === reader.agent);
      if (visible && isInTime(grant, now) && (await this.#stands(row, grant))) grants.push(grant);
    }
    return grants;
  }

  /** Takes a grant back; from then on the effect is asked for again. */
  async revoke(id: string, reader: Reader, now: number): Promise<Grant> {
    const grant = (await this.list(reader, now)).find((candidate) => candidate.id === id);
    if (grant === undefined) {
      throw new UnknownGrant(`there is no grant ${id}`, { hint: "see 'sallyport grants'" });
    }
    const { user, tenant, agent, effect } = grant;
    await this.#store.write(async (sql) => {
      await sql.run('UPDATE grants SET revoked_at = ? WHERE id = ?', now, id);
      const details = { grant: id, effect };
      await this.#audit.insert(sql, [
        { time: now, event_type: 'grant_revoked', user, tenant, agent, details },
      ]);
    }, reader.tenant);
    return grant;
  }

  /**
   * INVARIANT: a grant counts only with an approver's signature on all of its fields, and not once it is revoked by the log.
   * Whose signature counts is asked each time: a key that ended meanwhile takes its grants with it.
   */
  #stands(row: Row, grant: Grant): MaybePromise<boolean> {
    const signed = signedIn(String(row['signature']), grant);
    if (signed === null) return false;
    const counts = this.#approvers.isSigned(signed.payload, signed.signature, grant.tenant);
    return whenReady(counts, (isSigned) =>
      isSigned ? whenReady(this.#revoked(grant), (revoked) => !revoked.has(grant.id)) : false,
    );
  }

  /** The ids of the grants that the log says were revoked, of those made for the same agent. */
  #revoked({ tenant, user, agent, createdAt }: Grant): MaybePromise<ReadonlySet<unknown>> {
    const whose = { tenant, user, agent };
    return this.#store.recall(`revoked ${JSON.stringify([tenant, user, agent, createdAt])}`, async (sql) => {
      const revoked = await this.#audit.said(sql, 'grant_revoked', whose, createdAt);
      return new Set(revoked.map(({ grant }) => grant));
    });
  }
}

/** INVARIANT: a grant counts only within its time. */
function isInTime({ createdAt, expiresAt }: Grant, now: number): boolean {
  return createdAt <= now && now < expiresAt;
}

/** What was signed for a grant; null where that is not about this grant. */
function signedIn(stored: string, grant: Grant): Signed | null {
  // A signature of an older version is about the grant alone.
  if (!stored.startsWith('[')) return { payload: [purposes.grant, ...grantFields(grant)], signature: stored };
  try {
    const [payload, signature] = parseJson(stored) as unknown as readonly [Payload, string];
    const grants = payload[0] === purposes.answer && Array.isArray(payload[6]) ? payload[6] : [];
    const fields = canonicalJson(grantFields(grant));
    return grants.some((one) => canonicalJson(one) === fields) ? { payload, signature } : null;
  } catch {
    return null;
  }
}

const columns = [
  'id',
  'effect',
  'user_id',
  'tenant',
  'agent',
  'workspace',
  'created_at',
  'expires_at',
  'signature',
];

function grantOf(row: Row): Grant {
  return {
    id: String(row['id']),
    effect: String(row['effect']),
    user: String(row['user_id']),
    tenant: String(row['tenant']),
    agent: String(row['agent']),
    workspace: String(row['workspace']),
    createdAt: Number(row['created_at']),
    expiresAt: Number(row['expires_at']),
  };
}
