// A user's key comes of the passphrase itself, so that nothing is kept that opens it: the configuration holds the
// public half, and whoever knows the passphrase signs what they answer.

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

/** The line that the configuration keeps of a new passphrase; throws `ApproverError` for one that is too short. */
export async function hashPassphrase(passphrase: string, cost: Cost = hardCost): Promise<string> {
  const salt = crypto().randomBytes(16).toString('base64url');
  const { publicKey } = await keyOf(newPassphrase(passphrase), { ...cost, salt });
  const { N, r, p } = cost;
  return `scrypt:${N}:${r}:${p}:${salt}:${publicKey}`;
}

/** The key of a user, as it comes of the passphrase; whether it is the right one shows when it signs. */
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
