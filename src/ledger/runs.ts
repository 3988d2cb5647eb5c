// Runs and other work in progress: the state of code that waits for approval, encrypted, until one process resumes it.

import { type Context, canonicalJson, SallyportError } from '../core/index.ts';
import { mayRead, newId, type Reader } from './approvals.ts';
import type { AuditLog, NewEntry } from './audit.ts';
import { type LedgerKeys, sealBytes, unsealBytes } from './keys.ts';
import type { Row, Sql, Store } from './store.ts';

// ── Work in progress: opened and closed with a record each. Work that a dead daemon left open is closed by another
// one.

/** A daemon without a heartbeat for this long, in milliseconds, is considered dead. */
const deadAfter = 30_000;

export class OpenWork {
  readonly #store: Store;
  readonly #audit: AuditLog;

  constructor(store: Store, audit: AuditLog) {
    this.#store = store;
    this.#audit = audit;
  }

  /**
   * Records that work begins, and that it is open. It has no effect yet, so there is no need to wait for the disk: work
   * that a dying process leaves open is found all the same.
   */
  async open(entry: NewEntry & { readonly decision_id: string }): Promise<void> {
    await this.#store.writeDeferred(async (sql) => {
      const { decision_id: id, user, tenant, agent, time } = entry;
      const columns = ['decision_id', 'chain', 'user_id', 'tenant', 'agent', 'opened_at'];
      await sql.insert('open_work', columns, [[id, this.#audit.chain, user, tenant, agent, time]]);
      await this.#audit.insert(sql, [entry]);
    });
  }

  /** Records that work has ended; false if another daemon closed it already. The record of a stop is on disk. */
  async close(entry: NewEntry & { readonly decision_id: string }): Promise<boolean> {
    const write = async (sql: Sql): Promise<boolean> => {
      const closed = await sql.run('DELETE FROM open_work WHERE decision_id = ?', entry.decision_id);
      if (closed === 1) await this.#audit.insert(sql, [entry]);
      return closed === 1;
    };
    return await (entry.decision === 'pass' ? this.#store.writeDeferred(write) : this.#store.write(write));
  }

  /** The heartbeat of this daemon. */
  async beat(now: number): Promise<void> {
    await this.#store.write((sql) =>
      sql.run('UPDATE chains SET seen_at = ? WHERE chain = ?', now, this.#audit.chain),
    );
  }

  /**
   * Closes the work that dead daemons left open, and that this home left open when its chain had no more than `size`
   * entries; returns the number. The chain determines the order: the clock may have been set back in between.
   */
  async closeOrphans(now: number, size: number): Promise<number> {
    const orphans = await this.#store.read((sql) =>
      sql.all(
        `SELECT open_work.*, chains.seen_at FROM open_work JOIN chains ON chains.chain = open_work.chain
         WHERE (open_work.chain <> ? AND chains.seen_at < ?) OR (open_work.chain = ? AND NOT EXISTS (
           SELECT 1 FROM audit
           WHERE audit.decision_id = open_work.decision_id AND audit.chain = open_work.chain AND audit.seq > ?))`,
        ...[this.#audit.chain, now - deadAfter, this.#audit.chain, size],
      ),
    );
    let closed = 0;
    for (const orphan of orphans) if (await this.close(closing(orphan, now))) closed++;
    return closed;
  }
}

/** The end of orphaned work: its progress is unknown, so it counts as blocked. */
function closing(row: Row, now: number): NewEntry & { readonly decision_id: string } {
  return {
    time: now,
    event_type: 'stream_closed',
    user: String(row['user_id']),
    tenant: String(row['tenant']),
    agent: String(row['agent']),
    decision_id: String(row['decision_id']),
    decision: 'block',
    details: { orphan_of: String(row['chain']) },
  };
}

// ── paused runs

/** No paused run has this id, or it belongs to another user. */
export class UnknownRun extends SallyportError {}
/** The run was resumed before. */
export class RunTaken extends SallyportError {}
/** The time to answer the run's questions is over. */
export class RunExpired extends SallyportError {}
/** A run is too large, or too many runs are pending already. */
export class TooMuchPaused extends SallyportError {}

type RunState = 'waiting' | 'running' | 'ended' | 'expired';

/** A run that is paused, or was. */
export interface PausedRun {
  readonly id: string;
  readonly state: RunState;
  readonly user: string;
  readonly tenant: string;
  readonly agent: string;
  /** A keyed hash of its code. */
  readonly code: string;
  /** The ids of its pending approvals. */
  readonly approvals: readonly string[];
  /** The number of its pauses. */
  readonly round: number;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface ParkOptions {
  /** The run that pauses again; it keeps its id. */
  readonly id: string | null;
  readonly context: Context;
  readonly code: string;
  readonly approvals: readonly string[];
  /** The decision that allowed the code. */
  readonly decisionId: string;
  /** The complete state needed to resume it. */
  readonly content: Uint8Array;
  readonly now: number;
}

/** The answers to the questions of a run. */
type RunAnswers = 'pending' | 'answered';

/** The maximum size of one run, and of all pending ones of one tenant, sealed. */
const largest = 8_388_608;
const mostHeld = 67_108_864;

export class PausedRuns {
  readonly #store: Store;
  readonly #audit: AuditLog;
  readonly #keys: LedgerKeys;

  constructor(store: Store, audit: AuditLog, keys: LedgerKeys) {
    this.#store = store;
    this.#audit = audit;
    this.#keys = keys;
  }

  /** Stores a run for as long as an answer to one of its questions could be valid. */
  async park({
    id: known,
    context,
    code,
    approvals,
    decisionId,
    content,
    now,
  }: ParkOptions): Promise<string> {
    if (content.length > largest) throw new TooMuchPaused(`a run that waits holds at most ${largest} bytes`);
    const { user, tenant, agent } = context;
    return await this.#store.write(async (sql) => {
      await expire(sql, now);
      const [held] = await sql.all(
        "SELECT coalesce(sum(length(sealed)), 0) AS size FROM runs WHERE tenant = ? AND state = 'waiting'",
        tenant,
      );
      const [before] =
        known === null
          ? []
          : await sql.all("SELECT round FROM runs WHERE id = ? AND state = 'running'", known);
      if (known !== null && before === undefined) throw new UnknownRun(`the run ${known} is not under way`);
      const id = known ?? newId();
      const round = Number(before?.['round'] ?? 0) + 1;
      const row = {
        ...{ id, round, user_id: user, tenant, agent, code, approvals: approvals.join(' ') },
        ...{ decision_id: decisionId, created_at: now, expires_at: await lastAnswer(sql, approvals) },
      };
      const sealed = sealBytes(this.#keys.sealing, boundTo(row), content).toString('base64');
      if (Number(held?.['size']) + sealed.length > mostHeld) {
        const hint = "see 'sallyport approvals'";
        throw new TooMuchPaused('the runs that wait hold too much together', { hint });
      }
      if (known !== null) await sql.run('DELETE FROM runs WHERE id = ?', id);
      await sql.insert(
        'runs',
        [...Object.keys(row), 'state', 'sealed'],
        [[...Object.values(row), 'waiting', sealed]],
      );
      const details = { run: id, code, approvals: [...approvals], expires_at: row.expires_at };
      await this.#audit.insert(sql, [
        { time: now, event_type: 'run_paused', user, tenant, agent, decision_id: decisionId, details },
      ]);
      return id;
    });
  }

  /** The state of a paused run, and whether it can be resumed; nothing is changed yet. */
  async open(
    id: string,
    reader: Reader,
    now: number,
  ): Promise<PausedRun & { readonly content: Uint8Array; readonly answers: RunAnswers }> {
    return await this.#store.read(async (sql) => {
      const row = await this.#row(sql, id, reader);
      const run = runOf(row, now);
      if (run.state === 'running' || run.state === 'ended') throw taken(id);
      if (run.state === 'expired') throw expired(id);
      const sealed = Buffer.from(String(row['sealed']), 'base64');
      const content = unsealBytes(this.#keys.sealing, boundTo(row), sealed);
      const answers = await answersTo(sql, run.approvals, now);
      if (answers === 'expired') throw expired(id);
      return { ...run, content, answers };
    }, reader.tenant);
  }

  /** Resumes a run; of any number of callers, on any number of daemons, one gets it and the others `RunTaken`. */
  async take({ id, round }: Pick<PausedRun, 'id' | 'round'>, now: number): Promise<void> {
    await this.#store.write(async (sql) => {
      const [row] = await sql.all('SELECT * FROM runs WHERE id = ?', id);
      if (row === undefined) throw new UnknownRun(`there is no paused run ${id}`);
      // INVARIANT: the condition is part of the change itself, so that one caller at most changes a row.
      const changed = await sql.run(
        `UPDATE runs SET state = 'running', sealed = NULL
         WHERE id = ? AND round = ? AND state = 'waiting' AND expires_at > ?`,
        ...[id, round, now],
      );
      if (changed !== 1) throw taken(id);
      const { user, tenant, agent } = runOf(row, now);
      const [decision, details] = [String(row['decision_id']), { run: id }];
      await this.#audit.insert(sql, [
        { time: now, event_type: 'run_resumed', user, tenant, agent, decision_id: decision, details },
      ]);
    });
  }

  /** Ends a run that was resumed. */
  async end(id: string): Promise<void> {
    await this.#store.write((sql) =>
      sql.run("UPDATE runs SET state = 'ended' WHERE id = ? AND state = 'running'", id),
    );
  }

  /** The paused runs, oldest first. */
  async list(reader: Reader, now: number): Promise<readonly PausedRun[]> {
    const rows = await this.#store.read(
      (sql) => sql.all("SELECT * FROM runs WHERE state = 'waiting' ORDER BY created_at, id"),
      reader.tenant,
    );
    return rows
      .filter((row) => mayRead(row, reader))
      .map((row) => runOf(row, now))
      .filter(({ state }) => state === 'waiting');
  }

  /** Ends and erases expired runs. */
  async sweep(now: number): Promise<void> {
    await this.#store.write((sql) => expire(sql, now));
  }

  async #row(sql: Sql, id: string, reader: Reader): Promise<Row> {
    const [row] = await sql.all('SELECT * FROM runs WHERE id = ?', id);
    if (row === undefined || !mayRead(row, reader)) {
      throw new UnknownRun(`there is no paused run ${id}`, { hint: 'run the code again' });
    }
    return row;
  }
}

function taken(id: string): RunTaken {
  return new RunTaken(`the run ${id} was taken up already`, {
    hint: 'a run can be continued once; run the code again',
  });
}

function expired(id: string): RunExpired {
  return new RunExpired(`no answer came in time to what the run ${id} waits for`, {
    hint: 'run the code again, then answer',
  });
}

/** INVARIANT: the owner, code, questions and expiry of a run cannot be changed without failing the sealed part. */
function boundTo(row: Row): string {
  const { id, round, user_id: user, tenant, agent, code, approvals, decision_id: decision } = row;
  const { created_at: created, expires_at: until } = row;
  const text = [id, user, tenant, agent, code, approvals, decision].map(String);
  return `run ${canonicalJson([...text, ...[round, created, until].map(Number)])}`;
}

function runOf(row: Row, now: number): PausedRun {
  const createdAt = Number(row['created_at']);
  const expiresAt = Number(row['expires_at']);
  const stored = row['state'] as RunState;
  return {
    id: String(row['id']),
    state: stored === 'waiting' && (now < createdAt || now >= expiresAt) ? 'expired' : stored,
    user: String(row['user_id']),
    tenant: String(row['tenant']),
    agent: String(row['agent']),
    code: String(row['code']),
    approvals: String(row['approvals']).split(' '),
    round: Number(row['round']),
    createdAt,
    expiresAt,
  };
}

/** The last moment at which an answer to one of these questions could be valid: a late one is valid as long again. */
async function lastAnswer(sql: Sql, approvals: readonly string[]): Promise<number> {
  const [row] = await sql.all(
    `SELECT max(CASE WHEN answered_at IS NULL THEN expires_at + expires_at - created_at ELSE expires_at END) AS until
     FROM approvals WHERE id IN (${places(approvals)})`,
    ...approvals,
  );
  return Number(row?.['until'] ?? 0);
}

async function answersTo(
  sql: Sql,
  approvals: readonly string[],
  now: number,
): Promise<RunAnswers | 'expired'> {
  const rows = await sql.all(
    `SELECT state FROM approvals WHERE id IN (${places(approvals)})
     AND created_at <= ? AND (expires_at > ? OR state = 'used')`,
    ...[...approvals, now, now],
  );
  const states = new Set(rows.map(({ state }) => String(state)));
  // Every answered question is evaluated on the request path again; an approval used elsewhere is a new question there.
  if (['approved', 'denied', 'used'].some((state) => states.has(state))) return 'answered';
  return states.has('pending') ? 'pending' : 'expired';
}

function places(values: readonly string[]): string {
  return values.map(() => '?').join(', ');
}

/** A clock that was set to before a run was paused ends it too. */
async function expire(sql: Sql, now: number): Promise<void> {
  await sql.run(
    `UPDATE runs SET state = 'expired', sealed = NULL
     WHERE state = 'waiting' AND (expires_at <= ? OR created_at > ?)`,
    ...[now, now],
  );
}
