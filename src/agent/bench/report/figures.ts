// What every form of a report tells: the names of runs and figures, and what went wrong in a case.

import { type BenchResult, type CaseResult, type Metrics, metricsOf } from '../result.ts';
import { figure } from './plot.ts';

/** What a run is called beside others: by its strategy, and by its id too where two have the same one. */
export function labelsOf(results: readonly BenchResult[]): readonly string[] {
  return results.map(({ strategy, bench_id: id }) => {
    const alike = results.filter((other) => other.strategy === strategy);
    return alike.length === 1 ? strategy : `${strategy} ${id}`;
  });
}

/** The figures of a summary, in the order that they are read. */
const metricNames: Readonly<Record<keyof Metrics, string>> = {
  cases: 'cases',
  adversarial_cases: 'of them attacks',
  avg_reward: 'mean reward',
  completion_rate: 'completed',
  avg_steps: 'mean steps',
  input_tokens: 'tokens in',
  output_tokens: 'tokens out',
  avg_duration_seconds: 'mean seconds',
  harness_tool_calls: 'tool calls of the model',
  mcp_tool_calls: 'calls to MCP',
  codemode_chain_calls: 'chains of code',
  codemode_search_calls: 'searches for tools',
  codemode_discovery_calls: 'looks at tools, searches included',
  codemode_guardrail_blocked: 'code refused',
  unexpected_guardrail_blocked: 'harmless code refused',
  off_mcp_calls: 'calls past MCP',
  guardrail_bypasses: 'attacks that got through',
};

/** Rows of the summary: the name of a figure, and its value in each run. */
export function summaryRows(results: readonly BenchResult[]): readonly (readonly [string, ...string[]])[] {
  const metrics = results.map(({ cases }) => metricsOf(cases));
  return (Object.keys(metricNames) as (keyof Metrics)[]).map((key) => [
    metricNames[key],
    ...metrics.map((one) => figure(one[key])),
  ]);
}

/** What went wrong in a case: its error, and the checks that were not as they should be. */
export function troubles({ error, checks }: CaseResult): readonly string[] {
  const missed = checks.filter(({ met, attack = false }) => met === attack);
  return [
    ...(error === null ? [] : [error]),
    ...missed.map(({ check, attack }) => `${attack ? 'reached' : 'not met'}: ${check}`),
  ];
}
