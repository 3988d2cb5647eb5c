// Rules made ready to run together: one automaton over all their words, patterns compiled when first needed.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { buildAutomaton, resolveState } from './ruleset.ts';

it('finds every occurrence of every word, in any case', () => {
  const word = fc.stringMatching(/^[abc_]{1,4}$/);
  fc.assert(
    fc.property(
      fc.uniqueArray(word, { maxLength: 8 }),
      fc.stringMatching(/^[abcABC_é]{0,30}$/),
      (words, text) => {
        const automaton = buildAutomaton(words, () => 1);
        const { classes, next, shift, firstEnd, unknown, ends, depth, marks } = automaton;
        const found: string[] = [];
        let state = 0;
        for (let index = 0; index < text.length; index++) {
          const unit = classes[text.charCodeAt(index)] ?? 0;
          const before = state;
          state = next[(before << shift) | unit] ?? 0;
          if (state === unknown) state = resolveState(automaton, before, unit);
          if (state >= firstEnd) {
            for (const number of ends[state - firstEnd] ?? []) found.push(`${words[number]} ${index + 1}`);
          }
          // The state knows the longest end of the text that begins a word.
          const folded = text.slice(0, index + 1).toLowerCase();
          const longest = Math.max(
            0,
            ...words.flatMap((one) =>
              Array.from({ length: one.length }, (_, length) => length + 1).filter((length) =>
                folded.endsWith(one.slice(0, length)),
              ),
            ),
          );
          expect(depth[state]).toBe(longest);
          expect(marks[state]).toBe(
            words.some((one) => one.length > longest && folded.endsWith(one.slice(0, longest))) ? 1 : 0,
          );
        }
        const expected = words.flatMap((one) =>
          Array.from({ length: text.length }, (_, at) => at + 1)
            .filter((end) => text.slice(0, end).toLowerCase().endsWith(one))
            .map((end) => `${one} ${end}`),
        );
        expect(found.sort()).toEqual(expected.sort());
      },
    ),
    { numRuns: 1000 },
  );
});
