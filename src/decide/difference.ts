// The difference between two actions, so that a long part that both share is sent between threads once.

import type { Action } from '../core/index.ts';

/** An action by the names of its members, and by those members that differ from the other action. */
export interface Difference {
  readonly names: readonly string[];
  readonly others: Readonly<Record<string, unknown>>;
}

/** The difference between an action and one that the other side has. */
export function differenceOf(action: Action, given: Action): Difference {
  const known = new Map<string, unknown>(Object.entries(given));
  const others = Object.entries(action).filter(([name, member]) => known.get(name) !== member);
  return { names: Object.keys(action), others: Object.fromEntries(others) };
}

/** INVARIANT: returns the action that `differenceOf` was given; the same object if nothing differs. */
export function applied({ names, others }: Difference, given: Action): Action {
  const isSame = Object.keys(others).length === 0 && names.length === Object.keys(given).length;
  if (isSame) return given;
  const known = new Map<string, unknown>(Object.entries(given));
  const members = names.map((name) => [name, Object.hasOwn(others, name) ? others[name] : known.get(name)]);
  return Object.fromEntries(members) as Action;
}
