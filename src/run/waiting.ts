// Waiting for an approver: shared by all callers that can hold an agent for a while.

import type { Action, Context, World } from '../core/index.ts';
import type { Decided, Decider } from '../decide/index.ts';
import type { Ledger } from '../ledger/index.ts';

export interface Waiting {
  readonly decider: Decider;
  readonly ledger: Pick<Ledger, 'approvals'>;
  readonly world: Pick<World, 'now'>;
  /** Aborts waits when the answer is no longer needed. */
  readonly stopping: AbortSignal;
}

/** The decision after the answer, or the current one after the timeout. */
export async function afterAnswer<A extends Action>(
  { decider, ledger, world, stopping }: Waiting,
  { action, context }: { readonly action: A; readonly context: Context },
  decided: Decided<A['kind']>,
  waitMs: number,
): Promise<Decided<A['kind']>> {
  const { approval } = decided.verdict;
  if (approval === null) return decided;
  const answered = await ledger.approvals.waitFor(approval.id, waitMs, stopping, () => world.now());
  return answered ? await decider.decide(action, context) : decided;
}
