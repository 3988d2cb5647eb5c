// A cleared action: the only thing that `run/` executes. Only `decide()` makes one, and it works once.

import { type ActionOf, type Context, type Facts, type Kind, SallyportError } from '../core/index.ts';

declare const brand: unique symbol;

/** An action that passed the path, as rewritten, with what the guards learnt about it. */
export interface Cleared<K extends Kind = Kind> {
  readonly [brand]: K;
  readonly action: ActionOf<K>;
  readonly context: Context;
  readonly facts: Facts;
  readonly decisionId: string;
}

/** An action reached `run/` without a fresh clearance. */
export class NotCleared extends SallyportError {}

const live = new WeakSet<object>();

/** INVARIANT: called by `decide()` alone, after the record; the room check enforces it. */
export function clear<K extends Kind>(parts: Omit<Cleared<K>, typeof brand>): Cleared<K> {
  const cleared = Object.freeze({ ...parts }) as Cleared<K>;
  live.add(cleared);
  return cleared;
}

/** Uses a clearance up; throws `NotCleared` for a forged or a spent one. */
export function takeClearance(cleared: Cleared): void {
  if (!live.delete(cleared)) {
    throw new NotCleared('this action was not cleared, or its clearance is used up', {
      hint: 'ask decide() for it again',
    });
  }
}
