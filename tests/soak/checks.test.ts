// Every check of the soak holds on a record that is whole, and fails on one that is broken in just that way.

import { describe, expect, it } from 'vitest';
import { checksOf, type Findings } from './checks.ts';

const pass = { event: 'decision', decision: 'pass' };
const whole: Findings = {
  acknowledged: [
    { id: 'a', what: 'a block', durable: true, at: 1000 },
    { id: 'b', what: 'a pass', durable: false, at: 2000 },
  ],
  kills: [{ from: 2100, until: 2110 }],
  outages: [],
  reached: [
    { where: 'mcp', session: 's1', at: 1000 },
    { where: 'llm', session: 's2' },
    { where: 'query', session: 's3' },
  ],
  recorded: [
    { ...pass, id: 'a', session: 's1', kind: 'tool' },
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

  const lost = 'nothing acknowledged is lost';
  const away = { from: 2300, until: 5000 };
  it.each<[string, string[], Partial<Findings>]>([
    ['while the store was away', [], { kills: [{ from: 4000, until: 4001 }], outages: [away] }],
    ['before it was tried again', [], { kills: [{ from: 5900, until: 5901 }], outages: [away] }],
    ['long after it was back', [lost], { kills: [{ from: 9000, until: 9001 }], outages: [away] }],
    [
      'before it was away',
      [lost],
      { kills: [{ from: 4000, until: 4001 }], outages: [{ from: 3900, until: 5000 }] },
    ],
    ['by nobody', [lost], { kills: [] }],
    ['with the daemon before', [lost], { kills: [{ from: 1000, until: 1001 }] }],
  ])('know a harmless pass that was lost with a daemon killed %s', (_, names, broken) => {
    expect(failing({ ...whole, ...broken })).toEqual(names);
  });

  it('excuse no passes that are further apart than what one kill can take, and no block', () => {
    const kills = [{ from: 4000, until: 4001 }];
    const two = [2400, 3100].map((at) => ({ id: `x${at}`, what: 'a pass', durable: false, at }));
    const found = { ...whole, kills, outages: [away] };
    for (const one of two) expect(failing({ ...found, acknowledged: [one] })).toEqual([]);
    expect(failing({ ...found, acknowledged: two })).toEqual([lost]);
    const block = { id: 'x', what: 'a block', durable: true, at: 2400 };
    expect(failing({ ...found, acknowledged: [block] })).toEqual([lost]);
  });

  it('excuse a read that went with a daemon, and neither a second one, nor a row, nor an exchange', () => {
    const name = 'no pass without a decision';
    const more = (one: Findings['reached'][number]) =>
      failing({ ...whole, reached: [...whole.reached, one] });
    expect(more({ where: 'mcp', session: 's9', at: 2000 })).toEqual([]);
    expect(more({ where: 'mcp', session: 's1', at: 2000 })).toEqual([name]);
    expect(more({ where: 'query', session: 's9' })).toEqual([name]);
    expect(more({ where: 'llm', session: 's9' })).toEqual([name]);
  });

  const growing = whole.samples.map((sample) => ({ ...sample, kept: 90 + sample.at }));
  it.each<[string, string, Partial<Findings>]>([
    [
      'a block that is lost',
      'nothing acknowledged is lost',
      { acknowledged: [{ id: 'x', what: 'a block', durable: true, at: 2099 }] },
    ],
    [
      'a pass that is lost long before a kill',
      'nothing acknowledged is lost',
      { kills: [{ from: 3000, until: 3001 }] },
    ],
    ['nothing acknowledged', 'nothing acknowledged is lost', { acknowledged: [] }],
    ['a broken chain', 'the audit chain verifies', { chainProblems: ['entry 2: changed'] }],
    ['an empty log', 'the audit chain verifies', { entries: 0 }],
    ['a broken receipt', 'receipts verify', { receiptProblems: ['a link is broken'] }],
    ['no receipt', 'receipts verify', { receipts: 0 }],
    [
      'a call that nobody let go',
      'no pass without a decision',
      { reached: [...whole.reached, { where: 'mcp', session: 's9', at: 1000 }] },
    ],
    [
      'a call made twice',
      'no pass without a decision',
      { reached: [...whole.reached, { where: 'mcp', session: 's1', at: 1000 }] },
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
