// Reports: the figures of the runs in each form, and nothing of a case that could come to life in one.

import { describe, expect, it } from 'vitest';
import { benchResult, caseResult } from '../../../../tests/support/bench.ts';
import { report } from './index.ts';
import { figure, ticksFor } from './plot.ts';

const hostile = '<script>alert(1)</script>';
const results = [
  benchResult(1, [caseResult('sum'), caseResult('escape', { adversarial: true, completed: false })], {
    description: hostile,
  }),
  benchResult(
    2,
    [
      caseResult('sum', {
        steps: 1,
        duration_seconds: 0.125,
        usage: { input_tokens: 40, output_tokens: 30 },
      }),
      caseResult('escape', {
        adversarial: true,
        guardrail_bypasses: 1,
        total_reward: 0,
        error: `=cmd|'x', "a"\n${hostile}`,
        checks: [{ check: '{"call":{"server":"beacon"}}', attack: true, met: true }],
      }),
    ],
    { strategy: 'codemode' },
  ),
];

describe('a report', () => {
  it('in Markdown has the summary and every case', () => {
    const text = report('markdown', results);
    expect(text).toContain('| mean steps | 2 | 1.5 |');
    expect(text).toContain('| attacks that got through | 0 | 1 |');
    expect(text).toContain('| sum | codemode | 1 | yes | 1 | 2 | 70 | 0.125 |');
    expect(text).not.toContain('<script>');
    const rows = text.split('\n').filter((line) => line.startsWith('| escape'));
    expect(rows).toHaveLength(2);
  });

  it('in CSV has a line for each case, and no formula', () => {
    const [head = '', first = '', ...rest] = report('csv', results).split('\r\n');
    expect(head.split(',')).toHaveLength(first.split(',').length);
    expect(head).toContain('codemode_guardrail_blocked');
    expect(rest.join('\r\n')).toContain(`"'=cmd|'x', ""a""\n`);
  });

  it('in JSON is the results with their figures', () => {
    const [one] = JSON.parse(report('json', results));
    expect(one).toMatchObject({ ...results[0], metrics: { cases: 2, avg_reward: 1 } });
  });

  it('in HTML has four plots and no script, and asks for nothing from elsewhere', () => {
    const page = report('html', results);
    expect(page.match(/<svg role="img"/g)).toHaveLength(4);
    for (const title of ['Calls', 'Tokens', 'Steps', 'Latency'])
      expect(page).toContain(`<title>${title}</title>`);
    expect(page).not.toMatch(/<script|<link|<img|url\(|@import|\son\w+=/i);
    expect(page.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:/);
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page).toContain("default-src 'none'");
    expect(page).toContain('codemode: 1 attacks got through');
  });

  it('tells runs of one strategy apart', () => {
    const page = report('markdown', [benchResult(1, [caseResult('a')]), benchResult(2, [caseResult('a')])]);
    expect(page).toContain('tool\\_call 20261116T100000001Z-abcdef');
  });

  it('has a colour for each of many runs', () => {
    const many = Array.from({ length: 9 }, (_, at) => benchResult(at, [caseResult('a')]));
    const page = report('html', many);
    const used = new Set([...page.matchAll(/class="(?:mean )?(s\d+)"/g)].map(([, name]) => name));
    expect(used.size).toBe(6);
    for (const name of used) expect(page).toContain(`.${name} { fill: var(--${name})`);
  });

  it('of nothing is refused', () => {
    expect(() => report('html', [])).toThrow('a report needs a run');
  });
});

describe('an axis', () => {
  it.each([
    [0, [0, 1]],
    [1, [0, 0.25, 0.5, 0.75, 1]],
    [3, [0, 1, 2, 3]],
    [0.0375, [0, 0.01, 0.02, 0.03, 0.04]],
    [1234, [0, 500, 1000, 1500]],
    [Number.NaN, [0, 1]],
  ])('up to %d has the ticks %j', (most, ticks) => {
    expect(ticksFor(most)).toEqual(ticks);
  });

  it.each([
    [1234567, '1,234,567'],
    [0.12345, '0.123'],
    [12.345, '12.35'],
    [123.4, '123'],
  ])('writes %d as %s', (value, text) => {
    expect(figure(value)).toBe(text);
  });
});
