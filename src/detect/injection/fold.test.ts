// Folding: what a text is read as, and where each place came from.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold } from './fold.ts';

describe('fold', () => {
  it.each([
    ['plain', 'plain'],
    ['instruções', 'instrucoes'],
    ['instruc\u0327o\u0303es', 'instrucoes'],
    ['іgnоrе', 'ignore'],
    ['ｉｇｎｏｒｅ', 'ignore'],
    ['𝐢𝐠𝐧𝐨𝐫𝐞', 'ignore'],
    ['i\u200bg\u2060n\u00adore', 'ignore'],
    ['ⓘgnore', 'ignore'],
    ['Straße', 'Strasse'],
    ['“a” – ‘b’', `"a" - 'b'`],
    ['日本', '日本'],
  ])('%j reads %j', (source, text) => {
    expect(fold(source).text).toBe(text);
  });

  it('gives the source span of a word among unseen characters', () => {
    const source = 'é\u200b𝐢\u200b𝐠 x';
    const folded = fold(source);
    expect(folded.text).toBe('eig x');
    expect(folded.spanOf(1, 3)).toEqual([2, 7]);
    expect(folded.spanOf(4, 5)).toEqual([8, 9]);
  });

  it('keeps spans inside the source and in order', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (source) => {
        const { text, spanOf } = fold(source);
        let last = 0;
        for (let index = 0; index < text.length; index++) {
          const [start, end] = spanOf(index, index + 1);
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeLessThanOrEqual(source.length);
          last = start;
        }
      }),
    );
  });
});
