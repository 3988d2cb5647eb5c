// The phrases of all rules, in the order in which they are tried.

import { conductRules } from './conduct.ts';
import { extractionRules } from './extraction.ts';
import { overrideRules } from './override.ts';
import type { PhraseRule } from './rule.ts';

/** All of them. */
export const phraseRules: readonly PhraseRule[] = [...overrideRules, ...extractionRules, ...conductRules];
