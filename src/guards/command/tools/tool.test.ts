// The option reader: bundles, long names, abbreviations, values, and what is not known.

import { describe, expect, it } from 'vitest';
import type { Value } from '../effects.ts';
import { literal, options } from './tool.ts';

const parse = options('r/R/recursive f/force o/output= i/in-place? target-directory= tar');
const values = (line: string): Value[] =>
  line
    .split(' ')
    .filter((word) => word !== '')
    .map(literal);
const texts = (list: readonly Value[]): unknown[] =>
  list.map((value) => (value.kind === 'literal' ? value.text : value));

describe('options', () => {
  it.each([
    ['-rf a b', ['recursive', 'force'], ['a', 'b']],
    ['-r -f a', ['R', 'f'], ['a']],
    ['a -R b', ['recursive'], ['a', 'b']],
    ['--recursive --force -- -a', ['r', 'f'], ['-a']],
    ['--rec --fo a', ['recursive', 'force'], ['a']],
    ['-', [], ['-']],
    ['-z a', ['z'], ['a']],
    ['--unheard-of a', ['unheard-of'], ['a']],
  ])('%s', (line, given, operands) => {
    const reading = parse(values(line));
    for (const name of given) expect(reading.has(name), name).toBe(true);
    expect(texts(reading.operands)).toEqual(operands);
  });

  it.each([
    ['-o out a', ['out'], ['a']],
    ['-oout a', ['out'], ['a']],
    ['-rfo out a', ['out'], ['a']],
    ['--output=out a', ['out'], ['a']],
    ['--output out a', ['out'], ['a']],
    ['--out=one -o two', ['one', 'two'], []],
    ['-o', [''], []],
  ])('values of %s', (line, output, operands) => {
    const reading = parse(values(line));
    expect(texts(reading.all('o', 'output'))).toEqual(output);
    expect(texts(reading.operands)).toEqual(operands);
  });

  it('takes an optional value only where it is attached', () => {
    expect(texts(parse(values('-i.bak a')).all('i'))).toEqual(['.bak']);
    expect(texts(parse(values('-i a')).operands)).toEqual(['a']);
    expect(texts(parse(values('--in-place a')).operands)).toEqual(['a']);
  });

  it('leaves an ambiguous beginning alone', () => {
    expect(parse(values('--ta x')).has('target-directory')).toBe(false);
    expect(texts(parse(values('--targ x')).all('target-directory'))).toEqual(['x']);
  });

  it('stops at the first operand where told so', () => {
    const reading = options('v n=', { stopAtOperand: true })(values('-v -n 1 run -v'));
    expect(texts(reading.operands)).toEqual(['run', '-v']);
  });

  it('reads whole words after one dash where told so', () => {
    const reading = options('auto-approve var=', { wholeWords: true })(
      values('apply -auto-approve -var=a=b -var c'),
    );
    expect(reading.has('auto-approve')).toBe(true);
    expect(texts(reading.all('var'))).toEqual(['a=b', 'c']);
  });

  it('keeps what is not known', () => {
    const unknown: Value = { kind: 'unknown' };
    expect(parse([unknown]).operands).toEqual([unknown]);
    expect(parse([unknown]).uncertain).toBe(true);
    expect(parse([{ kind: 'prefix', text: '--output=/tmp/' }]).all('o')).toEqual([
      { kind: 'prefix', text: '/tmp/' },
    ]);
    expect(parse([{ kind: 'prefix', text: '-rf' }]).has('recursive')).toBe(true);
    const choice = parse([{ kind: 'choice', texts: ['-r', 'a', 'b'] }]);
    expect(choice.has('recursive')).toBe(true);
    expect(choice.operands).toEqual([{ kind: 'choice', texts: ['a', 'b'] }]);
  });
});
