import type { Attack } from '../attack.ts';

export const unhookAttacks: readonly Attack[] = [];
