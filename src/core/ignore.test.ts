// Ignore rules match as in git: a table of the forms, and git itself as the reference for random ones.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oneOf } from '../../tests/support/share.ts';
import { parseIgnore, whatRulesSay } from './ignore.ts';

/** Whether a path is ignored by the patterns at the top, or by those that ignore one of its folders. */
function ignores(text: string, path: string): boolean {
  const rules = { own: undefined, git: { outer: undefined, prefix: 0, patterns: parseIgnore(text) } };
  const parts = path.split('/');
  return parts.some((name, index) => {
    const folder = index < parts.length - 1 || name === '';
    const own = parts.slice(0, index + 1).join('/');
    return name !== '' && whatRulesSay(rules, own, name, folder) === 'git ignores it';
  });
}

describe('a pattern', () => {
  it.each([
    ['a.log', 'a.log', true],
    ['a.log', 'x/y/a.log', true],
    ['*.log', 'x/b.log', true],
    ['*.log', 'b.log.txt', false],
    ['/a.log', 'a.log', true],
    ['/a.log', 'x/a.log', false],
    ['x/a', 'x/a', true],
    ['x/a', 'y/x/a', false],
    ['build/', 'build/x', true],
    ['build/', 'x/build/y', true],
    ['build/', 'build', false],
    ['a/**', 'a/b/c', true],
    ['a/**', 'a', false],
    ['**/b', 'b', true],
    ['**/b', 'a/c/b', true],
    ['a/**/b', 'a/b', true],
    ['a/**/b', 'a/x/y/b', true],
    ['a/**/b', 'a/x/y/c', false],
    ['a/*', 'a/b', true],
    ['a/*/c', 'a/b/d/c', false],
    ['a**b', 'axxb', true],
    ['?.txt', 'a.txt', true],
    ['?.txt', 'ab.txt', false],
    ['[a-c].txt', 'b.txt', true],
    ['[!a-c].txt', 'b.txt', false],
    ['[^a-c].txt', 'd.txt', true],
    ['[]a].txt', '].txt', true],
    ['[[:digit:]]', '7', true],
    ['[a', '[a', false],
    ['[', '[', false],
    ['# no', '# no', false],
    ['\\#yes', '#yes', true],
    ['\\!yes', '!yes', true],
    ['a \\ ', 'a  ', true],
    ['a  ', 'a', true],
    ['a\r', 'a', true],
    ['\u00ef\u00bb\u00bfa', 'a', true],
    ['a\\', 'a\\', false],
    ['\\*', '*', true],
    ['\\*', 'a', false],
    ['*\n!a', 'a', false],
    ['*\n!a', 'b', true],
    ['!a\n*', 'a', true],
    ['x/\n!x/a', 'x/a', true],
    ['', 'a', false],
    ['/', 'a', false],
    ['!', 'a', false],
  ])('%j on %j: %s', (text, path, ignored) => {
    expect(ignores(text, path)).toBe(ignored);
  });

  // Tried in every way, either of these would not end in our time.
  it('that could be slow ends', () => {
    expect(ignores(`${'*a'.repeat(200)}*b`, 'a'.repeat(255))).toBe(false);
    expect(ignores(`${'**/a/'.repeat(100)}b`, 'a/'.repeat(1000))).toBe(false);
  });
});

describe('git agrees', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sallyport-ignore-'));
    spawnSync('git', ['init', '-q', folder]);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const name = fc
    .array(fc.constantFrom('a', 'b', 'c', '.', '-', ']', '!', '#', ' '), { minLength: 1, maxLength: 4 })
    .map((letters) => letters.join(''))
    .filter((text) => text !== '.' && text !== '..');
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
  const bit = fc.constantFrom(
    'a',
    'b',
    'c',
    '*',
    '**',
    '?',
    '/',
    '/',
    '[ab]',
    '[!a]',
    '[a-c]',
    '[]-]',
    '\\',
    '.',
    '!',
    ' ',
    '#',
  );
  const pattern = fc
    .array(bit, { minLength: 1, maxLength: 7 })
    .map((bits) => bits.join(''))
    // Two stars inside a name, or before an escaped slash, mean one star to the manual; git reads some otherwise.
    .filter((text) => !/[^/*]\*\*|\*\*[^/*]/.test(text));

  it('about random patterns', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(
        fc.array(pattern, { minLength: 1, maxLength: 5 }),
        fc.array(path, { minLength: 8, maxLength: 24 }),
        (patterns, paths) => {
          const text = patterns.join('\n');
          writeFileSync(join(folder, '.gitignore'), text);
          const { stdout, status, stderr } = spawnSync(
            'git',
            ['-c', 'core.excludesFile=', 'check-ignore', '--no-index', '-z', '--stdin'],
            { cwd: folder, input: paths.join('\0'), encoding: 'latin1' },
          );
          expect([status === 0 || status === 1, stderr]).toEqual([true, '']);
          const theirs = new Set(stdout.split('\0').filter((one) => one !== ''));
          const ours = new Set(paths.filter((one) => ignores(text, one)));
          expect(ours).toEqual(theirs);
        },
      ),
      { numRuns: 150 / oneOf(3) },
    );
  });

  it('about files in folders of their own', () => {
    // Created for the shape of real folders, from which git knows what is a folder.
    const files = ['a/b/c', 'a/c', 'b', 'x/build/y', 'x/z'];
    for (const file of files) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), '');
    }
    const text = '**/build/\n/a/*\n!/a/b\nz\n';
    writeFileSync(join(folder, '.gitignore'), text);
    const { stdout } = spawnSync('git', ['ls-files', '-o', '--exclude-standard'], {
      cwd: folder,
      encoding: 'utf8',
    });
    const kept = stdout.split('\n').filter((one) => one !== '' && one !== '.gitignore');
    expect(files.filter((file) => !ignores(text, file))).toEqual(kept);
  });
});
