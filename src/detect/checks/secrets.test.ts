// What the validators of the secrets pack take for a secret, and what not.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomFrom } from '../examples.ts';
import { secretGenerators } from './secret-generators.ts';
import {
  assignedName,
  crc32,
  fromBase64,
  hasTokenChecksum,
  secretChecks,
  surpriseOf,
  toBase62,
} from './secrets.ts';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const random = randomFrom('secrets');

/** A value made by chance. */
function drawn(length: number, from = letters): string {
  return Array.from({ length }, () => from[Math.floor(random() * from.length)]).join('');
}

function passes(check: string, secret: string, left = ''): boolean {
  const one = secretChecks[check];
  if (one === undefined) throw new Error(`there is no check ${check}`);
  return one(secret, left);
}

describe('surprise', () => {
  it.each(['getAccessTokenFromStorage', 'administrator_login_password', 'com.example.service.TokenProvider'])(
    'is low for the name %s',
    (name) => expect(surpriseOf(name)).toBeLessThan(4.3),
  );

  it('is high for chance', () => {
    for (let round = 0; round < 200; round++) {
      expect(surpriseOf(drawn(32))).toBeGreaterThan(4.7);
      expect(surpriseOf(drawn(40, '0123456789abcdef'))).toBeGreaterThan(3.9);
    }
  });

  it('is 0 for less than a pair', () => {
    expect(surpriseOf('')).toBe(0);
    expect(surpriseOf('a')).toBe(0);
  });
});

describe('the name that a value is assigned to', () => {
  it.each([
    ['const apiKey = "', 'const_api_key'],
    ['"api-key": "', 'api_key'],
    ['{\\"clientSecret\\": \\"', 'client_secret'],
    ['System.setProperty("MY_TOKEN", "', 'my_token'],
    ['<accessToken>\n    ', 'access_token'],
    ["config['token'] = '", 'token'],
    ['let token: string = "', 'let_token'],
    ['token :::= "', 'token'],
    ['nothing here ', ''],
  ])('%s → %s', (left, name) => expect(assignedName(left).endsWith(name)).toBe(true));
});

describe('an assigned secret', () => {
  it.each(['token = "', 'client_secret: ', 'API_KEY=', '<apiKey>', '"accessToken": "'])(
    'is found behind %s',
    (left) => {
      for (let round = 0; round < 50; round++) expect(passes('assigned-secret', drawn(32), left)).toBe(true);
    },
  );

  it.each([
    ['a variable', 'token = "', '$'.concat('{TOKEN}')],
    ['a call', 'token = ', 'getAccessToken'],
    ['a property', 'token = ', 'process.env.API_TOKEN'],
    ['a constant', 'token = ', 'GITHUB_TOKEN_NAME'],
    ['a path', 'secret = "', './config/secrets/production.json'],
    ['an address', 'token_url = "', 'https://example.com/oauth/token'],
    ['words', 'secret = "', 'my-very-long-secret-name'],
    ['a stand-in', 'api_key = "', 'your-api-key-1234567890'],
    ['fillers', 'api_key = "', 'xxxxxxxxxxxxxxxxxxxxxxxx'],
    ['a digest', 'token = "', 'sha256:'.concat(drawn(64, '0123456789abcdef'))],
    ['an algorithm', 'key (', 'HKDF-SHA256'],
  ])('is not %s', (_what, left, secret) => expect(passes('assigned-secret', secret, left)).toBe(false));

  it.each([
    'cache_key = "',
    'publicKey: "',
    'token_type: "',
    'secretName = "',
    'csrf_token = "',
    'keyboard: "',
  ])('is nothing behind %s', (left) => expect(passes('assigned-secret', drawn(32), left)).toBe(false));
});

describe('a password', () => {
  it.each(['password = "', 'DB_PASS=', '"senha": "', "pwd: '", 'db.password='])(
    'is found behind %s',
    (left) => {
      expect(passes('named-password', `k9${drawn(9)}Z!`, left)).toBe(true);
    },
  );

  it.each([
    ['password = "', 'changeme'],
    ['password = "', 'password1'],
    ['password: ', 'required'],
    ['password = ', 'process.env.PASSWORD'],
    ['password_hint = "', `k9${drawn(9)}Z`],
    ['PASS: ', 'binutils-all/i386/pr21231a'],
    ['compass = "', `k9${drawn(9)}Z`],
    ['hash("password", ', 'rounds=1999'],
  ])('%s%s is none', (left, secret) => expect(passes('named-password', secret, left)).toBe(false));

  it('in an address is not the word, the user or a variable', () => {
    const left = 'postgres://app:';
    expect(passes('url-password', drawn(12), left)).toBe(true);
    for (const secret of ['password', 'app', '$'.concat('{PASS}'), '<password>', '5432', 'YOUR_PASSWORD']) {
      expect(passes('url-password', secret, left)).toBe(false);
    }
  });
});

describe('a checksummed token', () => {
  it('has a known CRC-32', () => expect(crc32('123456789')).toBe(0xcbf43926));

  it('is padded in base 62', () => {
    expect(toBase62(0, 6)).toBe('000000');
    expect(toBase62(61, 2)).toBe('0z');
  });

  it('holds for made tokens and for no other', () => {
    const { github } = secretGenerators;
    for (let round = 0; round < 50; round++) {
      const token = github?.(random, 'ghp') ?? '';
      expect(hasTokenChecksum(token)).toBe(true);
      const last = token.endsWith('a') ? 'b' : 'a';
      expect(hasTokenChecksum(token.slice(0, -1) + last)).toBe(false);
    }
  });

  it('is not asked of tokens that look real, but fillers are refused', () => {
    expect(passes('github-token', `ghp_${drawn(36)}`)).toBe(true);
    expect(passes('github-token', `ghp_${'x'.repeat(36)}`)).toBe(false);
  });
});

describe('tokens in base64', () => {
  const { jwt, basic } = secretGenerators;

  it('are read', () => {
    for (let round = 0; round < 20; round++) {
      expect(passes('jwt', jwt?.(random) ?? '')).toBe(true);
      expect(passes('base64-jwt', btoa(jwt?.(random) ?? ''))).toBe(true);
      expect(passes('base64-credentials', basic?.(random) ?? '')).toBe(true);
    }
  });

  it.each([`eyJ${'a'.repeat(30)}.eyJ${'b'.repeat(30)}`, 'eyJub3QiOiJvbmUifQ.eyJhIjoxfQ.abc'])(
    'are not what only begins like one: %s',
    (text) => expect(passes('jwt', text)).toBe(false),
  );

  it('are decoded as they were written', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)) }),
        (text) => {
          expect(fromBase64(btoa(text))).toBe(text);
        },
      ),
    );
    expect(fromBase64('a b')).toBe(null);
  });
});

it('checks any text without failing', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 160 }),
      fc.string({ unit: 'binary', maxLength: 96 }),
      (secret, left) => {
        for (const check of Object.values(secretChecks)) expect(typeof check(secret, left)).toBe('boolean');
      },
    ),
  );
});

// A check that tried every way through such a text would not end in our time.
it.each(['a'.repeat(160), 'A1'.repeat(80), '_-'.repeat(80), 'token='.repeat(26), '.a'.repeat(80)])(
  'ends on %s',
  (secret) => {
    const answers = Object.values(secretChecks).map((check) => check(secret, secret.slice(0, 96)));
    expect(answers).toHaveLength(Object.keys(secretChecks).length);
  },
);
