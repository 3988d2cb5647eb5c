// The Merkle tree over a chain: heads that are signed from time to time, and proofs against them.

import { SallyportError } from '../core/index.ts';
import type { AuditLog } from './audit.ts';
import type { ConsistencyDocument, InclusionDocument, SignedHead } from './heads.ts';
import { signHead } from './heads.ts';
import type { LedgerKeys } from './keys.ts';
import { consistencyProof, Frontier, type HashSource, inclusionProof, leafHash } from './merkle.ts';
import type { Row, Sql, Store } from './store.ts';

/** There is nothing to prove, or no head covers it. */
class NoProof extends SallyportError {}

const pageSize = 5000;

export class TreeHeads {
  readonly #store: Store;
  readonly #audit: AuditLog;
  readonly #keys: LedgerKeys;
  readonly #now: () => number;

  constructor(store: Store, audit: AuditLog, keys: LedgerKeys, now: () => number) {
    this.#store = store;
    this.#audit = audit;
    this.#keys = keys;
    this.#now = now;
  }

  /**
   * Signs the current state of the own chain; returns the newest head, which is an old one if there are no new entries.
   */
  async sign(chain = this.#audit.chain): Promise<SignedHead | null> {
    const { last, size } = await this.#store.read(async (sql) => ({
      last: await newest(sql, chain),
      size: Number((await sql.all('SELECT size FROM chains WHERE chain = ?', chain))[0]?.['size'] ?? 0),
    }));
    if (size === 0 || (last !== undefined && last.head.size >= size)) return last?.head ?? null;
    const frontier = last === undefined ? new Frontier() : Frontier.fromJSON(JSON.parse(last.frontier));
    for await (const leaves of this.#pages(chain, frontier.size, size)) {
      for (const leaf of leaves) frontier.append(leaf);
    }
    const key = await this.#keys.signing();
    const head = signHead(
      { version: 1, chain, size: frontier.size, root: frontier.rootHex(), time: this.#now(), key: key.id },
      key.privateKey,
    );
    await this.#store.write((sql) =>
      sql.run(
        `INSERT INTO heads (chain, size, root, time, key_id, signature, frontier) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT DO NOTHING`,
        ...[chain, head.size, head.root, head.time, head.key, head.signature, JSON.stringify(frontier)],
      ),
    );
    return head;
  }

  /** The newest head of every chain. */
  async newest(): Promise<readonly SignedHead[]> {
    const rows = await this.#store.read((sql) =>
      sql.all(
        `SELECT heads.* FROM heads JOIN (SELECT chain, max(size) AS size FROM heads GROUP BY chain) AS latest
         ON heads.chain = latest.chain AND heads.size = latest.size ORDER BY heads.chain`,
      ),
    );
    return rows.map(headOf);
  }

  /** The proof that the entry of a decision is in the log. */
  async proveInclusion(decisionId: string): Promise<InclusionDocument> {
    const [row] = await this.#store.read((sql) =>
      sql.all(
        "SELECT chain, seq, hash FROM audit WHERE decision_id = ? AND event_type = 'decision'",
        decisionId,
      ),
    );
    if (row === undefined)
      throw new NoProof(`there is no decision ${decisionId}`, { hint: "see 'sallyport log'" });
    const chain = String(row['chain']);
    const head = await this.sign(chain);
    if (head === null) throw new NoProof('the log has no head yet');
    const index = Number(row['seq']) - 1;
    const proof = await inclusionProof(this.#source(chain, head.size), index, head.size);
    return { version: 1, kind: 'inclusion', head, index, entry: String(row['hash']), proof: proof.map(hex) };
  }

  /** The proof that the log only grew since a head that a verifier has. */
  async proveConsistency(from: SignedHead): Promise<ConsistencyDocument> {
    const to = await this.sign(from.chain);
    if (to === null || to.size < from.size) throw new NoProof('the log is shorter than that head');
    const proof = await consistencyProof(this.#source(from.chain, to.size), from.size, to.size);
    return { version: 1, kind: 'consistency', from, to, proof: proof.map(hex) };
  }

  #source(chain: string, size: number): HashSource {
    return {
      size,
      leaves: async (start, end) => {
        const all: Uint8Array[] = [];
        for await (const page of this.#pages(chain, start, end)) all.push(...page);
        return all;
      },
    };
  }

  /** The leaves from one position up to another, a page at a time. */
  async *#pages(chain: string, start: number, end: number): AsyncGenerator<readonly Uint8Array[]> {
    for (let at = start; at < end; ) {
      const rows = await this.#store.read((sql) =>
        sql.all(
          'SELECT seq, hash FROM audit WHERE chain = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?',
          ...[chain, at, end, pageSize],
        ),
      );
      if (rows.length === 0 || Number(rows[0]?.['seq']) !== at + 1) {
        throw new NoProof(`entry ${at + 1} of chain ${chain} is missing`, {
          hint: "run 'sallyport log verify'",
        });
      }
      at += rows.length;
      yield rows.map((row) => leafHash(String(row['hash'])));
    }
  }
}

async function newest(sql: Sql, chain: string): Promise<{ head: SignedHead; frontier: string } | undefined> {
  const [row] = await sql.all('SELECT * FROM heads WHERE chain = ? ORDER BY size DESC LIMIT 1', chain);
  return row === undefined ? undefined : { head: headOf(row), frontier: String(row['frontier']) };
}

/** A head as it is stored. */
export function headOf(row: Row): SignedHead {
  return {
    version: 1,
    chain: String(row['chain']),
    size: Number(row['size']),
    root: String(row['root']),
    time: Number(row['time']),
    key: String(row['key_id']),
    signature: String(row['signature']),
  };
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
