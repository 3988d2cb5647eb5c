// Showing text safely, and finding the nearest word.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nearest, shownWhole, visible } from './text.ts';

describe('a text that is shown whole', () => {
  test.each([
    ['a\nb', 'a\nb'],
    [`a${' '.repeat(6000)}; b`, 'a⟨6,000 blanks⟩; b'],
    [`a${'\u00a0 \t'.repeat(1000)}b`, 'a⟨3,000 blanks⟩b'],
    [`a${'\n'.repeat(300)}b`, 'a\n⟨300 line breaks⟩\nb'],
    [`a${'\n   '.repeat(300)}b`, 'a\n⟨300 line breaks, 897 blanks⟩\n   b'],
    [`a${'\u200b'.repeat(1200)}b`, 'a⟨1,200 × \\u{200b}⟩b'],
    [`a${'\r'.repeat(9)}b`, 'a⟨9 × \\u{d}⟩b'],
    ['a\n\n\nb', 'a\n\n\nb'],
    [`if x:\n${' '.repeat(40)}y`, `if x:\n${' '.repeat(40)}y`],
    ['a ⟨300 line breaks⟩ b', 'a \\u{27e8}300 line breaks\\u{27e9} b'],
    ['# Привет\n# хор', '# Привет\n# хор'],
    ['\u0440\u0443\nls', '\\u{440}\\u{443}\nls'],
  ])('%j', (text, expected) => {
    expect(shownWhole(text)).toBe(expected);
  });

  // Sixteen times the text takes about sixteen times the work; were it quadratic, it would take 256 times.
  test.each([' ', '\n', '\n ', '\t\n', '\u200b', 'а', 'a\u0430 '])(
    'is read in time that grows with its length: %j',
    (part) => {
      const work = (count: number) => {
        const before = process.threadCpuUsage();
        shownWhole(`${part.repeat(count)}x`);
        const { user, system } = process.threadCpuUsage(before);
        return user + system;
      };
      const least = (count: number) => Math.min(...Array.from({ length: 3 }, () => work(count)));
      least(1000);
      expect(least(160_000)).toBeLessThan(100 * Math.max(least(10_000), 2000));
    },
  );
});

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
    ['frobnic\u0430te', 'frobnic\\u{430}te'],
    ['p\u0430ypal.com', 'p\\u{430}ypal.com'],
    ['\u0440\u0443', '\\u{440}\\u{443}'],
    ['\u039d\u039f', '\\u{39d}\\u{39f}'],
    ['\uff52m \u{1d42b}', '\\u{ff52}m \\u{1d42b}'],
    ['a.example\u2215b', 'a.example\\u{2215}b'],
    ['a\u00a0b\u2800c\u034f', 'a\\u{a0}b\\u{2800}c\\u{34f}'],
    ['x\ufe0f \u{e0100}', 'x\\u{fe0f} \\u{e0100}'],
    // As people write it.
    ['Привет, хор!', 'Привет, хор!'],
    ['файл.txt', 'файл.txt'],
    ['Tシャツ 東京 café naïve', 'Tシャツ 東京 café naïve'],
    ['❤️ 1️⃣', '❤️ 1️⃣'],
    ['α = 0.5 µm', 'α = 0.5 µm'],
    ['Καλημέρα ΝΟ', 'Καλημέρα ΝΟ'],
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
