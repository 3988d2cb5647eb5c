import { describe, expect, test } from 'vitest';
import type { Effect, EffectKind, Facts } from './effects.ts';
import { onlyReads } from './reads.ts';

const effect = (kind: EffectKind): Effect => ({
  kind,
  target: { kind: 'none' },
  program: 'a',
  through: [],
  span: [0, 1],
});
const facts: Facts = {
  effects: [effect('inert'), effect('read')],
  invocations: [],
  unknowns: [],
  errors: [],
};

describe('what only reads', () => {
  test.each([
    'ls -la src',
    'cat a.txt b.txt | head -3 && wc -l a.txt',
    "grep -rn 'a b' src; git status",
    'git diff --stat HEAD',
    'find . -name "*.ts"',
    'true\n',
  ])('%s', (command) => {
    expect(onlyReads(command, facts)).toBe(true);
  });

  test.each([
    'npm run build',
    'make',
    './ls',
    'cat a > b',
    'ls & make',
    'echo $(make)',
    'echo `make`',
    'find . -delete',
    'find . -exec touch {} +',
    'find . "-delete"',
    'git diff --output=a',
    'git stash',
    'git -c core.pager=make log',
    'git log --ext-diff',
    'rg --pre ./run x',
    'ls | tee a',
    'X=1 ls',
    'l\\s',
  ])('not %s', (command) => {
    expect(onlyReads(command, facts)).toBe(false);
  });

  test('nothing that the command guard says otherwise of', () => {
    expect(onlyReads('ls', { ...facts, effects: [effect('delete')] })).toBe(false);
    expect(onlyReads('ls', { ...facts, unknowns: [{ what: 'a', span: [0, 1] }] })).toBe(false);
    expect(onlyReads('ls', { ...facts, errors: ['a'] })).toBe(false);
  });
});
