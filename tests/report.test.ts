// What was printed becomes data, plots and pages without changing what it says.

import { describe, expect, it } from 'vitest';
import { figureOf, type Measured, type Results } from '../benchmarks/results.ts';
import { table } from '../scripts/pages.ts';
import { readmeParts } from '../scripts/readme.ts';
import { shareOfGoal } from '../scripts/report.ts';
import { settled } from '../scripts/terminal.ts';

describe('a printed figure', () => {
  it.each([
    ['1.67 µs', 1.67, 'µs'],
    ['29,013/s (4.1 a commit)', 29013, '/s'],
    ['0.06', 0.06, ''],
    ['1/49.4', 1 / 49.4, ''],
    ['+0.9 ms', 0.9, 'ms'],
    ['-0.2 ms', -0.2, 'ms'],
    ['3.7 ×', 3.7, '×'],
    ['0.25×', 0.25, '×'],
    ['179 MB/s', 179, 'MB/s'],
    ['ctags 120 ms', 120, 'ms'],
    ['≤ 3, at most 160', 3, ''],
    ['told', null, ''],
    ['', null, ''],
  ])('%j is %j of %j', (text, figure, unit) => {
    expect(figureOf(text)).toEqual({ figure, unit });
  });
});

describe('what a figure takes of its goal', () => {
  const row = (ours: string, ratio: string, goal: string): Measured => ({
    ...figureOf(ours),
    ...{ what: '', ours, floor: '', ratio, goal, met: true },
  });
  it.each([
    // With a unit of its own, a goal is about our figure; else about the ratio.
    ['10 µs', '17.8', '≤ 20 µs', 50],
    ['430 MB', '', '≤ 400 MB', 107.5],
    ['29,013/s', '12.5', '≥ 10', 80],
    ['53', '1/60', '≤ 1/30', 50],
    ['27 ms', '0.25', '≤ 1/3', 75],
    ['5.2 ms', '+3 ms', '≤ +1.5 ms', 200],
    ['4 ms', '-0.2 ms', '≤ +2 ms', 0],
    ['25 calls/s', '0.3×', '≥ 0.6×', 200],
    ['2 ms', '3 ×', '≥ 1.5 ×', 50],
    ['1.5 characters', '', '≤ 3, at most 160', 50],
    // What cannot be said is not drawn.
    ['2 ms', '', 'told', null],
    ['', '', '≤ 5', null],
    ['2 ms', '0', '≥ 5', null],
  ])('%j, ratio %j, goal %j: %j', (ours, ratio, goal, share) => {
    expect(shareOfGoal(row(ours, ratio, goal))).toBe(share);
  });
});

it('lays a table out as the formatter does, whatever a terminal was shown before its cells', () => {
  expect(table(['guard', 'a'], [['  a peer on it', '1|2']])).toBe(
    ['| guard        | a    |', '| ------------ | ---- |', '| a peer on it | 1\\|2 |'].join('\n'),
  );
});

describe('what a terminal showed', () => {
  it.each([
    ['one\r\ntwo\r\n', 'one\ntwo\n'],
    ['\r\x1b[Kstarting …\r\x1b[Kstarting …\r\x1b[KRunning\r\n', 'Running\n'],
    ['\r\x1b[Khome …\r\x1b[Kok\r\nnext\r\n', 'ok\nnext\n'],
    ['Passphrase: \r\nApproved\r\n', 'Passphrase:\nApproved\n'],
  ])('%j settles as %j', (shown, stays) => {
    expect(settled(shown)).toBe(stays);
  });
});

describe('the table of the README', () => {
  const results = (name: string, more: Partial<Results>): Results => ({
    ...{ name, command: `npm run eval ${name}`, when: '2026-01-01', node: 'v24.0.0', platform: 'linux x64' },
    ...{ cores: 2, load: 0, met: true, rows: [], tables: [], notes: [], ...more },
  });
  const hook = (what: string) => ({
    ...{ what, figure: 22.6, unit: 'ms', ours: '22.6 ms', floor: '59.2 ms (a Node hook)', ratio: '0.381' },
    ...{ goal: '≤ 0.5', met: true },
  });
  const fetched = (lines: readonly (readonly string[])[]) =>
    results('fetch', { tables: [{ head: ['fetch', 'must be', 'cases', 'ours', 'ipaddr.js'], lines }] });

  it('shows what was kept, as it was printed, and nothing that was not', () => {
    const parts = readmeParts(
      [results('hooks', { rows: [hook('one hook through the client, recorded')] })],
      [
        fetched([
          ['loopback', 'stopped', '30', '30', '28'],
          ['ordinary', 'passed', '9', '9', '9'],
          ['metadata', 'stopped', '12', '11', '10'],
        ]),
      ],
    );
    expect(parts.get('compared')?.split('\n').slice(2)).toEqual([
      expect.stringMatching(/\| 41 of 42 +\| 38 \(ipaddr\.js\) +\|/),
      expect.stringMatching(/recorded +\| 22\.6 ms +\| 59\.2 ms \(a Node hook\) \|/),
    ]);
  });

  it.each([
    [() => readmeParts([results('hooks', { rows: [hook('another')] })], []), /no row that begins with/],
    [() => readmeParts([], [results('fetch', {})]), /no table "fetch" has "ours"/],
    [() => readmeParts([], [fetched([['a', 'stopped', '1', 'many', '1']])]), /"ours" has no numbers/],
    [() => readmeParts([], [fetched([])]), /has no numbers/],
  ])('is not made where what it shows is not there: %#', (make, problem) => {
    expect(make).toThrow(problem);
  });
});
