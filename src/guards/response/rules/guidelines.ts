// Law (AG-OUT-2): a response does not do what a guideline forbids; the check is made before anything of it is shown.

import type { Guideline } from '../../../config/guidelines.ts';
import type { Rule } from '../../../core/index.ts';
import { builtinGuidelines } from '../guidelines/builtin.ts';
import { response } from './finding.ts';

/** The rule that stands for a guideline. */
export function guidelineRule({ name, reason, examples }: Guideline): Rule {
  return {
    id: `guideline_${name}`,
    guard: 'response',
    decision: 'block',
    reason,
    suggestion: 'Decline that part without its details, and help with the rest.',
    contract: 'AG-OUT-2',
    examples: {
      hit: examples.hit.map((text) => response(text)),
      miss: examples.miss.map((text) => response(text)),
    },
  };
}

export const guidelineRules: readonly Rule[] = builtinGuidelines.map(guidelineRule);
