// What guarding changes costs: keeping and restoring them, the symbol index and its checks.

import { captures } from './captures.ts';
import { symbols } from './symbols.ts';
import type { Benchmark } from './table.ts';

export const changes: Benchmark = async (progress) => [
  ...(await captures(progress)),
  ...(await symbols(progress)),
];
