// Entries against plain maps: a copy keeps what it had whatever becomes of the other, and a join asks where they differ.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Entries } from './entries.ts';

interface Held {
  readonly name: string;
}

const keys = fc.oneof(fc.nat(70), fc.nat(2 ** 30 - 1), fc.constantFrom(31, 32, 1023, 1024, 2 ** 25));
const steps = fc.array(
  fc.record({ copy: fc.nat(3), key: keys, does: fc.constantFrom('set', 'delete', 'clone', 'join') }),
  { maxLength: 60 },
);

const plain = (entries: Entries<Held>) => new Map([...entries]);

it('holds what plain maps hold, however copies are changed and joined', () => {
  fc.assert(
    fc.property(steps, (listed) => {
      const copies = [{ entries: new Entries<Held>(), map: new Map<number, Held>() }];
      for (const [number, { copy, key, does }] of listed.entries()) {
        const at = copies[copy % copies.length];
        const other = copies[(copy + 1) % copies.length];
        if (at === undefined || other === undefined) continue;
        if (does === 'set') {
          const held = { name: String(number) };
          at.entries.set(key, held);
          at.map.set(key, held);
        } else if (does === 'delete') {
          at.entries.delete(key);
          at.map.delete(key);
        } else if (does === 'clone') {
          copies.push({ entries: at.entries.clone(), map: new Map(at.map) });
        } else {
          copies.push({
            entries: Entries.join(at.entries, other.entries, (a, b) => a ?? b),
            map: new Map([...other.map, ...at.map]),
          });
        }
      }
      for (const { entries, map } of copies) {
        expect(plain(entries)).toEqual(map);
        for (const [key, held] of map) expect(entries.get(key)).toBe(held);
      }
    }),
  );
});

it('asks only where two differ', () => {
  const first = new Entries<Held>();
  for (let key = 0; key < 2000; key++) first.set(key, { name: String(key) });
  const second = first.clone();
  second.set(1500, { name: 'new' });
  const asked: (string | undefined)[] = [];
  Entries.join(first, second, (a, b) => {
    asked.push(a?.name, b?.name);
    return b;
  });
  expect(asked).toEqual(['1500', 'new']);
});
