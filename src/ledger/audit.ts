// The audit log: append-only, hash-chained, group-committed. Many writers share one fsync.

import { hash } from 'node:crypto';
import { canonicalJson, isJsonObject, type JsonObject, parseJson } from '../core/index.ts';
import { type Store, StoreDamaged, StoreLocked } from './store.ts';

export const eventTypes = [
  'decision',
  'stream_opened',
  'stream_closed',
  'guard_error',
  'approval_requested',
  'approval_answered',
  'approval_used',
  'grant_made',
  'grant_revoked',
  'credential_made',
  'credential_revoked',
  'file_trusted',
  'file_untrusted',
  'passphrase_chosen',
  'passphrase_changed',
  'daemon_started',
  'daemon_stopped',
] as const;

export type EventType = (typeof eventTypes)[number];

/** What a writer says; the log adds place and hash. */
export interface NewEntry {
  readonly time: number;
  readonly event_type: EventType;
  readonly user: string;
  readonly tenant: string;
  readonly agent: string;
  readonly decision_id?: string;
  readonly decision?: string;
  /** Facts, rules, names and keyed hashes; never a payload. */
  readonly details: JsonObject;
}

export interface Entry extends NewEntry {
  readonly seq: number;
  readonly hash: string;
}

/** Whose entries a reader may see, and which of them it wants. */
export interface EntryFilter {
  readonly tenant?: string;
  readonly user?: string;
  readonly agent?: string;
  readonly decision?: string;
  readonly eventType?: string;
  readonly decisionId?: string;
  /** Only entries before this place, for paging backwards. */
  readonly before?: number;
  readonly limit?: number;
}

/** What `log verify` found. */
export interface Verification {
  readonly entries: number;
  readonly head: string;
  readonly problems: readonly { readonly seq: number; readonly problem: string }[];
  /** Odd but allowed, such as a clock that went back. */
  readonly notes: readonly { readonly seq: number; readonly note: string }[];
}

interface Waiting {
  readonly entry: NewEntry;
  readonly body: string;
  readonly done: (() => void) | undefined;
  readonly failed: ((error: unknown) => void) | undefined;
}

const genesis = '0'.repeat(64);
/** How long an entry that nobody waits for may stay in memory, in milliseconds. */
const trail = 50;
/** How often a locked store is tried again, and how long in all, in milliseconds. */
const retryEvery = 50;
const retryFor = 10_000;
/** When a store that failed otherwise is tried again for the entries that nobody waits for. */
const retryLater = 1000;
const largestBatch = 1024;
const mostProblems = 100;
/** Entries of one commit may stand a little out of the order of their times. */
const clockSlack = 2000;

const insertSql = `INSERT INTO audit (seq, time, event_type, user, tenant, agent, decision_id, decision, body, hash)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

export class AuditLog {
  readonly #store: Store;
  #waiting: Waiting[] = [];
  #immediate: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lockedSince: number | undefined;
  #failing = false;
  #commits = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** How many commits were made, each of which cost one fsync. */
  get commits(): number {
    return this.#commits;
  }

  /** Appends and resolves once the entry is safe on disk; entries that arrive together share one commit. */
  append(entry: NewEntry): Promise<void> {
    return new Promise((done, failed) => {
      this.#waiting.push({ entry, body: bodyOf(entry), done, failed });
      this.#immediate ??= setImmediate(() => this.#flush());
    });
  }

  /**
   * Appends without waiting, for what had no effect; the entry is written with the next commit or shortly after.
   * While the store fails, it waits like `append`, so that nothing passes unrecorded.
   */
  appendLater(entry: NewEntry): Promise<void> | undefined {
    if (this.#failing) return this.append(entry);
    this.#waiting.push({ entry, body: bodyOf(entry), done: undefined, failed: undefined });
    if (this.#waiting.length >= largestBatch) this.#immediate ??= setImmediate(() => this.#flush());
    else this.#timer ??= setTimeout(() => this.#flush(), trail);
    return undefined;
  }

  /** Appends inside a transaction that the caller holds. */
  insert(entry: NewEntry): void {
    const head = this.#head();
    this.#put(entry, bodyOf(entry), head.seq + 1, head.hash);
  }

  /** Writes whatever waits; throws if it cannot be written. */
  async drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const error = this.#flush();
      if (error === undefined) continue;
      clearTimeout(this.#timer);
      this.#timer = undefined;
      if (this.#lockedSince === undefined) throw error;
      await new Promise((resolve) => setTimeout(resolve, retryEvery));
    }
  }

  /** The newest entries that the filter lets through, newest first. */
  list(filter: EntryFilter): readonly Entry[] {
    const conditions: string[] = ['1'];
    const values: (string | number)[] = [];
    const where = (condition: string, value: string | number | undefined) => {
      if (value === undefined) return;
      conditions.push(condition);
      values.push(value);
    };
    where('tenant = ?', filter.tenant);
    where('user = ?', filter.user);
    where('agent = ?', filter.agent);
    where('decision = ?', filter.decision);
    where('event_type = ?', filter.eventType);
    where('decision_id = ?', filter.decisionId);
    where('seq < ?', filter.before);
    const sql = `SELECT seq, body, hash FROM audit WHERE ${conditions.join(' AND ')} ORDER BY seq DESC LIMIT ?`;
    return this.#store.read(() =>
      this.#store
        .statement(sql)
        .all(...values, filter.limit ?? 50)
        .map(entryOf),
    );
  }

  /** Walks the whole chain: every place, hash and column must be what the entry says. */
  async verify(progress?: (entries: number) => void): Promise<Verification> {
    const problems: { seq: number; problem: string }[] = [];
    const notes: { seq: number; note: string }[] = [];
    const report = (seq: number, problem: string) => {
      if (problems.length < mostProblems) problems.push({ seq, problem });
    };
    let previous = { seq: 0, hash: genesis, time: Number.NEGATIVE_INFINITY };
    let entries = 0;
    const page = 5000;
    for (;;) {
      const rows = this.#store.read(() =>
        this.#store
          .statement('SELECT * FROM audit WHERE seq > ? ORDER BY seq LIMIT ?')
          .all(previous.seq, page),
      );
      for (const row of rows) {
        const seq = Number(row['seq']);
        if (seq !== previous.seq + 1) {
          const lost = seq - previous.seq - 1;
          report(seq, `${lost} ${lost === 1 ? 'entry is' : 'entries are'} missing before it`);
        }
        const body = String(row['body']);
        const stored = hex(row['hash']);
        if (chainHash(seq, previous.hash, body) !== stored) {
          report(seq, 'its hash does not follow from its content and the entry before it');
        }
        const mismatch = columnMismatch(row, body);
        if (mismatch !== undefined) report(seq, mismatch);
        const time = Number(row['time']);
        if (time < previous.time - clockSlack) notes.push({ seq, note: 'the clock went back before it' });
        previous = { seq, hash: stored, time };
        entries++;
      }
      progress?.(entries);
      if (rows.length < page) break;
      await new Promise((resolve) => setImmediate(resolve));
    }
    return { entries, head: previous.hash, problems, notes };
  }

  /** Writes one batch; gives the error if it could not, after telling those who wait. */
  #flush(): unknown {
    clearImmediate(this.#immediate);
    clearTimeout(this.#timer);
    this.#immediate = undefined;
    this.#timer = undefined;
    const batch = this.#waiting.slice(0, largestBatch);
    if (batch.length === 0) return undefined;
    try {
      this.#store.write(() => {
        let { seq, hash: previous } = this.#head();
        for (const { entry, body } of batch) previous = this.#put(entry, body, ++seq, previous);
      });
    } catch (error) {
      this.#failed(batch, error);
      return error;
    }
    this.#commits++;
    this.#failing = false;
    this.#lockedSince = undefined;
    this.#waiting = this.#waiting.slice(batch.length);
    if (this.#waiting.length > 0) this.#immediate ??= setImmediate(() => this.#flush());
    for (const { done } of batch) done?.();
    return undefined;
  }

  /** INVARIANT: an entry that somebody waits for is refused to them; one that nobody waits for is kept. */
  #failed(batch: readonly Waiting[], error: unknown): void {
    this.#failing = true;
    const now = performance.now();
    this.#lockedSince ??= now;
    if (error instanceof StoreLocked && now - this.#lockedSince < retryFor) {
      this.#timer ??= setTimeout(() => this.#flush(), retryEvery);
      return;
    }
    this.#lockedSince = undefined;
    this.#waiting = [
      ...batch.filter(({ failed }) => failed === undefined),
      ...this.#waiting.slice(batch.length),
    ];
    if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#flush(), retryLater);
    for (const { failed } of batch) failed?.(error);
  }

  #put(entry: NewEntry, body: string, seq: number, previous: string): string {
    const own = chainHash(seq, previous, body);
    this.#store
      .statement(insertSql)
      .run(
        seq,
        entry.time,
        entry.event_type,
        entry.user,
        entry.tenant,
        entry.agent,
        entry.decision_id ?? null,
        entry.decision ?? null,
        body,
        Buffer.from(own, 'hex'),
      );
    return own;
  }

  /** Read inside the transaction, since another process may have appended meanwhile. */
  #head(): { seq: number; hash: string } {
    const row = this.#store.statement('SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1').get();
    return row === undefined
      ? { seq: 0, hash: genesis }
      : { seq: Number(row['seq']), hash: hex(row['hash']) };
  }
}

function bodyOf(entry: NewEntry): string {
  return canonicalJson(entry);
}

/** INVARIANT: injective in its three parts, for neither a number nor a hex string holds a newline. */
function chainHash(seq: number, previous: string, body: string): string {
  return hash('sha256', `sallyport.audit.v1\n${seq}\n${previous}\n${body}`, 'hex');
}

function entryOf(row: Record<string, unknown>): Entry {
  const seq = Number(row['seq']);
  try {
    const content = parseJson(String(row['body'])) as unknown as NewEntry;
    return { ...content, seq, hash: hex(row['hash']) };
  } catch (error) {
    throw new StoreDamaged(`entry ${seq} of the audit log is not readable`, {
      hint: "run 'sallyport log verify'",
      cause: error,
    });
  }
}

function hex(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : '';
}

/** The columns repeat parts of the body for searching; a difference means that somebody changed one of them. */
function columnMismatch(row: Record<string, unknown>, body: string): string | undefined {
  let entry: unknown;
  try {
    entry = parseJson(body);
  } catch {
    return 'its content is not readable';
  }
  if (!isJsonObject(entry)) return 'its content is not an entry';
  for (const column of ['time', 'event_type', 'user', 'tenant', 'agent', 'decision_id', 'decision']) {
    if ((row[column] ?? undefined) !== entry[column])
      return `its column ${column} is not what its content says`;
  }
  return undefined;
}
