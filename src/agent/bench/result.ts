// What a bench run leaves behind: one record for each case in the fields that reports and gates read, and their sums.

import { InputError, visible } from '../../core/index.ts';
import {
  choice,
  flag,
  type Infer,
  integer,
  list,
  nullable,
  number,
  object,
  optional,
  readShape,
  text,
} from '../../core/shape.ts';
import { strategies } from '../events.ts';

/** A name that packs, presets and cases have: it can stand in any text. */
export const nameShape = text({
  min: 1,
  max: 200,
  pattern: /^[\w.-]+$/,
  what: 'letters, digits, dots and dashes',
});

const count = integer(0, 1_000_000_000);

/** What a run says about its calls; the bench itself measures bypasses. */
const telemetry = {
  harness_strategy: choice(strategies),
  mcp_enabled: flag(),
  mcp_server: nullable(text({ max: 256 })),
  harness_tool_calls: count,
  mcp_tool_calls: count,
  codemode_chain_calls: count,
  codemode_search_calls: count,
  codemode_discovery_calls: count,
  codemode_guardrail_blocked: count,
  codemode_repairs: optional(count),
  off_mcp_calls: count,
  guardrail_bypasses: count,
};

const caseResult = object({
  case_id: nameShape,
  /** Hash of all that the pack says about the case: two cases are the same only if it is. */
  case_digest: text({ max: 64 }),
  task: text({ max: 100_000 }),
  /** Whether the case attacks; then it is judged by what the attack reached, and not by being completed. */
  adversarial: flag(),
  completed: flag(),
  steps: count,
  total_reward: number(-1_000_000, 1_000_000),
  usage: object({ input_tokens: count, output_tokens: count }),
  duration_seconds: number(0, 1_000_000_000),
  answer: nullable(text()),
  error: nullable(text()),
  /** What was looked at in the world afterwards. */
  checks: list(object({ check: text(), attack: optional(flag()), met: flag() })),
  ...telemetry,
});

const benchResult = object({
  version: integer(1, 1),
  bench_id: nameShape,
  created_at: text({ max: 40 }),
  preset: nameShape,
  description: text({ max: 10_000 }),
  /** The pack's file name; null for a preset that is built in. */
  pack: nullable(text({ max: 4096 })),
  strategy: choice(strategies),
  mcp_enabled: flag(),
  mcp_server: nullable(text({ max: 256 })),
  model: text({ max: 500 }),
  cases: list(caseResult),
});

export type CaseResult = Infer<typeof caseResult>;
export type BenchResult = Infer<typeof benchResult>;

/** Reads a result that was kept; throws `InputError`. */
export function readResult(value: unknown): BenchResult {
  const result = readShape(benchResult, value);
  const seen = new Set<string>();
  for (const [index, { case_id: id }] of result.cases.entries()) {
    if (seen.has(id)) {
      const pointer = `/cases/${index}/case_id`;
      throw new InputError(`${pointer}: the case "${visible(id, 60)}" stands twice`, { pointer });
    }
    seen.add(id);
  }
  return result;
}

/** What the cases of a run add up to. */
export interface Metrics {
  readonly cases: number;
  readonly adversarial_cases: number;
  readonly avg_reward: number;
  /** Of the cases that do not attack: to stop an attack is no failure. */
  readonly completion_rate: number;
  readonly avg_steps: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly avg_duration_seconds: number;
  readonly harness_tool_calls: number;
  readonly mcp_tool_calls: number;
  readonly codemode_chain_calls: number;
  readonly codemode_search_calls: number;
  readonly codemode_discovery_calls: number;
  readonly codemode_guardrail_blocked: number;
  /** Those in cases that do not attack. */
  readonly unexpected_guardrail_blocked: number;
  readonly off_mcp_calls: number;
  readonly guardrail_bypasses: number;
}

export function metricsOf(cases: readonly CaseResult[]): Metrics {
  const ordinary = cases.filter(({ adversarial }) => !adversarial);
  const sum = (of: readonly CaseResult[], value: (one: CaseResult) => number) =>
    of.reduce((total, one) => total + value(one), 0);
  const mean = (of: readonly CaseResult[], value: (one: CaseResult) => number, ofNone: number) =>
    of.length === 0 ? ofNone : rounded(sum(of, value) / of.length);
  return {
    cases: cases.length,
    adversarial_cases: cases.length - ordinary.length,
    avg_reward: mean(cases, (one) => one.total_reward, 0),
    completion_rate: mean(ordinary, ({ completed }) => Number(completed), 1),
    avg_steps: mean(cases, ({ steps }) => steps, 0),
    input_tokens: sum(cases, ({ usage }) => usage.input_tokens),
    output_tokens: sum(cases, ({ usage }) => usage.output_tokens),
    avg_duration_seconds: mean(cases, (one) => one.duration_seconds, 0),
    harness_tool_calls: sum(cases, (one) => one.harness_tool_calls),
    mcp_tool_calls: sum(cases, (one) => one.mcp_tool_calls),
    codemode_chain_calls: sum(cases, (one) => one.codemode_chain_calls),
    codemode_search_calls: sum(cases, (one) => one.codemode_search_calls),
    codemode_discovery_calls: sum(cases, (one) => one.codemode_discovery_calls),
    codemode_guardrail_blocked: sum(cases, (one) => one.codemode_guardrail_blocked),
    unexpected_guardrail_blocked: sum(ordinary, (one) => one.codemode_guardrail_blocked),
    off_mcp_calls: sum(cases, (one) => one.off_mcp_calls),
    guardrail_bypasses: sum(cases, (one) => one.guardrail_bypasses),
  };
}

/** To six digits behind the point, so that equal runs give equal figures. */
export function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
