// The recovery code: a second key that is printed once and stored nowhere. It signs a reset, and nothing else.

import { privateKeyFrom, type Signer, signerWith, WrongPassphrase } from './approver.ts';

/** Digits and letters that are not easily confused (Crockford's base 32). */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const bits = 5;
const codeBytes = 20;

// Loading it costs more than the rest of this layer, and most commands never need it.
function crypto() {
  return process.getBuiltinModule('node:crypto');
}

/** A new code, in groups of four characters. */
export function newRecoveryCode(): string {
  const bytes = crypto().randomBytes(codeBytes);
  const digits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const characters = digits.match(/.{5}/g)?.map((group) => alphabet[Number.parseInt(group, 2)]) ?? [];
  return characters.join('').replace(/.{4}(?=.)/g, '$&-');
}

/** The key of a code, however it is typed; throws `WrongPassphrase` for text that is no code. */
export function recoveryKey(code: string): Signer {
  const typed = code.toLowerCase().replace(/[\s-]/g, '').replaceAll('o', '0').replace(/[il]/g, '1');
  const values = [...typed].map((character) => alphabet.indexOf(character));
  if (values.length !== (codeBytes * 8) / bits || values.includes(-1)) {
    throw new WrongPassphrase('this is no recovery code: it has 32 letters and digits');
  }
  const digits = values.map((value) => value.toString(2).padStart(bits, '0')).join('');
  const bytes = Buffer.from((digits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const seed = Buffer.from(crypto().hkdfSync('sha256', bytes, '', 'sallyport.recovery.v1', 32));
  const privateBytes = privateKeyFrom(seed);
  try {
    return signerWith(privateBytes);
  } finally {
    bytes.fill(0);
    seed.fill(0);
    privateBytes.fill(0);
  }
}
