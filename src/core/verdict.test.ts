// The words between an action and its effect: Decision, Context, Rule, Finding, Verdict, and what modes make of effects.

import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { modes } from './action.ts';
import {
  atLeast,
  classOf,
  type Decision,
  decisions,
  effectClasses,
  type Finding,
  modeDecision,
  stronger,
  strongerClass,
  strongest,
} from './verdict.ts';

describe('decision', () => {
  // The invariants of the ordered decision.
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
});

describe('modes', () => {
  describe('the table', () => {
    it.each([
      ['read', ['pass', 'pass', 'pass', 'pass']],
      ['edit', ['approve', 'pass', 'block', 'pass']],
      ['run', ['approve', 'approve', 'block', 'pass']],
      ['sensitive', ['approve', 'approve', 'block', 'approve']],
      ['outward', ['approve', 'approve', 'block', 'approve']],
      ['destructive', ['approve', 'approve', 'block', 'approve']],
    ] as const)('%s: %j', (effect, expected) => {
      expect(modes).toEqual(['default', 'acceptEdits', 'plan', 'auto']);
      expect(modes.map((mode) => modeDecision(effect, mode))).toEqual(expected);
    });

    it('never says less of a stronger class', () => {
      for (const mode of modes) {
        const ranks = effectClasses.map((effect) => decisions.indexOf(modeDecision(effect, mode)));
        expect(ranks).toEqual([...ranks].sort());
      }
      expect(strongerClass('run', 'edit')).toBe('run');
      expect(strongerClass('edit', 'destructive')).toBe('destructive');
    });
  });

  describe('the class of what was found', () => {
    const found = (decision: Finding['decision'], contract?: string): Finding => ({
      rule: 'a',
      guard: 'command',
      decision,
      message: 'a',
      ...(contract === undefined ? {} : { contract }),
    });
    it.each([
      [[], false, 'read'],
      [[], true, 'run'],
      [[found('approve')], true, 'run'],
      [[found('approve', 'AG-TOOL-6')], false, 'read'],
      [[found('approve', 'AG-TOOL-3')], true, 'outward'],
      [[found('approve', 'AG-TOOL-3'), found('block', 'AG-TOOL-4')], true, 'destructive'],
      [[found('warn', 'AG-TOOL-4')], false, 'read'],
    ] as const)('%j, %s: %s', (findings, sideEffect, expected) => {
      expect(classOf(findings, sideEffect)).toBe(expected);
    });
  });
});
