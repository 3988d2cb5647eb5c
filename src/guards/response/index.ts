// The response guard: what a model says holds no secrets (AG-OUT-1) and breaks no guideline (AG-OUT-2); calls that it
// writes into its text are judged as calls (AG-OUT-3); whole, or as it flows (AG-OUT-4).

import type { Settings } from '../../config/settings.ts';
import { type Guard, lazily } from '../../core/index.ts';
import { responseRules } from './rules.ts';

/** Judges what a model says. */
export const responseGuard: Guard<'response', Settings> = {
  name: 'response',
  kinds: ['response'],
  rules: responseRules,
  check: ({ text }, input) => reading(({ judgeText }) => judgeText(text, input)),
  expand: ({ text }, { budget }) => reading(({ callsIn }) => callsIn(text, budget)),
  // Without a wait once it is loaded: an answer of a model has many streams, each of them with many pieces.
  stream: (_, input) => reading(({ streamText }) => streamText(input)),
};

const reading = lazily(() => import('./read.ts'));
