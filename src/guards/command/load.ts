// Loads what a piece of code needs to be read: the shell always, Python and JavaScript with their parsers.

import type { Code, Readers } from '../../core/index.ts';
import { analyseShell } from './bash/evaluate.ts';
import { isExecutor } from './bash/shell/tools.ts';
import type { Analyse, AnalysisEnvironment, Facts, Languages } from './effects.ts';
import { effectsOf, isKnownProgram } from './tools/index.ts';

// ── Puts the languages together: shell, Python and JavaScript call one another's analyses for code inside code.

/** The analysis of one language beside the shell; code inside that code goes to the others. */
type Foreign = (source: string, around: AnalysisEnvironment, languages: Languages) => Facts;

/** The other languages that are loaded; null: code in that language cannot be read now, and is asked for. */
interface Loaded {
  readonly python: Foreign | null;
  readonly javascript: Foreign | null;
}

/** The analyses that the guard is made of. */
interface Analyses {
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

// ── what is loaded

// Kept, since even an import that is done already costs as much as judging a short command.
let pythonCode: typeof import('./python/index.ts') | undefined;
let javascriptCode: typeof import('./javascript/index.ts') | undefined;

/** The analyses without any other language. */
export const shellAlone: Analyses = createAnalyses({ python: null, javascript: null });

type Text = Pick<Code, 'kind' | 'source'>;

const showsPython = ({ kind, source }: Text) => kind === 'python' || /py/i.test(source);
const showsJavascript = ({ kind, source }: Text) => kind === 'shell' && /node|deno|bun|npx/i.test(source);

/** The analyses that the code may need, where nothing has to be loaded for it. */
export function analysesFor(code: Text): Analyses | null {
  return showsPython(code) || showsJavascript(code) ? null : shellAlone;
}

/** The analyses that the code may need; a language of which it shows no sign stays unloaded. */
export async function loadAnalyses(code: Text, readers: Readers | undefined): Promise<Analyses> {
  return createAnalyses({
    python: showsPython(code) ? await loadPython(readers) : null,
    javascript: showsJavascript(code) ? await loadJavascript(readers) : null,
  });
}

/** Longest code that is followed on the spot, in UTF-16 units: the worst that is known takes less than 50 ms. */
export const shortShell = 16_384;
/** A character of another language may cost more: each statement may hold a script of its own. */
const shortForeign = 4096;

/** Whether the code may be followed on the spot. */
export function isShort(code: Text): boolean {
  const { length } = code.source;
  return length <= shortForeign || (length <= shortShell && !showsPython(code) && !showsJavascript(code));
}

async function loadPython(readers: Readers | undefined): Promise<Foreign | null> {
  const parse = await readers?.python();
  if (parse === null || parse === undefined) return null;
  pythonCode ??= await import('./python/index.ts');
  const { analysePython } = pythonCode;
  return (source, around, others) => analysePython(source, around, others, parse);
}

async function loadJavascript(readers: Readers | undefined): Promise<Foreign | null> {
  const parse = await readers?.javascript();
  if (parse === null || parse === undefined) return null;
  javascriptCode ??= await import('./javascript/index.ts');
  const { analyseJavascript } = javascriptCode;
  return (source, around, others) => analyseJavascript(source, around, others, parse);
}
