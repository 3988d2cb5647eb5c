// Users of the console in the configuration, and the keys derived from their passphrases.

import { describe, expect, it } from 'vitest';
import { fakeWorld } from '../../tests/support/fake-world.ts';
import type { Payload } from '../core/index.ts';
import { ApproverError, leastCost } from './approver.ts';
import { loadConfig } from './load.ts';
import { verifySignature } from './signature.ts';
import { hashPassphrase, userSigner } from './user-keys.ts';
import { type PassphraseVerifier, readVerifier } from './users.ts';

async function usersIn(file: string, inWorkspace?: string) {
  const world = fakeWorld();
  world.files.set('/h/sallyport.toml', file);
  if (inWorkspace !== undefined) world.files.set('/w/sallyport.toml', inWorkspace);
  const config = await loadConfig({ home: '/h', environment: {}, world });
  await config.settingsFor({ agent: 'a', workspace: '/w' });
  return config.users;
}

const passphrase = 'a passphrase of ann';
const line = await hashPassphrase(passphrase);

function readLine(kept: string): PassphraseVerifier {
  const read = readVerifier(kept);
  if (read === undefined) throw new Error('the line cannot be read');
  return read;
}

describe('the hash of a passphrase', () => {
  it('is another each time, and holds nothing of the passphrase', async () => {
    const other = await hashPassphrase(passphrase);
    expect(other).not.toBe(line);
    expect(line).toMatch(/^scrypt:65536:8:1:[\w-]{22}:[\w-]{43}$/);
    expect(line).not.toContain('ann');
  });

  it('is not made of a passphrase that is too short', async () => {
    await expect(hashPassphrase('short')).rejects.toThrow(ApproverError);
  });

  it('names the key that comes of the passphrase, which signs until it is forgotten', async () => {
    const { publicKey, ...kdf } = readLine(line);
    const signer = await userSigner(passphrase, kdf);
    expect(signer.publicKey).toBe(publicKey);
    const payload: Payload = ['test.v1', 1];
    const signature = signer.sign(payload);
    expect(verifySignature(publicKey, payload, signature)).toBe(true);
    expect(verifySignature(publicKey, ['test.v1', 2], signature)).toBe(false);
    signer.forget();
    expect(() => signer.sign(payload)).toThrow(/closed/);
  });

  it('names the same key however the passphrase was typed', async () => {
    const { publicKey, ...kdf } = readLine(await hashPassphrase('café au lait', leastCost));
    expect((await userSigner('cafe\u0301 au lait', kdf)).publicKey).toBe(publicKey);
  });

  it('names the key of no other passphrase', async () => {
    const { publicKey, ...kdf } = readLine(line);
    expect((await userSigner('another passphrase', kdf)).publicKey).not.toBe(publicKey);
  });
});

describe('a line that is no hash', () => {
  const parts = line.split(':');
  const withPart = (at: number, part: string) => parts.with(at, part).join(':');
  it.each([
    ['a passphrase', passphrase],
    ['too cheap', withPart(1, '8192')],
    ['too dear', withPart(1, '524288')],
    ['no power of two', withPart(1, '65537')],
    ['another block size', withPart(2, '1')],
    ['a short salt', withPart(4, 'AAAA')],
    ['bits that mean nothing', withPart(4, `${'A'.repeat(21)}B`)],
    ['no key', withPart(5, '')],
    ['something behind it', `${line}:1`],
  ])('is refused: %s', (_, made) => {
    expect(readVerifier(made)).toBeUndefined();
  });
});

describe('[users.NAME]', () => {
  const user = (name: string, more = '', kept = line) =>
    `[users.${name}]\nrole = "viewer"\npassphrase = "${kept}"\n${more}`;

  it('names people, their roles and their tenants', async () => {
    const other = await hashPassphrase('another passphrase');
    const file = user('ann', 'tenant = "acme"\n') + user('"bob.b"', '', other);
    expect(await usersIn(file)).toMatchObject([
      { name: 'ann', role: 'viewer', tenant: 'acme' },
      { name: 'bob.b', role: 'viewer', tenant: null },
    ]);
    expect(await usersIn('')).toEqual([]);
  });

  it.each([
    ['a passphrase in clear', user('ann', '', 'a passphrase of ann'), 'sallyport user hash'],
    ['the same hash twice', user('ann') + user('bob'), 'another user has the same'],
    ['a name that is none', user('"a b"'), 'a user has a name'],
    ['a role that is none', user('ann').replace('viewer', 'king'), 'viewer'],
    ['no role', user('ann').replace('role = "viewer"', ''), 'role'],
    ['no passphrase', '[users.ann]\nrole = "admin"\n', 'passphrase'],
    ['a key that is none', user('ann', 'rol = 1'), 'role'],
  ])('is refused with %s', async (_, file, says) => {
    await expect(usersIn(file)).rejects.toThrow(says);
  });

  it("is refused in a workspace's file", async () => {
    await expect(usersIn('', user('ann'))).rejects.toThrow('"users" belongs in your own file');
  });
});
