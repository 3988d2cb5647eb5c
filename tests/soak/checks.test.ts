// Every check of the soak holds on a record that is whole, and fails on one that is broken in just that way.

import { describe, expect, it } from 'vitest';
import { checksOf, type Findings } from './checks.ts';

const pass = { event: 'decision', decision: 'pass' };
const whole: Findings = {
  acknowledged: [
    { id: 'a', what: 'a block' },
    { id: 'b', what: 'a pass' },
  ],
  reached: [
    { where: 'mcp', session: 's1' },
    { where: 'llm', session: 's2' },
    { where: 'query', session: 's3' },
  ],
  recorded: [
    { ...pass, id: 'a', session: 's1', kind: 'tool' },
    { ...pass, id: 'b', session: 's4', kind: 'shell' },
    { event: 'stream_opened', id: 'c', decision: '', session: 's2', kind: 'response' },
    { ...pass, id: 'd', session: 's3', kind: 'query' },
  ],
  chainProblems: [],
  receiptProblems: [],
  entries: 3,
  receipts: 1,
  files: [{ path: 'a.txt', found: 'new', may: ['old', 'new'] }],
  rowsMissing: [],
  deaths: [],
  openWork: 0,
  samples: Array.from({ length: 120 }, (_, at) => ({ start: 1, at, kept: 90 + (at % 7), resident: 300 })),
  forbidden: [],
  processesLeft: [],
  foldersLeft: [],
  uses: { decide: 1 },
};

const failing = (findings: Findings) =>
  checksOf(findings)
    .filter(({ holds }) => !holds)
    .map(({ name }) => name);

describe('the checks of the soak', () => {
  it('hold on what is whole', () => {
    expect(failing(whole)).toEqual([]);
  });

  const growing = whole.samples.map((sample) => ({ ...sample, kept: 90 + sample.at }));
  it.each<[string, string, Partial<Findings>]>([
    [
      'a block that is lost',
      'nothing acknowledged is lost',
      { acknowledged: [{ id: 'x', what: 'a block' }] },
    ],
    ['a pass that is lost', 'nothing acknowledged is lost', { acknowledged: [{ id: 'x', what: 'a pass' }] }],
    ['nothing acknowledged', 'nothing acknowledged is lost', { acknowledged: [] }],
    ['a broken chain', 'the audit chain verifies', { chainProblems: ['entry 2: changed'] }],
    ['an empty log', 'the audit chain verifies', { entries: 0 }],
    ['a broken receipt', 'receipts verify', { receiptProblems: ['a link is broken'] }],
    ['no receipt', 'receipts verify', { receipts: 0 }],
    [
      'a call that nobody let go',
      'no pass without a decision',
      { reached: [...whole.reached, { where: 'mcp', session: 's9' }] },
    ],
    [
      'a call made twice',
      'no pass without a decision',
      { reached: [...whole.reached, { where: 'mcp', session: 's1' }] },
    ],
    [
      'a call that was blocked',
      'no pass without a decision',
      {
        recorded: whole.recorded.map((entry) => (entry.id === 'd' ? { ...entry, decision: 'block' } : entry)),
      },
    ],
    ['a forbidden action', 'nothing forbidden passed', { forbidden: ['rm -rf / by a hook'] }],
    [
      'half a file',
      'files are old or new, and undo is exact',
      { files: [{ path: 'a', found: 'ne', may: ['old', 'new'] }] },
    ],
    [
      'a file that is gone',
      'files are old or new, and undo is exact',
      { files: [{ path: 'a', found: null, may: ['old'] }] },
    ],
    ['a row that is not there', 'rows that were acknowledged are there', { rowsMissing: ['r1'] }],
    ['a daemon that dies', 'no daemon ends by itself', { deaths: ['it ended with 1'] }],
    ['work that is open', 'open work is closed after the last start', { openWork: 1 }],
    ['memory that grows', 'memory is flat', { samples: growing }],
    [
      'too much memory',
      'memory is flat',
      { samples: whole.samples.map((one) => ({ ...one, resident: 1600 })) },
    ],
    ['no start that is long enough', 'memory is flat', { samples: whole.samples.slice(0, 40) }],
    ['a process that is left', 'no process is left', { processesLeft: ['node 17'] }],
    ['a folder that is left', 'no temporary folder is left', { foldersLeft: ['sallyport-x'] }],
    [
      'a surface that was not used',
      'every surface was used and every fault happened',
      { uses: { decide: 1, hook: 0 } },
    ],
  ])('see %s', (_, name, broken) => {
    expect(failing({ ...whole, ...broken })).toEqual([name]);
  });

  it('have no other name than those that are shown to fail', () => {
    expect(new Set(checksOf(whole).map(({ name }) => name)).size).toBe(13);
  });
});
