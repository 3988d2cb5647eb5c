// Which of the approvals that wait is meant.

import { namedId } from '../core/index.ts';
import type { Approval } from '../ledger/index.ts';
import type { Call } from './command.ts';

/**
 * The id of the waiting approval that a text names. An id that waits no longer is given as it is: what became of it is
 * said elsewhere. With `--json` nothing is shown before the answer counts, so that the id is given in full.
 */
export function waitingId(call: Call, given: string, waiting: readonly Pick<Approval, 'id'>[]): string {
  const ids = waiting.map(({ id }) => id);
  if (call.flag('json') || !ids.some((id) => id.startsWith(given))) return given;
  return namedId(given, ids, { what: 'approval', hint: "see 'sallyport approvals'" });
}
