// Waiting for a person: what every surface does that can hold its caller for a while.

import type { Verdict, World } from '../core/index.ts';
import type { Decider, Request } from '../decide/index.ts';
import type { Ledger } from '../ledger/index.ts';

export interface Waiting {
  readonly decider: Decider;
  readonly ledger: Pick<Ledger, 'approvals'>;
  readonly world: Pick<World, 'now'>;
  /** Ends waits when the daemon stops. */
  readonly stopping: AbortSignal;
}

/** The verdict after a person answered, or as it stands when the time is over. */
export async function afterAnswer(
  { decider, ledger, world, stopping }: Waiting,
  { action, context }: Request,
  verdict: Verdict,
  waitMs: number,
): Promise<Verdict> {
  const { approval } = verdict;
  if (approval === null) return verdict;
  const answered = await ledger.approvals.waitFor(approval.id, waitMs, stopping, () => world.now());
  return answered ? (await decider.decide(action, context)).verdict : verdict;
}
