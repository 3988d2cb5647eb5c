// Facts are kept once, whether or not they share a key.

import { describe, expect, it } from 'vitest';
import { Once } from './once.ts';

describe('Once', () => {
  it('takes a fact for new until it is met again, key by key', () => {
    const once = new Once();
    const told = [
      once.isNew('a', { path: '/x' }),
      once.isNew('a', { path: '/y' }),
      once.isNew('a', { path: '/x' }),
      once.isNew('a', { path: '/y' }),
      once.isNew('b', { path: '/x' }),
    ];
    expect(told).toEqual([true, true, false, false, true]);
  });
});
