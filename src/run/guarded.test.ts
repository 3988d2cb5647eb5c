// What a command may do to repositories and to files that start programs later, tested inside the real sandbox. The
// proof of a planted hook is that git runs it outside.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { attempt, type CommandPlace, commandPlace, sandboxMissing } from '../../tests/support/command.ts';

const template = mkdtempSync(join(tmpdir(), 'sallyport-test-'));

afterAll(() => {
  rmSync(template, { recursive: true });
});

afterEach(() => {
  vi.unstubAllEnvs();
});

const identity = [
  '-c',
  'user.name=Ann',
  '-c',
  'user.email=ann@example.com',
  '-c',
  'protocol.file.allow=always',
];
const environment = { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };

/** Git as the user runs it, outside of any sandbox. */
function git(folder: string, ...args: readonly string[]): string {
  return execFileSync('git', [...identity, ...args], {
    cwd: folder,
    env: environment,
    stdio: 'pipe',
  }).toString();
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** A repository with one commit, created once and copied. */
function repositoryAt(folder: string): void {
  if (!existsSync(join(template, '.git'))) {
    git(template, 'init', '-q', '.');
    git(template, 'config', 'user.name', 'Ann');
    git(template, 'config', 'user.email', 'ann@example.com');
    put(join(template, 'a.txt'), 'one\n');
    git(template, 'add', 'a.txt');
    git(template, 'commit', '-qm', 'one');
  }
  cpSync(template, folder, { recursive: true });
}

/** A workspace with a repository, one inside it, and one two folders down. */
function repositories(): CommandPlace {
  const place = commandPlace();
  for (const name of ['', 'nested', 'packages/deep']) repositoryAt(join(place.workspace, name));
  return place;
}

/** All entries of a folder, by name and content. */
function digest(folder: string): string {
  const hash = createHash('sha256');
  const look = (path: string): void => {
    hash.update(path);
    if (lstatSync(path).isDirectory()) for (const name of readdirSync(path).sort()) look(join(path, name));
    else if (lstatSync(path).isFile()) hash.update(readFileSync(path));
  };
  look(folder);
  return hash.digest('hex');
}

const python = (source: string) => ({ kind: 'python', source }) as const;
/** The guards' facts about a command that has git change something. */
const changesGit = { facts: { effects: { git: 1 } } };

/** The source of a program that creates a hook in a folder of hooks; the hook leaves a mark where it runs. */
const planted = (hooks: string) =>
  [
    'import os',
    `os.makedirs(${JSON.stringify(hooks)}, exist_ok=True)`,
    `path = os.path.join(${JSON.stringify(hooks)}, 'pre-commit')`,
    `open(path, 'w').write('#!/bin/sh\\ntouch "$(git rev-parse --show-toplevel)/ran"\\n')`,
    'os.chmod(path, 0o755)',
  ].join('\n');

/** Whether a hook runs at the user's next commit. */
function hookRuns(folder: string): boolean {
  try {
    git(folder, 'commit', '-q', '--allow-empty', '-m', 'next');
  } catch {
    // A hook that fails has run, too.
  }
  return existsSync(join(folder, 'ran'));
}

describe.skipIf(sandboxMissing !== null)('a command that names no git', () => {
  it.each([
    ['deletes it and ignores errors', 'import shutil\nshutil.rmtree(".git", ignore_errors=True)'],
    ['deletes one inside', 'import shutil\nshutil.rmtree("nested/.git", ignore_errors=True)'],
    ['deletes one two folders down', 'import shutil\nshutil.rmtree("packages", ignore_errors=True)'],
    ['renames it', 'import os\nos.rename(".git", "other")'],
    ['renames a folder with one inside', 'import os\nos.rename("nested", "other")'],
    ['renames a folder above one', 'import os\nos.rename("packages", "other")'],
    ['exchanges a folder with one inside', 'import os\nos.mkdir("x")\nos.rename("x", "nested")'],
    ['writes a branch', 'open(".git/refs/heads/master", "w").write("x")'],
    ['writes its settings', 'open(".git/config", "a").write("[core]\\nfsmonitor = id")'],
    ['writes a hook', planted('.git/hooks')],
    ['writes a hook of one inside', planted('packages/deep/.git/hooks')],
    [
      'writes settings through a second name',
      'import os\nos.link(".git/config", "x")\nopen("x", "a").write("x")',
    ],
    ['changes its rights', 'import os\nos.chmod(".git/config", 0o777)\nos.chmod(".git", 0o700)'],
  ])('changes nothing of a repository when it %s', async (_, source) => {
    const place = repositories();
    const folders = ['.git', 'nested/.git', 'packages/deep/.git'].map((name) => join(place.workspace, name));
    const before = folders.map(digest);
    await attempt(place, python(source));
    expect(folders.map(digest)).toEqual(before);
    for (const name of ['', 'nested', 'packages/deep']) {
      expect(git(join(place.workspace, name), 'log', '--format=%s')).toBe('one\n');
      expect(hookRuns(join(place.workspace, name))).toBe(false);
    }
  });

  it('reads repositories as ever, without a word', async () => {
    const place = repositories();
    put(join(place.workspace, 'a.txt'), 'two\n');
    const { stdout, stderr, exitCode } = await attempt(
      place,
      'git status --short a.txt; git diff --stat; git log --format=%s',
    );
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(stdout).toContain(' M a.txt');
    expect(stdout).toContain('one');
  });

  it.runIf(existsSync('/usr/bin/make'))(
    'changes it by a recipe that names git, and by no other',
    async () => {
      const place = repositories();
      const deletes = '@python3 -c \'import shutil; shutil.rmtree(".git", ignore_errors=True)\'';
      put(join(place.workspace, 'Makefile'), `test:\n\t${deletes}\nrelease:\n\tgit tag v1\n`);
      expect(await attempt(place, 'make release')).toMatchObject({ exitCode: 0, notes: [] });
      await attempt(place, 'make test');
      expect(git(place.workspace, 'tag')).toBe('v1\n');
    },
  );

  it('is told why git could not write', async () => {
    const place = repositories();
    put(join(place.workspace, 'tag.bin'), '');
    const { notes, exitCode } = await attempt(place, 'G=g; ${G}it tag x');
    expect(exitCode).toBe(128);
    expect(notes).toEqual([expect.stringContaining('.git could only be read')]);
  });

  it.each([
    ['moves ordinary folders', 'mkdir -p src/a && mv src lib && mv lib/a lib/b && test -d lib/b'],
    [
      'moves a folder beside a repository inside',
      'mkdir packages/x && mv packages/x packages/y && mv a.txt packages/deep/b.txt',
    ],
    ['removes what tools made', 'rm -rf node_modules && test ! -e node_modules'],
    ['writes ordinary files', 'echo x > new.txt && echo y >> a.txt && rm a.txt && mkdir -p x/y && rmdir x/y'],
    [
      'makes a temporary repository',
      'git init -q /tmp/r && cd /tmp/r && git -c user.name=a -c user.email=b commit -q --allow-empty -m x',
    ],
  ])('%s', async (_, command) => {
    const place = repositories();
    repositoryAt(join(place.workspace, 'node_modules/x'));
    const { exitCode, stderr, notes } = await attempt(place, command);
    expect({ exitCode, stderr, notes }).toEqual({ exitCode: 0, stderr: '', notes: [] });
  });
});

describe.skipIf(sandboxMissing !== null)('a command that names git', () => {
  it.each([
    ['writes a hook', planted('.git/hooks'), ''],
    ['writes a hook of a repository inside', planted('packages/deep/.git/hooks'), 'packages/deep'],
    [
      'renames the folder of hooks',
      `import os\nos.rename(".git/hooks", ".git/h")\n${planted('.git/hooks')}`,
      '',
    ],
    [
      'renames the repository and plants a copy',
      `import os, shutil\nos.rename(".git", "g")\nshutil.copytree("g", ".git")\n${planted('.git/hooks')}`,
      '',
    ],
    [
      'renames a folder above and plants a copy',
      `import os, shutil\nos.rename("packages", "p")\nshutil.copytree("p", "packages")\n${planted('packages/deep/.git/hooks')}`,
      'packages/deep',
    ],
    [
      'has settings name a folder of hooks',
      `${planted('h')}\nopen(".git/config", "a").write("[core]\\nhooksPath = h\\n")`,
      '',
    ],
    [
      'replaces the settings',
      `${planted('h')}\nopen(".git/c", "w").write("[core]\\nhooksPath = h\\n")\nos.rename(".git/c", ".git/config")`,
      '',
    ],
    [
      'has the repository share the data of another',
      `import shutil\nshutil.copytree(".git", "x")\n${planted('x/hooks')}\nos.remove("x/HEAD")\nopen(".git/commondir", "w").write("../x")`,
      '',
    ],
  ])('plants no hook when it %s', async (_, source, folder) => {
    const place = repositories();
    await attempt(place, python(source), changesGit);
    expect(hookRuns(join(place.workspace, folder))).toBe(false);
  });

  it('plants no hook where git is told to look for them', async () => {
    const place = repositories();
    const { workspace } = place;
    put(join(workspace, 'tools/hooks/README'), '');
    git(workspace, 'config', 'core.hooksPath', 'tools/hooks');
    await attempt(place, python(planted('tools/hooks')), changesGit);
    await attempt(place, python(`import os\nos.rename("tools", "t")\n${planted('tools/hooks')}`), changesGit);
    expect(hookRuns(workspace)).toBe(false);
  });

  it('changes no settings that others include, and no file that a hook is a link to', async () => {
    const place = repositories();
    const { workspace } = place;
    put(join(workspace, 'team.gitconfig'), '[alias]\n');
    put(join(workspace, 'scripts/check.sh'), '#!/bin/sh\n');
    chmodSync(join(workspace, 'scripts/check.sh'), 0o755);
    git(workspace, 'config', 'include.path', '../team.gitconfig');
    symlinkSync('../../scripts/check.sh', join(workspace, '.git/hooks/pre-commit'));
    await attempt(
      place,
      'echo "[core]" > team.gitconfig; echo "touch ran" >> scripts/check.sh; mv scripts s',
      changesGit,
    );
    expect(readFileSync(join(workspace, 'team.gitconfig'), 'utf8')).toBe('[alias]\n');
    expect(hookRuns(workspace)).toBe(false);
  });

  it('plants no hook in a submodule or in the settings of a work tree', async () => {
    const place = repositories();
    const { workspace, folder } = place;
    const other = join(folder, 'other');
    repositoryAt(other);
    git(workspace, 'submodule', 'add', '-q', other, 'libs/sub');
    git(workspace, 'commit', '-qm', 'submodule');
    git(workspace, 'config', 'extensions.worktreeConfig', 'true');
    git(workspace, 'worktree', 'add', '-q', 'tree');
    git(join(workspace, 'tree'), 'config', '--worktree', 'core.quotePath', 'true');
    const settings = '[core]\\nhooksPath = h\\n';
    const source = [
      ...[planted('.git/modules/libs/sub/hooks'), planted('h'), planted('tree/h'), planted('libs/sub/h')].map(
        tried,
      ),
      ...['.git/modules/libs/sub/config', '.git/worktrees/tree/config.worktree', '.git/config.worktree'].map(
        (path) => tried(`open("${path}", "a").write("${settings}")`),
      ),
      tried('os.rename(".git/modules/libs", ".git/modules/l")'),
    ].join('\n');
    await attempt(place, python(`import os\n${source}`), changesGit);
    for (const name of ['', 'libs/sub', 'tree']) expect(hookRuns(join(workspace, name))).toBe(false);
  });

  it('finds the data of a repository that a file or a link leads to', async () => {
    const place = commandPlace();
    const { workspace } = place;
    git(workspace, 'init', '-q', '--separate-git-dir', '.bare', '.');
    repositoryAt(join(workspace, 'linked'));
    execFileSync('mv', [join(workspace, 'linked/.git'), join(workspace, 'data')]);
    symlinkSync('../data', join(workspace, 'linked/.git'));
    const attack = [
      planted('.bare/hooks'),
      planted('data/hooks'),
      'import shutil\nshutil.rmtree("data", ignore_errors=True)',
    ];
    const before = ['.bare', 'data'].map((name) => digest(join(workspace, name)));
    await attempt(place, python(attack.map(tried).join('\n')));
    expect(['.bare', 'data'].map((name) => digest(join(workspace, name)))).toEqual(before);
    const hooks = [planted('.bare/hooks'), planted('data/hooks')].map(tried).join('\n');
    await attempt(
      place,
      python(`${hooks}\nos.remove("linked/.git")\n${planted('linked/.git/hooks')}`),
      changesGit,
    );
    for (const name of ['', 'linked']) expect(hookRuns(join(workspace, name))).toBe(false);
    expect(readlinkSync(join(workspace, 'linked/.git'))).toBe('../data');
  });

  it.each([
    ['commits', 'git add new.txt && git commit -qm two && git log --format=%s | grep -q two'],
    ['stashes', 'echo x >> a.txt && git stash -q && git stash pop -q'],
    [
      'makes branches and tags',
      'git checkout -q -b x && git tag v1 && git switch -q master && git branch -q -d x',
    ],
    ['adds and removes work trees', 'git worktree add -q tree && git worktree remove tree && test ! -e tree'],
    ['removes a work tree that was there', 'git worktree remove old && test ! -e old'],
    ['updates submodules', 'git submodule update -q && git submodule status'],
    ['cleans', 'git clean -fdqx && test ! -e new.txt'],
    ['moves and removes files', 'git mv a.txt b.txt && git rm -q --cached b.txt'],
    ['merges', 'git merge -q side && test -e side.txt'],
    ['rebases', 'git rebase -q side && test -e side.txt'],
    ['collects garbage', 'git gc -q --prune=now && git fsck'],
    ['works in a repository inside', 'cd packages/deep && echo x > b && git add b && git commit -qm two'],
    [
      'makes a repository inside',
      'git init -q fresh && cd fresh && git -c user.name=a -c user.email=b commit -q --allow-empty -m x',
    ],
  ])('%s', async (_, command) => {
    const place = repositories();
    const { workspace, folder } = place;
    const other = join(folder, 'other');
    repositoryAt(other);
    git(workspace, 'submodule', 'add', '-q', other, 'libs/sub');
    git(workspace, 'commit', '-qm', 'submodule');
    git(workspace, 'checkout', '-q', '-b', 'side');
    put(join(workspace, 'side.txt'), 'side');
    git(workspace, 'add', 'side.txt');
    git(workspace, 'commit', '-qm', 'side');
    git(workspace, 'checkout', '-q', 'master');
    git(workspace, 'worktree', 'add', '-q', 'old');
    put(join(workspace, 'new.txt'), 'new');
    const { exitCode, stderr, notes } = await attempt(place, command, changesGit);
    expect({ exitCode, stderr, notes }).toEqual({ exitCode: 0, stderr: expect.any(String), notes: [] });
  });
});

/** A statement whose failure does not end the program. */
function tried(source: string): string {
  return `try:\n${source.replaceAll(/^/gm, '    ')}\nexcept OSError: pass`;
}

describe.skipIf(sandboxMissing !== null)('a repository that a command makes', () => {
  const fresh = 'import os, subprocess\nsubprocess.run(["git", "init", "-q", "FOLDER"])';
  it.each([
    ['a hook', `${fresh}\n${planted('FOLDER/.git/hooks')}`, 'FOLDER/.git/hooks'],
    ['a hook and nothing else', planted('FOLDER/.git/hooks'), 'FOLDER/.git/hooks'],
    [
      'settings that name a folder of hooks',
      `${fresh}\n${planted('FOLDER/h')}\nopen("FOLDER/.git/config", "a").write("[core]\\n\\thooksPath = h\\n")`,
      'FOLDER/.git/config',
    ],
    [
      'settings that name a program',
      `${fresh}\nopen("FOLDER/.git/config", "a").write("[core]\\n\\tfsmonitor = touch ran;\\n")`,
      'FOLDER/.git/config',
    ],
    [
      'its data elsewhere',
      `${fresh}\n${planted('FOLDER/.git/hooks')}\nos.rename("FOLDER/.git", "x")\nopen("FOLDER/.git", "w").write("gitdir: " + os.path.abspath("x"))`,
      'x/hooks',
    ],
    [
      'a link to its data',
      `${fresh}\n${planted('FOLDER/.git/hooks')}\nos.rename("FOLDER/.git", "x")\nos.symlink(os.path.abspath("x"), "FOLDER/.git")`,
      'x/hooks',
    ],
    [
      'a link to hooks',
      `${fresh}\n${planted('h')}\nimport shutil\nshutil.rmtree("FOLDER/.git/hooks")\nos.symlink(os.path.abspath("h"), "FOLDER/.git/hooks")`,
      'FOLDER/.git/hooks',
    ],
  ])('with %s runs nothing later', async (_, source, part) => {
    for (const [folder, options] of [['.', {}] as const, ['inside', changesGit] as const]) {
      const place = commandPlace();
      const repository = join(place.workspace, folder);
      mkdirSync(repository, { recursive: true });
      const { notes } = await attempt(place, python(source.replaceAll('FOLDER', folder)), options);
      const name = join(part.replace('FOLDER', folder));
      expect(notes.join('\n')).toContain(`${name}, which starts programs; it is now ${name}.set-aside`);
      if (!existsSync(join(repository, '.git/HEAD'))) git(repository, 'init', '-q', '.');
      expect(hookRuns(repository)).toBe(false);
    }
  });

  it('has no hooks put into it where it had no folder for them', async () => {
    const place = repositories();
    execFileSync('rm', ['-rf', join(place.workspace, '.git/hooks')]);
    const { notes } = await attempt(place, python(planted('.git/hooks')), changesGit);
    expect(notes).toEqual([expect.stringContaining('.git/hooks')]);
    expect(hookRuns(place.workspace)).toBe(false);
  });

  it('is left alone where it starts nothing', async () => {
    const place = commandPlace();
    const { notes } = await attempt(
      place,
      'git init -q . && git config user.name x && git remote add o ../x',
      changesGit,
    );
    expect(notes).toEqual([]);
    expect(git(place.workspace, 'config', '--local', 'user.name')).toBe('x\n');
  });
});

describe.skipIf(sandboxMissing !== null)('what starts programs later', () => {
  const guarded = [
    ...[
      'sallyport.toml',
      '.claude/settings.json',
      '.codex/config.toml',
      '.gemini/settings.json',
      '.cursor/mcp.json',
    ],
    ...[
      '.mcp.json',
      'opencode.json',
      '.husky/pre-commit',
      '.githooks/pre-push',
      '.envrc',
      '.vscode/tasks.json',
    ],
    ...[
      '.windsurf/x.json',
      '.kiro/x.json',
      '.cline/x.json',
      '.roo/x.json',
      '.idea/x.xml',
      '.devcontainer/devcontainer.json',
    ],
    ...[
      'lefthook.yml',
      '.pre-commit-config.yaml',
      '.github/hooks/x.json',
      '.bashrc',
      'x.code-workspace',
      '.Claude/x',
    ],
  ];
  const open = [
    ...[
      '.env',
      '.env.local',
      '.npmrc',
      '.yarnrc.yml',
      '.docker/Dockerfile',
      'AGENTS.md',
      '.cursorignore',
      'package.json',
    ],
    ...[
      '.gitignore',
      '.gitattributes',
      '.gitmodules',
      '.github/workflows/ci.yml',
      '.prettierrc',
      'src/.vscode/settings.json',
    ],
  ];

  it('can only be read, and other files can be written', async () => {
    const place = commandPlace();
    const all = [...guarded, ...open];
    for (const name of all) put(join(place.workspace, name), 'as it was');
    const source = [
      'import os',
      ...all.map((name) => tried(`open("${name}", "w").write("changed")`)),
      ...all.map((name) =>
        tried(
          `os.rename("${name.split('/')[0]}", "${name.split('/')[0]}.moved")\nos.rename("${name.split('/')[0]}.moved", "${name.split('/')[0]}")`,
        ),
      ),
    ].join('\n');
    expect((await attempt(place, python(source))).notes).toEqual([]);
    const changed = all.filter((name) => readFileSync(join(place.workspace, name), 'utf8') !== 'as it was');
    expect(changed).toEqual(open);
  });

  it('is told where the command made it', async () => {
    const { notes, exitCode } = await attempt(
      commandPlace(),
      'mkdir .claude .vscode && echo x > .claude/settings.json',
    );
    expect(exitCode).toBe(0);
    expect(notes.map((note) => /made (\S+),/.exec(note)?.[1]).sort()).toEqual(['.claude', '.vscode']);
  });

  it('is named where a command fails for it', async () => {
    const place = commandPlace();
    put(join(place.workspace, '.husky/pre-commit'), '');
    const { notes } = await attempt(place, 'echo x > .husky/pre-commit');
    expect(notes).toEqual([expect.stringContaining('.husky can only be read')]);
  });

  it('stays a link where it is one', async () => {
    const place = commandPlace();
    put(join(place.workspace, 'dotfiles/claude/settings.json'), 'as it was');
    symlinkSync('dotfiles/claude', join(place.workspace, '.claude'));
    const { notes } = await attempt(
      place,
      'echo x > dotfiles/claude/settings.json; mv dotfiles d; rm .claude; mkdir .claude; echo x > .claude/settings.json',
    );
    expect(notes.join()).toContain('was put back');
    expect(readFileSync(join(place.workspace, '.claude/settings.json'), 'utf8')).toBe('as it was');
  });
});
