// Law (AG-OUT-2): where a judge model is configured, nothing is shown that it has not passed; no answer is no pass.

import type { Rule } from '../../../core/index.ts';
import { response } from './finding.ts';

const judge = { provider: 'local', model: 'guard' };

export const judgeFailed: Rule = {
  id: 'judge_failed',
  guard: 'response',
  decision: 'block',
  reason: 'The judge model gave no answer that counts, and what it did not judge is not shown.',
  suggestion: 'A person looks at [judge] and its provider, and asks again.',
  examples: {
    // Nobody can be asked here.
    hit: [response('All is well.', { judge })],
    miss: [response('All is well.')],
  },
};
