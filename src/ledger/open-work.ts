// Work that is under way: opened and closed with a record each. What a dead daemon left open, another one closes.

import type { AuditLog, NewEntry } from './audit.ts';
import type { Row, Sql, Store } from './store.ts';

/** A daemon that was not seen for this long, in milliseconds, is taken for dead. */
const deadAfter = 30_000;

export class OpenWork {
  readonly #store: Store;
  readonly #audit: AuditLog;

  constructor(store: Store, audit: AuditLog) {
    this.#store = store;
    this.#audit = audit;
  }

  /**
   * Records that work begins, and remembers that it is open. Nothing has come of it yet, so the disk need not be waited
   * for: what a dying process leaves open is found all the same.
   */
  async open(entry: NewEntry & { readonly decision_id: string }): Promise<void> {
    await this.#store.writeDeferred(async (sql) => {
      const { decision_id: id, user, tenant, agent, time } = entry;
      const columns = ['decision_id', 'chain', 'user_id', 'tenant', 'agent', 'opened_at'];
      await sql.insert('open_work', columns, [[id, this.#audit.chain, user, tenant, agent, time]]);
      await this.#audit.insert(sql, [entry]);
    });
  }

  /** Records that work has ended; false if another daemon closed it already. What was stopped is safe on disk. */
  async close(entry: NewEntry & { readonly decision_id: string }): Promise<boolean> {
    const write = async (sql: Sql): Promise<boolean> => {
      const closed = await sql.run('DELETE FROM open_work WHERE decision_id = ?', entry.decision_id);
      if (closed === 1) await this.#audit.insert(sql, [entry]);
      return closed === 1;
    };
    return await (entry.decision === 'pass' ? this.#store.writeDeferred(write) : this.#store.write(write));
  }

  /** Tells the other daemons that this one lives. */
  async beat(now: number): Promise<void> {
    await this.#store.write((sql) =>
      sql.run('UPDATE chains SET seen_at = ? WHERE chain = ?', now, this.#audit.chain),
    );
  }

  /**
   * Closes what dead daemons left open, and what this home left open when its chain had no more than `size` entries; gives how
   * many. The chain tells what was before and what after: its clock may have been set back in between.
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

/** How an orphan ends: nobody knows how far it came, so it counts as blocked. */
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
