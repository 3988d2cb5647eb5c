// Durable state: the audit log, approvals, permissions and credentials, on an embedded store or a shared one.

import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import {
  ConflictError,
  canonicalJson,
  isPermittable,
  type JsonObject,
  type JsonValue,
  type Permission,
  type PermissionTerms,
  permissionsFor,
} from '../core/index.ts';
import { type Approval, Approvals, type Reader, type Signed, type Signer } from './approvals.ts';
import { type ApproverKey, ownerRole, type SignatureCheck } from './approver-history.ts';
import { type ApproverSigner, Approvers, type Pin } from './approvers.ts';
import { AuditLog, genesis, type NewEntry } from './audit.ts';
import { Authored } from './authored.ts';
import { Changes } from './changes.ts';
import { Connections } from './connections.ts';
import { Credentials, Tokens } from './credentials.ts';
import { DeferredEntries, isDeferrable, recoverDeferred } from './deferred.ts';
import type { SignedHead } from './heads.ts';
import { LedgerKeys, type VerifyingKey } from './keys.ts';
import { Logins } from './logins.ts';
import { Permissions, withIds } from './permissions.ts';
import { compareWithPinned, HeadFile, HeadKeeper, type Mac, type PinnedHead, tailOf } from './pinned-head.ts';
import { Policies } from './policies.ts';
import type { PostgresOptions } from './postgres.ts';
import { type Receipt, Receipts, type ReceiptsVerification } from './receipts.ts';
import { OpenWork, PausedRuns } from './runs.ts';
import { SessionTextLogs } from './session-texts.ts';
import { type Envelope, signStatement } from './statement.ts';
import { replaced, type Sql, type Store, StoreError, type StoreReplaced } from './store.ts';
import { TreeHeads } from './tree.ts';
import { type Verification, type VerifyOptions, verifyStore } from './verify.ts';

export type { Question } from '../core/signing.ts';
export {
  AlreadyAnswered,
  type Answer,
  type Approval,
  ApprovalExpired,
  type AskOptions,
  type Bound,
  type Earlier,
  questionText,
  type Reader,
  type Signer,
  TooManyPending,
  UnknownApproval,
} from './approvals.ts';
export {
  type ApproverKey,
  approverKey,
  digestOf,
  ownerRole,
  type SignatureCheck,
} from './approver-history.ts';
export { type ApproverSigner, NotVouchedFor, type PendingReset, type UserKey } from './approvers.ts';
export {
  type CountFilter,
  type DecisionCount,
  type Entry,
  type EntryFilter,
  type EventType,
  entry,
  eventTypes,
  type NewEntry,
} from './audit.ts';
export {
  ChangeBusy,
  ChangeEnded,
  type ChangeFile,
  type ChangeHunk,
  type ChangeSet,
  type Chips,
  type HunkDecision,
  type ProposedChange,
  TooManyChanges,
  UnknownChange,
} from './changes.ts';
export type { Connection } from './connections.ts';
export { type Principal, type Scope, scopes } from './credentials.ts';
export { type SessionDigest, sessionsSince } from './digest.ts';
export { checkProof, type ProofDocument, readHeads, readProof, type SignedHead } from './heads.ts';
export { chainIfAny, chainIn, KeyError, operatorKeyFrom, operatorKeyIn } from './keys.ts';
export type { Login, LoginPlace } from './logins.ts';
export { type PassphraseUse, passphraseEntry } from './passphrase.ts';
export { type ProposedPermission, UnknownPermission } from './permissions.ts';
export {
  type GuardOutcome,
  type MissingReference,
  type Receipt,
  type ReceiptBody,
  type ReceiptsVerification,
  receipt,
  receiptsVerification,
  UnknownReceipt,
} from './receipts.ts';
export {
  type PausedRun,
  RunExpired,
  RunTaken,
  TooMuchPaused,
  UnknownRun,
} from './runs.ts';
export { inGroups } from './shares.ts';
export { checkStatement, type Envelope } from './statement.ts';
export {
  StoreDamaged,
  StoreError,
  StoreFull,
  StoreLocked,
  StoreNewer,
  StoreReadOnly,
  StoreReplaced,
  StoreUnreachable,
} from './store.ts';
export { type Verification, verification } from './verify.ts';

/** A standing permission was requested for an action that requires approval every time. */
export class NotPermittable extends ConflictError {}

/** The state of the receipts at some time; an owner who stores it detects a log that was truncated since. */
export interface ChainHead {
  /** The hash of the newest receipt; null if only the log is known. */
  readonly receipt: string | null;
  readonly heads: readonly SignedHead[];
}

/** The store, and its owner. */
export interface LedgerOptions {
  readonly store: { readonly file: string } | PostgresOptions;
  /** The key that wraps the store's own keys; all daemons of a store have the same. */
  readonly operatorKey: Uint8Array;
  /** The chain that this home writes to; one that is created on first use is created once the store is verified. */
  readonly chain: string | ChainName;
  readonly check: SignatureCheck;
  readonly now: () => number;
  /** The earlier state of the store that this home stored; without it, any store is accepted. */
  readonly kept?: HeadPinOptions;
  /** The folder for entries that are acknowledged before they are committed; without it a killed process loses them. */
  readonly deferred?: string;
}

/** The name of a chain that is created on first use. */
export interface ChainName {
  /** Null if it has none yet. */
  readonly known: () => string | null;
  readonly make: () => string;
}

/** The data stored beside the keys, and what happens to a store that does not match it. */
export interface HeadPinOptions {
  /** The file with the newest heads. */
  readonly file: string;
  /** The name of the store's location there. */
  readonly place: string;
  /** Whether this home wrote to a store before, so that there must be one. */
  readonly used: boolean;
  /** A store that lost entries is refused; or it can be read and not written; or the user accepts the loss. */
  readonly loss: 'refuse' | 'show' | { readonly acceptedBy: Acceptor };
}

interface Acceptor {
  readonly user: string;
  readonly tenant: string;
}

export class Ledger {
  readonly audit: AuditLog;
  readonly approvals: Approvals;
  readonly approvers: Approvers;
  readonly connections: Connections;
  readonly changes: Changes;
  readonly permissions: Permissions;
  readonly logins: Logins;
  readonly credentials: Credentials;
  readonly tokens: Tokens;
  readonly policies: Policies;
  readonly heads: TreeHeads;
  readonly work: OpenWork;
  readonly receipts: Receipts;
  readonly runs: PausedRuns;
  /** The texts that sessions read; undefined if no other daemon can share this store. */
  readonly sessionTexts: SessionTextLogs | undefined;
  /** The contents that agents wrote. */
  readonly authored: Authored;
  readonly #store: Store;
  readonly #keys: LedgerKeys;
  readonly #now: () => number;

  readonly #head: HeadKeeper | undefined;
  readonly #deferred: DeferredEntries | undefined;
  #accepted: StoreReplaced | null = null;

  private constructor(store: Store, keys: LedgerKeys, chain: string, options: LedgerOptions) {
    this.#store = store;
    this.#keys = keys;
    this.#now = options.now;
    this.#deferred = options.deferred === undefined ? undefined : new DeferredEntries(options.deferred);
    this.audit = new AuditLog(store, chain, this.#deferred);
    this.approvers = new Approvers(store, this.audit, keys, options.check, options.now);
    this.connections = new Connections(this.audit, this.approvers, keys.storeId);
    this.approvals = new Approvals(store, this.audit, keys, this.approvers.verify);
    this.changes = new Changes(store, this.audit, keys);
    this.permissions = new Permissions(store, this.audit, this.approvers);
    this.logins = new Logins(store, this.audit, keys);
    this.credentials = new Credentials(store, this.audit, keys);
    this.tokens = new Tokens(store);
    this.policies = new Policies(store, this.audit, this.approvers.verify);
    this.heads = new TreeHeads(store, this.audit, keys, options.now);
    this.work = new OpenWork(store, this.audit);
    this.authored = new Authored(store, keys, options.now);
    this.receipts = new Receipts(store, this.audit, options.now, this.authored);
    this.runs = new PausedRuns(store, this.audit, keys);
    this.sessionTexts = store.engine === 'postgres' ? new SessionTextLogs(store, keys) : undefined;
    const { kept } = options;
    if (kept === undefined) return;
    const mark = () =>
      store.write((sql) => sql.run('UPDATE chains SET head_kept = 1 WHERE chain = ?', chain));
    const where = { place: kept.place, store: keys.storeId, chain };
    this.#head = new HeadKeeper(new HeadFile(kept.file), where, macOfHeads(keys), mark);
    this.audit.onDisk = this.#head.onDisk;
    this.approvers.onDisk = this.#head.pin;
  }

  /**
   * Opens a ledger, creating its store and its keys if they do not exist; see `KeptOptions` for one that lost entries.
   */
  static async open(options: LedgerOptions): Promise<Ledger> {
    const { kept, operatorKey, now } = options;
    const chain = chainOf(options);
    const loss = kept?.loss ?? 'refuse';
    const accepts = typeof loss === 'object';
    const file = kept === undefined ? null : new HeadFile(kept.file);
    const missing = missingOf(options, file?.read().heads ?? []);
    if (missing !== null && !accepts && isAbsent(options.store)) throw missing;
    const store = await openStore(options.store);
    try {
      const keys = await LedgerKeys.open(store, operatorKey, now(), accepts ? null : missing);
      const known = () => chain.known() ?? '';
      const log = new AuditLog(store, known());
      const approvers = new Approvers(store, log, keys, options.check, now);
      const holds = (pin: Pin) => approvers.holds(pin);
      const compare = async () =>
        kept === undefined || file === null
          ? { tail: await tailOf(store, chain.known()), kept: null, lost: null }
          : await compareWithPinned(
              file,
              { store, storeId: keys.storeId, place: kept.place, mac: macOfHeads(keys), holds },
              chain.known,
            );
      let found = await compare();
      // Another process of this home may just have created the first head.
      if (found.lost !== null) found = await compare();
      const lost = found.lost ?? (keys.isNew ? missing : null);
      if (lost !== null && loss === 'refuse') throw lost;
      const shows = lost !== null && loss === 'show';
      const ledger = new Ledger(store, keys, shows ? known() : chain.make(), options);
      if (lost !== null && accepts) await ledger.#restart(lost, found.kept, loss.acceptedBy);
      else if (lost !== null) store.refuse(lost);
      else await ledger.#continue(found.tail);
      await ledger.#recover(options.deferred);
      return ledger;
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  /** Continues from the end of the log. */
  async #continue(tail: Parameters<AuditLog['follow']>[0]): Promise<void> {
    this.audit.follow(tail);
    await this.approvers.adopt();
    this.#head?.pin(await this.approvers.pin());
  }

  /** Imports the entries that ended processes left. */
  async #recover(folder: string | undefined): Promise<void> {
    if (folder === undefined || this.refused() !== null) return;
    // A store that cannot be written now can still be read; the entries wait for the next process.
    await recoverDeferred(folder, this.#now(), (left) => this.audit.recover(left)).catch(unlessStoreFailed);
  }

  /** Continues from the remaining entries, and records the loss. */
  async #restart(lost: StoreReplaced, kept: PinnedHead | null, who: Acceptor): Promise<void> {
    const { chain } = this.audit;
    await this.#store.write(async (sql) => {
      const last = 'SELECT seq, hash FROM audit WHERE chain = ? ORDER BY seq DESC LIMIT 1';
      const [end = { seq: 0, hash: genesis }] = await sql.all(last, chain);
      await this.audit.lock(sql);
      const back = 'UPDATE chains SET size = ?, hash = ? WHERE chain = ?';
      await sql.run(back, Number(end['seq']), String(end['hash']), chain);
      const details = {
        reason: lost.message,
        lost_head: kept === null ? null : headOnly(kept),
        lost_root: kept?.approvers?.root ?? null,
      };
      await this.audit.insert(sql, [
        { time: this.#now(), event_type: 'chain_restarted', ...who, agent: '', details },
      ]);
    });
    this.#head?.pin(await this.approvers.pin());
    await this.#head?.restart();
    this.#accepted = lost;
  }

  /** Makes the owner's key the first of this store; throws `NotVouchedFor` if another is first. */
  async enrolOwner(signer: ApproverSigner, who: Acceptor): Promise<ApproverKey> {
    const { publicKey: key } = signer;
    const statement = this.approvers.statement('owner', { key, name: who.user, role: ownerRole });
    return await this.approvers.add(statement, signer, who);
  }

  /** The loss that opening this ledger accepted and recorded; null where nothing was lost. */
  get accepted(): StoreReplaced | null {
    return this.#accepted;
  }

  /** The reason why every decision is a block, or null: the store was removed, replaced or truncated. */
  refused(): StoreReplaced | null {
    return this.#store.refused();
  }

  /**
   * A new id, in the format of UUID version 7: ids are in the order of time, so that the pages of an index fill in
   * turn.
   */
  newId(): string {
    const time = this.#now().toString(16).padStart(12, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
  }

  /** Writes an entry; durable ones are on disk when this resolves, deferred ones shortly after. */
  record(entry: NewEntry, durable: boolean): Promise<void> | undefined {
    return durable || !isDeferrable(entry) ? this.audit.append(entry) : this.audit.appendLater(entry);
  }

  /**
   * A keyed hash of a value, equal for equal values. The value is passed as a function, so that a dry run need not
   * compute it.
   */
  fingerprint(purpose: string, value: () => JsonValue): string {
    return this.#keys.mac(purpose, canonicalJson(value()));
  }

  /** A secret for one purpose, the same for every daemon on this store. */
  secretFor(purpose: string): Uint8Array {
    return Buffer.from(this.#keys.mac('secret', purpose), 'base64url');
  }

  /** An approval of this action, and a standing permission for the effect that it asked about. */
  async approveForGood(
    id: string,
    by: string,
    signer: Signer,
    reader: Reader,
    terms: PermissionTerms,
    now: number,
  ): Promise<{ readonly approval: Approval; readonly permissions: readonly Permission[] }> {
    const { question } = await this.approvals.show(id, reader, now);
    const asked = (question?.findings ?? []).filter(({ decision }) => decision === 'approve');
    if (!asked.every(isPermittable)) {
      throw new NotPermittable('this kind of action is asked about every time, and no permission covers it', {
        hint: `approve it once: sallyport approve ${id}`,
      });
    }
    const at = signer.elsewhere?.at ?? now;
    const permissions =
      question === null ? [] : withIds(id, permissionsFor(asked, question.context, terms, at));
    const insert = (sql: Sql, signed: Signed) => this.permissions.insert(sql, permissions, signed, now);
    const approval = await this.approvals.answer(id, 'approve', by, signer, reader, now, permissions, insert);
    return { approval, permissions };
  }

  /** All public keys, current and past, by their ids. */
  async publicKeys(): Promise<ReadonlyMap<string, VerifyingKey>> {
    return await this.#keys.verifying();
  }

  /** Creates a new signing key; signatures of the old one stay verifiable. */
  async rotateKey(who: { readonly user: string; readonly tenant: string }, now: number): Promise<string> {
    return await this.#store.write(async (sql) => {
      const id = await this.#keys.rotate(sql, now);
      const entry = {
        time: now,
        event_type: 'key_rotated' as const,
        ...who,
        agent: '',
        details: { key: id },
      };
      await this.audit.insert(sql, [entry]);
      return id;
    });
  }

  /** A signed statement about one change, for those who do not have this ledger. */
  async statementOf(receipt: Receipt): Promise<Envelope> {
    return signStatement(receipt, await this.#keys.signing());
  }

  /** Reads every chain of the store, and compares it with the state known to this home; see `verifyStore`. */
  async verify(options: Partial<VerifyOptions> = {}): Promise<Verification> {
    const found = await verifyStore(this.#store, { keys: await this.#keys.verifying(), ...options });
    const refused = this.refused();
    if (refused === null) return found;
    const { chain } = this.audit;
    const seq = found.chains.find((walked) => walked.chain === chain)?.entries ?? 0;
    return { ...found, problems: [{ chain, seq: seq + 1, problem: refused.message }, ...found.problems] };
  }

  /** The newest receipt, and signed heads that cover it and all before it. */
  async chainHead(): Promise<ChainHead> {
    const receipt = await this.receipts.head();
    await this.heads.sign();
    return { receipt, heads: await this.heads.newest() };
  }

  /** Verifies every receipt, the links between them and the log that contains them; with stored heads, its end too. */
  async verifyReceipts(kept: readonly ChainHead[] = []): Promise<ReceiptsVerification> {
    const { receipts, mismatch } = await this.receipts.verify();
    const log = await this.verify({ held: kept.flatMap(({ heads }) => heads) });
    const found = [
      ...mismatch,
      ...log.problems.map(({ chain, seq, problem }) => ({
        receipt_id: null,
        problem: `entry ${seq} of chain ${chain}: ${problem}`,
      })),
    ];
    for (const { receipt } of kept) {
      if (receipt !== null && !(await this.receipts.has(receipt)))
        found.push({ receipt_id: null, problem: `the receipt with the hash ${receipt} is gone` });
    }
    return { valid: found.length === 0, receipts, mismatch: found };
  }

  /** The underlying store, for maintenance and moving. */
  get store(): Store {
    return this.#store;
  }

  /** Writes pending entries and closes the store. */
  async close(): Promise<void> {
    // A head that cannot be written is older than the store, which is allowed; a full disk is reported by the store
    // itself.
    const keepHead = async () => await this.#head?.flush().catch(() => undefined);
    try {
      await this.audit.drain();
    } finally {
      this.#deferred?.close();
      await keepHead();
      await this.#store.close();
    }
    // Deferred entries are on disk now.
    await keepHead();
  }
}

function unlessStoreFailed(error: unknown): void {
  if (!(error instanceof StoreError)) throw error;
}

function chainOf({ chain }: LedgerOptions): ChainName {
  return typeof chain === 'string' ? { known: () => chain, make: () => chain } : chain;
}

/** Why a missing store is an error, or null: this home wrote to one, and it was removed. */
function missingOf({ kept, store }: LedgerOptions, heads: readonly PinnedHead[]): StoreReplaced | null {
  if (kept === undefined) return null;
  const wrote = heads.length === 0 ? kept.used : heads.some(({ place }) => place === kept.place);
  const where = 'file' in store ? store.file : kept.place;
  return wrote ? replaced(`The ledger at ${where} was removed, or replaced by an empty one`) : null;
}

function macOfHeads(keys: LedgerKeys): Mac {
  return (text) => keys.mac('kept head', text);
}

function headOnly({ place, store, chain, seq, hash }: PinnedHead): PinnedHead & JsonObject {
  return { place, store, chain, seq, hash };
}

function isAbsent(store: LedgerOptions['store']): boolean {
  return 'file' in store && (statSync(store.file, { throwIfNoEntry: false })?.size ?? 0) === 0;
}

/** Only the engine that is used is loaded. */
async function openStore(where: LedgerOptions['store']): Promise<Store> {
  if ('file' in where) {
    const { SqliteStore } = await import('./sqlite.ts');
    return await SqliteStore.open(where.file);
  }
  const { PostgresStore } = await import('./postgres.ts');
  return await PostgresStore.open(where);
}
