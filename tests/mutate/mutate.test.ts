// What a mutation run changes, and that the examples of the cards notice it. The whole run: npm run mutate.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { mutantsOf, mutated } from './mutants.ts';

/** The sources that the mutants of one make. */
function made(source: string): readonly string[] {
  return mutantsOf('a.ts', source).map((mutant) => mutated(source, mutant));
}

describe('mutants', () => {
  it.each<[string, readonly string[]]>([
    [
      "const a = { options: 'x/long= y' };",
      [
        "const a = { options: ' y' };",
        "const a = { options: 'x/long y' };",
        "const a = { options: 'long= y' };",
        "const a = { options: 'x= y' };",
        "const a = { options: 'x/long= ' };",
        "const a = { options: 'x/long= y=' };",
      ],
    ],
    [
      "const a = { verbs: { install: 'g' } };",
      ["const a = { verbs: { install: '' } };", "const a = { verbs: { install: 'g=' } };"],
    ],
    ['const a = /^(?:b|c)$/;', ['const a = /^(?:c)$/;', 'const a = /^(?:b)$/;']],
    ['const a = /[|]b/;', []],
    ["const a = f('b c');", ["const a = f('bzz c');", "const a = f('b czz');"]],
    ['const a = { recursive: true };', ['const a = { recursive: false };']],
    ['const a = [b, ...c];', ['const a = [...[], ...c];', 'const a = [b, ...[]];']],
    ['const a = b ? c : d;', ['const a = true ? c : d;', 'const a = false ? c : d;']],
    ["const a = { examples: { hit: { b: 'c' } }, what: 'd', readings: { flags: 'e' } };", []],
    ["import { a } from 'b';", []],
  ])('of %s', (source, expected) => {
    expect(made(source)).toEqual(expected);
  });
});

describe('the examples of the cards', () => {
  it('notice almost every change', () => {
    // The same changes on every machine and day. A sample of 200 is off by some percent; the long run holds 95.
    const seed = 1;
    const run = fileURLToPath(new URL('run.ts', import.meta.url));
    const args = [run, '200', '--seed', String(seed), '--least', '0.9'];
    const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringContaining(`seed ${seed}: 200 of`),
    });
  });
});
