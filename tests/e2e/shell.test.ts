// sallyport shell, and exec as a transaction, as people and scripts meet them.

import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, jsonLines, newPlace, type Place } from '../support/cli.ts';
import { hidden } from '../support/hidden.ts';
import { overlayMissing } from '../support/overlay.ts';

/** A workspace with a script in it. */
function placeWith(script: string): Place {
  const place = newPlace();
  mkdirSync(join(place.workspace, 'src'), { recursive: true });
  for (let at = 1; at <= 8; at++)
    writeFileSync(join(place.workspace, `src/${at}.ts`), `export const n = ${at};\n`);
  writeFileSync(join(place.workspace, 'run.sh'), `${script}\n`);
  return place;
}

describe.skipIf(overlayMissing !== null)('sallyport shell', () => {
  it('shows what a command would change, and discards it', async () => {
    const place = placeWith('echo new > new.txt; rm src/1.ts; echo said');
    const { status, stdout, stderr } = await cli(place, ['shell', '--show', '--', 'bash', 'run.sh']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^said\nIn .* the command creates new\.txt; deletes src\/1\.ts:\n/);
    expect(stdout).toContain('+new\n');
    expect(stderr).toContain('nothing that it changed was kept: this was a trial');
    expect(existsSync(join(place.workspace, 'new.txt'))).toBe(false);
    expect(existsSync(join(place.workspace, 'src/1.ts'))).toBe(true);
  });

  it('says of a trial what the verdict would be, asks nobody, and runs nothing on the real folders', async () => {
    const place = placeWith('rm -r src; git clone -q . copy');
    const tried = await cli(place, ['shell', '--show', '-c', 'bash run.sh']);
    expect(tried.stdout).toContain('APPROVE write/command_destroys');
    expect((await cli(place, ['approvals', '--json'])).stdout).not.toContain('command_destroys');
    await cli(place, ['shell', '--show', '-c', 'git init -q . && git clone -q . copy']);
    expect(readdirSync(place.workspace).sort()).toEqual(['run.sh', 'src']);
  });

  it('commits what passes, and undo takes it back', async () => {
    const place = placeWith('echo new > new.txt');
    expect(await cli(place, ['shell', '-c', 'bash run.sh'])).toMatchObject({ status: 0, stderr: '' });
    expect(readFileSync(join(place.workspace, 'new.txt'), 'utf8')).toBe('new\n');
    expect((await cli(place, ['undo', '--yes'])).stdout).toContain('Undone:');
    expect(existsSync(join(place.workspace, 'new.txt'))).toBe(false);
  });

  it('ends with 3 where a person must look at the changes, and with 1 where they are blocked', async () => {
    const asks = placeWith('rm -r src');
    const asked = await cli(asks, ['shell', '--json', '-c', 'bash run.sh']);
    expect(asked.status).toBe(3);
    expect(jsonLines(asked.stdout)).toMatchObject([
      {
        decision: 'approve',
        exit_code: 0,
        committed: null,
        discarded: expect.stringContaining('deletes 8 files in src/'),
        approval: { id: expect.any(String) },
      },
    ]);
    expect(readdirSync(join(asks.workspace, 'src'))).toHaveLength(8);
    const blocks = newPlace();
    const script = 'mkdir .claude; echo {} > .claude/settings.json';
    const blocked = await cli(blocks, ['shell', '-c', hidden(blocks.workspace, script)]);
    expect(blocked.status).toBe(1);
    expect(blocked.stderr).toContain('The command creates .claude/settings.json');
    expect(existsSync(join(blocks.workspace, '.claude'))).toBe(false);
  });

  it('is how exec runs commands where the configuration says so', async () => {
    const place = placeWith('rm -r src');
    mkdirSync(place.home, { recursive: true });
    appendFileSync(join(place.home, 'sallyport.toml'), '[shell]\ntransactional = true\n');
    const args = ['exec', '--profile', 'developer', '--json', '-c'];
    expect(await cli(place, [...args, 'bash run.sh'])).toMatchObject({ status: 3 });
    expect(readdirSync(join(place.workspace, 'src'))).toHaveLength(8);
    const made = await cli(place, [...args, 'touch made.txt']);
    expect(jsonLines(made.stdout)).toMatchObject([
      { decision: 'pass', changes: [{ op: 'create', path: 'made.txt', type: 'file' }], discarded: null },
    ]);
  });
});

it.each([[[]], [['-c', 'ls', '--', 'ls']]])('sallyport shell %j is wrong use', async (args) => {
  const { status, stderr } = await cli(newPlace(), ['shell', ...args]);
  expect(status).toBe(2);
  expect(stderr).toContain('give a command after --, or with -c');
});

describe.skipIf(overlayMissing !== null)('a disk that is full', () => {
  /** The words that start a command where a folder of Sallyport's home holds no more than so much. */
  const small = (folder: string, size: string) => [
    ...['unshare', '-Urm', '--', '/bin/sh', '-c'],
    ...[`mkdir -p "$1" && mount -t tmpfs -o size=${size} small "$1" && shift && exec "$@"`, 'sh', folder],
  ];

  it.each([
    ['where changes are kept until they count', 'shell', '1m'],
    ['where snapshots are', 'snapshots', '64k'],
  ])('%s: nothing half is committed', async (_, folder, size) => {
    const place = placeWith('head -c 3000000 /dev/urandom > noise.bin && rm src/1.ts big.bin');
    writeFileSync(join(place.workspace, 'big.bin'), randomBytes(2_000_000));
    const before = readdirSync(place.workspace, { recursive: true }).sort();
    mkdirSync(place.home, { recursive: true, mode: 0o700 });
    writeFileSync(join(place.home, 'sallyport.toml'), '[shell]\ntransactional = true\n', { mode: 0o600 });
    const ran = await cli(place, ['exec', '--profile', 'developer', '-c', 'bash run.sh'], {
      wrapper: small(join(place.home, folder), size),
    });
    expect(ran.status).not.toBe(0);
    const after = readdirSync(place.workspace, { recursive: true }).sort();
    expect(after.filter((name) => name !== 'noise.bin')).toEqual(before);
    expect(ran.stderr).not.toContain('without a transaction');
    const said = folder === 'shell' ? 'No space left on device' : 'nothing that it changed was kept';
    expect(ran.stderr).toContain(said);
    if (folder === 'snapshots') expect(after).toEqual(before);
  });
});
