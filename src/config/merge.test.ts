// Settings for one section of an agent, as the examples of rules need them.

import { describe, expect, test } from 'vitest';
import { InputError } from '../core/index.ts';
import { mergeSettings, settingsFrom, withoutCredentials, withTools } from './load.ts';

describe('settingsFrom', () => {
  test('gives the defaults for an empty section, and the section’s values otherwise', () => {
    expect(settingsFrom({})).toMatchObject({ profile: 'developer', mode: 'default', egressAllowlists: [[]] });
    expect(settingsFrom({ profile: 'strict', egress_allowlist: ['a.com'] })).toMatchObject({
      profile: 'strict',
      egressAllowlists: [['a.com']],
    });
  });

  test('refuses what the file would refuse', () => {
    expect(() => settingsFrom({ profil: 'strict' })).toThrow(InputError);
    expect(() => settingsFrom({ egress_allowlist: ['a b'] })).toThrow(InputError);
  });
});

describe('what is said about prompts', () => {
  const where = { agent: 'default', workspace: '/w' };
  const strict = {
    pii_text: 'reject',
    pii_files: 'reject',
    injection_block: 0.4,
    injection_warn: 0.3,
  } as const;
  const loose = {
    pii_text: 'redact',
    pii_files: 'redact',
    injection_block: 0.75,
    injection_warn: 0.5,
  } as const;
  const merged = (own: object, theirs: object, trusted: boolean) =>
    mergeSettings({ agents: { default: own } }, { file: { agents: { default: theirs } }, trusted }, where)
      .prompt;
  const asStrict = { piiText: 'reject', piiFiles: 'reject', injectionBlock: 0.4, injectionWarn: 0.3 };

  test('is tightened by any workspace, and loosened by a trusted one alone', () => {
    expect(merged(loose, strict, false)).toMatchObject(asStrict);
    expect(merged(strict, loose, false)).toMatchObject(asStrict);
    expect(merged(strict, loose, true)).toMatchObject({ piiText: 'redact', piiFiles: 'redact' });
    expect(settingsFrom(loose).prompt).toMatchObject({ piiFiles: 'redact', injectionBlockUntrusted: 0.7 });
  });
});

describe('tools', () => {
  const where = { agent: 'default', workspace: '/w' };
  const user = { tools: { a: { effect: 'read' as const, user_data: true } } };
  const file = {
    tools: { b: { effect: 'write' as const, arguments: { '/p': 'path' as const } } },
    agents: { default: { user_id_arguments: ['b'] } },
  };
  const own = { name: 'a', effect: 'read', userData: true };
  const theirs = { name: 'b', effect: 'write', arguments: { '/p': { role: 'path' } } };

  test('of a trusted workspace stand before the user’s, those of another are not there', () => {
    expect(mergeSettings(user, null, where).tools).toEqual([own]);
    expect(mergeSettings(user, { file, trusted: true }, where).tools).toEqual([theirs, own]);
    expect(mergeSettings(user, { file, trusted: false }, where).tools).toEqual([own]);
  });

  test('may be named with their server, so that two servers can have tools of one name', () => {
    const tools = {
      'files/*': { effect: 'read' as const },
      'notes/write': { effect: 'own' as const },
      'mail/write': { effect: 'message' as const },
      'a/b': { effect: 'read' as const, server: 'old' },
    };
    expect(mergeSettings({ tools }, null, where).tools).toEqual([
      { server: 'files', name: '*', effect: 'read' },
      { name: 'files/*', effect: 'read' },
      { server: 'notes', name: 'write', effect: 'own' },
      { name: 'notes/write', effect: 'own' },
      { server: 'mail', name: 'write', effect: 'message' },
      { name: 'mail/write', effect: 'message' },
      { server: 'old', name: 'a/b', effect: 'read' },
    ]);
  });

  test('and ids are added by any workspace', () => {
    const agents = { default: { user_id_arguments: ['a'] } };
    expect(mergeSettings({ agents }, { file, trusted: false }, where).userIdArguments).toEqual(['a', 'b']);
  });

  test('change the version, so that an approval under others does not count', () => {
    const settings = settingsFrom({});
    expect(withTools(settings, [])).toBe(settings);
    const more = withTools(settings, [{ name: 'a', effect: 'read' }]);
    expect(more.version).not.toBe(settings.version);
    expect(withTools(settings, [{ name: 'a', effect: 'write' }]).version).not.toBe(more.version);
  });
});

describe('settings that are shown', () => {
  test('have no credentials', () => {
    const secret = 'hush'.repeat(10);
    const settings = settingsFrom(
      {},
      {
        code_mode: { token_secret: secret, token_previous_secrets: [`${secret}old`], max_depth: 3 },
        sources: {
          shop: {
            kind: 'rest',
            schema: '/schema',
            url: `https://u:${secret}@h/`,
            headers: { authorization: secret },
          },
        },
      },
    );
    const shown = JSON.stringify(withoutCredentials(settings));
    expect(shown).not.toContain('hush');
    expect(JSON.parse(shown)).toMatchObject({
      version: settings.version,
      sources: [{ name: 'shop', mode: { graphql: { maxDepth: 3 } } }],
    });
  });
});

describe('the judge', () => {
  const where = { agent: 'default', workspace: '/w' };
  const judge = { provider: 'local', model: 'guard' };

  test('is the one that the user names, with what nothing is said about', () => {
    expect(mergeSettings({}, null, where).guidelines.judge).toBeNull();
    expect(mergeSettings({ judge }, null, where).guidelines.judge).toMatchObject({
      provider: 'local',
      model: 'guard',
      timeoutMs: 10_000,
      windowCharacters: 2000,
    });
  });

  test('of a workspace counts for nothing, trusted or not', () => {
    for (const trusted of [true, false]) {
      expect(mergeSettings({}, { file: { judge }, trusted }, where).guidelines.judge).toBeNull();
    }
  });

  test('has a provider and a model', () => {
    expect(() => settingsFrom({}, { judge: { provider: 'local' } })).toThrow('"provider" and a "model"');
  });
});

describe('guidelines', () => {
  const examples = { hit: ['red'], miss: ['blue'] };
  test.each([
    ['a name', { Red: { reason: 'r', phrases: ['red'], examples } }, 'small letters'],
    ['something to look for', { red: { reason: 'r', examples } }, '"phrases" or "patterns"'],
    [
      'a text that hits',
      { red: { reason: 'r', phrases: ['red'], examples: { hit: [], miss: ['a'] } } },
      'at least one',
    ],
    [
      'a text that misses',
      { red: { reason: 'r', phrases: ['red'], examples: { hit: ['a'], miss: [] } } },
      'at least one',
    ],
    [
      'examples of some size',
      {
        red: {
          reason: 'r',
          phrases: ['red'],
          examples: { hit: Array.from({ length: 20 }, () => 'x'.repeat(4000)), miss: ['a'] },
        },
      },
      'characters together',
    ],
  ])('have %s', (_what, categories, message) => {
    expect(() => settingsFrom({}, { guidelines: { categories } })).toThrow(message);
  });
});

describe('autonomy', () => {
  const where = { agent: 'coder', workspace: '/w' };
  const here = (autonomy: 'manual' | 'hybrid' | 'autonomous') => ({ workspaces: { '/w': { autonomy } } });
  const agent = (autonomy: 'manual' | 'hybrid') => ({ agents: { coder: { autonomy } } });

  test.each([
    ['nothing', {}, null],
    ['the workspace alone', here('autonomous'), 'autonomous'],
    ['another workspace', { workspaces: { '/v': { autonomy: 'autonomous' as const } } }, null],
    ['both, and the agent is stricter', { ...here('autonomous'), ...agent('hybrid') }, 'hybrid'],
    ['both, and the workspace is stricter', { ...here('manual'), ...agent('hybrid') }, 'manual'],
  ])('is the strictest that is said: %s', (_, file, expected) => {
    expect(mergeSettings(file, null, where).autonomy).toBe(expected);
  });

  test('of a trusted workspace counts in either direction of the agent, and the strictest still wins', () => {
    const theirs = { file: agent('manual'), trusted: true };
    expect(mergeSettings(here('autonomous'), theirs, where).autonomy).toBe('manual');
    expect(mergeSettings(agent('hybrid'), { file: here('autonomous'), trusted: true }, where).autonomy).toBe(
      'hybrid',
    );
  });

  test('changes the version, so that an approval under another does not count', () => {
    expect(mergeSettings(here('autonomous'), null, where).version).not.toBe(
      mergeSettings({}, null, where).version,
    );
  });
});
