// Changes as people meet them: patches, commands, undo, conflicts and receipts.

import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, jsonLines, newPlace, type Place } from '../support/cli.ts';
import { sandboxMissing } from '../support/command.ts';

const patch =
  '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-old\n+new\n--- /dev/null\n+++ b/n/b.txt\n@@ -0,0 +1 @@\n+b\n';

function prepared(): Place & { read(path: string): string } {
  const place = newPlace();
  writeFileSync(join(place.workspace, 'a.txt'), 'old\n');
  writeFileSync(join(place.workspace, 'change.patch'), patch);
  return { ...place, read: (path) => readFileSync(join(place.workspace, path), 'utf8') };
}

describe('sallyport apply', () => {
  it('applies, is taken back, and leaves receipts that verify', async () => {
    const place = prepared();
    const applied = await cli(place, ['apply', 'change.patch', '--json']);
    expect(jsonLines(applied.stdout)).toMatchObject([
      { decision: 'pass', receipt: { applied: true, action: 'apply' } },
    ]);
    expect([place.read('a.txt'), place.read('n/b.txt')]).toEqual(['new\n', 'b\n']);
    expect((await cli(place, ['undo'])).stdout).toMatch(/^Took back [0-9a-f]{8} \(2 file/);
    expect(place.read('a.txt')).toBe('old\n');
    expect(existsSync(join(place.workspace, 'n'))).toBe(false);
    expect((await cli(place, ['receipts', 'verify'])).stdout).toBe('2 receipts, 0 problems.\n');
    expect((await cli(place, ['undo'])).stdout).toContain('nothing to take back');
  });

  it('refuses a guarded file, writes nothing, and says so in a receipt', async () => {
    const place = prepared();
    const hook = '--- /dev/null\n+++ b/.git/hooks/pre-commit\n@@ -0,0 +1 @@\n+evil\n';
    const { status, stdout } = await cli(place, ['apply', '-', '--json'], { input: patch + hook });
    expect(status).toBe(1);
    expect(jsonLines(stdout)).toMatchObject([
      { decision: 'block', snapshot: null, receipt: { action: 'reject' } },
    ]);
    expect(place.read('a.txt')).toBe('old\n');
  });

  it('waits where a person must say yes', async () => {
    const manifest = '--- /dev/null\n+++ b/package.json\n@@ -0,0 +1 @@\n+{}\n';
    const place = prepared();
    const { status } = await cli(place, ['apply', '-'], { input: manifest });
    expect(status).toBe(3);
    expect(existsSync(join(place.workspace, 'package.json'))).toBe(false);
  });

  it.each([
    ['what is no patch', 'hello', 'changes no file'],
    ['a hunk that does not fit', '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-other\n+new\n', 'does not fit'],
  ])('says what is wrong with %s', async (_, input, message) => {
    const { status, stderr } = await cli(prepared(), ['apply', '-'], { input });
    expect(stderr).toContain(message);
    expect(status).toBe(2);
  });
});

describe('sallyport undo', () => {
  it('does nothing where a file was changed since, and names it', async () => {
    const place = prepared();
    await cli(place, ['apply', 'change.patch']);
    writeFileSync(join(place.workspace, 'a.txt'), 'mine\n');
    const { status, stderr } = await cli(place, ['undo']);
    expect([status, stderr]).toEqual([1, expect.stringContaining('a.txt')]);
    expect([place.read('a.txt'), place.read('n/b.txt')]).toEqual(['mine\n', 'b\n']);
  });

  it('takes a whole run back, the latest first', async () => {
    const place = prepared();
    await cli(place, ['apply', 'change.patch', '--run', 'r1']);
    const second = '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-new\n+newer\n';
    await cli(place, ['apply', '-', '--run', 'r1'], { input: second });
    const { stdout } = await cli(place, ['undo', '--run', 'r1', '--json']);
    expect(jsonLines(stdout)).toMatchObject([{ undone: [{ files: 1 }, { files: 2 }] }]);
    expect(place.read('a.txt')).toBe('old\n');
  });

  it.skipIf(sandboxMissing !== null)(
    'brings back what a command deleted and edited, byte for byte',
    async () => {
      const place = prepared();
      const bytes = Buffer.from([0, 1, 2, 255, 10, 13]);
      mkdirSync(join(place.workspace, 'deep'));
      writeFileSync(join(place.workspace, 'deep/x.bin'), bytes);
      writeFileSync(join(place.workspace, '.env'), 'KEY=1');
      symlinkSync('a.txt', join(place.workspace, 'link'));
      const command =
        'rm deep/x.bin link; rmdir deep; echo changed > a.txt; echo new > made.txt; chmod 600 change.patch';
      const ran = await cli(place, ['exec', '--profile', 'developer', '-c', command]);
      expect([ran.stderr, ran.status]).toEqual(['', 0]);
      expect(existsSync(join(place.workspace, 'deep'))).toBe(false);
      expect((await cli(place, ['undo'])).status).toBe(0);
      expect(readFileSync(join(place.workspace, 'deep/x.bin'))).toEqual(bytes);
      expect([place.read('a.txt'), place.read('link')]).toEqual(['old\n', 'old\n']);
      expect(existsSync(join(place.workspace, 'made.txt'))).toBe(false);
      expect((await cli(place, ['receipts', 'verify'])).stdout).toBe('2 receipts, 0 problems.\n');
    },
  );

  it.skipIf(sandboxMissing !== null)('brings back what a script of the project did', async () => {
    const place = prepared();
    writeFileSync(join(place.workspace, 'build.sh'), 'echo built > a.txt\n', { mode: 0o755 });
    const ran = await cli(place, ['exec', '--profile', 'developer', '-c', './build.sh']);
    expect([ran.stderr, ran.status, place.read('a.txt')]).toEqual(['', 0, 'built\n']);
    expect((await cli(place, ['undo'])).status).toBe(0);
    expect(place.read('a.txt')).toBe('old\n');
  });

  it('knows no snapshot of another workspace', async () => {
    const { status, stderr } = await cli(newPlace(), ['undo', 'abcd1234']);
    expect([status, stderr]).toEqual([1, expect.stringContaining('there is no snapshot')]);
  });
});

describe('sallyport receipts', () => {
  it('lists, shows and exports', async () => {
    const place = prepared();
    expect((await cli(place, ['receipts'])).stdout).toContain('no receipts yet');
    await cli(place, ['apply', 'change.patch']);
    const { stdout: listed } = await cli(place, ['receipts']);
    const id = listed.slice(0, 8);
    expect(listed).toContain('apply  a.txt, n/b.txt');
    const [shown] = jsonLines((await cli(place, ['receipts', 'show', id, '--json'])).stdout);
    expect(shown).toMatchObject({ action: 'apply', diffs: [{ path: 'a.txt' }, { path: 'n/b.txt' }] });
    const [envelope] = jsonLines((await cli(place, ['receipts', 'export', id])).stdout);
    expect(envelope).toMatchObject({ payloadType: 'application/vnd.in-toto+json' });
    const [{ head } = {}] = jsonLines((await cli(place, ['receipts', 'head', '--json'])).stdout);
    expect(head).toBe(shown?.['self_hash']);
    expect((await cli(place, ['receipts', 'show', 'zzzz'])).status).toBe(1);
    expect((await cli(place, ['receipts', 'what'])).status).toBe(2);
  });
});
