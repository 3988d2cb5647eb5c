// The state that an action would run, publish or apply, and its difference from an earlier question about the same
// action.

import type { JsonValue, World } from '../core/index.ts';
import type { QuestionState } from '../core/signing.ts';
import type { Earlier } from '../ledger/index.ts';
import type { Outcome } from './judge.ts';

/** A name, and its current value: the text of a file, or a digest; null if there is none. */
export type Named = readonly [name: string, state: string | null];

/** The content of the files that an action would execute, and of what it would publish. */
export function statesOf({ runs }: Pick<Outcome, 'runs'>, world: World): readonly Named[] {
  return runs
    .flatMap((list) => list())
    .map((name) => [name, name.startsWith('/') ? fileIn(name, world) : digestIn(name, world)]);
}

/** The same for a record that outlives the question: no text of a file, but commits unchanged. */
export function recordedState(about: () => string, states: readonly Named[]): QuestionState | undefined {
  if (states.length === 0) return undefined;
  const parts = states.flatMap(([name, state]) =>
    state === null ? [] : [[name, shortState(state)] as const],
  );
  return { about: about(), parts: Object.fromEntries(parts) };
}

/** A commit by its id, anything else by a digest. */
function shortState(state: string): string {
  const text = state.trim();
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)
    ? text
    : process.getBuiltinModule('node:crypto').hash('sha256', state).slice(0, 16);
}

/** The changes since the same action was asked about before, in words for a user; null if there are none. */
export function movedSince(earlier: Earlier, now: QuestionState, workspace: string): string | null {
  const names = [...new Set([...Object.keys(earlier.parts), ...Object.keys(now.parts)])].sort();
  const moved = names.flatMap((name) => {
    const [before, after] = [earlier.parts[name], now.parts[name]];
    return before === after ? [] : [`${wordFor(name, workspace)} ${change(before, after)}`];
  });
  if (moved.length === 0) return null;
  const what = earlier.isApproved ? 'was approved' : 'was asked';
  return `${earlier.id} ${what} for another state: ${moved.slice(0, mostNamed).join('; ')}${moved.length > mostNamed ? `; and ${moved.length - mostNamed} more` : ''}`;
}

const mostNamed = 6;

function change(before: string | undefined, after: string | undefined): string {
  if (before === undefined) return 'is new';
  if (after === undefined) return 'is gone';
  return before.length >= 40 && after.length >= 40
    ? `was ${before.slice(0, 7)}, is ${after.slice(0, 7)}`
    : 'changed';
}

/** A readable name: a branch, a path from the workspace, an image, a tree. */
function wordFor(name: string, workspace: string): string {
  const ref = /\.git\/refs\/(?:heads|tags|remotes)\/(.+)$/.exec(name)?.[1];
  if (ref !== undefined) return ref;
  const [kind = '', path = ''] = name.startsWith('/') ? ['', name] : name.split(/ (.*)/s);
  const short = path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) : path;
  if (kind === 'tree') return path === workspace ? 'the tree' : `the tree ${short}`;
  return kind === '' ? short : `the ${kind} ${short}`;
}

/** The content of a file; a digest of it if that is not text. */
function fileIn(path: string, world: World): string | null {
  try {
    return world.readText(path) ?? digestIn(`file ${path}`, world);
  } catch {
    return digestIn(`file ${path}`, world);
  }
}

function digestIn(name: string, world: World): string | null {
  try {
    return world.stateOf?.(name) ?? null;
  } catch {
    return null;
  }
}

/** For a binding: names with their values. */
export function jsonOfStates(states: readonly Named[]): JsonValue {
  return states.map(([name, state]) => [name, state]);
}
