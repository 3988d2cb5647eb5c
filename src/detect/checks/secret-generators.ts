// Makes values of secret formats that carry a checksum or a structure, for the examples of rules. Not part of the product.

import type { Generators } from '../examples.ts';
import { crc32, toBase62 } from './secrets.ts';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

function draw(random: () => number, count: number, from = letters): string {
  return Array.from({ length: count }, () => from[Math.floor(random() * from.length)]).join('');
}

/** Base64 in the alphabet for addresses, without padding. */
function base64(text: string, isPadded = false): string {
  const plain = btoa(text);
  return isPadded ? plain : plain.replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

function withChecksum(random: () => number, prefix: string): string {
  const body = draw(random, 30);
  return `${prefix}_${body}${toBase62(crc32(body), 6)}`;
}

function jwt(random: () => number): string {
  const header = random() < 0.5 ? '{"alg":"HS256","typ":"JWT"}' : '{"typ":"JWT","alg":"RS256"}';
  const payload = `{"sub":"${draw(random, 12)}","iat":${1_700_000_000 + Math.floor(random() * 1e7)}}`;
  return `${base64(header)}.${base64(payload)}.${draw(random, 43)}`;
}

export const secretGenerators: Generators = {
  /** A GitHub token with a right checksum: `{{github ghp}}`. */
  github: (random, prefix = 'ghp') => withChecksum(random, prefix),
  npm: (random) => withChecksum(random, 'npm'),
  jwt,
  'base64-jwt': (random) => base64(jwt(random)),
  /** A user and a password as the Basic scheme has them. */
  basic: (random) => base64(`${draw(random, 6)}:${draw(random, 12)}`, true),
};
