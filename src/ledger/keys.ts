// The ledger's own key: made on first use, readable by its owner alone, one derived key for each purpose.

import { createHmac, createSecretKey, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AlreadyExists, writePrivate } from '../config/index.ts';
import { messageOf, SallyportError } from '../core/index.ts';

/** A key file cannot be trusted or made. */
export class KeyError extends SallyportError {}

const keyBytes = 32;

/** The derived keys that the ledger uses. */
export interface LedgerKeys {
  /** A keyed hash, for values that could be guessed from a plain one. */
  mac(purpose: string, text: string): string;
  /** The key that seals what waits for a person. */
  readonly sealing: Uint8Array;
}

/** Reads the key in `folder`, making it first if there is none. */
export function openKeys(folder: string): LedgerKeys {
  const root = readOrMake(join(folder, 'ledger.key'));
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', root, '', `sallyport.ledger.${purpose}.v1`, keyBytes));
  // A key object: a plain buffer would be turned into one at every call.
  const macKey = createSecretKey(derive('mac'));
  return {
    mac: (purpose, text) => createHmac('sha256', macKey).update(`${purpose}\n${text}`).digest('base64url'),
    sealing: derive('sealing'),
  };
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
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'hex');
  return key.length === keyBytes ? key : fail(path, 'it does not hold a key');
}

/** Makes the key; undefined if another process made one first, so that both use the same. */
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
