// Policy: Cedar over the whole decision. The engine is loaded with the first question that it is needed for.

import { lazily } from '../core/index.ts';
import type { Policy, Question } from './types.ts';

export type { Asked, Part, Policy } from './types.ts';

/**
 * Evaluates the built-in policies and the user's own. INVARIANT: if it answers without the engine, no policy could have
 * forbidden anything.
 */
export const cedarPolicy: Policy = (question, context, settings) => {
  const { sources, fallback } = settings.policy;
  const own = sources.length > 0 || fallback === 'deny';
  if (!own && !question.parts.some(isAlwaysAsked)) return { findings: [], asked: [] };
  return judging(({ judgeByPolicy }) => judgeByPolicy(question, context, settings));
};

const judging = lazily(() => import('./judge.ts'));

/** The built-in policies forbid nothing but what tools and queries do. */
function isAlwaysAsked({ action }: Question['parts'][number]): boolean {
  return action.kind === 'tool' || action.kind === 'query';
}

/**
 * Loads the engine if requests are certain to come; if it is unavailable, the first request reports that and is
 * refused.
 */
export async function prepareEngine(): Promise<void> {
  const { loadCedar } = await import('./schema.ts');
  await loadCedar().catch(() => undefined);
}
