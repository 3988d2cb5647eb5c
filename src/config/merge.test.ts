// Settings for one section of an agent, as the examples of rules need them.

import { describe, expect, test } from 'vitest';
import { InputError } from '../core/index.ts';
import { mergeSettings, settingsFrom, withTools } from './merge.ts';

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
