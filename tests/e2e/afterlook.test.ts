// What calls of a host really changed is looked at after each: by whatever program, a file that unhooks or loosens us is
// put back, and any other protected file is reported and asked about. Real git, real files, the real client and daemon.

import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, jsonLines } from '../support/cli.ts';
import { call, newUser, up, writeClients } from '../support/hosts.ts';

const off = '{"disableAllHooks":true}';
const workflow = 'on: push\njobs: {}\n';

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
  const read = (path: string) => (existsSync(at(path)) ? readFileSync(at(path), 'utf8') : null);
  const run = (command: string) => {
    const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', command], {
      cwd: workspace,
      encoding: 'utf8',
      env: { ...process.env, HOME: place.user, GIT_CONFIG_NOSYSTEM: '1', GIT_EDITOR: 'true' },
    });
    if (status !== 0) throw new Error(`${command}: ${stdout}${stderr}`);
    return stdout;
  };
  run('git init -q -b main . && git config user.name t && git config user.email t@example.com');
  put('README.md', 'one\n');
  put('package.json', '{"scripts":{"down":"sh w.sh"}}\n');
  put('Makefile', 'all:\n\tsh w.sh\n');
  put('.github/workflows/ci.yml', workflow);
  put('.gitignore', '/evil/\n/w.sh\n/ev.py\n/a.tar\n/x.patch\n/x.mbox\n');
  run('git add -A && git commit -qm first');
  await writeClients(place, 'claude');
  await up(place);

  const say = (event: string, value: object, session = 's1') =>
    call(place, 'claude', {
      event,
      value: {
        session_id: session,
        cwd: workspace,
        permission_mode: 'bypassPermissions',
        hook_event_name: event,
        ...value,
      },
    });
  let calls = 0;
  /** One command from the moment before it to the moment after it; what the model is told. */
  const command = async (text: string, options: { session?: string; during?: () => void } = {}) => {
    const { session } = options;
    const named = { tool_name: 'Bash', tool_input: { command: text }, tool_use_id: `t${++calls}` };
    const before = await say('PreToolUse', named, session);
    expect(before).toMatchObject({ status: 0, stdout: '' });
    run(text);
    options.during?.();
    const after = await say('PostToolUse', { ...named, tool_response: { stdout: '' } }, session);
    return after.stdout === '' ? '' : String(JSON.parse(after.stdout).hookSpecificOutput.additionalContext);
  };
  const log = async (type: string) =>
    jsonLines((await cli(place, ['log', '--type', type, '--json', '--limit', '100'])).stdout);
  return { place, at, put, read, run, say, command, log };
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
  ['rsync -a evil/ ./', (one) => layOut(one, 'evil/')],
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

function branched(one: Prepared): void {
  one.run('git checkout -qb evil');
  layOut(one, '');
  one.run('git add -A && git commit -qm evil && git checkout -q main');
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
  layOut(one, '');
  one.run('git add -A && git stash -q');
}

function packed(one: Prepared): void {
  layOut(one, 'evil/');
  one.run('tar cf a.tar -C evil .');
}

function scripted(one: Prepared): void {
  layOut(one, 'evil/');
  one.put('w.sh', 'cp -r evil/. .\n');
}

describe('files that unhook us', () => {
  it.each(ways)(
    '%s: they are put back and reported, whatever commit they come from',
    async (way, prepare) => {
      const one = await prepared();
      prepare(one);
      const told = await one.command(way);
      for (const path of unhooking) {
        expect([path, one.read(path)]).toEqual([path, null]);
        expect(told).toContain(path);
      }
      expect(one.read('.github/workflows/evil.yml')).toBe(workflow);
      const restored = await one.log('guard_unhooked');
      expect(restored).toHaveLength(unhooking.length);
      expect(JSON.parse((await cli(one.place, ['status', '--json'])).stdout)).toMatchObject({ alarms: 4 });
    },
  );
});
