// What an analysis of code is handed and gives. What code does is said in one vocabulary for every language: core/effect.ts.

import type { CommandFacts as Facts, Invocation } from '../../core/effect.ts';

export type {
  CommandFacts as Facts,
  Content,
  Effect,
  EffectKind,
  Invocation,
  Origin,
  Target,
  Value,
} from '../../core/effect.ts';

/** What an analysis may know of its environment. */
export interface AnalysisEnvironment {
  /** Absolute folder in which the code runs. */
  readonly cwd: string;
  readonly home: string | null;
  /** Budget: throws `BudgetExceeded` when spent. */
  readonly spend: (steps: number) => void;
}

/** Code in each language, as facts; null where the language's parser is not loaded. */
export interface Languages {
  readonly shell: (text: string, around: AnalysisEnvironment) => Facts;
  readonly python: (text: string, around: AnalysisEnvironment) => Facts | null;
  readonly javascript: (text: string, around: AnalysisEnvironment) => Facts | null;
}

/** How code becomes facts; it may throw `BudgetExceeded` and nothing else. */
export type Analyse = (source: string, around: AnalysisEnvironment) => Facts;

// ── Whether code only reads, for certain. The command guard takes what a project's own tools do (a build, a test) for
// harmless; whether it can be undone is another question, and here whatever is not known to read changes something.

/** Effects that leave files as they are. */
const harmless: ReadonlySet<string> = new Set(['read', 'secret', 'inert', 'connect']);

/** Programs that change no file, whatever they are told, unless one of their options is refused below. */
const readers: ReadonlySet<string> = new Set([
  ...[
    '[',
    'basename',
    'cat',
    'cd',
    'cmp',
    'comm',
    'cut',
    'df',
    'diff',
    'dirname',
    'du',
    'echo',
    'egrep',
    'false',
  ],
  ...['fgrep', 'find', 'git', 'grep', 'head', 'id', 'jq', 'ls', 'md5sum', 'nl', 'od', 'printf', 'ps', 'pwd'],
  ...['readlink', 'realpath', 'rg', 'sha1sum', 'sha256sum', 'sha512sum', 'sleep', 'stat', 'tail', 'test'],
  ...['tr', 'true', 'uname', 'wc', 'which', 'whoami'],
]);

const gitReads: ReadonlySet<string> = new Set([
  ...['blame', 'describe', 'diff', 'log', 'ls-files', 'ls-tree', 'rev-parse', 'shortlog', 'show', 'status'],
]);

/** Options that make a reader write a file, set a variable or start another program. */
const refused: Readonly<Record<string, RegExp>> = {
  find: /^-(?:delete|exec|execdir|ok|okdir|fprint|fprint0|fprintf|fls)$/,
  git: /^--(?:o|ext-diff|textconv)/,
  printf: /^-v/,
  rg: /^--(?:pre|hostname-bin)/,
};

/** Whether a command is certain to change nothing. */
export function onlyReads({ effects, invocations, unknowns, errors }: Facts): boolean {
  if (unknowns.length > 0 || errors.length > 0) return false;
  return effects.every(({ kind }) => harmless.has(kind)) && invocations.every(reads);
}

/** Programs that change what their effects name, and nothing else. */
const writers: ReadonlySet<string> = new Set(['cp', 'mkdir', 'rm', 'rmdir', 'tee', 'touch', 'truncate']);
const changing: ReadonlySet<string> = new Set(['write', 'delete']);

/** All paths that a command changes, where that is certain; null where it is not. */
export function writesOf({ effects, invocations, unknowns, errors }: Facts): readonly string[] | null {
  if (unknowns.length > 0 || errors.length > 0) return null;
  if (!invocations.every((invocation) => reads(invocation) || isAt(invocation, writers))) return null;
  const changes = effects.filter(({ kind }) => !harmless.has(kind));
  const paths = changes.flatMap(({ kind, target }) =>
    changing.has(kind) && target.kind === 'path' && target.glob !== true && target.path.kind === 'literal'
      ? [target.path.text]
      : [],
  );
  return paths.length === changes.length && paths.length > 0 ? paths : null;
}

/** Whether a program is one of some, and not another one of that name. */
function isAt(
  { program, given, environment }: Pick<Invocation, 'program' | 'given' | 'environment'>,
  some: ReadonlySet<string>,
): boolean {
  if (program === null || !some.has(program) || environment === 'changed') return false;
  const places = [program, `/bin/${program}`, `/usr/bin/${program}`];
  return given.kind === 'literal' && places.includes(given.text);
}

/** Whether a program that is started is one of the readers, and not another one of that name. */
function reads(invocation: Invocation): boolean {
  const { program, args } = invocation;
  if (program === null || !isAt(invocation, readers)) return false;
  const option = refused[program];
  if (option === undefined) return true;
  const words = args.map((arg) => (arg.kind === 'literal' ? arg.text : null));
  if (program === 'git' && !gitReads.has(words[0] ?? '')) return false;
  return words.every((word) => word !== null && !option.test(word));
}

// ── Keeps each fact once. Most stand alone at their place: none is written out before there is one to compare it with.

/** Facts that were met. */
export class Once {
  readonly #met = new Map<string, { readonly first: object; texts: Set<string> | null }>();

  /** Whether a fact is met for the first time. INVARIANT: facts that are the same have the same key. */
  isNew(key: string, fact: object): boolean {
    const alike = this.#met.get(key);
    if (alike === undefined) {
      this.#met.set(key, { first: fact, texts: null });
      return true;
    }
    alike.texts ??= new Set([JSON.stringify(alike.first)]);
    const { size } = alike.texts;
    return alike.texts.add(JSON.stringify(fact)).size > size;
  }
}
