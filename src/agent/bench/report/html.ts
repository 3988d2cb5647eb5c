// The report as one page that needs nothing else: no scripts, nothing from elsewhere, light and dark.

import { type BenchResult, metricsOf } from '../result.ts';
import { labelsOf, summaryRows, troubles } from './figures.ts';
import { bars, escaped, figure, points, seriesClass } from './plot.ts';

/** One for each series, so that they stay apart for people who see few colours, in light and in dark. */
const light = ['#0b66c3', '#c2570c', '#17795e', '#8a3ea8', '#8c6a00', '#5a6472'];
const dark = ['#6cb2ff', '#ff9d5c', '#4cc9a4', '#d39bea', '#e3c04d', '#a9b4c2'];

const style = `
:root { color-scheme: light dark; --page: #fbfbfa; --card: #fff; --ink: #1b2127; --soft: #5a6472; --line: #dfe3e8;
  --good: #17795e; --bad: #b3261e; ${light.map((colour, at) => `--s${at}: ${colour};`).join(' ')} }
@media (prefers-color-scheme: dark) { :root { --page: #14181d; --card: #1b2127; --ink: #e8ecf1; --soft: #a0abb8;
  --line: #333c47; --good: #4cc9a4; --bad: #ff8a80; ${dark.map((colour, at) => `--s${at}: ${colour};`).join(' ')} } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1180px; padding: 32px 20px 64px; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 26px; margin: 0; } h2 { font-size: 19px; margin: 40px 0 12px; } h3 { font-size: 15px; margin: 0 0 8px; }
p { margin: 4px 0; color: var(--soft); max-width: 75ch; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr)); gap: 16px; }
figure, .wide { margin: 0; padding: 16px; background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
.wide { overflow-x: auto; padding: 0; }
svg { display: block; width: 100%; height: auto; font: 12px system-ui, sans-serif; fill: var(--ink); }
.grid { stroke: var(--line); } .tick { fill: var(--soft); text-anchor: middle; } .label { text-anchor: end; }
.value { fill: var(--soft); } .mean { stroke-width: 2; }
circle { fill-opacity: .65; }
${light.map((_, at) => `.s${at} { fill: var(--s${at}); stroke: var(--s${at}); }`).join('\n')}
ul.legend { display: flex; flex-wrap: wrap; gap: 6px 20px; list-style: none; margin: 16px 0; padding: 0; }
ul.legend svg { display: inline-block; width: 12px; height: 12px; margin-right: 6px; vertical-align: -1px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: 7px 12px; text-align: left; border-bottom: 1px solid var(--line); vertical-align: top; }
tr:last-child td { border-bottom: 0; } th { color: var(--soft); font-weight: 600; white-space: nowrap; }
td.n, th.n { text-align: right; } td.remarks { color: var(--soft); overflow-wrap: anywhere; min-width: 24ch; }
p.good, p.bad { margin: 4px 0 16px; }
.good { color: var(--good); } .bad { color: var(--bad); font-weight: 600; }
`;

export function htmlReport(results: readonly BenchResult[]): string {
  const labels = labelsOf(results);
  const [{ preset, description } = { preset: '', description: '' }] = results;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(`Bench: ${preset}`)}</title>
<style>${style}</style>
</head>
<body>
<h1>${escaped(preset)}</h1>
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
${caseTable(results, labels)}
</body>
</html>
`;
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
