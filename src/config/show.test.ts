// The output of `config show`: every key with its effective value and the file that sets it, and no secret.

import { beforeEach, describe, expect, test } from 'vitest';
import { type FakeWorld, fakeWorld } from '../../tests/support/fake-world.ts';
import { fileShape } from './schema.ts';
import { type ShownKey, showConfig } from './show.ts';

let world: FakeWorld;

beforeEach(() => {
  world = fakeWorld();
});

const user = '/u/.sallyport/sallyport.toml';
const theirs = '/w/sallyport.toml';

const show = (agent = 'default') =>
  showConfig(
    { home: '/u/.sallyport', environment: { HOME: '/u', SECRET: 'hush'.repeat(10) }, world },
    { agent, workspace: '/w' },
  );

const at = (keys: readonly ShownKey[], table: string, key: string) =>
  keys.find((shown) => shown.table === table && shown.key === key);

describe('showConfig', () => {
  test('gives every default where no file says anything', async () => {
    const keys = await show();
    expect(keys.every(({ from }) => from.length === 0)).toBe(true);
    expect(keys[0]).toEqual({ table: '', key: 'store', value: 'sqlite', from: [] });
    for (const [name, part] of Object.entries(fileShape.fields)) {
      for (const [key, field] of Object.entries(part.fields ?? {})) {
        expect([name, key, at(keys, name, key)?.value]).toEqual([name, key, field.schema()['default']]);
      }
    }
  });

  test('gives what is in force of two files, and which of them say it', async () => {
    world.files.set(
      user,
      '[fetch]\ntimeout_ms = 900\nmax_redirects = 3\n[agents.default]\nprofile = "strict"\n[agents.claude]\nmode = "plan"\n[workspaces."/w"]\negress_allowlist = ["a.com"]\n',
    );
    world.files.set(
      theirs,
      '[fetch]\ntimeout_ms = 500\nmax_redirects = 9\n[agents.default]\nprofile = "developer"\n',
    );
    const keys = await show('claude');
    expect(at(keys, 'fetch', 'timeout_ms')).toMatchObject({ value: 500, from: ['user', 'workspace'] });
    expect(at(keys, 'fetch', 'max_redirects')).toMatchObject({ value: 3, from: ['user', 'workspace'] });
    expect(at(keys, 'fetch', 'max_response_bytes')).toMatchObject({ value: 10_485_760, from: [] });
    expect(at(keys, 'agents.claude', 'profile')).toMatchObject({ value: 'strict' });
    expect(at(keys, 'agents.claude', 'mode')).toMatchObject({ value: 'plan', from: ['user'] });
    expect(at(keys, 'agents.claude', 'egress_allowlist')).toMatchObject({
      value: [['a.com']],
      from: ['user'],
    });
    expect(at(keys, 'workspaces."/w"', 'egress_allowlist')).toMatchObject({ value: ['a.com'] });
    expect(at(keys, 'agents.default', 'profile')).toBeUndefined();
  });

  test('shows no secret and nothing of the environment', async () => {
    const key = '0123456789abcdef'.repeat(4);
    const inline = 'inline'.repeat(6);
    world.files.set(
      user,
      `store = "postgres://u:${inline}@h/d"\n[ledger]\nkey = "${key}"\n[agents.default]\negress_allowlist = ["\${SECRET}.com"]\n` +
        `[code_mode]\nallow_inline_token_secret_for_dev = true\ntoken_secret = "${inline}"\n[sources.a]\nkind = "sqlite"\n` +
        `[sources.a.code_mode]\ntoken_previous_secrets = ["${inline}"]\nmax_depth = 3\n[servers.s]\ncommand = "x"\nenv = { A = "${inline}" }\n` +
        `[servers.t]\nurl = "https://t.example"\nheaders = { authorization = "${inline}" }\n`,
    );
    const keys = await show();
    const text = JSON.stringify(keys);
    for (const secret of [key, inline, 'hush']) expect(text).not.toContain(secret);
    expect(at(keys, 'agents.default', 'egress_allowlist')?.value).toEqual([['${SECRET}.com']]);
    expect(at(keys, '', 'store')?.value).toBe('postgres://u:***@h/d');
    const hidden = keys.filter(({ value }) => value === '(not shown)').map(({ key: name }) => name);
    expect(hidden).toEqual(['key', 'token_secret', 'token_previous_secrets', 'env', 'headers']);
    // Of what differs for one source, only that.
    expect(keys.filter(({ table }) => table === 'sources.a.code_mode').map(({ key: name }) => name)).toEqual([
      'token_previous_secrets',
      'max_depth',
    ]);
  });
});
