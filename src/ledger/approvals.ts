// Approvals: a person's single-use yes to one exact action in one exact context.

import { randomInt } from 'node:crypto';
import { type Action, type Context, type Finding, NotAllowed, SallyportError } from '../core/index.ts';
import type { AuditLog } from './audit.ts';
import type { LedgerKeys } from './keys.ts';
import { seal, unseal } from './seal.ts';
import type { Store } from './store.ts';

/** No approval has this id, or it belongs to another tenant. */
export class UnknownApproval extends SallyportError {}
/** The approval was answered before. */
export class AlreadyAnswered extends SallyportError {}
/** The time to answer has passed. */
export class ApprovalExpired extends SallyportError {}
/** Too many approvals wait already. */
export class TooManyPending extends SallyportError {}

export type Answer = 'approve' | 'deny';
export type ApprovalState = 'pending' | 'approved' | 'denied' | 'used' | 'expired';

/** What a person is asked to decide. */
export interface Question {
  readonly action: Action;
  readonly context: Context;
  readonly findings: readonly Finding[];
}

export interface Approval {
  readonly id: string;
  readonly state: ApprovalState;
  readonly user: string;
  readonly tenant: string;
  readonly agent: string;
  readonly decisionId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Until it is answered; then it is erased. */
  readonly question: Question | null;
}

/** The person's key: what signs an answer and what proves it. */
export interface Signer {
  sign(payload: readonly (string | number)[]): string;
}
export type Verifier = (payload: readonly (string | number)[], signature: string) => boolean;

export interface AskOptions {
  readonly binding: string;
  readonly question: Question;
  readonly decisionId: string;
  readonly now: number;
  readonly expiryMs: number;
  readonly maxPending: number;
}

/** Who reads or answers; without a tenant, everything on this store. */
export interface Reader {
  readonly tenant?: string;
  readonly user?: string;
  readonly agent?: string;
}

/** Letters and digits that nobody mistakes for one another. */
const idAlphabet = 'abcdefghjkmnpqrstuvwxyz23456789';

function newId(): string {
  return Array.from({ length: 8 }, () => idAlphabet[randomInt(idAlphabet.length)]).join('');
}

function answerPayload(
  row: { id: string; binding: string },
  at: number,
  until: number,
): readonly (string | number)[] {
  return ['sallyport.approval.v1', row.id, row.binding, at, until];
}

export class Approvals {
  readonly #store: Store;
  readonly #audit: AuditLog;
  readonly #keys: LedgerKeys;
  readonly #verify: Verifier;

  constructor(store: Store, audit: AuditLog, keys: LedgerKeys, verify: Verifier) {
    this.#store = store;
    this.#audit = audit;
    this.#keys = keys;
    this.#verify = verify;
  }

  /** Puts a question to a person; the same question that waits already is not put twice. */
  ask(options: AskOptions): { readonly id: string; readonly expiresAt: number } {
    const { binding, question, decisionId, now, expiryMs, maxPending } = options;
    const { user, tenant, agent } = question.context;
    return this.#store.write(() => {
      this.#expire(now);
      const live = this.#store
        .statement("SELECT * FROM approvals WHERE binding = ? AND state IN ('pending', 'approved', 'denied')")
        .get(binding);
      if (live !== undefined) {
        if (live['state'] === 'pending' || this.#counts(live, now)) {
          return { id: String(live['id']), expiresAt: Number(live['expires_at']) };
        }
        // An answer without the person's signature is no answer: it makes room for the real question.
        this.#store.statement("UPDATE approvals SET state = 'expired' WHERE id = ?").run(String(live['id']));
      }
      const count = this.#store
        .statement("SELECT count(*) AS n FROM approvals WHERE tenant = ? AND state = 'pending'")
        .get(tenant);
      if (Number(count?.['n']) >= maxPending) {
        throw new TooManyPending(`${maxPending} approvals wait already`, {
          hint: "see 'sallyport approvals'",
        });
      }
      const id = newId();
      const expiresAt = now + expiryMs;
      this.#store
        .statement(
          `INSERT INTO approvals (id, binding, state, user, tenant, agent, decision_id, created_at, expires_at, sealed)
           VALUES (?, ?, 'pending', ?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(
          id,
          binding,
          user,
          tenant,
          agent,
          decisionId,
          now,
          expiresAt,
          seal(this.#keys.sealing, id, question),
        );
      this.#audit.insert({
        time: now,
        event_type: 'approval_requested',
        user,
        tenant,
        agent,
        decision_id: decisionId,
        details: { approval: id, expires_at: expiresAt },
      });
      return { id, expiresAt };
    });
  }

  /** A person's answer, once. A yes is signed, so that the row alone proves nothing; a no needs no proof. */
  answer(
    id: string,
    answer: Answer,
    by: string,
    signer: Signer | null,
    reader: Reader,
    now: number,
  ): Approval {
    if (answer === 'approve' && signer === null)
      throw new NotAllowed('a yes needs the signature of a person');
    return this.#store.write(() => {
      const row = this.#row(id, reader);
      const approval = this.#approval(row, now);
      if (approval.state === 'expired') {
        throw new ApprovalExpired(`approval ${id} has expired`, {
          hint: 'let the agent try again, then answer',
        });
      }
      if (approval.state !== 'pending')
        throw new AlreadyAnswered(`approval ${id} is ${approval.state} already`);
      const until = now + (approval.expiresAt - approval.createdAt);
      const state = answer === 'approve' ? 'approved' : 'denied';
      const signature =
        signer?.sign(answerPayload({ id, binding: String(row['binding']) }, now, until)) ?? null;
      this.#store
        .statement(
          `UPDATE approvals SET state = ?, answered_at = ?, answered_by = ?, expires_at = ?, signature = ?, sealed = NULL
           WHERE id = ?`,
        )
        .run(state, now, by, until, signature, id);
      this.#audit.insert({
        time: now,
        event_type: 'approval_answered',
        user: approval.user,
        tenant: approval.tenant,
        agent: approval.agent,
        decision_id: approval.decisionId,
        details: { approval: id, answer, answered_by: by },
      });
      return { ...approval, state, expiresAt: until, question: null };
    });
  }

  /** Whether a person answered this exact question, and the answer still counts. */
  answered(binding: string, now: number): Answer | undefined {
    const row = this.#store.read(() =>
      this.#store
        .statement("SELECT * FROM approvals WHERE binding = ? AND state IN ('approved', 'denied')")
        .get(binding),
    );
    if (row === undefined || !this.#counts(row, now)) return undefined;
    return row['state'] === 'approved' ? 'approve' : 'deny';
  }

  /** Uses a yes up; of any number of callers at most one is told true. */
  consume(binding: string, decisionId: string, now: number): boolean {
    return this.#store.write(() => {
      const row = this.#store
        .statement("SELECT * FROM approvals WHERE binding = ? AND state = 'approved'")
        .get(binding);
      if (row === undefined || !this.#counts(row, now)) return false;
      this.#store.statement("UPDATE approvals SET state = 'used' WHERE id = ?").run(String(row['id']));
      this.#audit.insert({
        time: now,
        event_type: 'approval_used',
        user: String(row['user']),
        tenant: String(row['tenant']),
        agent: String(row['agent']),
        decision_id: decisionId,
        details: { approval: String(row['id']), asked_in: String(row['decision_id']) },
      });
      return true;
    });
  }

  /** One approval, with its question while it waits. */
  show(id: string, reader: Reader, now: number): Approval {
    return this.#store.read(() => this.#approval(this.#row(id, reader), now));
  }

  /** The approvals that wait, oldest first. */
  pending(reader: Reader, now: number): readonly Approval[] {
    return this.#store.read(() =>
      this.#store
        .statement("SELECT * FROM approvals WHERE state = 'pending' ORDER BY created_at, id")
        .all()
        .filter((row) => mayRead(row, reader))
        .map((row) => this.#approval(row, now))
        .filter(({ state }) => state === 'pending'),
    );
  }

  /** Ends and erases what has run out. */
  sweep(now: number): void {
    this.#store.write(() => this.#expire(now));
  }

  /** Ends what has run out; a clock that went back before an approval was made ends it too. */
  #expire(now: number): void {
    this.#store
      .statement(
        `UPDATE approvals SET state = 'expired', sealed = NULL
         WHERE state IN ('pending', 'approved', 'denied')
           AND (expires_at <= ? OR coalesce(answered_at, created_at) > ?)`,
      )
      .run(now, now);
  }

  /** INVARIANT: an answer counts only within its time, and a yes only with the person's signature on this binding. */
  #counts(row: Record<string, unknown>, now: number): boolean {
    const at = Number(row['answered_at']);
    const until = Number(row['expires_at']);
    if (!(at <= now && now < until)) return false;
    if (row['state'] === 'denied') return true;
    const payload = answerPayload({ id: String(row['id']), binding: String(row['binding']) }, at, until);
    return this.#verify(payload, String(row['signature']));
  }

  #row(id: string, reader: Reader): Record<string, unknown> {
    const row = this.#store.statement('SELECT * FROM approvals WHERE id = ?').get(id);
    if (row === undefined || !mayRead(row, reader)) {
      throw new UnknownApproval(`there is no approval ${id}`, { hint: "see 'sallyport approvals'" });
    }
    return row;
  }

  #approval(row: Record<string, unknown>, now: number): Approval {
    const id = String(row['id']);
    const sealed = row['sealed'];
    const createdAt = Number(row['created_at']);
    const expiresAt = Number(row['expires_at']);
    const stored = row['state'] as ApprovalState;
    const state = stored !== 'used' && (now < createdAt || now >= expiresAt) ? 'expired' : stored;
    const open = state === 'pending' && sealed instanceof Uint8Array;
    return {
      id,
      state,
      user: String(row['user']),
      tenant: String(row['tenant']),
      agent: String(row['agent']),
      decisionId: String(row['decision_id']),
      createdAt,
      expiresAt,
      question: open ? (unseal(this.#keys.sealing, id, sealed) as unknown as Question) : null,
    };
  }
}

/** Whether a row belongs to what the reader may see. */
function mayRead(row: Record<string, unknown>, reader: Reader): boolean {
  return (['tenant', 'user', 'agent'] as const).every(
    (column) => reader[column] === undefined || row[column] === reader[column],
  );
}
