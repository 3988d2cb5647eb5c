// All validators, by the names that rules call them by.

import type { Check } from './check.ts';
import { pathChecks } from './paths.ts';
import { piiChecks } from './pii.ts';
import { secretChecks } from './secrets.ts';
import { spokenChecks } from './spoken.ts';

export const checks: Readonly<Record<string, Check>> = {
  ...secretChecks,
  ...spokenChecks,
  ...piiChecks,
  ...pathChecks,
};
