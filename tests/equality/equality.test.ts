// The equality check sees what differs, counts what is equal, and judges a case that both checkouts bring once.

import { describe, expect, it } from 'vitest';
import { type Case, commandCases, type Outcome, union } from './cases.ts';
import { compare } from './compare.ts';

const outcome = (id: string, more: Partial<Outcome> = {}): Outcome => ({
  id,
  verdict: { decision: 'pass', findings: [] },
  words: ['Passed.', []],
  facts: { programs: ['ls'] },
  ...more,
});

describe('two checkouts', () => {
  it('are equal where every outcome is, in whatever order of members', () => {
    const other = outcome('a:1', { verdict: { findings: [], decision: 'pass' } });
    expect(compare([outcome('a:1')], [other])).toEqual({
      sets: new Map([['a', { cases: 1, equal: 1 }]]),
      differences: [],
    });
  });

  it.each<[string, Partial<Outcome>, string, number]>([
    ['a decision', { verdict: { decision: 'block', findings: [] } }, 'verdict', 0],
    [
      'a span',
      { verdict: { decision: 'pass', findings: [{ rule: 'a', guard: 'tool', span: [0, 1] }] } },
      'verdict',
      0,
    ],
    ['a message', { words: ['Passes!', []] }, 'words', 1],
    ['a fact', { facts: {} }, 'facts', 1],
  ])('differ in %s', (_, changed, of, equal) => {
    const { sets, differences } = compare([outcome('a:1')], [outcome('a:1', changed)]);
    expect(differences).toMatchObject([{ id: 'a:1', of }]);
    expect(sets.get('a')).toEqual({ cases: 1, equal });
  });

  it('differ where one gives no outcome', () => {
    expect(compare([outcome('a:1')], []).differences).toHaveLength(3);
    expect(compare([], [outcome('a:1')]).sets).toEqual(new Map([['a', { cases: 1, equal: 0 }]]));
  });
});

describe('cases', () => {
  it('of both sides are judged once, and those of one side as well', () => {
    const [one, two] = commandCases('a', 'ls', 1) as [Case, Case, Case, Case];
    const changed: Case = { id: one.id, asked: { action: { kind: 'shell', command: 'ls -l' } } };
    expect(union([one, two], [{ ...one, id: 'a:2' }, two, changed])).toEqual([
      one,
      two,
      { ...changed, id: 'a:1:shell:base' },
    ]);
  });
});
