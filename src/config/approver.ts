// The person's own key: an Ed25519 key that only a passphrase opens. What it signs, a person has said yes to.

import { canonicalJson, type JsonValue, messageOf, parseJson, SallyportError } from '../core/index.ts';
import { choice, type Infer, integer, object, readShape, text } from '../core/shape.ts';
import { AlreadyExists, paths, readRegularFile, writePrivate } from './home.ts';
import { leastN, mostN } from './users.ts';

/** The approver's file cannot be used, or what was asked of it makes no sense. */
export class ApproverError extends SallyportError {}

/** The passphrase does not open the key, or somebody changed the file; the two cannot be told apart. */
export class WrongPassphrase extends SallyportError {}

/** The key while it is open. */
export interface Signer {
  readonly publicKey: string;
  /** Signs the canonical form of a list whose first member names the purpose. */
  sign(payload: JsonValue): string;
  /** Closes the key; signing throws from then on. */
  forget(): void;
}

/** What is known of the approver without the passphrase. */
export interface Approver {
  readonly publicKey: string;
  readonly createdAt: string;
}

/** What one guess at a passphrase costs. */
export interface Cost {
  readonly N: number;
  readonly r: 8;
  readonly p: number;
}

// 64 MiB and about a fifth of a second for each guess.
export const hardCost: Cost = { N: 65_536, r: 8, p: 1 };

/** The least that a file may ask for. */
export const leastCost: Cost = { ...hardCost, N: leastN };

const bytes = (length: number) =>
  text({ min: length, max: length, pattern: /^[A-Za-z0-9_-]+$/, what: 'base64url text' });

/** Characters of base64url for a number of bytes. */
const encodedLength = (count: number) => Math.ceil((count * 4) / 3);

const nonceLength = 12;
const tagLength = 16;
const saltLength = 16;
const keyLength = 32;
const privateKeyLength = 48;

const fileShape = object({
  version: integer(1, 1),
  publicKey: bytes(encodedLength(keyLength)),
  kdf: object({
    name: choice(['scrypt']),
    N: integer(leastN, mostN),
    r: integer(hardCost.r, hardCost.r),
    p: integer(1, 4),
    salt: bytes(encodedLength(saltLength)),
  }),
  wrapped: bytes(encodedLength(nonceLength + privateKeyLength + tagLength)),
  createdAt: text({ pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, what: 'a time' }),
});

type ApproverFile = Infer<typeof fileShape>;

// Loading it costs more than the rest of the room, and most commands never need it.
function crypto() {
  return process.getBuiltinModule('node:crypto');
}

/** Creates the person's key; throws `ApproverError` if there is one already. */
export async function createApprover(
  home: string,
  passphrase: string,
  cost: Cost = hardCost,
): Promise<Approver> {
  const secret = newPassphrase(passphrase);
  if (readApprover(home) !== null) throw exists();
  const { privateKey } = crypto().generateKeyPairSync('ed25519');
  const privateBytes = privateKey.export({ format: 'der', type: 'pkcs8' });
  try {
    const at = new Date().toISOString();
    const file = await wrap(privateBytes, publicKeyOf(privateBytes), at, secret, cost);
    writePrivate(paths(home).approver, `${JSON.stringify(file, null, 2)}\n`, { exclusive: true });
    return { publicKey: file.publicKey, createdAt: file.createdAt };
  } catch (error) {
    if (error instanceof AlreadyExists) throw exists();
    throw error;
  } finally {
    privateBytes.fill(0);
  }
}

function exists(): ApproverError {
  return new ApproverError('there is an approver key already', { hint: 'change its passphrase instead' });
}

/** Wraps the same key with another passphrase. */
export async function changePassphrase(home: string, old: string, replacement: string): Promise<void> {
  const secret = newPassphrase(replacement);
  const file = existingFile(home);
  const privateBytes = await unwrap(file, old);
  try {
    const wrapped = await wrap(privateBytes, file.publicKey, file.createdAt, secret, hardCost);
    writePrivate(paths(home).approver, `${JSON.stringify(wrapped, null, 2)}\n`);
  } finally {
    privateBytes.fill(0);
  }
}

/** The approver's public key, or null if there is no approver; throws `ApproverError` for a broken file. */
export function readApprover(home: string): Approver | null {
  const found = readRegularFile(paths(home).approver);
  return found === null ? null : parseApprover(found);
}

/** Reads the text of an approver's file; throws `ApproverError` if it is not one. */
export function parseApprover(found: string): Approver {
  const { publicKey, createdAt } = parseFile(found);
  return { publicKey, createdAt };
}

function parseFile(found: string): ApproverFile {
  try {
    const file = readShape(fileShape, parseJson(found));
    if (!Number.isInteger(Math.log2(file.kdf.N))) throw new ApproverError('"N" must be a power of two');
    for (const encoded of [file.publicKey, file.kdf.salt, file.wrapped]) {
      if (decode(encoded) === null) throw new ApproverError('a value is not base64url');
    }
    return file;
  } catch (error) {
    throw new ApproverError(`approver.json cannot be used: ${messageOf(error)}`, {
      cause: error,
      hint: 'restore it from a copy',
    });
  }
}

function existingFile(home: string): ApproverFile {
  const found = readRegularFile(paths(home).approver);
  if (found === null) {
    throw new ApproverError('there is no approver key yet', {
      hint: "choose a passphrase: 'sallyport passphrase'",
    });
  }
  return parseFile(found);
}

/** Opens the key; throws `WrongPassphrase` if the passphrase or the file is not the right one. */
export async function unlockApprover(home: string, passphrase: string): Promise<Signer> {
  const privateBytes = await unwrap(existingFile(home), passphrase);
  try {
    return signerWith(privateBytes);
  } finally {
    privateBytes.fill(0);
  }
}

/** A private key while it is open. */
export function signerWith(privateBytes: Buffer): Signer {
  const { createPrivateKey, sign } = crypto();
  let key: ReturnType<typeof createPrivateKey> | null = createPrivateKey({
    key: privateBytes,
    format: 'der',
    type: 'pkcs8',
  });
  return {
    publicKey: publicKeyOf(privateBytes),
    sign: (payload) => {
      if (key === null) throw new ApproverError('the approver key is closed', { hint: 'unlock it again' });
      if (!hasPurpose(payload)) throw new ApproverError('only a list that begins with its purpose is signed');
      return sign(null, Buffer.from(canonicalJson(payload)), key).toString('base64url');
    },
    forget: () => {
      key = null;
    },
  };
}

/** Whether the approver signed this payload; anything malformed is a no. */
export function verifyByApprover(publicKey: string, payload: JsonValue, signature: string): boolean {
  const rawSignature = decode(signature);
  if (decode(publicKey)?.length !== keyLength || rawSignature?.length !== 64 || !hasPurpose(payload))
    return false;
  const { createPublicKey, verify } = crypto();
  try {
    const signed = canonicalJson(payload);
    const known = `${publicKey} ${signature} ${signed}`;
    if (verified.has(known)) return true;
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' });
    if (!verify(null, Buffer.from(signed), key, rawSignature)) return false;
    if (verified.size >= mostVerified) verified.clear();
    verified.add(known);
    return true;
  } catch {
    return false;
  }
}

/** Signatures that fitted: a grant is looked at with every call that it covers, and what fitted once fits always. */
const verified = new Set<string>();
const mostVerified = 1024;

/** INVARIANT: a signature for one purpose never fits another, since the purpose is part of what is signed. */
function hasPurpose(payload: JsonValue): boolean {
  if (!Array.isArray(payload)) return false;
  const purpose: unknown = payload[0];
  return typeof purpose === 'string' && purpose !== '';
}

/** The bytes of strict base64url text, or null. */
function decode(encoded: string): Buffer | null {
  const decoded = Buffer.from(encoded, 'base64url');
  return decoded.toString('base64url') === encoded ? decoded : null;
}

function publicKeyOf(privateBytes: Buffer): string {
  const { createPrivateKey, createPublicKey } = crypto();
  const key = createPublicKey(createPrivateKey({ key: privateBytes, format: 'der', type: 'pkcs8' }));
  return key.export({ format: 'jwk' }).x ?? '';
}

/** A passphrase that is long enough, in its normal form; throws `ApproverError`. */
export function newPassphrase(passphrase: string): string {
  const normal = passphrase.normalize('NFKC');
  if ([...normal].length < 8) throw new ApproverError('a passphrase has at least 8 characters');
  if (normal.length > 1024) throw new ApproverError('a passphrase has at most 1024 characters');
  if (!normal.isWellFormed()) throw new ApproverError('the passphrase is not well-formed text');
  return normal;
}

/** Everything in the file that is not secret; it is sealed together with the key, so none of it can change. */
function sealedWith(file: Omit<ApproverFile, 'wrapped'>): Buffer {
  const { version, publicKey, kdf, createdAt } = file;
  return Buffer.from(canonicalJson(['sallyport.approver.v1', { version, publicKey, kdf, createdAt }]));
}

async function wrap(
  privateBytes: Buffer,
  publicKey: string,
  createdAt: string,
  passphrase: string,
  cost: Cost,
): Promise<ApproverFile> {
  const { createCipheriv, randomBytes } = crypto();
  const kdf = { name: 'scrypt', ...cost, salt: randomBytes(saltLength).toString('base64url') } as const;
  const header = { version: 1, publicKey, kdf, createdAt };
  const key = await derive(passphrase, kdf);
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(sealedWith(header));
  const wrapped = Buffer.concat([nonce, cipher.update(privateBytes), cipher.final(), cipher.getAuthTag()]);
  key.fill(0);
  return { ...header, wrapped: wrapped.toString('base64url') };
}

async function unwrap(file: ApproverFile, passphrase: string): Promise<Buffer> {
  const key = await derive(passphrase.normalize('NFKC'), file.kdf);
  try {
    const wrapped = Buffer.from(file.wrapped, 'base64url');
    const decipher = crypto()
      .createDecipheriv('aes-256-gcm', key, wrapped.subarray(0, nonceLength), { authTagLength: tagLength })
      .setAAD(sealedWith(file))
      .setAuthTag(wrapped.subarray(-tagLength));
    const opened = Buffer.concat([
      decipher.update(wrapped.subarray(nonceLength, -tagLength)),
      decipher.final(),
    ]);
    if (publicKeyOf(opened) !== file.publicKey) throw new ApproverError('the public key is not of this key');
    return opened;
  } catch (error) {
    throw new WrongPassphrase('the passphrase is wrong, or approver.json was changed', { cause: error });
  } finally {
    key.fill(0);
  }
}

/** What a private key is, beside the 32 bytes that are its own (RFC 8410). */
const privateKeyPrefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The private key that begins with these 32 bytes. */
export function privateKeyFrom(seed: Buffer): Buffer {
  return Buffer.concat([privateKeyPrefix, seed]);
}

/** Stretches a passphrase into 32 bytes. */
export function derive(
  passphrase: string,
  kdf: { readonly N: number; readonly r: number; readonly p: number; readonly salt: string },
): Promise<Buffer> {
  const { N, r, p } = kdf;
  const salt = Buffer.from(kdf.salt, 'base64url');
  return new Promise((resolve, reject) => {
    crypto().scrypt(passphrase, salt, keyLength, { N, r, p, maxmem: 256 * N * r }, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });
}
