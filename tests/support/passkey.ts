// An authenticator in software: a passkey as a browser makes it, and what a touch signs with it.

import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { type Payload, passkeyName, signedText } from '../../src/core/index.ts';

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();
const encoded = (data: string | Buffer) => Buffer.from(data).toString('base64url');

/** What differs from an honest touch. */
export interface Touch {
  /** What the browser says of the page. */
  readonly said?: Readonly<Record<string, unknown>>;
  readonly relyingParty?: string;
  /** 1 says that a person was there. */
  readonly flags?: number;
}

export interface Passkey {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
  /** The public half as the browser gives it. */
  readonly spki: string;
  /** The key as approvers name it. */
  name(origin?: string): string;
  touch(payload: Payload, more?: Touch): string;
}

/** A new passkey of a page. */
export function newPasskey(
  page: string,
  { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' }),
): Passkey {
  const spki = encoded(publicKey.export({ format: 'der', type: 'spki' }));
  return {
    ...{ publicKey, privateKey, spki },
    name: (origin = page) => passkeyName(spki, origin),
    touch(payload, { said = {}, relyingParty = 'localhost', flags = 1 } = {}) {
      const challenge = encoded(sha256(signedText(payload)));
      const whole = { type: 'webauthn.get', challenge, origin: page, crossOrigin: false, ...said };
      const client = JSON.stringify(whole);
      const authenticator = Buffer.concat([sha256(relyingParty), Buffer.from([flags, 0, 0, 0, 1])]);
      const digest = privateKey.asymmetricKeyType === 'ed25519' ? null : 'sha256';
      const signature = sign(digest, Buffer.concat([authenticator, sha256(client)]), privateKey);
      return `webauthn.${encoded(authenticator)}.${encoded(client)}.${encoded(signature)}`;
    },
  };
}
