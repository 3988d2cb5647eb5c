// The report of a bench as one page.

import { type BenchResult, metricsOf } from '../result.ts';
import { labelsOf, summaryRows, troubles } from './figures.ts';
import { page } from './page.ts';
import { bars, escaped, figure, points, seriesClass } from './plot.ts';

export function htmlReport(results: readonly BenchResult[]): string {
  const labels = labelsOf(results);
  const [{ preset, description } = { preset: '', description: '' }] = results;
  return page(
    `Bench: ${preset}`,
    `<h1>${escaped(preset)}</h1>
${description === '' ? '' : `<p>${escaped(description)}</p>`}
<ul class="legend">${results.map((one, at) => legend(one, labels[at] ?? '', at)).join('')}</ul>
${verdict(results, labels)}
<div class="plots">
${plots(results, labels)
  .map(([title, plot]) => `<figure><h3>${escaped(title)}</h3>${plot}</figure>`)
  .join('\n')}
</div>
<h2>Summary</h2>
${table(
  ['', ...labels],
  summaryRows(results).map((row) => row.map((text, at) => cell(text, at > 0 ? 'n' : ''))),
)}
<h2>Cases</h2>
${caseTable(results, labels)}`,
  );
}

function legend(
  { bench_id: id, model, mcp_enabled: mcp, mcp_server: server }: BenchResult,
  label: string,
  at: number,
) {
  const dot = `<svg viewBox="0 0 12 12" aria-hidden="true"><rect class="${seriesClass(at)}" width="12" height="12" rx="3"/></svg>`;
  const through = mcp ? `MCP ${server ?? 'on'}` : 'MCP off';
  return `<li>${dot}<b>${escaped(label)}</b> ${escaped(`${id} · ${model} · ${through}`)}</li>`;
}

/** The line that matters most: whether anything got through. */
function verdict(results: readonly BenchResult[], labels: readonly string[]): string {
  return results
    .map(({ cases }, at) => {
      const {
        guardrail_bypasses: bypasses,
        off_mcp_calls: past,
        adversarial_cases: attacks,
      } = metricsOf(cases);
      const clean = bypasses === 0 && past === 0;
      const words = clean
        ? `none of ${figure(attacks)} attacks got through, and no call went past MCP`
        : `${figure(bypasses)} attacks got through, ${figure(past)} calls went past MCP`;
      return `<p class="${clean ? 'good' : 'bad'}">${escaped(`${labels[at]}: ${words}`)}</p>`;
    })
    .join('\n');
}

function plots(
  results: readonly BenchResult[],
  labels: readonly string[],
): readonly (readonly [string, string])[] {
  const metrics = results.map(({ cases }) => metricsOf(cases));
  const row = (label: string, of: (one: (typeof metrics)[number]) => number) => ({
    label,
    values: metrics.map(of),
  });
  const each = (value: (one: BenchResult['cases'][number]) => number) =>
    results.map(({ cases }, at) => ({
      label: labels[at] ?? '',
      points: cases.map((one) => ({ name: one.case_id, value: value(one) })),
    }));
  const calls = bars('Calls', labels, [
    row('of the model', (one) => one.harness_tool_calls),
    row('to MCP', (one) => one.mcp_tool_calls),
    row('chains of code', (one) => one.codemode_chain_calls),
    row('searches', (one) => one.codemode_search_calls),
  ]);
  const tokens = bars('Tokens', labels, [
    row('in', (one) => one.input_tokens),
    row('out', (one) => one.output_tokens),
  ]);
  return [
    ['Calls', calls],
    ['Tokens', tokens],
    [
      'Steps of each case',
      points(
        'Steps',
        'steps',
        each(({ steps }) => steps),
      ),
    ],
    [
      'Seconds of each case',
      points(
        'Latency',
        's',
        each((one) => one.duration_seconds),
      ),
    ],
  ];
}

function cell(text: string, kind = ''): string {
  return `<td${kind === '' ? '' : ` class="${kind}"`}>${escaped(text)}</td>`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const heads = head.map(
    (text, at) => `<th scope="col"${at > 0 && text !== 'remarks' ? ' class="n"' : ''}>${escaped(text)}</th>`,
  );
  const body = rows.map((cells) => `<tr>${cells.join('')}</tr>`);
  return `<div class="wide"><table><thead><tr>${heads.join('')}</tr></thead><tbody>${body.join('\n')}</tbody></table></div>`;
}

function caseTable(results: readonly BenchResult[], labels: readonly string[]): string {
  const head = ['case', 'run', 'reward', 'completed', 'steps', 'calls', 'tokens', 'seconds', 'remarks'];
  const ids = [...new Set(results.flatMap(({ cases }) => cases.map(({ case_id: id }) => id)))];
  const rows = ids.flatMap((id) =>
    results.flatMap(({ cases }, at) =>
      cases
        .filter((one) => one.case_id === id)
        .map((one) => [
          cell(one.adversarial ? `${id} (attack)` : id),
          cell(labels[at] ?? '', 'n'),
          cell(figure(one.total_reward), one.total_reward < 1 ? 'n bad' : 'n good'),
          cell(one.completed ? 'yes' : 'no', 'n'),
          cell(figure(one.steps), 'n'),
          cell(figure(one.mcp_tool_calls), 'n'),
          cell(figure(one.usage.input_tokens + one.usage.output_tokens), 'n'),
          cell(figure(one.duration_seconds), 'n'),
          cell(troubles(one).join('; '), 'remarks'),
        ]),
    ),
  );
  return table(head, rows);
}
