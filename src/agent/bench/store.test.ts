// Results as they are kept: found by id, by path and by age, and refused where they are not what they should be.

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { benchResult, caseResult } from '../../../tests/support/bench.ts';
import { temporaryFolder } from '../../../tests/support/ledger.ts';
import { InputError } from '../../core/index.ts';
import { newBenchId, ResultMissing, ResultStore, readNamed } from './store.ts';

const cases = [caseResult('a')];

function stored(): { store: ResultStore; folder: string } {
  const folder = join(temporaryFolder(), 'bench');
  const store = new ResultStore(folder, '/');
  store.save(benchResult(1, cases));
  store.save(benchResult(2, cases, { preset: 'other' }));
  store.save(benchResult(3, cases));
  return { store, folder };
}

describe('a kept result', () => {
  it('is found by its id, its path and its age', () => {
    const { store, folder } = stored();
    const first = benchResult(1, cases);
    expect(store.find(first.bench_id)).toEqual(first);
    expect(store.find(join(folder, `${first.bench_id}.json`))).toEqual(first);
    expect(new ResultStore('/nowhere', folder).find(`${first.bench_id}.json`)).toEqual(first);
    expect(store.find('latest').bench_id).toBe(benchResult(3, cases).bench_id);
    expect(store.previous(store.find('latest'))).toEqual(first);
  });

  it('is for the owner alone, and never replaced', () => {
    const { store, folder } = stored();
    const file = join(folder, `${benchResult(1, cases).bench_id}.json`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const before = readFileSync(file, 'utf8');
    expect(() => store.save(benchResult(1, []))).toThrow('exists already');
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  it.each(['20261116T100000009Z-abcdef', 'nowhere/x.json', '../../etc'])('is missed by name: %s', (name) => {
    expect(() => stored().store.find(name)).toThrow(ResultMissing);
  });

  it('is missed where nothing is older, or nothing is there', () => {
    const { store } = stored();
    expect(() => store.previous(benchResult(1, cases))).toThrow('no earlier run of the preset "quick"');
    expect(() => new ResultStore(join(temporaryFolder(), 'none'), '/').find('latest')).toThrow(ResultMissing);
  });

  it.each([
    ['no JSON', '{'],
    ['another version', JSON.stringify({ ...benchResult(1, cases), version: 2 })],
    ['a case twice', JSON.stringify(benchResult(1, [...cases, ...cases]))],
    ['a name that is none', JSON.stringify({ ...benchResult(1, cases), preset: 'a\u001b[1m' })],
    ['a key that nobody knows', JSON.stringify({ ...benchResult(1, cases), passed: true })],
    [
      'a reward that is no number',
      JSON.stringify(benchResult(1, cases)).replace('"total_reward":1', '"total_reward":"1"'),
    ],
  ])('is refused with %s', (_, text) => {
    const file = join(temporaryFolder(), 'x.json');
    writeFileSync(file, text);
    expect(() => stored().store.find(file)).toThrow(InputError);
  });
});

it('is never read from what is no file', () => {
  expect(() => readNamed('/dev/zero')).toThrow('it is not a regular file');
});

it('has an id that sorts by time', () => {
  const ids = [0, 1, 999, 1000, 1_700_000_000_000, 1_900_000_000_000].map(newBenchId);
  expect(ids.toSorted()).toEqual(ids);
});
