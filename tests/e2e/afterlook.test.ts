// What calls of a host really changed is looked at after each: by whatever program, a file that unhooks or loosens us is
// put back, and any other protected file is reported and asked about. Real git, real files, the real client and daemon.

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hosts, unansweredReply } from '../../src/surfaces/hooks/index.ts';
import { cli, type Ended, jsonLines } from '../support/cli.ts';
import { call, newUser, up, writeClients } from '../support/hosts.ts';
import { atTerminal, chose, noTerminals, passphrase } from '../support/terminal.ts';

const off = '{"disableAllHooks":true}';
const workflow = 'on: push\njobs: {}\n';

/** Starts a program of which it reads at run time which one it is: nothing that reads a command beforehand knows it. */
const reader = 'node run.mjs';
const readerSource = `import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
const [program, ...args] = JSON.parse(readFileSync('plan.json', 'utf8'));
execFileSync(program, args);
`;

/** A repository, a remote of it, a daemon, and Claude Code's side of the conversation. */
async function prepared() {
  const place = newUser();
  const { workspace } = place;
  const at = (path: string) => join(workspace, path);
  const put = (path: string, text: string, mode = 0o644) => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
    chmodSync(at(path), mode);
  };
  const read = (path: string) => {
    try {
      return readFileSync(at(path), 'utf8');
    } catch (error) {
      // It may be removed while we look.
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
      throw error;
    }
  };
  const plan = (words: readonly string[]) => {
    put('plan.json', JSON.stringify(words));
    put('run.mjs', readerSource);
  };
  const run = (command: string) => {
    const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', command], {
      cwd: workspace,
      encoding: 'utf8',
      env: { ...process.env, HOME: place.home, GIT_CONFIG_NOSYSTEM: '1', GIT_EDITOR: 'true' },
    });
    if (status !== 0) throw new Error(`${command}: ${stdout}${stderr}`);
    return stdout;
  };
  run('git init -q -b main . && git config user.name t && git config user.email t@example.com');
  put('README.md', 'one\n');
  put('package.json', '{"scripts":{"down":"sh w.sh"}}\n');
  put('Makefile', 'all:\n\tsh w.sh\n');
  put('.github/workflows/ci.yml', workflow);
  put('.gitignore', '/evil/\n/w.sh\n/run.mjs\n/plan.json\n/ev.py\n/a.tar\n/x.patch\n/x.mbox\n');
  run('git add -A && git commit -qm first && git tag first');
  await chose(place);
  await writeClients(place, 'claude');
  const pid = await up(place);

  const say = async (event: string, value: object, session = 's1'): Promise<Ended> => {
    const unanswered = unansweredReply(hosts.claude, event);
    for (;;) {
      const said = await call(place, 'claude', {
        event,
        value: {
          session_id: session,
          cwd: workspace,
          permission_mode: 'bypassPermissions',
          hook_event_name: event,
          ...value,
        },
      });
      // On a busy machine the client may give the daemon up before it answers.
      const isUnanswered = said.stderr !== '' && said.stderr.trim() === unanswered.stderr.trim();
      if (!isUnanswered) return said;
    }
  };
  let calls = 0;
  /** One command from the moment before it to the moment after it; what the model is told. */
  const command = async (
    text: string,
    options: { session?: string; during?: () => void } = {},
  ): Promise<string> => {
    const { session } = options;
    const named = { tool_name: 'Bash', tool_input: { command: text }, tool_use_id: `t${++calls}` };
    const before = await say('PreToolUse', named, session);
    // What the hook reads before it runs is stopped there; then the same is tried in a way that it cannot read.
    if (/protected_file/.test(before.stdout) && !text.endsWith(reader)) {
      plan(['sh', '-c', text]);
      return await command(reader, options);
    }
    expect(before).toMatchObject({ status: 0, stdout: '' });
    run(text);
    options.during?.();
    const after = await say('PostToolUse', { ...named, tool_response: { stdout: '' } }, session);
    return after.stdout === '' ? '' : String(JSON.parse(after.stdout).hookSpecificOutput.additionalContext);
  };
  const log = async (type: string) =>
    jsonLines((await cli(place, ['log', '--type', type, '--json', '--limit', '100'])).stdout);
  return { place, pid, at, put, read, run, plan, say, command, log };
}

type Prepared = Awaited<ReturnType<typeof prepared>>;

/** What a hostile change brings along, below a folder. */
function layOut({ put }: Prepared, below: string): void {
  put(`${below}.claude/settings.local.json`, off);
  put(`${below}.gemini/settings.json`, '{"hooksConfig":{"enabled":false}}');
  put(`${below}.codex/config.toml`, '[features]\nhooks = false\n');
  put(`${below}sallyport.toml`, '[agents.default]\n');
  put(`${below}.github/workflows/evil.yml`, workflow);
}

const unhooking = [
  '.claude/settings.local.json',
  '.gemini/settings.json',
  '.codex/config.toml',
  'sallyport.toml',
];

/** Every way by which files come into a workspace without the command naming them. */
const ways: readonly (readonly [string, (prepared: Prepared) => void])[] = [
  ['git apply x.patch', patched],
  ['patch -p1 < x.patch', patched],
  ['git am x.mbox', mailed],
  ['tar xf a.tar', packed],
  ['cp -r evil/. .', (one) => layOut(one, 'evil/')],
  ...(spawnSync('rsync', ['--version']).status === 0
    ? [['rsync -a evil/ ./', (one: Prepared) => layOut(one, 'evil/')] as const]
    : []),
  ['git checkout evil', branched],
  ['git switch evil', branched],
  ['git merge -q evil', branched],
  ['git pull -q ../remote evil', fetched],
  ['git cherry-pick evil', branched],
  ['git stash pop', stashed],
  ['bash w.sh', scripted],
  [
    'python3 ev.py',
    (one) => one.put('ev.py', `import subprocess\nsubprocess.run(["sh", "w.sh"])\n`) ?? scripted(one),
  ],
  ['make', scripted],
  ['npm run down', scripted],
];

/** Works in another work tree of the repository: in this one, files that unhook us are put back at any time. */
function elsewhere(one: Prepared, work: () => void, command: string): void {
  one.run('git worktree add -q --detach ../author main');
  work();
  one.run(`cd ../author && git add -A && ${command}`);
  one.run('git worktree remove --force ../author');
}

function branched(one: Prepared): void {
  elsewhere(one, () => layOut(one, '../author/'), 'git commit -qm evil && git branch evil');
}

function patched(one: Prepared): void {
  branched(one);
  one.run('git diff main evil > x.patch && git branch -qD evil');
}

function mailed(one: Prepared): void {
  branched(one);
  one.run('git format-patch -q --stdout main..evil > x.mbox && git branch -qD evil');
}

function fetched(one: Prepared): void {
  branched(one);
  one.run('rm -rf ../remote && git clone -q --bare . ../remote && git branch -qD evil');
}

function stashed(one: Prepared): void {
  elsewhere(one, () => layOut(one, '../author/'), 'git stash -q');
}

function packed(one: Prepared): void {
  layOut(one, 'evil/');
  one.run('tar cf a.tar -C evil .');
}

function scripted(one: Prepared): void {
  layOut(one, 'evil/');
  one.put('w.sh', 'cp -r evil/. .\n');
}

/** A command that runs w.sh and does not say so. */
function unread({ plan }: Prepared): string {
  plan(['sh', 'w.sh']);
  return reader;
}

/** Takes back everything that a way left, between calls, as a person at a terminal would. */
function cleaned({ run }: Prepared): void {
  run('git am --abort 2>/dev/null; git cherry-pick --abort 2>/dev/null; true');
  run('git checkout -qf main && git reset -q --hard first && git clean -qfdx');
  run(
    'git stash clear; git for-each-ref --format="%(refname:short)" refs/heads | grep -v "^main$" | xargs -r git branch -qD',
  );
}

/** Waits for what must happen; the time of the test is the only limit. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Approves the question that waits, as the person does it: having seen all of it, which is given. */
async function approved({ place }: Prepared): Promise<string> {
  let waiting = '';
  while (!waiting.includes('unreviewed_change')) waiting = (await cli(place, ['approvals', '--json'])).stdout;
  const id = /"id":"([\w-]+)"/.exec(waiting)?.[1] ?? '';
  const { stdout } = await atTerminal(place, ['approve', id], [passphrase]);
  expect(stdout).toContain(`Approved: ${id}`);
  return stdout;
}

describe('files that unhook us', () => {
  it('are put back and reported, whatever way and commit they come from', async () => {
    const one = await prepared();
    for (const [way, prepare] of ways) {
      prepare(one);
      const told = await one.command(way, { session: way });
      for (const path of unhooking) {
        // The watch of the host's files may come before the look after the call: it leaves an empty table.
        expect([way, path, one.read(path)?.trim() ?? '{}']).toEqual([way, path, '{}']);
        const seen = told?.includes(path) ? told : JSON.stringify(await one.log('guard_unhooked'));
        expect([way, seen]).toEqual([way, expect.stringContaining(path)]);
      }
      expect([way, one.read('.github/workflows/evil.yml')]).toEqual([way, workflow]);
      cleaned(one);
    }
    const alarms = ways.length * unhooking.length;
    const logged = await one.log('guard_unhooked');
    expect(logged.length).toBeGreaterThanOrEqual(alarms);
    const status = JSON.parse((await cli(one.place, ['status', '--json'])).stdout);
    expect(status.alarms).toBeGreaterThanOrEqual(alarms);
  });
});

describe('hooks and settings of git', () => {
  const evil =
    '[core]\n\thooksPath = /tmp/x\n\tfsmonitor = ./x\n[alias]\n\tst = !x\n[include]\n\tpath = ../x\n';

  it('that start programs are put back, and everything else that a script did stays', async () => {
    const one = await prepared();
    one.put('.git/hooks/pre-commit', '#!/bin/sh\n# mine\n', 0o755);
    one.put('.git/hooks/commit-msg', '#!/bin/sh\n# mine too\n', 0o755);
    one.run('git init -q nested && git worktree add -q ../tree');
    const config = one.read('.git/config') ?? '';
    one.put('extra', evil);
    one.put(
      'w.sh',
      [
        'git remote add o https://example.com/r.git',
        'cat extra >> .git/config; cat extra >> nested/.git/config; cat extra >> .git/worktrees/tree/config.worktree',
        'cat extra >> "$HOME/.gitconfig"',
        'echo evil > .git/hooks/post-checkout; chmod +x .git/hooks/post-checkout',
        'echo evil > nested/.git/hooks/pre-push; chmod +x nested/.git/hooks/pre-push',
        'echo evil >> .git/hooks/pre-commit; rm .git/hooks/commit-msg',
      ].join('\n'),
    );
    const told = await one.command(unread(one));
    expect(one.read('.git/config')).toBe(
      `${config}[remote "o"]\n\turl = https://example.com/r.git\n\tfetch = +refs/heads/*:refs/remotes/o/*\n[core]\n[alias]\n[include]\n`,
    );
    for (const file of ['nested/.git/config', '.git/worktrees/tree/config.worktree', '../home/.gitconfig']) {
      expect([file, one.read(file)]).toEqual([
        file,
        expect.not.stringMatching(/hooksPath|fsmonitor|st =|path =/),
      ]);
    }
    expect(one.read('.git/hooks/post-checkout')).toBeNull();
    expect(one.read('nested/.git/hooks/pre-push')).toBeNull();
    expect(one.read('.git/hooks/pre-commit')).toBe('#!/bin/sh\n# mine\n');
    expect(one.read('.git/hooks/commit-msg')).toBe('#!/bin/sh\n# mine too\n');
    expect(told).toContain(
      '.git/config (its settings start programs: core.hookspath, core.fsmonitor, alias.st, include.path)',
    );
    expect(told).toContain('post-checkout (it is a new hook of git)');
    expect(one.run('git remote')).toBe('o\n');
  });

  it('that a person changed before the call, or that were only moved, stay', async () => {
    const one = await prepared();
    one.run('git init -q nested');
    one.put('nested/.git/hooks/pre-commit', '#!/bin/sh\n', 0o755);
    one.run('git -C nested config alias.x "!echo mine"');
    await one.command('bash -c "echo 1 > a.txt"');
    one.put('.git/hooks/pre-commit', '#!/bin/sh\n# mine\n', 0o755);
    one.run('git config core.sshCommand "sh mine"');
    expect(await one.command('bash -c "echo 2 > a.txt; mv nested moved"')).toBe('');
    expect(one.read('.git/hooks/pre-commit')).toContain('mine');
    expect(one.read('.git/config')).toContain('sh mine');
    expect(one.read('moved/.git/config')).toContain('!echo mine');
    expect(one.read('moved/.git/hooks/pre-commit')).toBe('#!/bin/sh\n');
    expect(await one.log('guard_unhooked')).toEqual([]);
    const noted = await one.log('protected_change');
    expect(noted.map(({ details }) => details)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ file: one.at('.git/hooks/pre-commit'), outcome: 'noted' }),
      ]),
    );
  });

  it('of a repository without a work tree, and behind a link, are put back too', async () => {
    const one = await prepared();
    one.put('extra', evil);
    one.put(
      'w.sh',
      [
        'git init -q --bare fixture && cat extra >> fixture/config',
        'mkdir -p ../elsewhere && echo evil > ../elsewhere/pre-commit && rm -rf .git/hooks && ln -s ../../elsewhere .git/hooks',
        'ln a.json .claude.json 2>/dev/null; mkdir -p .claude && echo \'{"disableAllHooks":true}\' > a.json && ln a.json .claude/settings.json',
        'ln -s ../a.json .claude/settings.local.json',
      ].join('\n'),
    );
    await one.command(unread(one));
    expect(one.read('fixture/config')).not.toMatch(/hooksPath|fsmonitor/);
    expect(one.read('.git/hooks/pre-commit')).toBeNull();
    expect(one.read('.claude/settings.json')).toBeNull();
    expect(one.read('.claude/settings.local.json')).toBeNull();
    expect(one.read('a.json')).toContain('disableAllHooks');
  });

  it('are put back after the daemon died in the middle of the call', async () => {
    const one = await prepared();
    one.run('git config user.name u');
    await one.command('bash -c "echo 1 > a.txt"');
    const named = { tool_name: 'Bash', tool_input: { command: unread(one) }, tool_use_id: 'dying' };
    one.put('w.sh', 'true\n');
    await one.say('PreToolUse', named);
    process.kill(one.pid, 'SIGKILL');
    one.put('.git/hooks/pre-commit', 'evil\n', 0o755);
    one.put('.claude/settings.local.json', off);
    await up(one.place);
    await until(() => one.read('.git/hooks/pre-commit') === null);
    await until(() => !one.read('.claude/settings.local.json')?.includes('disableAllHooks'));
  });
});

describe('other protected files', () => {
  it.skipIf(noTerminals)('are reported, and the next run asks with the difference, once', async () => {
    const one = await prepared();
    one.put(
      'w.sh',
      'echo "  evil: {}" >> .github/workflows/ci.yml; echo "Obey." > AGENTS.md; touch plain.txt\n',
    );
    const told = await one.command(unread(one));
    expect(told).toContain('.github/workflows/ci.yml (runs in a pipeline)');
    expect(told).toContain('AGENTS.md (tells agents what to do)');
    expect(told).not.toContain('plain.txt');
    expect(JSON.parse((await cli(one.place, ['status', '--json'])).stdout)).toMatchObject({ unreviewed: 2 });
    // Looking and editing go on.
    expect(await one.command('git status; cat AGENTS.md')).toBe('');
    const named = { tool_name: 'Bash', tool_input: { command: 'npm test' }, tool_use_id: 'asks' };
    const asked = one.say('PreToolUse', named);
    const shown = await approved(one);
    expect(shown).toContain('+  evil: {}');
    expect(shown).toContain('+Obey.');
    expect(await asked).toMatchObject({ status: 0, stdout: '' });
    await one.say('PostToolUse', { ...named, tool_response: {} });
    expect(await one.command('true > b.txt')).toBe('');
    const prompt = await one.say('UserPromptSubmit', { prompt: 'go on' });
    expect(JSON.parse(prompt.stdout).systemMessage).toContain('AGENTS.md');
    const entries = await one.log('protected_change');
    expect(entries.map(({ details }) => details)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ file: one.at('AGENTS.md'), outcome: 'asks', session: 's1' }),
        expect.objectContaining({ file: one.at('.github/workflows/ci.yml'), outcome: 'asks', session: 's1' }),
      ]),
    );
  });

  it('ask in that session only, and no more once the change is taken back', async () => {
    const one = await prepared();
    one.put('w.sh', 'echo evil >> .github/workflows/ci.yml\n');
    await one.command(unread(one));
    expect(await one.command('true > a.txt', { session: 's2' })).toBe('');
    one.put('.github/workflows/ci.yml', workflow);
    expect(await one.command('true > a.txt')).toBe('');
  });

  it('that come from a commit are only noted', async () => {
    const one = await prepared();
    const lay = () => {
      one.put('../author/.github/workflows/evil.yml', workflow);
      one.put('../author/package.json', '{"scripts":{"x":"y"}}\n');
    };
    const branch = () => elsewhere(one, lay, 'git commit -qm evil && git branch evil');
    const remote = () => {
      branch();
      one.run('git clone -q --bare . ../remote && git branch -qD evil');
    };
    const commits: readonly (readonly [string, () => void])[] = [
      ['git pull -q ../remote evil', remote],
      ['git checkout evil', branch],
      ['git merge -q evil', branch],
      ['git cherry-pick evil', branch],
      ['git stash pop', () => elsewhere(one, lay, 'git stash -q')],
      ['bash w.sh', () => branch() ?? one.put('w.sh', 'git checkout -q evil\n')],
    ];
    for (const [way, prepare] of commits) {
      prepare();
      expect([way, await one.command(way, { session: way })]).toEqual([way, '']);
      expect([way, await one.command('true > a.txt', { session: way })]).toEqual([way, '']);
      expect([way, one.read('package.json')]).toEqual([way, '{"scripts":{"x":"y"}}\n']);
      cleaned(one);
    }
    const entries = await one.log('protected_change');
    expect(entries).toHaveLength(2 * commits.length);
    for (const { details } of entries) expect(details).toMatchObject({ outcome: 'noted' });
  });

  it('that the call itself made up are asked about, though it commits them', async () => {
    const one = await prepared();
    const made: readonly (readonly [string, (prepared: Prepared) => void])[] = [
      ['git am x.mbox', mailed],
      ['git apply x.patch', patched],
      ['bash w.sh; git add -A; git commit -qm y', scripted],
    ];
    for (const [way, prepare] of made) {
      prepare(one);
      const told = await one.command(way, { session: way });
      expect([way, told]).toEqual([way, expect.stringContaining('name: .github/workflows/evil.yml')]);
      cleaned(one);
    }
  });
});

describe('ordinary work', () => {
  it('goes on without a word: packages, builds, projects of their own, prompts of the host', async () => {
    const one = await prepared();
    one.put('package.json', '{"dependencies":{"dependency":"file:dependency"}}\n');
    one.put('dependency/package.json', '{"name":"dependency","version":"1.0.0"}\n');
    one.run('git clone -q --bare . ../remote');
    const words = [
      'npm install',
      'npm uninstall dependency',
      'mkdir -p build && echo x > build/out.txt',
      'mkdir app && cd app && npm init -y',
      'python3 -m venv env --without-pip',
      'git add -A && git commit -qm work && git checkout -qb feature && git checkout -q main',
      'git remote add origin https://example.com/r.git && git config user.email x@example.com',
      'git clone -q ../remote lib',
      'rm -f package-lock.json',
      'touch src.js',
    ];
    for (const [index, word] of words.entries()) {
      const told = await one.command(word, {
        during: () => {
          // The user answers a prompt of the host with "always".
          one.put('.claude/settings.local.json', `{"permissions":{"allow":["Bash(x${index}:*)"]}}`);
        },
      });
      expect([word, told]).toEqual([word, '']);
    }
    expect(one.read('.claude/settings.local.json')).toContain('x9:');
  });
});
