import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lineDiff } from './diff.ts';

it.each([
  ['', '', []],
  ['a\n', 'a\n', []],
  ['', 'a\nb\n', ['+ a', '+ b']],
  ['a\nb\n', '', ['- a', '- b']],
  ['1\n2\n3\n4\n5\n6\n7\n', '1\n2\n3\nx\n5\n6\n7\n', ['  2', '  3', '- 4', '+ x', '  5', '  6', '  …']],
  ['a\nb\nc\n', 'a\nB\nb\nC\nc\n', ['  a', '+ B', '  b', '+ C', '  c']],
])('%j to %j', (before, after, expected) => {
  expect(lineDiff(before, after)).toEqual(expected);
});

it('has every line that goes and every line that comes, and no other', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 });
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const count = (list: readonly string[], line: string) => list.filter((one) => one === line).length;
      const diff = lineDiff(`${before.join('\n')}\n`, `${after.join('\n')}\n`);
      for (const line of ['a', 'b', 'c', 'd']) {
        const moved = count(diff, `+ ${line}`) - count(diff, `- ${line}`);
        expect(moved).toBe(count(after, line) - count(before, line));
      }
    }),
  );
});
