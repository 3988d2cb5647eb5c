// key=value: what is read, and what is refused.

import { describe, expect, it } from 'vitest';
import { UsageError } from '../core/index.ts';
import { modelIn, Pairs } from './pairs.ts';

const known = ['strategy', 'mcp', 'limit', 'name'];

describe('pairs', () => {
  it('are read by their keys', () => {
    const pairs = new Pairs(['strategy=codemode', 'mcp=off', 'limit=-2.5', 'name=a=b'], known);
    expect(pairs.choice('strategy', ['tool_call', 'codemode'])).toBe('codemode');
    expect(pairs.flag('mcp')).toBe(false);
    expect(pairs.number('limit', -3, 3)).toBe(-2.5);
    expect(pairs.get('name')).toBe('a=b');
    expect(new Pairs([], known).flag('mcp')).toBeUndefined();
    expect(new Pairs(['limit=3'], known).whole('limit', 1, 3)).toBe(3);
  });

  it.each([
    [['strateg=x'], 'unknown setting "strateg"; did you mean "strategy"?'],
    [['=x'], 'unknown setting ""'],
    [['word'], 'unexpected argument "word"'],
    [['mcp=on', 'mcp=off'], 'mcp= is given twice'],
  ])('are refused: %j', (words, message) => {
    expect(() => new Pairs(words, known)).toThrow(message);
    expect(() => new Pairs(words, known)).toThrow(UsageError);
  });

  it.each<[string, (pairs: Pairs) => unknown]>([
    ['strategy=code', (pairs) => pairs.choice('strategy', ['codemode'])],
    ['mcp=yes', (pairs) => pairs.flag('mcp')],
    ['limit=', (pairs) => pairs.number('limit', 0, 9)],
    ['limit=NaN', (pairs) => pairs.number('limit', 0, 9)],
    ['limit=Infinity', (pairs) => pairs.number('limit', 0, 9)],
    ['limit=1e3', (pairs) => pairs.number('limit', 0, 9999)],
    ['limit=10', (pairs) => pairs.number('limit', 0, 9)],
    ['limit=1.5', (pairs) => pairs.whole('limit', 0, 9)],
  ])('hold no other value: %s', (word, read) => {
    expect(() => read(new Pairs([word], known))).toThrow(UsageError);
  });
});

it('name a script from the folder of the call, and any other model as it is', () => {
  expect(modelIn('/here', 'script:turns.json')).toBe('script:/here/turns.json');
  expect(modelIn('/here', 'script:/there/turns.json')).toBe('script:/there/turns.json');
  expect(modelIn('/here', 'openai/m-1')).toBe('openai/m-1');
});
