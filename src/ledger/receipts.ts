// Receipts: the changes that were made, by whom, under which guards. Each is an entry of the audit log, so that its
// chain, its signed heads and its proofs cover receipts too; each names the one before it.

import { hash } from 'node:crypto';
import {
  canonicalJson,
  isJsonObject,
  type JsonObject,
  NotFoundError,
  namedId,
  parseJson,
} from '../core/index.ts';
import {
  amount,
  choice,
  count,
  flag,
  type Infer,
  listOf,
  moment,
  named,
  nullable,
  record,
  reply,
  texts,
  words,
} from '../core/shape.ts';
import type { Reader } from './approvals.ts';
import type { AuditLog, NewEntry } from './audit.ts';
import type { Row, Sql, Store } from './store.ts';

/** `unchecked`: the guard could not check, or was not called, which is not a pass. */
const outcome = choice(['pass', 'unchecked', 'warn', 'fail']);
/** The guards' result for a change. */
export const chips = reply({ write: outcome, hallucination: outcome, egress: outcome });
export const counts = record(count);
export const hashes = reply({ path: words, before_hash: nullable(words), after_hash: nullable(words) });
/** A reference to a name that the workspace does not have. */
export const missingReference = reply({ ...texts('path', 'name'), line: count });
export const cost = reply({ usd: amount, tokens_in: count, tokens_out: count });

/** A receipt. */
export const receipt = named(
  'Receipt',
  reply({
    ...texts('receipt_id', 'user_id', 'workspace_id', 'run_id', 'prev_receipt_hash', 'self_hash'),
    timestamp: moment,
    action: choice(['apply', 'rollback', 'reject']),
    applied: flag(),
    files: listOf(hashes),
    /** Redacted. */
    diffs: listOf(reply({ path: words, hunks: listOf(words) })),
    snapshot_id: nullable(words),
    symbols_checked: count,
    missing_references: listOf(missingReference),
    /** The number of redactions in the diffs, by kind. */
    redactions: counts,
    guards: chips,
    cost,
    models: listOf(words),
  }),
);

export type GuardOutcome = Infer<typeof outcome>;
export type MissingReference = Infer<typeof missingReference>;
export type Receipt = Infer<typeof receipt>;
/** The content of a receipt, before it has its position. */
export type ReceiptBody = Omit<Receipt, 'prev_receipt_hash' | 'self_hash'>;

/** The owner of the receipt, for the log. */
export type Owner = Pick<NewEntry, 'user' | 'tenant' | 'agent'> & { readonly decisionId: string };

/** The result of a check of all receipts. */
export const receiptsVerification = reply({
  valid: flag(),
  receipts: count,
  /** Absent if the problem is in the log. */
  mismatch: listOf(reply({ receipt_id: nullable(words), problem: words })),
});
export type ReceiptsVerification = Infer<typeof receiptsVerification>;

/** No receipt, or more than one, has this id. */
export class UnknownReceipt extends NotFoundError {}

/** Most receipts that are listed for an ambiguous prefix. */
const mostNamed = 10;

/** The link before the first receipt. */
export const firstLink = '0'.repeat(64);
const pageSize = 500;

/** Stores the writes in receipts, in the transaction that stores the receipts. */
interface Authoring {
  insert(sql: Sql, receipts: readonly (readonly [Receipt, Owner])[]): Promise<void>;
}

interface Waiting {
  readonly body: ReceiptBody;
  readonly owner: Owner;
  readonly done: (receipt: Receipt) => void;
  readonly failed: (error: unknown) => void;
}

export class Receipts {
  readonly #store: Store;
  readonly #audit: AuditLog;
  readonly #now: () => number;
  readonly #authored: Authoring;
  #waiting: Waiting[] = [];
  #flushing = false;

  constructor(store: Store, audit: AuditLog, now: () => number, authored: Authoring) {
    this.#authored = authored;
    this.#store = store;
    this.#audit = audit;
    this.#now = now;
  }

  /** Writes a receipt and resolves once it is on disk; concurrent ones share one commit. */
  add(body: ReceiptBody, owner: Owner): Promise<Receipt> {
    return new Promise((done, failed) => {
      this.#waiting.push({ body, owner, done, failed });
      if (!this.#flushing) void this.#flush();
    });
  }

  async #flush(): Promise<void> {
    this.#flushing = true;
    // One turn of the event loop batches concurrent receipts.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        const receipts = await this.#store.write((sql) => this.#append(sql, batch));
        for (const [index, { done }] of batch.entries()) {
          const receipt = receipts[index];
          if (receipt !== undefined) done(receipt);
        }
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    this.#flushing = false;
  }

  async #append(sql: Sql, batch: readonly Waiting[]): Promise<readonly Receipt[]> {
    // INVARIANT: the chain is locked before the last receipt is read, so that no two name the same one before.
    await this.#audit.lock(sql);
    const [last] = await sql.all(
      `SELECT body FROM audit WHERE chain = ? AND event_type = 'receipt' ORDER BY seq DESC LIMIT 1`,
      this.#audit.chain,
    );
    let previous = last === undefined ? firstLink : (receiptOf(last)?.self_hash ?? firstLink);
    const receipts = batch.map(({ body }) => {
      const receipt = sealed(body, previous);
      previous = receipt.self_hash;
      return receipt;
    });
    const entries = batch.map(
      ({ owner: { decisionId, ...who } }, index): NewEntry => ({
        time: this.#now(),
        event_type: 'receipt',
        ...who,
        decision_id: decisionId,
        details: { receipt: receipts[index] as unknown as JsonObject },
      }),
    );
    await this.#audit.insert(sql, entries);
    const owned = batch.flatMap(({ owner }, index): readonly (readonly [Receipt, Owner])[] => {
      const receipt = receipts[index];
      return receipt === undefined ? [] : [[receipt, owner]];
    });
    await this.#authored.insert(sql, owned);
    return receipts;
  }

  /**
   * The newest receipts, newest first; `next` is the position before which the next page begins, null if there is none.
   */
  async list({
    limit = 50,
    ...filter
  }: Reader & { readonly limit?: number; readonly before?: number } = {}): Promise<{
    readonly receipts: readonly Receipt[];
    readonly next: number | null;
  }> {
    // One more than requested shows whether there are more.
    const found = await this.#audit.list({ ...filter, eventType: 'receipt', limit: limit + 1 });
    const entries = found.slice(0, limit);
    return {
      receipts: entries.flatMap(({ details }) => readReceipt(details) ?? []),
      next: found.length > limit ? (entries.at(-1)?.place ?? null) : null,
    };
  }

  /** The receipt that an id, or a unique prefix of one, names; throws `UnknownReceipt`. */
  async find(given: string, reader: Reader = {}): Promise<Receipt> {
    const found = new Map((await this.#beginningWith(given, reader)).map((one) => [one.receipt_id, one]));
    const named = { what: 'receipt', hint: "see 'sallyport receipts'", Unknown: UnknownReceipt };
    const receipt = found.get(namedId(given, found.keys(), named));
    if (receipt === undefined) throw new UnknownReceipt('there is no such receipt');
    return receipt;
  }

  async #beginningWith(given: string, reader: Reader): Promise<readonly Receipt[]> {
    if (!/^[0-9a-zA-Z-]{1,64}$/.test(given)) return [];
    const entries = await this.#audit.list({
      eventType: 'receipt',
      text: `"receipt_id":"${given}`,
      limit: mostNamed,
      ...reader,
    });
    return entries.flatMap(({ details }) => readReceipt(details) ?? []);
  }

  /** Whether a receipt with this hash is in the log. */
  async has(selfHash: string): Promise<boolean> {
    if (selfHash === firstLink) return true;
    const text = `"self_hash":"${selfHash}"`;
    return (await this.#audit.list({ eventType: 'receipt', text, limit: 1 })).length > 0;
  }

  /** The newest receipt's hash on this chain. */
  async head(): Promise<string> {
    const [last] = await this.#store.read((sql) =>
      sql.all(
        `SELECT body FROM audit WHERE chain = ? AND event_type = 'receipt' ORDER BY seq DESC LIMIT 1`,
        this.#audit.chain,
      ),
    );
    return last === undefined ? firstLink : (receiptOf(last)?.self_hash ?? firstLink);
  }

  /** Verifies that every receipt is unchanged and follows the one before it, on every chain. */
  async verify(): Promise<ReceiptsVerification> {
    const mismatch: { receipt_id: string; problem: string }[] = [];
    const links = new Map<string, string | null>();
    let receipts = 0;
    for (let after = 0; ; ) {
      const rows = await this.#store.read((sql) =>
        sql.all(
          `SELECT place, chain, body FROM audit WHERE event_type = 'receipt' AND place > ? ORDER BY place LIMIT ${pageSize}`,
          after,
        ),
      );
      if (rows.length === 0) break;
      for (const row of rows) {
        after = Number(row['place']);
        receipts++;
        const chain = String(row['chain']);
        const receipt = receiptOf(row);
        if (receipt === null) {
          // An erased entry retains its position and hash in the log; the link to it is not verified.
          links.set(chain, null);
          continue;
        }
        const { self_hash: self, ...rest } = receipt;
        if (hashOf(rest) !== self)
          mismatch.push({ receipt_id: receipt.receipt_id, problem: 'it is not as it was written' });
        const expected = links.has(chain) ? links.get(chain) : firstLink;
        if (expected !== null && expected !== receipt.prev_receipt_hash) {
          mismatch.push({ receipt_id: receipt.receipt_id, problem: 'it does not follow the one before it' });
        }
        links.set(chain, self);
      }
    }
    return { valid: mismatch.length === 0, receipts, mismatch };
  }
}

function sealed(body: ReceiptBody, previous: string): Receipt {
  const linked = { ...body, prev_receipt_hash: previous };
  return { ...linked, self_hash: hashOf(linked) };
}

function hashOf(receipt: Omit<Receipt, 'self_hash'>): string {
  return hash('sha256', canonicalJson(receipt), 'hex');
}

function receiptOf(row: Row): Receipt | null {
  if (row['body'] === null) return null;
  const entry = parseJson(String(row['body']));
  return isJsonObject(entry) && isJsonObject(entry['details']) ? readReceipt(entry['details']) : null;
}

// INVARIANT: entries of this type are written above and nowhere else.
function readReceipt({ receipt }: JsonObject): Receipt | null {
  return isJsonObject(receipt) ? (receipt as unknown as Receipt) : null;
}
