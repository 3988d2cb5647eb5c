// Every reader of foreign text, a few bent texts each; `npm run fuzz` reads a million. And the harness itself, on readers
// that are broken on purpose.

import { describe, expect, it } from 'vitest';
import { seeded } from '../metamorphic/random.ts';
import { oneOf } from '../support/share.ts';
import { materialOf, runTarget, textOf } from './harness.ts';
import { bent, shortened } from './mutate.ts';
import { invariant, type Target } from './target.ts';
import { targets } from './targets/index.ts';

/** So many bent texts that each target costs some tenths of a second. */
function few({ cost }: Target): number {
  return Math.max(15, Math.min(1000, Math.floor(100_000 / cost / oneOf(2))));
}

/** The shapes that made a reader slow once are many, and each is read twice. */
function inShare(target: Target): Target {
  const { shapes } = target;
  if (shapes === undefined) return target;
  return { ...target, shapes: shapes.filter((_, index) => index % oneOf(4) === 0) };
}

describe('a reader of foreign text', () => {
  it.each(targets.map((target) => [target.name, inShare(target)] as const))(
    'keeps its invariant: %s',
    async (_, target) => {
      const { faults, answers } = await runTarget(target, { count: few(target), seed: 1, timed: false });
      expect(faults).toEqual([]);
      expect(answers).toBeGreaterThan(1);
    },
  );
});

const broken = (read: (text: string) => string): Target => ({
  name: 'broken',
  invariant: 'nothing',
  words: ['boom'],
  seeds: ['one two three'],
  cost: 1,
  open: () => read,
});

describe('the harness', () => {
  const run = async (read: (text: string) => string) =>
    (await runTarget(broken(read), { count: 300, seed: 1, timed: false })).faults.map(({ kind, text }) => [
      kind,
      text,
    ]);

  it('tells what throws, by its shortest text', async () => {
    const read = (text: string) => {
      if (text.includes('boom')) throw new TypeError('it broke');
      return text;
    };
    expect(await run(read)).toEqual([['threw', 'boom']]);
  });

  it('tells what breaks its invariant', async () => {
    const read = (text: string) => {
      invariant(!text.includes('boom'), 'no boom');
      return text;
    };
    expect(await run(read)).toEqual([['unlawful', 'boom']]);
  });

  it('tells what says something else the second time', async () => {
    let times = 0;
    const read = (text: string) => (text.includes('boom') ? String(times++) : text);
    expect(await run(read)).toEqual([['fickle', 'boom']]);
  });

  it('tells what is late', async () => {
    const read = (text: string) => {
      const busy = () => process.threadCpuUsage().user / 1000;
      for (const end = busy() + 3; text.includes('boom') && busy() < end; );
      return text;
    };
    const target = { ...broken(read), limit: 1 };
    const { faults } = await runTarget(target, { count: 60, seed: 1, timed: true });
    expect(new Set(faults.map(({ kind }) => kind))).toEqual(new Set(['late']));
  });

  it('makes the same texts for the same seed, and no longer ones than it may', () => {
    const [target] = targets;
    if (target === undefined) throw new Error('there is no target');
    const material = { ...materialOf(target), largest: 100 };
    const texts = (seed: number) =>
      Array.from({ length: 200 }, (_, number) => textOf(material, seed, number));
    expect(texts(3)).toEqual(texts(3));
    expect(texts(3)).not.toEqual(texts(4));
    expect(Math.max(...texts(3).map(({ length }) => length))).toBeLessThanOrEqual(100);
  });

  it('makes bytes where bytes are read', () => {
    const material = { seeds: ['é\u{1f4a3}'], words: ['\u202e'], bytes: true, largest: 50 };
    const random = seeded(1);
    for (let times = 0; times < 500; times++) expect(bent(random, material)).toMatch(/^[\u0000-\u00ff]*$/);
  });

  it('shortens a text while something holds for it', async () => {
    const holds = async (text: string) => text.includes('a') && text.includes('z');
    expect(await shortened(`${'x'.repeat(90)}a${'y'.repeat(70)}z!`, holds)).toBe('az');
  });
});
