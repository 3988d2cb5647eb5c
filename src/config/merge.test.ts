// Settings for one section of an agent, as the examples of rules need them.

import { describe, expect, test } from 'vitest';
import { InputError } from '../core/index.ts';
import { settingsFrom } from './merge.ts';

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
