// Showing text safely, and finding the nearest word.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nearest, visible } from './text.ts';

describe('visible', () => {
  test.each([
    ['plain', 'plain'],
    ['Grüße 😀', 'Grüße 😀'],
    ['a\nb\tc', 'a\\nb\\tc'],
    ['a\rb', 'a\\u{d}b'],
    ['\u001b[31mred', '\\u{1b}[31mred'],
    ['a\u202eb', 'a\\u{202e}b'],
    ['a\u2066b\u2069', 'a\\u{2066}b\\u{2069}'],
    ['zero\u200bwidth', 'zero\\u{200b}width'],
    ['tag\u{e0041}', 'tag\\u{e0041}'],
    ['\u2028', '\\u{2028}'],
    ['a\ud800', 'a\\u{d800}'],
    ['\u3164', '\\u{3164}'],
  ])('shows %j as %s', (text, expected) => {
    expect(visible(text)).toBe(expected);
  });

  test('cuts a long text and says how much is left', () => {
    expect(visible('abcdef', 4)).toBe('abcd… (2 more)');
    expect(visible('abcd', 4)).toBe('abcd');
  });

  test('never cuts a character in half', () => {
    expect(visible('ab😀cd', 3)).toBe('ab… (4 more)');
  });

  test('leaves no control, format or bidi character, and is well-formed', () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
        fc.constantFrom(
          '\u202e',
          '\u0000',
          '\u200f',
          '\u2066',
          '\ufeff',
          '\u007f',
          '\ud800',
          '\udc00',
          '\u061c',
        ),
      ),
    });
    fc.assert(
      fc.property(text, fc.oneof(fc.nat(20), fc.constant(Number.POSITIVE_INFINITY)), (value, limit) => {
        const shown = visible(value, limit);
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Bidi_Control}\p{Cs}\p{Zl}\p{Zp}]/u);
        expect(shown.isWellFormed()).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('nearest', () => {
  test.each<[string, readonly string[], string | undefined]>([
    ['prot', ['port', 'body_limit_bytes'], 'port'],
    ['PORT', ['port'], 'port'],
    ['timeout', ['timeout_ms', 'max_redirects'], undefined],
    ['timeout_m', ['timeout_ms', 'max_redirects'], 'timeout_ms'],
    ['egress_alowlist', ['egress_allowlist', 'mode'], 'egress_allowlist'],
    ['shel', ['shell', 'python'], 'shell'],
    ['xyz', ['port', 'mode'], undefined],
    ['', ['port'], undefined],
    ['a', [], undefined],
  ])('of %j among %j is %s', (word, candidates, expected) => {
    expect(nearest(word, candidates)).toBe(expected);
  });

  test('of a known word is the word itself', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1 }), (words) => {
        for (const word of words) expect(nearest(word, words)).toBe(word);
      }),
    );
  });

  test('finds a word with two neighbours swapped', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{3,12}$/), fc.nat(), (word, seed) => {
        const at = seed % (word.length - 1);
        const swapped = word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2);
        expect(nearest(swapped, [word])).toBe(word);
      }),
    );
  });
});
