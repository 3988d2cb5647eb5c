// Check digits of Brazilian documents.

import type { Check } from './check.ts';
import { digitAt, digitsOf, isUniform, lettersOf, weighted } from './digits.ts';

/** A check digit modulo 11 as Brazil reckons it: what would be 10 or 11 is 0. */
function modulo11(sum: number): number {
  const rest = sum % 11;
  return rest < 2 ? 0 : 11 - rest;
}

/** The digits of a CPF, which may be written in the width of ideographs. */
function isCpf(secret: string): boolean {
  const digits = digitsOf(secret.normalize('NFKC'));
  return (
    digits.length === 11 &&
    !isUniform(digits) &&
    modulo11(weighted(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2])) === digitAt(digits, 9) &&
    modulo11(weighted(digits, [11, 10, 9, 8, 7, 6, 5, 4, 3, 2])) === digitAt(digits, 10)
  );
}

const cnpjWeights = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];

/** Letters count by their code less 48, so that the form with letters and the one of digits are one. */
function isCnpj(secret: string): boolean {
  const characters = lettersOf(secret);
  if (characters.length !== 14 || isUniform(characters) || !/\d\d$/.test(characters)) return false;
  const sum = (weights: readonly number[]) =>
    weights.reduce((total, weight, at) => total + weight * (characters.charCodeAt(at) - 48), 0);
  return (
    modulo11(sum(cnpjWeights.slice(1))) === digitAt(characters, 12) &&
    modulo11(sum(cnpjWeights)) === digitAt(characters, 13)
  );
}

/** PIS, PASEP, NIS and NIT are one number. */
function isPis(secret: string): boolean {
  const digits = digitsOf(secret);
  return (
    digits.length === 11 &&
    !isUniform(digits) &&
    modulo11(weighted(digits, [3, 2, 9, 8, 7, 6, 5, 4, 3, 2])) === digitAt(digits, 10)
  );
}

/** The driver's licence: a first digit of 10 takes 2 from the second. */
function isCnh(secret: string): boolean {
  const digits = digitsOf(secret);
  if (digits.length !== 11 || isUniform(digits)) return false;
  const first = weighted(digits, [9, 8, 7, 6, 5, 4, 3, 2, 1]) % 11;
  const second = weighted(digits, [1, 2, 3, 4, 5, 6, 7, 8, 9]) % 11;
  const less = first > 9 ? 2 : 0;
  const rest = (second - less + 11) % 11;
  return (first > 9 ? 0 : first) === digitAt(digits, 9) && (rest > 9 ? 0 : rest) === digitAt(digits, 10);
}

/** The voter's number: eight digits, the state, two check digits. */
function isVoter(secret: string): boolean {
  const digits = digitsOf(secret);
  const state = Number(digits.slice(8, 10));
  if (digits.length !== 12 || state < 1 || state > 28) return false;
  const digit = (sum: number) => (sum % 11 === 10 ? 0 : sum % 11);
  const first = digit(weighted(digits, [2, 3, 4, 5, 6, 7, 8, 9]));
  const second = digit(digitAt(digits, 8) * 7 + digitAt(digits, 9) * 8 + first * 9);
  return first === digitAt(digits, 10) && second === digitAt(digits, 11);
}

/** The health card: fifteen digits whose weighted sum is a multiple of 11. */
function isCns(secret: string): boolean {
  const digits = digitsOf(secret);
  return (
    /^[12789]\d{14}$/.test(digits) &&
    weighted(digits, [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0
  );
}

export const brazilChecks = {
  cpf: isCpf,
  cnpj: isCnpj,
  pis: isPis,
  cnh: isCnh,
  'br-voter': isVoter,
  cns: isCns,
} satisfies Readonly<Record<string, Check>>;
