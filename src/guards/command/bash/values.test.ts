// Tests of texts that are known in part.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  concat,
  either,
  hole,
  knownText,
  mapText,
  maxAlternatives,
  maxTextLength,
  oneOf,
  onlyText,
  textOf,
  toValue,
  unknownText,
} from './values.ts';

describe('a text in the vocabulary of effects', () => {
  it.each([
    [knownText('a'), { kind: 'literal', text: 'a' }],
    [oneOf(['a', 'b']), { kind: 'choice', texts: ['a', 'b'] }],
    [oneOf(['a', 'a']), { kind: 'literal', text: 'a' }],
    [concat(knownText('a'), unknownText()), { kind: 'prefix', text: 'a' }],
    [unknownText(), { kind: 'unknown' }],
    [concat(unknownText(), knownText('a')), { kind: 'unknown' }],
    [oneOf([`ab${hole}`, 'ac']), { kind: 'prefix', text: 'a' }],
    [oneOf([`b${hole}`, 'ac']), { kind: 'unknown' }],
    [concat(oneOf(['a', 'b']), oneOf(['c', 'd'])), { kind: 'choice', texts: ['ac', 'ad', 'bc', 'bd'] }],
    [oneOf(Array.from({ length: 17 }, (_, index) => `x${index}`)), { kind: 'prefix', text: 'x' }],
  ])('%j', (text, value) => {
    expect(toValue(text)).toEqual(value);
  });
});

describe('invariants', () => {
  const part = fc.string({ maxLength: 4 });
  const text = fc.uniqueArray(part, { minLength: 1, maxLength: 20 }).map((parts) => oneOf(parts));

  it('there are never too many alternatives', () => {
    fc.assert(
      fc.property(text, text, (left, right) => {
        expect(concat(left, right).alternatives.length).toBeLessThanOrEqual(maxAlternatives);
        expect(either(left, right).alternatives.length).toBeLessThanOrEqual(maxAlternatives);
      }),
    );
  });

  it('texts do not grow without bound', () => {
    let grown = knownText('ab');
    for (let round = 0; round < 40; round++) grown = concat(grown, grown);
    expect(grown.alternatives[0]?.length).toBeLessThanOrEqual(maxTextLength);
    expect(onlyText(grown)).toBeNull();
  });

  it('a value is the same again as a text', () => {
    fc.assert(
      fc.property(text, (given) => {
        expect(toValue(textOf(toValue(given)))).toEqual(toValue(given));
      }),
    );
  });

  it('origins are kept', () => {
    const secret = knownText('a', ['secret']);
    expect(concat(secret, knownText('b', ['network'])).origins).toEqual(['secret', 'network']);
    expect(mapText(secret, () => null).origins).toEqual(['secret']);
    expect(either(secret, knownText('b')).origins).toEqual(['secret']);
  });
});
