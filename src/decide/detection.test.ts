import { describe, expect, it } from 'vitest';
import { noRecords } from '../../tests/support/decide.ts';
import type { DetectionRule, Settings } from '../config/index.ts';
import { ConfigError, configOf, settingsFrom } from '../config/index.ts';
import type { NewEntry } from '../ledger/index.ts';
import { createDecider } from './decide.ts';
import { recordable } from './detection.ts';
import { ownRules } from './own-rules.ts';

const rule: DetectionRule = {
  id: 'acme-token',
  name: 'Acme token',
  kind: 'acme',
  keywords: ['acme-'],
  pattern: 'acme-[0-9]{6}',
  examples: { hit: ['«acme-{{0-9 6}}»'], miss: ['acme-12'] },
};
const ours = `
[[rules]]
id = "acme-key"
name = "Acme key"
kind = "acme"
keywords = ["ak_"]
pattern = 'ak_[0-9]{6}'
examples = { hit = ['«ak_{{0-9 6}}»'], miss = ['ak_1'] }
`;
const gitleaks = (id: string, regex: string, more = '') =>
  `title = "x"\n${more}\n[[rules]]\nid = "${id}"\nregex = '''${regex}'''\nkeywords = ["zz_"]\n`;

function settings(packs: readonly string[], rules: readonly DetectionRule[] = []): Settings {
  const { detect, egress, ...others } = settingsFrom({});
  return { ...others, detect: { ...detect, packs }, egress: { ...egress, rules } };
}

function world(files: Readonly<Record<string, string>>) {
  return { readText: (path: string) => files[path] ?? null };
}

describe("rules of the user's own", () => {
  it('come from the configuration, and from files in either form', async () => {
    const files = { '/r/ours.toml': ours, '/r/theirs.toml': gitleaks('zz', 'zz_[0-9]{6}') };
    const rules = await ownRules(settings(['/r/ours.toml', '/r/theirs.toml'], [rule]), world(files));
    expect(rules.map(({ id, pack }) => `${pack} ${id}`)).toEqual([
      'user acme-token',
      'user acme-key',
      'user zz',
    ]);
  });

  it("follow gitleaks' extend: the base first, replaced or disabled by id", async () => {
    const files = {
      '/r/top.toml': gitleaks('a', 'zz_[0-9]{7}', '[extend]\npath = "base.toml"\ndisabledRules = ["b"]'),
      '/r/base.toml': `${gitleaks('a', 'zz_[0-9]{6}')}${gitleaks('b', 'zz_[a-z]{6}').replace('title = "x"', '')}${gitleaks('c', 'zz_x{6}').replace('title = "x"', '')}`,
    };
    const rules = await ownRules(settings(['/r/top.toml']), world(files));
    expect(rules.map(({ id }) => id)).toEqual(['c', 'a']);
  });

  it.each([
    ['a file that is not there', ['/r/none.toml'], {}, 'no such file'],
    ['a relative path', ['none.toml'], {}, 'absolute'],
    ['no TOML', ['/r/a.toml'], { '/r/a.toml': '[[' }, '/r/a.toml'],
    ['an unknown key', ['/r/a.toml'], { '/r/a.toml': ours.replace('kind', 'knd') }, 'did you mean "kind"'],
    [
      'an example that does not hold',
      ['/r/a.toml'],
      { '/r/a.toml': ours.replace("'ak_1'", "'ak_123456'") },
      'should miss',
    ],
    [
      'a rule that never matches its own example',
      ['/r/a.toml'],
      { '/r/a.toml': ours.replace('ak_[0-9]', 'ak_[a-f]') },
      'should hit',
    ],
    [
      'a pattern that explodes',
      ['/r/a.toml'],
      { '/r/a.toml': gitleaks('a', 'zz_(?:a+)+b') },
      'too many ways',
    ],
    [
      'a circle',
      ['/r/a.toml'],
      { '/r/a.toml': gitleaks('a', 'zz_a', '[extend]\npath = "a.toml"') },
      'circle',
    ],
  ])('are refused with %s', async (_what, packs, files, reason) => {
    await expect(ownRules(settings(packs), world(files))).rejects.toThrow(ConfigError);
    await expect(ownRules(settings(packs), world(files))).rejects.toThrow(reason);
  });
});

describe('a record', () => {
  const context = {
    user: 'u',
    tenant: 't',
    agent: 'a',
    session: 's',
    workspace: '/w/p',
    mode: 'default',
  } as const;
  const texts = { facts: { path: '/w/p/a.ts', other: '/home/bob/x', token: 'acme-123456' }, findings: [] };

  it('holds no path outside the workspace, and nothing that a rule of the user takes out', async () => {
    const config = { settingsFor: async () => settings([], [rule]) };
    expect(await recordable(texts, context, config, world({}))).toEqual({
      facts: { path: '/w/p/a.ts', other: '[REDACTED:path]', token: '[REDACTED:acme]' },
      findings: [],
      redactions: { path: 1, acme: 1 },
    });
  });

  it('passes our own rules where those of the user cannot be used', async () => {
    const config = { settingsFor: async () => settings(['/none.toml']) };
    expect(await recordable(texts, context, config, world({}))).toMatchObject({
      facts: { other: '[REDACTED:path]', token: 'acme-123456' },
    });
  });
});

describe('the path', () => {
  const context = {
    user: 'u',
    tenant: 't',
    agent: 'a',
    session: 's',
    workspace: '/w/p',
    mode: 'default',
  } as const;
  const action = { kind: 'fetch', url: 'https://example.com/' } as const;
  const real = {
    now: () => 0,
    resolve: async () => [],
    realPath: (path: string) => path,
    readText: () => null,
    look: () => null,
  };

  function deciderWith(given: Settings) {
    const recorded: NewEntry[] = [];
    const ledger = {
      ...noRecords,
      record: (entry: NewEntry) => {
        recorded.push(entry);
        return undefined;
      },
    };
    const config = configOf(() => given);
    return { decider: createDecider({ config, ledger, world: real }), recorded };
  }

  it('refuses everything while rules of the user cannot be used, and records that', async () => {
    const { decider, recorded } = deciderWith(settings(['/none.toml']));
    const { verdict } = await decider.decide(action, context);
    expect(verdict).toMatchObject({ decision: 'block', findings: [{ rule: 'config_invalid' }] });
    expect(verdict.explanation).toContain('/none.toml: there is no such file');
    expect(recorded).toHaveLength(1);
  });

  it('writes down what rules of the user take out only as their number', async () => {
    const host: DetectionRule = {
      id: 'our-host',
      name: 'Our hosts',
      kind: 'host',
      keywords: ['example.com'],
      pattern: 'example\\.com',
      examples: { hit: ['example.com'], miss: ['example.org'] },
    };
    const { decider, recorded } = deciderWith(settings([], [host]));
    await decider.decide(action, context);
    const text = JSON.stringify(recorded);
    expect(text).not.toContain('example.com');
    expect(text).toContain('[REDACTED:host]');
    expect(recorded[0]?.details).toHaveProperty('redactions.host');
  });
});
