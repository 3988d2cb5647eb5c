// Every kind of file, every name, and git: the effects of real commands are reverted exactly, and repeated exactly.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { differences, stateOf } from '../../../tests/undo/state.ts';
import { atOnce, type Cause, Snapshots, type SnapshotsOptions } from './index.ts';

let folder: string;
let workspace: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-kinds-')));
  workspace = join(folder, 'work');
  mkdirSync(workspace);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const who = { user: 'ann', tenant: 'acme', agent: 'coder', run: 'r1', decisionId: 'd1' };
const cause: Cause = { action: 'shell', ...who };

const open = (more: Partial<SnapshotsOptions> = {}) =>
  new Snapshots({ store: join(folder, 'store'), workspace, personHome: '/home/ann', now: Date.now, ...more });

const env = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  LC_ALL: 'C.UTF-8',
  GIT_CONFIG_NOSYSTEM: '1',
  ...{ GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@example.com' },
  ...{ GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@example.com' },
};

function sh(script: string): void {
  execFileSync('/bin/bash', ['-c', `set -e\n${script}`], { cwd: workspace, env, stdio: 'pipe' });
}

const files = 'echo one > a; mkdir -p d/e empty; echo two > d/e/f; ln -s a link';
const repository = `${files}; git init -q -b main; git add -A; git commit -qm 1; echo 2 >> a; git commit -qam 2
git branch side; echo s >> a; git stash -q; echo staged > s; git add s; echo dirty >> d/e/f`;

const cases: readonly (readonly [string, string, string])[] = [
  ['empty folders', files, 'rmdir empty; mkdir -p made/in'],
  ['modes of files and folders', files, 'chmod 600 a; chmod 700 d; chmod 2755 d/e'],
  ['a file that becomes a folder', files, 'rm a; mkdir a; echo x > a/b'],
  ['a folder that becomes a file', files, 'rm -r d; echo x > d'],
  ['a folder that becomes a link', files, 'mv d other; ln -s other d'],
  [
    'names that are no UTF-8',
    String.raw`${files}; echo x > $'caf\xe9'; mkdir $'\xff'; echo y > $'\xff/\xfe'`,
    String.raw`rm -r $'caf\xe9' $'\xff'; echo z > $'new\x80'; ln -s $'\xe9' l`,
  ],
  ['another name of a file', files, 'ln a b; ln d/e/f d/g'],
  ['files that have several names', `${files}; ln a b; ln a d/c`, 'echo more >> a; rm b'],
  ['one of several names that is replaced', `${files}; ln a b`, 'sed -i s/one/1/ a'],
  [
    'a file of 9 MiB',
    `${files}; head -c 9437184 /dev/urandom > big`,
    'printf x >> big; head -c 5000000 /dev/zero > b2',
  ],
  ['git reset and a branch that is deleted', repository, 'git reset -q --hard HEAD~1; git branch -qD side'],
  [
    'stashes and packs',
    repository,
    'git stash drop -q; git reflog expire --expire=now --all; git gc -q --prune=now',
  ],
  ['a repository that is deleted', repository, 'rm -rf .git'],
  ['a repository that is made', files, 'git init -q; git add -A; git commit -qm 1'],
  ['an index', repository, 'git rm -q --cached a; git add -A'],
];

describe('what a command does to', () => {
  const looks = [
    ['each file is looked at', Number.POSITIVE_INFINITY],
    ['git compares their dates', 0],
  ] as const;
  const all = cases.flatMap(([name, ...scripts]) =>
    looks.map(([how, comparedFrom]) => [name, how, comparedFrom, ...scripts] as const),
  );
  test.each(all)('%s comes back, and is made again, where %s', (_, _how, comparedFrom, setup, command) => {
    sh(setup);
    const before = stateOf([workspace]);
    const snapshots = open({ comparedFrom });
    const { id, complete } = atOnce(snapshots.before(cause));
    expect(complete).toBe(true);
    sh(command);
    const after = stateOf([workspace]);
    expect(differences(before, after)).not.toEqual([]);
    const made = atOnce(snapshots.after(id));
    const { snapshot, left } = atOnce(snapshots.undo(made?.id ?? '', who));
    expect(left).toEqual([]);
    expect(differences(before, stateOf([workspace]))).toEqual([]);
    atOnce(open().undo(snapshot.id, who));
    expect(differences(after, stateOf([workspace]))).toEqual([]);
  });

  test('a file with a name outside is written through that name, and to no other file', () => {
    sh('echo one > ../outside; ln ../outside a');
    const snapshots = open();
    const { id } = atOnce(snapshots.before(cause));
    sh('echo agent > a');
    const made = atOnce(snapshots.after(id));
    const before = stateOf([folder]).get(`${folder}/outside`);
    atOnce(snapshots.undo(made?.id ?? '', who));
    expect(stateOf([folder]).get(`${folder}/outside`)).not.toBe(before);
    sh('test "$(cat ../outside)" = one; test ../outside -ef a');
  });

  test('a file that became another with a name outside leaves that one alone', () => {
    sh('echo one > a; echo secret > ../outside');
    const snapshots = open();
    const { id } = atOnce(snapshots.before(cause));
    sh('rm a; ln ../outside a');
    atOnce(snapshots.undo(atOnce(snapshots.after(id))?.id ?? '', who));
    sh('test "$(cat ../outside)" = secret; test "$(cat a)" = one');
  });
});

describe('an undo that fails at any of its steps', () => {
  test.each(cases.filter(([name]) => /folder|several|reset|UTF-8/.test(name)))(
    'with %s leaves what was there, and can be tried again',
    (_, setup, command) => {
      sh(setup);
      const before = stateOf([workspace]);
      const { id } = atOnce(open().before(cause));
      sh(command);
      const after = stateOf([workspace]);
      const made = atOnce(open().after(id));
      for (let step = 0, isDone = false; !isDone; step += step < 8 ? 1 : 9) {
        let left = step;
        const onStep = () => {
          if (left-- === 0) throw new Error('the disk is full');
        };
        const failing = open({ onStep });
        try {
          atOnce(failing.undo(made?.id ?? '', who));
          isDone = true;
        } catch (error) {
          expect(String(error)).toContain('the disk is full');
          expect([step, differences(after, stateOf([workspace]))]).toEqual([step, []]);
        }
      }
      expect(differences(before, stateOf([workspace]))).toEqual([]);
    },
  );
});

describe('what cannot be kept', () => {
  test.each([
    ['a named pipe', 'mkfifo p', { path: 'p', why: 'is a named pipe' }],
    [
      'a pipe with an odd name',
      String.raw`mkdir d; mkfifo $'d/\xe9'`,
      { path: 'd/\udce9', why: 'is a named pipe' },
    ],
  ])('%s is named before the command runs', (_, setup, unkept) => {
    sh(setup);
    const preImage = atOnce(open().before(cause));
    expect(preImage).toEqual({ id: expect.any(String), complete: false, unkept: [unkept] });
    expect(open().preImages()).toEqual([preImage]);
  });
});

describe('a repository that the person used since', () => {
  test('is left as it is, and the files of the call come back', () => {
    sh(repository);
    const snapshots = open();
    const { id } = atOnce(snapshots.before(cause));
    sh('echo agent > new; git add new; git commit -qm agent');
    const made = atOnce(snapshots.after(id));
    sh('echo own > own; git add own; git commit -qm own');
    const own = stateOf([workspace]);
    const { left } = atOnce(snapshots.undo(made?.id ?? '', who));
    expect(left.map(({ path }) => path)).toContain('.git/refs/heads/main');
    expect(differences(own, stateOf([workspace]))).toEqual([`${workspace}/new`]);
  });

  test('is not changed by a look at its status', () => {
    sh(repository);
    const before = stateOf([workspace]);
    const snapshots = open();
    const { id } = atOnce(snapshots.before(cause));
    sh('git add -A');
    const made = atOnce(snapshots.after(id));
    sh('touch a; git status >/dev/null; git update-index --refresh >/dev/null || true');
    expect(atOnce(snapshots.undo(made?.id ?? '', who)).left).toEqual([]);
    expect(differences(before, stateOf([workspace]))).toEqual([]);
  });
});
