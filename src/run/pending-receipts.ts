// Receipts of what calls changed: written once the change is seen, and after a crash by whoever comes next.

import type { Context } from '../core/index.ts';
import { inTurns, type Snapshot } from '../ledger/snapshots/index.ts';
import { receiptOf } from './apply.ts';
import type { ReceiptOptions } from './receipt.ts';

/** Leaves the receipts that are still owed in a workspace; one process at a time, so that each is left once. */
export async function leavePendingReceipts(options: Omit<ReceiptOptions, 'context'>): Promise<void> {
  const { snapshots } = options;
  if (snapshots.owed().length === 0) return;
  const unlock = await inTurns(snapshots.lock());
  try {
    for (const snapshot of snapshots.owed()) {
      await receiptOf(snapshot, { ...options, context: contextOf(snapshot) });
      snapshots.settled(snapshot.id);
    }
  } finally {
    unlock();
  }
}

function contextOf({ user, tenant, agent, run, workspace }: Snapshot): Context {
  return { user, tenant, agent, session: run, workspace, mode: 'default' };
}
