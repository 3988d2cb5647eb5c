// What an analysis of code is handed and gives. What code does is said in one vocabulary for every language: core/effect.ts.

import type { OwnProgram } from '../../config/programs.ts';
import type { CommandFacts as Facts } from '../../core/effect.ts';

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
  /** Program cards of the user's own, where there are any. */
  readonly programs?: readonly OwnProgram[];
}

/** Code in each language, as facts; null where the language's parser is not loaded. */
export interface Languages {
  readonly shell: (text: string, around: AnalysisEnvironment) => Facts;
  readonly python: (text: string, around: AnalysisEnvironment) => Facts | null;
  readonly javascript: (text: string, around: AnalysisEnvironment) => Facts | null;
}

/** How code becomes facts; it may throw `BudgetExceeded` and nothing else. */
export type Analyse = (source: string, around: AnalysisEnvironment) => Facts;
