import { describe, expect, test } from 'vitest';
import { onlyReads } from './reading.ts';

const facts = { effects: { inert: 1, read: 2 }, unknowns: 0, errors: 0 };

describe('what only reads', () => {
  test.each([
    'ls -la src',
    'cat a.txt b.txt | head -3 && wc -l a.txt',
    "grep -rn 'a b' src; git status",
    'git diff --stat HEAD',
    'find . -name "*.ts"',
    'true\n',
  ])('%s', (command) => {
    expect(onlyReads({ kind: 'shell', command }, facts)).toBe(true);
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
    expect(onlyReads({ kind: 'shell', command }, facts)).toBe(false);
  });

  test('nothing that the command guard says otherwise of', () => {
    const action = { kind: 'shell', command: 'ls' } as const;
    expect(onlyReads(action, { ...facts, effects: { delete: 1 } })).toBe(false);
    expect(onlyReads(action, { ...facts, unknowns: 1 })).toBe(false);
    expect(onlyReads(action, { ...facts, errors: 1 })).toBe(false);
    expect(onlyReads(action, {})).toBe(false);
    expect(onlyReads({ kind: 'python', source: '1' }, facts)).toBe(false);
  });
});
