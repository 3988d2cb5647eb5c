// Records for a dry run: nothing is written, nobody is asked.

import type { Records } from './decide.ts';

/** Lets a decider judge without leaving a trace. */
export const dryRecords: Records = {
  newId: () => 'dry-run',
  record: () => undefined,
  fingerprint: () => '',
  approvals: { answered: () => undefined, consume: () => false, ask: () => null },
  grants: { covered: () => new Set() },
};
