// Whether calls ran without a decision: what ran is compared with the record, which only the path writes.

import type { Ledger } from '../ledger/index.ts';

/** How many of the decisions that something ran on do not stand in the record as passed. */
export async function bypassesIn({ audit }: Pick<Ledger, 'audit'>, ran: readonly string[]): Promise<number> {
  await audit.drain();
  let count = 0;
  for (const decisionId of ran) {
    const entries = await audit.list({ decisionId, eventType: 'decision', limit: 10 });
    const passed = entries.some(({ decision }) => decision === 'pass' || decision === 'redact');
    if (!passed) count++;
  }
  return count;
}
