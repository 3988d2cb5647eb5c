// Permissions: standing approvals by a user; signed, expiring, revocable, and counted if their uses are limited.

import { hash } from 'node:crypto';
import {
  type Context,
  canonicalJson,
  clockSlackMs,
  countsIn,
  coverings,
  coversFinding,
  type Finding,
  isPending,
  type MaybePromise,
  NotAllowed,
  NotFoundError,
  type Payload,
  type Permission,
  parseJson,
  permissionFields,
  permissionPayload,
  purposes,
  whenReady,
} from '../core/index.ts';
import type { Reader, Signed, Signer } from './approvals.ts';
import { type Approvers, NotVouchedFor } from './approvers.ts';
import type { AuditLog } from './audit.ts';
import type { Row, Sql, Store } from './store.ts';

/** No permission has this id, or it was revoked already. */
export class UnknownPermission extends NotFoundError {}

/** A permission that is not created yet. */
export type ProposedPermission = Omit<Permission, 'id'>;

/**
 * Names permissions: the same for the same answer at the same time, so that a client can sign them before they are
 * created.
 */
export function withIds(source: string, proposed: readonly ProposedPermission[]): readonly Permission[] {
  return proposed.map((one) => {
    const fields = permissionFields({ id: '', ...one });
    const id = hash('sha256', JSON.stringify([source, fields])).slice(0, 8);
    return { id, ...one };
  });
}

export class Permissions {
  readonly #store: Store;
  readonly #audit: AuditLog;
  readonly #approvers: Pick<Approvers, 'isSigned' | 'verify'>;
  /** Locks a row until the transaction ends, if the engine has several writers. */
  readonly #lock: string;

  constructor(store: Store, audit: AuditLog, approvers: Pick<Approvers, 'isSigned' | 'verify'>) {
    this.#store = store;
    this.#audit = audit;
    this.#approvers = approvers;
    this.#lock = store.engine === 'postgres' ? ' FOR UPDATE' : '';
  }

  /** Creates permissions directly, without a question; throws if the signature is not valid. */
  async make(
    proposed: readonly ProposedPermission[],
    signer: Signer,
    now: number,
  ): Promise<readonly Permission[]> {
    const at = signer.elsewhere?.at ?? now;
    if (Math.abs(at - now) > clockSlackMs) {
      throw new NotAllowed('the permission was signed at another time', {
        hint: 'check the clock, then try again',
      });
    }
    const made = withIds(
      'permission',
      proposed.map((one) => ({ ...one, createdAt: at, expiresAt: at + one.expiresAt - one.createdAt })),
    );
    const payload = permissionPayload(made);
    const signature = signer.sign(payload);
    await this.#store.write(async (sql) => {
      for (const { tenant } of made) {
        if (await this.#approvers.verify(sql, payload, signature, tenant)) continue;
        throw new NotVouchedFor('the signature does not count: no approver vouched for this key', {
          hint: "'sallyport approvers' lists whose approval counts",
        });
      }
      await this.insert(sql, made, { payload, signature }, now);
    });
    return made;
  }

  /** Stores permissions that are part of a signed answer, in the transaction of that answer. */
  async insert(
    sql: Sql,
    permissions: readonly Permission[],
    { payload, signature }: Signed,
    now: number,
  ): Promise<void> {
    const signed = canonicalJson([payload, signature]);
    await sql.insert(
      'grants',
      columns,
      permissions.map((one) => [...names.map((name) => one[name]), signed]),
    );
    await this.#audit.insert(
      sql,
      permissions.map(({ id, effect, user, tenant, agent, workspace, expiresAt, covers, session, uses }) => ({
        time: now,
        event_type: 'grant_made' as const,
        ...{ user, tenant, agent },
        details: {
          ...{ grant: id, effect, workspace, expires_at: expiresAt },
          ...(covers === 'effect' ? {} : { covers }),
          ...(session === null ? {} : { session }),
          ...(uses === null ? {} : { uses }),
        },
      })),
    );
  }

  /** For each finding, the narrowest permission that covers it in this context; null if none does. */
  async covering(
    findings: readonly Finding[],
    context: Context,
    now: number,
  ): Promise<readonly (Permission | null)[]> {
    const all = this.#of(context, now);
    const rows = isPending(all) ? await all : all;
    const here = rows
      .map((row) => ({ row, permission: permissionOf(row) }))
      .filter(({ permission }) => countsIn(permission, context, now))
      .sort((a, b) => widthOf(a.permission) - widthOf(b.permission));
    const covering: (Permission | null)[] = [];
    for (const finding of findings) {
      let found: Permission | null = null;
      for (const { row, permission } of here) {
        if (!coversFinding(permission, finding)) continue;
        const stands = this.#stands(row, permission);
        if (!(isPending(stands) ? await stands : stands)) continue;
        found = permission;
        break;
      }
      covering.push(found);
    }
    return covering;
  }

  /**
   * Uses permissions with a limited number of uses; false if one has reached its limit. Those without a limit are
   * recorded with the decision itself.
   */
  async use(permissions: readonly Permission[], decisionId: string, now: number): Promise<boolean> {
    const limited = permissions.filter(({ uses }) => uses !== null);
    if (limited.length === 0) return true;
    return await this.#store.write(async (sql) => {
      for (const { id, user, tenant, agent, uses, createdAt } of limited) {
        // INVARIANT: the row is locked until this is committed, and the log is counted: resetting a row allows nothing.
        await sql.all(`SELECT id FROM grants WHERE id = ?${this.#lock}`, id);
        const whose = { user, tenant, agent };
        const used = await this.#audit.said(sql, 'permission_used', whose, createdAt - clockSlackMs);
        if (used.filter(({ permission }) => permission === id).length >= (uses ?? 0)) return false;
        await this.#audit.insert(sql, [
          {
            time: now,
            event_type: 'permission_used',
            ...whose,
            decision_id: decisionId,
            details: { permission: id },
          },
        ]);
      }
      return true;
    });
  }

  /** The valid permissions of a user at a time, which had not expired when they were looked up. */
  #of({ tenant, user }: Context, now: number): MaybePromise<readonly Row[]> {
    return this.#store.recall(`permissions ${JSON.stringify([tenant, user])}`, (sql) =>
      sql.all(
        'SELECT * FROM grants WHERE tenant = ? AND user_id = ? AND revoked_at IS NULL AND expires_at > ?',
        ...[tenant, user, now],
      ),
    );
  }

  /** The valid permissions, newest first. */
  async list(reader: Reader, now: number): Promise<readonly Permission[]> {
    const rows = await this.#store.read(
      (sql) => sql.all('SELECT * FROM grants WHERE revoked_at IS NULL ORDER BY created_at DESC, id'),
      reader.tenant,
    );
    const permissions: Permission[] = [];
    for (const row of rows) {
      const permission = permissionOf(row);
      const visible =
        (reader.tenant === undefined || permission.tenant === reader.tenant) &&
        (reader.user === undefined || permission.user === reader.user) &&
        (reader.agent === undefined || permission.agent === reader.agent);
      if (visible && isInTime(permission, now) && (await this.#stands(row, permission)))
        permissions.push(permission);
    }
    return permissions;
  }

  /** Revokes a permission; from then on the actions that it covered are asked about again. */
  async revoke(id: string, reader: Reader, now: number): Promise<Permission> {
    const permission = (await this.list(reader, now)).find((candidate) => candidate.id === id);
    if (permission === undefined) {
      throw new UnknownPermission(`there is no permission ${id}`, { hint: "see 'sallyport permissions'" });
    }
    const { user, tenant, agent, effect } = permission;
    await this.#store.write(async (sql) => {
      await sql.run('UPDATE grants SET revoked_at = ? WHERE id = ?', now, id);
      const details = { grant: id, effect };
      await this.#audit.insert(sql, [
        { time: now, event_type: 'grant_revoked', user, tenant, agent, details },
      ]);
    }, reader.tenant);
    return permission;
  }

  /**
   * INVARIANT: a permission is valid only with an approver's signature on all of its fields, and not once it is revoked
   * by the log. The validity of the key is checked each time: when a key ends, its permissions end with it.
   */
  #stands(row: Row, permission: Permission): MaybePromise<boolean> {
    const signed = signedIn(String(row['signature']), permission);
    if (signed === null) return false;
    const counts = this.#approvers.isSigned(signed.payload, signed.signature, permission.tenant);
    return whenReady(counts, (isSigned) =>
      isSigned ? whenReady(this.#revoked(permission), (revoked) => !revoked.has(permission.id)) : false,
    );
  }

  /** The ids of the permissions that were revoked by the log, of those created for the same agent. */
  #revoked({ tenant, user, agent, createdAt }: Permission): MaybePromise<ReadonlySet<unknown>> {
    const whose = { tenant, user, agent };
    return this.#store.recall(`revoked ${JSON.stringify([tenant, user, agent, createdAt])}`, async (sql) => {
      const revoked = await this.#audit.said(sql, 'grant_revoked', whose, createdAt);
      return new Set(revoked.map(({ grant }) => grant));
    });
  }
}

function widthOf({ covers }: Permission): number {
  return coverings.indexOf(covers);
}

/** INVARIANT: a permission is valid only until it expires. */
function isInTime({ createdAt, expiresAt }: Permission, now: number): boolean {
  return createdAt <= now && now < expiresAt;
}

/** The signed data of a permission; null if it is not about this one. */
function signedIn(stored: string, permission: Permission): Signed | null {
  // A signature by an older version covers the grant alone.
  if (!stored.startsWith('['))
    return { payload: [purposes.grant, ...permissionFields(permission)], signature: stored };
  try {
    const [payload, signature] = parseJson(stored) as unknown as readonly [Payload, string];
    const fields = canonicalJson(permissionFields(permission));
    return listedIn(payload).some((one) => canonicalJson(one) === fields) ? { payload, signature } : null;
  } catch {
    return null;
  }
}

/** The permissions that a signature covers. */
function listedIn([purpose, ...rest]: Payload): Parameters<typeof canonicalJson>[0][] {
  const places: Readonly<Record<string, number>> = { [purposes.answer]: 5, [purposes.permission]: 0 };
  const list = rest[places[purpose] ?? rest.length];
  return Array.isArray(list) ? list : [];
}

/** Each field of a permission, by its column. */
const fields = {
  id: 'id',
  effect: 'effect',
  user: 'user_id',
  tenant: 'tenant',
  agent: 'agent',
  workspace: 'workspace',
  createdAt: 'created_at',
  expiresAt: 'expires_at',
  covers: 'covers',
  session: 'session',
  uses: 'uses',
  says: 'says',
} as const satisfies Record<keyof Permission, string>;

const names = Object.keys(fields) as readonly (keyof Permission)[];
const columns = [...names.map((name) => fields[name]), 'signature'];

function permissionOf(row: Row): Permission {
  const text = (name: keyof Permission) => String(row[fields[name]]);
  const covers = coverings.find((one) => one === row[fields.covers]) ?? 'effect';
  const effect = text('effect');
  return {
    ...{ id: text('id'), effect, user: text('user'), tenant: text('tenant') },
    ...{ agent: text('agent'), workspace: text('workspace') },
    createdAt: Number(row[fields.createdAt]),
    expiresAt: Number(row[fields.expiresAt]),
    covers,
    session: row[fields.session] === null ? null : text('session'),
    uses: row[fields.uses] === null ? null : Number(row[fields.uses]),
    // An older version stored no words beside the effect.
    says: row[fields.says] === null ? effect : text('says'),
  };
}
