// The person's key: made, opened, rewrapped, and refused whenever something was changed.

import {
  createCipheriv,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
  scryptSync,
} from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { oneOf } from '../../tests/support/share.ts';
import {
  canonicalJson,
  InputError,
  type JsonObject,
  type JsonValue,
  type Payload,
  parseJson,
  sessionPayload,
} from '../core/index.ts';
import {
  ApproverError,
  changePassphrase,
  createApprover,
  existingFile,
  leastCost,
  loginSigner,
  newKey,
  readApprover,
  readWaitingApprover,
  storeKey,
  unlockApprover,
  unwrapKey,
  useWaitingKey,
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
  parseJson(original) as JsonObject & {
    kdf: { N: number; r: number; p: number; salt: string };
    wrapped: string;
    publicKey: string;
    login: string;
  };

/** The public data of the approver, readable without the passphrase. */
const known = () => {
  const { publicKey, login, createdAt, kdf } = stored();
  const { N, r, p, salt } = kdf;
  return { publicKey, login, createdAt, kdf: { N, r, p, salt } };
};

function store(changed: JsonValue): void {
  writeFileSync(paths(home).approver, JSON.stringify(changed));
}

/** The text with one bit of one of its bytes turned over. */
function flip(encoded: string, at: number): string {
  const bytes = Buffer.from(encoded, 'base64url');
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes.toString('base64url');
}

/** The public half of the key that 32 bytes make. */
function publicOf(seed: Uint8Array): string {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  return createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })).export({
    format: 'jwk',
  }).x!;
}

/** A file of the least cost that is read, made here by the description of its format. */
function cheapFile({ version = 2, claimedKey }: { version?: 1 | 2; claimedKey?: string } = {}) {
  const { privateKey, publicKey: key } = generateKeyPairSync('ed25519');
  const publicKey = key.export({ format: 'jwk' }).x!;
  const salt = randomBytes(16);
  const kdf = { name: 'scrypt', N: 16_384, r: 8, p: 1, salt: salt.toString('base64url') };
  const wrappingKey = scryptSync(passphrase, salt, 32, { N: kdf.N, r: kdf.r, p: kdf.p });
  const login = publicOf(Buffer.from(hkdfSync('sha256', wrappingKey, '', 'sallyport.login.v1', 32)));
  const header = {
    version,
    publicKey: claimedKey ?? publicKey,
    ...(version === 1 ? {} : { login }),
    kdf,
    createdAt: '2026-01-01T00:00:00.000Z',
  };
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', wrappingKey, nonce);
  cipher.setAAD(Buffer.from(canonicalJson(['sallyport.approver.v1', header])));
  const secret = privateKey.export({ format: 'der', type: 'pkcs8' });
  const wrapped = Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
  return { file: { ...header, wrapped: wrapped.toString('base64url') }, publicKey, login };
}

describe('createApprover', () => {
  test('keeps the key for the owner alone, and nothing of the passphrase or the key in it', () => {
    expect(statSync(paths(home).approver).mode & 0o777).toBe(0o600);
    expect(Object.keys(stored()).sort()).toEqual([
      ...['createdAt', 'kdf', 'login', 'publicKey', 'version', 'wrapped'],
    ]);
    expect(stored()['version']).toBe(2);
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
  test('gives the public halves, how the passphrase is stretched and the time, or null', () => {
    expect(readApprover(home)).toEqual(known());
    expect(readApprover(join(home, 'nowhere'))).toBeNull();
  });

  test.each<[string, (file: ReturnType<typeof stored>) => JsonValue]>([
    ['is no object', () => []],
    ['has an unknown key', (file) => ({ ...file, extra: 1 })],
    ['is of another version', (file) => ({ ...file, version: 3 })],
    ['has a key of a later version', (file) => ({ ...file, version: 1 })],
    ['lacks a key of its version', ({ login: _, ...file }) => file],
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

  test('signs nothing without a purpose, and nothing once it has forgotten', async () => {
    const signer = await unlockApprover(home, passphrase);
    for (const wrong of [{ a: 1 }, 'text', [], [1], [''], null]) {
      expect(() => signer.sign(wrong as never)).toThrow(InputError);
    }
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
    const { file, publicKey, login } = cheapFile();
    store(file);
    const signer = await unlockApprover(home, passphrase);
    expect(verifySignature(publicKey, payload, signer.sign(payload))).toBe(true);
    expect((await loginSigner(passphrase, file.kdf)).publicKey).toBe(login);
    // Nothing is written where nothing is to be added.
    expect(existingFile(home)).toEqual(file);
  });

  test('gives a file of an older version the key that signs in', async () => {
    const { file, publicKey } = cheapFile({ version: 1 });
    store(file);
    expect(readApprover(home)).toMatchObject({ publicKey, login: null });
    await expect(unlockApprover(home, 'wrong passphrase')).rejects.toThrow(WrongPassphrase);
    expect(readApprover(home)).toMatchObject({ login: null });
    const signer = await unlockApprover(home, passphrase);
    expect(signer.publicKey).toBe(publicKey);
    const after = readApprover(home);
    expect(after).toMatchObject({ publicKey, createdAt: file.createdAt, kdf: { N: 16_384 } });
    expect((await loginSigner(passphrase, after!.kdf)).publicKey).toBe(after?.login);
    expect((await unlockApprover(home, passphrase)).publicKey).toBe(publicKey);
  });

  test('refuses a file whose public key is of another key, though all is sealed', async () => {
    store(cheapFile({ claimedKey: stored().publicKey }).file);
    await expect(unlockApprover(home, passphrase)).rejects.toThrow(WrongPassphrase);
  });

  test('refuses the file when any byte of it was changed', async () => {
    const { file } = cheapFile();
    const { kdf, wrapped, publicKey, login = '' } = file;
    const step = oneOf(4);
    const bytesOf = (encoded: string) =>
      [...Buffer.from(encoded, 'base64url').keys()].filter((at) => at % step === 0);
    const changed: JsonValue[] = [
      ...bytesOf(wrapped).map((at) => ({ ...file, wrapped: flip(wrapped, at) })),
      ...bytesOf(publicKey).map((at) => ({ ...file, publicKey: flip(publicKey, at) })),
      ...bytesOf(login).map((at) => ({ ...file, login: flip(login, at) })),
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
    expect(changed.length).toBe((76 + 32 + 32 + 16) / step + 3);
    expect(refused).toEqual(changed.map(() => 'refused'));
  });
});

describe('the key that signs in', () => {
  test('comes of the passphrase, is none that approves, and opens nothing', async () => {
    const login = await loginSigner(passphrase, known().kdf);
    expect(login.publicKey).toBe(stored().login);
    expect(login.publicKey).not.toBe(stored().publicKey);
    const signature = login.sign(sessionPayload('challenge'));
    expect(verifySignature(stored().login, sessionPayload('challenge'), signature)).toBe(true);
    expect(verifySignature(stored().publicKey, sessionPayload('challenge'), signature)).toBe(false);
    expect((await loginSigner(`${passphrase}!`, known().kdf)).publicKey).not.toBe(stored().login);
  });

  test('comes of the passphrase in any normal form', async () => {
    const { file } = await newKey('grüße aus köln'.normalize('NFC'), leastCost);
    expect((await loginSigner('grüße aus köln'.normalize('NFD'), file.kdf)).publicKey).toBe(file.login);
  });
});

describe('unwrapKey', () => {
  test('opens a file that came from elsewhere, with the right passphrase', async () => {
    const { file, publicKey } = cheapFile();
    expect((await unwrapKey(parseJson(JSON.stringify(file)), passphrase)).publicKey).toBe(publicKey);
    await expect(unwrapKey(file, 'wrong passphrase')).rejects.toThrow(WrongPassphrase);
    for (const odd of [null, {}, [], { ...file, kdf: { ...file.kdf, N: 2 ** 30 } }]) {
      await expect(unwrapKey(odd, passphrase)).rejects.toThrow(ApproverError);
    }
  });
});

describe('a key that waits', () => {
  test('lies beside the one in use until it is taken into use', async () => {
    const { file, signer } = await newKey('another passphrase', leastCost);
    expect(readWaitingApprover(home)).toBeNull();
    storeKey(home, file, 'waiting');
    expect(statSync(paths(home).approverNext).mode & 0o777).toBe(0o600);
    expect([readApprover(home)?.publicKey, readWaitingApprover(home)?.publicKey]).toEqual([
      stored().publicKey,
      signer.publicKey,
    ]);
    useWaitingKey(home);
    expect([readApprover(home)?.publicKey, readWaitingApprover(home)]).toEqual([signer.publicKey, null]);
    expect((await unlockApprover(home, 'another passphrase')).publicKey).toBe(signer.publicKey);
  });

  test('is over once another is in use', async () => {
    const [waiting, next] = [await newKey('a passphrase', leastCost), await newKey('another one', leastCost)];
    storeKey(home, waiting.file, 'waiting');
    storeKey(home, next.file, 'in use');
    expect([readApprover(home)?.publicKey, readWaitingApprover(home)]).toEqual([next.signer.publicKey, null]);
  });
});

describe('verifySignature', () => {
  test('says no to anything malformed', async () => {
    const signer = await unlockApprover(home, passphrase);
    const signature = signer.sign(payload);
    const { publicKey } = signer;
    const no: [string, unknown, string][] = [
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
      [publicKey, { 0: 'sallyport.test.v1' }, signature],
      [publicKey, [], signature],
      [publicKey, ['\ud800'], signature],
    ];
    for (const [key, value, signed] of no) expect(verifySignature(key, value as never, signed)).toBe(false);
  });
});

describe('changePassphrase', () => {
  test('keeps the key, and lets only the new passphrase open it', async () => {
    const before = await unlockApprover(home, passphrase);
    await changePassphrase(home, passphrase, 'another passphrase');
    const { publicKey, createdAt, login } = known();
    expect(readApprover(home)).toMatchObject({ publicKey, createdAt });
    expect(readApprover(home)?.login).not.toBe(login);
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
