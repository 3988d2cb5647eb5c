// Which commands are certain to change nothing, as the guard reads them.

import { describe, expect, test } from 'vitest';
import type { Effect, EffectKind, Facts } from './effects.ts';
import { onlyReads, shellAlone, writesOf } from './index.ts';
import { loadParts } from './need.ts';

await loadParts();
const read = (command: string): Facts =>
  shellAlone.shell(command, { cwd: '/work', home: '/home/ann', spend: () => undefined });

describe('what only reads', () => {
  test.each([
    'ls -la src',
    'cat a.txt b.txt | head -3 && wc -l a.txt',
    "grep -rn 'a b' src; git status",
    'git diff --stat HEAD',
    'find . -name "*.ts"',
    'true\n',
    'l\\s',
    '/usr/bin/ls -l',
    'cd src && ls 2>/dev/null',
    '[ -f a ] && cat a',
    'if test -f a; then cat a; fi',
    '(cd src; ls) & pwd',
    'echo "$(cat a)" | wc -c',
    'grep x < a',
    "echo 'rm -rf /; make'",
    'git log --oneline -3',
    'git ls-files --others --exclude-standard',
  ])('%s', (command) => {
    expect(onlyReads(read(command))).toBe(true);
  });

  test.each([
    'npm run build',
    'make',
    './ls',
    '/tmp/ls',
    'cat a > b',
    'ls & make',
    'echo $(make)',
    'echo `make`',
    'find . -delete',
    'find . -exec touch {} +',
    'find . "-delete"',
    'find . -de""lete',
    'find . $what',
    'git diff --output=a',
    'git stash',
    'git "$what"',
    'git -c core.pager=make log',
    'git log --ext-diff',
    'git log --outp=a',
    'git diff --o=a',
    'git log --oneline --output=a',
    'git log --oneline=a',
    'rg --pre ./run x',
    'rg --hostname-bin ./run x',
    'ls | tee a',
    'X=1 ls',
    'PATH=/tmp ls',
    'PATH=/tmp; ls',
    'export PATH=/tmp; ls',
    'for PATH in /tmp; do ls; done',
    '((PATH=1)); ls',
    'printf -v PATH /tmp; ls',
    'read PATH < a; ls',
    'ls() { make; }; ls',
    'alias ls=make; ls',
    'bash -c ls',
    '. ./ls',
    '$what',
    'ls "',
  ])('not %s', (command) => {
    expect(onlyReads(read(command))).toBe(false);
  });

  test('nothing that the command guard says otherwise of', () => {
    const facts = read('ls');
    const effect = (kind: EffectKind): Effect => ({
      ...{ kind, target: { kind: 'none' }, program: 'ls' },
      ...{ through: [], span: [0, 2] },
    });
    expect(onlyReads({ ...facts, effects: [effect('read')] })).toBe(true);
    expect(onlyReads({ ...facts, effects: [effect('delete')] })).toBe(false);
    expect(onlyReads({ ...facts, unknowns: [{ what: 'a', span: [0, 1] }] })).toBe(false);
    expect(onlyReads({ ...facts, errors: ['a'] })).toBe(false);
  });
});

describe('what a command writes is certain', () => {
  test.each([
    ['echo a > b.txt', ['b.txt']],
    ['sleep 1; printf x >> d/e', ['d/e']],
    ['mkdir -p a/b && touch a/b/c', ['a/b', 'a/b/c']],
    ['rm a b', ['a', 'b']],
  ])('for %s', (command, paths) => {
    expect([...new Set(writesOf(read(command)))].sort()).toEqual([...paths].sort());
  });

  test.each([
    'make',
    'rm *',
    'sed -i s/a/b/ c',
    'mv a b',
    'ls',
    'x=1; rm "$1"',
    'git add .',
    'python3 a.py > out',
  ])('and not for %s', (command) => {
    expect(writesOf(read(command))).toBeNull();
  });
});
