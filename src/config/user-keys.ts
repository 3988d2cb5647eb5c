// A user's key comes of the passphrase itself, so that nothing is kept that opens it: the configuration holds the
// public half, and whoever knows the passphrase signs what they answer.

import {
  type Cost,
  derive,
  hardCost,
  newPassphrase,
  privateKeyFrom,
  type Signer,
  signerWith,
  WrongPassphrase,
} from './approver.ts';
import type { KeptPassphrase, User } from './users.ts';

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

/**
 * Opens a user's key; throws `WrongPassphrase`. A name that nobody has takes as long as one that somebody has.
 * INVARIANT: keys are compared in constant time.
 */
export async function unlockUser(user: User | undefined, passphrase: string): Promise<Signer> {
  const kept = user?.passphrase ?? nobody;
  const signer = await keyOf(passphrase.normalize('NFKC'), kept);
  const bytes = (key: string) => Buffer.from(key, 'base64url');
  const fits = crypto().timingSafeEqual(bytes(signer.publicKey), bytes(kept.publicKey));
  if (fits && user !== undefined) return signer;
  signer.forget();
  throw new WrongPassphrase('the name or the passphrase is wrong');
}

const nobody: KeptPassphrase = { ...hardCost, salt: 'A'.repeat(22), publicKey: 'A'.repeat(43) };

async function keyOf(secret: string, kdf: Omit<KeptPassphrase, 'publicKey'>): Promise<Signer> {
  const seed = await derive(secret, kdf);
  const privateBytes = privateKeyFrom(seed);
  try {
    return signerWith(privateBytes);
  } finally {
    seed.fill(0);
    privateBytes.fill(0);
  }
}
