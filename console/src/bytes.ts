// Bytes as texts: base64url, and the digest by which a signature names a text.

import { sha256 } from '@noble/hashes/sha2.js';

export type Bytes = Uint8Array<ArrayBuffer>;

export function encode(bytes: ArrayBuffer | Uint8Array): string {
  const view = bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes);
  const binary = Array.from(view, (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** The bytes of base64url text; throws for anything else. */
export function decode(text: string): Bytes {
  if (!/^[\w-]*$/.test(text)) throw new Error('the text is not base64url');
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0));
}

export function utf8(text: string): Bytes {
  return new Uint8Array(new TextEncoder().encode(text));
}

/** SHA-256 of a text, as bytes. */
export function hashOf(text: string): Bytes {
  return new Uint8Array(sha256(utf8(text)));
}

/** SHA-256 of a text as a signature names it. */
export function digestOf(text: string): string {
  return encode(hashOf(text));
}
