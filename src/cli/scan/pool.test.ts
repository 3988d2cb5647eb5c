// The pool fails loudly: a thread that dies is no clean scan.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/ledger.ts';
import { type Job, ScanFailed, scanSteps } from './pool.ts';
import type { Step } from './walk.ts';

function* steps(folder: string, count: number): Generator<Step> {
  for (let index = 0; index < count; index++) {
    const path = join(folder, `${index}`);
    writeFileSync(path, 'words\n');
    // A size that makes threads worth their start.
    yield { target: { path, shown: `${index}`, size: 1 << 20 } };
  }
}

function job(engine: unknown): Job & { readonly told: string[] } {
  const told: string[] = [];
  return {
    engine: engine as Job['engine'],
    threads: 2,
    nameOf: ({ shown }) => shown,
    tell: ({ shown }) => told.push(shown),
    progress: () => undefined,
    told,
  };
}

describe('the pool', () => {
  it('tells of every file in order', async () => {
    const done = job({ kinds: 'all', everyday: false, own: [] });
    await scanSteps(steps(temporaryFolder(), 300), done);
    expect(done.told).toEqual(Array.from({ length: 300 }, (_, index) => `${index}`));
  });

  it('fails where a thread dies', async () => {
    await expect(scanSteps(steps(temporaryFolder(), 300), job(null))).rejects.toThrow(ScanFailed);
  });

  it('fails where the walk does', async () => {
    function* broken(): Generator<Step> {
      yield* steps(temporaryFolder(), 100);
      throw new Error('the walk broke');
    }
    await expect(scanSteps(broken(), job({ kinds: 'all', everyday: false, own: [] }))).rejects.toThrow(
      'the walk broke',
    );
  });
});
