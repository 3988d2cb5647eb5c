// Changes as people meet them: patches, commands, undo, conflicts and receipts.

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, jsonLines, newPlace, type Place } from '../support/cli.ts';
import { sandboxMissing } from '../support/command.ts';
import { atTerminal, chose, noTerminals, passphrase } from '../support/terminal.ts';

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
    expect((await cli(place, ['undo'])).stdout).toMatch(/^Undone: [0-9a-f]{8} \(2 file/m);
    expect(place.read('a.txt')).toBe('old\n');
    expect(existsSync(join(place.workspace, 'n'))).toBe(false);
    expect((await cli(place, ['receipts', 'verify'])).stdout).toBe('2 receipts, 0 problems.\n');
    expect((await cli(place, ['undo'])).stdout).toContain('nothing to undo');
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

  it('counts long runs of blanks in the diff that a person reads', async () => {
    const place = prepared();
    const hidden = `--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-old\n+new${' '.repeat(6000)}; p\u0430y\n`;
    const applied = await cli(place, ['apply', '-', '--json'], { input: hidden });
    const { snapshot } = JSON.parse(applied.stdout);
    expect((await cli(place, ['diff', snapshot])).stdout).toContain('+new⟨6,000 blanks⟩; p\\u{430}y\n');
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
  it('leaves a file that was changed since, names it, and takes the rest back', async () => {
    const place = prepared();
    await cli(place, ['apply', 'change.patch']);
    writeFileSync(join(place.workspace, 'a.txt'), 'mine\n');
    const { status, stderr } = await cli(place, ['undo']);
    expect([status, stderr]).toEqual([1, expect.stringContaining('a.txt: it was changed since')]);
    expect(place.read('a.txt')).toBe('mine\n');
    expect(existsSync(join(place.workspace, 'n'))).toBe(false);
    const again = await cli(place, ['undo']);
    expect([again.status, again.stdout]).toEqual([0, 'There is nothing to undo in this workspace.\n']);
  });

  it('takes back files by their names, and redo makes them again', async () => {
    const place = prepared();
    await cli(place, ['apply', 'change.patch']);
    const changed = place.read('a.txt');
    expect((await cli(place, ['undo', 'a.txt', '--yes'])).stdout).toContain('put back  a.txt');
    expect([place.read('a.txt'), place.read('n/b.txt')]).toEqual(['old\n', 'b\n']);
    expect((await cli(place, ['redo'])).stdout).toContain('Redone:');
    expect([place.read('a.txt'), place.read('n/b.txt')]).toEqual([changed, 'b\n']);
    expect((await cli(place, ['undo', 'n'])).status).toBe(0);
    expect(existsSync(join(place.workspace, 'n'))).toBe(false);
    const { status, stderr } = await cli(place, ['undo', 'no-such-file']);
    expect([status, stderr]).toEqual([1, expect.stringContaining('no change of no-such-file is known here')]);
    expect((await cli(place, ['redo', '--yes'])).status).toBe(0);
    expect((await cli(place, ['redo', '--yes'])).stdout).toBe(
      'There is nothing to redo in this workspace.\n',
    );
  });

  it('takes the id of a snapshot or a receipt, by any beginning that only one has', async () => {
    const place = prepared();
    await cli(place, ['apply', 'change.patch']);
    const [{ snapshots } = {}] = jsonLines((await cli(place, ['snapshots', '--json'])).stdout);
    const [{ id }] = snapshots as [{ id: string }];
    expect((await cli(place, ['snapshots'])).stdout).toMatch(/a\.txt, n\/b\.txt/);
    expect((await cli(place, ['undo', id.slice(0, 5)])).status).toBe(0);
    expect(place.read('a.txt')).toBe('old\n');
    await cli(place, ['redo']);
    const listed = (await cli(place, ['receipts'])).stdout.trim().split('\n');
    const shown = listed.map((line) => line.split(' ')[0] ?? '');
    expect(new Set(shown).size).toBe(3);
    expect((await cli(place, ['undo', shown[2] ?? ''])).status).toBe(0);
    expect(place.read('a.txt')).toBe('old\n');
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
    const [id = ''] = listed.split(' ');
    expect(listed).toContain('apply  a.txt, n/b.txt');
    const [shown] = jsonLines((await cli(place, ['receipts', 'show', id, '--json'])).stdout);
    expect(shown).toMatchObject({ action: 'apply', diffs: [{ path: 'a.txt' }, { path: 'n/b.txt' }] });
    const [envelope] = jsonLines((await cli(place, ['receipts', 'export', id])).stdout);
    expect(envelope).toMatchObject({ payloadType: 'application/vnd.in-toto+json' });
    const [head] = jsonLines((await cli(place, ['receipts', 'chain-head'])).stdout);
    expect(head).toMatchObject({ receipt: shown?.['self_hash'], heads: [{ version: 1 }] });
    await cli(place, ['undo']);
    const ids = (await cli(place, ['receipts'])).stdout
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[0]);
    expect(new Set(ids).size).toBe(2);
    for (const one of ids) expect((await cli(place, ['receipts', 'show', one ?? ''])).status).toBe(0);
    expect((await cli(place, ['receipts', 'show', 'zzzz'])).status).toBe(1);
    expect((await cli(place, ['receipts', 'what'])).status).toBe(2);
  });
});

describe('sallyport receipts verify --head', () => {
  it('finds a log that was cut since the head was kept', async () => {
    const place = prepared();
    const kept = join(place.home, 'head.json');
    const verify = (file: string) => cli(place, ['receipts', 'verify', '--head', file]);
    await cli(place, ['apply', 'change.patch']);
    copyFileSync(join(place.home, 'ledger.db'), join(place.home, 'before.db'));
    await cli(place, ['undo']);
    writeFileSync(kept, (await cli(place, ['receipts', 'chain-head'])).stdout);
    expect((await verify(kept)).stdout).toBe('2 receipts, 0 problems.\n');
    const heads = join(place.home, 'heads.json');
    writeFileSync(heads, (await cli(place, ['log', 'head'])).stdout);
    expect((await verify(heads)).stdout).toBe('2 receipts, 0 problems.\n');

    copyFileSync(join(place.home, 'before.db'), join(place.home, 'ledger.db'));
    for (const end of ['-wal', '-shm']) rmSync(join(place.home, `ledger.db${end}`), { force: true });
    // The head beside the keys tells it already; one that lies elsewhere says which receipt is gone.
    expect((await cli(place, ['receipts', 'verify'])).stdout).toContain(
      'was cut or replaced by an older copy',
    );
    const { status, stdout } = await cli(place, ['receipts', 'verify', '--head', kept, '--json']);
    expect([status, jsonLines(stdout)]).toMatchObject([1, [{ valid: false, receipts: 1 }]]);
    expect(stdout).toContain('that a signed head covers are gone');
    expect(stdout).toContain('the receipt with the hash');

    writeFileSync(kept, '');
    expect((await verify(kept)).status).toBe(2);
    writeFileSync(kept, '{"receipt":"x","heads":[]}\n');
    expect((await verify(kept)).status).toBe(2);
    expect((await verify('nowhere.json')).status).toBe(2);
  });
});

describe('files that are not looked up', () => {
  it('are named by decide, symbols check and the change that waits, and pass nowhere', async () => {
    const place = newPlace();
    const write = (path: string, content: string) => JSON.stringify({ kind: 'write', path, content });
    const decide = async (action: string) => JSON.parse((await cli(place, ['decide', action])).stdout);
    expect((await decide(write('a.ts', "import './b.ts';"))).unchecked).toEqual([
      { path: 'a.ts', why: 'index' },
    ]);
    expect((await decide(write('a.md', 'b'))).unchecked).toBeUndefined();
    writeFileSync(join(place.workspace, 'main.rs'), 'use b::c;\n');
    const checked = await cli(place, ['symbols', 'check', 'main.rs']);
    expect(checked.stdout).toContain('UNCHECKED main.rs: its language has no symbol index.');
    expect(checked.stdout).toContain('0 reference(s) of 0 file(s) checked');
    const patch = '--- a/main.rs\n+++ b/main.rs\n@@ -1,1 +1,1 @@\n-use b::c;\n+use b::d;\n';
    const staged = await cli(place, ['apply', '-', '--stage', '--run', 'r1', '--json'], { input: patch });
    const shown = await cli(place, ['changes', 'show', String(jsonLines(staged.stdout)[0]?.['change'])]);
    expect(shown.stdout).toContain('[write pass, hallucination unchecked, egress pass]');
  });
});

describe('sallyport receipts reground', () => {
  it('tells what is missing today from what was missing then', async () => {
    const place = newPlace();
    const write = (path: string, text: string) => writeFileSync(join(place.workspace, path), text);
    write('price.ts', 'export const total = 1;\n');
    expect((await cli(place, ['symbols', 'index'])).status).toBe(0);
    const patch =
      "--- /dev/null\n+++ b/a.ts\n@@ -0,0 +1,2 @@\n+import { total, tax } from './price.ts';\n+export const a = [total, tax];\n";
    const [applied] = jsonLines((await cli(place, ['apply', '-', '--json'], { input: patch })).stdout);
    const receipt = applied?.['receipt'] as { receipt_id: string; missing_references: unknown[] };
    expect(receipt.missing_references).toMatchObject([{ path: 'a.ts', name: 'tax' }]);
    const reground = () => cli(place, ['receipts', 'reground', receipt.receipt_id]);
    expect(await reground()).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('still missing: tax'),
    });
    write('price.ts', 'export const tax = 1;\n');
    expect(await reground()).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/missing now: total .*\nnot missing any more: tax/),
    });
    write('price.ts', 'export const tax = 1, total = 2;\n');
    expect((await reground()).status).toBe(0);
    mkdirSync(join(place.workspace, 'sub'));
    const other = await cli(place, ['receipts', 'reground', receipt.receipt_id, '--workspace', 'sub']);
    expect([other.status, other.stderr]).toEqual([2, expect.stringContaining('another workspace')]);
    rmSync(join(place.workspace, 'a.ts'));
    expect(await reground()).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('not there any more: a.ts'),
    });
  });
});

describe('sallyport rollback', () => {
  it('takes back by snapshot, by run, and the last', async () => {
    const place = prepared();
    const roll = (...args: readonly string[]) => cli(place, ['rollback', ...args]);
    const [applied] = jsonLines(
      (await cli(place, ['apply', 'change.patch', '--run', 'r1', '--json'])).stdout,
    );
    expect((await roll('--snapshot', String(applied?.['snapshot']))).stdout).toMatch(/^Undone:/);
    expect(place.read('a.txt')).toBe('old\n');
    await cli(place, ['apply', 'change.patch', '--run', 'r2']);
    expect((await roll('--run', 'r2', '--json')).stdout).toContain('"undone":[{');
    await cli(place, ['apply', 'change.patch', '--run', 'r3']);
    expect((await roll('--last')).stdout).toMatch(/^Undone:/);
    expect(place.read('a.txt')).toBe('old\n');
    expect((await roll('--last')).stdout).toContain('nothing to undo');
    for (const wrong of [[], ['--last', '--run', 'x'], ['what']])
      expect((await roll(...wrong)).status).toBe(2);
    expect((await cli(place, ['receipts', 'verify'])).stdout).toBe('6 receipts, 0 problems.\n');
  });
});

const numbers = Array.from({ length: 50 }, (_, index) => `${index + 1}\n`);
const threeHunks =
  '--- a/n.txt\n+++ b/n.txt\n@@ -5 +5 @@\n-5\n+five\n@@ -25 +25 @@\n-25\n+twenty-five\n@@ -45 +45 @@\n-45\n+forty-five\n';

/** A change of three hunks that waits. */
async function proposed() {
  const place = prepared();
  writeFileSync(join(place.workspace, 'n.txt'), numbers.join(''));
  const staged = await cli(place, ['apply', '-', '--stage', '--run', 'r1', '--json'], { input: threeHunks });
  expect(staged.status).toBe(3);
  const id = String(jsonLines(staged.stdout)[0]?.['change']);
  return { ...place, id };
}

describe('sallyport changes', () => {
  it('lists and shows what waits, and takes a no without a passphrase', async () => {
    const place = await proposed();
    const { id } = place;
    expect(place.read('n.txt')).toBe(numbers.join(''));
    expect((await cli(place, ['changes'])).stdout).toMatch(
      new RegExp(`^${id}  default in .*: n.txt  \\(3 hunk`),
    );
    const { stdout: shown } = await cli(place, ['changes', 'show', id]);
    expect(shown).toContain('edit  n.txt  [write pass, hallucination pass, egress pass]');
    expect(shown).toMatch(/hunk 2 \(lines\): undecided\n.*\n(?:.*\n)*? {2}-25\n {2}\+twenty-five\n/);
    expect((await cli(place, ['changes', 'reject', id, '--hunks', '1-2'])).stdout).toContain(
      '1 of 3 hunk(s)',
    );
    const [view] = jsonLines((await cli(place, ['changes', 'show', id, '--json'])).stdout);
    expect(view).toMatchObject({ files: [{ hunks: [{ decision: 'reject' }, {}, { decision: null }] }] });
    expect((await cli(place, ['changes', 'reject', id])).stdout).toContain('Rejected');
    expect((await cli(place, ['changes', 'show', id])).stdout).toContain('is rejected');
    expect((await cli(place, ['changes'])).stdout).toContain('No change waits');
    expect((await cli(place, ['receipts', 'verify'])).stdout).toBe('1 receipts, 0 problems.\n');
  });

  it('refuses what needs a person, and what it does not know', async () => {
    const place = await proposed();
    const refused: readonly (readonly [string, readonly string[], number])[] = [
      ['accept without a terminal', ['accept', 'ID'], 1],
      ['apply without a terminal', ['apply', 'ID', '--all'], 1],
      ['a hunk that is not there', ['reject', 'ID', '--hunks', '9'], 2],
      ['hunks that are no numbers', ['reject', 'ID', '--hunks', 'x'], 2],
      ['a file that it does not touch', ['reject', 'ID', '--file', 'x'], 2],
      ['two choices', ['reject', 'ID', '--file', 'x', '--all'], 2],
      ['an unknown change', ['show', 'nothing'], 1],
      ['an unknown word', ['what'], 2],
      ['no id', ['show'], 2],
      ['too many words', ['list', 'x'], 2],
    ];
    for (const [what, args, status] of refused) {
      const words = args.map((word) => (word === 'ID' ? place.id : word));
      expect([what, (await cli(place, ['changes', ...words])).status]).toEqual([what, status]);
    }
    expect(place.read('n.txt')).toBe(numbers.join(''));
  });

  it('is decided by autonomy', async () => {
    const place = prepared();
    const set = (text: string) => {
      mkdirSync(place.home, { recursive: true, mode: 0o700 });
      writeFileSync(join(place.home, 'sallyport.toml'), text);
    };
    set('[agents.default]\nautonomy = "hybrid"');
    expect(await cli(place, ['apply', 'change.patch'])).toMatchObject({
      ...{ status: 3, stdout: expect.stringContaining('a person looks at every proposed change') },
    });
    set('[agents.default]\nautonomy = "manual"');
    expect(await cli(place, ['apply', 'change.patch'])).toMatchObject({
      ...{ status: 1, stdout: expect.stringContaining('autonomy_manual') },
    });
    set(`[workspaces."${realpathSync(place.workspace)}"]\nautonomy = "autonomous"\n[changes]\nrun_files = 2`);
    expect((await cli(place, ['apply', 'change.patch', '--stage'])).status).toBe(3);
    expect((await cli(place, ['apply', 'change.patch'])).stdout).toContain('changed  a.txt');
    const more = '--- /dev/null\n+++ b/c.txt\n@@ -0,0 +1 @@\n+c\n';
    expect(await cli(place, ['apply', '-'], { input: more })).toMatchObject({
      ...{ status: 3, stdout: expect.stringContaining('the budget of a run is 2 files') },
    });
  });
});

describe.skipIf(noTerminals)('sallyport changes at a terminal', () => {
  it('accepts and applies with the passphrase, and exactly what is named', async () => {
    const place = await proposed();
    await chose(place);
    const { id } = place;
    const accepted = await atTerminal(place, ['changes', 'accept', id, '--hunks', '1'], [passphrase]);
    expect([accepted.status, accepted.stdout]).toEqual([0, expect.stringContaining('2 of 3 hunk(s)')]);
    const wrong = await atTerminal(place, ['changes', 'apply', id], ['wrong wrong wrong']);
    expect([wrong.status, place.read('n.txt')]).toEqual([1, numbers.join('')]);
    const applied = await atTerminal(place, ['changes', 'apply', id, '--hunks', '2,3'], [passphrase]);
    expect([applied.status, applied.stdout]).toEqual([0, expect.stringContaining('changed  n.txt')]);
    expect(place.read('n.txt')).toBe(
      numbers.join('').replace('25\n', 'twenty-five\n').replace('45\n', 'forty-five\n'),
    );
    const again = await atTerminal(place, ['changes', 'apply', id], [passphrase]);
    expect(again).toMatchObject({ status: 1, unasked: 1 });
    expect((await cli(place, ['rollback', '--run', 'r1'])).stdout).toMatch(/^Undone:/);
    expect(place.read('n.txt')).toBe(numbers.join(''));
    expect((await cli(place, ['receipts', 'verify'])).stdout).toBe('2 receipts, 0 problems.\n');
  });
});
