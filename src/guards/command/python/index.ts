// What a piece of Python would do: its effects, the programs it starts, and what could not be followed.

import { BudgetExceeded } from '../../../core/index.ts';
import type { AnalysisEnvironment, Facts, Languages } from '../effects.ts';
import { beyond, bounded } from '../script/bounds.ts';
import { runProgram } from '../script/run.ts';
import { pythonDialect } from './dialect.ts';
import { lower } from './lower.ts';
import type { ParsePython, PythonNode } from './tree.ts';

export type { ParsePython, PythonNode } from './tree.ts';

/** Follows a source without running it. Where the budget ends, what is left stands in `unknowns`. */
export function analysePython(
  source: string,
  around: AnalysisEnvironment,
  languages: Languages,
  parse: ParsePython,
): Facts {
  const refused = bounded(source, 'python');
  if (refused) return refused;
  let tree: PythonNode;
  try {
    tree = parse(source);
  } catch (error) {
    if (!(error instanceof BudgetExceeded)) throw error;
    // What stands beside it is judged all the same.
    return beyond(error.message, source, 'python');
  }
  return runProgram(lower(tree), pythonDialect(parse), around, languages);
}
