// Files of policies: how they are read, which are refused, and that a change is effective and changes the version.

import { beforeEach, describe, expect, test } from 'vitest';
import { type FakeWorld, fakeWorld } from '../../tests/support/fake-world.ts';
import { loadConfig } from './load.ts';
import type { Settings } from './settings.ts';

let world: FakeWorld;

beforeEach(() => {
  world = fakeWorld({ '/h/own.cedar': 'one', '/w/team.cedar': 'two' });
});

function load(user: string, inWorkspace?: string) {
  world.files.set('/h/sallyport.toml', user);
  if (inWorkspace !== undefined) world.files.set('/w/sallyport.toml', inWorkspace);
  return loadConfig({ home: '/h', environment: { HOME: '/u' }, world });
}

async function policyOf(user: string, inWorkspace?: string): Promise<Settings['policy']> {
  return (await (await load(user, inWorkspace)).settingsFor({ agent: 'a', workspace: '/w' })).policy;
}

const own = '[policy]\nfiles = ["/h/own.cedar"]\n';

describe('the files of policies', () => {
  test('are read, the user’s first, and say where they lie', async () => {
    expect(await policyOf(own, '[policy]\nfiles = ["team.cedar"]\n')).toEqual({
      fallback: 'permit',
      sources: [
        { name: '/h/own.cedar', text: 'one', workspace: false },
        { name: 'team.cedar', text: 'two', workspace: true },
      ],
    });
  });

  test('of a workspace are the workspace’s even where its file is named like the user’s', async () => {
    const { sources } = await policyOf('', '[policy]\nfiles = ["team.cedar"]\n');
    expect(sources).toEqual([{ name: 'team.cedar', text: 'two', workspace: true }]);
  });

  test.each([
    ['a file that is not there', '[policy]\nfiles = ["/h/none.cedar"]', undefined, 'no such file'],
    ['a relative path of the user’s', '[policy]\nfiles = ["own.cedar"]', undefined, 'not an absolute path'],
    [
      'a path out of the workspace',
      '',
      '[policy]\nfiles = ["../h/own.cedar"]',
      'does not lie in the workspace',
    ],
    [
      'an absolute path of the workspace',
      '',
      '[policy]\nfiles = ["/w/team.cedar"]',
      'does not lie in the workspace',
    ],
    ['a file that is not there, of the workspace', '', '[policy]\nfiles = ["none.cedar"]', 'no such file'],
  ])('refuse everything with %s', async (_, user, inWorkspace, message) => {
    await expect(policyOf(user, inWorkspace)).rejects.toThrow(message);
  });

  test('refuse a link out of the workspace', async () => {
    world.links.set('/w/team.cedar', '/h/own.cedar');
    await expect(policyOf('', '[policy]\nfiles = ["team.cedar"]')).rejects.toThrow('does not lie');
  });

  test('that cannot be read refuse everything', async () => {
    const config = await load(own);
    const { readText } = world;
    world.readText = (path) => {
      if (path === '/h/own.cedar') throw new Error('is not UTF-8');
      return readText(path);
    };
    expect(() => config.settingsFor({ agent: 'a', workspace: '/w' })).toThrow('/h/own.cedar: is not UTF-8');
  });
});

describe('the default', () => {
  test.each([
    ['', undefined, 'permit'],
    ['[policy]\ndefault = "deny"', undefined, 'deny'],
    ['', '[policy]\ndefault = "deny"', 'deny'],
    ['[policy]\ndefault = "deny"', '[policy]\ndefault = "permit"', 'deny'],
  ])('of %j and a workspace’s %j is %s', async (user, inWorkspace, expected) => {
    expect((await policyOf(user, inWorkspace)).fallback).toBe(expected);
  });
});

describe('a change of a file', () => {
  const where = { agent: 'a', workspace: '/w' };

  test('counts within a second, and makes another version', async () => {
    const config = await load(own);
    const before = await config.settingsFor(where);
    world.files.set('/h/own.cedar', 'other');
    expect(await config.settingsFor(where)).toBe(before);
    world.time += 1000;
    const after = await config.settingsFor(where);
    expect(after.policy.sources[0]?.text).toBe('other');
    expect(after.version).not.toBe(before.version);
  });

  test('that is none gives the same settings, and the same file to every workspace', async () => {
    const config = await load(own);
    const before = await config.settingsFor(where);
    world.time += 1000;
    expect(await config.settingsFor(where)).toBe(before);
    const elsewhere = await config.settingsFor({ agent: 'a', workspace: '/v' });
    expect(elsewhere.policy.sources[0]).toBe(before.policy.sources[0]);
  });

  test('that takes it away refuses until it is back, with a file in the workspace too', async () => {
    const config = await load(own, '[agents.default]\nprofile = "strict"');
    expect((await config.settingsFor(where)).profile).toBe('strict');
    world.files.delete('/h/own.cedar');
    world.time += 1000;
    await expect(async () => config.settingsFor(where)).rejects.toThrow('no such file');
    world.files.set('/h/own.cedar', 'again');
    world.time += 1000;
    expect((await config.settingsFor(where)).policy.sources[0]?.text).toBe('again');
  });
});
