// Shares of pending questions, and groups of questions of the same kind.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Action, Context } from '../core/index.ts';
import { fullShare, groupOf, inGroups, longWaitMs, smallestShare, type WaitingQuestion } from './shares.ts';

const now = 1_700_000_000_000;
const asker = { user: 'ann', agent: 'coder', session: 's1' };

function waiting(count: number, more: Partial<WaitingQuestion['context']> = {}, createdAt = now) {
  return Array.from({ length: count }, () => ({ context: { ...asker, ...more }, createdAt }));
}

describe('a share', () => {
  const long = now - longWaitMs;

  it.each<[string, readonly WaitingQuestion[], string | null]>([
    ['nothing waits', [], null],
    ['one less than a session may', waiting(49), null],
    ['as many as a session may', waiting(50), '50 questions of this session wait already'],
    ['another session of the agent', waiting(50, { session: 's2' }), null],
    [
      'two other sessions fill the share of the agent',
      [...waiting(50, { session: 's2' }), ...waiting(25, { session: 's3' })],
      '75 questions of this agent wait already',
    ],
    ['another agent', waiting(100, { agent: 'helper' }), null],
    ['another user', waiting(100, { user: 'bob' }), null],
    ['somebody who claims the name', waiting(100, { agentClaimed: true }), null],
    ['questions that wait long', waiting(99, {}, long), null],
    [
      'all of one agent, however long they wait',
      [...waiting(50, { session: 's2' }, long), ...waiting(50, { session: 's3' }, long)],
      '100 questions of this agent wait already',
    ],
  ])('%s', (_, questions, full) => expect(fullShare(questions, asker, 100, now)).toBe(full));

  it('is one for all names that are only claimed', () => {
    const many = Array.from({ length: 75 }, (_, index) =>
      waiting(1, { agent: `made up ${index}`, session: `${index}`, agentClaimed: true }),
    ).flat();
    expect(fullShare(many, { ...asker, agentClaimed: true }, 100, now)).toBe(
      '75 questions of this agent wait already',
    );
    expect(fullShare(many, asker, 100, now)).toBeNull();
  });

  it.each([
    [1, 1],
    [2, 2],
    [5, 5],
    [20, 10],
    [100, 50],
  ])('of %i is at least %i', (maxPending, least) => {
    expect(smallestShare(maxPending)).toBe(least);
    expect(fullShare(waiting(least - 1), asker, maxPending, now)).toBeNull();
    expect(fullShare(waiting(least), asker, maxPending, now)).not.toBeNull();
  });

  it('of an agent is never taken by others', () => {
    const name = fc.constantFrom('coder', 'helper', 'other');
    const context = fc.record({
      user: fc.constantFrom('ann', 'bob'),
      agent: name,
      session: name,
      agentClaimed: fc.constant(true as const),
    });
    const others = fc.array(
      fc.record({
        context: fc.oneof(
          context,
          context.map(({ agentClaimed: _, ...bound }) => ({ ...bound, agent: `not ${bound.agent}` })),
        ),
        createdAt: fc.constantFrom(now, long),
      }),
      { maxLength: 200 },
    );
    fc.assert(
      fc.property(others, fc.integer({ min: 1, max: 1000 }), (questions, maxPending) => {
        expect(fullShare(questions, asker, maxPending, now)).toBeNull();
      }),
    );
  });
});

describe('a group', () => {
  const context: Context = { ...asker, tenant: 'acme', workspace: '/work', mode: 'default' };
  const finding = { rule: 'r', guard: 'fetch', decision: 'approve', message: 'm' } as const;
  const fetch: Action = { kind: 'fetch', url: 'https://a.example/' };
  const of = (action: Action, more: Partial<Context> = {}, rules: readonly string[] = ['r']) =>
    groupOf({
      action,
      context: { ...context, ...more },
      findings: [
        ...rules.map((rule) => ({ ...finding, rule })),
        { ...finding, rule: 'w', decision: 'warn' as const },
      ],
    });

  it('is whose question it is, what would be done and which rules ask', () => {
    expect(of(fetch)).toBe('coder · s1 · fetch · fetch/r');
    expect(of({ kind: 'fetch', url: 'https://b.example/' })).toBe(of(fetch));
    expect(of(fetch, {}, ['b', 'a', 'b'])).toBe('coder · s1 · fetch · fetch/a · fetch/b');
    expect(of({ kind: 'tool', tool: 'search', arguments: {} })).toBe('coder · s1 · tool search · fetch/r');
    for (const more of [{ agent: 'helper' }, { session: 's2' }]) expect(of(fetch, more)).not.toBe(of(fetch));
  });

  it('stands where its first question does', () => {
    const questions = ['a', 'b', 'a', 'c', 'b'].map((group, id) => ({ group, id }));
    expect(inGroups(questions).map((group) => group.map(({ id }) => id))).toEqual([[0, 2], [1, 4], [3]]);
  });
});
