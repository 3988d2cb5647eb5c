// A user's key is derived from the passphrase itself, so that no private key is stored: the configuration contains the
// public half, and a user with the passphrase signs their answers.

import type { Kdf } from '../core/index.ts';
import {
  type Cost,
  derive,
  hardCost,
  newPassphrase,
  privateKeyFrom,
  type Signer,
  signerWith,
} from './approver.ts';

// Loading it costs more than the rest of the room, and most commands never need it.
function crypto() {
  return process.getBuiltinModule('node:crypto');
}

/** The configuration line for a new passphrase; throws `ApproverError` for one that is too short. */
export async function hashPassphrase(passphrase: string, cost: Cost = hardCost): Promise<string> {
  const salt = crypto().randomBytes(16).toString('base64url');
  const { publicKey } = await keyOf(newPassphrase(passphrase), { ...cost, salt });
  const { N, r, p } = cost;
  return `scrypt:${N}:${r}:${p}:${salt}:${publicKey}`;
}

/** The key of a user, derived from the passphrase; whether it is the right one is known when it signs. */
export async function userSigner(passphrase: string, kdf: Kdf): Promise<Signer> {
  return await keyOf(passphrase.normalize('NFKC'), kdf);
}

async function keyOf(secret: string, kdf: Kdf): Promise<Signer> {
  const seed = await derive(secret, kdf);
  const privateBytes = privateKeyFrom(seed);
  try {
    return signerWith(privateBytes);
  } finally {
    seed.fill(0);
    privateBytes.fill(0);
  }
}
