// The checks of the PII pack by the names under which its rules call them.

import { brazilChecks } from './brazil.ts';
import type { Check } from './check.ts';
import { contactChecks } from './contact.ts';
import { countryChecks } from './countries.ts';
import { moneyChecks } from './money.ts';
import { tokenChecks } from './tokens.ts';

export const piiChecks: Readonly<Record<string, Check>> = {
  ...brazilChecks,
  ...contactChecks,
  ...moneyChecks,
  ...countryChecks,
  ...tokenChecks,
};
