// One call as it is looked at, and the functions that are handed over in it.

import { enter } from '../flow/handed.ts';
import type { Machine } from '../flow/machine.ts';
import { sitesBelow } from '../flow/uses.ts';
import type { Call, Expression } from '../ir.ts';
import { type Closure, joinStates, nothing, type State, type Value } from '../value.ts';

export interface Given {
  readonly value: Value;
  readonly name?: string;
  readonly spread: boolean;
  /** Where it is kept, if what is called may put something there. */
  readonly filled?: Expression;
}

/** One call as it is looked at. */
export interface Site {
  readonly expression: Call;
  readonly callee: Value;
  readonly receiver: Value;
  readonly method: string;
  readonly given: readonly Given[];
  /** All that is handed over, in one. */
  readonly all: Value;
  readonly state: State;
}

/** Functions in a value and in what is in it, by the names that they stand under. */
export function callbacksOf(
  machine: Machine,
  value: Value,
  state: State,
  depth = 0,
  name = '',
): readonly [string, Closure][] {
  const found: [string, Closure][] = value.closures.map((closure) => [name, closure]);
  if (depth > 4) return found;
  for (const id of value.objects) {
    if (machine.memory.instances.has(id)) continue;
    const { fields, rest } = machine.memory.object(id, state);
    for (const [key, inner] of fields) found.push(...callbacksOf(machine, inner, state, depth + 1, key));
    found.push(...callbacksOf(machine, rest, state, depth + 1, ''));
  }
  return found;
}

/** A function that others call at some time: its effects may have happened or not. */
export function runCallback(
  machine: Machine,
  { callable, self }: Closure,
  state: State,
  given: {
    readonly entry?: boolean;
    readonly first?: Value;
    readonly unseen?: boolean;
    readonly later?: boolean;
  },
): Value {
  if (machine.frames.some((frame) => frame.callable === callable)) return nothing;
  const inside = state.clone();
  const kept = machine.statement;
  const value = enter(machine, { callable, self }, inside, {
    entry: given.entry ?? false,
    unseen: given.unseen ?? false,
    ...(given.first === undefined ? {} : { first: given.first }),
  });
  machine.statement = kept;
  if (given.later === true) for (const site of sitesBelow(inside, machine.chain())) site.started ??= kept;
  if (inside.alive) state.become(joinStates([state, inside]));
  return value;
}
