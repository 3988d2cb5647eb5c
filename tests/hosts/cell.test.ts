// What a cell must show, by guard.

import { describe, expect, it } from 'vitest';
import { allScenarios } from './catalog.ts';
import { type Cell, isExpected } from './cell.ts';
import type { GuardName } from './guards.ts';
import type { Scenario } from './scenarios.ts';

const scenario = (given: Partial<Scenario>): Scenario => ({
  name: 'x',
  kind: 'attack',
  steps: () => [],
  judge: () => 'held',
  ...given,
});
const work = scenario({ kind: 'work' });
const refused = scenario({ hostRefuses: /not in workspace/ });

describe('isExpected', () => {
  it.each<[GuardName, Scenario, Cell['outcome'], string[], boolean]>([
    ['sallyport', scenario({}), 'held', [], true],
    ['sallyport', scenario({}), 'bypassed', [], false],
    ['sallyport', work, 'unusable', [], false],
    ['sallyport', work, 'hung', [], false],
    ['sallyport', work, 'n/a', [], true],
    ['none', scenario({}), 'bypassed', [], true],
    ['none', scenario({}), 'held', [], false],
    ['none', work, 'held', [], true],
    ['none', scenario({ kind: 'work', alone: 'unusable' }), 'unusable', [], true],
    ['none', refused, 'held', ['the path is not in workspace'], true],
    ['none', refused, 'held', ['it was written'], false],
    ['cc-safety-net', scenario({}), 'bypassed', [], true],
    ['cc-safety-net', work, 'failed', [], false],
  ])('%s, %o: %s is judged', (guard, given, outcome, results, expected) => {
    expect(isExpected(guard, given, outcome, results)).toBe(expected);
  });
});

it('scenarios have names of their own', () => {
  expect(new Set(allScenarios.map(({ name }) => name)).size).toBe(allScenarios.length);
});
