// The linear engine says what the language's own says, never takes long, and refuses what it cannot run.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { automatonOf, beginsWith, meet } from './linear.ts';
import { parsePattern } from './pattern.ts';

const compile = (pattern: string, most = 2000) => automatonOf(parsePattern(pattern), most);
const free = () => undefined;

const piece = fc.constantFrom(
  ...['a', 'b', '.', '[ab]', '[^a]', '(?:ab)', '(a|b)', '(?:a|ab)', '\\b', '^', '$', ' ', '\\w', '\\S'],
);
const repetition = fc.constantFrom('', '', '*', '+', '?', '{2}', '{0,2}', '{1,}');
const pattern = fc
  .array(fc.tuple(piece, repetition), { minLength: 1, maxLength: 6 })
  .map((parts) =>
    parts.map(([text, times]) => (/^(?:\\b|\^|\$)$/.test(text) ? text : text + times)).join(''),
  );
const words = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '-'), maxLength: 12 });

describe('beginsWith', () => {
  it("agrees with the language's own engine", () => {
    fc.assert(
      fc.property(pattern, words, (source, text) => {
        expect(beginsWith(compile(source), text, free)).toBe(new RegExp(`^(?:${source})`).test(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('takes steps linear in the text, however the pattern repeats', () => {
    const cost = (length: number): number => {
      let steps = 0;
      beginsWith(compile('(?:a|a|aa)*(?:a+)+(?:a*)*b'), 'a'.repeat(length), (spent) => {
        steps += spent;
      });
      return steps;
    };
    expect(cost(20_000)).toBeLessThan(cost(10_000) * 2.1);
    expect(cost(10_000)).toBeGreaterThan(10);
  });

  it.each([
    ['a(?=b)', 'looks ahead'],
    ['(?<!a)b', 'looks ahead'],
    ['(?:a{1000}){1000}', 'too large'],
  ])('refuses %s', (source, why) => {
    expect(() => compile(source)).toThrow(why);
  });
});

describe('meet', () => {
  it.each([
    ['a*', 'aab*', true],
    ['/w/src/.*', '/w/[^/]*/keep', true],
    ['/w/src/[^/]*', '/w/src/a/b', false],
    ['ab', 'a', false],
    ['.*', 'x', true],
    ['', '', true],
  ])('%s and %s: %s', (one, other, expected) => {
    expect(meet(compile(one), compile(other), free)).toBe(expected);
    expect(meet(compile(other), compile(one), free)).toBe(expected);
  });

  it('finds every text that a pattern describes', () => {
    const literal = (text: string) => ({
      type: 'sequence' as const,
      items: [...text].map((unit) => {
        const code = unit.charCodeAt(0);
        return { type: 'unit' as const, units: [[code, code] as const] };
      }),
    });
    fc.assert(
      fc.property(pattern, words, (source, text) => {
        fc.pre(!/[$^]|\\b/.test(source));
        const expected = new RegExp(`^(?:${source})$`).test(text);
        expect(meet(compile(source), automatonOf(literal(text), 100), free)).toBe(expected);
      }),
    );
  });
});
