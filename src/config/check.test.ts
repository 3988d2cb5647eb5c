// The report on the files that count.

import { beforeEach, describe, expect, test } from 'vitest';
import { type FakeWorld, fakeWorld } from '../../tests/support/fake-world.ts';
import { checkConfig } from './check.ts';

let world: FakeWorld;

beforeEach(() => {
  world = fakeWorld();
});

const check = (more: { agent?: string; workspace?: string; file?: string } = {}) =>
  checkConfig({ home: '/u/.sallyport', environment: { HOME: '/u' }, world, ...more });

const user = '/u/.sallyport/sallyport.toml';
const theirs = '/w/sallyport.toml';

describe('checkConfig', () => {
  test('is content with nothing', async () => {
    expect(await check()).toMatchObject({
      ok: true,
      files: [
        { file: '~/.sallyport/sallyport.toml', level: 'user', found: false, trusted: true, problems: [] },
      ],
      trustProblems: [],
      settings: { profile: 'developer' },
    });
    const { files } = await check({ workspace: '/w' });
    expect(files).toMatchObject([
      { level: 'user', found: false },
      { file: '/w/sallyport.toml', level: 'workspace', found: false, trusted: false, untrustedBecause: null },
    ]);
  });

  test('gives the settings of the agent in the workspace', async () => {
    world.files.set(user, '[agents.claude]\nprofile = "strict"');
    world.files.set(theirs, '[fetch]\nmax_redirects = 1');
    const report = await check({ agent: 'claude', workspace: '/w' });
    expect(report).toMatchObject({
      ok: true,
      files: [{ found: true }, { found: true, trusted: false, untrustedBecause: 'it was not trusted' }],
      settings: { profile: 'strict', fetch: { maxRedirects: 1 } },
    });
  });

  test('shows the problems of every file, and then no settings', async () => {
    world.files.set(user, '[daemon]\nprot = 1');
    world.files.set(theirs, '[agents.x]\nmode = "auto"\n[approvals]');
    expect(await check({ workspace: '/w' })).toMatchObject({
      ok: false,
      files: [
        { problems: [{ line: 2, column: 1, message: 'unknown key "prot"; did you mean "port"?' }] },
        {
          problems: [
            { line: 2, column: 1 },
            { line: 3, column: 2 },
          ],
          withoutEffect: [],
        },
      ],
      settings: null,
    });
  });

  test.each([
    [
      'egress_allowlist = []',
      'it belongs in [agents.NAME] or [workspaces.NAME]; [agents.default] applies to every agent',
    ],
    ['[fetch]\negress_allowlist = []', 'it belongs in [agents.NAME]'],
    ['port = 1', 'unknown key "port" here; it belongs in [daemon]'],
  ])('names the table of a key that stands elsewhere: %j', async (text, message) => {
    world.files.set(user, text);
    const [problem] = (await check()).files[0]?.problems ?? [];
    expect(problem?.message).toContain(message);
  });

  test('shows a syntax error and a named file that is missing', async () => {
    world.files.set(user, 'oops');
    expect((await check()).files[0]?.problems).toMatchObject([{ line: 1 }]);
    expect(await check({ file: '/etc/none.toml' })).toMatchObject({
      ok: false,
      files: [{ file: '/etc/none.toml', level: 'explicit', found: false, problems: [{ line: 1 }] }],
    });
    world.files.set('/etc/some.toml', '');
    expect(await check({ file: '/etc/some.toml' })).toMatchObject({
      ok: true,
      files: [{ level: 'explicit', found: true }],
    });
  });

  test('names keys of the workspace file without effect, with their places', async () => {
    world.files.set(
      user,
      '[agents.default]\nprofile = "strict"\n[fetch]\ntimeout_ms = 500\nmax_redirects = 3',
    );
    world.files.set(
      theirs,
      '[agents.default]\nprofile = "developer"\negress_allowlist = []\n[agents.claude]\nprofile = "strict"\n' +
        '[fetch]\ntimeout_ms = 600\nmax_redirects = 2\nrules = []\n',
    );
    const { ok, files } = await check({ workspace: '/w' });
    expect(ok).toBe(true);
    expect(files[1]?.withoutEffect.map(({ line, message }) => [line, message.split(' ')[0]])).toEqual([
      [2, '"profile"'],
      [5, '"profile"'],
      [7, '"timeout_ms"'],
      [9, '"rules"'],
    ]);
  });

  test('looks at every key that a workspace file may have', async () => {
    const examples = 'examples = { hit = ["x"] }';
    const rule = `guard = "command"\ndecision = "block"\nreason = "r"\npattern = "x"\n${examples}\n`;
    world.files.set(user, '[changes]\nrun_files = 1\n[policy]\ndefault = "deny"');
    world.files.set(
      theirs,
      `[changes]\nrun_files = 2\nrun_bytes = 1\n[policy]\ndefault = "deny"\nfiles = ["p.cedar"]\n[guidelines]\ncategories = {}\n[[rules]]\nid = "a"\nagent = "claude"\n${rule}`,
    );
    expect((await check({ workspace: '/w' })).files[1]?.withoutEffect).toMatchObject([
      { line: 2, message: expect.stringContaining('"run_files" has no effect') },
      { line: 5, message: expect.stringContaining('"default" has no effect') },
      { line: 8, message: expect.stringContaining('"categories" has no effect') },
    ]);
  });

  test('counts what a key for every agent does for one that has a section of its own', async () => {
    world.files.set(user, '[agents.default]\nprofile = "strict"\n[agents.claude]\nprofile = "developer"\n');
    world.files.set(theirs, '[agents.default]\nprofile = "strict"');
    expect((await check({ workspace: '/w' })).files[1]?.withoutEffect).toEqual([]);
  });

  test('names workspaces of the user’s that no context will be in', async () => {
    world.files.set('/real/a', '');
    world.links.set('/link', '/real');
    world.files.set(user, '[workspaces."/real"]\n[workspaces."/link"]\n[workspaces."/none"]\n');
    expect((await check()).files[0]?.withoutEffect).toMatchObject([
      { line: 2, column: 13 },
      { line: 3, column: 13 },
    ]);
    world.realPath = () => {
      throw new Error('a loop');
    };
    expect((await check()).files[0]?.withoutEffect).toHaveLength(3);
  });

  test('says what is wrong with trust.json', async () => {
    world.files.set('/u/.sallyport/trust.json', 'broken');
    world.files.set(theirs, '');
    expect(await check({ workspace: '/w' })).toMatchObject({
      ok: false,
      files: [{}, { trusted: false, untrustedBecause: expect.stringContaining('trust.json cannot be used') }],
      trustProblems: [expect.stringContaining('trust.json cannot be used')],
    });
  });
});
