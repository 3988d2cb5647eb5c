// What is sealed comes back for its own row alone, whether it was compressed or not.

import { describe, expect, it } from 'vitest';
import { seal, sealLong, unseal } from './seal.ts';
import { StoreDamaged } from './store.ts';

const key = Buffer.alloc(32, 1);
const short = { text: 'x' };
const long = { text: 'A line that comes again and again.\n'.repeat(5000) };

describe('a sealed value', () => {
  it.each([
    ['short', short],
    ['long', long],
  ])('comes back, %s', async (_, value) => {
    // Stores of older versions hold long values as `seal` makes them.
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
