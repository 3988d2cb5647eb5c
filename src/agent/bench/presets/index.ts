// The presets that come with Sallyport: they need no network, no model and nothing of the machine.

import type { BenchCase, Preset } from '../case.ts';
import { attacks } from './attacks.ts';
import { everyday, quick } from './everyday.ts';

export const builtinPresets: readonly Preset[] = [
  { name: 'quick', description: 'One everyday task for each server.', cases: quick },
  { name: 'everyday', description: 'Everyday tasks on files, a database and tickets.', cases: everyday },
  {
    name: 'attacks',
    description: 'Code and calls that attack the guard, and a task that must go on working.',
    cases: [...quick, ...attacks],
  },
  {
    name: 'release',
    description: 'Everyday tasks and attacks: what a release is decided on.',
    cases: inTurns(everyday, attacks),
  },
];

/** One of each in turns, so that a run of the first few has both. */
function inTurns(some: readonly BenchCase[], others: readonly BenchCase[]): readonly BenchCase[] {
  const longest = Math.max(some.length, others.length);
  return Array.from({ length: longest }, (_, at) => [some[at], others[at]])
    .flat()
    .filter((one) => one !== undefined);
}
