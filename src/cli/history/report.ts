// What a history comes to, for a person at a terminal, for a machine, and as a page with plots.

import { page } from '../../agent/bench/report/page.ts';
import { bars, escaped, figure } from '../../agent/bench/report/plot.ts';
import { visible } from '../../core/index.ts';
import type { Io } from '../io.ts';
import type { Change } from './changes.ts';
import { type Counts, originWords, per100, type RuleRow, type Tally } from './tally.ts';

/** What a report is made of. */
export interface Report {
  readonly tally: Tally;
  readonly changes: readonly Change[];
  readonly mode: string;
}

const mostRules = 12;
const mostBars = 20;
const mostDays = 30;

const about =
  'Nothing was run, asked or recorded, and nothing left this machine. Each call was judged as if Sallyport had been asked before it ran.';

export function printReport(io: Io, { tally, changes }: Report): void {
  const { total } = tally;
  io.print(
    `Judged ${figure(total.calls)} ${total.calls === 1 ? 'call' : 'calls'}: ${originWords(tally).join(', ')}${spanWords(tally)}.`,
  );
  const rows: readonly (readonly [string, number])[] = [
    ['Passed', total.calls - total.asked - total.blocked],
    ['Asked', total.asked],
    ['Blocked', total.blocked],
  ];
  for (const [name, count] of rows)
    io.print(`  ${name.padEnd(8)} ${figure(count).padStart(8)}  ${share(count, total)} per 100`);
  io.print(io.paint('bold', `${per100(total).toFixed(2)} interruptions per 100 calls`));
  const rules = tally.rules();
  if (rules.length > 0) io.print(`\n${io.paint('bold', 'By rule')}`);
  for (const { rule, asked, blocked, examples } of rules.slice(0, mostRules)) {
    const counts = [
      ...(asked > 0 ? [`${figure(asked)} asked`] : []),
      ...(blocked > 0 ? [`${figure(blocked)} blocked`] : []),
    ];
    io.print(`  ${rule}: ${counts.join(', ')}`);
    const [first] = examples;
    if (first !== undefined) io.print(io.paint('dim', `      ${visible(first.what, 120)}`));
    if (first !== undefined && first.why !== '')
      io.print(io.paint('dim', `      ${visible(first.why, 160)}`));
  }
  if (rules.length > mostRules) io.print(`  and ${rules.length - mostRules} more; --html shows all`);
  if (changes.length > 0) io.print(`\n${io.paint('bold', 'Settings that would change most')}`);
  for (const { setting, says, fewer } of changes) {
    io.print(`  ${figure(fewer)} fewer: ${says}`);
    for (const line of setting.split('\n')) io.print(`      ${line}`);
  }
}

export function reportJson({ tally, changes, mode }: Report) {
  const { total, from, to, byOrigin, byDay, stops } = tally;
  const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  return {
    mode,
    ...{ from: iso(from), to: iso(to) },
    ...total,
    interruptionsPer100: Number(per100(total).toFixed(2)),
    origins: Object.fromEntries(
      [...byOrigin].map(([origin, { sessions, ...counts }]) => [
        origin,
        { ...counts, sessions: sessions.size },
      ]),
    ),
    days: Object.fromEntries([...byDay].sort()),
    rules: tally.rules().map(({ examples, ...row }) => ({ ...row, examples: examples.slice(0, 5) })),
    changes,
    stops: stops.map(({ findings: _, again: __, at, ...stop }) => ({ ...stop, at: iso(at) })),
  };
}

export function reportPage(report: Report): string {
  const { tally, changes, mode } = report;
  const { total } = tally;
  const rules = tally.rules();
  const plots = [
    figureOf('Stopped calls by rule', ruleBars(rules)),
    ...(tally.byDay.size > 1 ? [figureOf('Interruptions per 100 calls, by day', dayBars(tally))] : []),
  ];
  return page(
    'Sallyport: your own history',
    `<h1>${per100(total).toFixed(2)} interruptions per 100 calls</h1>
<p>${escaped(`${figure(total.calls)} calls: ${originWords(tally).join(', ')}${spanWords(tally)}. Permission mode ${mode}.`)}</p>
<p>${escaped(about)}</p>
<ul class="legend"><li><b>${figure(total.calls - total.asked - total.blocked)}</b> passed</li><li><b>${figure(total.asked)}</b> asked</li><li><b>${figure(total.blocked)}</b> blocked</li></ul>
<div class="plots">${plots.join('\n')}</div>
<h2>Settings that would change most</h2>
${changes.length === 0 ? '<p>None: nothing was stopped that a setting may allow.</p>' : changeTable(changes)}
<h2>What was stopped, and why</h2>
${rules.length === 0 ? '<p>Nothing.</p>' : rules.map(ruleSection).join('\n')}`,
  );
}

function figureOf(title: string, plot: string): string {
  return `<figure><h3>${escaped(title)}</h3>${plot}</figure>`;
}

function ruleBars(rules: readonly RuleRow[]): string {
  return bars(
    'Stopped calls by rule',
    ['asked', 'blocked'],
    rules.slice(0, mostBars).map(({ rule, asked, blocked }) => ({ label: rule, values: [asked, blocked] })),
    { left: 190, legend: ['asked', 'blocked'] },
  );
}

function dayBars({ byDay }: Tally): string {
  const days = [...byDay].sort().slice(-mostDays);
  const rows = days.map(([label, counts]) => ({ label, values: [Number(per100(counts).toFixed(2))] }));
  return bars('Interruptions per 100 calls, by day', ['per 100'], rows);
}

function changeTable(changes: readonly Change[]): string {
  const rows = changes.map(
    ({ setting, says, fewer }) =>
      `<tr><td class="n">${figure(fewer)}</td><td><pre>${escaped(setting)}</pre></td><td>${escaped(says)}</td></tr>`,
  );
  return tableOf(['fewer', 'setting', 'what it says'], rows);
}

function ruleSection({ rule, asked, blocked, examples }: RuleRow): string {
  const rows = examples.map(
    ({ what, why, times }) =>
      `<tr><td class="n">${figure(times)}</td><td><code>${escaped(visible(what))}</code></td><td class="remarks">${escaped(visible(why))}</td></tr>`,
  );
  return `<details><summary><b>${escaped(rule)}</b>: ${figure(asked)} asked, ${figure(blocked)} blocked</summary>${tableOf(['times', 'call', 'why'], rows)}</details>`;
}

function tableOf(head: readonly string[], rows: readonly string[]): string {
  const heads = head.map((name) => `<th scope="col">${escaped(name)}</th>`).join('');
  return `<div class="wide"><table><thead><tr>${heads}</tr></thead><tbody>${rows.join('\n')}</tbody></table></div>`;
}

function share(count: number, { calls }: Counts): string {
  return (calls === 0 ? 0 : (count * 100) / calls).toFixed(2);
}

/** From when to when, where the history says. */
function spanWords({ from, to }: Tally): string {
  if (from === null || to === null) return '';
  const [first, last] = [from, to].map((at) => new Date(at).toISOString().slice(0, 10));
  return first === last ? `, of ${first}` : `, from ${first} to ${last}`;
}
