// Whether a command, or a script that it runs, changes a repository.

import { describe, expect, it } from 'vitest';
import { changesRepository, namesChange } from './repository.ts';

describe('a script', () => {
  it.each([
    'git tag v1',
    'set -e\ncd x && git commit -m "x"',
    '/usr/bin/git push origin main',
    'git -C sub -c user.name=x commit -m x',
    'git --no-pager stash',
    'subprocess.run(["git", "tag", "v1"], check=True)',
    "execFileSync('git', ['commit', '-m', message])",
    'execSync(`git add ${file}`)',
    'system("git checkout main")',
    'exec.Command("git", "branch", name)',
    '\t@git tag $(VERSION)',
    'GIT ?= git\nrelease:\n\t$(GIT) tag v1',
    '${GIT} add .',
    'import git\nrepo = git.Repo(".")',
    'from git import Repo',
    "import { simpleGit } from 'simple-git'",
    'if ! git merge --ff-only main; then exit 1; fi',
    'git worktree add ../x',
    'yarn version --patch',
    'cargo release minor',
  ])('changes it: %j', (text) => {
    expect(namesChange(text)).toBe(true);
  });

  it.each([
    'git status',
    'VERSION := $(shell git describe --tags --always)',
    'git rev-parse HEAD',
    'git diff --quiet || exit 1',
    'git branch --show-current',
    'git branch',
    'git tag --list',
    'git stash list',
    'git worktree list',
    '# then run git commit',
    '// git push comes later',
    'curl https://github.com/x/y.git',
    'pip install git+https://example.com/x.git',
    'git@github.com:x/y.git add',
    'rm -rf .git commit',
    'legit add',
    'cargo build --release',
    'git-lfs',
    'cat src/git/add.ts',
    'import shutil\nshutil.rmtree(".git", ignore_errors=True)',
  ])('does not: %j', (text) => {
    expect(namesChange(text)).toBe(false);
  });
});

describe('a command', () => {
  const files: Readonly<Record<string, string>> = {
    '/w/package.json': JSON.stringify({
      repository: { type: 'git', url: 'git add' },
      scripts: {
        test: 'vitest',
        lint: 'eslint .',
        release: 'npm run lint && node scripts/release.mjs',
        postversion: 'git push --follow-tags',
        prebuild: 'git commit -m x',
        build: 'tsc',
        loop: 'npm run loop',
      },
    }),
    '/w/scripts/release.mjs': "execSync('git tag v1')",
    '/w/Makefile': [
      'VERSION = $(shell git describe)',
      'all: build',
      'build:',
      '\tcc -o a a.c',
      'release: build changelog',
      '\t./upload.sh',
      'changelog:',
      '\tgit add CHANGELOG.md',
      'ci: ; $(MAKE) changelog',
      'deploy:',
      '\t$(MAKE) -C sub tags',
    ].join('\n'),
    '/w/sub/Makefile': 'tags:\n\tgit tag x\nother:\n\ttrue\n',
    '/w/justfile': 'test:\n  cargo test\n\nrelease version:\n  git tag {{version}}\n',
    '/w/op.py': 'print(1)',
    '/w/outer.sh': 'exec ./inner.sh',
    '/w/inner.sh': 'git commit -am x',
    '/w/round.sh': './round.sh; ./outer2.sh',
    '/w/outer2.sh': './round.sh',
  };
  const changes = (source: string, facts = {}, cwd = '/w') =>
    changesRepository({ facts, source, folders: [cwd, '/w'], read: (path) => files[path] ?? null });

  it.each([
    'npm run release',
    'npm run build',
    'yarn build',
    'make release',
    'make changelog',
    'make ci',
    'make deploy',
    'make -C sub tags',
    'cd sub && make tags',
    'just release 1.0',
    './outer.sh',
    'bash outer.sh',
    'cd scripts && node release.mjs',
    'uv run scripts/release.mjs',
    'echo x && sh -x ./inner.sh',
  ])('changes it through a script: %s', (source) => {
    expect(changes(source)).toBe(true);
  });

  it.each([
    'npm test',
    'npm run lint',
    'npm run loop',
    'npm install',
    'make',
    'make all',
    'make build',
    'make -C sub other',
    'just test',
    'python3 op.py',
    './round.sh',
    './missing.sh',
    'rm -rf node_modules',
    'cat inner.txt',
  ])('does not: %s', (source) => {
    expect(changes(source)).toBe(false);
  });

  it('changes it by its effects, or by a program that works in it', () => {
    expect(changes('x', { effects: { git: 1 } })).toBe(true);
    expect(changes('x', { programs: ['npx', 'lerna'] })).toBe(true);
    expect(changes('x', { programs: ['git-absorb'] })).toBe(true);
    expect(changes('x', { effects: { git: 0, read: 2 }, programs: ['git', 'python3'] })).toBe(false);
    expect(changes('x', { effects: null, programs: 'lerna' })).toBe(false);
  });
});
