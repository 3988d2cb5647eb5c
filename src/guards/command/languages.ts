// Puts the languages together: shell, Python and JavaScript call one another's analyses for code inside code.

import { isExecutor } from './bash/executors.ts';
import { analyseShell, type Languages } from './bash/index.ts';
import type { Facts } from './effects.ts';
import type { Analyse } from './index.ts';
import { analyseJavascript, type ParseJavascript } from './javascript/index.ts';
import { analysePython, type ParsePython } from './python/index.ts';
import { effectsOf, isKnownProgram } from './tools/index.ts';

/** The parsers that are loaded; null: code in that language cannot be read now, and is asked for. */
export interface Parsers {
  readonly python: ParsePython | null;
  readonly javascript: ParseJavascript | null;
}

/** The analyses that the guard is made of; `parsers` is asked anew each time, since a parser may load later. */
export function createAnalyses(parsers: () => Parsers): {
  readonly shell: Analyse;
  readonly python: Analyse;
  readonly isKnown: (program: string) => boolean;
} {
  const languages: Languages = {
    shell: (text, surroundings) => analyseShell(text, surroundings, languages, effectsOf),
    python: (text, surroundings) => {
      const { python } = parsers();
      return python === null ? null : analysePython(text, surroundings, languages, python);
    },
    javascript: (text, surroundings) => {
      const { javascript } = parsers();
      return javascript === null ? null : analyseJavascript(text, surroundings, languages, javascript);
    },
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
  errors: ['the parser of this language is not loaded'],
};
