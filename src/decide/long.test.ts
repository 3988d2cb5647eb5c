// Long work takes turns: never two long tasks in one turn of the event loop, and all other work in between.

import { describe, expect, it } from 'vitest';
import { nextTurn, ownTurn, toSend, turnFor } from './long.ts';

describe('a turn', () => {
  it('of its own has no other long work in it, and lets the rest come in between', async () => {
    const done: string[] = [];
    let turn = 0;
    const counting = (async () => {
      for (; turn < 8; turn++) await nextTurn();
    })();
    await Promise.all(
      ['a', 'b', 'c'].map(async (name) => {
        await ownTurn();
        done.push(`${name} in ${turn}`);
      }),
    );
    await counting;
    expect(done.map((line) => line[0])).toEqual(['a', 'b', 'c']);
    expect(new Set(done.map((line) => line.slice(2))).size).toBe(3);
  });

  it('is taken for what is long alone', async () => {
    expect(turnFor(65_536)).toBeUndefined();
    await expect(turnFor(65_537)).resolves.toBeUndefined();
  });
});

describe('a text', () => {
  it('is sent as bytes where it is long, and is the same', () => {
    expect(toSend('short ü')).toBe('short ü');
    const long = 'ü😀'.repeat(40_000);
    expect(Buffer.from(toSend(long)).toString('utf8')).toBe(long);
  });
});
