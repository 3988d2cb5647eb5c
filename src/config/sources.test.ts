// What a file says about sources: the stricter of two names counts, and no secret stands in a file by mistake.

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
      /does not fit here/,
    );
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
