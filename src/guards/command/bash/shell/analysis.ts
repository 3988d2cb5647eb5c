// One analysis of a script and of all code inside it: its bounds, what the script made on its way, and what was found.

import {
  type AndOr,
  type CommandNode,
  type CompoundList,
  type ParsedScript,
  type Pipeline,
  parse,
  type Statement,
} from 'unbash';
import type {
  AnalysisEnvironment,
  Effect,
  Facts,
  Invocation,
  Languages,
  Origin,
  Target,
  Value,
} from '../../effects.ts';
import { type Environment, type Input, Trees } from '../environment.ts';
import { resolvePath } from '../paths.ts';
import {
  hole,
  knownText,
  mapWithHoles,
  maxTextLength,
  mergeOrigins,
  type Text,
  textOf,
  toValue,
} from '../values.ts';

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

// ── Gathers what an analysis finds: each fact once, each path as it is from where the action began.

/** A start and an end in the action's source. */
export type Span = readonly [number, number];

/** Most facts of one kind. */
const maxFacts = 2000;
/** Most errors of the parser that are kept. */
const maxErrors = 32;

/** Thrown when the steps are spent; what was found until then stands. */
export class TooManySteps extends Error {}

/** Kinds of effects that carry the origins of what is given to the program. */
const carrying: ReadonlySet<Effect['kind']> = new Set([
  'connect',
  'write',
  'message',
  'deploy',
  'database',
  'run',
  'persist',
]);
/** Whether an effect is on what a substitution of the shell stands for, which is followed on its own. */
function isSubstitution({ kind, target }: Effect): boolean {
  if (kind !== 'read' && kind !== 'write' && kind !== 'device') return false;
  return (
    target.kind === 'path' && target.path.kind === 'literal' && /^\/dev\/fd\/\d+$/.test(target.path.text)
  );
}

/** Whether a text is a value as it stands. */
function isPlain(text: string): boolean {
  return text.length <= maxTextLength && !text.includes(hole);
}

/** The facts found so far. */
class FactsFound {
  readonly #start: string;
  readonly #effects: Effect[] = [];
  readonly #invocations: Invocation[] = [];
  readonly #unknowns: { what: string; span: Span }[] = [];
  readonly #errors: string[] = [];
  readonly #once = new Once();
  readonly #noted = new Set<string>();
  #background = false;

  constructor(start: string) {
    this.#start = start;
  }

  get facts(): Facts {
    return {
      effects: this.#effects,
      invocations: this.#invocations,
      unknowns: this.#unknowns,
      errors: this.#errors,
      ...(this.#background ? { background: true } : {}),
    };
  }

  /** Something is started in the background. */
  noteBackground(): void {
    this.#background = true;
  }

  /** An effect of a program that runs in a folder; what it was given came from the given origins. */
  addEffect(effect: Effect, cwd: string, given: readonly Origin[]): void {
    if (isSubstitution(effect)) return;
    const origins = carrying.has(effect.kind)
      ? mergeOrigins(effect.origins ?? [], given)
      : (effect.origins ?? []);
    const placed: Effect = {
      ...effect,
      target: this.#placed(effect.target, cwd),
      ...(origins.length > 0 ? { origins } : {}),
    };
    if (this.#isNew(placed.kind, placed, this.#effects.length)) this.#effects.push(placed);
  }

  addInvocation(invocation: Invocation): void {
    // A list of hundreds of words is not worth comparing.
    if (invocation.args.length > 64 || this.#isNew('invocation', invocation, this.#invocations.length))
      this.#invocations.push(invocation);
  }

  /** How many effects were found; `withdraw` removes those that came later. */
  get count(): number {
    return this.#effects.length;
  }

  /** Takes back effects that turned out to have no consequence. */
  withdraw(from: number, isIdle: (effect: Effect) => boolean): void {
    this.#effects.push(...this.#effects.splice(from).filter((effect) => !isIdle(effect)));
  }

  /** Whether a secret is shown already. */
  get showsSecret(): boolean {
    return this.#effects.some(({ kind }) => kind === 'secret');
  }

  /** Something that could not be followed. */
  noteUnknown(what: string, span: Span): void {
    const key = `${what} ${span[0]} ${span[1]}`;
    if (this.#noted.has(key)) return;
    this.#noted.add(key);
    this.#unknowns.push({ what, span });
  }

  addError(message: string): void {
    if (this.#errors.length < maxErrors) this.#errors.push(message);
  }

  /** Takes over the facts of code in another language. */
  adopt(facts: Facts, through: readonly string[], span: Span, cwd: string): void {
    for (const effect of facts.effects) {
      this.addEffect({ ...effect, through: [...through, ...effect.through], span }, cwd, []);
    }
    for (const invocation of facts.invocations) {
      this.addInvocation({ ...invocation, through: [...through, ...invocation.through], span });
    }
    for (const { what } of facts.unknowns) this.noteUnknown(what, span);
    for (const message of facts.errors) this.addError(message);
    if (facts.background === true) this.noteBackground();
  }

  #isNew(kind: string, fact: Effect | Invocation, count: number): boolean {
    const key = `${kind} ${fact.program} ${fact.span[0]} ${fact.span[1]}`;
    if (!this.#once.isNew(key, fact)) return false;
    if (count >= maxFacts) throw new TooManySteps('the command has too many parts to be followed');
    return true;
  }

  #placed(target: Target, cwd: string): Target {
    if (target.kind !== 'path') return target;
    const moved = cwd !== this.#start;
    if (!moved && target.path.kind === 'literal' && isPlain(target.path.text)) return target;
    const text = mapWithHoles(textOf(target.path), (path) => {
      if (!moved || /^[/~\uE000]/.test(path) || path === '') return path;
      return `${cwd === '/' ? '' : cwd}/${path}`;
    });
    return { ...target, path: toValue(text) };
  }
}

// ── The linear look at a script before it is parsed: refuses sizes and shapes on which parsing would take too long.

/** Longest script that is parsed, in UTF-16 units. */
export const maxSourceLength = 65_536;
/** Deepest nesting of brackets of any kind. */
const maxDepth = 96;
/** Sum over all characters of the depth in which they stand: every level is read once more by the parser. */
const maxDepthSum = 1_500_000;
/** Openings of the old arithmetic form, on which the parser is quadratic. */
const maxOldArithmetic = 48;
/** Sum over all words of their length times the braces that they leave open. */
const maxBraceWork = 2_000_000;
/** Characters that end a command. */
const maxSeparators = 6000;
/** Redirections of all kinds, and here-documents among them. */
const maxRedirections = 4000;
const maxHereDocuments = 256;
/** Dollar signs, and quotes of both kinds. */
const maxDollars = 6000;
const maxQuotes = 20_000;
/** Words that open a command inside another. */
const maxKeywords = 1500;
/** Substitutions of all kinds. */
const maxSubstitutions = 6000;

const code = (character: string): number => character.charCodeAt(0);
const newline = code('\n');
const space = code(' ');
const tab = code('\t');
const dollar = code('$');
const openRound = code('(');
const closeRound = code(')');
const openCurly = code('{');
const closeCurly = code('}');
const openSquare = code('[');
const backtick = code('`');
const backslash = code('\\');
const less = code('<');
const quotes: ReadonlySet<number> = new Set([code('"'), code("'")]);
const greater = code('>');
const separators: ReadonlySet<number> = new Set([newline, code(';'), code('|'), code('&')]);

const keywords = /\b(?:coproc|if|elif|while|until|for|case|select|function|time)\s/g;

/** Why the source must not be parsed, in plain words; null where it may be. */
export function refuseSource(source: string): string | null {
  if (source.length > maxSourceLength) return 'the command is too long to be followed';
  let depth = 0;
  let depthSum = 0;
  let deepest = 0;
  let oldArithmetic = 0;
  let separatorCount = 0;
  let substitutions = 0;
  let redirections = 0;
  let dollars = 0;
  let quoteCount = 0;
  let hereDocuments = 0;
  let wordStart = 0;
  let wordBraces = 0;
  let openBraces = 0;
  let braceWork = 0;
  for (let index = 0; index < source.length; index++) {
    const unit = source.charCodeAt(index);
    const previous = index === 0 ? 0 : source.charCodeAt(index - 1);
    if (unit === backslash) {
      if (source.charCodeAt(index + 1) === backtick) substitutions += 1;
      index += 1;
      continue;
    }
    if (separators.has(unit)) separatorCount += 1;
    if (unit === dollar) dollars += 1;
    if (quotes.has(unit)) quoteCount += 1;
    if (unit === less || unit === greater) {
      redirections += 1;
      if (unit === less && previous === less) hereDocuments += 1;
    }
    if (unit === newline || unit === space || unit === tab) {
      braceWork += wordBraces * (index - wordStart);
      wordBraces = 0;
      wordStart = index + 1;
    } else if (unit === openRound) {
      depth += 1;
      if (previous === dollar || previous === less || previous === greater) substitutions += 1;
    } else if (unit === closeRound) {
      depth = Math.max(0, depth - 1);
    } else if (unit === openCurly) {
      openBraces += 1;
      if (previous === dollar) substitutions += 1;
      else wordBraces += 1;
    } else if (unit === closeCurly) {
      openBraces = Math.max(0, openBraces - 1);
    } else if (unit === openSquare && previous === dollar) {
      oldArithmetic += 1;
    } else if (unit === backtick) {
      substitutions += 1;
    }
    depthSum += depth + openBraces;
    deepest = Math.max(deepest, depth + openBraces);
  }
  braceWork += wordBraces * (source.length - wordStart);
  if (deepest > maxDepth || depthSum > maxDepthSum) return 'the command is nested too deeply to be followed';
  if (oldArithmetic > maxOldArithmetic) return 'the command has too much arithmetic in the form $[ ]';
  if (braceWork > maxBraceWork) return 'the command has too many braces in one word';
  if (dollars > maxDollars || quoteCount > maxQuotes) return 'the command has too many parts';
  if (redirections > maxRedirections || hereDocuments > maxHereDocuments)
    return 'the command has too many parts';
  if (separatorCount > maxSeparators || substitutions > maxSubstitutions)
    return 'the command has too many parts';
  if (source.length > maxKeywords && (source.match(keywords)?.length ?? 0) > maxKeywords)
    return 'the command has too many parts';
  return null;
}

/** Words and signs, by which the time of a parser goes. */
export function tokensIn(source: string): number {
  let tokens = 0;
  let word = false;
  for (let index = 0; index < source.length; index++) {
    const unit = source.charCodeAt(index);
    const before = word;
    word =
      (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || (unit >= 48 && unit <= 57) || unit === 95;
    if (word ? !before : unit > 32) tokens++;
  }
  return tokens;
}

// ── one analysis

/** What each known program does; null where the program is not known. */
export type EffectsOf = (
  program: string,
  args: readonly Value[],
  io: { readonly stdin: Value; readonly stdinOrigins: readonly Origin[]; readonly stdinFed: boolean },
  at: {
    readonly span: readonly [number, number];
    readonly through: readonly string[];
    readonly cwd: string;
    readonly home: string | null;
  },
) => readonly Effect[] | null;

/** The functions that walk code inside code: every part of the walk reaches them here, so that no file needs another above it. */
export interface Walker {
  /** Code of the shell in a text. */
  readonly text: (text: Text, frame: Frame, span: Span) => Text;
  /** Statements one after another. */
  readonly statements: (statements: readonly Statement[], frame: Frame) => Text;
  /** One command of any form. */
  readonly node: (node: CommandNode | Pipeline | AndOr | CompoundList, frame: Frame) => Text;
  /** Words that are started as a command. */
  readonly words: (argv: readonly Text[], frame: Frame, span: Span) => Text;
}

/** Deepest nesting of executors. */
export const maxNesting = 16;

/** Deepest nesting of functions and compound commands. */
export const maxWalkDepth = 200;

/** Most steps of one analysis, so that its time is bounded whatever the budget of the caller. */
const maxSteps = 6000;

/** Where the walk stands. */
export interface Frame {
  readonly analysis: Analysis;
  readonly environment: Environment;
  /** The text that positions are in. */
  readonly source: string;
  /** The segment of the action's own source, where this is code inside it. */
  readonly span: Span | null;
  readonly through: readonly string[];
  readonly nesting: number;
  readonly depth: number;
  readonly loops: number;
  readonly input: Input;
  /** Where the code came from. */
  readonly origins: readonly Origin[];
  /** In a pipeline or in the background. */
  readonly forked: boolean;
  /** What is printed goes to another program. */
  readonly piped: boolean;
  /** The output is read by the caller that started the action: it goes into no program, text or file. */
  readonly shown: boolean;
  readonly aliases: readonly string[];
  /** Files of code that are being run: a shell reads on while it runs, so what is added to one runs too. */
  readonly running: readonly string[];
}

/** What a script wrote, or what a substitution gives to read. */
interface File {
  readonly text: Text;
  /** A substitution of the shell rather than a file. */
  readonly substitution: boolean;
}

/** A script behind `>(…)`, and whether something was sent to it. */
export interface Sink {
  readonly script: ParsedScript;
  readonly frame: Frame;
  fed: boolean;
}

/** One analysis of a script and of all code inside it. */
export class Analysis {
  readonly around: AnalysisEnvironment;
  readonly languages: Languages;
  readonly effectsOf: EffectsOf;
  readonly walker: Walker;
  readonly found: FactsFound;
  readonly files = new Map<string, File>();
  /** Folders that the script filled with what came from the network. */
  readonly trees: Trees;
  readonly sinks = new Map<string, Sink>();
  /** Paths at which the script put programs, and the programs. */
  readonly names = new Map<string, string>();
  /** Links that this script made, by where they lead. */
  readonly links = new Map<string, string>();
  /** Functions and files that are running, from the outermost on. */
  readonly running: string[] = [];
  readonly traps: { text: Text; frame: Frame; span: Span }[] = [];
  /** Alternatives around the current place: what is written in one may not be there. */
  branches = 0;
  #steps = 0;
  /** How many files without a name of their own there are. */
  counter = 0;

  constructor(around: AnalysisEnvironment, languages: Languages, effectsOf: EffectsOf, walker: Walker) {
    this.around = around;
    this.trees = new Trees(around.cwd);
    this.found = new FactsFound(around.cwd);
    this.languages = languages;
    this.effectsOf = effectsOf;
    this.walker = walker;
  }

  get facts(): Facts {
    return this.found.facts;
  }

  /** Notes something that could not be followed. */
  noteUnknown(what: string, span: Span): void {
    this.found.noteUnknown(what, span);
  }

  /** Counts steps against the bounds. */
  spend(steps: number): void {
    this.#steps += steps;
    this.around.spend(steps);
    if (this.#steps > maxSteps) throw new TooManySteps('the command has too many parts to be followed');
  }
}

/** Parses a script; null where it is nested too deeply for that. */
export function parseScript(analysis: Analysis, source: string, span: Span): ParsedScript | null {
  try {
    return parse(source);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    analysis.noteUnknown('the command is nested too deeply to be followed', span);
    return null;
  }
}

/** Adds an effect, at the place where the walk stands. */
export function emit(effect: Effect, frame: Frame, given: readonly Origin[] = []): void {
  frame.analysis.found.addEffect(effect, frame.environment.cwd, given);
}

/** Adds a program that is started. */
export function emitInvocation(
  program: string | null,
  given: string,
  args: readonly Value[],
  frame: Frame,
  span: Span,
  builtin: boolean,
): void {
  const { through } = frame;
  frame.analysis.found.addInvocation({
    program,
    given: toValue(knownText(given)),
    args,
    through,
    span,
    builtin,
    ...(frame.input.fed ? { input: 'given' } : {}),
    ...(frame.piped ? { output: 'piped' } : {}),
    ...(frame.environment.isUntouched ? {} : { environment: 'changed' }),
  });
}

/** Adds that code is run. */
export function emitRun(
  program: string,
  target: Target,
  origins: readonly Origin[],
  frame: Frame,
  span: Span,
): void {
  // What an archive was unpacked over may have been there before.
  const replaced =
    target.kind === 'path' && target.path.kind === 'literal' && isReplaced(target.path.text, frame);
  const detail = replaced ? { detail: 'unpacked' } : {};
  emit({ kind: 'run', target, origins, program, through: frame.through, span, ...detail }, frame);
}

function isReplaced(path: string, { analysis: { files, trees }, environment: { cwd } }: Frame): boolean {
  const place = resolvePath(cwd, path);
  return !files.has(place) && trees.at(place)?.beforehand === true;
}

/** Adds something without end that fills the machine. */
export function emitBomb(detail: string, program: string, frame: Frame, span: Span): void {
  emit({ kind: 'bomb', target: { kind: 'none' }, detail, program, through: frame.through, span }, frame);
}
