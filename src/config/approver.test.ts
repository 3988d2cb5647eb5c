// The person's key: made, opened, rewrapped, and refused whenever something was changed.

import { createCipheriv, generateKeyPairSync, randomBytes, scryptSync } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { oneOf } from '../../tests/support/share.ts';
import { canonicalJson, type JsonObject, type JsonValue, type Payload, parseJson } from '../core/index.ts';
import {
  ApproverError,
  changePassphrase,
  createApprover,
  readApprover,
  unlockApprover,
  WrongPassphrase,
} from './approver.ts';
import { paths } from './home.ts';
import { verifySignature } from './signature.ts';

const passphrase = 'correct horse battery';
const payload: Payload = ['sallyport.test.v1', { b: 1, a: 'x' }];

let home: string;
let original: string;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'sallyport-approver-'));
  await createApprover(home, passphrase);
  original = readFileSync(paths(home).approver, 'utf8');
});

beforeEach(() => {
  writeFileSync(paths(home).approver, original);
});

afterAll(() => {
  rmSync(home, { recursive: true, force: true });
});

const stored = () =>
  parseJson(original) as JsonObject & { kdf: JsonObject; wrapped: string; publicKey: string };

function store(changed: JsonValue): void {
  writeFileSync(paths(home).approver, JSON.stringify(changed));
}

/** The text with one bit of one of its bytes turned over. */
function flip(encoded: string, at: number): string {
  const bytes = Buffer.from(encoded, 'base64url');
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes.toString('base64url');
}

/** A file of the least cost that is read, made here by the description of its format. */
function cheapFile(claimedKey?: string) {
  const { privateKey, publicKey: key } = generateKeyPairSync('ed25519');
  const publicKey = key.export({ format: 'jwk' }).x!;
  const salt = randomBytes(16);
  const kdf = { name: 'scrypt', N: 16_384, r: 8, p: 1, salt: salt.toString('base64url') };
  const header = {
    version: 1,
    publicKey: claimedKey ?? publicKey,
    kdf,
    createdAt: '2026-01-01T00:00:00.000Z',
  };
  const nonce = randomBytes(12);
  const wrappingKey = scryptSync(passphrase, salt, 32, { N: kdf.N, r: kdf.r, p: kdf.p });
  const cipher = createCipheriv('aes-256-gcm', wrappingKey, nonce);
  cipher.setAAD(Buffer.from(canonicalJson(['sallyport.approver.v1', header])));
  const secret = privateKey.export({ format: 'der', type: 'pkcs8' });
  const wrapped = Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
  return { file: { ...header, wrapped: wrapped.toString('base64url') }, publicKey };
}

describe('createApprover', () => {
  test('keeps the key for the owner alone, and nothing of the passphrase or the key in it', () => {
    expect(statSync(paths(home).approver).mode & 0o777).toBe(0o600);
    expect(Object.keys(stored()).sort()).toEqual([
      ...['createdAt', 'kdf', 'login', 'publicKey', 'version', 'wrapped'],
    ]);
    expect(stored().kdf).toMatchObject({ name: 'scrypt', N: 65_536, r: 8, p: 1 });
    expect(original).not.toContain(passphrase);
  });

  test('refuses if there is one already', async () => {
    await expect(createApprover(home, passphrase)).rejects.toThrow(ApproverError);
    await expect(createApprover(home, passphrase)).rejects.toThrow('already');
    expect(readFileSync(paths(home).approver, 'utf8')).toBe(original);
  });

  test('lets only one of two at once win', async () => {
    const other = mkdtempSync(join(tmpdir(), 'sallyport-approver-'));
    const outcomes = await Promise.allSettled([
      createApprover(other, 'first passphrase'),
      createApprover(other, 'second passphrase'),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const won = outcomes.find((outcome) => outcome.status === 'fulfilled');
    expect(readApprover(other)).toEqual(won?.value);
    rmSync(other, { recursive: true });
  });

  test.each([
    ['short', 'seven77'],
    ['short after normalising', 'é'.normalize('NFD').repeat(4)],
    ['long', 'x'.repeat(1025)],
    ['not well-formed', 'abcdefgh\ud800'],
  ])('refuses a passphrase that is %s', async (_, wrong) => {
    const other = mkdtempSync(join(tmpdir(), 'sallyport-approver-'));
    await expect(createApprover(other, wrong)).rejects.toThrow(ApproverError);
    expect(existsSync(paths(other).approver)).toBe(false);
    rmSync(other, { recursive: true });
  });
});

describe('readApprover', () => {
  test('gives the public key and the time, or null', () => {
    expect(readApprover(home)).toMatchObject({
      publicKey: stored().publicKey,
      createdAt: stored()['createdAt'],
      login: stored()['login'],
    });
    expect(readApprover(join(home, 'nowhere'))).toBeNull();
  });

  test.each<[string, (file: ReturnType<typeof stored>) => JsonValue]>([
    ['is no object', () => []],
    ['has an unknown key', (file) => ({ ...file, extra: 1 })],
    ['is of another version', (file) => ({ ...file, version: 3 })],
    ['is of the first version with a login key', (file) => ({ ...file, version: 1 })],
    ['asks for too much work', (file) => ({ ...file, kdf: { ...file.kdf, N: 2 ** 30 } })],
    ['asks for too little work', (file) => ({ ...file, kdf: { ...file.kdf, N: 2 } })],
    ['asks for work that is no power of two', (file) => ({ ...file, kdf: { ...file.kdf, N: 65_537 } })],
    ['asks for large blocks', (file) => ({ ...file, kdf: { ...file.kdf, r: 1024 } })],
    ['asks for many rounds', (file) => ({ ...file, kdf: { ...file.kdf, p: 1000 } })],
    ['names another function', (file) => ({ ...file, kdf: { ...file.kdf, name: 'pbkdf2' } })],
    ['has a short salt', (file) => ({ ...file, kdf: { ...file.kdf, salt: 'AAAA' } })],
    ['has padding', (file) => ({ ...file, publicKey: `${file.publicKey.slice(0, -1)}=` })],
    ['has stray bits', (file) => ({ ...file, publicKey: `${file.publicKey.slice(0, -1)}_` })],
    ['has a cut key', (file) => ({ ...file, wrapped: file.wrapped.slice(1) })],
  ])('refuses a file that %s', (_, change) => {
    store(change(stored()));
    expect(() => readApprover(home)).toThrow(ApproverError);
  });

  test('refuses a file that is no JSON', () => {
    writeFileSync(paths(home).approver, '{');
    expect(() => readApprover(home)).toThrow('approver.json cannot be used');
  });
});

describe('unlockApprover', () => {
  test('gives a signer whose signatures hold for exactly what was signed', async () => {
    const signer = await unlockApprover(home, passphrase);
    const signature = signer.sign(payload);
    expect(signer.publicKey).toBe(stored().publicKey);
    expect(verifySignature(signer.publicKey, payload, signature)).toBe(true);
    expect(verifySignature(signer.publicKey, ['sallyport.test.v1', { a: 'x', b: 1 }], signature)).toBe(true);
    expect(verifySignature(signer.publicKey, ['sallyport.test.v2', { b: 1, a: 'x' }], signature)).toBe(false);
    expect(verifySignature(signer.publicKey, ['sallyport.test.v1', { b: 2, a: 'x' }], signature)).toBe(false);
  });

  test('signs nothing once it has forgotten', async () => {
    const signer = await unlockApprover(home, passphrase);
    signer.forget();
    expect(() => signer.sign(payload)).toThrow('closed');
  });

  test('takes the passphrase in any normal form', async () => {
    const other = mkdtempSync(join(tmpdir(), 'sallyport-approver-'));
    await createApprover(other, 'grüße aus köln'.normalize('NFC'));
    const signer = await unlockApprover(other, 'grüße aus köln'.normalize('NFD'));
    expect(signer.publicKey).toBe(readApprover(other)?.publicKey);
    rmSync(other, { recursive: true });
  });

  test('refuses a wrong passphrase, and a home without an approver', async () => {
    await expect(unlockApprover(home, `${passphrase}!`)).rejects.toThrow(WrongPassphrase);
    await expect(unlockApprover(home, '')).rejects.toThrow(WrongPassphrase);
    await expect(unlockApprover(join(home, 'nowhere'), passphrase)).rejects.toThrow('no approver key');
  });

  test('opens a file that was written by the description of its format', async () => {
    const { file, publicKey } = cheapFile();
    store(file);
    const signer = await unlockApprover(home, passphrase);
    expect(verifySignature(publicKey, payload, signer.sign(payload))).toBe(true);
  });

  test('refuses a file whose public key is of another key, though all is sealed', async () => {
    store(cheapFile(stored().publicKey).file);
    await expect(unlockApprover(home, passphrase)).rejects.toThrow(WrongPassphrase);
  });

  test('refuses the file when any byte of it was changed', async () => {
    const { file } = cheapFile();
    const { kdf, wrapped, publicKey } = file;
    const step = oneOf(4);
    const bytesOf = (encoded: string) =>
      [...Buffer.from(encoded, 'base64url').keys()].filter((at) => at % step === 0);
    const changed: JsonValue[] = [
      ...bytesOf(wrapped).map((at) => ({ ...file, wrapped: flip(wrapped, at) })),
      ...bytesOf(publicKey).map((at) => ({ ...file, publicKey: flip(publicKey, at) })),
      ...bytesOf(kdf.salt).map((at) => ({ ...file, kdf: { ...kdf, salt: flip(kdf.salt, at) } })),
      { ...file, createdAt: '2020-01-01T00:00:00.000Z' },
      { ...file, kdf: { ...kdf, N: 32_768 } },
      { ...file, kdf: { ...kdf, p: 2 } },
    ];
    // The file is read before the first wait, so they can all run at once.
    const refused = await Promise.all(
      changed.map((content) => {
        store(content);
        return unlockApprover(home, passphrase).then(
          () => 'opened',
          (error: unknown) => (error instanceof WrongPassphrase ? 'refused' : error),
        );
      }),
    );
    expect(changed.length).toBe((76 + 32 + 16) / step + 3);
    expect(refused).toEqual(changed.map(() => 'refused'));
  });
});

describe('verifyByApprover', () => {
  test('says no to anything malformed', async () => {
    const signer = await unlockApprover(home, passphrase);
    const signature = signer.sign(payload);
    const { publicKey } = signer;
    const no: [string, Payload, string][] = [
      [publicKey, payload, ''],
      [publicKey, payload, `${signature}=`],
      [publicKey, payload, ` ${signature}`],
      [publicKey, payload, signature.slice(1)],
      [publicKey, payload, Buffer.from(signature, 'base64url').toString('hex')],
      [publicKey, payload, flip(signature, 0)],
      [publicKey, payload, flip(signature, 63)],
      [flip(publicKey, 0), payload, signature],
      ['', payload, signature],
      ['AAAA', payload, signature],
      [publicKey, ['sallyport.test.v1'], signature],
      [publicKey, ['\ud800'], signature],
    ];
    for (const [key, value, signed] of no) expect(verifySignature(key, value, signed)).toBe(false);
  });
});

describe('changePassphrase', () => {
  test('keeps the key, and lets only the new passphrase open it', async () => {
    const before = await unlockApprover(home, passphrase);
    await changePassphrase(home, passphrase, 'another passphrase');
    expect(readApprover(home)).toMatchObject({
      publicKey: stored().publicKey,
      createdAt: stored()['createdAt'],
    });
    expect(readApprover(home)?.login).not.toBe(stored()['login']);
    await expect(unlockApprover(home, passphrase)).rejects.toThrow(WrongPassphrase);
    const after = await unlockApprover(home, 'another passphrase');
    expect(verifySignature(before.publicKey, payload, after.sign(payload))).toBe(true);
    expect(readFileSync(paths(home).approver, 'utf8')).not.toContain(stored().wrapped);
  });

  test('refuses a wrong old one and a weak new one, and changes nothing', async () => {
    await expect(changePassphrase(home, 'wrong passphrase', 'another passphrase')).rejects.toThrow(
      WrongPassphrase,
    );
    await expect(changePassphrase(home, passphrase, 'short')).rejects.toThrow(ApproverError);
    expect(readFileSync(paths(home).approver, 'utf8')).toBe(original);
  });
});
