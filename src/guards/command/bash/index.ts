// What a shell script would do, as facts: its programs and their effects, whatever the spelling.

import { BudgetExceeded } from '../../../core/index.ts';
import type { AnalysisEnvironment, Facts, Languages } from '../effects.ts';
import { walker, walkScript } from './evaluate.ts';
import { TooManySteps } from './findings.ts';
import { Analysis, type EffectsOf } from './shell/analysis.ts';

/**
 * The facts of a script. Never throws for what the script says: what could not be followed stands in `unknowns`,
 * beside everything that was found until then.
 */
export function analyseShell(
  source: string,
  around: AnalysisEnvironment,
  languages: Languages,
  effectsOf: EffectsOf,
): Facts {
  const analysis = new Analysis(around, languages, effectsOf, walker);
  try {
    walkScript(analysis, source);
  } catch (error) {
    if (!(error instanceof TooManySteps || error instanceof BudgetExceeded || error instanceof RangeError))
      throw error;
    analysis.noteUnknown('the command has too many parts to be followed', [0, source.length]);
  }
  return analysis.facts;
}
