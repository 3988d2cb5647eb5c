// Sealing: what waits for a person lies encrypted, bound to the row that it belongs to.

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { canonicalJson, type JsonObject, type JsonValue, parseJson } from '../core/index.ts';
import { StoreDamaged } from './store.ts';

const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts a value for the row `id`. */
export function seal(key: Uint8Array, id: string, value: unknown): Uint8Array {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(id));
  const text = Buffer.concat([cipher.update(canonicalJson(value), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

/** Decrypts what `seal` made for the same row. */
export function unseal(key: Uint8Array, id: string, sealed: Uint8Array): JsonValue | JsonObject {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes));
    decipher.setAAD(Buffer.from(id)).setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
    const text = Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]);
    return parseJson(text.toString('utf8'));
  } catch (error) {
    throw new StoreDamaged(`the sealed part of ${id} cannot be opened`, { cause: error });
  }
}
