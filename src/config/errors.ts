// The named errors of the configuration and of the home folder.

import { exitCodes, SallyportError } from '../core/errors.ts';

/** One thing that is wrong in a configuration file; lines and columns count from 1. */
export interface ConfigProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** A configuration that cannot be used: the message has every problem, one a line. */
export class ConfigError extends SallyportError {
  /** The file as it is shown to people, or null if no file is concerned. */
  readonly file: string | null;
  /** The place of the first problem, where one is known. */
  readonly line: number | null;
  readonly column: number | null;
  readonly problems: readonly ConfigProblem[];

  constructor(
    message: string,
    options: { file?: string; problems?: readonly ConfigProblem[]; hint?: string; cause?: unknown } = {},
  ) {
    const { file, problems = [], ...rest } = options;
    super(message, { ...rest, exitCode: exitCodes.usage });
    this.file = file ?? null;
    this.problems = problems;
    this.line = problems[0]?.line ?? null;
    this.column = problems[0]?.column ?? null;
  }
}

/** The error for the problems of one file, as `file:line:column: message` lines. */
export function problemsError(file: string, problems: readonly ConfigProblem[]): ConfigError {
  const sorted = [...problems].sort((a, b) => a.line - b.line || a.column - b.column);
  const lines = sorted.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`);
  return new ConfigError(lines.join('\n'), { file, problems: sorted });
}

/** The folder that holds keys and records cannot be used safely. */
export class HomeError extends SallyportError {}
