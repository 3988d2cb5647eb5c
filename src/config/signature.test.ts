// Signatures of passkeys: a browser signs the hash of the payload, of one origin, with the user present.

import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newPasskey } from '../../tests/support/passkey.ts';
import { type Payload, signedText } from '../core/index.ts';
import { verifySignature } from './signature.ts';

const origin = 'http://localhost:7413';
const payload: Payload = ['sallyport.test.v1', 'question'];
const another: Payload = ['sallyport.test.v1', 'another'];

describe('a passkey', () => {
  test.each([
    ['of a curve', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
    ['of RSA', generateKeyPairSync('rsa', { modulusLength: 2048 })],
    ['of Ed25519', generateKeyPairSync('ed25519')],
  ])('%s signs a payload', (_, keys) => {
    const passkey = newPasskey(origin, keys);
    expect(verifySignature(passkey.name(), payload, passkey.touch(payload))).toBe(true);
    expect(verifySignature(passkey.name(), another, passkey.touch(payload))).toBe(false);
    // A fingerprint proves more than the presence of the user.
    expect(verifySignature(passkey.name(), payload, passkey.touch(payload, { flags: 5 }))).toBe(true);
  });

  const passkey = newPasskey(origin);
  const { touch } = passkey;

  test.each<[string, string]>([
    ['of another key', newPasskey(origin).touch(payload)],
    ['over another payload', touch(another)],
    ['without a person', touch(payload, { flags: 4 })],
    ['of another machine', touch(payload, { relyingParty: 'example.com' })],
    ['of a page of another port', touch(payload, { said: { origin: 'http://localhost:1' } })],
    ['of a page by its number', touch(payload, { said: { origin: 'http://127.0.0.1:7413' } })],
    ['of a page inside another', touch(payload, { said: { crossOrigin: true } })],
    ['that made a passkey', touch(payload, { said: { type: 'webauthn.create' } })],
    ['without a challenge', touch(payload, { said: { challenge: undefined } })],
    ['of a challenge in another form', touch(payload, { said: { challenge: signedText(payload) } })],
    ['without its parts', 'webauthn.AAAA.AAAA'],
    ['of empty parts', 'webauthn.A.A.A'],
    ['of nothing', ''],
    ['with something behind it', `${touch(payload)}.AAAA`],
    ['with padding', `${touch(payload)}=`],
  ])('does not count with a signature %s', (_, signature) => {
    expect(verifySignature(passkey.name(), payload, signature)).toBe(false);
  });

  test('is one by its name, with its origin', () => {
    const signature = touch(payload);
    const name = passkey.name();
    const odd = [
      passkey.name('http://localhost:1'),
      passkey.name('no address'),
      name.replace('passkey.', ''),
      `${name}.AAAA`,
      `${name}=`,
      'passkey..',
      name.replace(passkey.spki, 'AAAA'),
    ];
    for (const wrong of odd) expect(verifySignature(wrong, payload, signature), wrong).toBe(false);
    expect(verifySignature(name, payload, signature)).toBe(true);
  });

  test('does not sign as a key of a passphrase, nor the other way round', () => {
    const keys = generateKeyPairSync('ed25519');
    const curve = newPasskey(origin, keys);
    const plain = String(keys.publicKey.export({ format: 'jwk' }).x);
    const signature = sign(null, Buffer.from(signedText(payload)), keys.privateKey).toString('base64url');
    expect(verifySignature(plain, payload, signature)).toBe(true);
    expect(verifySignature(curve.name(), payload, signature)).toBe(false);
    expect(verifySignature(plain, payload, curve.touch(payload))).toBe(false);
  });
});
