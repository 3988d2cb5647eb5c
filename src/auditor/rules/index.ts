// All rules of the contract, in its order.

import { inputRules } from './input.ts';
import { outputRules } from './output.ts';
import type { Rule } from './rule.ts';
import { toolRules } from './tool.ts';

export const rules: readonly Rule[] = [...inputRules, ...outputRules, ...toolRules];

export type { Judgement, Rule } from './rule.ts';
