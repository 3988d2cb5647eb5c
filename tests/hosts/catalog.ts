// Every scenario, in the order of the table.

import { type Scenario, scenarios } from './scenarios.ts';
import { shellScenarios } from './scenarios-shell.ts';
import { unhookScenarios } from './scenarios-unhook.ts';

export const allScenarios: readonly Scenario[] = [...scenarios, ...unhookScenarios, ...shellScenarios];
