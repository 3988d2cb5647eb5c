// Arithmetic of check digits that many numbers share.

/** The digits of a text, without what separates them. */
export function digitsOf(text: string): string {
  return text.replace(/\D/g, '');
}

/** The letters and digits of a text, in upper case. */
export function lettersOf(text: string): string {
  return text.replace(/[^0-9A-Za-z]/g, '').toUpperCase();
}

/** The digit at a place; 0 outside. */
export function digitAt(digits: string, at: number): number {
  const code = digits.charCodeAt(at) - 48;
  return code >= 0 && code <= 9 ? code : 0;
}

/** The sum of digits times weights, over as many as there are weights. */
export function weighted(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, at) => sum + weight * digitAt(digits, at), 0);
}

/** Whether all characters are the same. */
export function isUniform(text: string): boolean {
  return text.split('').every((character) => character === text[0]);
}

/** The Luhn sum, modulo 10; 0 is right. */
export function luhn(digits: string): number {
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = digitAt(digits, digits.length - 1 - at);
    const doubled = at % 2 === 0 ? digit : digit * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10;
}

/** A long number, modulo a small one. */
export function modulo(digits: string, divisor: number): number {
  let rest = 0;
  for (let at = 0; at < digits.length; at++) rest = (rest * 10 + digitAt(digits, at)) % divisor;
  return rest;
}

/** Letters as 10 to 35 and the first four moved to the end, modulo 97; 1 is right (ISO 13616). */
export function modulo97(text: string): number {
  let rest = 0;
  for (const character of text.slice(4) + text.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest;
}

/** The digit that ISO 7064 MOD 11,10 puts after the given ones. */
export function iso7064(digits: string): number {
  let product = 10;
  for (let at = 0; at < digits.length; at++) {
    const sum = (digitAt(digits, at) + product) % 10;
    product = ((sum === 0 ? 10 : sum) * 2) % 11;
  }
  return (11 - product) % 10;
}

const dihedral = [
  '0123456789',
  '1234067895',
  '2340178956',
  '3401289567',
  '4012395678',
  '5987604321',
  '6598710432',
  '7659821043',
  '8765932104',
  '9876543210',
];
const permutations = [
  '0123456789',
  '1576283094',
  '5803796142',
  '8916043527',
  '9453126870',
  '4286573901',
  '2793806415',
  '7046913258',
];

/** Whether the last digit is right after Verhoeff. */
export function isVerhoeff(digits: string): boolean {
  let state = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = digitAt(digits, digits.length - 1 - at);
    state = digitAt(dihedral[state] ?? '', digitAt(permutations[at % 8] ?? '', digit));
  }
  return state === 0;
}

const monthDays = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether month and day can be; 29 February always, as most numbers leave the century open. */
export function isDay(month: number, day: number): boolean {
  return day >= 1 && day <= (monthDays[month - 1] ?? 0);
}

/** Whether six digits are a date: year, month, day. */
export function isYearMonthDay(digits: string): boolean {
  return isDay(Number(digits.slice(2, 4)), Number(digits.slice(4, 6)));
}

/** Whether six digits are a date: day, month, year. */
export function isDayMonthYear(digits: string): boolean {
  return isDay(Number(digits.slice(2, 4)), Number(digits.slice(0, 2)));
}
