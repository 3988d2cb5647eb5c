// The histories that undo is measured by. None of them was chosen by what undo can do: each is something that an agent, a
// tool or a person does.

import type { Group, History, Stage } from './history.ts';

/** A project without a repository: every kind of file that people have. */
const project = String.raw`
printf 'one\ntwo\n' > a.txt
mkdir -p src/pkg deep/er empty docs
printf 'b = 1\n' > src/b.py
printf 'c = 1\n' > src/pkg/c.py
printf '\000\001\377\n' > deep/x.bin
printf 'z' > deep/er/z
printf '.env\nbuild/\n*.log\n' > .gitignore
echo KEY=1 > .env
echo 'echo run' > run.sh
chmod 755 run.sh
ln -s a.txt link
ln -s nowhere dangling
echo mine > mine.md
`;

/** The same with a repository: branches, tags, stashes, and work that is staged, unstaged and untracked. */
const repository = `${project}
git init -q -b main .
git add -A; git commit -qm first
echo three >> a.txt; git commit -qam second
git tag v1; git tag -a v2 -m two
git checkout -q -b side; echo side > side.txt; git add side.txt; git commit -qm side
git checkout -q main; echo four >> a.txt; git commit -qam third
echo stashed >> src/b.py; git stash push -qm one
echo again >> src/b.py; git stash push -qm two
echo staged > staged.txt; git add staged.txt
echo dirty >> src/pkg/c.py
echo untracked > untracked.txt
`;

/** A history of one command, which is then undone. */
function command(name: string, script: string, more: Partial<History> = {}): History {
  return {
    ...{ name, group: 'commands', setup: project },
    play: async (stage) => {
      await stage.command(script);
      stage.sallyport('undo');
    },
    ...more,
  };
}

/** One of git, in a repository. */
function git(name: string, script: string, more: Partial<History> = {}): History {
  return command(name, script, { group: 'git', setup: repository, ...more });
}

/** One in which the person edits something too. */
function person(name: string, play: (stage: Stage) => Promise<void>, setup = project): History {
  return { name, group: 'person', setup, person: true, play };
}

function historyIn(
  group: Group,
  name: string,
  play: (stage: Stage) => Promise<void>,
  setup = project,
): History {
  return { name, group, setup, play };
}

const commands: readonly History[] = [
  command('deletes files of every kind', 'rm a.txt .env deep/x.bin link dangling'),
  command('edits, creates and deletes', 'echo x >> a.txt; echo new > src/new.py; rm src/b.py'),
  command('changes modes of files', 'chmod 600 run.sh; chmod 4755 a.txt'),
  command('changes the mode of a folder', 'chmod 700 src; chmod 1777 docs'),
  command('removes an empty folder', 'rmdir empty docs'),
  command('makes empty folders', 'mkdir -p made/in/side other'),
  command('removes a tree with empty folders in it', 'mkdir -p deep/no; rm -rf deep src empty'),
  command('makes a folder of a file', 'rm a.txt; mkdir a.txt; echo in > a.txt/inner'),
  command('makes a file of a folder', 'rm -r src; echo file > src'),
  command('makes a link of a folder', 'mv src moved; ln -s moved src'),
  command('makes a folder of a link', 'rm link; mkdir link; echo in > link/inner'),
  command('moves files and folders', 'mv a.txt b.txt; mv src source; mv deep/er docs/er'),
  command('swaps two files', 'mv a.txt t; mv mine.md a.txt; mv t mine.md'),
  command('points links elsewhere', 'ln -sfn mine.md link; ln -sfn a.txt dangling'),
  command(
    'names that are no UTF-8',
    String.raw`rm $'caf\xe9.txt' $'d\xff/f\xfe'; rmdir $'d\xff'; echo x > $'\xff\xfe'; echo y >> $'keep\x80'; ln -s x $'l\xc3'`,
    {
      setup: `${project}\n${String.raw`echo c > $'caf\xe9.txt'; mkdir $'d\xff'; echo f > $'d\xff/f\xfe'; echo k > $'keep\x80'`}`,
    },
  ),
  command(
    'odd names',
    String.raw`rm -- $'new\nline' $'-rf' 'a b "c" d'; echo x >> $'tab\there'; echo x > $'\xe2\x80\x8bzero'; rm $'\\xe9'`,
    {
      setup: `${project}\n${String.raw`echo 1 > $'new\nline'; echo 2 > ./-rf; echo 3 > 'a b "c" d'; echo 4 > $'tab\there'; echo 5 > $'\\xe9'`}`,
    },
  ),
  command(
    'the longest names, and deep folders',
    'rm -rf "$(printf "n%.0s" {1..255})" d1; echo x > "$(printf "m%.0s" {1..255})"',
    {
      setup: `${project}
echo long > "$(printf 'n%.0s' {1..255})"
(p=d1; for i in $(seq 2 60); do p=$p/folder-with-a-name-of-some-length-$i; done; mkdir -p "$p"; echo deep > "$p/f")`,
    },
  ),
  command('gives a file a second name', 'ln a.txt h; ln src/b.py src/h.py'),
  command('edits a file that has two names', 'echo more >> one', {
    setup: `${project}\necho shared > one; ln one two`,
  }),
  command('deletes one of two names', 'rm two; echo x > three', {
    setup: `${project}\necho shared > one; ln one two`,
  }),
  command('replaces one of two names', 'sed -i s/shared/other/ one', {
    setup: `${project}\necho shared > one; ln one two`,
  }),
  command('a file of 40 MiB is changed and another deleted', 'printf x >> big; rm big2', {
    setup: `${project}\nhead -c 41943040 /dev/urandom > big; head -c 20000000 /dev/zero > big2`,
  }),
  command(
    'ignored files and what a build makes',
    'mkdir -p build; echo o > build/o; echo l > x.log; rm .env',
  ),
  command('a thousand files', 'for i in $(seq 1 1000); do echo $i > many/$i; done; rm -rf src', {
    setup: `${project}\nmkdir many; for i in $(seq 1 500); do echo old $i > many/$i; done`,
  }),
  command('a file keeps its length and date', "printf 'two\\none\\n' > a.txt; touch -d '2020-01-01' a.txt", {
    setup: `${project}\ntouch -d '2020-01-01' a.txt`,
  }),
  command('a folder that cannot be written to', 'chmod 755 ro; rm ro/in; chmod 555 ro', {
    setup: `${project}\nmkdir ro; echo in > ro/in; chmod 555 ro`,
  }),
  command('on another file system', 'rm -rf src deep; echo x > a.txt; mkdir n', { at: 'elsewhere' }),
];

const edits: readonly History[] = [
  historyIn('edits', 'a host writes a new file in new folders', async (stage) => {
    await stage.write('n/m/new.txt', 'new\n');
    stage.sallyport('undo');
  }),
  historyIn('edits', 'a host writes over a file', async (stage) => {
    await stage.write('a.txt', 'other\n');
    stage.sallyport('undo');
  }),
  historyIn('edits', 'a host replaces a text', async (stage) => {
    await stage.edit('a.txt', 'two', 'zwei', 'one\nzwei\n');
    stage.sallyport('undo');
  }),
  historyIn('edits', 'edits and commands of a session, undone as one', async (stage) => {
    await stage.write('a.txt', 'first\n');
    await stage.command('echo second >> a.txt; rm -rf deep');
    await stage.edit('src/b.py', '1', '2', 'b = 2\n');
    await stage.command('mv src lib; mkdir src');
    stage.sallyport('undo', '--run', stage.session);
  }),
  historyIn('edits', 'several files of a session, one of them twice', async (stage) => {
    await stage.write('a.txt', 'first\n');
    await stage.write('docs/new.md', 'new\n');
    await stage.write('a.txt', 'second\n');
    for (let count = 0; count < 3; count++) stage.sallyport('undo');
  }),
];

const ofGit: readonly History[] = [
  git('git reset --hard', 'git reset -q --hard HEAD~1'),
  git('git reset --hard with everything staged', 'git add -A; git reset -q --hard v1'),
  git('git clean -fdx', 'git clean -qfdx'),
  git('git checkout of another branch by force', 'git checkout -qf side'),
  git('git checkout -- .', 'git checkout -q -- .'),
  git('git rebase', 'git stash -q; git checkout -q side; git rebase -q main; git branch -D main'),
  git(
    'git rebase that stops at a conflict',
    'git checkout -qf side; echo c >> a.txt; git commit -qam c; git rebase -q main || true',
  ),
  git('git commit --amend', 'git commit -qa --amend -m other'),
  git('git branch -D', 'git branch -qD side; git tag -d v1 v2 >/dev/null'),
  git('git stash drop', 'git stash drop -q; git stash drop -q'),
  git('git stash pop', 'git checkout -q -- src; git stash pop -q'),
  git(
    'git gc --prune=now after everything was lost',
    'git branch -qD side; git stash clear; git reflog expire --expire=now --all; git gc -q --prune=now',
  ),
  git('rm -rf .git', 'rm -rf .git'),
  git(
    '.git is moved away and made anew',
    'mv .git old.git; git init -q -b other .; git add -A; git commit -qm new',
  ),
  git(
    'files of .git are overwritten one by one',
    'find .git -type f -exec sh -c \'chmod u+w "$1"; : > "$1"\' _ {} \\;',
  ),
  git('git merge and a commit', 'git commit -qam all; git merge -q -m merged side'),
  git('packed refs', 'git update-ref -d refs/heads/side; git pack-refs --all --prune', {
    setup: `${repository}\ngit pack-refs --all; git repack -qad`,
  }),
  git(
    'the settings of a repository',
    'git config user.name other; git remote add origin https://example.com/x.git; git config branch.main.remote origin',
  ),
  git('a commit in a repository without one', 'git add a.txt; git commit -qm first', {
    setup: `${project}\ngit init -q -b main .`,
  }),
  git('git init where there was none', 'git init -q -b main .; git add -A; git commit -qm x', {
    setup: project,
  }),
  git(
    'git rm --cached, and the index alone',
    'git rm -q --cached a.txt src/b.py; git add untracked.txt; git update-index --assume-unchanged run.sh',
  ),
  git(
    'git notes, replace refs and a bisect',
    'git notes add -m note HEAD; git bisect start -q; git bisect bad; git bisect good v1 >/dev/null',
  ),
  git('a nested repository is deleted', 'rm -rf vendor/lib', {
    setup: `${repository}
mkdir -p vendor/lib; cd vendor/lib; git init -q -b main .; echo l > l; git add l; git commit -qm l; git branch b; echo d >> l`,
  }),
  git(
    'a submodule is deinited and its data deleted',
    'git submodule -q deinit -f sub; rm -rf .git/modules/sub',
    {
      setup: `mkdir ../origin; (cd ../origin; git init -q -b main .; echo s > s; git add s; git commit -qm s)
${repository}
git -c protocol.file.allow=always submodule --quiet add ../origin sub; git commit -qm sub -- .gitmodules sub; (cd sub; echo own > own; git add own; git commit -qm own)`,
    },
  ),
  git(
    'a commit in a submodule, and one above',
    '(cd sub; echo x > s; git commit -qam x); git add sub; git commit -qm bump',
    {
      setup: `mkdir ../origin; (cd ../origin; git init -q -b main .; echo s > s; git add s; git commit -qm s)
${repository}
git -c protocol.file.allow=always submodule --quiet add ../origin sub; git commit -qm sub -- .gitmodules sub`,
    },
  ),
  git('a linked work tree is removed by force', 'git worktree remove --force tree; git branch -qD tree', {
    setup: `${repository}\ngit worktree add -q tree; (cd tree; echo t > t; git add t; echo more >> a.txt)`,
  }),
  git(
    'the agent works in a linked work tree',
    'echo t > t; git add t; git commit -qm t; git branch -qD side; git stash drop -q',
    {
      setup: `mkdir ../main; (cd ../main; ${repository}
); rmdir ../work; (cd ../main; git worktree add -q ../work); cd ../work; echo dirty >> a.txt`,
      also: ['main'],
    },
  ),
  git(
    'a repository on another file system',
    'git reset -q --hard v1; git branch -qD side; git gc -q --prune=now',
    {
      at: 'elsewhere',
    },
  ),
  git('a pack is deleted', 'rm -f .git/objects/pack/*; rm -rf .git/objects/info', {
    setup: `${repository}\ngit repack -qad; git commit-graph write 2>/dev/null`,
  }),
  git(
    'git filter-branch',
    'git stash -q -u; git filter-branch -f --msg-filter cat -- --all >/dev/null 2>&1; git for-each-ref --format="delete %(refname)" refs/original | git update-ref --stdin',
  ),
];

const persons: readonly History[] = [
  person('the person writes a new file after the call', async (stage) => {
    await stage.command('rm -rf src');
    stage.person('echo own > own.txt; mkdir -p notes; echo n > notes/n');
    stage.sallyport('undo');
  }),
  person('the person edits a file that the call changed', async (stage) => {
    await stage.command('echo agent > a.txt; rm deep/x.bin');
    stage.person('echo person >> a.txt');
    stage.sallyport('undo');
  }),
  person('the person makes a file anew that the call deleted', async (stage) => {
    await stage.command('rm a.txt src/b.py');
    stage.person('echo mine > a.txt');
    stage.sallyport('undo');
  }),
  person('the person deletes what the call made', async (stage) => {
    await stage.command('mkdir made; echo 1 > made/1; echo 2 > made/2');
    stage.person('rm made/1');
    stage.sallyport('undo');
  }),
  person('the person puts a file into a folder that the call made', async (stage) => {
    await stage.command('mkdir -p made/in; echo 1 > made/1');
    stage.person('echo own > made/in/own');
    stage.sallyport('undo');
  }),
  person('the person edits between two calls, and the last is undone', async (stage) => {
    await stage.command('echo first > a.txt');
    stage.mark();
    stage.person('echo person >> a.txt; echo own > own.txt');
    await stage.command('echo second >> a.txt; rm own.txt');
    stage.sallyport('undo');
  }),
  person('the person edits other files between calls, and the session is undone', async (stage) => {
    await stage.command('echo first > a.txt; rm -rf deep');
    stage.person('echo person >> mine.md; echo own > own.txt');
    await stage.command('echo second >> a.txt');
    stage.sallyport('undo', '--run', stage.session);
  }),
  person('the person edits a file of the session between its calls', async (stage) => {
    await stage.command('echo first > a.txt; echo n > new.txt');
    stage.person('echo person > a.txt');
    await stage.command('echo second >> a.txt; echo m >> new.txt');
    stage.sallyport('undo', '--run', stage.session);
  }),
  person('a call that the person declined: no end, and then the person works', async (stage) => {
    await stage.begin('npm test');
    stage.person('echo own > own.md; echo more >> mine.md; rm a.txt');
    await stage.hook('UserPromptSubmit', { prompt: 'no' });
    stage.sallyport('undo');
  }),
  person('a call without an end, work of the person, and the next call', async (stage) => {
    await stage.begin('npm test');
    stage.person('echo own > own.md; echo more >> mine.md');
    await stage.command('echo agent > a.txt');
    stage.sallyport('undo');
  }),
  person('the person works while the host waits for an answer, then the command runs', async (stage) => {
    const call = await stage.begin();
    stage.person('echo own > own.md');
    await stage.later(1.5);
    await stage.runs('echo agent > a.txt; sleep 0.3');
    await stage.end(call);
    stage.sallyport('undo');
  }),
  person('the person works after the command ended and before the host says so', async (stage) => {
    const call = await stage.begin();
    await stage.runs('echo agent > a.txt; sleep 0.3');
    await stage.later(1.5);
    stage.person('echo own > own.md; echo more >> mine.md');
    await stage.end(call);
    stage.sallyport('undo');
  }),
  person('the host dies in a command, and the person goes on', async (stage) => {
    await stage.begin();
    await stage.runs('echo agent > a.txt; rm -rf deep; sleep 0.3');
    await stage.killHost();
    await stage.later();
    stage.person('echo own > own.md; echo more >> mine.md');
    stage.sallyport('undo');
  }),
  person('the person edits a file while a host writes another', async (stage) => {
    const call = await stage.beginWrite('a.txt', 'agent\n');
    stage.person('echo own > own.md');
    await stage.puts('a.txt', 'agent\n');
    await stage.end(call);
    stage.sallyport('undo');
  }),
  person('a write that the person declined, and made otherwise', async (stage) => {
    await stage.beginWrite('a.txt', 'agent\n');
    stage.person('echo person > a.txt');
    await stage.hook('UserPromptSubmit', { prompt: 'no, I did it' });
    stage.sallyport('undo');
  }),
  person('the person edits during a command whose writes are known', async (stage) => {
    const declared = 'sleep 0.2; echo agent > a.txt';
    const call = await stage.begin(declared);
    stage.person('echo own > own.md; echo more >> mine.md');
    await stage.runs(declared);
    await stage.end(call);
    stage.sallyport('undo');
  }),
  person(
    'the person commits after the agent changed files',
    async (stage) => {
      await stage.command('echo agent > src/b.py; rm deep/x.bin');
      stage.person('git commit -qm own -- staged.txt');
      stage.sallyport('undo');
    },
    repository,
  ),
  person(
    'the person commits after the agent committed',
    async (stage) => {
      await stage.command('echo agent > agent.txt; git add agent.txt; git commit -qm agent');
      stage.person('echo own > own.txt; git add own.txt; git commit -qm own');
      stage.sallyport('undo');
    },
    repository,
  ),
  person(
    'the person looks at git status after the agent staged something',
    async (stage) => {
      await stage.command('git add -A; echo x >> a.txt');
      stage.person('sleep 1.1; touch run.sh; git status --short >/dev/null');
      stage.sallyport('undo');
    },
    repository,
  ),
  person(
    'the person makes a branch after the agent reset',
    async (stage) => {
      await stage.command('git reset -q --hard HEAD~1');
      stage.person('git branch own v1; echo own > own.txt');
      stage.sallyport('undo');
    },
    repository,
  ),
  person('undo twice, with work of the person in between', async (stage) => {
    await stage.command('echo first > a.txt');
    stage.person('echo own > own.txt');
    await stage.command('echo second > src/b.py');
    stage.sallyport('undo');
    stage.person('echo more >> own.txt');
    stage.sallyport('undo');
  }),
  person('a command that changed nothing, and nothing is undone', async (stage) => {
    await stage.write('a.txt', 'agent\n');
    stage.person('echo own > own.txt');
    stage.mark();
    await stage.command('true');
    stage.sallyport('undo');
  }),
];

const crashes: readonly History[] = [
  historyIn('crash', 'the host dies in a command', async (stage) => {
    await stage.begin();
    await stage.runs('rm -rf src; echo x > a.txt; sleep 0.3');
    await stage.killHost();
    await stage.later();
    stage.sallyport('undo');
  }),
  historyIn(
    'crash',
    'the host dies in a git command',
    async (stage) => {
      await stage.begin();
      await stage.runs('git reset -q --hard v1; git branch -qD side; sleep 0.3');
      await stage.killHost();
      await stage.later();
      stage.sallyport('undo');
    },
    repository,
  ),
  historyIn('crash', 'host and daemon die in a command', async (stage) => {
    await stage.begin();
    await stage.runs('rm -rf src; echo x > a.txt; mkdir m; sleep 0.3');
    await stage.killDaemon();
    await stage.killHost();
    await stage.startDaemon();
    stage.sallyport('undo');
  }),
  historyIn('crash', 'the daemon dies between a write and its end', async (stage) => {
    const call = await stage.beginWrite('a.txt', 'agent\n');
    await stage.puts('a.txt', 'agent\n');
    await stage.killDaemon();
    await stage.startDaemon();
    await stage.end(call);
    stage.sallyport('undo');
  }),
  historyIn('crash', 'the machine dies: the daemon is gone when undo runs', async (stage) => {
    await stage.command('rm -rf src; chmod 600 run.sh; rmdir empty');
    await stage.killDaemon();
    stage.sallyport('undo');
    await stage.startDaemon();
  }),
];

const undos: readonly History[] = [
  historyIn('undo', 'one file of several', async (stage) => {
    stage.person('true');
    await stage.command('echo x > mine.md');
    stage.mark();
    await stage.command('echo x > a.txt');
    stage.sallyport('undo', 'a.txt');
  }),
  historyIn('undo', 'two files by name, and the rest stays', async (stage) => {
    const before = 'echo kept > docs/kept';
    await stage.command(`rm a.txt; echo x > src/b.py; ${before}`);
    stage.sallyport('undo', 'a.txt', 'src/b.py');
    stage.sallyport('undo', 'docs');
  }),
  historyIn('undo', 'undo, redo, undo', async (stage) => {
    await stage.command('rm -rf src; echo x > a.txt; mkdir made');
    stage.sallyport('undo');
    stage.sallyport('redo');
    stage.sallyport('undo');
  }),
  {
    name: 'redo gives what the agent had made',
    group: 'undo',
    setup: repository,
    play: async (stage) => {
      await stage.command('rm -rf src empty; git commit -qam agent; git branch -qD side; mkdir made');
      stage.mark();
      stage.sallyport('undo');
      stage.sallyport('redo');
    },
  },
  historyIn('undo', 'undo again goes one step further', async (stage) => {
    await stage.command('echo 1 > a.txt');
    await stage.command('echo 2 > a.txt; rm mine.md');
    await stage.command('echo 3 > a.txt');
    for (let count = 0; count < 3; count++) stage.sallyport('undo');
  }),
];

export const histories: readonly History[] = [
  ...commands,
  ...edits,
  ...ofGit,
  ...persons,
  ...crashes,
  ...undos,
];
