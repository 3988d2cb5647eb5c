// Signatures of passkeys: a browser signs the hash of the payload, of one origin, with a person present.

import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type Payload, passkeyName, signedText } from '../core/index.ts';
import { verifySignature } from './signature.ts';

const origin = 'http://localhost:7413';
const payload: Payload = ['sallyport.test.v1', 'question'];

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();
const encoded = (data: string | Buffer) => Buffer.from(data).toString('base64url');

const kinds = {
  'of a curve': generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  'of RSA': generateKeyPairSync('rsa', { modulusLength: 2048 }),
  'of Ed25519': generateKeyPairSync('ed25519'),
};

function nameOf(publicKey: KeyObject, from = origin): string {
  return passkeyName(encoded(publicKey.export({ format: 'der', type: 'spki' })), from);
}

interface Given {
  readonly said?: Readonly<Record<string, unknown>>;
  readonly relyingParty?: string;
  readonly flags?: number;
  readonly over?: Payload;
}

/** What an authenticator gives, as the page sends it. */
function touch(
  key: KeyObject,
  { said = {}, relyingParty = 'localhost', flags = 1, over = payload }: Given = {},
) {
  const challenge = encoded(sha256(signedText(over)));
  const client = JSON.stringify({ type: 'webauthn.get', challenge, origin, crossOrigin: false, ...said });
  const authenticator = Buffer.concat([sha256(relyingParty), Buffer.from([flags, 0, 0, 0, 1])]);
  const digest = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  const signature = sign(digest, Buffer.concat([authenticator, sha256(client)]), key);
  return `webauthn.${encoded(authenticator)}.${encoded(client)}.${encoded(signature)}`;
}

describe('a passkey', () => {
  test.each(Object.entries(kinds))('%s signs a payload', (_, { publicKey, privateKey }) => {
    const name = nameOf(publicKey);
    expect(verifySignature(name, payload, touch(privateKey))).toBe(true);
    expect(verifySignature(name, ['sallyport.test.v1', 'another'], touch(privateKey))).toBe(false);
    expect(verifySignature(name, payload, touch(privateKey, { flags: 5 }))).toBe(true);
  });

  const { publicKey, privateKey } = kinds['of a curve'];
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  test.each<[string, string]>([
    ['of another key', touch(other.privateKey)],
    ['over another payload', touch(privateKey, { over: ['sallyport.test.v1', 'another'] })],
    ['without a person', touch(privateKey, { flags: 4 })],
    ['of another machine', touch(privateKey, { relyingParty: 'example.com' })],
    ['of a page of another port', touch(privateKey, { said: { origin: 'http://localhost:1' } })],
    ['of a page by its number', touch(privateKey, { said: { origin: 'http://127.0.0.1:7413' } })],
    ['of a page inside another', touch(privateKey, { said: { crossOrigin: true } })],
    ['that made a passkey', touch(privateKey, { said: { type: 'webauthn.create' } })],
    ['without a challenge', touch(privateKey, { said: { challenge: undefined } })],
    ['of a challenge in another form', touch(privateKey, { said: { challenge: signedText(payload) } })],
    ['without its parts', 'webauthn.AAAA.AAAA'],
    ['of empty parts', 'webauthn.A.A.A'],
    ['of nothing', ''],
    ['with something behind it', `${touch(privateKey)}.AAAA`],
    ['with padding', `${touch(privateKey)}=`],
  ])('does not count with a signature %s', (_, signature) => {
    expect(verifySignature(nameOf(publicKey), payload, signature)).toBe(false);
  });

  test('is one by its name, with its origin', () => {
    const signature = touch(privateKey);
    const name = nameOf(publicKey);
    const odd = [
      nameOf(publicKey, 'http://localhost:1'),
      nameOf(publicKey, 'no address'),
      name.replace('passkey.', ''),
      `${name}.AAAA`,
      `${name}=`,
      'passkey..',
      `passkey.AAAA.${encoded(origin)}`,
    ];
    for (const wrong of odd) expect(verifySignature(wrong, payload, signature), wrong).toBe(false);
    expect(verifySignature(name, payload, signature)).toBe(true);
  });

  test('does not sign as a key of a passphrase, nor the other way round', () => {
    const { publicKey: ed, privateKey: secret } = kinds['of Ed25519'];
    const plain = String(ed.export({ format: 'jwk' }).x);
    const signature = sign(null, Buffer.from(signedText(payload)), secret).toString('base64url');
    expect(verifySignature(plain, payload, signature)).toBe(true);
    expect(verifySignature(nameOf(ed), payload, signature)).toBe(false);
    expect(verifySignature(plain, payload, touch(secret))).toBe(false);
  });
});
