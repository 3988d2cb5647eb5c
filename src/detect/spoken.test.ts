// Secrets that a sentence tells, and samples that everybody prints.
// sallyport:allow-file samples of manuals

import { describe, expect, it } from 'vitest';
import { randomFrom } from './examples.ts';
import { builtin, scan } from './index.ts';

const rules = builtin('secrets');
const random = randomFrom('spoken');
const drawn = (length: number, from: string) =>
  Array.from({ length }, () => from[Math.floor(random() * from.length)]).join('');
const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

const values: Readonly<Record<string, () => string>> = {
  'a password': () => `${drawn(4, letters)}#${drawn(4, letters)}%${drawn(2, '23456789')}`,
  hexadecimal: () => drawn(40, '0123456789abcdef'),
  base64: () => drawn(40, `${letters}0123456789+/`),
};

const contexts: Readonly<Record<string, (value: string) => string>> = {
  English: (value) => `the password for the staging db is ${value}`,
  'English, to use': (value) => `Use the password ${value} to sign in.`,
  Portuguese: (value) => `A senha do banco é ${value}.`,
  Spanish: (value) => `La contraseña de la base de datos es ${value}`,
  German: (value) => `Das Passwort für den Server lautet ${value}.`,
  Terraform: (value) => `variable "db_password" {\n  type    = string\n  default = "${value}"\n}`,
};

describe('a secret that a sentence tells', () => {
  it.each(
    Object.entries(contexts).flatMap(([language, say]) =>
      Object.entries(values).map(([kind, make]) => [language, kind, say, make] as const),
    ),
  )('is found in %s: %s', (_, __, say, make) => {
    const tries = Array.from({ length: 20 }, () => say(make()));
    const found = tries.filter((text) => scan(text, rules).length > 0).length;
    expect(found).toBeGreaterThanOrEqual(18);
  });

  it.each([
    'The password is required and must be at least 8 characters.',
    'the password for the user is stored as a bcrypt hash',
    'A senha é obrigatória',
    'the token is expired after 3600s',
    'sha256 checksum 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  ])('is not %j', (text) => {
    expect(scan(text, rules)).toEqual([]);
  });
});

describe('samples that everybody prints', () => {
  it.each([
    "const password = 'Str0ngP@ssw0rd!';",
    "token = 'ghp_0123456789abcdef0123456789abcdef0123'",
    'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c',
    "password: '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy'",
    '  password: cGFzc3dvcmQ=',
    'Authorization: Basic dXNlcjpwYXNz',
    'PRIVATE_KEY=0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
    'github.com/aws/aws-sdk-go-v2/credentials v1.17.11 h1:YuIB1dJNf1Re822rriUOTxopaHHvIq0l/pX3fwO+Tzs=',
    'first_key: 6f1ed002-ab5c-4f0e-9b1d-2c3d4e5f6a7b',
  ])('are no secrets: %j', (text) => {
    expect(scan(text, rules)).toEqual([]);
  });
});
