// What guarding changes costs: the symbol index and its checks.

import { symbols } from './symbols.ts';
import type { Benchmark } from './table.ts';

export const changes: Benchmark = symbols;
