// Checks of payment cards, bank accounts and addresses of digital money.

import type { Check } from './check.ts';
import { folded, isAlone, isFraction } from './context.ts';
import { digitsOf, isUniform, lettersOf, luhn, modulo97 } from './digits.ts';
import { keccak256 } from './keccak.ts';
import { sha256 } from './sha256.ts';

/** First digits of cards and how long the numbers are: the networks' published ranges, and Elo and Hipercard of Brazil. */
const issuers: readonly (readonly [RegExp, readonly number[]])[] = [
  [/^4/, [13, 16, 19]],
  [/^5[1-5]/, [16]],
  [/^2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)/, [16]],
  [/^3[47]/, [15]],
  [/^3(?:0[0-5]|095|[68]|9)/, [14, 16]],
  [/^35(?:2[89]|[3-8])/, [16]],
  [/^6(?:011|4[4-9]|5)/, [16, 19]],
  [/^62/, [16, 17, 18, 19]],
  [/^(?:5018|5020|5038|5893|6304|6759|676[1-3])/, [16]],
  [/^(?:504175|506[67]|509|6277|636[23]|6062|3841|508[5-9]|220[0-4])/, [16]],
];

/** Numbers that payment services document for tests; nobody has them. */
const testCards: ReadonlySet<string> = new Set([
  ...['4242424242424242', '4000056655665556', '4000002500003155', '4000000000000002', '4000000000009995'],
  ...['4012888888881881', '4222222222222', '5555555555554444', '2223003122003222', '5200828282828210'],
  ...['5105105105105100', '378282246310005', '371449635398431', '378734493671000', '6011111111111117'],
  ...['6011000990139424', '3056930009020004', '30569309025904', '38520000023237', '36227206271667'],
  ...['3566002020360505', '3530111333300000', '6200000000000005', '6759649826438453'],
]);

/** A known issuer, its length, and Luhn; no number for tests. */
function isCard(secret: string): boolean {
  const digits = digitsOf(secret);
  return (
    luhn(digits) === 0 &&
    !isUniform(digits) &&
    !testCards.has(digits) &&
    issuers.some(([first, lengths]) => first.test(digits) && lengths.includes(digits.length))
  );
}

const cardWords =
  /\b(?:cards?|cc|pan|cartao|cartoes|visa|mastercard|master|amex|american express|elo|hipercard|diners|discover|maestro|jcb|credito|debito|credit|debit|tarjeta|carte|karte|kreditkarte|carta|payment|pagamento|cvv|number|numero)\b/;

/** Whether the groups are near each other, as neighbours in a list of codes are. */
function areNeighbours(groups: readonly number[]): boolean {
  return groups.length > 2 && Math.max(...groups) - Math.min(...groups) < 100;
}

/**
 * A card without words around it. Lengths at which ids, barcodes and times are common need a word, and so do groups
 * that stand among other groups of digits.
 */
function isPlainCard(secret: string, left: string): boolean {
  if (!isCard(secret) || isFraction(left)) return false;
  const groups = secret.split(/\D/);
  if (areNeighbours(groups.map(Number))) return false;
  if (isAlone(left)) return true;
  const { length } = digitsOf(secret);
  const isDoubtful = groups.length > 1 ? /[0-9A-F]{2}[ \n-]$/.test(left) : length !== 15 && length !== 16;
  return !isDoubtful || cardWords.test(folded(left.slice(-48)));
}

/** Length of an account number by country (the registry of ISO 13616). */
export const ibanLengths: Readonly<Record<string, number>> = {
  ...{
    AD: 24,
    AE: 23,
    AL: 28,
    AT: 20,
    AZ: 28,
    BA: 20,
    BE: 16,
    BG: 22,
    BH: 22,
    BI: 27,
    BR: 29,
    BY: 28,
    CH: 21,
  },
  ...{
    CR: 22,
    CY: 28,
    CZ: 24,
    DE: 22,
    DJ: 27,
    DK: 18,
    DO: 28,
    EE: 20,
    EG: 29,
    ES: 24,
    FI: 18,
    FK: 18,
    FO: 18,
  },
  ...{
    FR: 27,
    GB: 22,
    GE: 22,
    GI: 23,
    GL: 18,
    GR: 27,
    GT: 28,
    HN: 28,
    HR: 21,
    HU: 28,
    IE: 22,
    IL: 23,
    IQ: 23,
  },
  ...{
    IS: 26,
    IT: 27,
    JO: 30,
    KW: 30,
    KZ: 20,
    LB: 28,
    LC: 32,
    LI: 21,
    LT: 20,
    LU: 20,
    LV: 21,
    LY: 25,
    MC: 27,
  },
  ...{
    MD: 24,
    ME: 22,
    MK: 19,
    MN: 20,
    MR: 27,
    MT: 31,
    MU: 30,
    NI: 28,
    NL: 18,
    NO: 15,
    OM: 23,
    PK: 24,
    PL: 28,
  },
  ...{
    PS: 29,
    PT: 25,
    QA: 29,
    RO: 24,
    RS: 22,
    RU: 33,
    SA: 24,
    SC: 31,
    SD: 18,
    SE: 24,
    SI: 19,
    SK: 24,
    SM: 27,
  },
  ...{ SO: 23, ST: 25, SV: 28, TL: 23, TN: 24, TR: 26, UA: 29, VA: 22, VG: 24, XK: 20, YE: 30 },
};

function isIban(secret: string): boolean {
  const text = lettersOf(secret);
  return ibanLengths[text.slice(0, 2)] === text.length && modulo97(text) === 1;
}

const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const rippleBase58 = 'rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz';

/** The bytes of a base58 text, or none if there are more than `size`. */
function fromBase58(text: string, alphabet: string, size: number): Uint8Array | undefined {
  const bytes = new Uint8Array(size);
  for (const character of text) {
    let carry = alphabet.indexOf(character);
    if (carry < 0) return undefined;
    for (let at = size - 1; at >= 0; at--) {
      carry += 58 * (bytes[at] ?? 0);
      bytes[at] = carry & 0xff;
      carry >>= 8;
    }
    if (carry > 0) return undefined;
  }
  return bytes;
}

/** A version of one byte or two, twenty bytes, and four of the double SHA-256 over them. */
function hasBase58Checksum(text: string, alphabet: string, size: number): boolean {
  const bytes = fromBase58(text, alphabet, size);
  if (bytes === undefined) return false;
  const sum = sha256(sha256(bytes.subarray(0, size - 4)));
  return bytes.subarray(size - 4).every((byte, at) => byte === sum[at]);
}

/** Ripple has an alphabet of its own, and the addresses of Zcash a version of two bytes. */
function isBase58Address(secret: string): boolean {
  return hasBase58Checksum(
    secret,
    secret.startsWith('r') ? rippleBase58 : base58,
    secret.startsWith('t') ? 26 : 25,
  );
}

const bech32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const generators = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

/** The checksum of BIP 173 is 1, that of BIP 350 another constant. */
function isBech32(secret: string): boolean {
  const text = secret.toLowerCase();
  if (text !== secret && secret.toUpperCase() !== secret) return false;
  const split = text.lastIndexOf('1');
  const prefix = text.slice(0, split);
  let sum = 1;
  const add = (value: number) => {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ value;
    generators.forEach((generator, bit) => {
      if (((top >>> bit) & 1) === 1) sum ^= generator;
    });
  };
  for (const character of prefix) add(character.charCodeAt(0) >>> 5);
  add(0);
  for (const character of prefix) add(character.charCodeAt(0) & 31);
  for (const character of text.slice(split + 1)) {
    const value = bech32.indexOf(character);
    if (value < 0) return false;
    add(value);
  }
  return sum === 1 || sum === 0x2bc830a3;
}

/** Letters in both cases, each in the case that the hash of the address gives it. */
function isChecksummedEthereum(secret: string): boolean {
  const address = secret.slice(2);
  const lower = address.toLowerCase();
  if (address === lower || address === address.toUpperCase()) return false;
  const hash = keccak256(lower);
  return address.split('').every((character, at) => {
    const half = ((hash[at >> 1] ?? 0) >> (at % 2 === 0 ? 4 : 0)) & 15;
    return character === (half >= 8 ? character.toUpperCase() : character.toLowerCase());
  });
}

/** In one case there is no checksum; but not one digit over and over, as the null address and fillers are. */
function isUncheckedEthereum(secret: string): boolean {
  const address = secret.slice(2);
  const oneCase = address === address.toLowerCase() || address === address.toUpperCase();
  return oneCase && new Set(address).size > 5;
}

export const moneyChecks = {
  card: isCard,
  'plain-card': isPlainCard,
  iban: isIban,
  'base58-address': isBase58Address,
  bech32: isBech32,
  'ethereum-checksum': isChecksummedEthereum,
  'ethereum-one-case': isUncheckedEthereum,
} satisfies Readonly<Record<string, Check>>;
