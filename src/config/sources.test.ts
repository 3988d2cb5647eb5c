// The settings of sources: the stricter of two names is used, and a plaintext secret in a file is refused.

import { describe, expect, test } from 'vitest';
import { fakeWorld } from '../../tests/support/fake-world.ts';
import { loadConfig } from './load.ts';

async function sources(user: string, environment: Record<string, string> = {}, inWorkspace?: string) {
  const world = fakeWorld();
  world.files.set('/h/sallyport.toml', user);
  if (inWorkspace !== undefined) world.files.set('/w/sallyport.toml', inWorkspace);
  const config = await loadConfig({ home: '/h', environment, world });
  return (await config.settingsFor({ agent: 'a', workspace: '/w' })).sources;
}

const shop = '[sources.shop]\nkind = "graphql"\nschema = "/schema"\n';
const long = 'x'.repeat(32);

describe('the secret of tokens', () => {
  test.each(['"env:SECRET"', '"${SECRET}"'])('comes from the environment: %s', async (value) => {
    const [source] = await sources(`[code_mode]\ntoken_secret = ${value}\n${shop}`, { SECRET: long });
    expect(source?.mode.tokenSecret).toBe(long);
  });

  test('is none of the file’s where none is named', async () => {
    expect((await sources(shop))[0]?.mode.tokenSecret).toBeNull();
  });

  test.each([
    ['for all', `[code_mode]\ntoken_secret = "${long}"\n${shop}`],
    ['for one', `${shop}[sources.shop.code_mode]\ntoken_secret = "${long}"\n`],
    [
      'for one where another may',
      `${shop}[sources.shop.code_mode]\ntoken_secret = "${long}"\n[sources.b]\nkind = "sqlite"\n[sources.b.code_mode]\nallow_inline_token_secret_for_dev = true\n`,
    ],
  ])('does not stand in the file: %s', async (_, text) => {
    const refused = sources(text);
    await expect(refused).rejects.toThrow(/does not stand in a file/);
    await expect(refused).rejects.not.toThrow(long);
  });

  test('stands in the file where that is asked for', async () => {
    const allow = `allow_inline_token_secret_for_dev = true\n`;
    const [all] = await sources(`[code_mode]\n${allow}token_secret = "${long}"\n${shop}`);
    expect(all?.mode.tokenSecret).toBe(long);
    const own = `[code_mode]\n${allow}${shop}[sources.shop.code_mode]\ntoken_secret = "${long}"\n`;
    expect((await sources(own))[0]?.mode.tokenSecret).toBe(long);
  });

  test('is no short one', async () => {
    await expect(sources('[code_mode]\ntoken_secret = "env:S"\n', { S: 'short' })).rejects.toThrow(
      /does not fit here: it must have .*32/,
    );
  });
});

describe('secrets that were replaced', () => {
  test('come from the environment too', async () => {
    const text = `[code_mode]\ntoken_secret = "env:NEW"\ntoken_previous_secrets = ["env:OLD"]\n${shop}`;
    const [source] = await sources(text, { NEW: long, OLD: `${long}old` });
    expect(source?.mode).toMatchObject({ tokenSecret: long, previousSecrets: [`${long}old`] });
  });

  test.each([
    `[code_mode]\ntoken_previous_secrets = ["${long}"]\n${shop}`,
    `${shop}[sources.shop.code_mode]\ntoken_previous_secrets = ["env:OLD", "${long}"]\n`,
  ])('do not stand in the file', async (text) => {
    const refused = sources(text, { OLD: `${long}old` });
    await expect(refused).rejects.toThrow(/does not stand in a file/);
    await expect(refused).rejects.not.toThrow(long);
  });

  test('are replaced without anything else being allowed', async () => {
    const version = async (secret: string) => {
      const world = fakeWorld();
      world.files.set('/h/sallyport.toml', `[code_mode]\ntoken_secret = "env:S"\n${shop}`);
      const config = await loadConfig({ home: '/h', environment: { S: secret }, world });
      return (await config.settingsFor({ agent: 'a', workspace: '/w' })).version;
    };
    expect(await version(long)).toBe(await version(`${long}new`));
  });
});

describe('the place of policies', () => {
  async function place(codeMode: string) {
    const world = fakeWorld();
    world.files.set('/h/sallyport.toml', `[code_mode]\n${codeMode}`);
    return (await loadConfig({ home: '/h', environment: {}, world })).policyStore;
  }
  const avp = 'policy_engine = "avp"\n';
  const named = 'policy_store_id = "PSabc-1"\nregion = "eu-west-1"\n';

  test('is the ledger, or a policy store', async () => {
    expect(await place('')).toBeNull();
    expect(await place('policy_engine = "cedar"\n')).toBeNull();
    expect(await place(`${avp}${named}`)).toEqual({ id: 'PSabc-1', region: 'eu-west-1' });
  });

  test.each([
    [avp, /"avp" needs policy_store_id/],
    [`${avp}policy_store_id = "PS1"\n`, /"avp" needs region/],
    [named, /goes with policy_engine = "avp"/],
    [`policy_engine = "cedar"\n${named}`, /goes with policy_engine = "avp"/],
    ['policy_engine = "opa"\n', /policy_engine/],
    [`${avp}policy_store_id = "a/b"\nregion = "x"\n`, /letters, digits/],
  ])('is said whole, or not at all: %j', async (text, message) => {
    await expect(place(text)).rejects.toThrow(message);
  });

  test('is one for all sources', async () => {
    await expect(sources(`${shop}[sources.shop.code_mode]\n${avp}`)).rejects.toThrow(/policy_engine/);
  });
});

describe('a source', () => {
  test('has headers of its own, if it is asked over HTTP', async () => {
    const headers = 'headers = { authorization = "Bearer ${T}" }\n';
    const [source] = await sources(`${shop}${headers}`, { T: 'abc' });
    expect(source?.headers).toEqual({ authorization: 'Bearer abc' });
    await expect(sources(`[sources.a]\nkind = "sqlite"\n${headers}`, { T: 'abc' })).rejects.toThrow(
      /has no headers/,
    );
    await expect(sources(`${shop}headers = { a = "x\\r\\ny" }\n`)).rejects.toThrow(/one line/);
  });

  test('of two names for one limit has the stricter', async () => {
    const text = `[code_mode]\nmax_depth = 5\nallow_mutations = true\n[code_mode.policies]\nmax_depth = 7\nblock_mutations = true\n${shop}`;
    expect((await sources(text))[0]?.mode.graphql).toMatchObject({ maxDepth: 5, allowMutations: false });
  });

  test('cannot have subscriptions let through', async () => {
    const text = `[code_mode.policies]\nblock_subscriptions = false\n${shop}`;
    await expect(sources(text)).rejects.toThrow(/always blocked/);
  });

  test('is none of a workspace’s', async () => {
    await expect(sources('', {}, shop)).rejects.toThrow(/belongs in your own file/);
    await expect(sources('', {}, '[code_mode]\nenabled = true\n')).rejects.toThrow(
      /belongs in your own file/,
    );
  });
});

describe('paths', () => {
  test('are those from the folder of the file', async () => {
    const [graphql, sqlite] = await sources(
      '[sources.a]\nkind = "graphql"\nschema = "schemas/a.graphql"\nurl = "http://127.0.0.1/graphql"\n[sources.b]\nkind = "sqlite"\nurl = "b.db"\n',
    );
    expect(graphql).toMatchObject({ schema: '/h/schemas/a.graphql', url: 'http://127.0.0.1/graphql' });
    expect(sqlite).toMatchObject({ schema: null, url: '/h/b.db' });
    expect((await sources(shop))[0]?.schema).toBe('/schema');
  });

  test('and keys without effect are noted', async () => {
    const [source] = await sources(`${shop}[sources.shop.code_mode]\nmax_depth = 3\nsql_max_rows = 5\n`);
    expect(source?.idle).toEqual(['sql_max_rows']);
  });
});
