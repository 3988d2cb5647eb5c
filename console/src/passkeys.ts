// Passkeys (WebAuthn): the browser or a security key signs after one touch. They work on localhost alone; browsers refuse
// them on an address of numbers.

import { type Payload, signedText } from '../../src/core/signing.ts';
import { decode, encode, hashOf } from './bytes.ts';

/** The person did not touch the passkey, or the browser did not let it be used. Nothing was signed. */
export class PasskeyNotUsed extends Error {}

const relyingParty = 'localhost';

/** The address of this page on which passkeys work; null where this is it. */
export function passkeyAddress(): string | null {
  const { hostname, port, pathname, hash } = location;
  return hostname === relyingParty ? null : `http://${relyingParty}:${port}${pathname}${hash}`;
}

/** Whether passkeys work on this page. */
export function passkeysWork(): boolean {
  return passkeyAddress() === null && 'PublicKeyCredential' in window;
}

const place = 'sallyport.passkeys';

/** The ids of passkeys that were made in this browser. They are no secret, and of no use anywhere else. */
export const passkeysHere = {
  list: (): readonly string[] => {
    try {
      const ids: unknown = JSON.parse(localStorage.getItem(place) ?? '[]');
      return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
    } catch {
      return [];
    }
  },
  add: (id: string): void => {
    const others = passkeysHere.list().filter((one) => one !== id);
    localStorage.setItem(place, JSON.stringify([...others, id]));
  },
};

/** Signs with one of these passkeys, after one touch; throws `PasskeyNotUsed`. */
export async function signWithPasskey(credentials: readonly string[], payload: Payload): Promise<string> {
  const given = await used(() =>
    navigator.credentials.get({
      publicKey: {
        challenge: hashOf(signedText(payload)),
        rpId: relyingParty,
        allowCredentials: credentials.map((id) => ({ type: 'public-key', id: decode(id) })),
        userVerification: 'preferred',
        timeout: 60_000,
      },
    }),
  );
  const { response } = given;
  if (!(response instanceof AuthenticatorAssertionResponse))
    throw new PasskeyNotUsed('The passkey did not sign.');
  const { authenticatorData, clientDataJSON, signature } = response;
  return `webauthn.${encode(authenticatorData)}.${encode(clientDataJSON)}.${encode(signature)}`;
}

/** A passkey that was just made. */
export interface MadePasskey {
  readonly publicKey: string;
  readonly credential: string;
}

/** ES256, and EdDSA. */
const algorithms = [-7, -8];

/** Makes a passkey; `others` are those that the person has already. Throws `PasskeyNotUsed`. */
export async function makePasskey(
  person: { readonly name: string; readonly home: string },
  others: readonly string[],
): Promise<MadePasskey> {
  const made = await used(() =>
    navigator.credentials.create({
      publicKey: {
        rp: { id: relyingParty, name: 'Sallyport' },
        user: {
          id: hashOf(JSON.stringify([person.home, person.name])),
          name: person.name,
          displayName: person.name,
        },
        // What is attested is not looked at: the passphrase vouches for the key.
        challenge: crypto.getRandomValues(new Uint8Array(32)),
        attestation: 'none',
        pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
        authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
        excludeCredentials: others.map((id) => ({ type: 'public-key', id: decode(id) })),
        timeout: 120_000,
      },
    }),
  );
  const { response, rawId } = made;
  const key = response instanceof AuthenticatorAttestationResponse ? response.getPublicKey() : null;
  if (key === null) throw new PasskeyNotUsed('This browser does not hand out the public key of the passkey.');
  return { publicKey: encode(key), credential: encode(rawId) };
}

/** What browsers call the reasons, in plain words. */
const reasons: Readonly<Record<string, string>> = {
  NotAllowedError: 'The passkey was not used: it was cancelled, or took too long.',
  InvalidStateError: 'This device has a passkey of yours already.',
  SecurityError: 'The browser refuses passkeys on this address.',
};

async function used(ask: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  const given = await ask().catch((error: unknown) => {
    const name = error instanceof Error ? error.name : '';
    throw new PasskeyNotUsed(reasons[name] ?? `The passkey could not be used: ${String(error)}`, {
      cause: error,
    });
  });
  if (given instanceof PublicKeyCredential) return given;
  throw new PasskeyNotUsed('The passkey could not be used.');
}
