// Records for a dry run: nothing is written, nobody is asked.

import type { Records } from './decide.ts';

/** Lets a decider judge without leaving a trace. */
export const dryRecords: Records = {
  newId: () => 'dry-run',
  record: () => undefined,
  fingerprint: () => '',
  approvals: { answered: async () => undefined, consume: async () => false, ask: async () => null },
  work: { open: async () => undefined, close: async () => true },
  grants: { covered: async () => new Set() },
};
