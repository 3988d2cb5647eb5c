// The ordered decision: pass < redact < approve < block. Merging takes the strongest.

export const decisions = ['pass', 'redact', 'approve', 'block'] as const;

/** What may happen to an action. */
export type Decision = (typeof decisions)[number];

/** How a rule weighs: a decision, or `warn`, which shows and decides nothing. */
export type Weight = Decision | 'warn';

const rank: Readonly<Record<Weight, number>> = { warn: 0, pass: 0, redact: 1, approve: 2, block: 3 };

/**
 * The stronger of two decisions.
 * INVARIANT: associative, commutative, idempotent, and never weaker than either side.
 */
export function stronger(a: Decision, b: Decision): Decision {
  return rank[a] >= rank[b] ? a : b;
}

/** Whether `a` is at least as strong as `b`. */
export function atLeast(a: Weight, b: Decision): boolean {
  return rank[a] >= rank[b];
}

/** The strongest decision of a list of weights; none, or only warnings, is `pass`. */
export function strongest(weights: Iterable<Weight>): Decision {
  let result: Decision = 'pass';
  for (const weight of weights) if (weight !== 'warn') result = stronger(result, weight);
  return result;
}
