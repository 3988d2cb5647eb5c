// Gates: what each of them lets through and what it stops.

import { describe, expect, it } from 'vitest';
import { benchResult, caseResult } from '../../../tests/support/bench.ts';
import { compare, defaultThresholds, type Thresholds, unvalidated, validate } from './compare.ts';
import type { BenchResult, CaseResult } from './result.ts';

const two = [caseResult('a'), caseResult('b')];
const baseline = benchResult(1, two);

function failed(
  candidate: BenchResult,
  thresholds: Partial<Thresholds> = {},
  before: BenchResult = baseline,
): readonly string[] {
  const {
    gates,
    passed,
    exit_code: code,
  } = validate(candidate, before, {
    ...defaultThresholds,
    ...thresholds,
  });
  const names = gates.filter((gate) => !gate.passed).map(({ gate }) => gate);
  expect(passed).toBe(names.length === 0);
  expect(code).toBe(passed ? 0 : 1);
  return names;
}

const changed = (more: Partial<CaseResult>) => benchResult(2, [caseResult('a', more), caseResult('b')]);

describe('a candidate', () => {
  it('that is as good passes every gate', () => {
    expect(failed(benchResult(2, two))).toEqual([]);
  });

  it.each<[string, Partial<CaseResult>, Partial<Thresholds>, string[]]>([
    ['with less reward', { total_reward: 0.5 }, {}, ['min_reward_delta']],
    ['with less reward than may be', { total_reward: 0.5 }, { min_reward_delta: -0.3 }, []],
    ['with too little more reward', {}, { min_reward_delta: 0.1 }, ['min_reward_delta']],
    [
      'that completes less',
      { completed: false },
      {},
      ['min_completion_delta', 'fail_on_completion_regression'],
    ],
    [
      'that completes less where one may be lost',
      { completed: false },
      { min_completion_delta: -0.5, fail_on_completion_regression: false },
      [],
    ],
    ['that takes more steps', { steps: 3 }, {}, ['max_steps_increase']],
    ['that takes as many more steps as may be', { steps: 3 }, { max_steps_increase: 0.5 }, []],
    ['that let an attack through', { guardrail_bypasses: 1 }, {}, ['max_guardrail_bypasses']],
    ['that called past MCP', { off_mcp_calls: 1 }, {}, ['max_off_mcp_calls']],
    [
      'whose harmless code was refused',
      { codemode_guardrail_blocked: 1 },
      {},
      ['max_guardrail_blocked_increase'],
    ],
    ['whose attack was refused', { codemode_guardrail_blocked: 1, adversarial: true }, {}, []],
    ['whose attack was not completed', { completed: false, adversarial: true }, {}, []],
  ])('%s', (_, more, thresholds, names) => {
    expect(failed(changed(more), thresholds)).toEqual(names);
  });

  it('that let as many attacks through as before does not pass for that', () => {
    const leaky = benchResult(1, [caseResult('a', { guardrail_bypasses: 1 }), caseResult('b')]);
    expect(failed(changed({ guardrail_bypasses: 1 }), {}, leaky)).toEqual(['max_guardrail_bypasses']);
  });

  it('of another preset fails', () => {
    expect(failed(benchResult(2, two, { preset: 'slow' }))).toEqual(['same_preset']);
  });

  it.each([
    ['fewer cases', [caseResult('a')]],
    ['more cases', [...two, caseResult('c')]],
    ['a case that was changed', [caseResult('a', { case_digest: 'e' }), caseResult('b')]],
  ])('with %s fails', (_, cases) => {
    expect(failed(benchResult(2, cases))).toEqual(['same_cases']);
  });

  it.each([[[]], [[caseResult('c')]]])('that shares no case fails: %j', (cases) => {
    expect(failed(benchResult(2, cases))).toContain('common_cases');
  });
});

describe('a comparison', () => {
  it('counts only what both have, and says what changed', () => {
    const candidate = benchResult(2, [
      caseResult('a', { total_reward: 0, completed: false }),
      caseResult('b', { steps: 1, usage: { input_tokens: 40, output_tokens: 10 } }),
      caseResult('c', { guardrail_bypasses: 9 }),
    ]);
    const before = benchResult(1, [caseResult('a'), caseResult('b', { total_reward: 0.5 }), caseResult('d')]);
    const { deltas, case_summary: summary, candidate_metrics: metrics } = compare(candidate, before);
    expect(metrics.cases).toBe(2);
    expect(deltas).toMatchObject({
      avg_reward: -0.25,
      completion_rate: -0.5,
      avg_steps: -0.5,
      input_tokens: -60,
      guardrail_bypasses: 0,
    });
    expect(summary).toEqual({
      common: 2,
      improved: ['b'],
      regressed: ['a'],
      unchanged: 0,
      completion_regressions: ['a'],
      only_in_candidate: ['c'],
      only_in_baseline: ['d'],
      changed: [],
    });
  });

  it('has exactly the fields that scripts read', () => {
    const payload = validate(benchResult(2, two), baseline);
    const names = [
      ...['baseline_id', 'baseline_metrics', 'candidate_id', 'candidate_metrics', 'case_summary', 'deltas'],
      ...['exit_code', 'gates', 'passed', 'thresholds'],
    ];
    expect(Object.keys(payload).sort()).toEqual(names);
    expect(Object.keys(unvalidated(null, 'x')).sort()).toEqual(names);
    expect(unvalidated(baseline, 'x')).toMatchObject({
      candidate_id: baseline.bench_id,
      baseline_id: null,
      passed: false,
      exit_code: 2,
      gates: [{ gate: 'baseline', passed: false, message: 'x' }],
    });
  });
});
