// All rules of the tool guard, in the order in which they are asked.

import type { Rule } from '../../../core/index.ts';
import { untrustedOrigin } from '../provenance.ts';
import { effectRules, folderRules, identityRules, registryRules } from './call.ts';
import { hostRules } from './hosts.ts';

/** The whole list. */
export const toolRules: readonly Rule[] = [
  ...registryRules,
  ...hostRules,
  ...identityRules,
  ...folderRules,
  ...effectRules,
  untrustedOrigin,
];
