import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/ledger.ts';
import { Runner } from './runner.ts';

const made: Runner[] = [];
afterEach(() => {
  for (const one of made.splice(0)) one.close();
});

/** Runs a shell script, with a folder as its first argument. */
function runner(text: string, folder = temporaryFolder()): Runner {
  const one = new Runner({
    program: '/bin/sh',
    words: ['-c', text, 'sh', folder],
    environment: { PATH: '/usr/bin:/bin' },
  });
  made.push(one);
  return one;
}

/** Waits for a file that a script writes last. */
async function textOf(file: string): Promise<string> {
  while (!existsSync(file) || !readFileSync(file, 'utf8').endsWith('\n')) await setTimeout(5);
  return readFileSync(file, 'utf8').trim();
}

describe('a program that is run again and again', () => {
  it('gives what each run printed, from one shell', async () => {
    const folder = temporaryFolder();
    const one = runner(`cat "$1/names"; echo $PPID >> "$1/shells"`, folder);
    const outputs = ['a\0b\0', '', 'a\x00123\n\0', 'ends in\n\0', '0\n\0', `${'x'.repeat(300_000)}\0`];
    for (const names of outputs) {
      writeFileSync(join(folder, 'names'), names);
      expect((await one.run())?.toString()).toBe(names);
      expect(one.runNow()?.toString()).toBe(names);
    }
    const shells = readFileSync(join(folder, 'shells'), 'utf8').trim().split('\n');
    expect(new Set(shells.filter((shell) => shell !== `${process.pid}`)).size).toBe(1);
  });

  it('gives nothing where it fails, is not there, or runs already', async () => {
    expect(await runner('printf "a\\000"; exit 3').run()).toBeNull();
    expect(runner('exit 3').runNow()).toBeNull();
    const absent = new Runner({ program: '/nowhere/git', words: [], environment: {} });
    made.push(absent);
    expect([await absent.run(), absent.runNow()]).toEqual([null, null]);
    const one = runner('printf "a\\000"');
    expect((await Promise.all([one.run(), one.run()])).map(String)).toEqual(['a\0', 'null']);
  });

  it('goes on in a new shell where the last one was killed', async () => {
    const folder = temporaryFolder();
    const one = runner(
      `echo $PPID > "$1/shell"; while [ -e "$1/wait" ]; do sleep 0.01; done; printf "a\\000"`,
      folder,
    );
    writeFileSync(join(folder, 'wait'), '');
    const running = one.run();
    process.kill(-Number(await textOf(join(folder, 'shell'))), 'SIGKILL');
    expect(await running).toBeNull();
    rmSync(join(folder, 'wait'));
    expect((await one.run())?.toString()).toBe('a\0');
  });

  it('ends with its runner, in the middle of a run too', async () => {
    const folder = temporaryFolder();
    const one = runner(`echo $$ > "$1/own"; sleep 600`, folder);
    const running = one.run();
    const own = Number(await textOf(join(folder, 'own')));
    one.close();
    expect(await running).toBeNull();
    while (isThere(own)) await setTimeout(5);
    expect(isThere(own)).toBe(false);
  });

  function isThere(pid: number): boolean {
    try {
      return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0] !== 'Z';
    } catch {
      return false;
    }
  }
});
