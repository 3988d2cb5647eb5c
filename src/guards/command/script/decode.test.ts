// The decoders against what the runtime itself says.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  fromBase32,
  fromBase64,
  fromBase85,
  fromHex,
  fromPercent,
  fromUtf8,
  rot13,
  toBase64,
  toHex,
  toPercent,
  toUtf8,
} from './decode.ts';

const bytes = fc.uint8Array({ maxLength: 64 }).map((given) => Buffer.from(given).toString('latin1'));

describe('decoders', () => {
  it('agree with the runtime on base 64 and hex', () => {
    fc.assert(
      fc.property(bytes, (given) => {
        const buffer = Buffer.from(given, 'latin1');
        expect(toBase64(given)).toBe(buffer.toString('base64'));
        expect(fromBase64(buffer.toString('base64'))).toBe(given);
        expect(fromBase64(buffer.toString('base64url'))).toBe(given);
        expect(toHex(given)).toBe(buffer.toString('hex'));
        expect(fromHex(buffer.toString('hex'))).toBe(given);
      }),
    );
  });

  it('take texts to bytes and back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 32 }), (given) => {
        expect(fromUtf8(toUtf8(given))).toBe(given);
        expect(fromPercent(toPercent(given))).toBe(given);
        expect(rot13(rot13(given))).toBe(given);
      }),
    );
  });

  it.each([
    [fromBase32('NBSWY3DP'), 'hello'],
    [fromBase85('Xk~0{Zv', 'rfc1924'), 'hello'],
    [fromBase85('BOu!rDZ', 'ascii'), 'hello'],
    [fromBase64('a*b'), null],
    [fromHex('abc'), null],
    [fromPercent('a+b%20c', true), 'a b c'],
  ])('%j is %j', (decoded, expected) => {
    expect(decoded).toBe(expected);
  });
});
