// The prompt guard: judges every text before a model reads it, no matter who wrote it (AG-IN-1 to AG-IN-4).

import type { Settings } from '../../config/settings.ts';
import { type Guard, lazily } from '../../core/index.ts';
import { promptRules } from './rules/index.ts';

/**
 * Judges prompts: attacks on the model, personal data, hidden text, uploads. It reads no stream, since nothing may
 * reach a model before the whole text was judged.
 */
export const promptGuard: Guard<'prompt', Settings> = {
  name: 'prompt',
  kinds: ['prompt'],
  rules: promptRules,
  // Loaded with the first prompt: the detectors are large, and no other verdict needs them.
  check: (action, input) => checking(({ check }) => check(action, input)),
};

const checking = lazily(() => import('./check.ts'));
