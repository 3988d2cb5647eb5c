import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oneOf } from '../../tests/support/share.ts';
import { itemsOf, lengthOf, PatternError, parsePattern, writePartial, writePattern } from './pattern.ts';

const plain = { catches: () => false };

describe('a pattern', () => {
  it.each([
    ['abc', 'xabcx', 'abc'],
    ['(?i)abc', 'xAbCx', 'AbC'],
    ['(?i:a)b', 'Ab', 'Ab'],
    ['(?i)a(?-i:b)c', 'AbC', 'AbC'],
    ['a(?i)b', 'aB', 'aB'],
    [String.raw`\d{2,3}`, 'a1234', '123'],
    ['[[:alpha:]]+', '12ab3', 'ab'],
    ['[^[:space:]]+', ' ab ', 'ab'],
    ['(?P<x>a)|b', 'b', 'b'],
    [String.raw`\x41\x{42}\u0043`, 'ABC', 'ABC'],
    [String.raw`\Aa\z`, 'a', 'a'],
    ['(?m)^b$', 'a\nb\nc', 'b'],
    ['(?s)a.b', 'a\nb', 'a\nb'],
    ['a{2}?b*?c+?', 'aacc', 'aac'],
    [String.raw`[a\-z]+`, 'b-a', '-a'],
    ['[]a]+', 'b]a', ']a'],
    [String.raw`[\w.-]+`, ' a.b-c ', 'a.b-c'],
    ['a(?=b)(?!c)', 'ab', 'a'],
    ['(?<=x)a(?<!b)', 'xa', 'a'],
    [String.raw`\s\S\D\W`, ' a-!', ' a-!'],
  ])('%s finds in %j', (source, text, found) => {
    const written = writePattern(parsePattern(source), plain);
    expect(new RegExp(written).exec(text)?.[0]).toBe(found);
  });

  it.each([
    ['a**b', null],
    ['(?<n>a', 'not closed'],
    ['a)', 'not opened'],
    ['[a', 'not closed'],
    ['*a', 'nothing to repeat'],
    [String.raw`\p{L}`, 'not supported'],
    [String.raw`(a)\1`, 'not supported'],
    ['a{3,2}', 'ends before'],
    ['[z-a]', 'ends before'],
    ['(?U)a', 'flag U'],
    ['a++', 'possessive'],
    ['(?>a)', 'not supported'],
    [`${'('.repeat(60)}a${')'.repeat(60)}`, 'too deeply'],
    ['a\\', 'ends in a backslash'],
    [String.raw`[\b]`, 'not supported'],
    [String.raw`\b{2}`, 'cannot be repeated'],
    ['[😀]', 'beyond'],
  ])('%s is refused with a reason, or read', (source, reason) => {
    if (reason === null) expect(() => parsePattern(source)).not.toThrow();
    else {
      expect(() => parsePattern(source)).toThrow(PatternError);
      expect(() => parsePattern(source)).toThrow(reason);
    }
  });

  it('knows how long its matches are', () => {
    expect(lengthOf(parsePattern(String.raw`a{2,3}(?:bc|d)?\b(?=xx)`))).toEqual({ min: 2, max: 5 });
    expect(lengthOf(parsePattern('a+')).max).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('the partial pattern', () => {
  /** Small patterns over a small alphabet, so that random texts meet them. */
  const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
    pattern: fc.array(tie('part'), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
    part: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(
        'a',
        'b',
        'c',
        '[ab]',
        '[^a]',
        String.raw`\b`,
        '$',
        '(?=b)',
        '(?!ab)',
        '(?<!a)',
        '(?<=b)',
      ),
      fc
        .tuple(
          fc.constantFrom('a', 'b', '[bc]', 'ab', 'c'),
          fc.constantFrom('?', '*', '+', '{2}', '{1,3}', '*?', '{0,2}?'),
        )
        .map(([body, count]) => `(?:${body})${count}`),
      fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(?:${a}|${b})`),
      fc.tuple(tie('pattern'), fc.constantFrom('?', '{1,2}')).map(([a, count]) => `(?:(?:${a})b)${count}`),
    ),
  }));

  it('fails only where no longer text changes the outcome', () => {
    fc.assert(
      fc.property(
        pattern,
        fc.stringMatching(/^[abc ]{0,8}$/),
        fc.stringMatching(/^[abc ]{0,6}$/),
        (source, text, more) => {
          const tree = parsePattern(source);
          const full = new RegExp(writePattern(tree, plain), 'y');
          const partial = new RegExp(writePartial(itemsOf(tree), { ...plain, lazy: true }), 'y');
          if (partial.test(text)) return;
          full.lastIndex = 0;
          const now = full.exec(text)?.[0];
          full.lastIndex = 0;
          expect(full.exec(text + more)?.[0]).toBe(now);
        },
      ),
      { numRuns: 4000 / oneOf(4) },
    );
  });
});
