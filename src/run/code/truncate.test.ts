// Invariants of cutting: the result is JSON, fits, and is the value itself where that fits.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { truncateJson } from './truncate.ts';

it.each([
  ['"abcdef"', 100, '"abcdef"', false],
  [JSON.stringify('x'.repeat(200)), 100, /^"x+… \(\d+ more characters\)"$/, true],
  [JSON.stringify(Array.from({ length: 100 }, (_, n) => n)), 60, /^\[0,1,.*"… \(\d+ more items\)"\]$/, true],
  [JSON.stringify({ a: 'x'.repeat(50), b: 'y'.repeat(50) }), 90, /"a":.*more/, true],
  ['[1,2,3]', 2, 'null', true],
])('%s in %i characters', (json, max, expected, truncated) => {
  const cut = truncateJson(json, max);
  if (typeof expected === 'string') expect(cut.json).toBe(expected);
  else expect(cut.json).toMatch(expected);
  expect(cut.truncated).toBe(truncated);
});

it('keeps what nests too deeply out', () => {
  const json = `${'['.repeat(5000)}${'"x"'.repeat(1)}${']'.repeat(5000)}`;
  expect(truncateJson(json, 1000)).toMatchObject({
    truncated: true,
    json: expect.stringContaining('too deeply'),
  });
});

it('gives JSON that fits, whatever it is given', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 4, max: 300 }), (value, max) => {
      const json = JSON.stringify(value);
      const cut = truncateJson(json, max);
      expect(cut.json.length).toBeLessThanOrEqual(max);
      expect(() => JSON.parse(cut.json)).not.toThrow();
      expect(cut.truncated).toBe(json.length > max);
      if (!cut.truncated) expect(cut.json).toBe(json);
    }),
  );
});
