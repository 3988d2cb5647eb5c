import type { Attack } from '../attack.ts';

export const resetAttacks: readonly Attack[] = [];
