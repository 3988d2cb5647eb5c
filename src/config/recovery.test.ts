// Recovery codes: the printed code opens one key, in any way of typing it, and no other code does.

import { describe, expect, test } from 'vitest';
import { WrongPassphrase } from './approver.ts';
import { newRecoveryCode, recoveryKey } from './recovery.ts';
import { verifySignature } from './signature.ts';

const code = '0123-4567-89ab-cdef-ghjk-mnpq-rstv-wxyz';

describe('a recovery code', () => {
  test('is another each time, of 160 bits that nobody mistakes for one another', () => {
    const codes = Array.from({ length: 50 }, newRecoveryCode);
    expect(new Set(codes).size).toBe(codes.length);
    for (const one of codes) expect(one).toMatch(/^(?:[0-9a-hjkmnp-tv-z]{4}-){7}[0-9a-hjkmnp-tv-z]{4}$/);
    expect(new Set(codes.map((one) => recoveryKey(one).publicKey)).size).toBe(codes.length);
  });

  test('opens the same key always', () => {
    // A version that derives another key from a code that is on paper would lock its owner out.
    expect(recoveryKey(code).publicKey).toBe(recoveryKey(code).publicKey);
    expect(recoveryKey(code).publicKey).toMatchInlineSnapshot(
      `"7r1cnRJXkGgO-QpS1-D7t4-CSfXA7hxdkHDxSTPm-N4"`,
    );
  });

  test.each([
    ['in capitals', code.toUpperCase()],
    ['without hyphens', code.replaceAll('-', '')],
    ['with blanks', ` ${code.replaceAll('-', '  ')}\n`],
    ['with letters for digits', code.replace('0', 'O').replace('1', 'l')],
    ['with other letters for digits', code.replace('0', 'o').replace('1', 'I')],
  ])('is read %s', (_, typed) => {
    expect(recoveryKey(typed).publicKey).toBe(recoveryKey(code).publicKey);
  });

  test.each([
    ['nothing', ''],
    ['too little', code.slice(1)],
    ['too much', `${code}0`],
    ['a letter that is none of it', code.replace('z', 'u')],
    ['a passphrase', 'correct horse battery'],
  ])('is not %s', (_, typed) => {
    expect(() => recoveryKey(typed)).toThrow(WrongPassphrase);
  });

  test('with one character changed is another key', () => {
    const { publicKey } = recoveryKey(code);
    for (const at of [0, 17, 38]) {
      const changed = [...code].with(at, code[at] === '5' ? '6' : '5').join('');
      expect(recoveryKey(changed).publicKey).not.toBe(publicKey);
    }
  });

  test('signs until it is forgotten', () => {
    const signer = recoveryKey(code);
    const signature = signer.sign(['test.v1', 1]);
    expect(verifySignature(signer.publicKey, ['test.v1', 1], signature)).toBe(true);
    signer.forget();
    expect(() => signer.sign(['test.v1', 1])).toThrow('closed');
  });
});
