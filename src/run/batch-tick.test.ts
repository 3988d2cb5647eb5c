import { describe, expect, it } from 'vitest';
import { batchTick } from './batch-tick.ts';

describe('batchTick', () => {
  it('lets all who wait in one turn take each step beside one another', async () => {
    const steps: string[] = [];
    const work = async (name: string) => {
      await batchTick();
      steps.push(`${name}1`);
      await undefined;
      steps.push(`${name}2`);
    };
    await Promise.all([work('a'), work('b'), work('c')]);
    expect(steps).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2']);
  });

  it('does not hold the next turn with those who wait in this one', async () => {
    const first = batchTick();
    expect(batchTick()).toBe(first);
    await first;
    const second = batchTick();
    expect(second).not.toBe(first);
    await expect(second).resolves.toBeUndefined();
  });

  it('goes on after what the turn had still to read', async () => {
    const order: string[] = [];
    const gate = batchTick().then(() => order.push('gate'));
    process.nextTick(() => order.push('tick'));
    await gate;
    expect(order).toEqual(['tick', 'gate']);
  });
});
