// Check digits of the numbers that other countries give to people and firms, as their offices publish them.

import type { Check } from './check.ts';
import { folded, isAlone } from './context.ts';
import {
  digitAt,
  digitsOf,
  isDay,
  isDayMonthYear,
  iso7064,
  isUniform,
  isVerhoeff,
  isYearMonthDay,
  lettersOf,
  luhn,
  modulo,
  weighted,
} from './digits.ts';

/** A test of the digits alone, which must be of a given form. */
function numeric(form: RegExp, test: (digits: string) => boolean): Check {
  return (secret) => {
    const digits = digitsOf(secret);
    return form.test(digits) && !isUniform(digits) && test(digits);
  };
}

/** A test of the letters and digits in upper case, which must be of a given form. */
function lettered(form: RegExp, test: (text: string) => boolean): Check {
  return (secret) => {
    const text = lettersOf(secret);
    return form.test(text) && test(text);
  };
}

/** 0 to 9 and A = 10 to Z = 35. */
function base36(character: string | undefined): number {
  return Number.parseInt(character ?? '', 36);
}

/** The sum of the digits of a number below 100. */
function crossSum(value: number): number {
  return value > 9 ? Math.floor(value / 10) + (value % 10) : value;
}

/** Numbers of examples and of advertisements, which belong to nobody. */
const noSocialSecurity = new Set(['078051120', '219099999', '123456789', '987654321']);
const isSocialSecurity = numeric(
  /^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/,
  (digits) => !noSocialSecurity.has(digits) && !/^(\d)\1\1(\d)\2(\d)\3{3}$/.test(digits),
);
const isTaxpayer = numeric(/^9\d{2}(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])\d{4}$/, () => true);
const isRouting = numeric(
  /^(?:0\d|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)\d{7}$/,
  (digits) => weighted(digits, [3, 7, 1, 3, 7, 1, 3, 7, 1]) % 10 === 0 && !digits.startsWith('00000'),
);
const isProvider = numeric(/^[12]\d{9}$/, (digits) => luhn(`80840${digits}`) === 0);

const isHealthService = numeric(
  /^\d{10}$/,
  (digits) => (11 - (weighted(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 11 === digitAt(digits, 9),
);
const isNationalInsurance = lettered(
  /^(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]$/,
  (text) => !isUniform(text.slice(2, 8)),
);
const isDrivingLicence = lettered(
  /^[A-Z]{1,5}9{0,4}\d(?:0[1-9]|1[0-2]|5[1-9]|6[0-2])(?:0[1-9]|[12]\d|3[01])\d[A-Z][A-Z9]\d[A-Z]{2}$/,
  (text) => /^[A-Z9]{5}\d{6}[A-Z]/.test(text),
);

const spanishLetters = 'TRWAGMYFPDXBNJZSQVHLCKE';
const isNif = lettered(
  /^(?!0{7})\d{7,8}[A-Z]$/,
  (text) => spanishLetters[Number(text.slice(0, -1)) % 23] === text.at(-1),
);
const isNie = lettered(
  /^[XYZ]\d{7}[A-Z]$/,
  (text) =>
    spanishLetters[Number(`${'XYZ'.indexOf(text.charAt(0))}${text.slice(1, 8)}`) % 23] === text.at(-1),
);
const isCif = lettered(/^[ABCDEFGHJNPQRSUVW]\d{7}[0-9A-J]$/, (text) => {
  let sum = 0;
  for (let at = 1; at <= 7; at++) sum += at % 2 === 1 ? crossSum(digitAt(text, at) * 2) : digitAt(text, at);
  const control = (10 - (sum % 10)) % 10;
  return text.at(-1) === String(control) || text.at(-1) === 'JABCDEFGHI'[control];
});

const oddValues: readonly number[] = [
  ...[1, 0, 5, 7, 9, 13, 15, 17, 19, 21],
  ...[1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23],
];
/** Digits may be spelled as letters where two people would have the same code. */
const isFiscalCode = lettered(
  /^[A-Z]{6}[0-9LMNPQRSTUV]{2}[ABCDEHLMPRST][0-9LMNPQRSTUV]{2}[A-Z][0-9LMNPQRSTUV]{3}[A-Z]$/,
  (text) => {
    let sum = 0;
    for (let at = 0; at < 15; at++) {
      const value = base36(text[at]);
      sum += at % 2 === 0 ? (oddValues[value] ?? 0) : value > 9 ? value - 10 : value;
    }
    return String.fromCharCode(65 + (sum % 26)) === text.at(-1);
  },
);
const isPartitaIva = numeric(
  /^(?!0{7})\d{7}(?:0\d{2}|100|12[01]|888|999)\d$/,
  (digits) => luhn(digits) === 0,
);

/** Two digits of key modulo 97; Corsica's departments count as 19 and 18. */
const isNir = lettered(/^[1-478]\d{2}(?:0[1-9]|1[0-2]|[2-9]\d)(?:\d{2}|2[AB])\d{8}$/, (text) => {
  const digits = text.replace('2A', '19').replace('2B', '18');
  return 97 - modulo(digits.slice(0, 13), 97) === Number(digits.slice(13));
});
const isSiren = numeric(/^\d{9}$/, (digits) => luhn(digits) === 0);
const isSiret = numeric(/^\d{14}$/, (digits) => luhn(digits) === 0 && luhn(digits.slice(0, 9)) === 0);

const isSteuerId = numeric(/^[1-9]\d{10}$/, (digits) => iso7064(digits.slice(0, 10)) === digitAt(digits, 10));
/** One digit twice or three times, all others once at most: so numbers are given out, and few others are. */
const isStrictSteuerId: Check = (secret, left) => {
  if (!isSteuerId(secret, left)) return false;
  const counts = new Map<string, number>();
  for (const digit of digitsOf(secret).slice(0, 10)) counts.set(digit, (counts.get(digit) ?? 0) + 1);
  const repeated = [...counts.values()].filter((count) => count > 1);
  return repeated.length === 1 && (repeated[0] ?? 0) <= 3;
};
const isGermanVat = numeric(/^[1-9]\d{8}$/, (digits) => iso7064(digits.slice(0, 8)) === digitAt(digits, 8));
const isPensionInsurance = lettered(/^\d{8}[A-Z]\d{3}$/, (text) => {
  const letter = String(text.charCodeAt(8) - 64).padStart(2, '0');
  const digits = text.slice(0, 8) + letter + text.slice(9, 11);
  const weights = [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1];
  const sum = weights.reduce((total, weight, at) => total + crossSum(weight * digitAt(digits, at)), 0);
  const day = Number(text.slice(2, 4));
  return sum % 10 === digitAt(text, 11) && isDay(Number(text.slice(4, 6)), day > 50 ? day - 50 : day);
});
const isHealthInsured = lettered(/^[A-Z]\d{9}$/, (text) => {
  const digits = String(text.charCodeAt(0) - 64).padStart(2, '0') + text.slice(1, 9);
  let sum = 0;
  for (let at = 0; at < 10; at++) sum += crossSum(digitAt(digits, at) * (at % 2 === 0 ? 1 : 2));
  return sum % 10 === digitAt(text, 9);
});
/** Identity cards and passports: weights 7, 3, 1 over eight characters; the old cards with T carry no check digit here. */
const isGermanCard = lettered(/^(?:T\d{8}|[CFGHJKLMNPRTVWXYZ][0-9CFGHJKLMNPRTVWXYZ]{7}\d)$/, (text) => {
  if (/^T\d{8}$/.test(text)) return !isUniform(text.slice(1));
  let sum = 0;
  for (let at = 0; at < 8; at++) sum += base36(text[at]) * ([7, 3, 1][at % 3] ?? 0);
  return sum % 10 === digitAt(text, 8);
});
const isDoctor = numeric(
  /^\d{9}$/,
  (digits) => (10 - (weighted(digits, [4, 9, 4, 9, 4, 9]) % 10)) % 10 === digitAt(digits, 6),
);

const isPesel = numeric(
  /^\d{11}$/,
  (digits) =>
    (10 - (weighted(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3]) % 10)) % 10 === digitAt(digits, 10) &&
    isDay(Number(digits.slice(2, 4)) % 20, Number(digits.slice(4, 6))),
);
const isPortuguese = numeric(/^[1235689]\d{8}$/, (digits) => {
  const rest = weighted(digits, [9, 8, 7, 6, 5, 4, 3, 2]) % 11;
  return (rest < 2 ? 0 : 11 - rest) === digitAt(digits, 8);
});
const isDutch = numeric(
  /^\d{9}$/,
  (digits) => (weighted(digits, [9, 8, 7, 6, 5, 4, 3, 2]) - digitAt(digits, 8)) % 11 === 0,
);
const isBelgian = numeric(/^\d{11}$/, (digits) => {
  const key = Number(digits.slice(9));
  const body = digits.slice(0, 9);
  const month = Number(digits.slice(2, 4));
  return (
    isDay(month % 20, Number(digits.slice(4, 6))) &&
    (97 - modulo(body, 97) === key || 97 - modulo(`2${body}`, 97) === key)
  );
});
const isSwedish = numeric(/^(?:(?:18|19|20)\d{2}|\d{2})\d{8}$/, (all) => {
  const digits = all.slice(-10);
  const day = Number(digits.slice(4, 6));
  return luhn(digits) === 0 && isDay(Number(digits.slice(2, 4)), day > 60 ? day - 60 : day);
});
/** Written with a date of eight digits, it is a time of the day as often as a person. */
const isSwedishNoTime: Check = (secret, left) => {
  const digits = digitsOf(secret);
  const isTime = digits.length === 12 && /^(?:[01]\d|2[0-3])[0-5]\d$/.test(digits.slice(8));
  return isSwedish(secret, left) && !isTime;
};
const isSwedishFirm = numeric(/^[1-9]\d[2-9]\d{7}$/, (digits) => luhn(digits) === 0);
const isFinnish: Check = (secret) => {
  const text = secret.toUpperCase();
  return (
    /^\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]$/.test(text) &&
    isDayMonthYear(text) &&
    '0123456789ABCDEFHJKLMNPRSTUVWXY'[Number(text.slice(0, 6) + text.slice(7, 10)) % 31] === text.at(-1)
  );
};
const isNorwegian = numeric(/^\d{11}$/, (digits) => {
  const day = Number(digits.slice(0, 2));
  const month = Number(digits.slice(2, 4));
  return (
    isDay(month > 40 ? month - 40 : month, day > 40 ? day - 40 : day) &&
    weighted(digits, [3, 7, 6, 1, 8, 9, 4, 5, 2, 1]) % 11 === 0 &&
    weighted(digits, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0
  );
});
const isDanish = numeric(/^\d{10}$/, isDayMonthYear);
const isSwiss = numeric(
  /^756\d{10}$/,
  (digits) => weighted(digits, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0,
);
const isCzech = numeric(/^\d{10}$/, (digits) => {
  const month = Number(digits.slice(2, 4)) % 50;
  return isDay(month > 20 ? month - 20 : month, Number(digits.slice(4, 6))) && modulo(digits, 11) === 0;
});
const isRomanian = numeric(/^[1-9]\d{12}$/, (digits) => {
  const rest = weighted(digits, [2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11;
  return isYearMonthDay(digits.slice(1)) && (rest === 10 ? 1 : rest) === digitAt(digits, 12);
});
const isIrish = lettered(/^\d{7}[A-W][A-IW]?$/, (text) => {
  const extra = text.length === 9 ? (text[8] === 'W' ? 0 : text.charCodeAt(8) - 64) * 9 : 0;
  return 'WABCDEFGHIJKLMNOPQRSTUV'[(weighted(text, [8, 7, 6, 5, 4, 3, 2]) + extra) % 23] === text[7];
});
const isSnils = numeric(
  /^\d{11}$/,
  (digits) => (weighted(digits, [9, 8, 7, 6, 5, 4, 3, 2, 1]) % 101) % 100 === Number(digits.slice(9)),
);
const isInn = numeric(/^\d{10}(?:\d{2})?$/, (digits) => {
  const digit = (weights: readonly number[]) => (weighted(digits, weights) % 11) % 10;
  return digits.length === 10
    ? digit([2, 4, 10, 3, 5, 9, 4, 6, 8]) === digitAt(digits, 9)
    : digit([7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) === digitAt(digits, 10) &&
        digit([3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) === digitAt(digits, 11);
});

const isAadhaar = numeric(
  /^[2-9]\d{11}$/,
  (digits) => isVerhoeff(digits) && digits !== digits.split('').reverse().join(''),
);
const isChinese = lettered(
  /^[1-8]\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[0-9X]$/,
  (text) =>
    '10X98765432'[weighted(text, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]) % 11] === text.at(-1),
);
const isMyNumber = numeric(/^\d{12}$/, (digits) => {
  const rest = weighted(digits, [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
  return (rest < 2 ? 0 : 11 - rest) === digitAt(digits, 11);
});
const koreanWeights = [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5];
/** Since October 2020 the last digits are drawn, so a child's number need not pass. */
const isResident = numeric(
  /^\d{6}[1-4]\d{6}$/,
  (digits) =>
    isYearMonthDay(digits) && (11 - (weighted(digits, koreanWeights) % 11)) % 10 === digitAt(digits, 12),
);
const isForeigner = numeric(
  /^\d{6}[5-8]\d{6}$/,
  (digits) =>
    isYearMonthDay(digits) && (13 - (weighted(digits, koreanWeights) % 11)) % 10 === digitAt(digits, 12),
);
const isKoreanForm = numeric(
  /^\d{6}[1-8]\d{6}$/,
  (digits) => isYearMonthDay(digits) && Number(digits.slice(7, 9)) <= 96,
);
const isKoreanFirm = numeric(/^[1-9]\d{9}$/, (digits) => {
  const sum = weighted(digits, [1, 3, 7, 1, 3, 7, 1, 3, 5]) + Math.floor((digitAt(digits, 8) * 5) / 10);
  return (10 - (sum % 10)) % 10 === digitAt(digits, 9);
});
/** A telephone: fifteen digits with Luhn. */
const isImei = numeric(/^\d{15}$/, (digits) => luhn(digits) === 0);

const vinWeights = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
/** What letters count: A to H 1 to 8, J to R 1 to 9 without the missing ones, S to Z 2 to 9. */
const vinValues: Readonly<Record<string, number>> = Object.fromEntries(
  ['ABCDEFGH', 'JKLMN.P.R', '.STUVWXYZ'].flatMap((row) => [...row].map((letter, at) => [letter, at + 1])),
);
/** A vehicle: letters count 1 to 9 by their place, and the ninth sign is the rest modulo 11. */
const isVin = lettered(/^[A-HJ-NPR-Z0-9]{17}$/, (text) => {
  const sum = [...text].reduce((total, sign, at) => {
    const value = vinValues[sign] ?? Number(sign);
    return total + value * (vinWeights[at] ?? 0);
  }, 0);
  const rest = sum % 11;
  return text[8] === (rest === 10 ? 'X' : String(rest));
});
const isThai = numeric(
  /^[1-8]\d{12}$/,
  (digits) =>
    (11 - (weighted(digits, [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 10 === digitAt(digits, 12),
);
const isSingaporean = lettered(/^[STFGM]\d{7}[A-Z]$/, (text) => {
  const first = text.charAt(0);
  const offset = first === 'M' ? 3 : 'TG'.includes(first) ? 4 : 0;
  const letters = first === 'M' ? 'XWUTRQPNJLK' : 'FG'.includes(first) ? 'XWUTRQPNMLK' : 'JZIHGFEDCBA';
  return letters[(weighted(text.slice(1), [2, 7, 6, 5, 4, 3, 2]) + offset) % 11] === text.at(-1);
});
const entityLetters = 'ABCDEFGHJKLMNPQRSTUVWX0123456789';
const isSingaporeFirm = lettered(/^(?:\d{8}|(?:19|20)\d{7}|[RST]\d{2}[A-Z]{2}\d{4})[A-Z]$/, (text) => {
  const last = text.at(-1);
  if (/^\d{8}[A-Z]$/.test(text))
    return 'XMKECAWLJDB'[weighted(text, [10, 4, 9, 3, 8, 2, 7, 1]) % 11] === last;
  if (/^\d{9}/.test(text)) return 'ZKCMDNERGWH'[weighted(text, [10, 8, 6, 4, 9, 7, 5, 3, 1]) % 11] === last;
  const sum = [4, 3, 5, 3, 10, 2, 2, 5, 7].reduce(
    (total, weight, at) => total + weight * entityLetters.indexOf(text.charAt(at)),
    0,
  );
  return entityLetters[(((sum - 5) % 11) + 11) % 11] === last;
});
const isTurkish = numeric(/^[1-9]\d{9}[02468]$/, (digits) => {
  const odd = weighted(digits, [1, 0, 1, 0, 1, 0, 1, 0, 1]);
  const even = weighted(digits, [0, 1, 0, 1, 0, 1, 0, 1]);
  return (
    (((odd * 7 - even) % 10) + 10) % 10 === digitAt(digits, 9) &&
    weighted(digits, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]) % 10 === digitAt(digits, 10)
  );
});
const isIsraeli = numeric(/^\d{9}$/, (digits) => luhn(digits) === 0);
const isHongKong = lettered(/^[A-Z]{1,2}\d{6}[0-9A]$/, (text) => {
  const body = text.length === 8 ? ` ${text}` : text;
  let sum = 0;
  for (let at = 0; at < 9; at++) sum += (9 - at) * (body[at] === ' ' ? 36 : base36(body[at]));
  return sum % 11 === 0;
});
const isTaiwanese = lettered(/^[A-Z][1289]\d{8}$/, (text) => {
  const area = 'ABCDEFGHJKLMNPQRSTUVXYWZIO'.indexOf(text.charAt(0)) + 10;
  const sum = Math.floor(area / 10) + (area % 10) * 9 + weighted(text.slice(1), [8, 7, 6, 5, 4, 3, 2, 1, 1]);
  return sum % 10 === 0;
});

const isTaxFile = numeric(/^\d{9}$/, (digits) => weighted(digits, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0);
const isBusiness = numeric(
  /^[1-9]\d{10}$/,
  (digits) => (weighted(digits, [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]) - 10) % 89 === 0,
);
const isCompany = numeric(
  /^\d{9}$/,
  (digits) => (10 - (weighted(digits, [8, 7, 6, 5, 4, 3, 2, 1]) % 10)) % 10 === digitAt(digits, 8),
);
const isMedicare = numeric(
  /^[2-6]\d{9,10}$/,
  (digits) => weighted(digits, [1, 3, 7, 9, 1, 3, 7, 9]) % 10 === digitAt(digits, 8),
);
const isSocialInsurance = numeric(/^[1-79]\d{8}$/, (digits) => luhn(digits) === 0);

const isSouthAfrican = numeric(
  /^\d{10}[012]\d{2}$/,
  (digits) => isYearMonthDay(digits) && luhn(digits) === 0,
);
const curpLetters = '0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ';
const isCurp: Check = (secret) => {
  const text = secret.toUpperCase();
  if (!/^[A-Z]{4}\d{6}[HMX][A-Z]{5}[0-9A-Z]\d$/.test(text) || !isYearMonthDay(text.slice(4))) return false;
  let sum = 0;
  for (let at = 0; at < 17; at++) sum += (18 - at) * curpLetters.indexOf(text.charAt(at));
  return (10 - (sum % 10)) % 10 === digitAt(text, 17);
};
const rfcLetters = '0123456789ABCDEFGHIJKLMN&OPQRSTUVWXYZ Ñ';
const isRfc: Check = (secret) => {
  const text = secret.toUpperCase();
  if (!/^[A-ZÑ&]{3,4}\d{6}[0-9A-Z]{2}[0-9A]$/.test(text) || !isYearMonthDay(text.slice(-9))) return false;
  const padded = text.padStart(13);
  let sum = 0;
  for (let at = 0; at < 12; at++) sum += (13 - at) * rfcLetters.indexOf(padded.charAt(at));
  return '0123456789A'[(11 - (sum % 11)) % 11] === text.at(-1);
};
const isCuit = numeric(/^(?:2[03457]|3[034])\d{9}$/, (digits) => {
  const rest = 11 - (weighted(digits, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11);
  return (rest === 11 ? 0 : rest) === digitAt(digits, 10);
});
const isRut = lettered(/^\d{7,8}[0-9K]$/, (text) => {
  let sum = 0;
  for (let at = 0; at < text.length - 1; at++) sum += digitAt(text, text.length - 2 - at) * (2 + (at % 6));
  return '0K987654321'[sum % 11] === text.at(-1) && !isUniform(text.slice(0, -1));
});
const isNit = numeric(/^\d{10}$/, (digits) => {
  const rest = weighted(digits, [41, 37, 29, 23, 19, 17, 13, 7, 3]) % 11;
  return (rest < 2 ? rest : 11 - rest) === digitAt(digits, 9);
});
const isRuc = numeric(
  /^(?:10|15|16|17|20)\d{9}$/,
  (digits) => (11 - (weighted(digits, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11)) % 10 === digitAt(digits, 10),
);
const isEcuadorian = numeric(/^(?:0[1-9]|1\d|2[0-4]|30)[0-5]\d{7}$/, (digits) => luhn(digits) === 0);

const isPhilippine = numeric(
  /^\d{9}(?:\d{3})?$/,
  (digits) => weighted(digits, [9, 8, 7, 6, 5, 4, 3, 2]) % 11 === digitAt(digits, 8),
);
const isMalaysian = numeric(/^\d{6}(?:0[1-9]|1[0-6]|2[1-9]|[3-5]\d|82)\d{4}$/, isYearMonthDay);
/** Women have 40 added to the day. */
const isIndonesian = numeric(/^[1-9]\d{15}$/, (digits) => {
  const date = Number(digits.slice(6, 8));
  return isDay(Number(digits.slice(8, 10)), date > 40 ? date - 40 : date);
});

/** Whether the value is not the end of a longer one, nor the first of two coordinates. */
const isWhole: Check = (_secret, left) => !/(?:[0-9A-Za-z][-._]|\+)$/.test(left);
const isVaried: Check = (secret) =>
  !isUniform(digitsOf(secret)) && !'12345678901234567890'.includes(digitsOf(secret));

/** Numbers of eleven digits and more that hardly any other number passes for. */
const improbable: readonly Check[] = [
  isTurkish,
  isStrictSteuerId,
  isPesel,
  isNorwegian,
  isBelgian,
  isCuit,
  isBusiness,
  isSwedishNoTime,
  isResident,
  isForeigner,
  isSouthAfrican,
];
/** Numbers with one check digit, by the groups in which they are written. */
const grouped: readonly (readonly [RegExp, readonly Check[]])[] = [
  [/^\d{3}([ -])\d{3}\1\d{3}$/, [isSocialInsurance, isTaxFile, isCompany]],
  [/^\d{4}([ -])\d{4}\1\d{4}$/, [isAadhaar]],
  [/^\d{3} \d{3} \d{4}$/, [isHealthService]],
  [/^\d{4}-\d{3}-\d{3}$/, [isProvider]],
  [/^\d{6}-\d{4}$/, [isSwedishFirm]],
  [/^\d{3}([ .])\d{2}\1\d{4}$/, [isSocialSecurity]],
  [/^\d{3}-\d{2}-\d{5}$/, [isKoreanFirm]],
  [/^\d{8}[A-Z]$/, [isSingaporeFirm]],
];

/** A text that is such a number and nothing before it: without a word for it, the country stays open. */
const isLoneNumber: Check = (secret, left) => {
  if (!isAlone(left)) return false;
  const checks = /\D/.test(secret)
    ? grouped.filter(([form]) => form.test(secret)).flatMap(([, all]) => all)
    : improbable;
  return checks.some((check) => check(secret, left));
};

const lettersFirst: readonly Check[] = [
  isNie,
  isNationalInsurance,
  isGermanCard,
  isHealthInsured,
  isSingaporean,
];
/** The same for numbers that begin with letters, in either case. */
const isLoneLettered: Check = (secret, left) =>
  isAlone(left) && lettersFirst.some((check) => check(secret, left));

/** A Spanish number in small letters is too much like other text, unless it stands alone or behind its name. */
const isLoneNif: Check = (secret, left) =>
  isNif(secret, left) && (isAlone(left) || /\b(?:nif|dni|nie)\b/.test(folded(left.slice(-40))));

export const countryChecks = {
  'us-ssn': isSocialSecurity,
  'us-itin': isTaxpayer,
  'us-routing': isRouting,
  'us-npi': isProvider,
  'uk-nhs': isHealthService,
  'uk-nino': isNationalInsurance,
  'uk-driving-licence': isDrivingLicence,
  'es-nif': isNif,
  'es-lone-nif': isLoneNif,
  'es-nie': isNie,
  'es-cif': isCif,
  'it-fiscal-code': isFiscalCode,
  'it-vat': isPartitaIva,
  'fr-nir': isNir,
  'fr-siren': isSiren,
  'fr-siret': isSiret,
  'de-tax-id': isSteuerId,
  'de-vat': isGermanVat,
  'de-pension': isPensionInsurance,
  'de-health': isHealthInsured,
  'de-card': isGermanCard,
  'de-doctor': isDoctor,
  'pl-pesel': isPesel,
  'pt-nif': isPortuguese,
  'nl-bsn': isDutch,
  'be-national': isBelgian,
  'se-person': isSwedish,
  'se-person-no-time': isSwedishNoTime,
  'se-firm': isSwedishFirm,
  'fi-person': isFinnish,
  'no-person': isNorwegian,
  'dk-person': isDanish,
  'ch-ahv': isSwiss,
  'cz-birth': isCzech,
  'ro-cnp': isRomanian,
  'ie-pps': isIrish,
  'ru-snils': isSnils,
  'ru-inn': isInn,
  'in-aadhaar': isAadhaar,
  'cn-resident': isChinese,
  'jp-my-number': isMyNumber,
  'kr-rrn': isResident,
  'kr-frn': isForeigner,
  'kr-form': isKoreanForm,
  'kr-brn': isKoreanFirm,
  'th-id': isThai,
  'sg-nric': isSingaporean,
  'sg-uen': isSingaporeFirm,
  'tr-id': isTurkish,
  'il-id': isIsraeli,
  'hk-id': isHongKong,
  'tw-id': isTaiwanese,
  'au-tfn': isTaxFile,
  'au-abn': isBusiness,
  'au-acn': isCompany,
  'au-medicare': isMedicare,
  'ca-sin': isSocialInsurance,
  'za-id': isSouthAfrican,
  'mx-curp': isCurp,
  'mx-rfc': isRfc,
  'ar-cuit': isCuit,
  'cl-rut': isRut,
  'co-nit': isNit,
  'pe-ruc': isRuc,
  'ec-cedula': isEcuadorian,
  'ph-tin': isPhilippine,
  'my-id': isMalaysian,
  'id-nik': isIndonesian,
  imei: isImei,
  vin: isVin,
  whole: isWhole,
  alone: (_secret, left) => isAlone(left),
  varied: isVaried,
  'lone-number': isLoneNumber,
  'lone-lettered': isLoneLettered,
} satisfies Readonly<Record<string, Check>>;
