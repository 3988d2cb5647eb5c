// Command rules in a user's file: verified when the file loads, refused with their position if an example fails.

import { describe, expect, it } from 'vitest';
import { fakeWorld } from '../../tests/support/fake-world.ts';
import { ConfigError, checkConfig, loadConfig } from '../config/index.ts';
import { ruleProblems } from './own.ts';

const good = `[[rules]]
id = "no_prod"
guard = "command"
decision = "block"
reason = "Production is not for agents."
pattern = 'kubectl .*prod'
examples = { hit = ["kubectl -n prod get pods"], miss = ["echo kubectl prod"] }
`;

/** The lines of a rule with one of them replaced, or added. */
function but(line: string): string {
  const [key = ''] = line.split(' ');
  const kept = good.split('\n').filter((old) => old !== '' && !old.startsWith(`${key} `));
  return [...kept, line].join('\n');
}

const source = (files: Record<string, string>) => ({
  home: '/h',
  environment: {},
  world: fakeWorld(files),
  reservedIds: async () => new Set(['mass_deletion']),
  proveRules: ruleProblems,
});

describe('a rule of the user’s file', () => {
  it('is in force once its examples hold', async () => {
    const config = await loadConfig(source({ '/h/sallyport.toml': good }));
    const { command } = await config.settingsFor({ agent: 'x', workspace: '/w' });
    expect(command.rules).toEqual([
      {
        id: 'no_prod',
        guard: 'command',
        layer: 1,
        decision: 'block',
        reason: 'Production is not for agents.',
        scope: 'all',
        when: { is: 'pattern', pattern: 'kubectl .*prod' },
        examples: { hit: ['kubectl -n prod get pods'], miss: ['echo kubectl prod'] },
      },
    ]);
  });

  it('is in force for its agent only', async () => {
    const config = await loadConfig(source({ '/h/sallyport.toml': but('agent = "nightly"') }));
    const rulesOf = async (agent: string) =>
      (await config.settingsFor({ agent, workspace: '/w' })).command.rules.map(({ id }) => id);
    expect(await rulesOf('nightly')).toEqual(['no_prod']);
    expect(await rulesOf('default')).toEqual([]);
  });

  it.each([
    ['examples = { hit = ["kubectl get pods"] }', '7:21: the rule does not hit this command'],
    [
      'examples = { hit = ["kubectl prod"], miss = ["ls", "kubectl prod"] }',
      '7:52: the rule hits this command, against its example',
    ],
    ['examples = { hit = [] }', '7:14: rules[1].examples.hit must have at least one command'],
    ['suggestion = "Try `kubectl get prod`."', '8:1: the rule hits what it suggests instead'],
    ["pattern = 'kubectl (?=prod)'", '7:1: the pattern cannot be used: it looks ahead'],
    ["pattern = '(?:a{999}){999}'", '7:1: the pattern cannot be used'],
    ["pattern = '('", '7:1: the pattern cannot be used'],
    ['id = "mass_deletion"', '7:1: another rule has the id "mass_deletion" already'],
    ['id = "No-Prod"', '7:1: rules[1].id must be a name of small letters'],
    ['guard = "fetch"', '7:1: rules[1].guard must be one of command'],
    ['layer = 4', '8:1: rules[1].layer must be between 1 and 3'],
    ['decision = "pass"', '7:1: rules[1].decision must be one of block, approve, warn'],
    ['scope = "perl"', '8:1: rules[1].scope must be one of all, bash, python'],
    [
      'effect = { kind = "delete" }',
      '1:3: a rule has one of pattern, effect, command; here: pattern and effect',
    ],
    ['effect = { kind = "deletion" }', 'must be one of read, write, delete'],
    ['command = []', 'must name at least one program'],
    ['flags = ["--force"]', '8:1: "flags" goes with "command"'],
    ['subcommand = "push"', '8:1: "subcommand" goes with "command"'],
    ['patern = "x"', '8:1: unknown key "patern"; did you mean "pattern"?'],
  ])('with %s is refused', async (line, message) => {
    const files = source({ '/h/sallyport.toml': but(line) });
    const error: unknown = await loadConfig(files).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).toContain(`/h/sallyport.toml:`);
    expect(String(error)).toContain(message);
    const report = await checkConfig({ ...files, workspace: '/w' });
    expect(report.ok).toBe(false);
  });

  it('is refused without a condition, and twice', async () => {
    const none = good.replace(/^pattern.*\n/m, '');
    await expect(loadConfig(source({ '/h/sallyport.toml': none }))).rejects.toThrow('here: none');
    await expect(loadConfig(source({ '/h/sallyport.toml': good + good }))).rejects.toThrow('stands twice');
  });

  it('is refused where the examples of all would take long to judge', async () => {
    const rules = Array.from({ length: 40 }, (_, index) =>
      but(`examples = { hit = ["kubectl prod ${'x'.repeat(1900)}"] }`).replace('no_prod', `no_prod_${index}`),
    );
    await expect(loadConfig(source({ '/h/sallyport.toml': rules.join('\n') }))).rejects.toThrow(
      'the examples have more than 65536 characters together',
    );
  });

  it('is refused where proving it fails', async () => {
    const proveRules = async () => {
      throw new Error('broken');
    };
    const files = source({ '/h/sallyport.toml': good });
    await expect(loadConfig({ ...files, proveRules })).rejects.toThrow('broken');
  });
});

describe('a rule of a workspace’s file', () => {
  const settings = async (theirs: string, mine = '') =>
    await (await loadConfig(source({ '/h/sallyport.toml': mine, '/w/sallyport.toml': theirs }))).settingsFor({
      agent: 'x',
      workspace: '/w',
    });

  it('is added to the user’s', async () => {
    const { command } = await settings(good.replace('no_prod', 'theirs'), good);
    expect(command.rules.map(({ id }) => id)).toEqual(['no_prod', 'theirs']);
  });

  it.each([
    [
      good.replace('"block"', '"warn"'),
      '',
      'must be approve or block in a workspace file that is not trusted',
    ],
    [but('examples = { hit = ["ls"] }'), '', 'the rule does not hit this command'],
    [good, good, 'another rule has the id "no_prod" already'],
  ])('is refused: %#', async (theirs, mine, message) => {
    await expect(settings(theirs, mine)).rejects.toThrow(message);
  });
});

describe('folders that may be written to', () => {
  const allowed = async (mine: string, theirs?: string) => {
    const files = {
      '/h/sallyport.toml': mine,
      ...(theirs === undefined ? {} : { '/w/sallyport.toml': theirs }),
    };
    const config = await loadConfig(source(files));
    return (await config.settingsFor({ agent: 'x', workspace: '/w' })).write.allowedPaths;
  };
  const mine = '[write]\nallowed_paths = ["/srv/a", "/srv/b"]\n[workspaces."/w"]\nallowed_paths = ["/data"]';

  it.each([
    [undefined, ['/srv/a', '/srv/b', '/data']],
    ['[write]\nallowed_paths = []', []],
    ['[write]\nallowed_paths = ["/srv"]', ['/srv/a', '/srv/b']],
    ['[write]\nallowed_paths = ["/srv/a/deep", "/etc"]', ['/srv/a/deep']],
    ['[write]\nallowed_paths = ["/srv/abc"]', []],
    ['[write]\nallowed_paths = ["/"]', ['/srv/a', '/srv/b', '/data']],
  ])('are the user’s, and a workspace’s file %j leaves %j', async (theirs, expected) => {
    expect(await allowed(mine, theirs)).toEqual(expected);
  });

  it.each(['srv/', '/srv/', '/srv/../etc', '../a', '~/a'])('cannot be %s', async (path) => {
    await expect(allowed(`[write]\nallowed_paths = ["${path}"]`)).rejects.toThrow('must be a path without');
  });

  it('cannot be widened by a workspace’s file', async () => {
    await expect(allowed('', '[workspaces."/w"]\nallowed_paths = ["/"]')).rejects.toThrow('is refused here');
    expect(await allowed('', '[write]\nallowed_paths = ["/"]')).toEqual([]);
  });
});
