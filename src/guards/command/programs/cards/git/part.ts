// What the parts of the card of git share: the effects that all of them speak in, and the folder in which git works.

import type { Effect, Value } from '../../../effects.ts';
import {
  type Call,
  effect,
  literal,
  type More,
  nameTarget,
  pathTarget,
  textOf,
  within,
} from '../../../tools/tool.ts';
import type { Card, Given } from '../../card.ts';

/** Some subcommands of git. */
export type Part = Required<Pick<Card, 'verbs' | 'verbReadings' | 'facts'>>;

/** An effect on a repository. */
export function git(call: Call, detail: string, more: More = {}): Effect {
  return effect(call, 'git', { detail, ...more });
}

/** Something that git starts; `detail` says how. */
export function runs(call: Call, detail: string, name?: Value): Effect {
  return effect(call, 'run', { detail, target: nameTarget(name) });
}

/** The folder in which git works, where another one is given. */
export function folderOf(given: Given<Value>): Value | undefined {
  return given.before.last('C', 'work-tree');
}

/** A path that a subcommand names, in the folder in which it works. */
export function placeOf(given: Given<Value>, path: Value): Value {
  return within(folderOf(given), path);
}

/** The same effect on each path that a subcommand names; none are the whole tree. */
export function onPaths(
  call: Call,
  given: Given<Value>,
  detail: string,
  paths: readonly Value[],
  more: More = {},
): readonly Effect[] {
  const named = paths.length > 0 ? paths : [literal('.')];
  return named.map((path) => git(call, detail, { ...more, target: pathTarget(placeOf(given, path)) }));
}

/** Whether only the help of git or of a subcommand is asked for. */
export function asksForHelp({ before, words, verb }: Given<Value>): boolean {
  return before.has('version', 'help') || (verb !== null && words.length === 1 && textOf(words[0]) === '-h');
}
