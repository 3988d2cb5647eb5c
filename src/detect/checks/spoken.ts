// Validators of secrets that a sentence tells, or that stand behind their name without a sign between.

import type { Check } from './check.ts';
import {
  hexadecimal,
  isRandom,
  isReference,
  isSpokenSecret,
  isStrongPassword,
  standIn,
  surpriseOf,
  uuid,
} from './secrets.ts';

/** Told in a sentence: a password that somebody chose, or a value made by chance; no word, no reference, no digest. */
const isSpokenPassword: Check = (secret, left) => {
  if (/[(){}[\]\\]|\/\//.test(secret) || /^https?:|^[\w.+-]+@[\w-]+\.\w|^-+|^\d+[a-z]+$/i.test(secret))
    return false;
  if (!/\d/.test(secret) || !/[A-Za-z]/.test(secret) || isReference(secret) || standIn.test(secret))
    return false;
  if (isDigest(secret, left)) return false;
  if (/^[A-Za-z]+(?:[-_./][A-Za-z]+)*[-_]?\d{0,4}$/.test(secret) && surpriseOf(secret) < 5) return false;
  return isStrongPassword(secret, left) || isRandom(secret, left);
};

/** A digest or an id, by the word before it. */
function isDigest(secret: string, left: string): boolean {
  if (!hexadecimal.test(secret) && !uuid.test(secret)) return false;
  return /(?:sha\d*|md5|hash|digest|checksum|commit|revision|fingerprint|public|cache|partition|idempotency)\b[^\n]{0,40}$/i.test(
    left,
  );
}

/** Behind the word alone: made by chance, and neither public nor a digest. */
const isNamedWithoutSign: Check = (secret, left) => {
  if (!isSpokenSecret(secret, left) || isDigest(secret, left)) return false;
  if (
    /(?:public|ssh|pub|cache|foreign|primary|partition|host|map|sort|gpg|pgp)[ _-](?:key|token)\W*$/i.test(
      left,
    )
  )
    return false;
  return !hexadecimal.test(secret) || /(?:secret|token|api[ _-]?key)\W*$/i.test(left);
};

export const spokenChecks: Readonly<Record<string, Check>> = {
  'spoken-password': isSpokenPassword,
  'named-without-sign': isNamedWithoutSign,
};
