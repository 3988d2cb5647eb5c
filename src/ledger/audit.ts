// The audit log: append-only, hash-chained, group-committed. Many writers share one fsync.

import { hash, randomBytes } from 'node:crypto';
import { probeSession } from '../core/entry-text.ts';
import {
  canonicalJson,
  isJsonObject,
  type JsonObject,
  NotFoundError,
  namedId,
  parseJson,
} from '../core/index.ts';
import {
  anything,
  choice,
  count,
  type Infer,
  milliseconds,
  named,
  optional,
  reply,
  texts,
  words,
} from '../core/shape.ts';
import {
  type Row,
  replaced,
  type Sql,
  type SqlValue,
  type Store,
  StoreDamaged,
  StoreLocked,
} from './store.ts';

export const eventTypes = [
  'decision',
  'stream_opened',
  'stream_closed',
  'guard_error',
  'guard_unhooked',
  'protected_change',
  'call_unreported',
  'output_redacted',
  'answer_redacted',
  'host_prompt_allowed',
  'response_rejected',
  'cross_tenant',
  'jailbreak_attempt',
  'approval_requested',
  'approval_answered',
  'approval_used',
  'token_refused',
  'change_staged',
  'change_decided',
  'run_paused',
  'run_resumed',
  'grant_made',
  'grant_revoked',
  'permission_used',
  'policy_changed',
  'credential_made',
  'credential_revoked',
  'server_login',
  'server_logout',
  'file_trusted',
  'file_untrusted',
  'passphrase_accepted',
  'passphrase_refused',
  'session_opened',
  'passphrase_chosen',
  'passphrase_changed',
  'users_changed',
  'approver_added',
  'approver_ended',
  'approver_reset_requested',
  'approver_reset_vetoed',
  'host_connected',
  'host_disconnected',
  'login',
  'login_failed',
  'logout',
  'daemon_started',
  'daemon_stopped',
  'heads_seen',
  'key_rotated',
  'erased',
  'receipt',
  'chain_restarted',
] as const;

export type EventType = (typeof eventTypes)[number];

/** An entry of the log. */
export const entry = named(
  'Entry',
  reply({
    /** Its position in the whole store, for paging. */
    place: count,
    /** Its position in the chain of the daemon that wrote it. */
    seq: count,
    time: milliseconds,
    event_type: choice(eventTypes),
    ...texts('chain', 'hash', 'user', 'tenant', 'agent'),
    decision_id: optional(words),
    decision: optional(words),
    /** Facts, rules, names and keyed hashes; never a payload. */
    details: anything<JsonObject>(),
  }),
);
export type Entry = Infer<typeof entry>;
/** The content given by a writer; the log adds position and hash. */
export type NewEntry = Omit<Entry, 'place' | 'chain' | 'seq' | 'hash'>;

/** Whose entries a reader may see, and which of them are requested. */
export interface EntryFilter {
  readonly tenant?: string;
  readonly user?: string;
  readonly agent?: string;
  readonly decision?: string;
  readonly eventType?: string;
  readonly decisionId?: string;
  readonly guard?: string;
  readonly rule?: string;
  /** A piece of text that the entry holds. */
  readonly text?: string;
  /** The session that the entry names. */
  readonly session?: string;
  /** Times in milliseconds since 1970: from this one on, and before that one. */
  readonly since?: number;
  readonly until?: number;
  /** Only entries before this position, for paging backwards. */
  readonly before?: number;
  /** Only entries after this position, for readers that follow the log. */
  readonly after?: number;
  readonly limit?: number;
}

/** Whose decisions are counted, since when, and in intervals of how many milliseconds. */
export interface CountFilter extends Pick<EntryFilter, 'tenant' | 'user' | 'agent'> {
  readonly since: number;
  readonly bucketMs: number;
}

export interface DecisionCount {
  /** When the interval began. */
  readonly time: number;
  readonly decision: string;
  /** As `guard/rule`. */
  readonly rules: readonly string[];
  readonly count: number;
}

/** The end of a chain: its newest entry. */
export interface Tail {
  readonly seq: number;
  readonly hash: string;
}

/** An entry as it is stored in the log: its canonical text, and the salt of its hash. */
export interface Sealed {
  readonly salt: string;
  readonly body: string;
}

/** An entry that an ended process left. */
export interface Recovered {
  readonly entry: NewEntry;
  readonly sealed: Sealed;
}

/** The file for entries that are acknowledged before they are committed. */
export interface DeferredLog {
  /** Stores an entry and returns its number; throws if it cannot be written. */
  add(sealed: Sealed): number;
  /** Removes entries that are committed, up to a number. */
  remove(last: number): void;
}

interface Waiting {
  readonly entry: NewEntry;
  /** Present in an entry without a waiting caller. */
  readonly deferred?: Deferred;
  readonly done?: () => void;
  readonly failed?: (error: unknown) => void;
}

/** An entry that is acknowledged before it is committed. */
interface Deferred {
  /** Arrival time, in milliseconds of a monotonic clock. */
  readonly at: number;
  readonly sealed: Sealed;
  /** Its number in the file that outlives the process, if there is one. */
  readonly number: number | undefined;
}

/** The link before the first entry. */
export const genesis = '0'.repeat(64);
/** When an entry without a waiting caller is committed, in milliseconds after its arrival. */
const trail = 25;
/**
 * While an acknowledged entry that is not on disk is older than this, in milliseconds, every append waits for the disk.
 */
const oldestDeferred = 100;
/** Retry interval and total timeout for a locked store, in milliseconds. */
const retryEvery = 50;
const retryFor = 10_000;
/** Retry interval after other failures of the store, for entries without a waiting caller. */
const retryLater = 1000;
const largestBatch = 1024;
/** Most combinations that one search scans, and that are cached. */
const mostFacets = 200;
const mostRemembered = 100_000;
/** How many positions one step of a search without an index scans. */
const window = 50_000;

/** The end of a chain, and the entry at the position of its newest known entry. */
const tailColumns =
  'size, hash, epoch, (SELECT audit.hash FROM audit WHERE audit.chain = chains.chain AND audit.seq = ?) AS known';
const findTail = `SELECT ${tailColumns}, 1 AS sees_all FROM chains WHERE chain = ?`;
const findTailShared = `SELECT ${tailColumns},
  (current_setting('sallyport.tenant', true) = '*')::int AS sees_all FROM chains WHERE chain = ? FOR UPDATE`;

const columns = [
  ...['chain', 'seq', 'facet', 'time', 'event_type', 'user_id', 'tenant', 'agent', 'decision_id', 'decision'],
  ...['rules', 'salt', 'body', 'content', 'hash'],
];

/** No decision has this id. */
class UnknownDecision extends NotFoundError {}

/** How many ids with the same beginning are looked for, so that some can be named. */
const mostNamed = 10;

export class AuditLog {
  readonly chain: string;
  readonly #store: Store;
  readonly #deferred: DeferredLog | undefined;
  #waiting: Waiting[] = [];
  /** For each commit that is not on disk yet, the arrival time of its oldest deferred entry. */
  readonly #notOnDisk: number[] = [];
  #immediate: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<unknown> | undefined;
  #lockedSince: number | undefined;
  #failing = false;
  #commits = 0;
  /** The ids of combinations that are committed in the store. */
  readonly #facets = new Map<string, number>();
  #epoch = 0;
  /** The newest entry that this process knows to be committed, because it read or wrote it. */
  #known: Tail = { seq: 0, hash: genesis };
  /** Receives the newest entry that is on disk. */
  onDisk: (tail: Tail) => void = () => undefined;

  /** Without `deferred`, a process that is killed loses entries that it acknowledged and did not commit yet. */
  constructor(store: Store, chain: string, deferred?: DeferredLog) {
    this.#store = store;
    this.chain = chain;
    this.#deferred = deferred;
  }

  /** How many commits were made, each of which cost one fsync if a caller waited for it. */
  get commits(): number {
    return this.#commits;
  }

  /** Appends and resolves once the entry is on disk; concurrent entries share one commit. */
  append(entry: NewEntry): Promise<void> {
    return new Promise((done, failed) => {
      this.#waiting.push({ entry, done, failed });
      this.#soon();
    });
  }

  /**
   * Appends without waiting for a commit, for decisions without an effect; committed with the next commit or shortly
   * after. INVARIANT: when this returns undefined, the entry is in a file that outlives the process; and no entry that
   * was acknowledged before it and is not on disk is older than `oldestDeferred`, however late timers and the disk are.
   * If that cannot be ensured, or the store fails or others wrote to it, the entry waits like that of `append`.
   */
  appendLater(entry: NewEntry): Promise<void> | undefined {
    const refused = this.#store.refused();
    if (refused !== null) return Promise.reject(refused);
    const at = performance.now();
    const lags = at - (this.#oldest() ?? at) > oldestDeferred;
    if (this.#failing || lags || this.#store.disturbed()) return this.append(entry);
    const sealed = { salt: newSalts(1), body: canonicalJson(entry) };
    let number: number | undefined;
    try {
      number = this.#deferred?.add(sealed);
    } catch {
      return this.append(entry);
    }
    this.#waiting.push({ entry, deferred: { at, sealed, number } });
    if (this.#waiting.length >= largestBatch) this.#soon();
    else this.#timer ??= setTimeout(() => void this.#flush(), trail);
    return undefined;
  }

  /** The arrival time of the oldest acknowledged entry that is not on disk. */
  #oldest(): number | undefined {
    return this.#notOnDisk[0] ?? firstDeferred(this.#waiting)?.at;
  }

  /** Commits entries of a process that has ended; those that it committed itself are left out. */
  async recover(left: readonly Recovered[]): Promise<void> {
    for (let from = 0; from < left.length; from += largestBatch) {
      const batch = left.slice(from, from + largestBatch);
      const fresh = await this.#store.write(async (sql) => {
        const missing: Recovered[] = [];
        for (const one of batch) {
          const same = 'SELECT 1 FROM audit WHERE time = ? AND salt = ?';
          const known = await sql.all(same, one.entry.time, one.sealed.salt);
          if (known.length === 0) missing.push(one);
        }
        const entries = missing.map(({ entry }) => entry);
        const sealed = missing.map((one) => one.sealed);
        return missing.length === 0 ? new Map<string, number>() : await this.insert(sql, entries, sealed);
      });
      this.#remember(fresh);
    }
  }

  /** From now on, requires the store to contain its current end. */
  follow(known: Tail): void {
    this.#known = known;
  }

  /**
   * The end of the chain, created if there is none. INVARIANT: its row is locked until the transaction ends, so two
   * writers never take the same position; and the newest entry that this process knows still exists. Other processes of
   * this home may have appended to it.
   */
  async lock(sql: Sql): Promise<Row | undefined> {
    // Another transaction may be committed while this one waits, and the next one looks for its entry.
    const known = this.#known;
    const find = this.#store.engine === 'postgres' ? findTailShared : findTail;
    const [head] = await sql.all(find, known.seq, this.chain);
    this.#mustHold(known, head);
    if (head !== undefined) return head;
    const start =
      'INSERT INTO chains (chain, size, hash, seen_at) VALUES (?, 0, ?, 0) ON CONFLICT DO NOTHING';
    await sql.run(start, this.chain, genesis);
    return (await sql.all(find, known.seq, this.chain))[0];
  }

  #mustHold({ seq, hash: own }: Tail, head: Row | undefined): void {
    if (seq === 0) return;
    const size = Number(head?.['size'] ?? 0);
    const gone = size < seq || (size === seq && head?.['hash'] !== own);
    // A writer for one tenant does not see the entries of others.
    const cut = Number(head?.['sees_all'] ?? 1) === 1 && head?.['known'] !== own;
    if (gone || cut) {
      throw this.#store.refuse(
        replaced(
          `The ledger at ${this.#store.place} was cut or replaced while Sallyport was running: entry ${seq} of chain ${this.chain} is not in it`,
        ),
      );
    }
  }

  /** Appends inside a transaction of the caller; returns the combinations that were new. */
  async insert(
    sql: Sql,
    entries: readonly NewEntry[],
    sealed: readonly (Sealed | undefined)[] = [],
  ): Promise<ReadonlyMap<string, number>> {
    const head = await this.lock(sql);
    this.#forgetFacetsOf(Number(head?.['epoch']));
    let seq = Number(head?.['size']);
    let previous = String(head?.['hash']);
    const named = entries.map((entry) => ({ entry, ...facetOf(entry) }));
    const fresh = await this.#newFacets(sql, named);
    const salts = newSalts(entries.length);
    const rows = named.map(({ entry, name, rules }, index): SqlValue[] => {
      const { salt, body } = sealed[index] ?? {
        salt: salts.slice(index * 32, index * 32 + 32),
        body: canonicalJson(entry),
      };
      const content = contentHash(salt, body);
      seq++;
      previous = linkHash(this.chain, seq, previous, content);
      const { time, event_type: type, user, tenant, agent, decision_id: id = null, decision = null } = entry;
      const facet = this.#facets.get(name) ?? fresh.get(name) ?? 0;
      return [
        ...[this.chain, seq, facet, time, type, user, tenant, agent, id, decision],
        ...[rules, salt, body, content, previous],
      ];
    });
    await sql.insert('audit', columns, rows);
    const newest = entries.at(-1)?.time ?? 0;
    await sql.run(
      'UPDATE chains SET size = ?, hash = ?, seen_at = ? WHERE chain = ?',
      seq,
      previous,
      newest,
      this.chain,
    );
    const tail = { seq, hash: previous };
    sql.after('commit', () => {
      // On a shared store a later commit may be reported first.
      if (tail.seq > this.#known.seq) this.#known = tail;
    });
    sql.after('disk', () => this.onDisk(tail));
    return fresh;
  }

  /** Writes all pending entries; throws if they cannot be written. */
  async drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const error = await this.#flush();
      if (error === undefined) continue;
      clearTimeout(this.#timer);
      this.#timer = undefined;
      if (this.#lockedSince === undefined) throw error;
      await new Promise((resolve) => setTimeout(resolve, retryEvery));
    }
  }

  /** How many entries the chain has. */
  async size(): Promise<number> {
    const rows = await this.#store.read((sql) =>
      sql.all('SELECT size FROM chains WHERE chain = ?', this.chain),
    );
    return Number(rows[0]?.['size'] ?? 0);
  }

  /** The id of the decision that an id, or a unique prefix of one, names; throws `UnknownDecision`. */
  async decisionId(given: string): Promise<string> {
    const known = await this.#store.read(async (sql) => {
      // A complete id is found by the index; for a prefix all ids are compared.
      const exact = await sql.all(
        'SELECT decision_id FROM audit WHERE decision_id = ? AND body IS NOT NULL LIMIT 1',
        given,
      );
      if (exact.length > 0) return exact;
      return await sql.all(
        "SELECT DISTINCT decision_id FROM audit WHERE decision_id LIKE ? ESCAPE '!' AND body IS NOT NULL LIMIT ?",
        ...[`${literal(given)}%`, mostNamed],
      );
    });
    const ids = known.map((row) => String(row['decision_id']));
    return namedId(given, ids, { what: 'decision', hint: "see 'sallyport log'", Unknown: UnknownDecision });
  }

  /** The newest entries that match the filter, newest first. */
  async list(filter: EntryFilter): Promise<readonly Entry[]> {
    const conditions: string[] = ['body IS NOT NULL'];
    const values: SqlValue[] = [];
    const where = (condition: string, value: string | number | undefined) => {
      if (value === undefined) return;
      conditions.push(condition);
      values.push(value);
    };
    where('tenant = ?', filter.tenant);
    where('user_id = ?', filter.user);
    where('agent = ?', filter.agent);
    where('decision = ?', filter.decision);
    where('event_type = ?', filter.eventType);
    where('decision_id = ?', filter.decisionId);
    where("body LIKE ? ESCAPE '!'", filter.text === undefined ? undefined : `%${literal(filter.text)}%`);
    const { session } = filter;
    const inSession = session === undefined ? undefined : `%"session":${literal(JSON.stringify(session))}%`;
    where("body LIKE ? ESCAPE '!'", inSession);
    where('time >= ?', filter.since);
    where('time < ?', filter.until);
    const limit = filter.limit ?? 50;
    const newest = (more: readonly string[]) =>
      `SELECT place, chain, seq, body, hash FROM audit
       WHERE ${[...conditions, ...more].join(' AND ')} AND place < ? AND place >= ? ORDER BY place DESC LIMIT ?`;
    const read = <T>(work: (sql: Sql) => Promise<T>) => this.#store.read(work, filter.tenant);
    const facets = filter.decisionId === undefined ? await read((sql) => matchingFacets(sql, filter)) : null;
    const { from, below } = await read((sql) => placesOf(sql, filter));
    const walk = (under: number, start: number, most: number) =>
      read(async (sql) => {
        const range = [under, start, most];
        if (facets === null) {
          const { conditions: more, values: names } = ruleConditions(filter);
          return await sql.all(newest(more), ...values, ...names, ...range);
        }
        if (facets.length === 0) return [];
        // One short index scan for each combination, instead of one long scan past all other entries.
        const parts = facets
          .map(() => `SELECT * FROM (${newest(['facet = ?'])}) AS part`)
          .join(' UNION ALL ');
        const given = facets.flatMap((facet) => [...values, facet, ...range]);
        return await sql.all(`SELECT * FROM (${parts}) AS found ORDER BY place DESC LIMIT ?`, ...given, most);
      });
    const byRule = filter.guard !== undefined || filter.rule !== undefined;
    const indexed = filter.text === undefined && session === undefined && !(byRule && facets === null);
    if (indexed) return (await walk(below, from, limit)).map(entryOf);
    // Without an index for this, the log is read newest first, in batches, and yields to other work in between.
    const found: Row[] = [];
    let under = Math.min(below, (await this.lastPlace()) + 1);
    while (found.length < limit && under > from) {
      found.push(...(await walk(under, Math.max(from, under - window), limit - found.length)));
      under -= window;
    }
    return found.map(entryOf);
  }

  /** The entries of a type about one agent since a time: a row that was changed past us does not undo them. */
  async said(
    sql: Sql,
    type: EventType,
    { user, tenant, agent }: Pick<NewEntry, 'user' | 'tenant' | 'agent'>,
    since: number,
  ): Promise<readonly JsonObject[]> {
    const rows = await sql.all(
      `SELECT place, chain, seq, body, hash FROM audit WHERE facet IN (
         SELECT id FROM facets WHERE event_type = ? AND tenant = ? AND user_id = ? AND agent = ?
       ) AND time >= ? AND body IS NOT NULL`,
      ...[type, tenant, user, agent, since],
    );
    return rows.map((row) => entryOf(row).details);
  }

  /** The number of decisions since a time, by interval, by decision and by the rules that caused it. */
  async counts({
    since,
    bucketMs: pieceMs,
    tenant,
    user,
    agent,
  }: CountFilter): Promise<readonly DecisionCount[]> {
    const probe = `"session":"${probeSession}`;
    const conditions = [
      "event_type = 'decision'",
      'time >= ?',
      // The condition of `isProbe`, on the text.
      "NOT (decision = 'block' AND (coalesce(body, '') LIKE ? OR coalesce(body, '') LIKE ?))",
    ];
    const values: SqlValue[] = [since, `%${probe}"%`, `%${probe} /%`];
    for (const [column, value] of [
      ['tenant', tenant],
      ['user_id', user],
      ['agent', agent],
    ] as const) {
      if (value === undefined) continue;
      conditions.push(`${column} = ?`);
      values.push(value);
    }
    // Both engines divide integers into integers; the remainder is subtracted all the same, so that none rounds.
    const piece = '(time - time % ?)';
    const rows = await this.#store.read(
      (sql) =>
        sql.all(
          `SELECT ${piece} AS piece, decision, rules, count(*) AS n FROM audit
           WHERE ${conditions.join(' AND ')} GROUP BY 1, decision, rules`,
          ...[pieceMs, ...values],
        ),
      tenant,
    );
    return rows.map((row) => ({
      time: Number(row['piece']),
      decision: String(row['decision'] ?? ''),
      rules: String(row['rules'] ?? '')
        .split(' ')
        .filter((name) => name !== ''),
      count: Number(row['n']),
    }));
  }

  /** The position of the newest entry; 0 if there is none. */
  async lastPlace(): Promise<number> {
    const [row] = await this.#store.read((sql) => sql.all('SELECT max(place) AS place FROM audit'));
    return Number(row?.['place'] ?? 0);
  }

  /** The ids of combinations that this log has not cached yet, created if they do not exist. */
  async #newFacets(
    sql: Sql,
    named: readonly { readonly entry: NewEntry; readonly name: string; readonly rules: string }[],
  ): Promise<ReadonlyMap<string, number>> {
    const fresh = new Map<string, number>();
    // INVARIANT: every daemon creates combinations in the same order, so that no two wait for each other.
    const unknown = named.filter(({ name }) => !this.#facets.has(name));
    unknown.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const { entry, name, rules } of unknown) {
      if (fresh.has(name)) continue;
      const { tenant, user, agent, event_type: type, decision = '' } = entry;
      const values = [tenant, user, agent, type, decision, rules];
      const all = 'tenant, user_id, agent, event_type, decision, rules';
      await sql.run(
        `INSERT INTO facets (${all}) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
        ...values,
      );
      const equal =
        'tenant = ? AND user_id = ? AND agent = ? AND event_type = ? AND decision = ? AND rules = ?';
      const [row] = await sql.all(`SELECT id FROM facets WHERE ${equal}`, ...values);
      fresh.set(name, Number(row?.['id']));
    }
    return fresh;
  }

  #soon(): void {
    this.#immediate ??= setImmediate(() => void this.#flush());
  }

  /** Writes batches until none is pending; returns the error if one could not be written. One flush runs at a time. */
  async #flush(): Promise<unknown> {
    clearImmediate(this.#immediate);
    clearTimeout(this.#timer);
    this.#immediate = undefined;
    this.#timer = undefined;
    this.#flushing ??= this.#writeBatches().finally(() => {
      this.#flushing = undefined;
    });
    return await this.#flushing;
  }

  async #writeBatches(): Promise<unknown> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, largestBatch);
      try {
        const insert = (sql: Sql) => this.#insertBatch(sql, batch);
        const waited = batch.some(({ done }) => done !== undefined);
        this.#remember(await (waited ? this.#store.write(insert) : this.#store.writeDeferred(insert)));
      } catch (error) {
        this.#failed(batch, error);
        return error;
      }
      this.#commits++;
      this.#failing = false;
      this.#lockedSince = undefined;
      this.#waiting = this.#waiting.slice(batch.length);
      const last = batch.findLast(({ deferred }) => deferred !== undefined)?.deferred?.number;
      if (last !== undefined) this.#deferred?.remove(last);
      for (const { done } of batch) done?.();
      // Callers that were answered continue first, so that their next entries are part of one commit.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return undefined;
  }

  #insertBatch(sql: Sql, batch: readonly Waiting[]): Promise<ReadonlyMap<string, number>> {
    const first = firstDeferred(batch)?.at;
    if (first !== undefined) {
      sql.after('commit', () => void this.#notOnDisk.push(first));
      // INVARIANT: what was committed first is on disk first.
      sql.after('disk', () => void this.#notOnDisk.shift());
    }
    return this.insert(
      sql,
      batch.map(({ entry }) => entry),
      batch.map(({ deferred }) => deferred?.sealed),
    );
  }

  /** An erasure removes names from combinations, and starts a new epoch: cached combinations are no longer valid. */
  #forgetFacetsOf(epoch: number): void {
    if (epoch === this.#epoch) return;
    this.#epoch = epoch;
    this.#facets.clear();
  }

  /** INVARIANT: only committed combinations are cached; one that was rolled back is created again. */
  #remember(fresh: ReadonlyMap<string, number>): void {
    if (this.#facets.size > mostRemembered) this.#facets.clear();
    for (const [name, id] of fresh) this.#facets.set(name, id);
  }

  /** INVARIANT: an entry with a waiting caller is rejected to that caller; one without is retained. */
  #failed(batch: readonly Waiting[], error: unknown): void {
    this.#failing = true;
    const now = performance.now();
    this.#lockedSince ??= now;
    if (error instanceof StoreLocked && now - this.#lockedSince < retryFor) {
      this.#timer ??= setTimeout(() => void this.#flush(), retryEvery);
      return;
    }
    this.#lockedSince = undefined;
    this.#waiting = [
      ...batch.filter(({ failed }) => failed === undefined),
      ...this.#waiting.slice(batch.length),
    ];
    if (this.#waiting.some(({ failed }) => failed !== undefined)) this.#soon();
    else if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => void this.#flush(), retryLater);
    for (const { failed } of batch) failed?.(error);
  }
}

/** Salts as hexadecimal text, 32 characters each. */
function newSalts(count: number): string {
  return randomBytes(16 * count).toString('hex');
}

function firstDeferred(waiting: readonly Waiting[]): Deferred | undefined {
  return waiting.find(({ deferred }) => deferred !== undefined)?.deferred;
}

/** The content of an entry, bound to a salt, so that erasing both leaves a hash that reveals nothing. */
export function contentHash(salt: string, body: string): string {
  return hash('sha256', `sallyport.entry.v1\n${salt}\n${body}`, 'hex');
}

/** INVARIANT: injective in its parts, because none of them contains a newline. */
export function linkHash(chain: string, seq: number, previous: string, content: string): string {
  return hash('sha256', `sallyport.audit.v1\n${chain}\n${seq}\n${previous}\n${content}`, 'hex');
}

/** The rules of an entry, and the name of the combination that it belongs to. */
function facetOf(entry: NewEntry): { readonly name: string; readonly rules: string } {
  const { tenant, user, agent, event_type: type, decision = '' } = entry;
  const rules = rulesOf(entry);
  return { name: JSON.stringify([tenant, user, agent, type, decision, rules]), rules };
}

/** The combinations that a search matches; null if they are so many that scanning the log itself is fast enough. */
async function matchingFacets(sql: Sql, filter: EntryFilter): Promise<readonly number[] | null> {
  const { guard, rule } = filter;
  const conditions: string[] = [];
  const values: SqlValue[] = [];
  const pairs = [
    ['tenant', filter.tenant],
    ['user_id', filter.user],
    ['agent', filter.agent],
    ['event_type', filter.eventType],
    ['decision', filter.decision],
  ] as const;
  for (const [column, value] of pairs) {
    if (value === undefined) continue;
    conditions.push(`${column} = ?`);
    values.push(value);
  }
  if (conditions.length === 0 && guard === undefined && rule === undefined) return null;
  if (guard !== undefined || rule !== undefined) conditions.push("rules <> ''");
  const rows = await sql.all(`SELECT id, rules FROM facets WHERE ${conditions.join(' AND ')}`, ...values);
  const wanted = (name: string) => {
    const [owner, id] = name.split('/');
    return (guard === undefined || owner === guard) && (rule === undefined || id === rule);
  };
  const found = rows.filter(
    ({ rules }) =>
      (guard === undefined && rule === undefined) || String(rules).trim().split(' ').some(wanted),
  );
  return found.length > mostFacets ? null : found.map(({ id }) => Number(id));
}

/**
 * The range of positions that contains every match of a search; times are converted to positions by their own index.
 */
async function placesOf(
  sql: Sql,
  { since, until, before, after = 0 }: EntryFilter,
): Promise<{ readonly from: number; readonly below: number }> {
  const end = before ?? Number.MAX_SAFE_INTEGER;
  if (since === undefined && until === undefined) return { from: after + 1, below: end };
  // The sum keeps a planner from scanning all positions in their order until one has the right time.
  const [row] = await sql.all(
    'SELECT min(place + 0) AS first, max(place + 0) AS last FROM audit WHERE time >= ? AND time < ?',
    ...[since ?? 0, until ?? Number.MAX_SAFE_INTEGER],
  );
  if (row?.['first'] == null) return { from: 0, below: 0 };
  return {
    from: Math.max(after + 1, Number(row['first'])),
    below: Math.min(end, Number(row['last']) + 1),
  };
}

/** A guard and a rule as conditions on the log itself, for a search that matches too many combinations. */
function ruleConditions({ guard, rule }: EntryFilter): { conditions: string[]; values: string[] } {
  const patterns = [
    ...(guard === undefined ? [] : [`% ${literal(guard)}/%`]),
    ...(rule === undefined ? [] : [`%/${literal(rule)} %`]),
  ];
  return { conditions: patterns.map(() => "rules LIKE ? ESCAPE '!'"), values: patterns };
}

/** The rules of a decision as one searchable text: ` guard/rule guard/rule `. */
export function rulesOf({ details }: Pick<NewEntry, 'details'>): string {
  const { findings } = details;
  if (!Array.isArray(findings) || findings.length === 0) return '';
  const names = findings.flatMap((finding) =>
    isJsonObject(finding) ? [`${String(finding['guard'])}/${String(finding['rule'])}`] : [],
  );
  return ` ${[...new Set(names)].join(' ')} `;
}

/** A text for LIKE with its wildcards escaped. */
function literal(text: string): string {
  return text.replace(/[!%_]/g, '!$&');
}

function entryOf(row: Row): Entry {
  const place = Number(row['place']);
  try {
    const content = parseJson(String(row['body'])) as unknown as NewEntry;
    const { chain, seq, hash: own } = row;
    return { ...content, place, chain: String(chain), seq: Number(seq), hash: String(own) };
  } catch (error) {
    throw new StoreDamaged(`entry ${row['seq']} of chain ${row['chain']} is not readable`, {
      hint: "run 'sallyport log verify'",
      cause: error,
    });
  }
}
