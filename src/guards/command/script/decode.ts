// Pure decoders: bytes are texts whose every letter is one byte.

import { gunzip } from '../bash/inflate.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

export function fromBase64(source: string): string | null {
  const clean = source.replace(/[\s=]/g, '').replaceAll('-', '+').replaceAll('_', '/');
  let bits = 0;
  let held = 0;
  let result = '';
  for (const letter of clean) {
    const value = alphabet.indexOf(letter);
    if (value < 0) return null;
    held = ((held << 6) | value) & 0xffffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      result += String.fromCharCode((held >> bits) & 0xff);
    }
  }
  return result;
}

export function toBase64(bytes: string): string {
  let result = '';
  for (let index = 0; index < bytes.length; index += 3) {
    const [one = 0, two = 0, three = 0] = [0, 1, 2].map((step) => bytes.charCodeAt(index + step) || 0);
    const held = (one << 16) | (two << 8) | three;
    const left = bytes.length - index;
    result += alphabet.charAt(held >> 18) + alphabet.charAt((held >> 12) & 63);
    result += left > 1 ? alphabet.charAt((held >> 6) & 63) : '=';
    result += left > 2 ? alphabet.charAt(held & 63) : '=';
  }
  return result;
}

export function fromBase32(source: string): string | null {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  let bits = 0;
  let held = 0;
  let result = '';
  for (const letter of source.replace(/[\s=]/g, '').toUpperCase()) {
    const value = letters.indexOf(letter);
    if (value < 0) return null;
    held = ((held << 5) | value) & 0xfffff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      result += String.fromCharCode((held >> bits) & 0xff);
    }
  }
  return result;
}

/** Base 85 in the alphabet of the given kind. */
export function fromBase85(source: string, kind: 'ascii' | 'rfc1924'): string | null {
  const rfc1924 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~';
  const clean = kind === 'ascii' ? source.replace(/^<~|~>$|\s/g, '').replaceAll('z', '!!!!!') : source;
  let result = '';
  for (let index = 0; index < clean.length; index += 5) {
    const group = clean.slice(index, index + 5);
    let value = 0;
    for (const letter of group.padEnd(5, kind === 'ascii' ? 'u' : '~')) {
      const digit = kind === 'ascii' ? letter.charCodeAt(0) - 33 : rfc1924.indexOf(letter);
      if (digit < 0 || digit > 84) return null;
      value = value * 85 + digit;
    }
    for (let byte = 0; byte < group.length - 1; byte++)
      result += String.fromCharCode(Math.floor(value / 256 ** (3 - byte)) & 0xff);
  }
  return result;
}

export function fromHex(source: string): string | null {
  const clean = source.replace(/[\s:]/g, '');
  if (clean.length % 2 !== 0 || /[^\da-fA-F]/.test(clean)) return null;
  return clean.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16)));
}

export function toHex(bytes: string): string {
  return Array.from(bytes, (letter) => letter.charCodeAt(0).toString(16).padStart(2, '0')).join('');
}

export function fromUtf8(bytes: string): string {
  if (!/[\x80-\xff]/.test(bytes)) return bytes;
  return new TextDecoder().decode(Uint8Array.from(bytes, (letter) => letter.charCodeAt(0)));
}

export function toUtf8(given: string): string {
  if (!/[^\x00-\x7f]/.test(given)) return given;
  return Array.from(new TextEncoder().encode(given), (byte) => String.fromCharCode(byte)).join('');
}

export function rot13(given: string): string {
  return given.replace(/[a-zA-Z]/g, (letter) => {
    const base = letter <= 'Z' ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
  });
}

export function fromPercent(given: string, plus = false): string {
  const spaced = plus ? given.replaceAll('+', ' ') : given;
  return fromUtf8(
    toUtf8(spaced).replace(/%([\da-fA-F]{2})/g, (_, pair: string) =>
      String.fromCharCode(Number.parseInt(pair, 16)),
    ),
  );
}

export function toPercent(given: string, safe = '/'): string {
  return toUtf8(given).replace(/[^\w.~-]/g, (letter) =>
    safe.includes(letter) ? letter : `%${letter.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

/** Unpacks gzip bytes, or bytes that deflate packed, with its own frame or bare. */
export function inflate(bytes: string, frame: 'gzip' | 'zlib' | 'bare'): string | null {
  if (frame === 'gzip') return gunzip(bytes);
  const header = `\x1f\x8b\x08${'\0'.repeat(7)}`;
  return gunzip(header + (frame === 'zlib' ? bytes.slice(2) : bytes));
}
