// What a piece of Python would do: its effects, the programs it starts, and what could not be followed.

import type { Facts, Languages, Surroundings } from '../effects.ts';
import { bounded } from '../script/bounds.ts';
import { Machine } from '../script/machine.ts';
import { pythonDialect } from './dialect.ts';
import { lower } from './lower.ts';
import type { ParsePython } from './tree.ts';

export type { ParsePython, PythonNode } from './tree.ts';

/** Follows a source without running it. Where the budget ends, what is left stands in `unknowns`. */
export function analysePython(
  source: string,
  surroundings: Surroundings,
  languages: Languages,
  parse: ParsePython,
): Facts {
  const refused = bounded(source, 'python');
  if (refused) return refused;
  return new Machine(pythonDialect(parse), surroundings, languages).run(lower(parse(source)));
}
