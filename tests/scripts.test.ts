// What a clone runs: scripts that fail with a sentence, and the command line from sources that are newer than the bundle.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { fillPages } from '../scripts/pages.ts';
import { versioned } from '../scripts/release.ts';
import { temporaryFolder } from './support/ledger.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

describe('a script that fails', () => {
  const failing = (code: string) => {
    const file = join(temporaryFolder(), 'script.ts');
    writeFileSync(file, code);
    const preload = join(root, 'scripts', 'errors.mjs');
    return spawnSync(process.execPath, ['--import', preload, file, '--unknown'], { encoding: 'utf8' });
  };

  test.each([
    ['throws', "throw new Error('It was not written.');", 'It was not written.\n'],
    ['rejects', "await Promise.reject(new Error('It was not written.'));", 'It was not written.\n'],
    ['forgets a promise', "void Promise.reject(new Error('It was late.'));", 'It was late.\n'],
    [
      'reads its options',
      "import { parseArgs } from 'node:util';\nparseArgs({ options: {} });",
      "Unknown option '--unknown'\n",
    ],
    [
      'reads a file',
      "import { readFileSync } from 'node:fs';\nreadFileSync('/none');",
      "ENOENT: no such file or directory, open '/none'\n",
    ],
  ])('says one sentence where it %s', (_, code, message) => {
    expect(failing(code)).toMatchObject({ status: 1, stdout: '', stderr: message });
  });

  test('shows the stack of a mistake in its code', () => {
    const { status, stderr } = failing('const value: any = undefined;\nvalue.name;');
    expect(status).toBe(1);
    expect(stderr).toMatch(/^TypeError: .+\n +at .*script\.ts:2/);
  });

  test('leaves the error of a thread to the thread’s owner', () => {
    const { status, stdout } = failing(
      `import { Worker } from 'node:worker_threads';
       const worker = new Worker('throw new Error("inside")', { eval: true });
       worker.on('error', ({ message }) => process.stdout.write(message));`,
    );
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'inside' });
  });
});

describe('pages with generated parts', () => {
  const pageWith = (part: string): string => {
    const file = join(temporaryFolder(), 'page.md');
    writeFileSync(file, `<!-- generated: ${part} -->\n<!-- end of generated -->\n`);
    return relative(root, file);
  };

  test('name the page and the lines that a new part needs', () => {
    const parts = new Map([
      ['command old', 'x'],
      ['command new', 'x'],
    ]);
    const page = pageWith('command old');
    expect(() => fillPages([page], parts)).toThrow(
      `no page has the part "command new". Add the lines <!-- generated: command new --> and <!-- end of generated --> to ${page}.`,
    );
  });

  test('name the page whose part has no end', () => {
    const page = pageWith('command old');
    const open = join(dirname(page), 'open.md');
    writeFileSync(open, '<!-- generated: command new -->\n\nx\n');
    const parts = new Map([
      ['command old', 'x'],
      ['command new', 'x'],
    ]);
    expect(() => fillPages([page, open], parts)).toThrow(
      `the part "command new" of ${open} has no end of its own. Add the line <!-- end of generated --> behind it.`,
    );
  });

  test('name the page whose part nothing makes', () => {
    const page = pageWith('command old');
    expect(() => fillPages([page], new Map())).toThrow(
      `nothing makes the part "command old" that ${page} has`,
    );
  });
});

describe('the command line of a clone', () => {
  const bundle = 'dist/cli.cjs';
  const before = new Date('2026-01-01');
  const built = new Date('2026-01-02');
  const after = new Date('2026-01-03');

  function clone() {
    const folder = temporaryFolder();
    cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true });
    cpSync(join(root, 'scripts/source-bundle.cjs'), join(folder, 'scripts/source-bundle.cjs'));
    for (const name of ['dist', 'src/cli']) mkdirSync(join(folder, name), { recursive: true });
    const say = (word: string) => `main: () => process.stdout.write('${word}')`;
    writeFileSync(join(folder, bundle), `module.exports = { ${say('bundle')} };`);
    writeFileSync(
      join(folder, 'src/cli/main.ts'),
      `export const { main }: { main(): void } = { ${say('source')} };`,
    );
    writeFileSync(join(folder, 'src/cli/main.test.ts'), '');
    const at = (name: string, time: Date) => utimesSync(join(folder, name), time, time);
    for (const name of ['src/cli/main.ts', 'src/cli/main.test.ts', 'src/cli', 'src']) at(name, before);
    at(bundle, built);
    const entry = join(folder, 'bin', 'sallyport.cjs');
    const run = () =>
      spawnSync(process.execPath, [entry], { encoding: 'utf8', env: { HOME: folder } }).stdout;
    return { folder, at, run };
  }

  test.each([
    ['the bundle that is newer than every source', [], 'bundle'],
    ['the sources where one is newer', ['src/cli/main.ts'], 'source'],
    ['the sources where one was added or removed', ['src/cli'], 'source'],
    ['the bundle where only a test is newer', ['src/cli/main.test.ts'], 'bundle'],
  ])('is %s', (_, touched, expected) => {
    const { at, run } = clone();
    for (const name of touched) at(name, after);
    expect(run()).toBe(expected);
  });

  test('is the sources where there is no bundle, and the bundle where there are no sources', () => {
    const { folder, run } = clone();
    rmSync(join(folder, bundle));
    expect(run()).toBe('source');
    const packed = clone();
    rmSync(join(packed.folder, 'src'), { recursive: true });
    expect(packed.run()).toBe('bundle');
  });
});

describe('a release', () => {
  const texts = new Map([
    ['package.json', '{\n  "name": "sallyport",\n  "version": "0.1.0"\n}\n'],
    ['src/cli/version.ts', "export const version = '0.1.0';\n"],
    ['deploy/compose.yaml', 'image: sallyport:0.1.0\n'],
    ['clients/python/pyproject.toml', '[project]\nversion = "0.1.0"\n'],
    ['docs/get-started.md', '$ npm install ./sallyport-0.1.0.tgz\nSallyport 0.1.0 on Node …\n'],
    [
      'package-lock.json',
      '{ "name": "sallyport",\n  "version": "0.1.0", "other": { "version": "0.1.0" } }\n',
    ],
    ['CHANGELOG.md', '# Changelog\n\n## Unreleased\n\n### Added\n'],
  ]);

  test('has its version everywhere, and its day in the changelog', () => {
    const changed = versioned(texts, '0.2.0', '2026-01-02');
    for (const [file, text] of changed) expect(text, file).toContain('0.2.0');
    expect(changed.get('package-lock.json')).toContain('"other": { "version": "0.1.0" }');
    expect(changed.get('CHANGELOG.md')).toBe(
      '# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-01-02)\n\n### Added\n',
    );
    expect([...changed.keys()].toSorted()).toEqual([...texts.keys()].toSorted());
  });

  test.each([
    ['0.1.0', texts, /not later than 0\.1\.0/],
    ['0.0.9', texts, /not later/],
    ['next', texts, /not a version/],
    ['0.2.0', new Map([...texts, ['CHANGELOG.md', '# Changelog\n']]), /no section/],
    ['0.2.0', new Map([...texts, ['deploy/compose.yaml', 'image: sallyport:0.0.9\n']]), /compose\.yaml/],
  ])('is not cut as %s where something is wrong: %#', (version, given, problem) => {
    expect(() => versioned(given, version, '2026-01-02')).toThrow(problem);
  });
});
