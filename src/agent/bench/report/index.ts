// Reports of runs for people and machines: the same figures as Markdown, CSV, JSON and one HTML page.

import { SallyportError } from '../../../core/index.ts';
import { csvCell } from '../../../ledger/maintenance.ts';
import { type BenchResult, type CaseResult, metricsOf } from '../result.ts';
import { labelsOf, summaryRows, troubles } from './figures.ts';
import { htmlReport } from './html.ts';
import { figure } from './plot.ts';

export const reportFormats = ['markdown', 'csv', 'json', 'html'] as const;
export type ReportFormat = (typeof reportFormats)[number];

/** The report of one run, or of several side by side. */
export function report(format: ReportFormat, results: readonly BenchResult[]): string {
  if (results.length === 0) throw new SallyportError('a report needs a run');
  if (format === 'html') return htmlReport(results);
  if (format === 'csv') return csv(results);
  if (format === 'json') return `${JSON.stringify(results.map(withMetrics), null, 1)}\n`;
  return markdown(results);
}

function withMetrics(result: BenchResult) {
  return { ...result, metrics: metricsOf(result.cases) };
}

// ── Markdown

function markdown(results: readonly BenchResult[]): string {
  const [{ preset, description, pack } = { preset: '', description: '', pack: null }] = results;
  const labels = labelsOf(results);
  const from = pack === null ? '' : ` of ${cell(pack)}`;
  return [
    `# Bench: ${cell(preset)}${from}`,
    ...(description === '' ? [] : ['', cell(description)]),
    '',
    ...table(
      ['run', 'strategy', 'model', 'MCP', 'at'],
      results.map((one) => [
        one.bench_id,
        one.strategy,
        one.model,
        one.mcp_enabled ? (one.mcp_server ?? 'on') : 'off',
        one.created_at,
      ]),
    ),
    '',
    '## Summary',
    '',
    ...table(['figure', ...labels], summaryRows(results)),
    '',
    '## Cases',
    '',
    ...table(
      ['case', 'run', 'reward', 'completed', 'steps', 'calls', 'tokens', 'seconds', 'remarks'],
      results.flatMap((result, at) =>
        result.cases.map((one) => [
          one.case_id,
          labels[at] ?? '',
          figure(one.total_reward),
          one.completed ? 'yes' : 'no',
          figure(one.steps),
          figure(one.mcp_tool_calls),
          figure(one.usage.input_tokens + one.usage.output_tokens),
          figure(one.duration_seconds),
          troubles(one).join('; '),
        ]),
      ),
    ),
    '',
  ].join('\n');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)];
}

/** A text inside of a table, or a line: no markup of its own takes effect. */
function cell(text: string): string {
  return text.replace(/[\r\n]+/g, ' ').replace(/[\\`*_{}[\]<>#|!]/g, '\\$&');
}

// ── CSV

const caseColumns = [
  ...['case_id', 'adversarial', 'completed', 'steps', 'total_reward', 'duration_seconds', 'harness_strategy'],
  ...['mcp_enabled', 'mcp_server', 'harness_tool_calls', 'mcp_tool_calls', 'codemode_chain_calls'],
  ...['codemode_search_calls', 'codemode_discovery_calls', 'codemode_guardrail_blocked', 'off_mcp_calls'],
  ...['guardrail_bypasses', 'error', 'task'],
] as readonly (keyof CaseResult)[];

/** A line for each case of each run (RFC 4180). */
function csv(results: readonly BenchResult[]): string {
  const head = ['bench_id', 'preset', 'model', 'input_tokens', 'output_tokens', ...caseColumns];
  const rows = results.flatMap(({ bench_id: id, preset, model, cases }) =>
    cases.map((one) => [
      ...[id, preset, model, one.usage.input_tokens, one.usage.output_tokens],
      ...caseColumns.map((column) => one[column]),
    ]),
  );
  const line = (cells: readonly unknown[]) =>
    `${cells.map((value) => csvCell(String(value ?? ''))).join(',')}\r\n`;
  return [head, ...rows].map(line).join('');
}
