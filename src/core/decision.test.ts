// The laws of the ordered decision.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { atLeast, type Decision, decisions, stronger, strongest } from './decision.ts';

const decision = fc.constantFrom(...decisions);
const weight = fc.constantFrom(...decisions, 'warn' as const);

describe('stronger', () => {
  test.each<[Decision, Decision, Decision]>([
    ['pass', 'pass', 'pass'],
    ['pass', 'redact', 'redact'],
    ['redact', 'approve', 'approve'],
    ['approve', 'block', 'block'],
    ['block', 'pass', 'block'],
  ])('%s and %s make %s', (a, b, expected) => {
    expect(stronger(a, b)).toBe(expected);
    expect(stronger(b, a)).toBe(expected);
  });

  test('is associative, commutative and idempotent', () => {
    fc.assert(
      fc.property(decision, decision, decision, (a, b, c) => {
        expect(stronger(stronger(a, b), c)).toBe(stronger(a, stronger(b, c)));
        expect(stronger(a, b)).toBe(stronger(b, a));
        expect(stronger(a, a)).toBe(a);
      }),
    );
  });

  test('is never weaker than either side, and is one of them', () => {
    fc.assert(
      fc.property(decision, decision, (a, b) => {
        const merged = stronger(a, b);
        expect(atLeast(merged, a) && atLeast(merged, b)).toBe(true);
        expect([a, b]).toContain(merged);
      }),
    );
  });
});

describe('strongest', () => {
  test('of nothing is pass', () => {
    expect(strongest([])).toBe('pass');
    expect(strongest(['warn', 'warn'])).toBe('pass');
  });

  test('is monotone: one more weight never weakens it, and order does not matter', () => {
    fc.assert(
      fc.property(fc.array(weight), weight, (weights, more) => {
        const before = strongest(weights);
        const after = strongest([...weights, more]);
        expect(atLeast(after, before)).toBe(true);
        expect(strongest([more, ...weights].reverse())).toBe(after);
        if (more === 'warn') expect(after).toBe(before);
      }),
    );
  });
});

test('atLeast follows the order pass < redact < approve < block, with warn at the bottom', () => {
  for (const [i, a] of decisions.entries()) {
    for (const [j, b] of decisions.entries()) expect(atLeast(a, b)).toBe(i >= j);
    expect(atLeast('warn', a)).toBe(a === 'pass');
  }
});
