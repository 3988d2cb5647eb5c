// All rules of the write guard, in the order in which they are asked.

import type { Rule } from '../../../core/index.ts';
import { autonomyRules } from './autonomy.ts';
import { commandRules } from './command.ts';
import { contentRules } from './content.ts';
import { outsideRules } from './outside.ts';
import { pathRules } from './path.ts';
import { placeRules } from './place.ts';
import { protectionRules } from './protect.ts';
import { readRules } from './read.ts';
import { userRules } from './user.ts';

/** The whole list. */
export const writeRules: readonly Rule[] = [
  ...pathRules,
  ...outsideRules,
  ...protectionRules,
  ...placeRules,
  ...contentRules,
  ...commandRules,
  ...userRules,
  ...autonomyRules,
  ...readRules,
];
