// All rules of the prompt guard, in the order in which they are asked.

import type { Rule } from '../../../core/index.ts';
import { dataRules } from './data.ts';
import { hiddenRules } from './hidden.ts';
import { injectionRules } from './injection.ts';
import { judgedRules } from './judged.ts';
import { uploadRules } from './upload.ts';

/** The whole list. */
export const promptRules: readonly Rule[] = [
  ...uploadRules,
  ...injectionRules,
  ...judgedRules,
  ...dataRules,
  ...hiddenRules,
];
