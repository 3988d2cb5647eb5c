// The approver's key in the browser. The passphrase is stretched here, and the key is opened here and held in the memory of
// this tab alone: not extractable, never stored, forgotten after a while without use.

import { scryptAsync } from '@noble/hashes/scrypt.js';
import { isJsonObject } from '../../src/core/json.ts';
import {
  type ApproverHeader,
  type Kdf,
  kdfLimits,
  loginPurpose,
  type Payload,
  privateKeyPrefix,
  sealedText,
  sealing,
  signedText,
} from '../../src/core/signing.ts';
import { type Bytes, decode, encode, utf8 } from './bytes.ts';

/** A key cannot be made or opened here. */
class KeyProblem extends Error {}

const keyBytes = 32;

type PrivateKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** Stretches a passphrase; the page goes on meanwhile. Throws `KeyProblem` for a way that would be too cheap or too dear. */
export async function stretch(passphrase: string, kdf: unknown): Promise<Bytes> {
  const { N, r, p, salt } = readKdf(kdf);
  const secret = utf8(passphrase.normalize('NFKC'));
  try {
    return new Uint8Array(await scryptAsync(secret, decode(salt), { N, r, p, dkLen: keyBytes }));
  } finally {
    secret.fill(0);
  }
}

/** INVARIANT: a daemon cannot have a passphrase stretched so cheaply that it could guess it afterwards. */
function readKdf(kdf: unknown): Kdf {
  const { N, r, p, salt } = isJsonObject(kdf) ? kdf : {};
  const { leastN, mostN, mostP, saltBytes } = kdfLimits;
  const fits =
    typeof N === 'number' &&
    Number.isInteger(Math.log2(N)) &&
    N >= leastN &&
    N <= mostN &&
    r === kdfLimits.r &&
    typeof p === 'number' &&
    Number.isInteger(p) &&
    p >= 1 &&
    p <= mostP &&
    typeof salt === 'string' &&
    decode(salt).length === saltBytes;
  if (!fits) throw new KeyProblem('the daemon asked to stretch the passphrase in a way that is not safe');
  return { N, r, p, salt };
}

/** The key that signs the owner in; it comes of the stretched passphrase. */
export async function loginKey(stretched: Bytes): Promise<PrivateKey> {
  const base = await crypto.subtle.importKey('raw', stretched, 'HKDF', false, ['deriveBits']);
  const how = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: utf8(loginPurpose) };
  return await keyFrom(new Uint8Array(await crypto.subtle.deriveBits(how, base, keyBytes * 8)));
}

/** The key of a user, who signs in and approves with the same one: the stretched passphrase itself. */
export async function userKey(stretched: Bytes): Promise<PrivateKey> {
  return await keyFrom(stretched.slice());
}

/** The private key that begins with these bytes; they are wiped. */
async function keyFrom(seed: Bytes): Promise<PrivateKey> {
  const prefix = privateKeyPrefix.match(/../g)?.map((byte) => Number.parseInt(byte, 16)) ?? [];
  const bytes = new Uint8Array(prefix.length + seed.length);
  bytes.set(prefix);
  bytes.set(seed, prefix.length);
  try {
    return await crypto.subtle.importKey('pkcs8', bytes, 'Ed25519', false, ['sign']);
  } finally {
    bytes.fill(0);
    seed.fill(0);
  }
}

/**
 * Opens the owner's wrapped key. The browser decrypts it into a key that no script can read, so its bytes are never in the
 * page; what the file says beside it was sealed with it and cannot be another's.
 */
export async function openWrapped(file: unknown, stretched: Bytes): Promise<OpenKey> {
  try {
    const header = readHeader(file);
    const wrapped = decode(String(isJsonObject(file) ? file['wrapped'] : ''));
    const { nonceBytes, tagBytes } = sealing;
    const cipher = {
      name: 'AES-GCM',
      iv: wrapped.slice(0, nonceBytes),
      additionalData: utf8(sealedText(header)),
      tagLength: tagBytes * 8,
    };
    const opener = await crypto.subtle.importKey('raw', stretched, 'AES-GCM', false, ['unwrapKey']);
    const inside = wrapped.slice(nonceBytes);
    const key = await crypto.subtle.unwrapKey('pkcs8', inside, opener, cipher, 'Ed25519', false, ['sign']);
    return { key, publicKey: header.publicKey };
  } catch (error) {
    throw new KeyProblem('the key that the daemon sent cannot be opened with this passphrase', {
      cause: error,
    });
  }
}

function readHeader(file: unknown): ApproverHeader {
  const { version, publicKey, login, kdf, createdAt } = isJsonObject(file) ? file : {};
  const name = isJsonObject(kdf) ? kdf['name'] : undefined;
  if (
    typeof version !== 'number' ||
    typeof publicKey !== 'string' ||
    (login !== undefined && typeof login !== 'string') ||
    typeof name !== 'string' ||
    typeof createdAt !== 'string'
  ) {
    throw new KeyProblem('this is no wrapped key');
  }
  return { version, publicKey, login, kdf: { name, ...readKdf(kdf) }, createdAt };
}

export async function signWith(key: PrivateKey, payload: Payload): Promise<string> {
  return encode(await crypto.subtle.sign('Ed25519', key, utf8(signedText(payload))));
}

/** The approver's key while it is open. */
export interface OpenKey {
  readonly key: PrivateKey;
  /** Of the owner, as it was sealed with the key; the key of a user is known by the user's name. */
  readonly publicKey: string | null;
}

/** How long a key stays open without being used. */
export const idleMs = 30 * 60 * 1000;

/** Holds one key in memory. INVARIANT: it signs nothing once it was idle for too long, whatever timers do meanwhile. */
export class KeyHolder {
  #held: OpenKey | null = null;
  #usedAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #watchers = new Set<() => void>();

  hold(key: OpenKey): void {
    this.#held = key;
    this.#use();
    this.#tell();
  }

  /** The key, if one is open. */
  current(): OpenKey | null {
    const idle = Date.now() - this.#usedAt;
    // A clock that went back says nothing of how long it was.
    if (this.#held !== null && (idle < 0 || idle >= idleMs)) this.forget();
    return this.#held;
  }

  async sign(payload: Payload): Promise<string> {
    const held = this.current();
    if (held === null) throw new KeyProblem('the key is closed; type your passphrase again');
    this.#use();
    return await signWith(held.key, payload);
  }

  forget(): void {
    clearTimeout(this.#timer);
    if (this.#held === null) return;
    this.#held = null;
    this.#tell();
  }

  /** Whether a key is open; for pages that show it. */
  readonly isOpen = (): boolean => this.#held !== null;

  /** Calls back whenever a key is opened or closed; gives what ends that. */
  readonly watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  };

  #use(): void {
    this.#usedAt = Date.now();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.forget(), idleMs);
  }

  #tell(): void {
    for (const watcher of this.#watchers) watcher();
  }
}
