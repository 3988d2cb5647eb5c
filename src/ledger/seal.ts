// Sealing: what waits for a person lies encrypted, bound to the row that it belongs to.

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { canonicalJson, type JsonObject, type JsonValue, parseJson } from '../core/index.ts';
import { StoreDamaged } from './store.ts';

const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts a value for the row `id`. */
export function seal(key: Uint8Array, id: string, value: unknown): Uint8Array {
  return sealBytes(key, id, Buffer.from(canonicalJson(value)));
}

/** Decrypts what `seal` made for the same row. */
export function unseal(key: Uint8Array, id: string, sealed: Uint8Array): JsonValue | JsonObject {
  const text = unsealBytes(key, id, sealed).toString('utf8');
  try {
    return parseJson(text);
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
