import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openTestLedger, temporaryFolder } from '../../../tests/support/ledger.ts';
import { settingsFrom } from '../../config/index.ts';
import type { Action, Context, Facts } from '../../core/index.ts';
import { realWorld } from '../../decide/index.ts';
import { pathRules } from '../../decide/judge.ts';
import { atOnce, Snapshots } from '../../ledger/snapshots/index.ts';
import { Captures } from '../captures.ts';

/** A workspace with a repository, and calls that change it. */
async function prepared(options: { readonly allowed?: readonly string[]; readonly now?: () => number } = {}) {
  const folder = realpathSync(temporaryFolder());
  const workspace = join(folder, 'work');
  const store = join(folder, 'store');
  const home = join(folder, 'person');
  for (const path of [workspace, store, home]) mkdirSync(path);
  const ledger = await openTestLedger();
  const usual = settingsFrom({});
  const settings = { ...usual, write: { ...usual.write, allowedPaths: options.allowed ?? [] } };
  const reported: unknown[] = [];
  const world = { ...realWorld(), ...(options.now === undefined ? {} : { now: options.now }) };
  const captures = new Captures({
    store,
    personHome: home,
    config: { settingsFor: () => settings, snapshots: { keepDays: 30, maxBytes: 10_000_000 } },
    ledger,
    world,
    report: (event, error) => reported.push(event, error),
  });
  onTestFinished(() => expect(reported).toEqual([]));
  const at = (path: string) => join(workspace, path);
  const put = (path: string, text: string, mode = 0o644) => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
    chmodSync(at(path), mode);
  };
  const read = (path: string) => (existsSync(at(path)) ? readFileSync(at(path), 'utf8') : null);
  const run = (command: string) => {
    const { status, stderr } = spawnSync('/bin/sh', ['-c', command], { cwd: workspace, encoding: 'utf8' });
    expect([command, status, stderr]).toEqual([command, 0, '']);
  };
  run('git init -q . && git config user.name t && git config user.email t@example.com');
  put('.github/workflows/ci.yml', 'on: push\n');
  run('git add -A && git commit -qm first');
  const who = { user: 'ann', tenant: 'acme', agent: 'claude', workspace, mode: 'auto' } as const;
  const context = (session: string): Context => ({ ...who, session });
  const plain: Facts = { programs: ['sh'], effects: { run: 1 }, unknowns: 0, errors: 0 };
  const action: Action = { kind: 'shell', command: 'sh w.sh' };
  const begin = (call: string, session = 's1', facts = plain, findings: readonly { rule: string }[] = []) =>
    captures.begin({ tool: 'Bash', arguments: {}, call }, context(session), {
      verdict: {
        decisionId: '01234567',
        findings: findings.map(({ rule }) => ({ rule, guard: 'path', decision: 'approve', message: '' })),
      },
      parts: [{ pointer: '', action, facts, sideEffect: true }],
    });
  const end = async (call: string, session = 's1') => {
    const notices = await captures.end({ tool: 'Bash', arguments: {}, call }, context(session));
    return notices.map(({ forPerson }) => forPerson).join(' ');
  };
  /** One call from its beginning to its end. */
  const call = async (change: () => void, session = 's1', facts = plain) => {
    await begin('only', session, facts);
    change();
    return await end('only', session);
  };
  const entries = async (type: string) =>
    (await ledger.audit.list({ eventType: type, limit: 100 })).map(({ details }) => details);
  const snapshots = () => new Snapshots({ store, workspace, personHome: home, now: () => Date.now() });
  const unreviewed = async (session = 's1') =>
    (await captures.unreviewed(context(session))).map(({ path }) => path);
  return {
    ...{ workspace, home, captures, context, at, put, read, run, begin, end, call, entries, snapshots },
    ...{ unreviewed, plain },
  };
}

describe('a change that could be a person’s own', () => {
  it('in the time of a call: only what starts programs is put back, and the version is kept', async () => {
    const one = await prepared();
    const told = await one.call(() => {
      one.run('git config alias.mine "!echo mine" && git remote add mine https://example.com/x.git');
      one.put('.claude/settings.local.json', '{"disableAllHooks":true,"model":"opus"}');
    });
    expect(one.read('.git/config')).not.toContain('!echo');
    expect(one.read('.git/config')).toContain('[remote "mine"]');
    expect(JSON.parse(one.read('.claude/settings.local.json') ?? '')).toEqual({ model: 'opus' });
    const copies = [...told.matchAll(/cp '([^']+)' '([^']+)'/g)].map(([, copy = '', file = '']) => [
      file,
      readFileSync(copy, 'utf8'),
    ]);
    expect(copies).toEqual([
      [one.at('.git/config'), expect.stringContaining('!echo mine')],
      [one.at('.claude/settings.local.json'), '{"disableAllHooks":true,"model":"opus"}'],
    ]);
    // Copied back while no call runs, it stays.
    writeFileSync(one.at('.git/config'), String(copies[0]?.[1]));
    expect(await one.call(() => one.put('a.txt', 'a'))).toBe('');
    expect(one.read('.git/config')).toContain('!echo mine');
  });

  it('after a call that its host never spoke of again is no longer laid to that call', async () => {
    let now = 1_000_000;
    const one = await prepared({ now: () => now });
    await one.begin('lost', 'gone');
    now += 3_600_000;
    one.put('.git/hooks/pre-commit', 'mine\n', 0o755);
    expect(await one.call(() => one.put('a.txt', 'a'), 's2')).toBe('');
    expect(one.read('.git/hooks/pre-commit')).toBe('mine\n');
  });

  it('of a file that changed again since is left alone', async () => {
    const one = await prepared();
    await one.begin('one');
    one.put('sallyport.toml', '[agents.default]\n');
    const snapshots = one.snapshots();
    const [pending] = atOnce(snapshots.catchUp());
    one.put('sallyport.toml', '# mine\n');
    expect(atOnce(snapshots.putBack(pending?.id ?? '', 'sallyport.toml', null))).toBe(false);
    expect(one.read('sallyport.toml')).toBe('# mine\n');
  });
});

describe('calls', () => {
  it('at the same time: what one changed is put back when the first ends, and both sessions are asked', async () => {
    const one = await prepared();
    await one.begin('one', 's1');
    await one.begin('two', 's2');
    one.put('.git/hooks/pre-commit', 'evil\n', 0o755);
    one.put('AGENTS.md', 'Obey.\n');
    expect(await one.end('two', 's2')).toMatch(/pre-commit \(it is a new hook of git\).*AGENTS\.md/s);
    expect(one.read('.git/hooks/pre-commit')).toBeNull();
    expect([await one.unreviewed('s1'), await one.unreviewed('s2')]).toEqual([['AGENTS.md'], ['AGENTS.md']]);
    expect(await one.end('one', 's1')).toBe('');
  });

  it('that have another process look in between are judged all the same', async () => {
    const one = await prepared();
    await one.begin('one');
    one.put('.claude/settings.json', '{"disableAllHooks":true}');
    one.put('AGENTS.md', 'Obey.\n');
    atOnce(one.snapshots().catchUp());
    expect(await one.end('one')).toMatch(/settings\.json.*AGENTS\.md/s);
    expect(one.read('.claude/settings.json')).toBeNull();
    expect(await one.unreviewed()).toEqual(['AGENTS.md']);
  });

  it('are undone without what was put back', async () => {
    const one = await prepared();
    await one.call(() => {
      one.put('a.txt', 'new\n');
      one.put('.claude/settings.json', '{"disableAllHooks":true,"model":"x"}');
      one.put('.claude/settings.local.json', '{"disableAllHooks":true}');
    });
    const snapshots = one.snapshots();
    const [last] = snapshots.list();
    expect(last?.steps.map(({ path }) => path).sort()).toEqual(['.claude', '.claude/settings.json', 'a.txt']);
    const cause = { user: 'ann', tenant: 'acme', agent: 'person', run: 'undo', decisionId: '' };
    atOnce(snapshots.undo(last?.id ?? '', cause));
    expect([one.read('a.txt'), one.read('.claude/settings.json')]).toEqual([null, null]);
  });

  it('that say what they do to hooks are only noted, for a person was asked', async () => {
    const one = await prepared();
    const facts = { programs: ['cp'], effects: { persist: 1, write: 1 }, unknowns: 0, errors: 0 };
    expect(await one.call(() => one.put('.git/hooks/pre-push', 'x\n', 0o755), 's1', facts)).toBe('');
    expect(one.read('.git/hooks/pre-push')).toBe('x\n');
    expect(await one.entries('protected_change')).toMatchObject([{ outcome: 'noted' }]);
    expect(await one.call(() => one.put('.git/hooks/pre-push', 'y\n', 0o755))).toContain('pre-push');
  });
});

describe('a change that somebody must look at', () => {
  const facts = { programs: ['npm'], effects: { package: 1 }, unknowns: 0, errors: 0 };
  const files: [string, boolean, Facts?][] = [
    ['.github/workflows/x.yml', true],
    ['AGENTS.md', true],
    ['.husky/pre-commit', true],
    ['package.json', true],
    ['package-lock.json', true],
    ['package.json', false, facts],
    ['.github/workflows/x.yml', true, facts],
    ['Cargo.lock', false, { programs: ['cargo'], effects: { inert: 1 }, unknowns: 0, errors: 0 }],
    ['Cargo.toml', true, { programs: ['cargo'], effects: { inert: 1 }, unknowns: 0, errors: 0 }],
    ['build/Makefile', false],
    ['dist/package.json', false],
    ['env/lib/python3/site-packages/x.pth', false],
    ['new-app/package.json', false],
    ['new-app/.github/workflows/x.yml', true],
    ['.eslintcache', false],
    ['.babelrc', true],
    ['src/a.ts', false],
    ['README.md', false],
    ['allowed/AGENTS.md', false],
  ];
  it.each(files)('%s: %s', async (path, isAsked, doing) => {
    const one = await prepared({ allowed: ['allowed'] });
    await one.call(() => one.put(path, 'text\n'), 's1', doing ?? one.plain);
    expect(await one.unreviewed()).toEqual(isAsked ? [path] : []);
  });

  it('is shown as a difference without secrets, and survives a restart until it was seen', async () => {
    const one = await prepared();
    const key = `AKIA${'QWERTYUIOPASDFGH'}`;
    await one.call(() => one.put('.github/workflows/ci.yml', `on: push\nenv: { KEY: ${key} }\n`));
    const again = new Captures({
      store: join(one.workspace, '..', 'store'),
      personHome: one.home,
      config: { settingsFor: () => settingsFrom({}), snapshots: { keepDays: 30, maxBytes: 10_000_000 } },
      ledger: await openTestLedger(),
      world: realWorld(),
      report: () => undefined,
    });
    const [found, ...others] = await again.unreviewed(one.context('s1'));
    expect(others).toEqual([]);
    expect(found?.diff).toContain('--- a/.github/workflows/ci.yml\n+++ b/.github/workflows/ci.yml\n');
    expect(found?.diff).toContain('+env:');
    expect(found?.diff).not.toContain(key);
    await one.begin('next', 's1', one.plain, [{ rule: pathRules.unreviewedChange.id }]);
    expect(await one.unreviewed()).toEqual([]);
    expect(one.captures.integrity.waiting()).toBe(0);
  });

  it('is no matter any more once it was taken back', async () => {
    const one = await prepared();
    await one.call(() => one.put('AGENTS.md', 'Obey.\n'));
    rmSync(one.at('AGENTS.md'));
    expect(await one.unreviewed()).toEqual([]);
  });
});

describe('what a host runs', () => {
  const hooks = '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"./x"}]}]}}';
  it.each([
    ['.claude/settings.json', hooks],
    ['.gemini/settings.json', hooks],
    ['.cursor/hooks.json', hooks],
    ['.github/hooks/x.json', hooks],
    ['sub/.codex/config.toml', '[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ncommand = "./x"\n'],
    ['opencode.json', '{"plugin":["./x.js"]}'],
    ['.opencode/plugin/x.js', 'export {};\n'],
  ])('%s: code that a call adds is put back, and asked about where a commit holds it', async (path, text) => {
    const one = await prepared();
    expect(await one.call(() => one.put(path, text))).toContain(`${path} (it has the host run code`);
    expect(one.read(path)).toBeNull();
    one.run('git checkout -qb other');
    one.put(path, text);
    one.run('git add -A && git commit -qm other && git checkout -q -');
    const git = { programs: ['git'], effects: { git: 1 }, unknowns: 0, errors: 0 };
    await one.call(() => one.run('git checkout -q other'), 's1', git);
    expect(one.read(path)).toBe(text);
    expect(await one.unreviewed()).toEqual([path]);
  });

  it('as it was before stays, and so does what else stands in the file', async () => {
    const one = await prepared();
    one.put('.claude/settings.json', hooks);
    const { PreToolUse } = JSON.parse(hooks).hooks;
    const Stop = [{ hooks: [{ type: 'command', command: 'evil' }] }];
    await one.call(() =>
      one.put('.claude/settings.json', JSON.stringify({ hooks: { PreToolUse, Stop }, model: 'x' })),
    );
    expect(JSON.parse(one.read('.claude/settings.json') ?? '')).toEqual({
      hooks: { PreToolUse, Stop: [] },
      model: 'x',
    });
  });
});

describe('a file that something changes again and again while no call runs', () => {
  it('is restored every time; the log doubles its steps, and the next run of its host asks', async () => {
    const one = await prepared();
    const file = one.at('hooks.json');
    const right = { type: 'file', bytes: Buffer.from('right'), mode: 0o600 } as const;
    const who = { user: 'ann', tenant: 'acme', agent: 'claude', run: '', decisionId: '' };
    const { integrity } = one.captures;
    for (let round = 1; round <= 70; round++) {
      one.put('hooks.json', 'wrong');
      const { restored } = await integrity.putBack({ of: 'claude', file, why: 'x', right }, who, true);
      expect([round, restored, one.read('hooks.json')]).toEqual([round, true, 'right']);
      if (round === 20) expect(await one.unreviewed()).toEqual([]);
    }
    expect(await one.entries('guard_unhooked')).toHaveLength(20 + 2);
    expect(integrity.alarms()).toHaveLength(20 + 2);
    const { workspace: _, ...other } = one.context('s1');
    expect(await one.unreviewed('any')).toEqual([file]);
    expect(await one.captures.unreviewed({ ...other, agent: 'codex', workspace: one.workspace })).toEqual([]);
    // Once it is reviewed, the session continues.
    await one.begin('asked', 's1', one.plain, [{ rule: pathRules.unreviewedChange.id }]);
    expect(await one.unreviewed('any')).toEqual([]);
  });
});
