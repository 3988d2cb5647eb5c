// The approver keys by the log, entry by entry: which key was first, which key vouched for which, which keys ended, and
// which resets are pending. The result depends on the entries and, for pending resets, on the time.

import { roles } from '../config/users.ts';
import {
  type ApproverStatement,
  approverKinds,
  approverPayload,
  endingPayload,
  isJsonObject,
  type JsonObject,
  type Payload,
  parseJson,
  purposes,
} from '../core/index.ts';
import { choice, type Infer, milliseconds, named, nullable, reply, texts, words } from '../core/shape.ts';
import type { EventType } from './audit.ts';

/** Checks a signature with one public key. */
export type SignatureCheck = (publicKey: string, payload: Payload, signature: string) => boolean;

/** The role of the owner of a home. */
export const ownerRole = 'owner';

/** Waiting period of a reset that neither the old nor the recovery key signed. */
const resetWaitMs = 24 * 60 * 60 * 1000;
/** Maximum clock difference between the writers of a log. */
export const logSlackMs = 5 * 60 * 1000;

/** The entries that determine whose approval is valid; they are never erased. */
export const approverEvents = [
  'approver_added',
  'approver_ended',
  'approver_reset_requested',
  'approver_reset_vetoed',
] as const satisfies readonly EventType[];

/** Besides them, the entries that delay a first key: a host that could have made it, or a store that was lost. */
export const lateEvents = ['host_connected', 'chain_restarted'] as const satisfies readonly EventType[];

/** A key in the log. */
export const approverKey = named(
  'ApproverKey',
  reply({
    ...texts('key', 'name', 'role', 'home'),
    kind: choice(approverKinds),
    tenant: nullable(words),
    credential: nullable(words),
    /** When it was recorded. */
    since: milliseconds,
    /** The key that signed for it; null if none did. */
    vouchedBy: nullable(words),
    /** How it became valid: as the first, by a signature, by a reset that was not cancelled, or not at all. */
    origin: choice(['first', 'vouched for', 'reset', 'proposed']),
    state: choice(['counts', 'waits', 'ended', 'not vouched for']),
    /** When a pending key becomes valid. */
    countsFrom: nullable(milliseconds),
    endedAt: nullable(milliseconds),
  }),
);
export type ApproverKey = Infer<typeof approverKey>;
type Origin = ApproverKey['origin'];

/** The newest set of policies at some time. */
export interface PolicyMark {
  readonly version: number;
  readonly digest: string;
}

/** An entry of the log, validated against its type. */
export interface LoggedEntry {
  readonly type: string;
  readonly time: number;
  /** Whether no entry before it in the log has a later time. */
  readonly inOrder: boolean;
  readonly said: Said;
}

/** The content of an entry about keys. */
export interface Said {
  readonly statement: ApproverStatement | null;
  readonly key: string;
  readonly at: number;
  /** The key that signed; empty if none did. */
  readonly by: string;
  readonly signature: string;
  readonly adopted: boolean;
  readonly policies: PolicyMark;
  /** The policies of a migrated store remain as they were signed. */
  readonly policiesSigned: boolean;
  readonly lostRoot: string | null;
}

interface Known {
  readonly statement: ApproverStatement;
  readonly since: number;
  readonly origin: Origin;
  readonly vouchedBy: string | null;
  /** When it becomes valid; null if no approver vouched for it. */
  readonly from: number | null;
  ended: { readonly at: number; readonly policies: PolicyMark } | null;
}

interface Reset {
  readonly statement: ApproverStatement;
  readonly from: number;
  readonly policies: PolicyMark;
}

export class History {
  readonly #store: string;
  readonly #signed: SignatureCheck;
  readonly #readAt: number;
  #known: Known[] = [];
  #resets: Reset[] = [];
  /** The first key of a store that was lost. */
  #lostRoot: string | null = null;
  #adoptedPolicies: PolicyMark | null = null;
  /** The first key of the store. */
  root: string | null = null;
  /** Whether an agent may have run, or a store was lost, before the first key. */
  late: boolean;

  constructor(store: string, signed: SignatureCheck, readAt: number, late: boolean) {
    this.#store = store;
    this.#signed = signed;
    this.#readAt = readAt;
    this.late = late;
  }

  /** The pending resets, oldest first. */
  resetsAt(now: number): readonly { readonly statement: ApproverStatement; readonly from: number }[] {
    this.#settle(now);
    return this.#resets;
  }

  take({ type, time: written, inOrder, said }: LoggedEntry): void {
    // INVARIANT: an entry dated in the future does not shorten a waiting period.
    const time = Math.min(written, this.#readAt);
    this.#settle(time);
    if (type === 'approver_added') this.#added(said, time, inOrder);
    else if (type === 'approver_ended') this.#ended(said, time);
    else if (type === 'approver_reset_vetoed') this.#vetoed(said, time);
    else if (type === 'approver_reset_requested') this.#requested(said, time, inOrder);
    else if (this.root === null && isLate(type)) {
      this.late = true;
      this.#lostRoot ??= said.lostRoot;
    }
  }

  /** The keys as of a time. */
  at(now: number): readonly ApproverKey[] {
    this.#settle(now);
    return this.#known.map((known): ApproverKey => {
      const { since, origin, vouchedBy, from, ended } = known;
      const { key, kind, name, role, tenant, home, credential } = known.statement;
      return {
        ...{ key, kind, name, role, tenant, home, credential, since, origin, vouchedBy },
        ...{ state: stateOf(known, now), countsFrom: from, endedAt: ended?.at ?? null },
      };
    });
  }

  /** Whether a key that is authorized signed this, for a tenant. */
  isSigned(payload: Payload, signature: string, tenant: string | null, now: number): boolean {
    this.#settle(now);
    if (this.#adoptedPolicies !== null && isOf(payload, this.#adoptedPolicies)) return true;
    return this.#known.some(
      (known) =>
        maySign(known, payload, tenant, now) && this.#signed(known.statement.key, payload, signature),
    );
  }

  /** Whether a key signed these policies that may store them, or was allowed to until it ended. */
  wasSigned(payload: Payload, signature: string): boolean {
    return this.#known.some(
      ({ statement, from }) =>
        payload[0] === purposes.policies &&
        from !== null &&
        statement.tenant === null &&
        manages(statement) &&
        this.#signed(statement.key, payload, signature),
    );
  }

  /** Whether a key signed this that was valid at a time, and manages the whole store. */
  signedAt(payload: Payload, signature: string, at: number): boolean {
    return this.#known.some(
      ({ statement, from, ended }) =>
        statement.tenant === null &&
        manages(statement) &&
        from !== null &&
        from <= at &&
        (ended === null || at <= ended.at) &&
        this.#signed(statement.key, payload, signature),
    );
  }

  /**
   * Applies resets whose waiting period is over; if the key to replace has ended meanwhile, there is nothing to
   * replace.
   */
  #settle(now: number): void {
    const due = this.#resets.filter(({ from }) => from <= now).sort((a, b) => a.from - b.from);
    for (const reset of due) {
      const { statement, from, policies } = reset;
      if (!this.#resets.includes(reset)) continue;
      this.#resets = this.#resets.filter((one) => one !== reset);
      const replaced = this.#counting(statement.replaces ?? '', from);
      if (replaced === undefined) continue;
      this.#end(replaced, from, policies);
      this.#add({ statement, since: from, origin: 'reset', vouchedBy: null, from });
    }
  }

  #added(said: Said, time: number, inOrder: boolean): void {
    const { statement, by, signature, policies } = said;
    if (statement === null || !this.#isSound(statement, time)) return;
    if (this.root === null) {
      this.#first(said, statement, time, inOrder);
      return;
    }
    const isSigned = () => this.#signed(by, approverPayload(statement), signature);
    const same = this.#known.filter((known) => known.statement.key === statement.key);
    const voucher = this.#counting(by, time)?.statement;
    // INVARIANT: the signature for a key that ended does not make it valid again; a later one does.
    const isFresh = same.every(
      ({ from, ended }) => from === null || (ended !== null && ended.at < statement.at),
    );
    if (voucher !== undefined && isFresh && this.#mayVouch(voucher, statement, time) && isSigned()) {
      const replaced = this.#counting(statement.replaces ?? '', time);
      if (replaced !== undefined) this.#end(replaced, time, policies);
      this.#add({ statement, since: time, origin: 'vouched for', vouchedBy: by, from: time });
    } else if (by === statement.key && same.every(({ from, ended }) => from === null || ended !== null)) {
      // INVARIANT: until another key vouches for it, only the key itself states its owner.
      if (isSigned()) this.#add({ statement, since: time, origin: 'proposed', vouchedBy: null, from: null });
    }
  }

  /**
   * INVARIANT: the first key signs for itself, as an owner; one that an older version created was migrated unchanged.
   */
  #first(said: Said, statement: ApproverStatement, time: number, inOrder: boolean): void {
    const { kind, key, tenant, replaces } = statement;
    const own = said.by === key && this.#signed(key, approverPayload(statement), said.signature);
    if (kind !== 'owner' || tenant !== null || replaces !== null || !(own || said.adopted)) return;
    const waits = this.late && key !== this.#lostRoot;
    if (waits && !inOrder) return;
    this.root = key;
    if (said.adopted && said.policiesSigned) this.#adoptedPolicies = said.policies;
    this.#add({
      ...{ statement, since: time, origin: 'first', vouchedBy: null },
      from: waits ? time + resetWaitMs : time,
    });
  }

  #ended({ key, by, signature, at, policies }: Said, time: number): void {
    const known = this.#known.findLast(({ statement, ended }) => statement.key === key && ended === null);
    if (known === undefined) return;
    const { kind, role, at: made } = known.statement;
    // A right that the configuration granted can be revoked by the configuration.
    const unsigned = kind === 'user' || (kind === 'passkey' && role !== ownerRole);
    const ender = this.#counting(by, time)?.statement;
    const signed =
      ender !== undefined &&
      mayEnd(ender, known.statement) &&
      // The end of a key is void if the key was vouched for again since.
      at >= made &&
      this.#signed(by, endingPayload('ending', this.#store, key, at), signature);
    if (by === '' ? unsigned : signed) this.#end(known, time, policies);
  }

  #requested({ statement, by, signature, policies }: Said, time: number, inOrder: boolean): void {
    if (statement === null || !inOrder || !this.#isSound(statement, time)) return;
    const replaced = this.#counting(statement.replaces ?? '', time)?.statement;
    const fits =
      statement.kind === 'owner' &&
      replaced?.kind === 'owner' &&
      isSamePerson(replaced, statement) &&
      by === statement.key &&
      !this.#known.some((known) => known.statement.key === statement.key);
    if (!fits || !this.#signed(by, approverPayload(statement), signature)) return;
    this.#resets.push({ statement, from: time + resetWaitMs, policies });
  }

  #vetoed({ key, by, signature, at }: Said, time: number): void {
    const vetoer = this.#counting(by, time)?.statement;
    if (vetoer === undefined || vetoer.role !== ownerRole || vetoer.kind === 'recovery') return;
    if (!this.#signed(by, endingPayload('veto', this.#store, key, at), signature)) return;
    const stops = ({ statement }: Reset) => statement.key === key && isWithin(vetoer, statement);
    this.#resets = this.#resets.filter((reset) => !stops(reset));
  }

  /** Ends a key, and with it the passkeys and the recovery key of its owner, and resets that would replace it. */
  #end(ending: Known, at: number, policies: PolicyMark): void {
    const { statement } = ending;
    const isMain = statement.kind === 'owner' || statement.kind === 'user';
    for (const known of this.#known) {
      const { kind } = known.statement;
      const ofPerson =
        isMain && (kind === 'passkey' || kind === 'recovery') && isSamePerson(known.statement, statement);
      if (known.ended !== null || (known !== ending && !ofPerson)) continue;
      // INVARIANT: no key ends before it was created, or the signature for it would be valid once more.
      known.ended = { at: Math.max(at, known.statement.at), policies };
    }
    this.#resets = this.#resets.filter((reset) => reset.statement.replaces !== statement.key);
  }

  /** Adds a key; its proposals are discarded. */
  #add(added: Omit<Known, 'ended'>): void {
    const { key } = added.statement;
    const others = this.#known.filter(({ statement, from }) => statement.key !== key || from !== null);
    this.#known = [...others, { ...added, ended: null }];
  }

  #counting(key: string, now: number): Known | undefined {
    return this.#known.findLast((known) => known.statement.key === key && stateOf(known, now) === 'counts');
  }

  /**
   * INVARIANT: a statement is about this store, has a time in the past, and gives a role that its kind of key allows.
   */
  #isSound({ store, kind, role, replaces, at }: ApproverStatement, time: number): boolean {
    const isUser = (roles as readonly string[]).includes(role);
    const isOwner = role === ownerRole;
    const fits = kind === 'user' ? isUser : kind === 'passkey' ? isUser || isOwner : isOwner;
    return (
      store === this.#store && fits && at <= time + logSlackMs && (replaces === null || kind === 'owner')
    );
  }

  /** INVARIANT: no key signs for more rights than it has itself, and a recovery key only for its owner's next key. */
  #mayVouch(by: ApproverStatement, given: ApproverStatement, time: number): boolean {
    if (given.replaces !== null) {
      const replaced = this.#counting(given.replaces, time)?.statement;
      if (replaced?.kind !== 'owner' || !isSamePerson(replaced, given)) return false;
      return by.key === replaced.key || (by.kind === 'recovery' && isSamePerson(by, given));
    }
    if (by.kind === 'recovery') return false;
    if (given.kind === 'passkey' || given.kind === 'recovery') return isSamePerson(by, given);
    if (by.role === ownerRole) return isWithin(by, given);
    return by.role === 'admin' && given.kind === 'user' && given.home === by.home && isWithin(by, given);
  }
}

function stateOf({ from, ended }: Known, now: number): ApproverKey['state'] {
  if (ended !== null) return 'ended';
  if (from === null) return 'not vouched for';
  return from <= now ? 'counts' : 'waits';
}

/** Whether a key has all rights of another one. */
function isWithin(by: ApproverStatement, { tenant }: ApproverStatement): boolean {
  return by.tenant === null || by.tenant === tenant;
}

function isSamePerson(one: ApproverStatement, other: ApproverStatement): boolean {
  return (
    one.home === other.home &&
    one.name === other.name &&
    one.role === other.role &&
    one.tenant === other.tenant
  );
}

function mayEnd(by: ApproverStatement, ended: ApproverStatement): boolean {
  if (by.key === ended.key || by.kind === 'recovery' || !isWithin(by, ended)) return false;
  return by.role === ownerRole || (by.role === 'admin' && ended.role !== ownerRole);
}

/** Whether a key may create standing permissions and store policies, besides answers. */
function manages({ role, kind }: ApproverStatement): boolean {
  return (role === ownerRole || role === 'admin') && kind !== 'recovery';
}

/** INVARIANT: a key is valid for the rights of its role, and one that ended for the policies as they were then. */
function maySign(known: Known, payload: Payload, tenant: string | null, now: number): boolean {
  const { role, tenant: own } = known.statement;
  if (own !== null && own !== tenant) return false;
  const { ended } = known;
  if (ended !== null) return manages(known.statement) && known.from !== null && isOf(payload, ended.policies);
  if (stateOf(known, now) !== 'counts') return false;
  if (manages(known.statement)) return true;
  // A standing permission is more than an answer.
  return role === 'approver' && payload[0] === purposes.answer && JSON.stringify(payload[6]) === '[]';
}

/** Whether these are the newest policies at the mark. */
function isOf([purpose, version, body]: Payload, { version: marked, digest }: PolicyMark): boolean {
  return purpose === purposes.policies && version === marked && digestOf(String(body)) === digest;
}

/** The digest that signatures and entries use to name a text. */
export function digestOf(text: string): string {
  return process.getBuiltinModule('node:crypto').hash('sha256', text, 'base64url');
}

/** Whether a first key is delayed after an entry of this type. */
export function isLate(type: string): boolean {
  return (lateEvents as readonly string[]).includes(type);
}

/** The content of an entry's body, or null if it is not valid. */
export function entryIn(body: string): Omit<LoggedEntry, 'inOrder'> | null {
  const { details, time, event_type: type } = objectIn(body);
  if (!isJsonObject(details)) return null;
  const text = (name: string) => (typeof details[name] === 'string' ? details[name] : '');
  const number = (name: string) => (typeof details[name] === 'number' ? details[name] : 0);
  const orNull = (name: string) => (typeof details[name] === 'string' ? details[name] : null);
  const kind = approverKinds.find((known) => known === details['kind']);
  const key = text('key');
  const said: Said = {
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
    policies: { version: number('policies_until'), digest: text('policies_digest') },
    policiesSigned: details['policies_signed'] === true,
    lostRoot: orNull('lost_root'),
  };
  return { type: String(type), time: Number(time), said };
}

function objectIn(text: string): JsonObject {
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : {};
  } catch {
    // An unrecognized body has no effect.
    return {};
  }
}
