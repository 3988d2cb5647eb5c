// Proposed changes: an agent's writes are stored here, encrypted, until the user has decided on every hunk.

import type { ChangeBudget } from '../config/settings.ts';
import type { Hunk } from '../core/diff.ts';
import {
  ConflictError,
  type Context,
  canonicalJson,
  InputError,
  type JsonObject,
  LimitError,
  NotFoundError,
} from '../core/index.ts';
import { mayRead, newId, type Reader } from './approvals.ts';
import type { AuditLog } from './audit.ts';
import { type LedgerKeys, seal, unseal } from './keys.ts';
import type { MissingReference, ReceiptBody } from './receipts.ts';
import type { State } from './snapshots/snapshot.ts';
import type { Row, Sql, SqlValue, Store } from './store.ts';

/** No proposed change has this id, or it belongs to another user. */
export class UnknownChange extends NotFoundError {}
/** The change was applied, rejected or discarded before. */
export class ChangeEnded extends ConflictError {}
/** Another process applies the change at this moment. */
export class ChangeBusy extends ConflictError {}
/** Too many changes are pending already. */
export class TooManyChanges extends LimitError {}

export type HunkDecision = 'accept' | 'reject';
export type ChangeState = 'staged' | 'applied' | 'rejected' | 'expired';

/** The result of each guard for one file. */
export type Chips = ReceiptBody['guards'];

/** The smallest unit of a decision: some lines of a file, or an indivisible change to it. */
export interface ChangeHunk {
  /** Counts from 1 through all files, and never changes. */
  readonly number: number;
  readonly kind: 'lines' | 'create' | 'delete' | 'rename' | 'mode';
  readonly hunks: readonly Hunk[];
  /** Null while it is undecided. */
  readonly decision: HunkDecision | null;
}

/** One file of a proposed change. */
export interface ChangeFile {
  readonly path: string;
  /** The new path of the file, for a rename. */
  readonly to: string | null;
  readonly op: 'create' | 'edit' | 'delete' | 'rename';
  /** The state of the file when the change was proposed: on any other state the change is stale. */
  readonly before: State | null;
  /** The permissions that it gets; null: unchanged. */
  readonly mode: number | null;
  readonly guards: Chips;
  readonly hunks: readonly ChangeHunk[];
}

/** The complete content of a pending change. */
export interface ChangeSet {
  readonly context: Context;
  readonly files: readonly ChangeFile[];
  /** The messages of the guards. */
  readonly findings: readonly {
    readonly rule: string;
    readonly guard: string;
    readonly decision: string;
    readonly message: string;
    /** The file that it is about, if it is about one. */
    readonly path?: string;
  }[];
  /** Why approval is required. */
  readonly reason: string;
  readonly justification: string | null;
  /** Nothing will be written; an accepted change only leaves a receipt. */
  readonly suggest: boolean;
  readonly cost: ReceiptBody['cost'];
  readonly models: readonly string[];
  /** With existing names that may have been intended, the closest first. */
  readonly missing: readonly (MissingReference & { readonly near?: readonly string[] })[];
}

export interface ProposedChange {
  readonly id: string;
  readonly state: ChangeState;
  readonly user: string;
  readonly tenant: string;
  readonly agent: string;
  readonly workspace: string;
  readonly run: string;
  readonly decisionId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** The receipt of its application. */
  readonly receipt: string | null;
  /** While it is pending; then it is erased. */
  readonly set: ChangeSet | null;
}

/** How much a change uses of a budget. */
export interface Usage {
  readonly files: number;
  readonly bytes: number;
  readonly costUsd: number;
}

export interface StageOptions {
  readonly set: ChangeSet;
  readonly usage: Usage;
  readonly decisionId: string;
  readonly now: number;
  readonly expiryMs: number;
  readonly maxStaged: number;
}

/** The largest change that is stored, sealed, and how much all pending ones of one tenant may use in the store. */
const largest = 8_388_608;
const mostHeld = 67_108_864;
/** How long a process that applies a change holds its lock, in milliseconds. */
const claimMs = 60_000;
const dayMs = 24 * 60 * 60 * 1000;

export class Changes {
  readonly #store: Store;
  readonly #audit: AuditLog;
  readonly #keys: LedgerKeys;
  /** Locks a row until the transaction ends, if the engine has several writers. */
  readonly #lock: string;

  constructor(store: Store, audit: AuditLog, keys: LedgerKeys) {
    this.#store = store;
    this.#audit = audit;
    this.#keys = keys;
    this.#lock = store.engine === 'postgres' ? ' FOR UPDATE' : '';
  }

  /**
   * Stores a change as pending for the user. One that is pending already is returned again, with its decisions so far
   * and the current results of the guards; throws `ChangeBusy` while it is being applied.
   */
  async stage({ set, usage, decisionId, now, expiryMs, maxStaged }: StageOptions): Promise<ProposedChange> {
    const { user, tenant, agent } = set.context;
    return await this.#store.write(async (sql) => {
      // INVARIANT: lookup and staging are one transaction, so that the same change at the same moment is not stored
      // twice.
      if (this.#store.engine === 'postgres') await sql.run('LOCK TABLE changes IN EXCLUSIVE MODE');
      await this.#expire(sql, now);
      const told = (change: string, expiresAt: number, again: boolean) => {
        const hunks = set.files.reduce((sum, file) => sum + file.hunks.length, 0);
        const about = { change, files: set.files.length, hunks, expires_at: expiresAt };
        const details = again ? { ...about, again } : about;
        return this.#audit.insert(sql, [
          { time: now, event_type: 'change_staged', user, tenant, agent, decision_id: decisionId, details },
        ]);
      };
      const known = await this.#waiting(sql, set, usage, now);
      if (known !== null) {
        const renewed = {
          ...set,
          context: known.set.context,
          files: withDecisions(set.files, known.set.files),
        };
        const update = 'UPDATE changes SET sealed = ?, decision_id = ? WHERE id = ?';
        await sql.run(update, this.#seal(known.id, renewed), decisionId, known.id);
        await told(known.id, known.expiresAt, true);
        return { ...known, decisionId, set: renewed };
      }
      const id = newId();
      const sealed = this.#seal(id, set);
      const [held] = await sql.all(
        `SELECT count(*) AS n, coalesce(sum(length(sealed)), 0) AS size FROM changes
         WHERE tenant = ? AND state = 'staged'`,
        tenant,
      );
      const hint = "see 'sallyport changes'";
      if (Number(held?.['n']) >= maxStaged)
        throw new TooManyChanges(`${maxStaged} changes wait already`, { hint });
      if (Number(held?.['size']) + sealed.length > mostHeld)
        throw new TooManyChanges('the changes that wait are too large together', { hint });
      const row = { id, set, usage, decisionId, now, expiresAt: now + expiryMs };
      await this.#insert(sql, { ...row, state: 'staged', autonomous: false, sealed });
      await told(id, now + expiryMs, false);
      return this.#change(await this.#row(sql, id, {}, ''), now);
    });
  }

  /** The pending change that does the same to the same files, for the same agent of the same user. */
  async #waiting(
    sql: Sql,
    set: ChangeSet,
    usage: Usage,
    now: number,
  ): Promise<(ProposedChange & { readonly set: ChangeSet }) | null> {
    const { user, tenant, agent, workspace } = set.context;
    // The columns of the row are compared first: few changes are opened for this.
    const rows = await sql.all(
      `SELECT * FROM changes WHERE state = 'staged' AND tenant = ? AND user_id = ? AND agent = ? AND workspace = ?
       AND files = ? AND bytes = ? ORDER BY created_at, id`,
      ...[tenant, user, agent, workspace, usage.files, usage.bytes],
    );
    const wanted = effectOf(set);
    for (const row of rows) {
      const held = this.#change(row, now).set;
      if (held !== null && effectOf(held) === wanted) return this.#open(row, now);
    }
    return null;
  }

  /**
   * Takes an autonomous change out of the budgets, or returns which of them it exceeds. INVARIANT: check and deduction
   * are one transaction, so that changes at the same moment cannot both take the last of it.
   */
  async reserve(
    set: Pick<ChangeSet, 'context'>,
    usage: Usage,
    budgets: { readonly run: ChangeBudget; readonly day: ChangeBudget },
    decisionId: string,
    now: number,
  ): Promise<{ readonly id: string } | { readonly over: string }> {
    const { user, tenant, workspace, session } = set.context;
    return await this.#store.write(async (sql) => {
      if (this.#store.engine === 'postgres') await sql.run('LOCK TABLE changes IN EXCLUSIVE MODE');
      const whose = "FROM changes WHERE autonomous = 1 AND state = 'applied' AND tenant = ? AND user_id = ?";
      const used = async (more: string, ...values: readonly SqlValue[]) => {
        const [row] = await sql.all(
          `SELECT coalesce(sum(files), 0) AS files, coalesce(sum(bytes), 0) AS bytes,
           coalesce(sum(cost_micros), 0) AS cost ${whose} AND workspace = ? AND ${more}`,
          ...[tenant, user, workspace, ...values],
        );
        return row ?? {};
      };
      const over =
        overBudget('run', budgets.run, await used('run = ?', session), usage) ??
        overBudget('day', budgets.day, await used('ended_at > ?', now - dayMs), usage);
      if (over !== null) return { over };
      const id = newId();
      const row = { id, set, usage, decisionId, now, expiresAt: now };
      await this.#insert(sql, { ...row, state: 'applied', autonomous: true, sealed: null });
      return { id };
    });
  }

  /** The pending changes, oldest first. */
  async list(reader: Reader, now: number): Promise<readonly ProposedChange[]> {
    const rows = await this.#store.read(
      (sql) => sql.all("SELECT * FROM changes WHERE state = 'staged' ORDER BY created_at, id"),
      reader.tenant,
    );
    return rows
      .filter((row) => mayRead(row, reader))
      .map((row) => this.#change(row, now))
      .filter(({ state }) => state === 'staged');
  }

  /** One change, with all its content while it is pending. */
  async show(id: string, reader: Reader, now: number): Promise<ProposedChange> {
    const row = await this.#store.read((sql) => this.#row(sql, id, reader, ''), reader.tenant);
    return this.#change(row, now);
  }

  /** Decides on hunks, by their numbers; a decision can be changed until the change is applied. */
  async decide(
    id: string,
    hunks: ReadonlySet<number>,
    decision: HunkDecision,
    by: string,
    reader: Reader,
    now: number,
  ): Promise<ProposedChange> {
    return await this.#store.write(async (sql) => {
      const row = await this.#row(sql, id, reader, this.#lock);
      const { set, ...change } = this.#open(row, now);
      const known = new Set(set.files.flatMap((file) => file.hunks.map(({ number }) => number)));
      const unknown = [...hunks].find((number) => !known.has(number));
      if (unknown !== undefined) throw new InputError(`the change ${id} has no hunk ${unknown}`);
      const files = set.files.map((file) => ({
        ...file,
        hunks: file.hunks.map((hunk) => (hunks.has(hunk.number) ? { ...hunk, decision } : hunk)),
      }));
      const decided = { ...set, files };
      await sql.run('UPDATE changes SET sealed = ? WHERE id = ?', this.#seal(id, decided), id);
      await this.#told(sql, change, { answer: decision, hunks: [...hunks] }, by, now);
      return { ...change, set: decided };
    }, reader.tenant);
  }

  /** Locks a change for applying or rejecting it; one process at a time holds it. */
  async claim(
    id: string,
    reader: Reader,
    now: number,
  ): Promise<ProposedChange & { readonly set: ChangeSet }> {
    return await this.#store.write(async (sql) => {
      const row = await this.#row(sql, id, reader, this.#lock);
      const change = this.#open(row, now);
      await sql.run('UPDATE changes SET claimed_until = ? WHERE id = ?', now + claimMs, id);
      return change;
    }, reader.tenant);
  }

  /** Unlocks a change that could not be applied, so that it is pending again. */
  async release(id: string): Promise<void> {
    await this.#store.write((sql) => sql.run('UPDATE changes SET claimed_until = 0 WHERE id = ?', id));
  }

  /** Ends a change; its content is erased. */
  async end(
    id: string,
    state: 'applied' | 'rejected',
    by: string,
    receipt: string | null,
    now: number,
  ): Promise<void> {
    await this.#store.write(async (sql) => {
      const change = this.#change(await this.#row(sql, id, {}, this.#lock), now);
      await sql.run(
        'UPDATE changes SET state = ?, ended_at = ?, ended_by = ?, receipt = ?, claimed_until = 0, sealed = NULL WHERE id = ?',
        ...[state, now, by, receipt, id],
      );
      const answer = state === 'applied' ? 'apply' : 'reject';
      await this.#told(sql, change, { answer, ...(receipt === null ? {} : { receipt }) }, by, now);
    });
  }

  /** Ends and erases expired changes. */
  async sweep(now: number): Promise<void> {
    await this.#store.write((sql) => this.#expire(sql, now));
  }

  async #told(
    sql: Sql,
    { id, user, tenant, agent, decisionId }: Omit<ProposedChange, 'set'>,
    more: JsonObject,
    by: string,
    now: number,
  ): Promise<void> {
    const details = { change: id, ...more, answered_by: by };
    await this.#audit.insert(sql, [
      { time: now, event_type: 'change_decided', user, tenant, agent, decision_id: decisionId, details },
    ]);
  }

  /** A clock that was set to before a change was proposed ends it too. */
  async #expire(sql: Sql, now: number): Promise<void> {
    await sql.run(
      `UPDATE changes SET state = 'expired', sealed = NULL
       WHERE state = 'staged' AND claimed_until <= ? AND (expires_at <= ? OR created_at > ?)`,
      ...[now, now, now],
    );
  }

  async #insert(
    sql: Sql,
    row: {
      readonly id: string;
      readonly state: ChangeState;
      readonly set: Pick<ChangeSet, 'context'>;
      readonly usage: Usage;
      readonly decisionId: string;
      readonly now: number;
      readonly expiresAt: number;
      readonly autonomous: boolean;
      readonly sealed: string | null;
    },
  ): Promise<void> {
    const { id, state, usage, decisionId, now, expiresAt, autonomous, sealed } = row;
    const { user, tenant, agent, workspace, session } = row.set.context;
    await sql.run(
      `INSERT INTO changes (id, state, user_id, tenant, agent, workspace, run, decision_id, created_at, expires_at,
       claimed_until, ended_at, autonomous, files, bytes, cost_micros, sealed)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?)`,
      ...[id, state, user, tenant, agent, workspace, session, decisionId, now, expiresAt],
      ...[autonomous ? now : null, autonomous ? 1 : 0, usage.files, usage.bytes, microsOf(usage), sealed],
    );
  }

  async #row(sql: Sql, id: string, reader: Reader, lock: string): Promise<Row> {
    const [row] = await sql.all(`SELECT * FROM changes WHERE id = ?${lock}`, id);
    if (row === undefined || !mayRead(row, reader)) {
      throw new UnknownChange(`there is no proposed change ${id}`, { hint: "see 'sallyport changes'" });
    }
    return row;
  }

  /** The change, if it is still pending and not locked. */
  #open(row: Row, now: number): ProposedChange & { readonly set: ChangeSet } {
    const change = this.#change(row, now);
    const { id, state, set } = change;
    if (state !== 'staged' || set === null) {
      const hint = state === 'expired' ? 'let the agent propose it again' : "see 'sallyport receipts'";
      throw new ChangeEnded(`the change ${id} is ${state} already`, { hint });
    }
    if (Number(row['claimed_until']) > now) throw new ChangeBusy(`the change ${id} is being applied`);
    return { ...change, set };
  }

  #change(row: Row, now: number): ProposedChange {
    const id = String(row['id']);
    const createdAt = Number(row['created_at']);
    const expiresAt = Number(row['expires_at']);
    const stored = row['state'] as ChangeState;
    const state = stored === 'staged' && (now < createdAt || now >= expiresAt) ? 'expired' : stored;
    const { sealed, receipt } = row;
    return {
      id,
      state,
      user: String(row['user_id']),
      tenant: String(row['tenant']),
      agent: String(row['agent']),
      workspace: String(row['workspace']),
      run: String(row['run']),
      decisionId: String(row['decision_id']),
      createdAt,
      expiresAt,
      receipt: typeof receipt === 'string' ? receipt : null,
      set: state === 'staged' && typeof sealed === 'string' ? this.#unseal(id, sealed) : null,
    };
  }

  #seal(id: string, set: ChangeSet): string {
    const sealed = seal(this.#keys.sealing, `change ${id}`, set);
    if (sealed.length > largest)
      throw new InputError(`a proposed change has at most ${largest} bytes`, {
        hint: 'propose it in smaller parts',
      });
    return Buffer.from(sealed).toString('base64');
  }

  // INVARIANT: data that opens with the key of this store was sealed above.
  #unseal(id: string, sealed: string): ChangeSet {
    return unseal(this.#keys.sealing, `change ${id}`, Buffer.from(sealed, 'base64')) as unknown as ChangeSet;
  }
}

/** The effect of a change, without the decisions about it and the guards' messages. */
function effectOf({ files, suggest }: ChangeSet): string {
  const done = files.map(({ path, to, op, before, mode, hunks }) => {
    const parts = hunks.map(({ kind, hunks: lines }) => [kind, lines]);
    return [path, to, op, before, mode, parts];
  });
  return canonicalJson([suggest, done]);
}

/** Files with the earlier decisions about the same files. */
function withDecisions(files: readonly ChangeFile[], decided: readonly ChangeFile[]): readonly ChangeFile[] {
  const decisions = new Map(
    decided.flatMap(({ hunks }) => hunks.map(({ number, decision }) => [number, decision] as const)),
  );
  return files.map((file) => ({
    ...file,
    hunks: file.hunks.map((hunk) => ({ ...hunk, decision: decisions.get(hunk.number) ?? null })),
  }));
}

/** Millionths of a dollar, so that sums are exact. */
function microsOf({ costUsd }: Usage): number {
  return Math.ceil(costUsd * 1_000_000);
}

/** Which part of a budget is exceeded, in words; null if it fits. */
function overBudget(what: 'run' | 'day', budget: ChangeBudget, used: Row, usage: Usage): string | null {
  const parts = [
    ['files', Number(used['files']) + usage.files, budget.files],
    ['bytes', Number(used['bytes']) + usage.bytes, budget.bytes],
    ['cents', (Number(used['cost']) + microsOf(usage)) / 10_000, budget.costCents],
  ] as const;
  const over = parts.find(([, sum, most]) => !(sum <= most));
  if (over === undefined) return null;
  const [unit, sum, most] = over;
  return `the budget of a ${what} is ${most} ${unit}, and with this it would be ${Math.ceil(sum)}`;
}
