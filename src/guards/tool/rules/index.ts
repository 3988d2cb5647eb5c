// All rules of the tool guard, in the order in which they are asked.

import type { Rule } from '../../../core/index.ts';
import { untrustedOrigin } from '../provenance.ts';
import { effectRules } from './effects.ts';
import { folderRules } from './folder.ts';
import { hostRules } from './hosts.ts';
import { identityRules } from './identity.ts';
import { registryRules } from './registry.ts';

/** The whole list. */
export const toolRules: readonly Rule[] = [
  ...registryRules,
  ...hostRules,
  ...identityRules,
  ...folderRules,
  ...effectRules,
  untrustedOrigin,
];
