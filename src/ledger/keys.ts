// The ledger's own key: made on first use, readable by its owner alone, one derived key for each purpose.

import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { SallyportError } from '../core/index.ts';

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
  const macKey = derive('mac');
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
    return fail(path, error instanceof Error ? error.message : String(error));
  }
}

function readKey(path: string): Buffer | undefined {
  let text: string;
  try {
    if ((statSync(path).mode & 0o077) !== 0) fail(path, 'other users may read it; run chmod 600 on it');
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  const key = Buffer.from(text.trim(), 'hex');
  return key.length === keyBytes ? key : fail(path, 'it does not hold a key');
}

/** Makes the key; undefined if another process made one first, so that both use the same. */
function makeKey(path: string): Buffer | undefined {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const key = randomBytes(keyBytes);
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  const descriptor = openSync(draft, 'wx', 0o600);
  try {
    writeSync(descriptor, `${key.toString('hex')}\n`);
    fsyncSync(descriptor);
    linkSync(draft, path);
    return key;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return undefined;
    throw error;
  } finally {
    closeSync(descriptor);
    unlinkSync(draft);
  }
}

function fail(path: string, why: string): never {
  throw new KeyError(`the key file ${path} cannot be used: ${why}`);
}
