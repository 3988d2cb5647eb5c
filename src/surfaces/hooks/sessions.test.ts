// What is kept of each session of a host: its workspace, its open calls, warnings that wait for its next prompt, and the calls

import { mkdirSync, readFileSync, realpathSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testDaemon } from '../../../tests/support/daemon.ts';
import { temporaryFolder } from '../../../tests/support/ledger.ts';
import { paths } from '../../config/index.ts';
import type { JsonObject } from '../../core/index.ts';
import { workspacesIn } from '../../ledger/snapshots/index.ts';
import { PassedCalls, SessionWorkspaces } from './sessions.ts';

async function waitFor<T>(look: () => Promise<readonly T[]>): Promise<readonly T[]> {
  for (;;) {
    const found = await look();
    if (found.length > 0) return found;
    await new Promise((go) => setTimeout(go, 20));
  }
}

const session = { user: 'ann', tenant: 'acme', agent: 'claude', session: 's-1' };
const day = 86_400_000;

describe('the workspace of a session', () => {
  const store = () => join(temporaryFolder(), 'sessions.json');

  it('is the folder that it was first heard of in, also after a restart', () => {
    const file = store();
    const first = new SessionWorkspaces(file);
    expect(first.workspaceOf(session, null, 1)).toBeNull();
    expect(first.workspaceOf(session, '/work/shop', 1)).toBe('/work/shop');
    expect(first.workspaceOf(session, '/home/ann/.ssh', 2)).toBe('/work/shop');
    const second = new SessionWorkspaces(file);
    expect(second.workspaceOf(session, '/etc', 3)).toBe('/work/shop');
    expect(second.workspaceOf(session, null, 3)).toBe('/work/shop');
  });

  it('is another once the host starts or resumes the session elsewhere', () => {
    const file = store();
    const sessions = new SessionWorkspaces(file);
    sessions.workspaceOf(session, '/work/shop', 1);
    expect(sessions.workspaceOf(session, '/work/other', 2, true)).toBe('/work/other');
    expect(sessions.workspaceOf(session, '/work/shop', 3)).toBe('/work/other');
    expect(sessions.workspaceOf(session, null, 4, true)).toBe('/work/other');
    expect(new SessionWorkspaces(file).workspaceOf(session, '/etc', 5)).toBe('/work/other');
  });

  it.each([{ user: 'bob' }, { tenant: 'other' }, { agent: 'codex' }, { session: 's-2' }])(
    'is that of nobody else: %j',
    (other) => {
      const sessions = new SessionWorkspaces(store());
      sessions.workspaceOf(session, '/work/shop', 1);
      expect(sessions.workspaceOf({ ...session, ...other }, '/work/other', 2)).toBe('/work/other');
      expect(sessions.workspaceOf(session, '/x', 3)).toBe('/work/shop');
    },
  );

  it('is kept for a thousand sessions and thirty days, and for those that are heard of longest', () => {
    const file = store();
    const many = Array.from({ length: 1000 }, (_, at) => ({ key: `["x${at}"]`, workspace: '/w', time: 1 }));
    writeFileSync(file, JSON.stringify({ sessions: many }));
    const sessions = new SessionWorkspaces(file);
    sessions.workspaceOf(session, '/work/shop', 2);
    const keys = () => JSON.parse(readFileSync(file, 'utf8')).sessions.map(({ key }: { key: string }) => key);
    expect(keys()).toHaveLength(1000);
    expect(keys()).not.toContain('["x0"]');
    for (let at = 1; at < 60; at++) sessions.workspaceOf(session, '/x', at * day);
    expect(keys()).toHaveLength(1);
    expect(sessions.workspaceOf(session, '/x', 60 * day)).toBe('/work/shop');
    expect(sessions.workspaceOf({ ...session, session: 's-2' }, '/y', 100 * day)).toBe('/y');
    expect(sessions.workspaceOf(session, '/x', 100 * day)).toBe('/x');
  });

  it.each(['', '{', '{"sessions":[{"key":"x"}]}', '{"sessions":7}'])(
    'is not guessed where the file cannot be read: %j',
    (text) => {
      const file = store();
      writeFileSync(file, text);
      expect(() => new SessionWorkspaces(file).workspaceOf(session, '/work', 1)).toThrow('cannot be read');
    },
  );

  it('is not taken where it cannot be written down', () => {
    const sessions = new SessionWorkspaces('/nowhere/sessions.json');
    expect(() => sessions.workspaceOf(session, '/work', 1)).toThrow('cannot be written');
    expect(() => sessions.workspaceOf(session, '/work', 1)).toThrow('cannot be written');
  });
});

describe('hooks in a session', () => {
  /** A daemon with every guard, and hosts that call it; folders lie outside of every temporary one for the guards. */
  async function hooked(configuration = '') {
    const folder = realpathSync(temporaryFolder());
    const user = join(folder, 'ann');
    const project = join(user, 'shop');
    const other = join(user, 'other');
    for (const path of [join(project, 'infra'), join(project, 'src'), other, join(user, '.ssh')]) {
      mkdirSync(path, { recursive: true });
    }
    writeFileSync(join(other, 'important.txt'), 'x');
    writeFileSync(join(project, 'sallyport.toml'), configuration);
    const daemon = await testDaemon({ passphrase: true, world: { home: user } });
    const hear = async (host: 'claude' | 'codex', body: JsonObject, agent = host) => {
      const token = await daemon.credential({ agent });
      const sent = {
        session_id: 's-1',
        permission_mode: 'bypassPermissions',
        ...body,
      };
      const { body: reply } = await daemon.call(`/v1/hook/${host}?event=${body['hook_event_name']}`, {
        token,
        body: sent,
      });
      return reply as { readonly stdout: string; readonly stderr: string };
    };
    const start = (host: 'claude' | 'codex', cwd = project) =>
      hear(host, { hook_event_name: 'SessionStart', cwd, source: 'startup' });
    const use = (host: 'claude' | 'codex', tool: string, input: JsonObject, cwd: string, id = 't') =>
      hear(host, { hook_event_name: 'PreToolUse', tool_name: tool, tool_input: input, tool_use_id: id, cwd });
    const bash = (host: 'claude' | 'codex', command: string, cwd: string) =>
      use(host, 'Bash', { command }, cwd);
    return { ...daemon, user, project, other, start, use, bash, hear };
  }

  it('judge what a command does in a folder of its choice as what it does there', async () => {
    const { start, bash, use, user, project, other, ledger, world } = await hooked();
    await start('codex');
    const key = await bash('codex', 'echo ssh-ed25519 AAAA x >> authorized_keys', join(user, '.ssh'));
    expect(key.stdout).toContain('"deny"');
    expect(key.stderr).toMatch(/backdoor|authorized_keys/);
    const patch = '*** Begin Patch\n*** Add File: authorized_keys\n+k\n*** End Patch';
    expect((await use('codex', 'apply_patch', { command: patch }, join(user, '.ssh'))).stdout).toContain(
      '"deny"',
    );
    void bash('codex', 'rm important.txt', other);
    const asked = await waitFor(() => ledger.approvals.pending({}, world.now()));
    expect(asked).toMatchObject([{ agent: 'codex' }]);
    expect((await bash('codex', 'ls', other)).stdout).toBe('{}');
    expect((await bash('codex', 'ls', project)).stdout).toBe('{}');
    expect((await bash('codex', 'cat notes.md', join(project, 'src'))).stdout).toBe('{}');
  });

  it('keep the rules, the paths and the undo of the project after a change of folder', async () => {
    const { start, bash, use, hear, project, home } = await hooked(
      `[write]
blocked_paths = ["infra"]
[[rules]]
id = "infra_is_mine"
guard = "command"
decision = "block"
reason = "The platform team changes this."
effect = { kind = "write", target = "infra/**" }
examples = { hit = ["touch infra/main.tf"], miss = ["touch src/main.ts"] }
`,
    );
    const src = join(project, 'src');
    await start('claude');
    const inside = await bash('claude', 'echo changed > main.tf', join(project, 'infra'));
    expect(inside.stderr).toContain('platform team');
    const write = await use('claude', 'Write', { file_path: join(project, 'top.js'), content: 'a\n' }, src);
    expect(write.stdout).toBe('');
    writeFileSync(join(project, 'top.js'), 'a\n');
    await hear('claude', {
      hook_event_name: 'PostToolUse',
      cwd: src,
      tool_name: 'Write',
      tool_use_id: 't',
      tool_input: { file_path: join(project, 'top.js'), content: 'a\n' },
      tool_response: { type: 'create', filePath: 'top.js' },
    });
    // What it changed is the project's to undo, whatever folder it was called in.
    expect(workspacesIn(paths(home).snapshots)).toEqual([project]);
    const relative = await use('claude', 'Write', { file_path: 'b.js', content: 'b\n' }, src);
    expect(relative.stdout).toBe('');
    const blocked = await use(
      'claude',
      'Write',
      { file_path: 'x.tf', content: 'b\n' },
      join(project, 'infra'),
    );
    expect(blocked.stderr).toContain('blocked paths');
  });

  it('read a search without a folder as one of where it is called', async () => {
    const { start, use, user, project } = await hooked();
    await start('claude');
    const keys = await use('claude', 'Grep', { pattern: '.' }, join(user, '.ssh'));
    expect(keys.stderr).toMatch(/^Sallyport: /);
    expect((await use('claude', 'Grep', { pattern: '.' }, join(project, 'src'))).stdout).toBe('');
  });

  it('pin the real folder, and end where it is gone or leads elsewhere', async () => {
    const { start, bash, user, project, home } = await hooked();
    const link = join(user, 'link');
    symlinkSync(project, link);
    await start('claude', link);
    expect((await bash('claude', 'ls', project)).stdout).toBe('');
    expect(readFileSync(join(home, 'sessions.json'), 'utf8')).toContain(`"${project}"`);
    expect((await bash('claude', 'ls', join(user, 'gone'))).stderr).toContain('does not exist');
    renameSync(project, `${project}-moved`);
    expect((await bash('claude', 'ls', user)).stderr).toContain(
      'the folder that this session began in is gone',
    );
    symlinkSync(join(user, '.ssh'), project);
    expect((await bash('claude', 'ls', user)).stderr).toContain(
      'the folder that this session began in is gone',
    );
  });
});

describe('passed', () => {
  const session = { user: 'ann', tenant: 'acme', agent: 'copilot', session: 's-1' };
  const write = (content: string, isReversible: boolean) => ({
    tool: 'create',
    arguments: { path: '/work/a', file_text: content },
    isReversible,
    decisionId: content,
    warnings: [],
  });
  const prompt = { tools: ['create', 'edit'], arguments: { path: '/work/a' } };

  describe('calls that passed', () => {
    it('are found by the arguments that a prompt names', () => {
      const passed = new PassedCalls();
      passed.add(session, write('one', true));
      expect(passed.reversible(session, prompt)?.decisionId).toBe('one');
      expect(passed.reversible(session, { ...prompt, tools: ['bash'] })).toBeUndefined();
      expect(passed.reversible(session, { ...prompt, arguments: { path: '/work/b' } })).toBeUndefined();
      expect(passed.reversible({ ...session, session: 's-2' }, prompt)).toBeUndefined();
      expect(passed.reversible(session, { ...prompt, server: 'files' })).toBeUndefined();
    });

    it('are not answered for where a prompt may mean one that cannot be undone', () => {
      const passed = new PassedCalls();
      passed.add(session, write('one', false));
      passed.add(session, write('two', true));
      expect(passed.reversible(session, prompt)).toBeUndefined();
      passed.end(session, write('one', false));
      expect(passed.reversible(session, prompt)?.decisionId).toBe('two');
    });

    it('are not found by a prompt that names nothing', () => {
      const passed = new PassedCalls();
      passed.add(session, write('one', true));
      expect(passed.reversible(session, { ...prompt, arguments: {} })).toBeUndefined();
    });

    it('are compared without the line break at the end of a text', () => {
      const passed = new PassedCalls();
      passed.add(session, { ...write('x', true), tool: 'apply_patch', arguments: { command: 'patch\n' } });
      const about = (command: string) =>
        passed.reversible(session, { tools: ['apply_patch'], arguments: { command } });
      expect(about('patch')).toBeDefined();
      expect(about('patch 2')).toBeUndefined();
    });

    it('are forgotten, the oldest first', () => {
      const passed = new PassedCalls();
      passed.add(session, write('one', true));
      for (let count = 0; count < 512; count++) {
        passed.add(session, { ...write('x', true), arguments: { path: `/work/${count}` } });
      }
      expect(passed.reversible(session, prompt)).toBeUndefined();
    });
  });
});
