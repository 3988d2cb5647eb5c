import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/ledger.ts';
import { loosenedSettings, readGitSettings, runningSettings, settingText } from './git-config.ts';

const none: ReadonlySet<string> = new Set();

/** The settings that git itself reads in a text; null if it rejects it. */
function byGit(file: string, text: string): readonly string[] | null {
  writeFileSync(file, text);
  const { status, stdout } = spawnSync('git', ['config', '--no-includes', '-z', '-l', '--file', file], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: '/nonexistent' },
  });
  if (status !== 0) return null;
  return stdout
    .split('\0')
    .slice(0, -1)
    .map((line) => (line.includes('\n') ? line.replace('\n', '=') : `${line}=true`));
}

/** Versions of git differ about blanks: some make a space of each, some keep those before the end of a continued line. */
function plain(settings: readonly string[] | null | undefined): readonly string[] | null {
  return settings?.map((setting) => setting.replaceAll(/[\t\r]/g, ' ').trimEnd()) ?? null;
}

describe('the settings of git in a text', () => {
  const texts = [
    '',
    '[core]\n\thooksPath = x\n',
    '[CORE] HooksPath=x ; why\n[alias]\n st = status\n',
    '[alias "a b"]\r\n\tX = "!echo \\"a;b\\" # no" # yes\r\n',
    '[a "q\\"\\\\x"] k\n',
    '[a.B]\nk = one \\\n  two\\tthree   \n',
    '[a]k=v[b]\nk=1',
    '\uFEFF[core]\nbare\n',
    '[core]\nx = "unfinished\n',
    '[core]\nx = \\q\n',
    '[core\nx = 1\n',
    'x = 1\n',
    '[core]\n!x = 1\n',
    '[core] [user] name = a\n',
    '[filter "lfs"]\n\tclean = git-lfs clean -- %f\n',
  ];
  it.each(texts)('are read as git reads them: %j', (text) => {
    const file = join(temporaryFolder(), 'config');
    const ours = readGitSettings(text)?.map(settingText) ?? null;
    expect(ours).toEqual(byGit(file, text));
  });

  it('are read as git reads them in texts by chance', () => {
    const file = join(temporaryFolder(), 'config');
    const piece = fc.constantFrom(
      ...['[core]', '[a "b c"]', '[x.Y]', '\n', '\n', '\r\n', ' ', '\t', 'key', '=', 'a', '"', '\\', '\\\n'],
      ...['#', ';', '\\"', '[', ']', 'n', '-', '.', '!sh', 'hooksPath = x', '\r', '1'],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = `[core]\n${pieces.join('')}`;
        expect(plain(readGitSettings(text)?.map(settingText))).toEqual(plain(byGit(file, text)));
      }),
      { numRuns: 150 },
    );
  });
});

describe('settings that start programs', () => {
  it.each([
    ...['[core]\nhooksPath = /tmp/x\n', '[core]\nfsmonitor = ./x\n', '[core]\nsshCommand = sh x\n'],
    ...['[core]\npager = sh -c x\n', '[core]\neditor = ./x\n', '[filter "x"]\nsmudge = ./x\n'],
    ...['[diff "x"]\ntextconv = ./x\n', '[merge "x"]\ndriver = ./x %O\n', '[credential]\nhelper = !x\n'],
    ...['[gpg]\nprogram = ./x\n', '[alias]\nst = !x\n', '[include]\npath = ../x\n'],
    ...['[includeIf "gitdir:/"]\npath = x\n', '[submodule "x"]\nupdate = !x\n'],
    ...[
      '[core]\npager = "less -F;./x"\n',
      '[core]\nsshCommand = "ssh -i k;./x"\n',
      '[core]\npager = bat|./x\n',
    ],
  ])('%j', (text) => {
    expect(runningSettings(text)).toHaveLength(1);
  });

  it.each([
    ...['[remote "o"]\nurl = https://x/y\n', '[user]\nname = !x\n', '[alias]\nst = status\n'],
    ...['[core]\npager = less -FRX\n', '[core]\neditor = vim\n', '[submodule "x"]\nupdate = rebase\n'],
    ...['[core]\nhooksPath = .husky/_\n', '[filter "lfs"]\nprocess = git-lfs filter-process\n'],
    ...['[core]\nsshCommand = ssh -i ~/.ssh/id -o StrictHostKeyChecking=no\n'],
    ...['[credential "https://github.com"]\nhelper = !/usr/bin/gh auth git-credential\n'],
  ])('and not %j', (text) => {
    expect(runningSettings(text)).toEqual([]);
  });
});

describe('a file with the settings that start programs as they were', () => {
  const before = '[core]\n\tbare = false\n\tsshCommand = sh mine\n[user]\n\tname = a\n';

  it('keeps everything else that is new', () => {
    const after = `${before}[core]\n\thooksPath = /tmp/x\n[remote "o"]\n\turl = https://x/y\n\tfetch = +a:b\n`;
    expect(loosenedSettings(before, after, none)).toEqual({
      keys: ['core.hookspath'],
      right: `${before}[core]\n[remote "o"]\n\turl = https://x/y\n\tfetch = +a:b\n`,
    });
  });

  it('has the former value of what was changed', () => {
    const after = before.replace('sh mine', 'sh theirs').replace('name = a', 'name = b');
    expect(loosenedSettings(before, after, none)?.right).toBe(before.replace('name = a', 'name = b'));
  });

  it.each([
    '[core] fsmonitor = ./x\n',
    '[alias]\n\ta = "!x\\\n y" # z\n\tb = status\n',
    '[include]\r\npath=x\r\n',
  ])('without %j', (added) => {
    const found = loosenedSettings(before, before + added, none);
    expect(runningSettings(found?.right ?? added).map(settingText)).toEqual(['core.sshcommand=sh mine']);
    expect(readGitSettings(found?.right ?? '')?.map(settingText)).toEqual(
      expect.arrayContaining(['core.bare=false', 'user.name=a']),
    );
  });

  it('is the file as it was where git would refuse it', () => {
    expect(loosenedSettings(before, `${before}[core`, none)?.right).toBe(before);
  });

  it('is not asked for where nothing more starts', () => {
    expect(loosenedSettings(before, before.replace('\tsshCommand = sh mine\n', ''), none)).toBeNull();
    expect(loosenedSettings('', before, new Set(['core.sshcommand=sh mine']))).toBeNull();
  });
});
