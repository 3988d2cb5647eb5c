// Whose approval counts on this store. The log is the only record of approver keys: the first key is made before a host
// is connected, and every later one counts only if a key that counts signed for it. Rows can be deleted; the log cannot.

import {
  type ApproverKind,
  type ApproverStatement,
  approverKinds,
  approverPayload,
  endingPayload,
  isJsonObject,
  type JsonObject,
  NotAllowed,
  type Payload,
  parseJson,
  purposes,
  SallyportError,
} from '../core/index.ts';
import type { AuditLog, EventType, NewEntry } from './audit.ts';
import type { LedgerKeys } from './keys.ts';
import { newestNumber } from './policies.ts';
import { type Row, replaced, type Sql, type Store } from './store.ts';

/** The key is not one whose approval counts here. */
export class NotVouchedFor extends SallyportError {}

/** Checks a signature with one public key. */
export type SignatureCheck = (publicKey: string, payload: Payload, signature: string) => boolean;

/** What an approver key signs, and for whom it has to count. */
export type Verifier = (
  sql: Sql,
  payload: Payload,
  signature: string,
  tenant: string | null,
) => Promise<boolean>;

/** A key while it is open. */
export interface ApproverSigner {
  readonly publicKey: string;
  sign(payload: Payload): string;
}

/** A key that the log knows. */
export interface ApproverKey extends Omit<ApproverStatement, 'at' | 'store' | 'replaces'> {
  /** When it was recorded. */
  readonly since: number;
  /** The key that signed for it; null for the first. */
  readonly vouchedBy: string | null;
  readonly state: 'counts' | 'waits' | 'ended' | 'not vouched for';
  /** When a key that waits begins to count. */
  readonly countsFrom: number | null;
  readonly endedAt: number | null;
  /** The last version of the policies that a key that ended signed. */
  readonly policiesUntil: number;
}

/** A reset that waits, since neither the old nor the recovery key signed it. */
export interface PendingReset {
  readonly key: string;
  readonly name: string;
  readonly countsFrom: number;
}

/** Who acts, for the log. */
interface Actor {
  readonly user: string;
  readonly tenant: string;
}

/** How long a reset waits that neither the old nor the recovery key signed. */
export const resetWaitMs = 24 * 60 * 60 * 1000;
/** How far the clocks of a chain may go back before its times are not believed. */
const clockSlackMs = 5 * 60 * 1000;
/** Signatures that are remembered. */
const mostRemembered = 1000;

/** The entries that say whose approval counts; they are never erased. */
export const approverEvents = [
  'approver_added',
  'approver_ended',
  'approver_reset_requested',
  'approver_reset_vetoed',
] as const satisfies readonly EventType[];

/** Beside them, what makes a first key wait: a host that could have made it, or a store that was lost. */
const found = `('${[...approverEvents, 'host_connected', 'chain_restarted'].join("', '")}')`;

export class Approvers {
  readonly #store: Store;
  readonly #audit: AuditLog;
  readonly #keys: LedgerKeys;
  readonly #check: SignatureCheck;
  readonly #now: () => number;
  /** Signatures that were found good: checking one takes longer than all the rest of a decision's reading. */
  readonly #good = new Set<string>();
  /** What was last read. */
  #last: History | null = null;

  constructor(store: Store, audit: AuditLog, keys: LedgerKeys, check: SignatureCheck, now: () => number) {
    this.#store = store;
    this.#audit = audit;
    this.#keys = keys;
    this.#check = check;
    this.#now = now;
  }

  /** All keys that the log knows, oldest first. */
  async list(): Promise<readonly ApproverKey[]> {
    return this.#at(await this.#store.read((sql) => this.#history(sql)));
  }

  /** The keys of this home's owner that counted when they were last read; null where they never were. */
  ownerKeys(): readonly string[] | null {
    if (this.#last === null) return null;
    const owned = this.#at(this.#last).filter(
      ({ state, role, kind, home }) =>
        state === 'counts' && role === ownerRole && kind !== 'recovery' && home === this.#audit.chain,
    );
    return owned.map(({ key }) => key);
  }

  /** The first key of the store; null where there is none yet. */
  async first(): Promise<string | null> {
    return (await this.#store.read((sql) => this.#history(sql))).root;
  }

  /** The reset that waits now, if one does. */
  pendingReset(): PendingReset | null | Promise<PendingReset | null> {
    const history = this.#recalled();
    return history instanceof Promise
      ? history.then((known) => this.#pending(known))
      : this.#pending(history);
  }

  #pending(history: History): PendingReset | null {
    const reset = history.resets.findLast(({ from }) => this.#now() < from);
    return reset === undefined ? null : { key: reset.key.key, name: reset.key.name, countsFrom: reset.from };
  }

  /** What a key of this home says of itself; the caller adds who it is. */
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
    await this.#write('approver_added', { ...statement, by, signature }, actor, (history) => {
      const key = this.#at(history).findLast((known) => known.key === statement.key);
      if (key?.state === 'counts' || key?.state === 'waits') return;
      throw new NotVouchedFor(
        'the key that signed does not count on this store, or may not sign for this one',
        {
          hint: "see 'sallyport approvers'",
        },
      );
    });
    const added = (await this.list()).findLast(({ key }) => key === statement.key);
    if (added === undefined) throw new NotVouchedFor('the key was not recorded');
    return added;
  }

  /** Records a key that nobody vouched for yet, so that an approver finds it. */
  async propose(statement: ApproverStatement, by: ApproverSigner, actor: Actor): Promise<void> {
    const signature = by.sign(approverPayload(statement));
    await this.#write('approver_added', { ...statement, by: by.publicKey, signature }, actor);
  }

  /** Ends a key with the signature of one that counts. */
  async end(key: string, by: ApproverSigner, actor: Actor): Promise<void> {
    const at = this.#now();
    const signature = by.sign(endingPayload('ending', this.#keys.storeId, key, at));
    await this.#write('approver_ended', { key, at, by: by.publicKey, signature }, actor, (history) => {
      if (this.#at(history).some((known) => known.key === key && known.state !== 'ended'))
        throw new NotAllowed('this key may not end that one', { hint: "see 'sallyport approvers'" });
    });
  }

  /** Asks for another key in the place of the owner's, signed by neither the old nor the recovery key. */
  async requestReset(statement: ApproverStatement, by: ApproverSigner, actor: Actor): Promise<PendingReset> {
    const signature = by.sign(approverPayload(statement));
    await this.#write('approver_reset_requested', { ...statement, by: by.publicKey, signature }, actor);
    const pending = await this.pendingReset();
    if (pending?.key !== statement.key) throw new NotVouchedFor('the reset was not recorded');
    return pending;
  }

  /** Stops a reset that waits. */
  async veto(key: string, by: ApproverSigner, actor: Actor): Promise<void> {
    const at = this.#now();
    const signature = by.sign(endingPayload('veto', this.#keys.storeId, key, at));
    await this.#write('approver_reset_vetoed', { key, at, by: by.publicKey, signature }, actor, (history) => {
      if (history.resets.some((reset) => reset.key.key === key))
        throw new NotVouchedFor('the key that signed does not count on this store');
    });
  }

  /**
   * Ends the keys of users who are not in the configuration of this home any more, or not as they were. Taking a right
   * away needs no signature; giving one does.
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
   * Takes over the owner of a store that an older version made, once: the key that the home which chose a passphrase
   * first chose last. INVARIANT: it depends on the log alone, so that it does not matter who opens the store first.
   */
  async adopt(): Promise<void> {
    if ((await this.#store.read((sql) => this.#history(sql))).root !== null) return;
    await this.#store.write(async (sql) => {
      if ((await this.#history(sql)).root !== null) return;
      const legacy = await this.#legacyOwner(sql);
      if (legacy === null) return;
      const { key, home, name, tenant } = legacy;
      const statement = { ...this.statement('owner', { key, name, role: ownerRole }), home };
      const details = { ...statement, by: null, signature: null, adopted: true };
      await this.#audit.insert(sql, [
        { time: this.#now(), event_type: 'approver_added', user: name, tenant, agent: '', details },
      ]);
    });
  }

  /** The owner by the entries of an older version, whose key has a row with the store's keyed hash. */
  async #legacyOwner(sql: Sql) {
    const rows = await sql.all(
      "SELECT chain, body FROM audit WHERE event_type = 'passphrase_chosen' AND body IS NOT NULL ORDER BY place",
    );
    const chosen = rows.map(({ chain, body }) => ({ home: String(chain), ...chosenIn(String(body)) }));
    const last = chosen.findLast(({ home }) => home === chosen[0]?.home);
    if (last === undefined) return null;
    const [row] = await sql.all('SELECT name, mac FROM approvers WHERE public_key = ?', last.key);
    const mac = this.#keys.mac('approver', JSON.stringify([last.key, String(row?.['name'])]));
    return row?.['mac'] === mac ? last : null;
  }

  /** Whether a key that counts signed this, and may. */
  readonly verify: Verifier = async (sql, payload, signature, tenant) => {
    const history = await this.#history(sql);
    return this.#at(history).some(
      (key) => maySign(key, payload, tenant) && this.#signed(key.key, payload, signature),
    );
  };

  /** INVARIANT: the answer depends on nothing but the arguments, so that it holds whenever it is asked again. */
  #signed(...asked: Parameters<SignatureCheck>): boolean {
    const key = JSON.stringify(asked);
    if (this.#good.has(key)) return true;
    if (!this.#check(...asked)) return false;
    if (this.#good.size >= mostRemembered) this.#good.clear();
    this.#good.add(key);
    return true;
  }

  /** Records an event; `demand` throws where it did not have its effect, and nothing is then recorded. */
  async #write(
    type: EventType,
    details: JsonObject,
    actor: Actor,
    demand?: (history: History) => void,
  ): Promise<void> {
    await this.#store.write(async (sql) => {
      const ends = type === 'approver_added' || type === 'approver_ended';
      const until = ends ? { policies_until: await newestNumber(sql) } : {};
      const { user, tenant } = actor;
      const entry: NewEntry = {
        time: this.#now(),
        event_type: type,
        ...{ user, tenant, agent: '', details: { ...details, ...until } },
      };
      await this.#audit.insert(sql, [entry]);
      demand?.(await this.#history(sql));
    });
  }

  #recalled(): History | Promise<History> {
    return this.#store.recall('approvers', (sql) => this.#history(sql));
  }

  /** Reads what the log says of approver keys; only few entries do. */
  async #history(sql: Sql): Promise<History> {
    const facets = await sql.all(`SELECT id FROM facets WHERE event_type IN ${found}`);
    const history = new History(this.#keys.storeId, (...asked) => this.#signed(...asked));
    if (facets.length === 0 && this.#last === null) return history;
    const rows = await sql.all(
      `SELECT own.place, own.time, own.event_type, own.body, earlier.time AS before FROM audit AS own
       LEFT JOIN audit AS earlier ON earlier.chain = own.chain AND earlier.seq = own.seq - 1
       WHERE own.facet IN (${['NULL', ...facets.map(() => '?')].join(', ')}) AND own.body IS NOT NULL ORDER BY own.place`,
      ...facets.map(({ id }) => Number(id)),
    );
    for (const row of rows) history.take(row);
    const known = this.#last?.root ?? null;
    // INVARIANT: nobody becomes first again, whatever was taken out of the log while this process runs.
    if (known !== null && history.root !== known) {
      throw this.#store.refuse(
        replaced(`The ledger at ${this.#store.place} names another first approver than it did`),
      );
    }
    this.#last = history;
    return history;
  }

  #at(history: History): readonly ApproverKey[] {
    return history.at(this.#now());
  }
}

/** A user of a home's configuration. */
export interface UserKey {
  readonly key: string;
  readonly name: string;
  readonly role: string;
  readonly tenant: string | null;
}

/** The role of whoever owns a home. */
export const ownerRole = 'owner';

function isSame(user: UserKey, known: ApproverKey): boolean {
  return (
    (known.kind === 'passkey' || user.key === known.key) &&
    user.name === known.name &&
    user.role === known.role &&
    user.tenant === known.tenant
  );
}

interface Known {
  readonly statement: ApproverStatement;
  readonly since: number;
  readonly vouchedBy: string | null;
  /** When it begins to count; null where nobody vouched for it. */
  from: number | null;
  ended: { readonly at: number; readonly policiesUntil: number } | null;
}

interface Reset {
  readonly key: ApproverStatement;
  readonly from: number;
  readonly policiesUntil: number;
}

/** What the log says of approver keys, entry by entry. It depends on the log and, for resets that wait, on the time. */
class History {
  readonly #store: string;
  readonly #signed: SignatureCheck;
  #known: Known[] = [];
  #resets: Reset[] = [];
  /** Whether an agent may have run, or a store was lost, before the first key. */
  #late = false;
  /** The first key of the store that was lost. */
  #lostRoot: string | null = null;
  /** The first key of the store. */
  root: string | null = null;

  constructor(store: string, signed: SignatureCheck) {
    this.#store = store;
    this.#signed = signed;
  }

  /** Resets that nobody stopped. */
  get resets(): readonly Reset[] {
    return this.#resets;
  }

  take(row: Row): void {
    const type = String(row['event_type']);
    const said = detailsIn(String(row['body']));
    if (said === null) return;
    if (type === 'host_connected' || type === 'chain_restarted') {
      this.#late = true;
      this.#lostRoot ??= said.lostRoot;
      return;
    }
    const time = Number(row['time']);
    this.#settle(time);
    // INVARIANT: an entry whose time lies before the one it follows was written later than it says.
    const believed = row['before'] == null || time + clockSlackMs >= Number(row['before']);
    if (type === 'approver_added') this.#added(said, time);
    else if (type === 'approver_ended') this.#ended(said, time);
    else if (type === 'approver_reset_vetoed') this.#vetoed(said, time);
    else if (believed) this.#requested(said, time);
  }

  /** The keys as they are at a time. */
  at(now: number): readonly ApproverKey[] {
    this.#settle(now);
    return this.#known.map(({ statement, since, vouchedBy, from, ended }): ApproverKey => {
      const { key, kind, name, role, tenant, home, credential } = statement;
      const state =
        ended !== null ? 'ended' : from === null ? 'not vouched for' : from <= now ? 'counts' : 'waits';
      return {
        ...{ key, kind, name, role, tenant, home, credential, since, vouchedBy, state },
        countsFrom: from,
        endedAt: ended?.at ?? null,
        policiesUntil: ended?.policiesUntil ?? 0,
      };
    });
  }

  /** Puts resets into force whose time has come. */
  #settle(now: number): void {
    for (const reset of this.#resets.filter(({ from }) => from <= now)) {
      this.#resets = this.#resets.filter((one) => one !== reset);
      this.#replace(reset.key, reset.from, reset.policiesUntil);
      this.#add(reset.key, reset.from, null, reset.from);
    }
  }

  #added(said: Said, time: number): void {
    const { statement, by, signature, adopted, policiesUntil } = said;
    if (statement === null || statement.store !== this.#store) return;
    if (this.root === null) {
      // INVARIANT: the first key signs for itself, as an owner; one that an older version made was taken over as it was.
      const own = by === statement.key && this.#signed(by, approverPayload(statement), signature);
      if (statement.kind !== 'owner' || !(own || adopted)) return;
      this.root = statement.key;
      const waits = this.#late && statement.key !== this.#lostRoot;
      this.#add(statement, time, null, waits ? time + resetWaitMs : time);
      return;
    }
    const voucher = this.#counting(by, time);
    const same = this.#known.filter((known) => known.statement.key === statement.key);
    // INVARIANT: the signature for a key that ended does not make it count again; a later one does.
    const fresh = same.every(
      ({ from, ended }) => from === null || (ended !== null && ended.at < statement.at),
    );
    const vouched =
      voucher !== undefined &&
      mayVouch(voucher, statement) &&
      fresh &&
      this.#signed(by, approverPayload(statement), signature);
    if (vouched && statement.replaces !== null) this.#replace(statement, time, policiesUntil);
    if (vouched) this.#known = this.#known.filter((known) => known.from !== null || !same.includes(known));
    if (vouched) this.#add(statement, time, by, time);
    else if (same.length === 0) this.#add(statement, time, null, null);
  }

  #ended({ key, by, signature, at, policiesUntil }: Said, time: number): void {
    const known = this.#known.findLast(({ statement, ended }) => statement.key === key && ended === null);
    if (known === undefined) return;
    const { kind, role } = known.statement;
    // A right that the configuration gave can be taken away by the configuration.
    const unsigned = kind === 'user' || (kind === 'passkey' && role !== ownerRole);
    const ender = this.#counting(by, time);
    const payload = endingPayload('ending', this.#store, key, at);
    const signed =
      ender !== undefined && mayEnd(ender, known.statement) && this.#signed(by, payload, signature);
    if (by === '' ? unsigned : signed) known.ended = { at: time, policiesUntil };
  }

  #requested({ statement, by, signature, policiesUntil }: Said, time: number): void {
    const { root } = this;
    if (statement === null || statement.store !== this.#store || root === null) return;
    const replaced = this.#counting(statement.replaces ?? '', time);
    const fits =
      statement.kind === 'owner' &&
      statement.tenant === null &&
      replaced?.statement.kind === 'owner' &&
      replaced.statement.home === statement.home &&
      by === statement.key &&
      !this.#known.some((known) => known.statement.key === statement.key);
    if (!fits || !this.#signed(by, approverPayload(statement), signature)) return;
    this.#resets.push({ key: statement, from: time + resetWaitMs, policiesUntil });
  }

  #vetoed({ key, by, signature, at }: Said, time: number): void {
    const vetoer = this.#counting(by, time);
    if (vetoer === undefined || vetoer.statement.role !== ownerRole) return;
    if (!this.#signed(by, endingPayload('veto', this.#store, key, at), signature)) return;
    this.#resets = this.#resets.filter((reset) => reset.key.key !== key);
  }

  /** Ends the key that another takes the place of, and with it the passkeys and the recovery key of its owner. */
  #replace({ replaces, home, name }: ApproverStatement, at: number, policiesUntil: number): void {
    for (const known of this.#known) {
      const { statement, ended } = known;
      const ofOwner = statement.home === home && statement.role === ownerRole && statement.kind !== 'owner';
      if (ended === null && (statement.key === replaces || (ofOwner && statement.name === name)))
        known.ended = { at, policiesUntil };
    }
  }

  #add(statement: ApproverStatement, since: number, vouchedBy: string | null, from: number | null): void {
    this.#known.push({ statement, since, vouchedBy, from, ended: null });
  }

  #counting(key: string, now: number): Known | undefined {
    return this.#known.findLast(
      ({ statement, from, ended }) => statement.key === key && ended === null && from !== null && from <= now,
    );
  }
}

/** INVARIANT: nobody signs for more than they may do themselves, and a recovery key only for its own owner's next key. */
function mayVouch({ statement: by }: Known, given: ApproverStatement): boolean {
  const within = by.tenant === null || by.tenant === given.tenant;
  const ofBy = given.home === by.home && given.name === by.name && given.role === by.role;
  if (by.kind === 'recovery')
    return given.kind === 'owner' && ofBy && given.tenant === by.tenant && given.replaces !== null;
  if (given.replaces !== null) return given.kind === 'owner' && given.replaces === by.key && ofBy && within;
  if (by.role === ownerRole) return within;
  if (given.kind === 'passkey') return ofBy && given.tenant === by.tenant;
  return by.role === 'admin' && given.kind === 'user' && within;
}

function mayEnd({ statement: by }: Known, { key, kind, tenant }: ApproverStatement): boolean {
  if (by.key === key || by.kind === 'recovery') return false;
  const within = by.tenant === null || by.tenant === tenant;
  return within && (by.role === ownerRole || (by.role === 'admin' && kind !== 'owner'));
}

/** INVARIANT: a key counts for what its role may do, and one that ended for the policies up to then. */
function maySign(key: ApproverKey, payload: Payload, tenant: string | null): boolean {
  const [purpose, version] = payload;
  const { role, kind, state, policiesUntil } = key;
  const manages = (role === ownerRole || role === 'admin') && kind !== 'recovery';
  if (state === 'ended') return manages && purpose === purposes.policies && Number(version) <= policiesUntil;
  if (state !== 'counts' || kind === 'recovery') return false;
  if (key.tenant !== null && key.tenant !== tenant) return false;
  if (manages) return true;
  // A standing permission is more than an answer.
  return role === 'approver' && purpose === purposes.answer && JSON.stringify(payload[6]) === '[]';
}

/** What an entry says, with nothing in it that is not of its type. */
interface Said {
  readonly statement: ApproverStatement | null;
  readonly key: string;
  readonly at: number;
  readonly by: string;
  readonly signature: string;
  readonly adopted: boolean;
  readonly policiesUntil: number;
  readonly lostRoot: string | null;
}

function detailsIn(body: string): Said | null {
  const entry = parseJson(body);
  const details = isJsonObject(entry) ? entry['details'] : undefined;
  if (!isJsonObject(details)) return null;
  const text = (name: string) => (typeof details[name] === 'string' ? details[name] : '');
  const number = (name: string) => (typeof details[name] === 'number' ? details[name] : 0);
  const orNull = (name: string) => (typeof details[name] === 'string' ? details[name] : null);
  const kind = approverKinds.find((known) => known === details['kind']);
  const key = text('key');
  return {
    statement:
      kind === undefined
        ? null
        : {
            ...{ store: text('store'), key, kind, name: text('name'), role: text('role') },
            ...{ tenant: orNull('tenant'), home: text('home'), credential: orNull('credential') },
            ...{ replaces: orNull('replaces'), at: number('at') },
          },
    ...{ key, at: number('at'), by: text('by'), signature: text('signature') },
    adopted: details['adopted'] === true && details['by'] === null,
    policiesUntil: number('policies_until'),
    lostRoot: orNull('lost_root'),
  };
}

function chosenIn(body: string): { readonly key: string; readonly name: string; readonly tenant: string } {
  const entry = parseJson(body);
  const { details, user, tenant } = isJsonObject(entry) ? entry : {};
  const key = isJsonObject(details) ? details['public_key'] : '';
  return { key: String(key), name: String(user ?? ''), tenant: String(tenant ?? '') };
}
