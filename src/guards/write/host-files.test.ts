// Writes on hooks of agent hosts: the host's own files, and files outside the workspace.

import { describe, expect, it } from 'vitest';
import { stillWorld } from '../../../tests/support/decide.ts';
import { settingsFrom } from '../../config/index.ts';
import { Budget, type Context, type Standing, type World } from '../../core/index.ts';
import { writeGuard } from './index.ts';

const session = 'b2c9e9d1-592e';
const workspace = '/home/ann/shop';
const plain = { links: 1, device: 1, setId: false };

/** A disk with folders wherever a path has no dot in its last name, but for what is given. */
function worldWith(standing: Readonly<Record<string, Partial<Standing>>> = {}): World {
  return {
    ...stillWorld(),
    home: '/home/ann',
    ownHome: ['/home/ann/.sallyport'],
    realPath: (path) => path,
    readText: (path) =>
      path === '/home/ann/.gemini/projects.json'
        ? JSON.stringify({ projects: { [workspace]: 'shop', '/home/ann/other': 'other' } })
        : null,
    look: (path) => {
      const found = standing[path];
      if (found !== undefined) return { ...plain, type: 'file', ...found };
      return ['/tmp', '/home/ann', workspace].includes(path) ? { ...plain, type: 'folder' } : null;
    },
  };
}

interface Case extends Partial<Context> {
  readonly profile?: 'strict';
  readonly disk?: Readonly<Record<string, Partial<Standing>>>;
}

async function judge(path: string, { profile, disk = {}, ...context }: Case = {}) {
  const { findings, facts } = await writeGuard.check(
    { kind: 'write', path, content: 'a\n' },
    {
      context: { user: 'ann', tenant: 'acme', agent: 'a', session, workspace, mode: 'auto', ...context },
      settings: settingsFrom(profile === undefined ? {} : { profile }),
      world: worldWith(disk),
      budget: new Budget(100_000),
      granted: () => false,
    },
  );
  return { facts, findings, rules: findings.map(({ rule }) => rule) };
}

const hostFiles: readonly (readonly [string, string])[] = [
  ['claude', '/home/ann/.claude/plans/merry-fox.md'],
  ['claude', '~/.claude/plans/merry-fox.md'],
  ['claude', '/home/ann/.claude/projects/-home-ann-shop/memory/MEMORY.md'],
  ['claude', '/home/ann/.claude/projects/-home-ann-shop/memory/team/a.md'],
  ['claude', `/tmp/claude-1000/-home-ann-shop/${session}/scratchpad/try.py`],
  ['gemini', `/home/ann/.gemini/tmp/shop/${session}/plans/a.md`],
  ['gemini', '/home/ann/.gemini/tmp/shop/memory/MEMORY.md'],
  ['copilot', `/home/ann/.copilot/session-state/${session}/plan.md`],
  ['copilot', `/home/ann/.copilot/session-state/${session}/files/a.txt`],
  ['opencode', '.opencode/plans/1794-merry-fox.md'],
  ['opencode', '/home/ann/.local/share/opencode/plans/1794-merry-fox.md'],
  ['opencode', '/tmp/opencode/try.py'],
  ['kilo', '.kilo/plans/1794-merry-fox.md'],
  ['kilo', '/home/ann/.local/share/kilo/plans/1794-merry-fox.md'],
];

describe("a host's own files", () => {
  it.each(hostFiles)('%s writes %s, in plan mode too', async (host, path) => {
    for (const mode of ['auto', 'plan'] as const) {
      const { findings, facts } = await judge(path, { host, mode });
      expect(findings).toEqual([]);
      expect(facts['notes']).toBe(true);
    }
  });

  it.each(hostFiles)('are of no other host, and of none without a host: %s %s', async (host, path) => {
    const other = host === 'claude' ? 'copilot' : 'claude';
    for (const one of [{ host: other }, {}]) {
      const { findings, facts } = await judge(path, one);
      expect(findings).not.toEqual([]);
      expect(facts['notes']).toBeUndefined();
    }
  });

  it.each([
    ['claude', '/home/ann/.claude/settings.json'],
    ['claude', '/home/ann/.claude/CLAUDE.md'],
    ['claude', '/home/ann/.claude/plans/run.sh'],
    ['claude', '/home/ann/.claude/plans/../settings.json'],
    ['claude', '/home/ann/.claude/projects/-home-ann-other/memory/MEMORY.md'],
    ['claude', '/home/ann/.claude/projects/-home-ann-shop/session.jsonl'],
    ['claude', '/home/ann/.claude.json'],
    ['gemini', '/home/ann/.gemini/GEMINI.md'],
    ['gemini', '/home/ann/.gemini/settings.json'],
    ['gemini', '/home/ann/.gemini/tmp/other/memory/MEMORY.md'],
    ['copilot', '/home/ann/.copilot/session-state/another/plan.md'],
    ['copilot', '/home/ann/.copilot/mcp-config.json'],
    ['opencode', '/home/ann/.config/opencode/opencode.json'],
    ['opencode', '.opencode/plugins/a.js'],
    ['kilo', '.kilo/plugin/a.js'],
    ['claude', '/home/ann/.sallyport/sallyport.toml'],
    ['claude', '/home/ann/.ssh/authorized_keys'],
    ['claude', '/home/ann/.bashrc'],
    ['claude', '/etc/cron.d/job'],
    ['claude', '/home/ann/.config/systemd/user/a.service'],
    ['claude', '/home/ann/other/.git/config'],
    ['claude', '/usr/local/bin/tool'],
  ])('of %s do not include %s, which stays blocked', async (host, path) => {
    const { findings, facts } = await judge(path, { host });
    expect(findings.some(({ decision }) => decision === 'block')).toBe(true);
    expect(facts['notes']).toBeUndefined();
  });

  it('of another host are instructions, which are asked about', async () => {
    const { findings, facts } = await judge('.opencode/plans/a.md', { host: 'kilo' });
    expect(findings).toMatchObject([{ rule: 'agent_instructions_write', decision: 'approve' }]);
    expect(facts['notes']).toBeUndefined();
  });

  it('reached through a link are refused', async () => {
    const disk = {
      '/home/ann/.claude': { type: 'folder' },
      '/home/ann/.claude/plans': { type: 'link' },
    } as const;
    expect((await judge('/home/ann/.claude/plans/a.md', { host: 'claude', disk })).rules).toEqual([
      'link_in_path',
    ]);
  });

  it('of another session are another session’s', async () => {
    const path = '/tmp/claude-1000/-home-ann-shop/another/scratchpad/try.py';
    expect((await judge(path, { host: 'claude' })).rules).toEqual(['write_outside']);
  });
});

describe('a write outside the workspace', () => {
  it.each(['/home/ann/other/a.txt', '/srv/other/a.txt', '/tmp/a.txt', '~/a.txt'])(
    'on a hook is asked for once: %s',
    async (path) => {
      const { findings } = await judge(path, { host: 'claude' });
      expect(findings).toMatchObject([{ rule: 'write_outside', decision: 'approve' }]);
      expect(findings[0]?.grant).toBeUndefined();
      expect(findings[0]?.message).toContain('outside the workspace; undo cannot restore it');
    },
  );

  it.each<[string, Case]>([
    ['without a host', {}],
    ['under the strict profile', { host: 'claude', profile: 'strict' }],
  ])('%s is refused, and says why', async (_, where) => {
    const { findings } = await judge('/home/ann/other/a.txt', where);
    expect(findings).toMatchObject([{ rule: 'path_absolute', decision: 'block' }]);
    expect(findings[0]?.message).toContain('lies outside the workspace');
  });

  it('in plan mode stays blocked', async () => {
    expect((await judge('/home/ann/other/a.txt', { host: 'claude', mode: 'plan' })).rules).toContain(
      'plan_mode_write',
    );
  });

  it.each<[string, Partial<Standing>, string]>([
    ['a link', { type: 'link' }, 'link_in_path'],
    ['a folder', { type: 'folder' }, 'not_plain_file'],
    ['a file of two names', { links: 2 }, 'shared_file'],
  ])('to %s is refused', async (_, standing, rule) => {
    const path = '/home/ann/other/a.txt';
    expect((await judge(path, { host: 'claude', disk: { [path]: standing } })).rules).toContain(rule);
  });
});
