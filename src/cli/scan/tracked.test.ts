// The index is read as git writes it, in every version, and anything else is not mistaken for one.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/ledger.ts';
import { readIndex } from './tracked.ts';

const names = ['a', 'a.b', 'a-/x', 'b/c/d', 'b/c/e', 'b0', 'long/'.padEnd(200, 'n'), 'é'];

function indexOf(...setup: readonly (readonly string[])[]): Buffer {
  const folder = temporaryFolder();
  const run = (args: readonly string[]) => {
    const { status, stderr } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
    expect([args, status, stderr]).toEqual([args, 0, expect.anything()]);
  };
  run(['init', '-q', ...(setup[0] ?? [])]);
  for (const name of names) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), name);
  }
  run(['add', '.']);
  for (const args of setup.slice(1)) run(args);
  return readFileSync(join(folder, '.git/index'));
}

describe('an index', () => {
  it.each([
    ['version 2', () => indexOf([])],
    ['version 3', () => indexOf([], ['update-index', '--skip-worktree', 'a', 'b0'])],
    ['version 4', () => indexOf([], ['update-index', '--index-version', '4'])],
    ['SHA-256', () => indexOf(['--object-format=sha256'])],
  ])('of %s', (_, made) => {
    const tracked = readIndex(made());
    const known = names.map((name) => Buffer.from(name).toString('latin1'));
    expect(known.filter((name) => tracked?.has(name) !== true)).toEqual([]);
    expect(['', 'a-', 'b', 'b/c', 'b/c/', 'c', 'zzz'].filter((name) => tracked?.has(name))).toEqual([]);
    expect(['a', 'a-', 'b', 'b/c', 'b/c/d', 'long', 'zzz'].filter((name) => tracked?.hasIn(name))).toEqual([
      'a-',
      'b',
      'b/c',
      'long',
    ]);
  });

  it('that is split over two files is not read', () => {
    expect(readIndex(indexOf([], ['update-index', '--split-index']))).toBeUndefined();
  });

  it('that is broken is not read, whatever it says', () => {
    const whole = indexOf([]);
    for (let length = 0; length < whole.length - 200; length += 7)
      expect(readIndex(whole.subarray(0, length))).toBeUndefined();
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), (place, value) => {
        const copy = Buffer.from(whole);
        copy[place] = value;
        readIndex(copy);
      }),
      { numRuns: 2000 },
    );
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void readIndex(Buffer.from(bytes))));
  });
});
