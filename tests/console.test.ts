// The parts of the console that are plain data: where cards stand, what counts as seen, and the texts that pages begin with.

import { describe, expect, it } from 'vitest';
import { type Card, isOnScreen, keepInPlace, nextWaiting, withoutEnded } from '../console/src/cards.ts';
import { policyTemplate, type Triable, triable, triedAction } from '../console/src/examples.ts';
import { configOf, settingsFrom } from '../src/config/index.ts';
import { type Action, readAction } from '../src/core/index.ts';
import { createDryDecider, realWorld } from '../src/decide/index.ts';
import { compileSource } from '../src/policy/compile.ts';
import { context, stillWorld } from './support/decide.ts';

/** Cards by a word: a capital has ended. */
const cardsOf = (letters: string): Card<{ id: string }>[] =>
  [...letters].map((letter) => ({
    item: { id: letter.toLowerCase() },
    endedAt: letter === letter.toLowerCase() ? null : 1,
  }));
const lettersOf = (cards: readonly Card<{ id: string }>[]) =>
  cards.map(({ item, endedAt }) => (endedAt === null ? item.id : item.id.toUpperCase())).join('');
const items = (letters: string) => [...letters].map((id) => ({ id }));

describe('cards', () => {
  it.each([
    ['', 'ab', 'ab', 'come in the order that they were asked'],
    ['abc', 'abc', 'abc', 'stay'],
    ['abc', 'bc', 'Abc', 'that have ended stay in their places'],
    ['abc', 'ac', 'aBc', 'that have ended stay in their places'],
    ['abc', '', 'ABC', 'that have all ended stay in their places'],
    ['ab', 'zab', 'abz', 'that are new come last, wherever the daemon lists them'],
    ['abc', 'cba', 'abc', 'keep their order'],
    ['aBc', 'acd', 'aBcd', 'that have ended stay ended'],
    ['aBc', 'abc', 'abc', 'that wait again wait again'],
  ])('%s, of which %j wait: %s, %s', (before, waiting, after) => {
    expect(lettersOf(keepInPlace(cardsOf(before), items(waiting), 5))).toBe(after);
  });

  it('that have ended go when their time has come', () => {
    const cards = keepInPlace(keepInPlace(cardsOf('abc'), items('bc'), 5), items('c'), 9);
    expect(cards.map(({ endedAt }) => endedAt)).toEqual([5, 9, null]);
    expect(lettersOf(withoutEnded(cards, 4))).toBe('ABc');
    expect(lettersOf(withoutEnded(cards, 5))).toBe('Bc');
    expect(lettersOf(withoutEnded(cards, 9))).toBe('c');
  });

  it.each([
    ['abc', undefined, 1, 'a'],
    ['abc', undefined, -1, 'c'],
    ['abc', 'a', 1, 'b'],
    ['abc', 'c', 1, 'c'],
    ['abc', 'a', -1, 'a'],
    ['aBc', 'a', 1, 'c'],
    ['aBc', 'b', 1, 'c'],
    ['aBc', 'b', -1, 'a'],
    ['Abc', undefined, 1, 'b'],
    ['aB', 'b', 1, undefined],
    ['AB', 'a', 1, undefined],
    ['', undefined, 1, undefined],
    ['abc', 'z', 1, 'a'],
  ] as const)('of %s, from %s by %i: %s', (letters, from, step, expected) => {
    expect(nextWaiting(cardsOf(letters), from, step)).toBe(expected);
  });

  it.each([
    [0, 100, true, 'all of it'],
    [700, 800, true, 'all of it, at the end'],
    [-10, 90, false, 'the end of it'],
    [750, 850, false, 'the beginning of it'],
    [-200, -100, false, 'nothing of it, above'],
    [900, 1000, false, 'nothing of it, below'],
    [-500, 2000, true, 'the whole screen is full of it'],
    [400, 2000, true, 'half of the screen is full of it'],
    [500, 2000, false, 'less than half of the screen is full of it'],
    [-0.4, 99.6, true, 'all but a fraction of a pixel'],
  ])('from %i to %i of a screen of 800: %s, %s', (top, bottom, expected) => {
    expect(isOnScreen({ top, bottom }, 800)).toBe(expected);
  });
});

const { readers } = realWorld();

describe('what a page begins with', () => {
  it('is a policy that can be kept', async () => {
    const source = { name: 'new', text: policyTemplate, workspace: false };
    const { policies, problems } = await compileSource(source);
    expect(problems).toEqual([]);
    expect(policies).toMatchObject([{ id: 'no_deletes_of_orders', message: 'Nobody deletes orders.' }]);
  });

  const expected: Readonly<Record<Triable, string>> = {
    shell: 'block',
    python: 'block',
    prompt: 'block',
    response: 'pass',
    code: 'block',
    query: 'block',
    fetch: 'block',
  };
  it.each(Object.keys(triable) as Triable[])('is a %s that is judged', async (kind) => {
    const config = configOf(() => settingsFrom({}));
    const decider = createDryDecider({
      config,
      world: { ...stillWorld(), ...(readers === undefined ? {} : { readers }) },
    });
    const sent = triedAction(kind, triable[kind].example, { target: 'shop', language: 'graphql' });
    const action: Action = readAction(sent).action;
    const { decision, findings } = (await decider.decide(action, context)).verdict;
    expect(decision).toBe(expected[kind]);
    expect(findings.map(({ rule }) => rule)).not.toContain('guard_error');
  });
});
