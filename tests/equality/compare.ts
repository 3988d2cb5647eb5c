// Compares what two checkouts made of the same cases.

import { canonicalJson, type JsonValue } from '../../src/core/index.ts';
import type { Outcome } from './cases.ts';

/** What is compared: differences in `verdict` are what users and hosts meet; words and facts are counted apart. */
export const aspects = ['verdict', 'words', 'facts'] as const;
export type Aspect = (typeof aspects)[number];

export interface Difference {
  readonly id: string;
  readonly of: Aspect;
  /** Undefined where that side gave no outcome. */
  readonly base: JsonValue | undefined;
  readonly tree: JsonValue | undefined;
}

export interface Comparison {
  /** How many cases each set has, and how many of them are equal in their verdicts. */
  readonly sets: ReadonlyMap<string, { readonly cases: number; readonly equal: number }>;
  readonly differences: readonly Difference[];
}

/** Compares the outcomes; a case that only one side has differs. */
export function compare(base: readonly Outcome[], tree: readonly Outcome[]): Comparison {
  const sets = new Map<string, { cases: number; equal: number }>();
  const differences: Difference[] = [];
  const before = new Map(base.map((outcome) => [outcome.id, outcome]));
  const after = new Map(tree.map((outcome) => [outcome.id, outcome]));
  for (const id of new Set([...before.keys(), ...after.keys()])) {
    const [one, other] = [before.get(id), after.get(id)];
    const found = aspects.filter((aspect) => !isSame(one?.[aspect], other?.[aspect]));
    for (const of of found) differences.push({ id, of, base: one?.[of], tree: other?.[of] });
    const [name = ''] = id.split(':');
    const set = sets.get(name) ?? { cases: 0, equal: 0 };
    set.cases++;
    if (!found.includes('verdict')) set.equal++;
    sets.set(name, set);
  }
  return { sets, differences };
}

function isSame(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  return canonicalJson(one) === canonicalJson(other);
}
