// All rules of the write guard, in the order in which they are asked.

import type { Rule } from '../../../core/index.ts';
import { commandRules } from './command.ts';
import { contentRules } from './content.ts';
import { outsideRules } from './outside.ts';
import { pathRules, placeRules } from './place.ts';
import { protectionRules } from './protect.ts';
import { readRules } from './read.ts';
import { autonomyRules, userRules } from './user.ts';

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
