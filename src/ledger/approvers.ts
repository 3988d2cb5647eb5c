// Whose approval is valid on this store. The log is the only record of approver keys: the first key is created before a
// host is connected, and every later one is valid only if a valid key signed for it. Rows can be deleted; the log
// cannot.

import {
  type ApproverKind,
  type ApproverStatement,
  approverPayload,
  endingPayload,
  isJsonObject,
  type JsonObject,
  type MaybePromise,
  NotAllowed,
  type Payload,
  parseJson,
  purposes,
  SallyportError,
  whenReady,
} from '../core/index.ts';
import {
  type ApproverKey,
  approverEvents,
  digestOf,
  entryIn,
  History,
  isLate,
  lateEvents,
  logSlackMs,
  ownerRole,
  type SignatureCheck,
} from './approver-history.ts';
import { type AuditLog, contentHash, type EventType, type NewEntry } from './audit.ts';
import type { LedgerKeys } from './keys.ts';
import { type Row, replaced, type Sql, type Store } from './store.ts';

/** The key is not a valid approver key of this store. */
export class NotVouchedFor extends SallyportError {}

/**
 * The content that an approver key signs, and the tenant for which it has to be valid; or, for policies, whether it was
 * valid then.
 */
export type Verifier = (
  sql: Sql,
  payload: Payload,
  signature: string,
  tenant: string | null,
  when?: 'now' | 'then',
) => Promise<boolean>;

/** An open key. */
export interface ApproverSigner {
  readonly publicKey: string;
  sign(payload: Payload): string;
}

/** A pending reset, since neither the old nor the recovery key signed it. */
export interface PendingReset {
  readonly key: string;
  readonly name: string;
  readonly countsFrom: number;
}

/** The actor, for the log. */
interface Actor {
  readonly user: string;
  readonly tenant: string;
}

/** A user in a home's configuration. */
export interface UserKey {
  readonly key: string;
  readonly name: string;
  readonly role: string;
  readonly tenant: string | null;
}

/** The facts that a home stores about the approvers of a store. */
export interface Pin {
  /** The first key of the store. */
  readonly root: string;
  /** The number of entries about approvers, and their digest. */
  readonly record: string;
}

/** Signatures that are remembered. */
const mostRemembered = 1000;
/** Longer than any transaction that a server still answers, in milliseconds. */
const longestTransaction = 60_000;
/** The lock under which one daemon at a time changes the approvers, so that positions are in the order of commits. */
const approverLock = 7_216_330_518;

const found = `('${[...approverEvents, ...lateEvents].join("', '")}')`;

/** The part of the log that was read: the digest of each entry about approvers, and its content. */
interface Reading {
  readonly history: History;
  readonly digests: readonly string[];
}

export class Approvers {
  readonly #store: Store;
  readonly #audit: AuditLog;
  readonly #keys: LedgerKeys;
  readonly #check: SignatureCheck;
  readonly #now: () => number;
  /** Signatures that were verified: verifying one takes longer than all other reads of a decision. */
  readonly #good = new Set<string>();
  /** Whether entries are in the order of their times, by their digests: the check scans part of the log. */
  readonly #inOrder = new Map<string, boolean>();
  /** The longest committed reading, and when it last grew. */
  #last: Reading | null = null;
  #grewAt = 0;
  /** How often this process changed the approvers: earlier readings are then discarded. */
  #changes = 0;
  /** Receives entries that are on disk. */
  onDisk: (pin: Pin | null) => void = () => undefined;

  constructor(store: Store, audit: AuditLog, keys: LedgerKeys, check: SignatureCheck, now: () => number) {
    this.#store = store;
    this.#audit = audit;
    this.#keys = keys;
    this.#check = check;
    this.#now = now;
  }

  /** All keys in the log, oldest first. */
  async list(): Promise<readonly ApproverKey[]> {
    return this.#at(await this.#store.read((sql) => this.#history(sql)));
  }

  /** The valid keys of this home's owner when they were last read; null if they never were. */
  ownerKeys(): readonly string[] | null {
    if (this.#last === null) return null;
    const owned = this.#at(this.#last.history).filter(
      ({ state, role, kind, home }) =>
        state === 'counts' && role === ownerRole && kind !== 'recovery' && home === this.#audit.chain,
    );
    return owned.map(({ key }) => key);
  }

  /** The first key of the store; null if there is none yet. */
  async first(): Promise<string | null> {
    return (await this.#store.read((sql) => this.#history(sql))).root;
  }

  /** The entries that this home must find whenever it opens the store; null if there is no first key yet. */
  async pin(): Promise<Pin | null> {
    await this.list();
    return pinOf(this.#last);
  }

  /** Whether the log still begins with the entries that were pinned. */
  async holds(pin: Pin): Promise<boolean> {
    await this.list();
    const { history, digests = [] } = this.#last ?? {};
    const [count = ''] = pin.record.split(' ');
    return history?.root === pin.root && recordOf(digests.slice(0, Number(count))) === pin.record;
  }

  /** The pending reset, if there is one. */
  pendingReset(): MaybePromise<PendingReset | null> {
    return whenReady(this.#recalled(), (history) => this.#pending(history));
  }

  /** Whether a key is valid now. */
  counts(key: string): MaybePromise<boolean> {
    return whenReady(this.#recalled(), (history) =>
      this.#at(history).some((known) => known.key === key && known.state === 'counts'),
    );
  }

  /** Whether a key that is valid and authorized now signed this; `verify` does the same inside a transaction. */
  isSigned(payload: Payload, signature: string, tenant: string | null): MaybePromise<boolean> {
    return whenReady(this.#recalled(), (history) =>
      history.isSigned(payload, signature, tenant, this.#now()),
    );
  }

  #recalled(): MaybePromise<History> {
    return this.#store.recall(`approvers ${this.#changes}`, (sql) => this.#history(sql));
  }

  #pending(history: History): PendingReset | null {
    const reset = history.resetsAt(this.#now()).at(-1);
    if (reset === undefined) return null;
    const { key, name } = reset.statement;
    return { key, name, countsFrom: reset.from };
  }

  /** The statement of a key of this home about itself; the caller adds its identity. */
  statement(
    kind: ApproverKind,
    fields: Pick<ApproverStatement, 'key' | 'name' | 'role'> & Partial<ApproverStatement>,
  ): ApproverStatement {
    return {
      ...{ store: this.#keys.storeId, kind, tenant: null, home: this.#audit.chain },
      ...{ credential: null, replaces: null, at: this.#now() },
      ...fields,
    };
  }

  /** Records a key that `by` signs for; the first key of a store signs for itself. Throws `NotVouchedFor`. */
  async add(statement: ApproverStatement, by: ApproverSigner, actor: Actor): Promise<ApproverKey> {
    return await this.record(statement, by.publicKey, by.sign(approverPayload(statement)), actor);
  }

  /** Records a key with a signature that was made elsewhere. */
  async record(
    statement: ApproverStatement,
    by: string,
    signature: string,
    actor: Actor,
  ): Promise<ApproverKey> {
    const inForce = (history: History) =>
      this.#at(history).findLast(
        (known) => (known.state === 'counts' || known.state === 'waits') && isOf(known, statement),
      );
    const history = await this.#write('approver_added', { ...statement, by, signature }, actor, (after) => {
      if (inForce(after) !== undefined) return;
      throw new NotVouchedFor(
        'the key that signed does not count on this store, or may not sign for this one',
        { hint: "see 'sallyport approvers'" },
      );
    });
    const added = inForce(history);
    if (added === undefined) throw new NotVouchedFor('the key was not recorded');
    return added;
  }

  /** Records a key that no approver vouched for yet, so that an approver finds it. */
  async propose(statement: ApproverStatement, by: ApproverSigner, actor: Actor): Promise<void> {
    const signature = by.sign(approverPayload(statement));
    await this.#write('approver_added', { ...statement, by: by.publicKey, signature }, actor);
  }

  /** Ends a key with the signature of a valid one. */
  async end(key: string, by: ApproverSigner, actor: Actor, at: number = this.#now()): Promise<void> {
    const signature = by.sign(endingPayload('ending', this.#keys.storeId, key, at));
    await this.#write('approver_ended', { key, at, by: by.publicKey, signature }, actor, (history) => {
      if (this.#at(history).some((known) => known.key === key && known.state !== 'ended'))
        throw new NotAllowed('this key may not end that one', { hint: "see 'sallyport approvers'" });
    });
  }

  /** Requests a replacement for the owner's key, signed by neither the old nor the recovery key. */
  async requestReset(statement: ApproverStatement, by: ApproverSigner, actor: Actor): Promise<PendingReset> {
    const signature = by.sign(approverPayload(statement));
    const details = { ...statement, by: by.publicKey, signature };
    const history = await this.#write('approver_reset_requested', details, actor, (after) => {
      if (this.#pending(after)?.key === statement.key) return;
      throw new NotVouchedFor('the reset was not recorded: it replaces no key that counts', {
        hint: "see 'sallyport approvers', and check the clock of this machine",
      });
    });
    const pending = this.#pending(history);
    if (pending === null) throw new NotVouchedFor('the reset was not recorded');
    return pending;
  }

  /** Cancels a pending reset. */
  async veto(key: string, by: ApproverSigner, actor: Actor, at: number = this.#now()): Promise<void> {
    const signature = by.sign(endingPayload('veto', this.#keys.storeId, key, at));
    await this.#write('approver_reset_vetoed', { key, at, by: by.publicKey, signature }, actor, (history) => {
      if (history.resetsAt(this.#now()).some(({ statement }) => statement.key === key))
        throw new NotVouchedFor('the key that signed does not count on this store');
    });
  }

  /**
   * Ends the keys of users who were removed from or changed in the configuration of this home. Revoking a right needs
   * no signature; granting one does.
   */
  async keepUsers(users: readonly UserKey[], actor: Actor): Promise<void> {
    const gone = (await this.list()).filter(
      (known) =>
        known.home === this.#audit.chain &&
        (known.kind === 'user' || (known.kind === 'passkey' && known.role !== ownerRole)) &&
        known.state !== 'ended' &&
        !users.some((user) => isSame(user, known)),
    );
    for (const { key } of gone) {
      await this.#write('approver_ended', { key, at: this.#now(), by: null, signature: null }, actor);
    }
  }

  /**
   * Migrates the owner of a store that an older version created, once: the latest key of the home which first chose a
   * passphrase. INVARIANT: it depends on the log alone, so that it does not matter which process opens the store first.
   */
  async adopt(): Promise<void> {
    if ((await this.first()) !== null) return;
    if ((await this.#store.read((sql) => this.#legacyOwner(sql))) === null) return;
    await this.#recorded(async (sql) => {
      const legacy = (await this.#read(sql)).history.root === null ? await this.#legacyOwner(sql) : null;
      if (legacy === null) return null;
      const { key, home, name, tenant } = legacy;
      const statement = { ...this.statement('owner', { key, name, role: ownerRole }), home };
      const signed = await this.#hasLegacyPolicies(sql);
      const details = { ...statement, by: null, signature: null, adopted: true, policies_signed: signed };
      return { type: 'approver_added', details, actor: { user: name, tenant } };
    });
  }

  /** The owner by the entries of an older version, whose key has a row with the store's keyed hash. */
  async #legacyOwner(sql: Sql) {
    const rows = await sql.all(
      `SELECT chain, body FROM audit
       WHERE facet IN (SELECT id FROM facets WHERE event_type = 'passphrase_chosen') AND body IS NOT NULL ORDER BY place`,
    );
    const chosen = rows.map(({ chain, body }) => ({ home: String(chain), ...chosenIn(String(body)) }));
    const last = chosen.findLast(({ home }) => home === chosen[0]?.home);
    if (last === undefined) return null;
    const keys = await this.#legacyKeys(sql, 'SELECT public_key, name, mac FROM approvers');
    return keys.includes(last.key) ? last : null;
  }

  /** Whether the newest policies are as signed by an approver whose signature was valid for an older version. */
  async #hasLegacyPolicies(sql: Sql): Promise<boolean> {
    const newest = await newestSet(sql);
    if (newest === null) return false;
    const keys = [
      ...(await this.#legacyKeys(sql, 'SELECT public_key, name, mac FROM approvers')),
      ...(await this.#legacyKeys(
        sql,
        "SELECT public_key, name, home, role, coalesce(CAST(policies_until AS TEXT), '') AS until, mac FROM people WHERE role = 'admin'",
      )),
    ];
    const payload: Payload = [purposes.policies, newest.version, newest.body];
    return keys.some((key) => this.#signed(key, payload, newest.signature));
  }

  /** The keys of rows that an older version vouched for with the store's keyed hash of all their other columns. */
  async #legacyKeys(sql: Sql, text: string): Promise<readonly string[]> {
    const rows = await sql.all(text);
    const isVouched = ({ mac, ...columns }: Row) =>
      mac === this.#keys.mac('approver', JSON.stringify(Object.values(columns).map(String)));
    return rows.filter(isVouched).map((row) => String(row['public_key']));
  }

  /** Whether a valid and authorized key signed this. */
  readonly verify: Verifier = async (sql, payload, signature, tenant, when = 'now') => {
    const history = await this.#history(sql);
    return (
      history.isSigned(payload, signature, tenant, this.#now()) ||
      (when === 'then' && history.wasSigned(payload, signature))
    );
  };

  /** Whether a key signed this that was valid at a time, and manages the whole store. */
  async signedAt(payload: Payload, signature: string, at: number): Promise<boolean> {
    const history = await this.#store.read((sql) => this.#history(sql));
    history.resetsAt(this.#now());
    return history.signedAt(payload, signature, at);
  }

  /** INVARIANT: the answer depends only on the arguments, so that it is the same whenever it is computed again. */
  readonly #signed: SignatureCheck = (...asked) => {
    const key = JSON.stringify(asked);
    if (this.#good.has(key)) return true;
    if (!this.#check(...asked)) return false;
    if (this.#good.size >= mostRemembered) this.#good.clear();
    this.#good.add(key);
    return true;
  };

  /** Records an event; `demand` throws if it did not have its effect, and nothing is then recorded. */
  async #write(
    type: EventType,
    details: JsonObject,
    actor: Actor,
    demand?: (history: History) => void,
  ): Promise<History> {
    return await this.#recorded(async () => ({ type, details, actor }), demand);
  }

  async #recorded(
    event: (
      sql: Sql,
    ) => Promise<{ readonly type: EventType; readonly details: JsonObject; readonly actor: Actor } | null>,
    demand?: (history: History) => void,
  ): Promise<History> {
    return await this.#store.write(async (sql) => {
      if (this.#store.engine === 'postgres') await sql.run('SELECT pg_advisory_xact_lock(?)', approverLock);
      const said = await event(sql);
      if (said !== null) {
        const newest = await newestSet(sql);
        const { user, tenant } = said.actor;
        const entry: NewEntry = {
          ...{ time: this.#now(), event_type: said.type, user, tenant, agent: '' },
          details: {
            ...said.details,
            policies_until: newest?.version ?? 0,
            policies_digest: newest === null ? '' : digestOf(newest.body),
          },
        };
        await this.#audit.insert(sql, [entry]);
      }
      const reading = await this.#read(sql);
      demand?.(reading.history);
      // INVARIANT: uncommitted entries are not cached; they may never be committed.
      sql.after('commit', () => {
        this.#changes++;
        this.#remember(reading);
      });
      sql.after('disk', () => this.onDisk(pinOf(reading)));
      return reading.history;
    });
  }

  /** The approver keys by the log. */
  async #history(sql: Sql): Promise<History> {
    const reading = await this.#read(sql);
    this.#remember(reading);
    return reading.history;
  }

  #remember(reading: Reading): void {
    const known = this.#last?.digests.length ?? 0;
    // Another transaction may have read, or committed, more meanwhile.
    if (reading.digests.length < known) return;
    if (reading.digests.length > known) this.#grewAt = performance.now();
    this.#last = reading;
  }

  async #read(sql: Sql): Promise<Reading> {
    return await seeingAll(this.#store, sql, async () => {
      const facets = await sql.all(`SELECT id FROM facets WHERE event_type IN ${found}`);
      const rows = await sql.all(
        `SELECT place, salt, body FROM audit
         WHERE facet IN (${['NULL', ...facets.map(() => '?')].join(', ')}) ORDER BY place`,
        ...facets.map(({ id }) => Number(id)),
      );
      const late = this.#last?.history.late ?? false;
      const history = new History(this.#keys.storeId, this.#signed, this.#now(), late);
      const digests: string[] = [];
      for (const { place, salt, body } of rows) {
        const text = String(body);
        const entry = body === null ? null : entryIn(text);
        // INVARIANT: all of an entry is part of its digest; nothing is read from columns that are not.
        const digest = contentHash(String(salt), text);
        // All other entries are written one at a time, so that their order is fixed.
        if (entry === null || !isLate(entry.type)) digests.push(digest);
        if (entry === null) continue;
        const inOrder = await this.#isInOrder(sql, Number(place), digest, entry);
        history.take({ ...entry, inOrder });
      }
      return this.#newest({ history, digests });
    });
  }

  /**
   * Whether no entry before this one is later than it: a writer of the log cannot make a waiting period begin earlier.
   */
  async #isInOrder(
    sql: Sql,
    place: number,
    digest: string,
    { type, time, said }: NonNullable<ReturnType<typeof entryIn>>,
  ): Promise<boolean> {
    const waits =
      type === 'approver_reset_requested' || (type === 'approver_added' && said.by === said.statement?.key);
    if (!waits) return true;
    const known = this.#inOrder.get(digest);
    if (known !== undefined) return known;
    const later = 'SELECT 1 AS found FROM audit WHERE time > ? AND place < ? LIMIT 1';
    const inOrder = (await sql.all(later, time + logSlackMs, place)).length === 0;
    this.#inOrder.set(digest, inOrder);
    return inOrder;
  }

  /** INVARIANT: entries that this process has read stay, in their order and before all others. */
  #newest(reading: Reading): Reading {
    const last = this.#last;
    if (last === null || isBeginning(last, reading)) return reading;
    // A server shows a transaction the state in which it began; commits of others since then apply already.
    const mayBeOlder =
      this.#store.engine === 'postgres' && performance.now() - this.#grewAt < longestTransaction;
    if (mayBeOlder && isBeginning(reading, last)) return last;
    throw this.#store.refuse(
      replaced(`The ledger at ${this.#store.place} no longer says whose approval counts as it did`),
    );
  }

  #at(history: History): readonly ApproverKey[] {
    return history.at(this.#now());
  }
}

/** The approvers are the same for all tenants, also inside a transaction that sees one of them alone. */
async function seeingAll<T>({ engine }: Store, sql: Sql, work: () => Promise<T>): Promise<T> {
  if (engine === 'sqlite') return await work();
  const see = (tenant: string) => sql.run("SELECT set_config('sallyport.tenant', ?, true)", tenant);
  const [row] = await sql.all("SELECT current_setting('sallyport.tenant', true) AS tenant");
  const tenant = String(row?.['tenant'] ?? '');
  if (tenant === '*') return await work();
  await see('*');
  const result = await work();
  await see(tenant);
  return result;
}

/** Whether another reading begins with all of this one. */
function isBeginning({ digests }: Reading, other: Reading): boolean {
  return digests.every((digest, index) => other.digests[index] === digest);
}

function recordOf(digests: readonly string[]): string {
  return `${digests.length} ${digestOf(digests.join('\n'))}`;
}

function pinOf(reading: Reading | null): Pin | null {
  const root = reading?.history.root ?? null;
  return reading === null || root === null ? null : { root, record: recordOf(reading.digests) };
}

/** Whether a key is the subject of a statement, with the same attributes. */
function isOf(known: ApproverKey, statement: ApproverStatement): boolean {
  const { key, kind, name, role, tenant, home } = statement;
  return (
    known.key === key &&
    known.kind === kind &&
    known.home === home &&
    isSame({ key, name, role, tenant }, known)
  );
}

function isSame(user: UserKey, known: ApproverKey): boolean {
  return (
    (known.kind === 'passkey' || user.key === known.key) &&
    user.name === known.name &&
    user.role === known.role &&
    user.tenant === known.tenant
  );
}

function chosenIn(body: string): { readonly key: string; readonly name: string; readonly tenant: string } {
  const entry = parseJson(body);
  const { details, user, tenant } = isJsonObject(entry) ? entry : {};
  const key = isJsonObject(details) ? details['public_key'] : '';
  return { key: String(key), name: String(user ?? ''), tenant: String(tenant ?? '') };
}

/** The newest set of policies as it is stored, or null. */
async function newestSet(
  sql: Sql,
): Promise<{ readonly version: number; readonly body: string; readonly signature: string } | null> {
  const [row] = await sql.all('SELECT * FROM policy_sets ORDER BY version DESC LIMIT 1');
  if (row === undefined) return null;
  const { version, body, signature } = row;
  return { version: Number(version), body: String(body), signature: String(signature) };
}
