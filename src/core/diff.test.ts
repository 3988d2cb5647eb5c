// Diffs and patches: whatever two texts are, the hunks between them lead from one to the other, and git agrees.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyHunks, diffLines, type Hunk, linesOf, readPatch, showHunks, takeHunks } from './diff.ts';
import { InputError } from './errors.ts';

/** Texts of few different lines, so that many of them are alike. */
const text = fc
  .tuple(fc.array(fc.constantFrom('a', 'b', 'c', '', 'long line'), { maxLength: 30 }), fc.boolean())
  .map(([lines, ended]) => lines.join('\n') + (ended && lines.length > 0 ? '\n' : ''));

const put = (before: string, hunks: readonly Hunk[]) => {
  const result = applyHunks(before, hunks);
  return 'text' in result ? result.text : result;
};

/**
 * Some of the hunks applied to a text naively: line by line, each old line is preserved, replaced or followed by new
 * ones.
 */
function byHand(before: string, hunks: readonly Hunk[], wanted: (hunk: number) => boolean): string {
  const old = linesOf(before);
  const gone = new Set<number>();
  const added = new Map<number, string[]>();
  for (const [index, { start, lines }] of hunks.entries()) {
    if (!wanted(index)) continue;
    let at = lines.every(({ kind }) => kind === '+') ? start : start - 1;
    for (const { kind, text: line } of lines) {
      if (kind === '+') added.set(at, [...(added.get(at) ?? []), line]);
      else if (kind === '-') gone.add(at++);
      else at++;
    }
  }
  const all = Array.from({ length: old.length + 1 }, (_, at) => [
    ...(added.get(at) ?? []),
    ...(gone.has(at) || at === old.length ? [] : [old[at] ?? '']),
  ]);
  return all.flat().join('');
}

describe('some hunks of a diff', () => {
  /** Long texts with distant changes, so that there are several hunks; line ends of both kinds. */
  const edited = fc
    .tuple(
      fc.array(fc.constantFrom('a\n', 'b\n', 'c\r\n', '\n'), { minLength: 40, maxLength: 80 }),
      fc.array(fc.tuple(fc.nat(80), fc.nat(2), fc.array(fc.constantFrom('x\n', 'y\r\n'), { maxLength: 3 })), {
        minLength: 2,
        maxLength: 6,
      }),
      fc.boolean(),
    )
    .map(([lines, changes, open]): [string, string] => {
      const now: string[] = [...lines];
      for (const [at, count, more] of changes) now.splice(at, count, ...more);
      return [lines.join(''), now.join('') + (open ? 'end' : '')];
    });

  test('are put in as by hand, whichever they are', () => {
    let several = 0;
    fc.assert(
      fc.property(
        fc.oneof(edited, fc.tuple(text, text)),
        fc.bigInt({ min: 0n, max: 2n ** 32n }),
        (texts, bits) => {
          const [before, after] = texts;
          const hunks = diffLines(before, after);
          if (hunks.length > 1) several++;
          const wanted = (hunk: number) => ((bits >> BigInt(hunk % 32)) & 1n) === 1n;
          expect(takeHunks(before, hunks, wanted)).toBe(byHand(before, hunks, wanted));
          expect(takeHunks(before, hunks, () => true)).toBe(after);
          expect(takeHunks(before, hunks, () => false)).toBe(before);
        },
      ),
      { numRuns: 1000 },
    );
    expect(several).toBeGreaterThan(100);
  });

  test('begin at line 1 where something stands before them, as git writes it', () => {
    expect(diffLines('b\n', 'a\nb\n')[0]?.start).toBe(1);
    expect(diffLines('', 'a\n')[0]?.start).toBe(0);
  });
});

describe('hunks', () => {
  test('of very many lines are applied and taken like any others', () => {
    const before = 'line\n'.repeat(200_000);
    const added = [
      { start: 0, lines: Array.from({ length: 200_000 }, () => ({ kind: '+', text: 'line\n' }) as const) },
    ];
    expect(applyHunks('', added)).toEqual({ text: before });
    expect(takeHunks('', added, () => true)).toBe(before);
    expect(takeHunks(before, diffLines(before, `${before}end\n`), () => true)).toBe(`${before}end\n`);
  });

  test('lead from one text to the other', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(put(before, diffLines(before, after))).toBe(after);
      }),
      { numRuns: 500 },
    );
  });

  test('are no longer than what differs', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 40 }), (before, at) => {
        const lines = [...linesOf(before)];
        lines.splice(Math.min(at, lines.length), 0, 'quite new\n');
        const after = lines.join('');
        const changed = diffLines(before, after).flatMap((hunk) =>
          hunk.lines.filter(({ kind }) => kind !== ' '),
        );
        expect(changed.length).toBeLessThanOrEqual(3);
      }),
    );
  });

  test('are found in texts that have nothing in common', () => {
    const before = Array.from({ length: 3000 }, (_, index) => `old ${index}\n`).join('');
    const after = Array.from({ length: 3000 }, (_, index) => `new ${index}\n`).join('');
    expect(put(before, diffLines(before, after))).toBe(after);
  });

  test('move to where their lines stand now', () => {
    const hunks = diffLines('a\nb\nc\nd\n', 'a\nb\nX\nd\n');
    expect(put('0\n1\n2\na\nb\nc\nd\n', hunks)).toBe('0\n1\n2\na\nb\nX\nd\n');
  });

  test('that stand nowhere are told, and nothing is changed', () => {
    const hunks = diffLines('a\nb\nc\n', 'a\nX\nc\n');
    expect(applyHunks('q\nr\n', hunks)).toEqual({ misfit: { hunk: 0, line: 'a' } });
  });

  test('keep the line ends of a file', () => {
    expect(put('a\r\nb\r\nc\r\n', diffLines('a\nb\nc\n', 'a\nX\nc\n'))).toBe('a\r\nX\r\nc\r\n');
  });
});

describe('a patch', () => {
  test('is read as it was shown', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const hunks = diffLines(before, after);
        if (hunks.length === 0) return;
        const [patch] = readPatch(showHunks('src/a.ts', hunks));
        expect(patch).toMatchObject({ op: 'edit', path: 'src/a.ts' });
        expect(put(before, patch?.hunks ?? [])).toBe(after);
      }),
      { numRuns: 300 },
    );
  });

  test('of git is applied as git does', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sallyport-patch-'));
    try {
      fc.assert(
        fc.property(text, text, (before, after) => {
          writeFileSync(join(folder, 'before'), before);
          writeFileSync(join(folder, 'after'), after);
          const options = ['diff', '--no-index', '--no-color', '--', 'before', 'after'];
          const { stdout } = spawnSync('git', options, { cwd: folder, encoding: 'utf8' });
          if (stdout === '') return;
          const [patch] = readPatch(stdout);
          expect(put(before, patch?.hunks ?? [])).toBe(after);
        }),
        { numRuns: 40 },
      );
      expect(readFileSync(join(folder, 'before'), 'utf8')).toBeDefined();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test.each([
    ['--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+a\n', { op: 'create', path: 'new.txt' }],
    ['--- a/old.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n', { op: 'delete', path: 'old.txt' }],
    [
      'diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n',
      { op: 'rename', path: 'x', to: 'y' },
    ],
    ['--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n', { op: 'rename', path: 'x', to: 'y' }],
    ['--- "a/\\303\\251.txt"\n+++ "b/\\303\\251.txt"\n@@ -1 +1 @@\n-a\n+b\n', { op: 'edit', path: 'é.txt' }],
    ['--- a.txt\t2026-01-01\n+++ a.txt\t2026-01-02\n@@ -1 +1 @@\n-a\n+b\n', { op: 'edit', path: 'a.txt' }],
    ['*** Begin Patch\n*** Add File: n.txt\n+a\n+b\n*** End Patch', { op: 'create', path: 'n.txt' }],
    ['*** Begin Patch\n*** Delete File: n.txt\n*** End Patch\n', { op: 'delete', path: 'n.txt' }],
    [
      'diff --git a/x b/x\nold mode 100644\nnew mode 100755\n',
      { op: 'edit', path: 'x', hunks: [], executable: true },
    ],
    [
      'diff --git a/x y b/x y\nnew file mode 100644\nindex 0000000..e69de29\n',
      { op: 'create', path: 'x y', hunks: [], executable: false },
    ],
    [
      'diff --git "a/\\303\\251" "b/\\303\\251"\ndeleted file mode 100644\n',
      { op: 'delete', path: 'é', hunks: [] },
    ],
    [
      'diff --git a/x b/x\nnew file mode 100755\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n',
      { op: 'create', path: 'x', executable: true },
    ],
    [
      'diff --git a/x b/y\nold mode 100755\nnew mode 100644\nrename from x\nrename to y\n',
      { op: 'rename', path: 'x', to: 'y', executable: false },
    ],
    [
      '*** Begin Patch\n*** Update File: a.py\n@@ def f():\n-a\n+b\n*** End Patch\n',
      { op: 'edit', path: 'a.py' },
    ],
    [
      '*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-a\n+b\n*** End Patch\n',
      { op: 'rename', path: 'a', to: 'b' },
    ],
  ])('%j', (patch, expected) => {
    expect(readPatch(patch)[0]).toMatchObject(expected);
  });

  test.each([
    ['', 'changes no file'],
    ['@@ -1 +1 @@\n-a\n+b\n', 'precedes the name'],
    ['--- a/x\n+++ b/x\n', 'no hunk'],
    ['--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n-a\n', 'ends too early'],
    ['--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-a\n-b\n', 'more lines'],
    ['--- a/x\n+++ b/x\n@@ what @@\n', 'not readable'],
    ['--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n', 'no name'],
    ['--- \n+++ \n@@ -1 +1 @@\n-a\n+b\n', 'no name'],
    ['*** Begin Patch\n*** Delete File:  \n*** End Patch\n', 'no name'],
    ['--- "a/\\x"\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n', 'not readable'],
    ['Binary files a/x and b/x differ\n', 'binary'],
    [
      'diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+/etc\n',
      'plain files',
    ],
    ['diff --git a/x b/y\nold mode 100644\nnew mode 100755\n', 'name of the file is not readable'],
    ['*** Begin Patch\n*** Add File: a\n+x\n', 'End Patch'],
    ['*** Begin Patch\nwhat\n*** End Patch\n', 'name of a file'],
    ['*** Begin Patch\n*** Add File: a\nx\n*** End Patch\n', '"+" only'],
    ['*** Begin Patch\n*** Update File: a\n?x\n*** End Patch\n', 'begins with'],
    ['*** Begin Patch\n*** Update File: a\n*** End Patch\n', 'no hunk'],
  ])('%j is refused: %s', (patch, message) => {
    expect(() => readPatch(patch)).toThrow(InputError);
    expect(() => readPatch(patch)).toThrow(message);
  });

  test('a name that is very long is read as it is', () => {
    const name = 'x'.repeat(300_000);
    const [file] = readPatch(`--- "a/${name}"\n+++ "b/${name}"\n@@ -1 +1 @@\n-a\n+b\n`);
    expect(file?.path).toBe(name);
  });

  test('whatever it is, reading throws nothing but InputError', () => {
    const line = fc.oneof(
      fc.constantFrom(
        '--- a/x',
        '+++ b/x',
        '@@ -1,2 +1,2 @@',
        ' a',
        '-a',
        '+a',
        '*** Begin Patch',
        '*** Update File: a',
        '*** End Patch',
        '\\ No newline',
        'diff --git a/x b/x',
        'diff --git "',
        'new mode 100755',
        'new file mode 100644',
      ),
      fc.string({ maxLength: 10 }),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
        try {
          readPatch(lines.join('\n'));
        } catch (error) {
          expect(error).toBeInstanceOf(InputError);
        }
      }),
    );
  });
});
