import type { Attack } from '../attack.ts';

export const guessAttacks: readonly Attack[] = [];
