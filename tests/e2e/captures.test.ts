// Hosts whose tools really change files between the moment before a call and the moment after it: what they did comes
// back byte for byte, and a receipt says what it was.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { hosts } from '../../src/surfaces/hooks/index.ts';
import { cli, jsonLines, type Place } from '../support/cli.ts';
import { hidden } from '../support/hidden.ts';
import { call, newUser, up, writeClients } from '../support/hosts.ts';

/** Everything below a folder: names, bytes, permissions, links. */
function all(at: string, below = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(at).sort()) {
    const path = join(at, name);
    const shown = below === '' ? name : `${below}/${name}`;
    const is = lstatSync(path);
    if (is.isSymbolicLink()) found[shown] = `→ ${readlinkSync(path)}`;
    else if (is.isDirectory()) Object.assign(found, all(path, shown));
    else found[shown] = `${(is.mode & 0o777).toString(8)} ${readFileSync(path, 'latin1')}`;
  }
  return found;
}

/** A workspace with all kinds of files, a daemon, and the client of Claude Code. */
async function prepared() {
  const place = newUser();
  const put = (path: string, content: string | Uint8Array) => {
    mkdirSync(join(place.workspace, path, '..'), { recursive: true });
    writeFileSync(join(place.workspace, path), content);
  };
  put('a.txt', 'old\n');
  put('deep/x.bin', Buffer.from([0, 1, 2, 255, 10, 13]));
  put('.gitignore', '.env\nlocal.db\n');
  put('.env', 'KEY=1\n');
  put('local.db', Buffer.alloc(5000, 7));
  put('run.sh', 'echo\n');
  chmodSync(join(place.workspace, 'run.sh'), 0o755);
  symlinkSync('a.txt', join(place.workspace, 'link'));
  put('.git/HEAD', 'ref: refs/heads/main\n');
  await writeClients(place, 'claude');
  const pid = await up(place);
  return { ...place, put, pid, claude: claudeIn(place) };
}

/** How many calls have processes, as the snapshots say. */
function livingCalls({ home }: Place): number {
  const folder = join(home, 'snapshots');
  const pending = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.pending'),
  );
  return pending.filter((name) => readFileSync(join(folder, name), 'utf8').includes(',null]')).length;
}

/** What Claude Code says at the moments of a call. */
function claudeIn(place: Place) {
  const say = (event: string, value: object, session = 's1') =>
    call(place, 'claude', {
      event,
      value: {
        session_id: session,
        cwd: place.workspace,
        permission_mode: 'bypassPermissions',
        hook_event_name: event,
        ...value,
      },
    });
  const bash = (id: string, command: string) => ({
    tool_name: 'Bash',
    tool_input: { command },
    tool_use_id: id,
  });
  const run = (command: string) => spawnSync('/bin/sh', ['-c', command], { cwd: place.workspace });
  /** Starts a command that the daemon sees, up to `read`; gives what lets it go on to its end. */
  const start = async (command: string) => {
    const child = spawn('/bin/sh', ['-c', command], {
      cwd: place.workspace,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const ended = once(child, 'exit');
    await expect.poll(() => livingCalls(place), { timeout: 30_000 }).toBe(1);
    return async () => {
      child.stdin.end();
      await ended;
    };
  };
  /** Runs a command that lives until the daemon has written down that it does. */
  const runSeen = async (command: string) => await (await start(`${command}; read -r line`))();
  return {
    say,
    bash,
    run,
    runSeen,
    start,
    /** One command from the moment before it to the moment after it. */
    async command(command: string, id = 't1', session = 's1') {
      const before = await say('PreToolUse', bash(id, command), session);
      expect(before).toEqual({ status: 0, stdout: '', stderr: '' });
      run(command);
      await say('PostToolUse', { ...bash(id, command), tool_response: { stdout: '' } }, session);
    },
  };
}

async function receipts(place: Place) {
  return JSON.parse((await cli(place, ['receipts', '--json'])).stdout);
}

const mess =
  'rm deep/x.bin .env local.db link; rmdir deep; echo changed > a.txt; echo new > made.txt; chmod 600 run.sh';

describe('a command that a host runs', () => {
  it('is undone byte for byte, ignored files included, and the repository is never touched', async () => {
    const { claude, ...place } = await prepared();
    const messing = hidden(place.workspace, mess);
    const before = all(place.workspace);
    await claude.command(messing);
    const after = all(place.workspace);
    expect(Object.keys(after)).toEqual([
      ...['.git/HEAD', '.gitignore', 'a.txt', 'made.txt', 'plan.json', 'run.mjs', 'run.sh'],
    ]);
    place.put('.git/HEAD', 'moved\n');
    expect((await cli(place, ['undo'])).stdout).toMatch(/^Undone: [0-9a-f]{8} \(8 file/m);
    expect(all(place.workspace)).toEqual({ ...before, '.git/HEAD': '644 moved\n' });
    const [undone, applied] = await receipts(place);
    expect(undone).toMatchObject({ action: 'rollback', applied: true });
    expect(applied).toMatchObject({
      action: 'apply',
      applied: true,
      run_id: 's1',
      guards: { write: 'pass', egress: expect.stringMatching(/pass|warn/) },
    });
    expect((await cli(place, ['receipts', 'verify'])).stdout).toBe('2 receipts, 0 problems.\n');
    await cli(place, ['undo', undone.snapshot_id]);
    expect(all(place.workspace)).toEqual({ ...after, '.git/HEAD': '644 moved\n' });
  });

  it('is written down when it fails, and when the host only goes on', async () => {
    const { claude, ...place } = await prepared();
    const failing = claude.bash('t1', 'npm run build');
    await claude.say('PreToolUse', failing);
    claude.run('echo half > a.txt');
    await claude.say('PostToolUseFailure', { ...failing, error: 'Exit code 1', is_interrupt: false });
    await claude.say('PreToolUse', claude.bash('t2', 'npm run build'));
    await claude.runSeen('echo more > a.txt');
    await claude.say('UserPromptSubmit', { prompt: 'stop' });
    await claude.say('PreToolUse', claude.bash('t3', 'npm run build'));
    await claude.runSeen('echo most > a.txt');
    await claude.say('SessionEnd', {});
    place.put('a.txt', 'my own\n');
    expect(await receipts(place)).toHaveLength(3);
    place.put('a.txt', 'most\n');
    await cli(place, ['undo', '--run', 's1']);
    expect(readFileSync(join(place.workspace, 'a.txt'), 'utf8')).toBe('old\n');
  });

  it('is undone though the host died in the middle of it', async () => {
    const { claude, ...place } = await prepared();
    const messing = hidden(place.workspace, mess);
    const before = all(place.workspace);
    await claude.say('PreToolUse', claude.bash('t1', messing));
    // Nobody reports its end, so that what it did is known by the time in which its processes lived.
    await claude.runSeen(messing);
    expect((await cli(place, ['undo'])).status).toBe(0);
    expect(all(place.workspace)).toEqual(before);
    expect((await cli(place, ['receipts', 'verify'])).stdout).toBe('2 receipts, 0 problems.\n');
  });

  it('is undone though host and daemon died in the middle of it', async () => {
    const { claude, pid, ...place } = await prepared();
    const messing = hidden(place.workspace, mess);
    const before = all(place.workspace);
    await claude.say('PreToolUse', claude.bash('t1', messing));
    // Nobody reports its end, so that what it did is known by the time in which its processes lived.
    await claude.runSeen(messing);
    process.kill(pid, 'SIGKILL');
    await up(place);
    await expect.poll(() => receipts(place), { timeout: 30_000 }).toHaveLength(1);
    expect((await cli(place, ['undo'])).status).toBe(0);
    expect(all(place.workspace)).toEqual(before);
  });

  it('that only reads is not looked after', async () => {
    const { claude, ...place } = await prepared();
    await claude.command('git status; cat a.txt');
    place.put('a.txt', 'my own\n');
    expect((await cli(place, ['undo'])).stdout).toContain('nothing to undo');
  });

  it('says which others ran at the same time, and lays each change to somebody once', async () => {
    const { claude, ...place } = await prepared();
    await claude.say('PreToolUse', claude.bash('t1', 'npm run one'));
    const goOn = await claude.start('echo one > one.txt; read -r line; echo three > three.txt');
    await claude.say('PreToolUse', claude.bash('t2', 'npm run two'), 's2');
    claude.run('echo two > two.txt');
    await claude.say('PostToolUse', { ...claude.bash('t2', 'npm run two'), tool_response: {} }, 's2');
    await goOn();
    await claude.say('PostToolUse', { ...claude.bash('t1', 'npm run one'), tool_response: {} });
    const [{ snapshots } = {}] = jsonLines((await cli(place, ['snapshots', '--json'])).stdout);
    const other = (run: string) => [{ agent: 'claude', run, tool: 'Bash' }];
    expect(snapshots).toMatchObject([
      { run: 's1', steps: [{ path: 'three.txt' }] },
      { run: 's2', steps: [{ path: 'two.txt' }], during: other('s1') },
      { run: 's1', steps: [{ path: 'one.txt' }] },
    ]);
    expect((snapshots as object[]).filter((snapshot) => 'during' in snapshot)).toHaveLength(1);
  });
});

describe('a file that a host writes', () => {
  const write = (path: string, content: string) => ({
    tool_name: 'Write',
    tool_input: { file_path: path, content },
    tool_use_id: 't1',
  });

  it('is kept before, receipted after, and comes back', async () => {
    const { claude, ...place } = await prepared();
    const before = all(place.workspace);
    const one = write(join(place.workspace, 'n/m/new.txt'), 'new\n');
    await claude.say('PreToolUse', one);
    place.put('n/m/new.txt', 'new\n');
    // Somebody else's work in the same moment is not the tool's.
    place.put('mine.txt', 'mine\n');
    await claude.say('PostToolUse', { ...one, tool_response: {} });
    expect(await receipts(place)).toMatchObject([
      {
        action: 'apply',
        applied: true,
        run_id: 's1',
        files: [{ path: 'n/m/new.txt', before_hash: null, after_hash: expect.any(String) }],
        diffs: [{ path: 'n/m/new.txt', hunks: [expect.stringContaining('+new')] }],
        guards: { write: 'pass', hallucination: 'pass', egress: 'pass' },
      },
    ]);
    expect((await cli(place, ['undo'])).status).toBe(0);
    expect(all(place.workspace)).toEqual({ ...before, 'mine.txt': '644 mine\n' });
    expect(existsSync(join(place.workspace, 'n'))).toBe(false);
  });

  it('has its wrong names told to the model right after the edit, and is unchecked before there is an index', async () => {
    const { claude, ...place } = await prepared();
    place.put('shop/__init__.py', '');
    place.put('shop/cart.py', 'def sum_prices():\n    return 1\n');
    const wrong = 'from shop.cart import total_price\n';
    const edit = async (file: string) => {
      const one = write(join(place.workspace, file), wrong);
      expect(await claude.say('PreToolUse', one)).toEqual({ status: 0, stdout: '', stderr: '' });
      place.put(file, wrong);
      return await claude.say('PostToolUse', { ...one, tool_response: {} });
    };
    const first = await edit('first.py');
    expect(first.stdout).toBe('');
    await vi.waitFor(
      async () => {
        const next = await edit('next.py');
        expect(JSON.parse(next.stdout)).toEqual({
          hookSpecificOutput: {
            hookEventName: 'PostToolUse',
            additionalContext:
              "Sallyport: Line 1 of 'next.py': `total_price` does not exist in `shop.cart`; did you mean `sum_prices`?",
          },
        });
      },
      { timeout: 20_000, interval: 250 },
    );
    const all = await receipts(place);
    expect(all.at(-1)).toMatchObject({
      files: [{ path: 'first.py' }],
      guards: { hallucination: 'unchecked' },
    });
    expect(all[0]).toMatchObject({ files: [{ path: 'next.py' }], guards: { hallucination: 'warn' } });
    const [oldest] = jsonLines((await cli(place, ['log', '--type', 'decision', '--json'])).stdout).reverse();
    expect(oldest).toMatchObject({ details: { unchecked: [{ path: 'first.py', why: 'index' }] } });
    expect((await cli(place, ['log', '--type', 'decision'])).stdout).toContain('references unchecked');
  });

  it('by a command is unchecked: nobody looked up what it refers to', async () => {
    const { claude, ...place } = await prepared();
    await claude.command('echo "import nothing.at.all" > made.py');
    expect(await receipts(place)).toMatchObject([
      { files: [{ path: 'made.py' }], guards: { hallucination: 'unchecked' } },
    ]);
  });

  it('is in one snapshot only where a command runs at the same time', async () => {
    const { claude, ...place } = await prepared();
    const one = write(join(place.workspace, 'a.txt'), 'new\n');
    await claude.say('PreToolUse', claude.bash('t0', 'npm run build'));
    await claude.say('PreToolUse', one);
    place.put('a.txt', 'new\n');
    await claude.say('PostToolUse', { ...one, tool_response: {} });
    claude.run('echo b > built.txt');
    await claude.say('PostToolUse', { ...claude.bash('t0', 'npm run build'), tool_response: {} });
    const [{ snapshots } = {}] = jsonLines((await cli(place, ['snapshots', '--json'])).stdout);
    expect(snapshots).toMatchObject([
      { action: 'shell', steps: [{ path: 'built.txt' }] },
      { action: 'apply', steps: [{ path: 'a.txt' }], during: [{ tool: 'Bash' }] },
    ]);
  });

  it('leaves a receipt where it was blocked', async () => {
    const { claude, ...place } = await prepared();
    const { status } = await claude.say('PreToolUse', write(join(place.workspace, '.git/config'), 'x'));
    expect(status).toBe(2);
    expect(await receipts(place)).toMatchObject([
      { action: 'reject', applied: false, files: [{ path: '.git/config' }], guards: { write: 'fail' } },
    ]);
  });

  it('is denied where what stands there cannot be kept', async () => {
    const { claude, ...place } = await prepared();
    writeFileSync(join(place.workspace, 'big.txt'), Buffer.alloc(17_000_000, 65));
    const { status, stderr } = await claude.say('PreToolUse', {
      tool_name: 'Edit',
      tool_input: { file_path: join(place.workspace, 'big.txt'), old_string: 'A', new_string: 'B' },
    });
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining('it could not be undone: big.txt is larger'),
    ]);
    rmSync(join(place.workspace, 'big.txt'));
  });
});

describe('a home folder', () => {
  it('is no workspace: files are not written, and commands wait for a person', async () => {
    const { claude, ...place } = await prepared();
    // The daemon of a place takes the place's home for the person's.
    const cwd = place.home;
    const written = await claude.say('PreToolUse', {
      cwd,
      tool_name: 'Write',
      tool_input: { file_path: join(cwd, 'notes.txt'), content: 'x' },
    });
    expect(written).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('is a home folder and cannot be a workspace'),
    });
    const { event } = hosts.claude.provocation('/');
    const ran = call(place, 'claude', {
      event,
      value: {
        session_id: 's1',
        cwd,
        permission_mode: 'bypassPermissions',
        hook_event_name: event,
        ...claude.bash('t1', 'npm run build'),
      },
    });
    await expect
      .poll(async () => (await cli(place, ['approvals'])).stdout, { timeout: 10_000 })
      .toContain('cannot be undone');
    await cli(place, ['down']);
    expect(await ran).toMatchObject({ status: 2 });
  });
});
