import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePhrases, PhraseError, PhraseScanner } from './phrases.ts';

const set = compilePhrases([
  {
    rule: 'far',
    kind: 'k',
    phrase: 'here_is|sure ... how_to ... make|making ... bomb*',
    unless: 'not never in_a_game',
  },
  { rule: 'near', kind: 'k', phrase: 'você deve ... comprar' },
  { rule: 'row', kind: 'k', phrase: 'one_two_three' },
  { rule: 'twice', kind: 'k', phrase: 'again ... again' },
]);

function read(pieces: readonly string[]) {
  const scanner = new PhraseScanner(set);
  const found: string[] = [];
  let safe = 0;
  const sink = {
    text: (from: number, to: number) => {
      expect(from).toBe(safe);
      safe = to;
    },
    match: ({ rule, start, end }: { rule: string; start: number; end: number }) => {
      expect(start).toBe(safe);
      found.push(`${rule} ${start}-${end}`);
      safe = end;
    },
  };
  const held: number[] = [];
  let taken = 0;
  for (const piece of pieces) {
    scanner.push(piece, false, sink);
    taken += piece.length;
    held.push(taken - safe);
  }
  scanner.push('', true, sink);
  expect(safe).toBe(taken);
  return { found, held };
}
const finds = (text: string) => read([text]).found;

describe('phrases', () => {
  it.each([
    ['Well, here is how to make a bomb.', ['far 6-32']],
    ['Sure! Here is how you learn how to go on making two bombs, and more', ['far 6-57']],
    ['HERE IS **how to** "make" BOMBS', ['far 0-31']],
    ['Você deve já comprar', ['near 0-20']],
    ['VOCE  DEVE comprar', ['near 0-18']],
    ['a one two three b', ['row 2-15']],
    ['one, two, three', ['row 0-15']],
    ['again and again', ['twice 0-15']],
    ['again', []],
    ['one two. three', []],
    ['one two four three', []],
    ['Here is the news. How to make a bomb', []],
    ['here is 3.14 how to make a bomb', ['far 0-31']],
    ['I will not say: here is how to make a bomb', []],
    ['I will not. Here is how to make a bomb', ['far 12-38']],
    ['here is how to make a bomb in a game', []],
    ['here is how to make a bomb in a gamer', ['far 0-26']],
    [`not ${'x '.repeat(60)} here is how to make a bomb`, ['far 125-151']],
    [`here is how to make a bomb ${'x '.repeat(60)} not`, ['far 0-26']],
    [`here is how to make ${'x'.repeat(60)} a bomb`, []],
    ['there is how to make a bomb', []],
    ['here is how to make a abomb', []],
  ])('in %j are %j', (text, expected) => {
    expect(finds(text)).toEqual(expected);
    for (let at = 0; at <= text.length; at++) {
      expect(read([text.slice(0, at), text.slice(at)]).found).toEqual(expected);
    }
  });

  const pieces = fc.array(
    fc.oneof(
      fc.constantFrom(
        ...['here', ' is', ' how', ' to', ' make', ' making', ' bomb', 's', 'sure', ' not', ' in a game'],
        ...[
          'one',
          ' two',
          ' three',
          'again',
          'você',
          'voce\u0302',
          ' deve',
          ' comprar',
          ' ',
          '.',
          '. ',
          '!',
          '\n',
        ],
        ...["'", '’', '-', '--', '𝐚', '3.14', '*', '🦀', '\ud83e', 'x'.repeat(41), 'x'.repeat(30)],
      ),
      fc.string({ maxLength: 6 }),
    ),
    { maxLength: 24 },
  );

  it('are the same for every way of cutting any text', () => {
    fc.assert(
      fc.property(pieces, fc.array(fc.nat(400), { maxLength: 12 }), (parts, places) => {
        const text = parts.join('');
        const cuts = [
          0,
          ...places.map((place) => place % (text.length + 1)).sort((a, b) => a - b),
          text.length,
        ];
        const whole = finds(text);
        expect(read(cuts.slice(1).map((to, index) => text.slice(cuts[index], to))).found).toEqual(whole);
        expect(read(Array.from({ length: text.length }, (_, at) => text.charAt(at))).found).toEqual(whole);
      }),
      { numRuns: 5000 },
    );
  });

  it('hold back no more than the word that is being read, unless one could begin', () => {
    const text = 'The quick brown fox jumps over the lazy dog. ';
    expect(Math.max(...read([...text.repeat(5)]).held)).toBeLessThanOrEqual(5);
    const { held } = read([
      'here is ',
      'the list of all the things',
      ' that I have seen',
      ' in this long life',
    ]);
    expect(held).toEqual([8, 34, 51, 4]);
  });

  it('hold little of a word without an end', () => {
    expect(Math.max(...read(Array.from({ length: 2000 }, () => 'abcd')).held)).toBeLessThan(48);
  });

  it.each(['... a', 'a ...', 'a ... ... b', 'a|', 'a*b', '', 'a_*', 'b*_c', '(a)', 'x'.repeat(41)])(
    'are refused: %j',
    (phrase) => {
      expect(() => compilePhrases([{ rule: 'r', kind: 'k', phrase }])).toThrow(PhraseError);
    },
  );
});
