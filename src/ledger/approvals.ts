// Approvals: a user's single-use approval of one exact action in one exact context.

import { randomBytes, randomInt } from 'node:crypto';
import {
  answerPayload,
  boundText,
  ConflictError,
  type Context,
  canonicalJson,
  clockSlackMs,
  isJsonObject,
  isPayload,
  isPending,
  type JsonValue,
  type MaybePromise,
  NotAllowed,
  NotFoundError,
  type Payload,
  type Permission,
  purposes,
  SallyportError,
} from '../core/index.ts';
import type { Question } from '../core/signing.ts';
import { digestOf } from './approver-history.ts';
import { NotVouchedFor, type Verifier } from './approvers.ts';
import type { AuditLog } from './audit.ts';
import { type LedgerKeys, seal, sealLong, unseal } from './keys.ts';
import { fullShare, groupOf, smallestShare, type WaitingQuestion } from './shares.ts';
import type { Row, Sql, Store } from './store.ts';

/** No approval has this id, or it belongs to another tenant. */
export class UnknownApproval extends NotFoundError {}
/** The approval was answered before. */
export class AlreadyAnswered extends ConflictError {}
/** The time to answer has passed. */
export class ApprovalExpired extends ConflictError {}
/** Too many questions of this agent or session are pending already. */
export class TooManyPending extends SallyportError {}

export type Answer = 'approve' | 'deny';
type ApprovalState = 'pending' | 'approved' | 'denied' | 'used' | 'expired';

export interface Approval {
  readonly id: string;
  readonly state: ApprovalState;
  readonly user: string;
  readonly tenant: string;
  readonly agent: string;
  readonly decisionId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** The approver; null if it was not answered. */
  readonly answeredBy: string | null;
  /** Until it is answered; then it is erased. */
  readonly question: Question | null;
  /** The same for questions of the same kind from the same session; null once it is answered. */
  readonly group: string | null;
}

/** The signer of an answer: a key that is open here, or a signature that was made elsewhere. */
export interface Signer {
  sign(payload: Payload): string;
  /** The time of a signature made elsewhere, and the digest of the text that was shown there. */
  readonly elsewhere?: { readonly at: number; readonly shown?: string };
}

/** The text of a question, which a client displays. */
export function questionText(id: string, { action, context, findings }: Question, bound: string): string {
  return canonicalJson({ id, bound, action, context, findings } as unknown as JsonValue);
}

export interface AskOptions {
  readonly binding: string;
  readonly question: Question;
  readonly decisionId: string;
  readonly now: number;
  readonly expiryMs: number;
  readonly maxPending: number;
}

/** The reader or approver; without a tenant, everything in this store. */
export interface Reader {
  readonly tenant?: string;
  readonly user?: string;
  readonly agent?: string;
}

/** The channel on which daemons notify each other of an answered approval. */
const answeredChannel = 'sallyport_answered';
/** How often a waiting call polls for its answer without a notification, in milliseconds. */
const pollEvery = 100;

/** Unused answers that are remembered. */
const mostAnswered = 1000;

/** Letters and digits that are not easily confused with one another. */
const idAlphabet = 'abcdefghjkmnpqrstuvwxyz23456789';

/** A short id that people type. */
export function newId(): string {
  return Array.from({ length: 8 }, () => idAlphabet[randomInt(idAlphabet.length)]).join('');
}

/** Questions of one agent that are searched for an earlier state. */
const mostEarlier = 50;

/** A question about the same action in another state. */
export interface Earlier {
  readonly id: string;
  readonly isApproved: boolean;
  /** Digests by their subject. */
  readonly parts: Readonly<Record<string, string>>;
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return isJsonObject(value) && Object.values(value).every((one) => typeof one === 'string');
}

/** Questions whose owner is remembered. */
const mostContexts = 1000;
/** Characters of a sealed question that takes more than a millisecond to open. */
const longSealed = 65_536;

export class Approvals {
  readonly #store: Store;
  readonly #audit: AuditLog;
  readonly #keys: LedgerKeys;
  readonly #verify: Verifier;
  /** Locks a row until the transaction ends, if the engine has several writers. */
  readonly #lock: string;
  /** The owners of questions that were opened; null for one that cannot be read. */
  readonly #contexts = new Map<string, WaitingQuestion['context'] | null>();

  constructor(store: Store, audit: AuditLog, keys: LedgerKeys, verify: Verifier) {
    this.#store = store;
    this.#audit = audit;
    this.#keys = keys;
    this.#verify = verify;
    this.#lock = store.engine === 'postgres' ? ' FOR UPDATE' : '';
  }

  /** Asks a question of the approvers; a question that is pending already is not asked twice. */
  async ask(options: AskOptions): Promise<{ readonly id: string; readonly expiresAt: number }> {
    const { binding, question, decisionId, now, expiryMs, maxPending } = options;
    const { user, tenant, agent } = question.context;
    const id = newId();
    const nonce = randomBytes(16).toString('base64url');
    const sealed = encoded(await sealLong(this.#keys.sealing, rowOf(id), { ...question, binding, nonce }));
    return await this.#store.write(async (sql) => {
      await this.#expire(sql, now);
      const [live] = await sql.all(
        `SELECT id, state, expires_at, answered_at, signature,
           CASE state WHEN 'pending' THEN NULL ELSE sealed END AS sealed
         FROM approvals WHERE binding = ? AND state IN ('pending', 'approved', 'denied')${this.#lock}`,
        binding,
      );
      if (live !== undefined) {
        if (live['state'] === 'pending' || (await this.#counts(sql, live, options, now, expiryMs))) {
          return { id: String(live['id']), expiresAt: Number(live['expires_at']) };
        }
        // An answer without a valid signature is no answer: it is replaced by the real question.
        await sql.run("UPDATE approvals SET state = 'expired' WHERE id = ?", String(live['id']));
      }
      const full = fullShare(
        await this.#waiting(sql, question.context, maxPending),
        question.context,
        maxPending,
        now,
      );
      if (full !== null) throw new TooManyPending(full, { hint: "see 'sallyport approvals'" });
      const expiresAt = now + expiryMs;
      const added = await sql.run(
        `INSERT INTO approvals (id, binding, state, user_id, tenant, agent, decision_id, created_at, expires_at, sealed)
         VALUES (?, ?, 'pending', ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
        ...[id, binding, user, tenant, agent, decisionId, now, expiresAt, sealed],
      );
      if (added === 0) {
        // Another daemon asked the same at the same moment; its question and answer serve both.
        const [other] = await sql.all(
          "SELECT id, expires_at FROM approvals WHERE binding = ? AND state IN ('pending', 'approved', 'denied')",
          binding,
        );
        return { id: String(other?.['id']), expiresAt: Number(other?.['expires_at']) };
      }
      const details = { approval: id, expires_at: expiresAt };
      await this.#audit.insert(sql, [
        {
          time: now,
          event_type: 'approval_requested',
          user,
          tenant,
          agent,
          decision_id: decisionId,
          details,
        },
      ]);
      return { id, expiresAt };
    });
  }

  /** The pending questions that may count against the requester's share; none if there are too few to fill any. */
  async #waiting(
    sql: Sql,
    { tenant, user, agent, agentClaimed }: Context,
    maxPending: number,
  ): Promise<readonly WaitingQuestion[]> {
    const ofAsker = `FROM approvals WHERE state = 'pending' AND tenant = ? AND user_id = ?${agentClaimed === true ? '' : ' AND agent = ?'}`;
    const asker = [tenant, user, ...(agentClaimed === true ? [] : [agent])];
    const [count] = await sql.all(`SELECT count(*) AS n ${ofAsker}`, ...asker);
    if (Number(count?.['n']) < smallestShare(maxPending)) return [];
    const rows = await sql.all(`SELECT id, created_at ${ofAsker}`, ...asker);
    const waiting: WaitingQuestion[] = [];
    for (const { id, created_at: createdAt } of rows) {
      const context = await this.#contextOf(sql, String(id));
      // A question that cannot be read cannot be answered, and does not block others.
      if (context !== null) waiting.push({ context, createdAt: Number(createdAt) });
    }
    return waiting;
  }

  /** The owner of a question; null if it cannot be read. A question never changes, and is opened once. */
  async #contextOf(sql: Sql, id: string): Promise<WaitingQuestion['context'] | null> {
    let context = this.#contexts.get(id);
    if (context === undefined) {
      const [row] = await sql.all('SELECT sealed FROM approvals WHERE id = ?', id);
      try {
        const asked = this.#unseal(id, String(row?.['sealed'])).context;
        const { user, agent, agentClaimed, session } = asked;
        context = { user, agent, session, ...(agentClaimed === undefined ? {} : { agentClaimed }) };
      } catch {
        context = null;
      }
      if (this.#contexts.size >= mostContexts) this.#contexts.clear();
      this.#contexts.set(id, context);
    }
    return context;
  }

  /**
   * Records an answer, once. An approval is signed, so that the row alone proves nothing; a refusal needs no proof.
   * Permissions that are created with an approval are part of what is signed.
   */
  async answer(
    id: string,
    answer: Answer,
    by: string,
    signer: Signer | null,
    reader: Reader,
    now: number,
    permissions: readonly Permission[] = [],
    more: (sql: Sql, signed: Signed) => Promise<void> = async () => undefined,
  ): Promise<Approval> {
    if (answer === 'approve' && signer === null)
      throw new NotAllowed("an approval needs a person's signature");
    // A waiting caller continues at once: its effects reach the disk no sooner than the answer does.
    const tell = () => void this.#store.notify(answeredChannel, id).catch(() => false);
    const answering = async (sql: Sql) => {
      const row = await this.#row(sql, id, reader, this.#lock);
      const approval = this.#approval(row, now);
      if (approval.state === 'expired') {
        throw new ApprovalExpired(`approval ${id} has expired`, {
          hint: 'let the agent try again, then answer',
        });
      }
      if (approval.state !== 'pending')
        throw new AlreadyAnswered(`approval ${id} is ${approval.state} already`);
      const at = signer?.elsewhere?.at ?? now;
      const until = at + (approval.expiresAt - approval.createdAt);
      const signed =
        answer === 'approve' && signer !== null
          ? await this.#signed(sql, approval, { at, until, permissions }, signer, now)
          : null;
      const state = answer === 'approve' ? 'approved' : 'denied';
      await sql.run(
        `UPDATE approvals SET state = ?, answered_at = ?, answered_by = ?, expires_at = ?, signature = ?, sealed = ?
         WHERE id = ?`,
        ...[state, now, by, until, signed?.signature ?? null, signed?.sealed ?? null, id],
      );
      if (signed !== null) await more(sql, signed);
      const { user, tenant, agent, decisionId } = approval;
      const details = { approval: id, answer, answered_by: by };
      await this.#audit.insert(sql, [
        { time: now, event_type: 'approval_answered', user, tenant, agent, decision_id: decisionId, details },
      ]);
      return { ...approval, state, expiresAt: until, answeredBy: by, question: null, group: null } as const;
    };
    return await this.#store.write(answering, reader.tenant, tell);
  }

  /**
   * Gets an approval signed; throws if the signature is not valid here, so that the user does not believe to have
   * answered.
   */
  async #signed(
    sql: Sql,
    { id, question }: Approval,
    said: { readonly at: number; readonly until: number; readonly permissions: readonly Permission[] },
    signer: Signer,
    now: number,
  ): Promise<Signed & { readonly sealed: string }> {
    if (question?.nonce === undefined) {
      throw new ApprovalExpired(`approval ${id} was asked by an older version`, {
        hint: 'let the agent try again, then answer',
      });
    }
    if (Math.abs(said.at - now) > clockSlackMs) {
      throw new NotAllowed('the answer was signed at another time', {
        hint: 'check the clock, then answer again',
      });
    }
    const bound = digestOf(boundText(question));
    const shown = signer.elsewhere?.shown ?? digestOf(questionText(id, question, bound));
    const payload = answerPayload({ id, bound, shown, ...said });
    const signature = signer.sign(payload);
    if (!(await this.#verify(sql, payload, signature, question.context.tenant))) {
      throw new NotVouchedFor(
        'the signature does not count: no approver vouched for this key, or it may not answer this',
        {
          hint: "'sallyport approvers' lists whose approval counts",
        },
      );
    }
    const { nonce, state } = question;
    return { payload, signature, sealed: this.#seal(id, { nonce, payload, ...(state && { state }) }) };
  }

  /** Withdraws a question that is asked elsewhere; one that was answered already stays answered. */
  async withdraw(id: string, now: number): Promise<void> {
    await this.#store.write((sql) =>
      sql.run(
        "UPDATE approvals SET state = 'expired', expires_at = ?, sealed = NULL WHERE id = ? AND state = 'pending'",
        now,
        id,
      ),
    );
  }

  /**
   * Whether this exact question was answered, and the answer is still valid; if there are no answers, the question is
   * not even computed. An answer that was given under a longer expiry ends by the current one.
   */
  async answered(
    question: () => Bound,
    now: number,
    expiryMs = Number.POSITIVE_INFINITY,
  ): Promise<Answer | undefined> {
    // Without remembered answers, looking up all of them would take one more query.
    const found = this.#store.engine === 'postgres' ? null : this.#answeredBindings();
    const all = isPending(found) ? await found : found;
    if (all?.size === 0) return undefined;
    const asked = question();
    if (all !== null && !all.has(asked.binding)) return undefined;
    return await this.#store.read(async (sql) => {
      const [row] = await sql.all(
        "SELECT * FROM approvals WHERE binding = ? AND state IN ('approved', 'denied')",
        asked.binding,
      );
      if (row === undefined || !(await this.#counts(sql, row, asked, now, expiryMs))) return undefined;
      return row['state'] === 'approved' ? 'approve' : 'deny';
    });
  }

  /** The answered and unused approvals, whether still valid or not; null if they are too many to remember. */
  #answeredBindings(): MaybePromise<ReadonlySet<string> | null> {
    return this.#store.recall('answered', async (sql) => {
      const rows = await sql.all(
        "SELECT binding FROM approvals WHERE state IN ('approved', 'denied') LIMIT ?",
        mostAnswered + 1,
      );
      return rows.length > mostAnswered ? null : new Set(rows.map(({ binding }) => String(binding)));
    });
  }

  /** Uses an approval; of any number of callers, on any number of daemons, at most one gets true. */
  async consume(
    asked: Bound,
    decisionId: string,
    now: number,
    expiryMs = Number.POSITIVE_INFINITY,
  ): Promise<boolean> {
    return await this.#store.write(async (sql) => {
      const [row] = await sql.all(
        `SELECT * FROM approvals WHERE binding = ? AND state = 'approved'${this.#lock}`,
        asked.binding,
      );
      if (row === undefined || !(await this.#counts(sql, row, asked, now, expiryMs))) return false;
      const id = String(row['id']);
      const { user, tenant, agent } = asked.question.context;
      // INVARIANT: the condition is part of the change itself, so that one caller at most changes a row.
      const used = await sql.run(
        "UPDATE approvals SET state = 'used' WHERE id = ? AND state = 'approved'",
        id,
      );
      if (used !== 1) return false;
      await this.#audit.insert(sql, [
        {
          time: now,
          event_type: 'approval_used',
          ...{ user, tenant, agent },
          decision_id: decisionId,
          details: { approval: id, asked_in: String(row['decision_id']) },
        },
      ]);
      return true;
    });
  }

  /** One approval, with its question while it is pending. */
  async show(id: string, reader: Reader, now: number): Promise<Approval> {
    const row = await this.#store.read((sql) => this.#row(sql, id, reader, ''), reader.tenant);
    return this.#approval(row, now);
  }

  /**
   * The newest question about the same action in some state that is pending or approved and unused; null if there is
   * none.
   */
  async earlier(about: string, { tenant, user, agent }: Context, now: number): Promise<Earlier | null> {
    const rows = await this.#store.read((sql) =>
      sql.all(
        `SELECT * FROM approvals WHERE state IN ('pending', 'approved') AND tenant = ? AND user_id = ? AND agent = ?
         ORDER BY created_at DESC LIMIT ?`,
        ...[tenant, user, agent, mostEarlier],
      ),
    );
    for (const row of rows) {
      const id = String(row['id']);
      const parts = stateIn(row, now) === 'expired' ? null : this.#partsOf(id, row['sealed'], about);
      if (parts !== null) return { id, isApproved: row['state'] === 'approved', parts };
    }
    return null;
  }

  /** The state that a question was about; null if it was another question. */
  #partsOf(id: string, sealed: unknown, about: string): Earlier['parts'] | null {
    if (typeof sealed !== 'string' || sealed.length > longSealed) return null;
    try {
      const value = this.#unsealed(id, sealed);
      const state = isJsonObject(value) && isJsonObject(value['state']) ? value['state'] : {};
      return state['about'] === about && isTexts(state['parts']) ? state['parts'] : null;
    } catch {
      return null;
    }
  }

  /** The pending approvals, oldest first. */
  async pending(reader: Reader, now: number): Promise<readonly Approval[]> {
    const rows = await this.#store.read(
      (sql) => sql.all("SELECT * FROM approvals WHERE state = 'pending' ORDER BY created_at, id"),
      reader.tenant,
    );
    const pending: Approval[] = [];
    for (const row of rows) {
      if (!mayRead(row, reader)) continue;
      const approval = this.#approval(row, now);
      if (approval.state === 'pending') pending.push(approval);
      // Opening a long question takes time.
      if (String(row['sealed']).length > longSealed) await new Promise((resolve) => setImmediate(resolve));
    }
    return pending;
  }

  /** Waits for the answer, on any daemon; false after the timeout or on the abort signal. */
  async waitFor(id: string, forMs: number, stop: AbortSignal, now: () => number): Promise<boolean> {
    if (forMs <= 0) return false;
    const until = performance.now() + forMs;
    let heard = Promise.withResolvers<void>();
    const forget = await this.#store.listen(answeredChannel, (answered) => {
      if (answered === id) heard.resolve();
    });
    try {
      while (performance.now() < until && !stop.aborted) {
        // From before the lookup on, so that an answer which arrives during it is noticed too.
        heard = Promise.withResolvers<void>();
        if (!(await this.#waits(id, now()))) return true;
        // A notification arrives at once; polling finds the answer without one.
        const timer = setTimeout(heard.resolve, pollEvery);
        await heard.promise;
        clearTimeout(timer);
      }
      return false;
    } finally {
      forget();
    }
  }

  /** Whether a question is pending, without opening it. */
  async #waits(id: string, now: number): Promise<boolean> {
    const [row] = await this.#store.read((sql) =>
      sql.all('SELECT state, created_at, expires_at FROM approvals WHERE id = ?', id),
    );
    if (row === undefined) throw unknownApproval(id);
    return stateIn(row, now) === 'pending';
  }

  /** Ends and erases expired approvals. */
  async sweep(now: number): Promise<void> {
    await this.#store.write((sql) => this.#expire(sql, now));
  }

  /** Ends expired approvals; a clock that was set to before an approval was created ends it too. */
  async #expire(sql: Sql, now: number): Promise<void> {
    await sql.run(
      `UPDATE approvals SET state = 'expired', sealed = NULL
       WHERE state IN ('pending', 'approved', 'denied')
         AND (expires_at <= ? OR coalesce(answered_at, created_at) > ?)`,
      ...[now, now],
    );
  }

  /**
   * INVARIANT: an answer is valid only until it expires, and an approval only for the very action that would run now,
   * in its own tenant, and only once by the log too: the signature covers the digest of the action, so that a question
   * that was exchanged in the store answers nothing else.
   */
  async #counts(sql: Sql, row: Row, asked: Bound, now: number, expiryMs: number): Promise<boolean> {
    const at = Number(row['answered_at']);
    const until = Number(row['expires_at']);
    if (!(at <= now && now < Math.min(until, at + expiryMs))) return false;
    if (row['state'] === 'denied') return true;
    const said = this.#saidIn(String(row['id']), row['sealed']);
    if (said === null) return false;
    const { nonce, payload } = said;
    const [purpose, id, bound, , signedAt, signedUntil] = payload;
    const fits =
      purpose === purposes.answer &&
      id === row['id'] &&
      bound === digestOf(boundText({ ...asked.question, binding: asked.binding, nonce })) &&
      Math.abs(Number(signedAt) - at) <= clockSlackMs &&
      signedUntil === until;
    const { context } = asked.question;
    if (!fits || !(await this.#verify(sql, payload, String(row['signature']), context.tenant))) return false;
    const used = await this.#audit.said(sql, 'approval_used', context, at - clockSlackMs);
    return !used.some(({ approval }) => approval === id);
  }

  /** The signed data of an answer, as the row stores it; null if there is none. */
  #saidIn(id: string, sealed: unknown): { readonly nonce: string; readonly payload: Payload } | null {
    if (typeof sealed !== 'string') return null;
    try {
      const said = this.#unsealed(id, sealed);
      if (!isJsonObject(said) || typeof said['nonce'] !== 'string') return null;
      const { nonce, payload } = said;
      return isPayload(payload) ? { nonce, payload } : null;
    } catch {
      return null;
    }
  }

  async #row(sql: Sql, id: string, reader: Reader, lock: string): Promise<Row> {
    const [row] = await sql.all(`SELECT * FROM approvals WHERE id = ?${lock}`, id);
    if (row === undefined || !mayRead(row, reader)) throw unknownApproval(id);
    return row;
  }

  #approval(row: Row, now: number): Approval {
    const id = String(row['id']);
    const sealed = row['sealed'];
    const createdAt = Number(row['created_at']);
    const expiresAt = Number(row['expires_at']);
    const state = stateIn(row, now);
    const question = state === 'pending' && typeof sealed === 'string' ? this.#unseal(id, sealed) : null;
    return {
      id,
      state,
      user: String(row['user_id']),
      tenant: String(row['tenant']),
      agent: String(row['agent']),
      decisionId: String(row['decision_id']),
      createdAt,
      expiresAt,
      answeredBy: typeof row['answered_by'] === 'string' ? row['answered_by'] : null,
      question,
      group: question === null ? null : groupOf(question),
    };
  }

  #unseal(id: string, sealed: string): Question {
    return this.#unsealed(id, sealed) as Question;
  }

  #seal(id: string, value: object): string {
    return encoded(seal(this.#keys.sealing, rowOf(id), value));
  }

  #unsealed(id: string, sealed: string): unknown {
    return unseal(this.#keys.sealing, rowOf(id), Buffer.from(sealed, 'base64'));
  }
}

function unknownApproval(id: string): UnknownApproval {
  return new UnknownApproval(`there is no approval ${id}`, { hint: "see 'sallyport approvals'" });
}

/** The state of a row; one past its expiry has expired, even if that is not recorded yet. */
function stateIn(row: Row, now: number): ApprovalState {
  const stored = row['state'] as ApprovalState;
  const isNow = Number(row['created_at']) <= now && now < Number(row['expires_at']);
  return stored === 'used' || isNow ? stored : 'expired';
}

/** The sealed part of an approval is bound to its row. */
function rowOf(id: string): string {
  return `approval ${id}`;
}

function encoded(sealed: Uint8Array): string {
  return Buffer.from(sealed).toString('base64');
}

/** An action with a pending answer: how it is looked up, and what the answer must be about. */
export interface Bound {
  readonly binding: string;
  readonly question: Question;
}

/** An approval as it was signed. */
export interface Signed {
  readonly payload: Payload;
  readonly signature: string;
}

/** Whether a row is visible to the reader. */
export function mayRead(row: Row, reader: Reader): boolean {
  const pairs = [
    [row['tenant'], reader.tenant],
    [row['user_id'], reader.user],
    [row['agent'], reader.agent],
  ];
  return pairs.every(([owner, wanted]) => wanted === undefined || owner === wanted);
}
