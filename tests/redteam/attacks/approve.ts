import type { Attack } from '../attack.ts';

export const approveAttacks: readonly Attack[] = [];
