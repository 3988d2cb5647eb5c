// Sealing: what waits for a person lies encrypted, bound to the row that it belongs to.

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, deflate, inflateSync } from 'node:zlib';
import { canonicalJson, type JsonObject, type JsonValue, parseJson } from '../core/index.ts';
import { StoreDamaged } from './store.ts';

const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts a value for the row `id`. */
export function seal(key: Uint8Array, id: string, value: unknown): Uint8Array {
  return sealBytes(key, id, Buffer.from(canonicalJson(value)));
}

/** From so many bytes on, a value is compressed first: the store takes its time for each of them. */
const longest = 65_536;
/** The first byte of what is compressed; JSON text never begins with it. */
const compressed = 0x78;
const compress = promisify(deflate);

/** The same for a value that may be long, which is compressed on a thread of the system's. */
export async function sealLong(key: Uint8Array, id: string, value: unknown): Promise<Uint8Array> {
  const bytes = Buffer.from(canonicalJson(value));
  if (bytes.length < longest) return sealBytes(key, id, bytes);
  return sealBytes(key, id, await compress(bytes, { level: constants.Z_BEST_SPEED }));
}

/** Decrypts what `seal` or `sealLong` made for the same row. */
export function unseal(key: Uint8Array, id: string, sealed: Uint8Array): JsonValue | JsonObject {
  const bytes = unsealBytes(key, id, sealed);
  try {
    return parseJson((bytes[0] === compressed ? inflateSync(bytes) : bytes).toString('utf8'));
  } catch (error) {
    throw damaged(id, error);
  }
}

/** Encrypts bytes for the row `id`. */
export function sealBytes(key: Uint8Array, id: string, bytes: Uint8Array): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(id));
  const text = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

/** Decrypts what `sealBytes` made for the same row. */
export function unsealBytes(key: Uint8Array, id: string, sealed: Uint8Array): Buffer {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes));
    decipher.setAAD(Buffer.from(id)).setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]);
  } catch (error) {
    throw damaged(id, error);
  }
}

function damaged(id: string, cause: unknown): StoreDamaged {
  return new StoreDamaged(`the sealed part of ${id} cannot be opened`, { cause });
}
