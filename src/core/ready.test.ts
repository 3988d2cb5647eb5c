import { describe, expect, it } from 'vitest';
import { attempt, lazily, once, whenReady } from './ready.ts';

const fails = () => {
  throw new Error('no');
};
const told = (error: unknown) => (error instanceof Error ? error.message : 'nothing');

describe('what is there', () => {
  it('is gone on with at once', () => {
    expect(whenReady(1, (one) => one + 1)).toBe(2);
    expect(() => whenReady(1, fails)).toThrow('no');
  });

  it('is waited for where it is not there yet', async () => {
    const later = whenReady(Promise.resolve(1), (one) => one + 1);
    expect(later).toBeInstanceOf(Promise);
    expect(await later).toBe(2);
    await expect(whenReady(Promise.reject(new Error('never')), () => 1)).rejects.toThrow('never');
    await expect(whenReady(Promise.resolve(1), fails)).rejects.toThrow('no');
  });
});

describe('an attempt', () => {
  it('gives what came of it', async () => {
    expect(attempt(() => 1, told)).toBe(1);
    expect(await attempt(() => Promise.resolve(1), told)).toBe(1);
  });

  it('gives what is made of its failure, at once or later', async () => {
    expect(attempt(fails, told)).toBe('no');
    expect(await attempt(() => Promise.reject(new Error('never')), told)).toBe('never');
    await expect(attempt(() => Promise.reject(new Error('never')), fails)).rejects.toThrow('no');
  });
});

describe('a part that is loaded when it is needed', () => {
  it('is loaded once, and is at hand from then on', async () => {
    let loads = 0;
    const part = lazily(async () => ({ number: ++loads }));
    const first = part(({ number }) => number);
    expect(first).toBeInstanceOf(Promise);
    expect(await first).toBe(1);
    expect(part(({ number }) => number)).toBe(1);
    expect(() => part(fails)).toThrow('no');
  });

  it('is tried again where it could not be loaded', async () => {
    let loads = 0;
    const part = lazily(() => (loads++ === 0 ? Promise.reject(new Error('away')) : Promise.resolve(loads)));
    await expect(part((one) => one)).rejects.toThrow('away');
    expect(await part((one) => one)).toBe(2);
  });
});

describe('work that is done once', () => {
  it('is done once, and again only after it failed', async () => {
    let times = 0;
    const work = once(async () => {
      if (++times === 1) throw new Error('away');
      return times;
    });
    await expect(work()).rejects.toThrow('away');
    expect(await Promise.all([work(), work()])).toEqual([2, 2]);
    expect(await work()).toBe(2);
  });
});
