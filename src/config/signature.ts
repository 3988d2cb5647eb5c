// Checks signatures of approvers: Ed25519 keys that a passphrase opens, and passkeys of a browser (WebAuthn).

import { isJsonObject, type Payload, parseJson, signedText } from '../core/index.ts';

// Loading it costs more than the rest of this layer, and most commands never need it.
function crypto() {
  return process.getBuiltinModule('node:crypto');
}

/** Signatures that fitted: a grant is checked with every call that it covers, and a signature that fitted once fits always. */
const verified = new Set<string>();
const mostVerified = 1024;

/** Whether this key signed this payload; false for anything malformed. */
export function verifySignature(publicKey: string, payload: Payload, signature: string): boolean {
  try {
    const text = signedText(payload);
    const known = `${publicKey} ${signature} ${text}`;
    if (verified.has(known)) return true;
    const passkey = passkeyIn(publicKey);
    const fits =
      passkey === null ? fitsEd25519(publicKey, text, signature) : fitsPasskey(passkey, text, signature);
    if (!fits) return false;
    if (verified.size >= mostVerified) verified.clear();
    verified.add(known);
    return true;
  } catch {
    return false;
  }
}

function fitsEd25519(publicKey: string, text: string, signature: string): boolean {
  const raw = decode(signature);
  if (decode(publicKey)?.length !== 32 || raw?.length !== 64) return false;
  const { createPublicKey, verify } = crypto();
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' });
  return verify(null, Buffer.from(text), key, raw);
}

/** The public half of a passkey, and the only origin that it signs for. */
interface Passkey {
  readonly spki: Buffer;
  readonly origin: string;
}

/** The passkey that a name refers to, or null. */
function passkeyIn(name: string): Passkey | null {
  const [, spki, origin] = /^passkey\.([\w-]+)\.([\w-]+)$/.exec(name) ?? [];
  const [bytes, text] = [decode(spki ?? ''), decode(origin ?? '')];
  return bytes === null || text === null || spki === undefined
    ? null
    : { spki: bytes, origin: text.toString('utf8') };
}

/** Flags of an authenticator: the user touched it. */
const userPresent = 1;

/**
 * The challenge of a WebAuthn signature is the hash of the payload. INVARIANT: the user was present, and the page was
 * of the very origin that the passkey was created for.
 */
function fitsPasskey({ spki, origin }: Passkey, text: string, signature: string): boolean {
  const parts = /^webauthn\.([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(signature)?.slice(1).map(decode);
  const [authenticator, client, raw] = parts ?? [];
  if (!authenticator || !client || !raw) return false;
  const { createHash, createPublicKey, verify } = crypto();
  const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();
  const said = parseJson(client.toString('utf8'));
  if (!isJsonObject(said) || said['type'] !== 'webauthn.get' || said['origin'] !== origin) return false;
  if (said['challenge'] !== sha256(text).toString('base64url') || said['crossOrigin'] === true) return false;
  const relyingParty = new URL(origin).hostname;
  if (!authenticator.subarray(0, 32).equals(sha256(relyingParty))) return false;
  if (((authenticator[32] ?? 0) & userPresent) === 0) return false;
  const key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  const digest = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  return verify(digest, Buffer.concat([authenticator, sha256(client)]), key, raw);
}

/** The bytes of strict base64url text, or null. */
function decode(encoded: string): Buffer | null {
  const decoded = Buffer.from(encoded, 'base64url');
  return decoded.toString('base64url') === encoded ? decoded : null;
}
