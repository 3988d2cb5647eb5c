// Step 3 of the path: the policy over what the guards made of an action.

import type { Settings } from '../config/index.ts';
import type { Context } from '../core/index.ts';
import type { Policy } from '../policy/index.ts';
import { detailOf, type Judged } from './judge.ts';
import { pathFinding, pathRules } from './rules.ts';

/**
 * What the guards found and what the policy adds; the facts name the policies that decided.
 * INVARIANT: never throws; a policy that cannot be asked blocks.
 */
export async function withPolicy(
  policy: Policy,
  judged: Pick<Judged, 'parts' | 'findings' | 'facts'>,
  context: Context,
  settings: Settings,
): Promise<Pick<Judged, 'findings' | 'facts'>> {
  try {
    const answer = policy(judged, context, settings);
    const { findings, asked } = answer instanceof Promise ? await answer : answer;
    if (asked.length === 0) return { findings: [...judged.findings, ...findings], facts: judged.facts };
    const policies = [...new Set(asked.flatMap(({ determined }) => determined))].sort();
    return { findings: [...judged.findings, ...findings], facts: { ...judged.facts, policies } };
  } catch (error) {
    const finding = pathFinding(pathRules.policyError, detailOf(error));
    return { findings: [...judged.findings, finding], facts: judged.facts };
  }
}
