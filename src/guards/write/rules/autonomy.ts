// Law: how far agents go by themselves is the user's to say: `manual` changes no file, `hybrid` none that nobody has seen.

import type { Autonomy } from '../../../config/sections/agents.ts';
import type { Finding, Rule } from '../../../core/index.ts';
import { hit, write } from './finding.ts';

const manual: Rule = {
  id: 'autonomy_manual',
  guard: 'write',
  decision: 'block',
  reason: 'Here agents propose no changes; a person makes them.',
  suggestion: 'Say in words what should be changed, and let a person change it.',
  examples: {
    hit: [write('src/a.ts', 'a', { agent: { autonomy: 'manual' } })],
    miss: [write('src/a.ts')],
  },
};

/** Says that a person looks at every change, and nothing about the change itself. */
export const reviewRule: Rule = {
  id: 'autonomy_review',
  guard: 'write',
  decision: 'approve',
  reason: 'Here a person looks at every change before it is made.',
  examples: {
    hit: [write('src/a.ts', 'a', { agent: { autonomy: 'hybrid' }, mode: 'auto' })],
    miss: [write('src/a.ts', 'a', { mode: 'auto' })],
  },
};

/** The rules of autonomy. */
export const autonomyRules: readonly Rule[] = [manual, reviewRule];

/** What autonomy says about any change; where nothing is said, the permission mode alone speaks. */
export function autonomyFindings(autonomy: Autonomy | null): readonly Finding[] {
  if (autonomy === 'manual')
    return [hit(manual, 'Autonomy is manual: agents change no file.', { pointer: '' })];
  if (autonomy === 'hybrid')
    return [hit(reviewRule, 'Autonomy is hybrid: a person looks at every change.', { pointer: '' })];
  return [];
}
