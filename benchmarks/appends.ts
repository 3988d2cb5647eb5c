// Appends the same number of entries in one of two ways, for a tracer that counts the fsyncs of each.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { NewEntry } from '../src/ledger/index.ts';
import { openLedger } from './parts.ts';

const [way = '', folder = ''] = process.argv.slice(2);
const place = join(folder, `traced-${way}`);
mkdirSync(place);
const ledger = await openLedger(place);
const entry: NewEntry = {
  time: 1_700_000_000_000,
  event_type: 'decision',
  user: 'bench',
  tenant: 'bench',
  agent: 'bench',
  decision: 'block',
  details: { text: 'x'.repeat(400) },
};
const writers = way === 'grouped' ? 64 : 1;
const each = 2560 / writers;
await Promise.all(
  Array.from({ length: writers }, async () => {
    for (let number = 0; number < each; number++) await ledger.audit.append(entry);
  }),
);
await ledger.close();
