// What a piece of JavaScript for Node would do: its effects, the programs it starts, and what could not be followed.

import type { AnalysisEnvironment, Facts, Languages } from '../effects.ts';
import { bounded } from '../script/bounds.ts';
import { runProgram } from '../script/run.ts';
import { javascriptDialect } from './dialect.ts';
import { lower } from './lower.ts';
import type { ParseJavascript } from './tree.ts';

export type { JavascriptNode, ParseJavascript } from './tree.ts';

/** Follows a source without running it. Where the budget ends, what is left stands in `unknowns`. */
export function analyseJavascript(
  source: string,
  around: AnalysisEnvironment,
  languages: Languages,
  parse: ParseJavascript,
): Facts {
  const refused = bounded(source, 'node');
  if (refused) return refused;
  const { program, errors } = parse(source);
  return runProgram(lower(program, errors), javascriptDialect(parse), around, languages);
}
