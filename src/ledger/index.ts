// What must survive: the audit log, approvals, grants and credentials, on one embedded store.

import { randomUUID } from 'node:crypto';
import { canonicalJson, type Grant, type JsonValue, SallyportError } from '../core/index.ts';
import { type Approval, Approvals, type Reader, type Signer, type Verifier } from './approvals.ts';
import { AuditLog, type NewEntry } from './audit.ts';
import { Credentials } from './credentials.ts';
import { Grants } from './grants.ts';
import { openKeys } from './keys.ts';
import { Store } from './store.ts';

export {
  AlreadyAnswered,
  type Answer,
  type Approval,
  ApprovalExpired,
  type AskOptions,
  type Question,
  type Reader,
  type Signer,
  TooManyPending,
  UnknownApproval,
  type Verifier,
} from './approvals.ts';
export {
  type Entry,
  type EntryFilter,
  type EventType,
  eventTypes,
  type NewEntry,
  type Verification,
} from './audit.ts';
export { type Principal, type Scope, scopes } from './credentials.ts';
export { longestGrantMs, UnknownGrant } from './grants.ts';
export { KeyError } from './keys.ts';
export {
  StoreDamaged,
  StoreError,
  StoreFull,
  StoreLocked,
  StoreNewer,
  StoreReadOnly,
} from './store.ts';

/** A standing yes was asked for something that a person must see every time. */
export class NotGrantable extends SallyportError {}

/** Where the ledger lies and whose signature counts. */
export interface LedgerOptions {
  readonly file: string;
  readonly keys: string;
  readonly verify: Verifier;
}

export class Ledger {
  readonly audit: AuditLog;
  readonly approvals: Approvals;
  readonly grants: Grants;
  readonly credentials: Credentials;
  readonly #store: Store;
  readonly #mac: (purpose: string, text: string) => string;

  constructor(options: LedgerOptions) {
    const keys = openKeys(options.keys);
    this.#store = new Store(options.file);
    this.#mac = keys.mac;
    this.audit = new AuditLog(this.#store);
    this.approvals = new Approvals(this.#store, this.audit, keys, options.verify);
    this.grants = new Grants(this.#store, this.audit, options.verify);
    this.credentials = new Credentials(this.#store, this.audit, keys);
  }

  /** A new id for a decision. */
  newId(): string {
    return randomUUID();
  }

  /** Writes an entry; durable ones are on disk when this resolves, others follow shortly. */
  record(entry: NewEntry, durable: boolean): Promise<void> | undefined {
    return durable ? this.audit.append(entry) : this.audit.appendLater(entry);
  }

  /** A keyed hash of a value, the same for the same value. The value is asked for, so that a dry run need not make it. */
  fingerprint(purpose: string, value: () => JsonValue): string {
    return this.#mac(purpose, canonicalJson(value()));
  }

  /** A yes to this action, and a standing one for the effects that it was asked about. */
  approveWithGrant(
    id: string,
    by: string,
    signer: Signer,
    reader: Reader,
    lifeMs: number,
    now: number,
  ): { readonly approval: Approval; readonly grants: readonly Grant[] } {
    const { question } = this.approvals.show(id, reader, now);
    const asked = (question?.findings ?? []).filter(({ decision }) => decision === 'approve');
    const effects = asked.flatMap(({ grant }) => grant ?? []);
    if (question !== null && effects.length < asked.length) {
      throw new NotGrantable('this kind of action is asked for every time and takes no grant', {
        hint: `approve it once: sallyport approve ${id}`,
      });
    }
    const approval = this.approvals.answer(id, 'approve', by, signer, reader, now);
    const grants = question === null ? [] : this.grants.make(effects, question.context, lifeMs, signer, now);
    return { approval, grants };
  }

  /** Writes what waits and closes the store. */
  async close(): Promise<void> {
    try {
      await this.audit.drain();
    } finally {
      this.#store.close();
    }
  }
}
