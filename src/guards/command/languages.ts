// Puts the languages together: shell, Python and JavaScript call one another's analyses for code inside code.

import { isExecutor } from './bash/executors/index.ts';
import { analyseShell } from './bash/index.ts';
import type { AnalysisEnvironment, Facts, Languages } from './effects.ts';
import type { Analyse } from './index.ts';
import { effectsOf, isKnownProgram } from './tools/index.ts';

/** The analysis of one language beside the shell; code inside that code goes to the others. */
export type Foreign = (source: string, around: AnalysisEnvironment, languages: Languages) => Facts;

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
    shell: (text, around) => analyseShell(text, around, languages, effectsOf),
    python: (text, around) => python?.(text, around, languages) ?? null,
    javascript: (text, around) => javascript?.(text, around, languages) ?? null,
  };
  return {
    shell: languages.shell,
    python: (source, around) => languages.python(source, around) ?? unread,
    isKnown: (program) => isKnownProgram(program) || isExecutor(program),
  };
}

const unread: Facts = {
  effects: [],
  invocations: [],
  unknowns: [],
  errors: ['what reads this language is not installed (sallyport doctor names it)'],
};
