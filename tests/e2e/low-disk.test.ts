// A disk that is almost full refuses before a command runs, never on the way.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, newPlace } from '../support/cli.ts';
import { temporaryFolder } from '../support/ledger.ts';

const mebibyte = 1_048_576;
const program = '/usr/bin/bwrap';
const noSmallDisk =
  spawnSync(program, ['--dev-bind', '/', '/', '--size', '4096', '--tmpfs', '/tmp', 'true']).status !== 0;

function fill(workspace: string): void {
  for (let index = 0; index < 8; index++)
    writeFileSync(join(workspace, `f${index}`), Buffer.alloc(mebibyte, index));
}

/** What runs a program that finds a disk of so many MiB in a folder. */
function withDisk(folder: string, size: number): readonly string[] {
  return ['--dev-bind', '/', '/', '--size', String(size * mebibyte), '--tmpfs', folder];
}

/** Looks at 8 MiB of files with a store on a disk of so many MiB, of which so many are left after the first. */
function looks(size: number, left: number) {
  const folder = temporaryFolder();
  const [disk, workspace] = [join(folder, 'disk'), join(folder, 'work')];
  for (const made of [disk, workspace]) mkdirSync(made);
  fill(workspace);
  const script = join(import.meta.dirname, '../support/low-disk.ts');
  const ended = spawnSync(
    program,
    [...withDisk(disk, size), process.execPath, script, disk, workspace, String(left * mebibyte)],
    { encoding: 'utf8' },
  );
  expect(ended.stderr).toBe('');
  return JSON.parse(ended.stdout);
}

const refused = { error: 'LowDisk', message: expect.stringContaining('too little room'), begun: 0 };

describe.skipIf(noSmallDisk)('a small disk', () => {
  it('without room for the files keeps none of them', () => {
    expect(looks(70, 70)[0]).toEqual(refused);
    // Room for the copy, and none for a snapshot of a command that deletes everything.
    expect(looks(76, 76)[0]).toEqual(refused);
  });

  it('that is taken meanwhile records what changed, and refuses the next command', () => {
    expect(looks(200, 20)).toEqual([{ complete: true, begun: 0 }, 1, refused]);
  });

  it('refuses a command of exec, which then does not run', async () => {
    const place = newPlace();
    fill(place.workspace);
    mkdirSync(place.home, { mode: 0o700 });
    const words = ['exec', '--profile', 'developer', '--', 'touch', 'made'];
    const wrapper = (size: number) => [program, ...withDisk(place.home, size)];
    const refusal = await cli(place, words, { wrapper: wrapper(70) });
    expect(refusal).toMatchObject({ status: 1, stderr: expect.stringContaining('too little room') });
    expect(existsSync(join(place.workspace, 'made'))).toBe(false);
    expect(await cli(place, words, { wrapper: wrapper(300) })).toMatchObject({ status: 0 });
    expect(existsSync(join(place.workspace, 'made'))).toBe(true);
  });

  it('with room enough is no matter', () => {
    expect(looks(200, 100)).toEqual([{ complete: true, begun: 0 }, 1, { complete: true, begun: 0 }]);
  });
});
