// A baseline holds what was written to it, and what is none is refused.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/ledger.ts';
import { BaselineWriter, readBaseline } from './baseline.ts';

describe('a baseline', () => {
  it.each([0, 1, 3])('of %i findings is read as it was written', (count) => {
    const file = join(temporaryFolder(), 'known.json');
    const writer = new BaselineWriter(file);
    const prints = Array.from({ length: count }, (_, index) => `print-${index}`);
    for (const fingerprint of prints) writer.add({ fingerprint, rule: 'r', file: 'a "b"\n' });
    expect(existsSync(file)).toBe(false);
    writer.finish();
    expect([...readBaseline(file)]).toEqual(prints);
    expect(readFileSync(file, 'utf8').split('\n').length).toBe(count === 0 ? 6 : 7 + count);
  });

  it('that is given up leaves nothing', () => {
    const folder = temporaryFolder();
    new BaselineWriter(join(folder, 'known.json')).abandon();
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['{', 'it is not JSON'],
    ['{}', 'does not say'],
    ['[]', 'does not say'],
    ['{"kind":"sallyport-baseline","version":2,"findings":[]}', 'only version 1'],
    ['{"kind":"sallyport-baseline","version":1}', 'no list'],
    ['{"kind":"sallyport-baseline","version":1,"findings":[{}]}', 'no fingerprint'],
    ['{"kind":"sallyport-baseline","version":1,"findings":[7]}', 'no fingerprint'],
  ])('that says %s is refused', (text, why) => {
    const file = join(temporaryFolder(), 'known.json');
    writeFileSync(file, text);
    expect(() => readBaseline(file)).toThrow(why);
  });
});
