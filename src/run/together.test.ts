import { describe, expect, it } from 'vitest';
import { together } from './together.ts';

describe('together', () => {
  it('lets all who wait in one turn take each step beside one another', async () => {
    const steps: string[] = [];
    const work = async (name: string) => {
      await together();
      steps.push(`${name}1`);
      await undefined;
      steps.push(`${name}2`);
    };
    await Promise.all([work('a'), work('b'), work('c')]);
    expect(steps).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2']);
  });

  it('does not hold the next turn with those who wait in this one', async () => {
    const first = together();
    expect(together()).toBe(first);
    await first;
    const second = together();
    expect(second).not.toBe(first);
    await expect(second).resolves.toBeUndefined();
  });

  it('goes on after what the turn had still to read', async () => {
    const order: string[] = [];
    const gate = together().then(() => order.push('gate'));
    process.nextTick(() => order.push('tick'));
    await gate;
    expect(order).toEqual(['tick', 'gate']);
  });
});
