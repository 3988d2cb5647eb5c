import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { takeBatches } from './batches.ts';

const bytes = (text: string) => Buffer.from(text);
const textOf = (chunks: readonly Uint8Array[]) => Buffer.concat(chunks).toString();
const later = () => new Promise((resolve) => setImmediate(resolve));

describe('what a stream brings', () => {
  it('is taken together where it came together, and to its end', async () => {
    const body = new PassThrough();
    const batches: string[] = [];
    const over = takeBatches(body, (chunks) => batches.push(textOf(chunks)) > 0);
    body.write('a');
    body.write('b');
    await later();
    body.end('c');
    await over;
    expect(batches).toEqual(['ab', 'c']);
  });

  it('is taken before its end counts, though both come at once', async () => {
    let seen = '';
    await takeBatches(Readable.from([bytes('a'), bytes('b')]), (chunks) => {
      seen += textOf(chunks);
      return true;
    });
    expect(seen).toBe('ab');
  });

  it('waits while something is taken, and so does whatever sends it', async () => {
    const body = new PassThrough({ highWaterMark: 4 });
    const taken: string[] = [];
    let go = (_wanted: boolean): void => {};
    const over = takeBatches(body, (chunks) => {
      taken.push(textOf(chunks));
      return new Promise((resolve) => {
        go = resolve;
      });
    });
    body.write('a');
    await later();
    expect([body.write('bcdefgh'), body.write('i')]).toEqual([false, false]);
    await later();
    expect(taken).toEqual(['a']);
    go(true);
    await later();
    expect(taken.join('')).toBe('abcdefghi');
    body.end();
    go(true);
    await over;
  });

  it('is left where no more of it is wanted', async () => {
    const body = new PassThrough();
    const taken: string[] = [];
    const over = takeBatches(body, (chunks) => {
      taken.push(textOf(chunks));
      return false;
    });
    body.write('a');
    await over;
    body.write('b');
    await later();
    expect(taken).toEqual(['a']);
  });

  it.each<[string, (body: PassThrough) => void, RegExp]>([
    ['fails', (body) => body.destroy(new Error('reset')), /reset/],
    ['is broken off', (body) => body.destroy(), /premature/i],
  ])('ends with an error where the stream %s, once what came before was taken', async (_, end, message) => {
    const body = new PassThrough();
    let go = (_wanted: boolean): void => {};
    let settled = false;
    const over = takeBatches(
      body,
      () =>
        new Promise((resolve) => {
          go = resolve;
        }),
    ).catch((error: Error) => {
      settled = true;
      return error.message;
    });
    body.write('a');
    await later();
    end(body);
    await later();
    expect(settled).toBe(false);
    go(true);
    expect(await over).toMatch(message);
  });

  it.each<[string, () => never | Promise<boolean>]>([
    [
      'at once',
      () => {
        throw new Error('not so');
      },
    ],
    ['later', () => Promise.reject(new Error('not so'))],
  ])('ends with what taking it threw, %s', async (_, take) => {
    const open = new PassThrough();
    const over = takeBatches(open, take);
    open.write('a');
    await expect(over).rejects.toThrow('not so');
    await expect(takeBatches(Readable.from([bytes('a')]), take)).rejects.toThrow('not so');
  });
});
