// Proof that a caller holds the person's key: a terminal opens it itself, so its call is no guess at the passphrase.

import { integer, object, text } from '../core/shape.ts';
import { readApprover, type Signer, verifyByApprover } from './approver.ts';

/** What is signed to prove that the key is open. */
const purpose = 'sallyport.holds-key.v1';
const lifeMs = 60_000;

export const keyProofShape = object({
  at: integer(0, Number.MAX_SAFE_INTEGER),
  signature: text({ min: 1, max: 200 }),
});

/** When the key was open, signed with it. */
export interface KeyProof {
  readonly at: number;
  readonly signature: string;
}

/** Proves that the key is open now. */
export function proveKey(signer: Pick<Signer, 'sign'>, now: number): KeyProof {
  return { at: now, signature: signer.sign([purpose, now]) };
}

/** Whether the proof is of the key of this home, and fresh. */
export function holdsKey(home: string, { at, signature }: KeyProof, now: number): boolean {
  if (Math.abs(now - at) > lifeMs) return false;
  const publicKey = readApprover(home)?.publicKey;
  return publicKey !== undefined && verifyByApprover(publicKey, [purpose, at], signature);
}
