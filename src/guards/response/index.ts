// The response guard: what a model says holds no secrets (AG-OUT-1), whole or as it flows (AG-OUT-4).

import type { Settings } from '../../config/settings.ts';
import type { Guard } from '../../core/index.ts';
import { responseRules } from './rules/index.ts';

/** Judges what a model says. */
export const responseGuard: Guard<'response', Settings> = {
  name: 'response',
  kinds: ['response'],
  rules: responseRules,
  check: async ({ text }) => (await load()).judgeText(text),
  stream: () => loaded?.streamText() ?? load().then(({ streamText }) => streamText()),
};

// Kept, since even an import that is done already takes its time.
let loaded: typeof import('./read.ts') | undefined;

async function load(): Promise<typeof import('./read.ts')> {
  loaded ??= await import('./read.ts');
  return loaded;
}
