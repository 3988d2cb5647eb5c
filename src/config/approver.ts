// The approver's own key: an Ed25519 key that only a passphrase opens. A second key, derived from the same passphrase,
// signs in to the daemon, which so never receives either.

import { renameSync, rmSync } from 'node:fs';
import {
  type Kdf,
  kdfLimits,
  loginPurpose,
  messageOf,
  type Payload,
  parseJson,
  privateKeyPrefix,
  SallyportError,
  sealedText,
  sealing,
  signedText,
} from '../core/index.ts';
import { choice, type Infer, integer, object, optional, readShape, text } from '../core/shape.ts';
import { AlreadyExists, paths, readRegularFile, writePrivate } from './home.ts';

/** The approver's file cannot be used, or what was asked of it makes no sense. */
export class ApproverError extends SallyportError {}

/** The passphrase does not open the key, or the file was changed; the two cannot be distinguished. */
export class WrongPassphrase extends SallyportError {}

/** The key while it is open. */
export interface Signer {
  readonly publicKey: string;
  sign(payload: Payload): string;
  /** Closes the key; signing throws from then on. */
  forget(): void;
}

/** The public data of the approver, readable without the passphrase. */
export interface Approver {
  readonly publicKey: string;
  /** The public half of the key that signs in; null in a file of an older version that was not opened since. */
  readonly login: string | null;
  readonly kdf: Kdf;
  readonly createdAt: string;
}

/** The cost of one guess at a passphrase. */
export interface Cost {
  readonly N: number;
  readonly r: 8;
  readonly p: number;
}

// 64 MiB and about a fifth of a second for each guess.
export const hardCost: Cost = { N: 65_536, r: 8, p: 1 };

/** The least that a file may ask for. */
export const leastCost: Cost = { ...hardCost, N: kdfLimits.leastN };

const bytes = (length: number) =>
  text({ min: length, max: length, pattern: /^[A-Za-z0-9_-]+$/, what: 'base64url text' });

/** Characters of base64url for a number of bytes. */
const encodedLength = (count: number) => Math.ceil((count * 4) / 3);

const { nonceBytes: nonceLength, tagBytes: tagLength } = sealing;
const { saltBytes: saltLength } = kdfLimits;
const keyLength = 32;
const privateKeyLength = 48;

const fileShape = object({
  version: integer(1, 2),
  publicKey: bytes(encodedLength(keyLength)),
  /** Since version 2. */
  login: optional(bytes(encodedLength(keyLength))),
  kdf: object({
    name: choice(['scrypt']),
    N: integer(kdfLimits.leastN, kdfLimits.mostN),
    r: integer(kdfLimits.r, kdfLimits.r),
    p: integer(1, kdfLimits.mostP),
    salt: bytes(encodedLength(saltLength)),
  }),
  wrapped: bytes(encodedLength(nonceLength + privateKeyLength + tagLength)),
  createdAt: text({ pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, what: 'a time' }),
});

/** The file as it is: the key in it is wrapped with the passphrase. */
export type ApproverFile = Infer<typeof fileShape>;

// Loading it costs more than the rest of the room, and most commands never need it.
function crypto() {
  return process.getBuiltinModule('node:crypto');
}

/** Creates the approver's key; throws `ApproverError` if there is one already. */
export async function createApprover(
  home: string,
  passphrase: string,
  cost: Cost = hardCost,
): Promise<Approver> {
  if (readApprover(home) !== null) throw exists();
  const { file, signer } = await newKey(passphrase, cost);
  signer.forget();
  try {
    writeFile(paths(home).approver, file, { exclusive: true });
  } catch (error) {
    if (error instanceof AlreadyExists) throw exists();
    throw error;
  }
  return approverOf(file);
}

function exists(): ApproverError {
  return new ApproverError('there is an approver key already', { hint: 'change its passphrase instead' });
}

/** A new key, wrapped and open; nothing is written. */
export async function newKey(
  passphrase: string,
  cost: Cost = hardCost,
): Promise<{ readonly file: ApproverFile; readonly signer: Signer }> {
  const secret = newPassphrase(passphrase);
  const { privateKey } = crypto().generateKeyPairSync('ed25519');
  const privateBytes = privateKey.export({ format: 'der', type: 'pkcs8' });
  try {
    const file = await wrap(privateBytes, publicKeyOf(privateBytes), new Date().toISOString(), secret, cost);
    return { file, signer: signerWith(privateBytes) };
  } finally {
    privateBytes.fill(0);
  }
}

/** Replaces the current key by another, or adds one that becomes valid later. */
export function storeKey(home: string, file: ApproverFile, place: 'in use' | 'waiting'): void {
  const { approver, approverNext } = paths(home);
  writeFile(place === 'in use' ? approver : approverNext, file);
  if (place === 'in use') rmSync(approverNext, { force: true });
}

/** Takes a key that waited into use. */
export function useWaitingKey(home: string): void {
  const { approver, approverNext } = paths(home);
  renameSync(approverNext, approver);
}

function writeFile(path: string, file: ApproverFile, options: { exclusive?: boolean } = {}): void {
  writePrivate(path, `${JSON.stringify(file, null, 2)}\n`, options);
}

/** Wraps the same key with another passphrase. */
export async function changePassphrase(home: string, old: string, replacement: string): Promise<Signer> {
  const secret = newPassphrase(replacement);
  const file = existingFile(home);
  const privateBytes = await unwrap(file, old);
  try {
    writeFile(
      paths(home).approver,
      await wrap(privateBytes, file.publicKey, file.createdAt, secret, hardCost),
    );
    return signerWith(privateBytes);
  } finally {
    privateBytes.fill(0);
  }
}

/** The approver's public key, or null if there is no approver; throws `ApproverError` for a broken file. */
export function readApprover(home: string): Approver | null {
  const found = readRegularFile(paths(home).approver);
  return found === null ? null : parseApprover(found);
}

/** The key that waits to take the place of the one in use; null where none does. */
export function readWaitingApprover(home: string): Approver | null {
  const found = readRegularFile(paths(home).approverNext);
  return found === null ? null : parseApprover(found);
}

/** Reads the text of an approver's file; throws `ApproverError` if it is not one. */
export function parseApprover(found: string): Approver {
  return approverOf(parseFile(found));
}

function approverOf({ publicKey, createdAt, login, kdf }: ApproverFile): Approver {
  const { N, r, p, salt } = kdf;
  return { publicKey, createdAt, login: login ?? null, kdf: { N, r, p, salt } };
}

function parseFile(found: string): ApproverFile {
  try {
    const file = readShape(fileShape, parseJson(found));
    if (!Number.isInteger(Math.log2(file.kdf.N))) throw new ApproverError('"N" must be a power of two');
    if ((file.version === 2) !== (file.login !== undefined))
      throw new ApproverError('"login" belongs to version 2');
    for (const encoded of [file.publicKey, file.login ?? '', file.kdf.salt, file.wrapped]) {
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

/** The approver's file; throws `ApproverError` where there is none. */
export function existingFile(home: string): ApproverFile {
  const found = readRegularFile(paths(home).approver);
  if (found === null) {
    throw new ApproverError('there is no approver key in this home', {
      hint: "choose a passphrase: 'sallyport passphrase'",
    });
  }
  return parseFile(found);
}

/** Opens the key; throws `WrongPassphrase` if the passphrase or the file is not the right one. */
export async function unlockApprover(home: string, passphrase: string): Promise<Signer> {
  const file = existingFile(home);
  const privateBytes = await unwrap(file, passphrase);
  try {
    // A file of version 1 gets the key that signs in: only now is the passphrase known.
    if (file.login === undefined) {
      const { publicKey, createdAt, kdf } = file;
      const cost: Cost = { N: kdf.N, r: hardCost.r, p: kdf.p };
      const secret = passphrase.normalize('NFKC');
      writeFile(paths(home).approver, await wrap(privateBytes, publicKey, createdAt, secret, cost));
    }
    return signerWith(privateBytes);
  } finally {
    privateBytes.fill(0);
  }
}

/** Opens a wrapped key that a daemon handed out; throws `WrongPassphrase`. */
export async function unwrapKey(file: unknown, passphrase: string): Promise<Signer> {
  const privateBytes = await unwrap(parseFile(JSON.stringify(file)), passphrase);
  try {
    return signerWith(privateBytes);
  } finally {
    privateBytes.fill(0);
  }
}

/** The key that signs the owner in, derived from the passphrase. */
export async function loginSigner(passphrase: string, kdf: Kdf): Promise<Signer> {
  const stretched = await derive(passphrase.normalize('NFKC'), kdf);
  const privateBytes = privateKeyFrom(loginSeed(stretched));
  try {
    return signerWith(privateBytes);
  } finally {
    stretched.fill(0);
    privateBytes.fill(0);
  }
}

function loginSeed(stretched: Buffer): Buffer {
  return Buffer.from(crypto().hkdfSync('sha256', stretched, '', loginPurpose, keyLength));
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
      return sign(null, Buffer.from(signedText(payload)), key).toString('base64url');
    },
    forget: () => {
      key = null;
    },
  };
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

async function wrap(
  privateBytes: Buffer,
  publicKey: string,
  createdAt: string,
  passphrase: string,
  cost: Cost,
): Promise<ApproverFile> {
  const { createCipheriv, randomBytes } = crypto();
  const kdf = { name: 'scrypt', ...cost, salt: randomBytes(saltLength).toString('base64url') } as const;
  const key = await derive(passphrase, kdf);
  const login = publicKeyOf(privateKeyFrom(loginSeed(key)));
  const header = { version: 2, publicKey, login, kdf, createdAt };
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(sealedText(header)));
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
      .setAAD(Buffer.from(sealedText(file)))
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

/** The private key that begins with these 32 bytes. */
export function privateKeyFrom(seed: Buffer): Buffer {
  return Buffer.concat([Buffer.from(privateKeyPrefix, 'hex'), seed]);
}

/** Stretches a passphrase into 32 bytes. */
export function derive(passphrase: string, kdf: Kdf): Promise<Buffer> {
  const { N, r, p } = kdf;
  const salt = Buffer.from(kdf.salt, 'base64url');
  return new Promise((resolve, reject) => {
    crypto().scrypt(passphrase, salt, keyLength, { N, r, p, maxmem: 256 * N * r }, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });
}
