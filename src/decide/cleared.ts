// A cleared action: the only thing that `run/` executes. Only `decide()` creates one, and it can be used once.

import { type ActionOf, type Context, type Facts, type Kind, SallyportError } from '../core/index.ts';

declare const brand: unique symbol;

/** An action that passed the request path, as rewritten, with the facts that the guards found about it. */
export interface Cleared<K extends Kind = Kind> {
  readonly [brand]: K;
  readonly action: ActionOf<K>;
  readonly context: Context;
  readonly facts: Facts;
  readonly decisionId: string;
}

/** A cleared action of some kind, given by its `action`. */
export type AnyCleared = { readonly [K in Kind]: Cleared<K> }[Kind];

/** An action reached `run/` without a fresh clearance. */
export class NotCleared extends SallyportError {}

/** An action inside another, with the facts that the guards found about it. */
export interface Inside {
  readonly pointer: string;
  readonly action: ActionOf<Kind>;
  readonly facts: Facts;
}

/** Marks an object as a clearance: no other module can make or copy it. */
class Clearance {
  /** The actions inside this one; null once the clearance was used. */
  #inside: readonly Inside[] | null;

  constructor(parts: object, inside: readonly Inside[]) {
    Object.assign(this, parts);
    this.#inside = inside;
    Object.freeze(this);
  }

  /** Uses the clearance; undefined if it is forged or already used. */
  static take(cleared: object): readonly Inside[] | undefined {
    if (!(#inside in cleared) || cleared.#inside === null) return undefined;
    const inside = cleared.#inside;
    cleared.#inside = null;
    return inside;
  }
}

/** INVARIANT: called by `decide()` alone, after the record is written; the layer check enforces it. */
export function clear<K extends Kind>(
  parts: Omit<Cleared<K>, typeof brand>,
  inside: readonly Inside[] = [],
): Cleared<K> {
  return new Clearance(parts, inside) as object as Cleared<K>;
}

/** Uses a clearance and returns the actions inside it; throws `NotCleared` if it is forged or already used. */
export function takeClearance(cleared: Cleared): readonly Inside[] {
  const inside = Clearance.take(cleared);
  if (inside !== undefined) return inside;
  throw new NotCleared('this action was not cleared, or its clearance is used up', {
    hint: 'ask decide() for it again',
  });
}

/**
 * Uses the clearance of a call for those of its direct child actions that were judged with it as they will run: a
 * caller that runs the child actions of a call does not run the call as well. Throws `NotCleared` as above. INVARIANT:
 * model output is never split, because calls in a text are reported and not run.
 */
export function splitCleared(cleared: Cleared<'tool'>): readonly AnyCleared[] {
  const taken = takeClearance(cleared);
  const inside = cleared.action.kind === 'tool' ? taken : [];
  const { context, decisionId } = cleared;
  return inside
    .filter(({ pointer }) => !inside.some((other) => pointer.startsWith(`${other.pointer}/`)))
    .map(({ action, facts }) => clear({ action, facts, context, decisionId }) as AnyCleared);
}
