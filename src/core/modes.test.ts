import { describe, expect, it } from 'vitest';
import { modes } from './action.ts';
import { decisions } from './decision.ts';
import { classOf, effectClasses, modeDecision, strongerClass } from './modes.ts';
import type { Finding } from './verdict.ts';

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
