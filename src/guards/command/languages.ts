// Puts the languages together: shell, Python and JavaScript call one another's analyses for code inside code.

import { isExecutor } from './bash/executors/index.ts';
import { analyseShell } from './bash/index.ts';
import type { Facts, Languages, Surroundings } from './effects.ts';
import type { Analyse } from './index.ts';
import { effectsOf, isKnownProgram } from './tools/index.ts';

/** The analysis of one language beside the shell; code inside that code goes to the others. */
export type Foreign = (source: string, surroundings: Surroundings, languages: Languages) => Facts;

/** The other languages that are loaded; null: code in that language cannot be read now, and is asked for. */
export interface Loaded {
  readonly python: Foreign | null;
  readonly javascript: Foreign | null;
}

/** The analyses that the guard is made of. */
export interface Analyses {
  readonly shell: Analyse;
  readonly python: Analyse;
  readonly isKnown: (program: string) => boolean;
}

/** Makes the analyses, each of which hands code inside its code to the others. */
export function createAnalyses({ python, javascript }: Loaded): Analyses {
  const languages: Languages = {
    shell: (text, surroundings) => analyseShell(text, surroundings, languages, effectsOf),
    python: (text, surroundings) => python?.(text, surroundings, languages) ?? null,
    javascript: (text, surroundings) => javascript?.(text, surroundings, languages) ?? null,
  };
  return {
    shell: languages.shell,
    python: (source, surroundings) => languages.python(source, surroundings) ?? unread,
    isKnown: (program) => isKnownProgram(program) || isExecutor(program),
  };
}

const unread: Facts = {
  effects: [],
  invocations: [],
  unknowns: [],
  errors: ['what reads this language is not installed (sallyport doctor names it)'],
};
