// The ledger's keys: stored in the store and shared by all daemons on it, wrapped by a key that only the operator has.

import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPrivateKey,
  createSecretKey,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { constants, deflate, inflateSync } from 'node:zlib';
import { AlreadyExists, writePrivate } from '../config/index.ts';
import {
  canonicalJson,
  type JsonObject,
  type JsonValue,
  messageOf,
  parseJson,
  SallyportError,
} from '../core/index.ts';
import { type Row, type Sql, type Store, StoreDamaged } from './store.ts';

// ── Sealing: data that waits for approval is stored encrypted, bound to its row.

const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts a value for the row `id`. */
export function seal(key: Uint8Array, id: string, value: unknown): Uint8Array {
  return sealBytes(key, id, Buffer.from(canonicalJson(value)));
}

/** From this many bytes on, a value is compressed first: the store needs time for each byte. */
const longest = 65_536;
/** The first byte of a compressed value; JSON text never begins with it. */
const compressed = 0x78;
const compress = promisify(deflate);

/** The same for a value that may be long, which is compressed on a system thread. */
export async function sealLong(key: Uint8Array, id: string, value: unknown): Promise<Uint8Array> {
  const bytes = Buffer.from(canonicalJson(value));
  if (bytes.length < longest) return sealBytes(key, id, bytes);
  return sealBytes(key, id, await compress(bytes, { level: constants.Z_BEST_SPEED }));
}

/** Decrypts a value that `seal` or `sealLong` encrypted for the same row. */
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

/** Decrypts bytes that `sealBytes` encrypted for the same row. */
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

// ── the keys

/** The keys whose signatures on heads are valid, and until when. */
export interface VerifyingKey {
  readonly publicKey: string;
  /** The last time at which the key may have signed; null while it is in use. */
  readonly signsUntil: number | null;
}

/** A key file cannot be trusted or created. */
export class KeyError extends SallyportError {}

const keyBytes = 32;

/** A key that signs heads. */
interface SigningKey {
  readonly id: string;
  readonly privateKey: KeyObject;
}

/** How long after its retirement a key may still have signed: daemons learn of a rotation with a delay. */
const rotationGraceMs = 5 * 60 * 1000;

/** The keys of a store: created once, stored in it, wrapped by the operator's key that is not in it. */
export class LedgerKeys {
  /** The identity of the store, wherever it is located: the id of a key that was created with it. */
  readonly storeId: string;
  /** Whether the keys, and so the store, were created just now. */
  readonly isNew: boolean;
  readonly #store: Store;
  readonly #wrapping: Uint8Array;
  #mac: KeyObject;
  #sealing: Uint8Array;

  private constructor(
    store: Store,
    wrapping: Uint8Array,
    { storeId, mac, sealing }: Secrets,
    isNew: boolean,
  ) {
    this.storeId = storeId;
    this.isNew = isNew;
    this.#store = store;
    this.#wrapping = wrapping;
    // A key object: a plain buffer would be converted to one at every call.
    this.#mac = createSecretKey(mac);
    this.#sealing = sealing;
  }

  /**
   * Opens the store's keys; throws `KeyError` if the operator's key is wrong. If there are none yet, the store is new:
   * they are created, unless it must not be new.
   */
  static async open(
    store: Store,
    operatorKey: Uint8Array,
    now: number,
    refuseNew: Error | null = null,
  ): Promise<LedgerKeys> {
    const wrapping = Buffer.from(
      hkdfSync('sha256', operatorKey, '', 'sallyport.store.wrapping.v1', keyBytes),
    );
    const known = await store.read((sql) => readSecrets(sql, wrapping));
    if (known !== undefined) return new LedgerKeys(store, wrapping, known, false);
    if (refuseNew !== null) throw refuseNew;
    return await store.write(async (sql) => {
      await lockKeys(store, sql);
      // Another daemon may have created them while this one waited for the lock.
      const made = await readSecrets(sql, wrapping);
      if (made !== undefined) return new LedgerKeys(store, wrapping, made, false);
      const [mac, sealing] = [randomBytes(keyBytes), randomBytes(keyBytes)];
      const storeId = await addKey(sql, wrapping, 'mac', mac, null, now);
      await addKey(sql, wrapping, 'sealing', sealing, null, now);
      const keys = new LedgerKeys(store, wrapping, { storeId, mac, sealing }, true);
      await keys.#addSigningKey(sql, now);
      return keys;
    });
  }

  /** A keyed hash, for values that could be guessed from a plain one. */
  mac(purpose: string, text: string): string {
    return createHmac('sha256', this.#mac).update(`${purpose}\n${text}`).digest('base64url');
  }

  /** The key that seals data waiting for approval. */
  get sealing(): Uint8Array {
    return this.#sealing;
  }

  /** The current key for signing heads. */
  async signing(): Promise<SigningKey> {
    const [row] = await this.#store.read((sql) =>
      sql.all("SELECT id, wrapped FROM keys WHERE purpose = 'signing' AND retired_at IS NULL"),
    );
    if (row === undefined) throw new KeyError('the store has no signing key');
    const der = Buffer.from(unwrap(this.#wrapping, row, 'signing'));
    return {
      id: String(row['id']),
      privateKey: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }),
    };
  }

  /** All public keys, current and past, by their ids: old heads stay verifiable. */
  async verifying(): Promise<ReadonlyMap<string, VerifyingKey>> {
    const rows = await this.#store.read((sql) =>
      sql.all("SELECT id, public_key, retired_at FROM keys WHERE purpose = 'signing'"),
    );
    return new Map(
      rows.map(({ id, public_key: publicKey, retired_at: retiredAt }) => [
        String(id),
        {
          publicKey: String(publicKey),
          signsUntil: typeof retiredAt === 'number' ? retiredAt + rotationGraceMs : null,
        },
      ]),
    );
  }

  /** Retires the signing key and creates a new one, in the caller's transaction; returns the new key's id. */
  async rotate(sql: Sql, now: number): Promise<string> {
    await lockKeys(this.#store, sql);
    await sql.run("UPDATE keys SET retired_at = ? WHERE purpose = 'signing' AND retired_at IS NULL", now);
    return await this.#addSigningKey(sql, now);
  }

  async #addSigningKey(sql: Sql, now: number): Promise<string> {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const der = privateKey.export({ format: 'der', type: 'pkcs8' });
    const { x = '' } = publicKey.export({ format: 'jwk' });
    return await addKey(sql, this.#wrapping, 'signing', der, x, now);
  }
}

/** Lets one daemon at a time change keys; the embedded engine has a single writer anyway. */
async function lockKeys(store: Store, sql: Sql): Promise<void> {
  if (store.engine === 'postgres') await sql.run('LOCK TABLE keys IN EXCLUSIVE MODE');
}

interface Secrets {
  readonly storeId: string;
  readonly mac: Uint8Array;
  readonly sealing: Uint8Array;
}

async function readSecrets(sql: Sql, wrapping: Uint8Array): Promise<Secrets | undefined> {
  const rows = await sql.all("SELECT id, purpose, wrapped FROM keys WHERE purpose IN ('mac', 'sealing')");
  const [mac, sealing] = ['mac', 'sealing'].map((purpose) => rows.find((row) => row['purpose'] === purpose));
  if (mac === undefined || sealing === undefined) return undefined;
  return {
    storeId: String(mac['id']),
    mac: unwrap(wrapping, mac, 'mac'),
    sealing: unwrap(wrapping, sealing, 'sealing'),
  };
}

async function addKey(
  sql: Sql,
  wrapping: Uint8Array,
  purpose: string,
  secret: Uint8Array,
  publicKey: string | null,
  now: number,
): Promise<string> {
  const id = randomBytes(8).toString('hex');
  const wrapped = Buffer.from(
    seal(wrapping, `${purpose} ${id}`, Buffer.from(secret).toString('base64')),
  ).toString('base64');
  await sql.run(
    'INSERT INTO keys (id, purpose, created_at, public_key, wrapped) VALUES (?, ?, ?, ?, ?)',
    ...[id, purpose, now, publicKey, wrapped],
  );
  return id;
}

function unwrap(wrapping: Uint8Array, row: Row, purpose: string): Uint8Array {
  try {
    const sealed = Buffer.from(String(row['wrapped']), 'base64');
    return Buffer.from(String(unseal(wrapping, `${purpose} ${row['id']}`, sealed)), 'base64');
  } catch (error) {
    throw new KeyError("the operator's key does not open the keys of this store", {
      hint: 'it was made with another key: ledger.key in the home, or store_key in the configuration',
      cause: error,
    });
  }
}

/** The operator's key in a folder, created on first use. */
export function operatorKeyIn(folder: string): Uint8Array {
  return readOrMake(join(folder, 'ledger.key'));
}

/** The operator's key from configuration: 64 hexadecimal digits. */
export function operatorKeyFrom(text: string): Uint8Array {
  if (!/^[0-9a-f]{64}$/i.test(text)) {
    throw new KeyError('the store key must have 64 hexadecimal digits', {
      hint: 'make one: openssl rand -hex 32',
    });
  }
  return Buffer.from(text, 'hex');
}

/** The name of this home's chain, created on first use. */
export function chainIn(folder: string): string {
  return readOrMake(join(folder, 'chain.id')).toString('hex').slice(0, 16);
}

/** The name of this home's chain; null if it has none yet. */
export function chainIfAny(folder: string): string | null {
  return existsSync(join(folder, 'chain.id')) ? chainIn(folder) : null;
}

function readOrMake(path: string): Buffer {
  try {
    return readKey(path) ?? makeKey(path) ?? readKey(path) ?? fail(path, 'it vanished while it was read');
  } catch (error) {
    if (error instanceof SallyportError) throw error;
    return fail(path, messageOf(error));
  }
}

function readKey(path: string): Buffer | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if ((found.mode & 0o077) !== 0) fail(path, 'other users may read it; run chmod 600 on it');
  const text = readFileSync(path, 'utf8');
  return /^[0-9a-f]{64}\n?$/.test(text)
    ? Buffer.from(text, 'hex')
    : fail(path, 'it must hold one line of 64 hexadecimal digits; restore it from a copy');
}

/** Creates the key; undefined if another process created one first, so that both use the same. */
function makeKey(path: string): Buffer | undefined {
  if (!existsSync(dirname(path))) mkdirSync(dirname(path), { mode: 0o700 });
  const key = randomBytes(keyBytes);
  try {
    writePrivate(path, `${key.toString('hex')}\n`, { exclusive: true });
    return key;
  } catch (error) {
    if (error instanceof AlreadyExists) return undefined;
    throw error;
  }
}

function fail(path: string, why: string): never {
  throw new KeyError(`the key file ${path} cannot be used: ${why}`);
}
