import type { Attack } from '../attack.ts';

export const drownAttacks: readonly Attack[] = [];
