// Tests of the patterns of the shell.

import { describe, expect, it } from 'vitest';
import { matches, quotePattern, readPattern, removeEnd, removeStart, replaceMatches } from './patterns.ts';

describe('matches', () => {
  it.each([
    ['*', '', true],
    ['a*c', 'abbc', true],
    ['a*c', 'abb', false],
    ['r?', 'rm', true],
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', false],
    ['[^a]x', 'bx', true],
    ['[]x]', ']', true],
    ['[[:digit:]]', '7', true],
    ['\\*', '*', true],
    ['\\*', 'a', false],
    ['@(a|bc)d', 'bcd', true],
    ['?(a)b', 'b', true],
    ['*(ab)', 'ababab', true],
    ['+(ab)', '', false],
    ['a[', 'a[', true],
  ])('%s and %s: %s', (pattern, text, expected) => {
    expect(matches(readPattern(pattern), text)).toBe(expected);
  });

  it('takes what was quoted for itself', () => {
    expect(matches(readPattern(quotePattern('a*[b]?(c)')), 'a*[b]?(c)')).toBe(true);
  });

  it('comes to an end on many stars, where trying every way would not', () => {
    expect(matches(readPattern(`${'*a'.repeat(40)}b`), 'a'.repeat(2000))).toBe(false);
  });
});

describe('removal and replacement', () => {
  it.each([
    [removeStart(readPattern('*.'), 'a.b.c', false), 'b.c'],
    [removeStart(readPattern('*.'), 'a.b.c', true), 'c'],
    [removeEnd(readPattern('.*'), 'a.b.c', false), 'a.b'],
    [removeEnd(readPattern('.*'), 'a.b.c', true), 'a'],
    [removeStart(readPattern('x'), 'abc', true), 'abc'],
    [replaceMatches(readPattern('b'), 'abab', 'X', '/'), 'aXab'],
    [replaceMatches(readPattern('b'), 'abab', '', '//'), 'aa'],
    [replaceMatches(readPattern('a'), 'aba', 'X', '/#'), 'Xba'],
    [replaceMatches(readPattern('a'), 'aba', 'X', '/%'), 'abX'],
    [replaceMatches(readPattern('a*'), 'xaby', 'Z', '/'), 'xZ'],
  ])('%s', (found, expected) => {
    expect(found).toBe(expected);
  });
});
