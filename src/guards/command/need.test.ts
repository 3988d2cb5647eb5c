// What is loaded only when a command needs it: work that meets a part which is not there yet stops, and is done again.

import { describe, expect, it } from 'vitest';
import { shellAlone } from './index.ts';
import { loadParts, Needed, Part, withParts } from './need.ts';

const around = { cwd: '/workspace', home: null, spend: () => undefined };

describe('parts', () => {
  it('are missed before they are loaded, and loaded once', async () => {
    let loads = 0;
    const part = new Part(async () => ++loads);
    expect(() => part.content).toThrow(Needed);
    await Promise.all([part.load(), part.load()]);
    expect(part.content).toBe(1);
    expect(loads).toBe(1);
  });

  it('are loaded one by one for work that meets a few which are missing, and all together for more', async () => {
    const loaded: number[] = [];
    const made = Array.from({ length: 9 }, (_, at) => new Part(async () => loaded.push(at)));
    let tries = 0;
    const work = (wanted: number) => () => {
      tries += 1;
      return made.slice(0, wanted).map((part) => part.content).length;
    };
    await expect(withParts(work(2))).resolves.toBe(2);
    expect([loaded, tries]).toEqual([[0, 1], 3]);
    expect(withParts(work(2))).toBe(2);
    tries = 0;
    await expect(withParts(work(3), 0)).resolves.toBe(3);
    expect([loaded, tries]).toEqual([[0, 1, 2, 3, 4, 5, 6, 7, 8], 2]);
  });

  it('leave any other error to the caller', async () => {
    const fail = () => {
      throw new TypeError('odd');
    };
    expect(() => withParts(fail)).toThrow('odd');
    const part = new Part(async () => 1);
    await expect(withParts(() => part.content && fail())).rejects.toThrow('odd');
  });

  it('that cannot be loaded fail the work, which is then refused', async () => {
    let found = false;
    const broken = new Part(async () => {
      if (!found) throw new Error('not there');
      return 1;
    });
    await expect(withParts(() => broken.content)).rejects.toThrow('not there');
    found = true;
    await expect(withParts(() => broken.content)).resolves.toBe(1);
  });

  it('give the same facts whether they are loaded at need or before', async () => {
    const sources = ['rm -rf / && git push --force', 'aws s3 rm s3://a --recursive; frobnicate', 'echo hi'];
    const judge = (source: string) => withParts(() => shellAlone.shell(source, around));
    const atNeed = await Promise.all(sources.map(judge));
    await loadParts();
    expect(await Promise.all(sources.map(judge))).toEqual(atNeed);
  });
});
