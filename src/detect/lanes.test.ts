import { expect, it } from 'vitest';
import { randomFrom } from './examples.ts';
import { readLanes } from './lanes.ts';
import { buildAutomaton, resolveState } from './ruleset.ts';

it('meets the same ends, in the same order, as one unit after the other', () => {
  const words = ['ab', 'abc', 'bca', 'cabcab', 'é', 'aaaaaaaa'];
  const automaton = buildAutomaton(words, () => 0);
  const { classes, next, shift, firstEnd, unknown } = automaton;
  const random = randomFrom('lanes');
  for (const length of [0, 1, 100, 1023, 1024, 1025, 1030, 5000, 32_768, 32_771, 100_003]) {
    const text = Array.from({ length }, () => 'abcABé🦀'[Math.floor(random() * 8)]).join('');
    for (const from of [0, 3]) {
      const expected: string[] = [];
      let state = 0;
      for (let index = from; index < text.length; index++) {
        const unit = classes[text.charCodeAt(index)] ?? 0;
        const before = state;
        state = next[(before << shift) | unit] ?? 0;
        if (state === unknown) state = resolveState(automaton, before, unit);
        if (state >= firstEnd) expected.push(`${state} ${index + 1}`);
      }
      const found: string[] = [];
      const { at, state: reached } = readLanes(automaton, text, from, 0, (ended, end) =>
        found.push(`${ended} ${end}`),
      );
      expect(text.length - at).toBeLessThan(1024);
      expect(found).toEqual(expected.filter((one) => Number(one.split(' ')[1]) <= at));
      if (at === text.length) expect(reached).toBe(state);
    }
  }
});
