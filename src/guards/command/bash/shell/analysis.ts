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
import type { AnalysisEnvironment, Effect, Facts, Languages, Origin, Target, Value } from '../../effects.ts';
import type { Environment, Input } from '../environment.ts';
import { FactsFound, type Span, TooManySteps } from '../findings.ts';
import { resolvePath } from '../paths.ts';
import { knownText, type Text, toValue } from '../values.ts';
import { Trees } from './trees.ts';

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
