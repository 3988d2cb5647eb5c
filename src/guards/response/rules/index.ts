// All rules of this guard.

import type { Rule } from '../../../core/index.ts';
import { unknownCall } from './calls.ts';
import { guidelineRules } from './guidelines.ts';
import { judgeFailed } from './judge.ts';
import { secretInResponse } from './secrets.ts';

export const responseRules: readonly Rule[] = [secretInResponse, ...guidelineRules, judgeFailed, unknownCall];
