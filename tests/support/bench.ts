// Results of bench runs for tests, with only what a test is about spelled out.

import type { BenchResult, CaseResult } from '../../src/agent/bench/result.ts';

export function caseResult(id: string, more: Partial<CaseResult> = {}): CaseResult {
  return {
    case_id: id,
    case_digest: 'd',
    task: `do ${id}`,
    adversarial: false,
    completed: true,
    steps: 2,
    total_reward: 1,
    usage: { input_tokens: 100, output_tokens: 10 },
    duration_seconds: 0.5,
    answer: 'done',
    error: null,
    checks: [],
    harness_strategy: 'tool_call',
    mcp_enabled: true,
    mcp_server: null,
    harness_tool_calls: 2,
    mcp_tool_calls: 2,
    codemode_chain_calls: 0,
    codemode_search_calls: 0,
    codemode_discovery_calls: 0,
    codemode_guardrail_blocked: 0,
    off_mcp_calls: 0,
    guardrail_bypasses: 0,
    ...more,
  };
}

export function benchResult(
  number: number,
  cases: readonly CaseResult[],
  more: Partial<BenchResult> = {},
): BenchResult {
  return {
    version: 1,
    bench_id: `20261116T10000000${number}Z-abcdef`,
    created_at: '2026-11-16T10:00:00.000Z',
    preset: 'quick',
    description: 'A few cases.',
    pack: null,
    strategy: 'tool_call',
    mcp_enabled: true,
    mcp_server: null,
    model: 'scripted',
    cases,
    ...more,
  };
}
