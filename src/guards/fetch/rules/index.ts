// All rules of the fetch guard, in the order in which they are asked.

import type { Rule } from '../../../core/index.ts';
import { addressRules } from './address.ts';
import { allowlistRules } from './allowlist.ts';
import { headerRules } from './headers.ts';
import { methodRules } from './method.ts';
import { resolutionRules } from './resolution.ts';
import { urlRules } from './url.ts';

/** The whole list. */
export const fetchRules: readonly Rule[] = [
  ...urlRules,
  ...addressRules,
  ...allowlistRules,
  ...resolutionRules,
  ...methodRules,
  ...headerRules,
];
