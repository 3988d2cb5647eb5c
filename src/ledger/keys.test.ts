// The keys that open stores, and the name of a chain.

import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../tests/support/ledger.ts';
import { chainIn, KeyError, operatorKeyFrom, operatorKeyIn } from './index.ts';
import { seal, sealLong, unseal } from './keys.ts';
import { StoreDamaged } from './store.ts';

describe("the operator's key", () => {
  it('is made once and is the same for everybody who opens it', () => {
    const folder = temporaryFolder();
    const key = operatorKeyIn(folder);
    expect(key).toHaveLength(32);
    expect(operatorKeyIn(folder)).toEqual(key);
    expect(operatorKeyIn(temporaryFolder())).not.toEqual(key);
    expect(statSync(join(folder, 'ledger.key')).mode & 0o077).toBe(0);
  });

  it('makes the folder that it lies in, for its owner alone', () => {
    const folder = join(temporaryFolder(), 'keys');
    expect(operatorKeyIn(folder)).toHaveLength(32);
    expect(statSync(folder).mode & 0o077).toBe(0);
  });

  it.each([
    ['that others may read', (file: string) => chmodSync(file, 0o644)],
    ['that was cut', (file: string) => writeFileSync(file, 'abcd')],
    ['that is empty', (file: string) => writeFileSync(file, '')],
    ['that is not hex', (file: string) => writeFileSync(file, 'z'.repeat(64))],
    ['that is too long', (file: string) => writeFileSync(file, 'ab'.repeat(33))],
    ['that ends in something else', (file: string) => writeFileSync(file, `${'ab'.repeat(32)}zz`)],
  ])('refuses a file %s', (_, spoil) => {
    const folder = temporaryFolder();
    operatorKeyIn(folder);
    spoil(join(folder, 'ledger.key'));
    expect(() => operatorKeyIn(folder)).toThrow(KeyError);
  });

  it('comes from the configuration as 64 hexadecimal digits and nothing else', () => {
    expect(operatorKeyFrom('ab'.repeat(32))).toEqual(Buffer.alloc(32, 0xab));
    expect(operatorKeyFrom('AB'.repeat(32))).toEqual(Buffer.alloc(32, 0xab));
    for (const wrong of [
      '',
      'ab',
      'zz'.repeat(32),
      'ab'.repeat(33),
      ` ${'ab'.repeat(32)}`,
      `${'ab'.repeat(32)}\n`,
    ]) {
      expect(() => operatorKeyFrom(wrong)).toThrow(KeyError);
    }
  });
});

describe('the name of a chain', () => {
  it('is made once for a home and is another for another', () => {
    const folder = temporaryFolder();
    expect(chainIn(folder)).toMatch(/^[0-9a-f]{16}$/);
    expect(chainIn(folder)).toBe(chainIn(folder));
    expect(chainIn(temporaryFolder())).not.toBe(chainIn(folder));
    expect(Buffer.from(operatorKeyIn(folder)).toString('hex')).not.toContain(chainIn(folder));
  });
});

describe('seal', () => {
  // Sealed data opens for its own row alone, whether it was compressed or not.
  const key = Buffer.alloc(32, 1);
  const short = { text: 'x' };
  const long = { text: 'A line that comes again and again.\n'.repeat(5000) };

  describe('a sealed value', () => {
    it.each([
      ['short', short],
      ['long', long],
    ])('comes back, %s', async (_, value) => {
      // Stores of older versions contain long values as `seal` encodes them.
      for (const sealed of [seal(key, 'row', value), await sealLong(key, 'row', value)]) {
        expect(unseal(key, 'row', sealed)).toEqual(value);
        expect(() => unseal(key, 'another row', sealed)).toThrow(StoreDamaged);
        expect(() => unseal(key, 'row', sealed.with(30, (sealed[30] ?? 0) ^ 1))).toThrow(StoreDamaged);
      }
    });

    it('takes little space where it is long', async () => {
      expect((await sealLong(key, 'row', long)).length).toBeLessThan(seal(key, 'row', long).length / 10);
      expect((await sealLong(key, 'row', short)).length).toBe(seal(key, 'row', short).length);
    });
  });
});
