// One subcommand of git, and the effects that all of them speak in.

import type { Effect, Value } from '../../effects.ts';
import { type Call, effect, literal, type More, options, pathTarget, within } from '../tool.ts';

/** Options that stand before the subcommand. */
export const globalOptions = options(
  'C= c= exec-path? html-path man-path info-path p/paginate P/no-pager no-replace-objects bare git-dir= work-tree= namespace= super-prefix= config-env= attr-source= literal-pathspecs glob-pathspecs noglob-pathspecs icase-pathspecs no-optional-locks list-cmds= v/version h/help no-lazy-fetch no-advice',
  { stopAtOperand: true },
);

/** One subcommand with the folder that git works in. */
export interface Work {
  readonly call: Call;
  readonly name: string;
  readonly args: readonly Value[];
  readonly folder: Value | undefined;
  /** Whether this call itself says that deleting needs to be forced. */
  readonly asksForForce?: boolean;
}

/** What a subcommand does. */
export type Subcommand = (work: Work) => readonly Effect[];

/** An effect on a repository. */
export function git(work: Work, detail: string, more: More = {}): Effect {
  return effect(work.call, 'git', { detail, ...more });
}

/** The paths that a subcommand names, in the folder it works in; none are the whole tree. */
function places(work: Work, paths: readonly Value[]): readonly More['target'][] {
  const named = paths.length > 0 ? paths : [literal('.')];
  return named.map((path) => pathTarget(within(work.folder, path)));
}

/** The same effect on each path that a subcommand names. */
export function onPaths(
  work: Work,
  detail: string,
  paths: readonly Value[],
  more: More = {},
): readonly Effect[] {
  return places(work, paths).map((target) => git(work, detail, { ...more, ...(target ? { target } : {}) }));
}

/** A subcommand that always does the same. */
export const simple =
  (detail: string, more: More = {}): Subcommand =>
  (work) => [git(work, detail, more)];
