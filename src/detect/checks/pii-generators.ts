// Makes synthetic numbers for the examples of the PII pack; none belongs to anyone on purpose.

import type { Generators } from '../examples.ts';
import { ibanLengths } from './money.ts';
import { piiChecks } from './pii.ts';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const digits = '0123456789';
const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

function pick(random: () => number, from: string): string {
  return from[Math.floor(random() * from.length)] ?? '';
}

function times(count: number, make: () => string): string {
  return Array.from({ length: count }, make).join('');
}

/** A day that every calendar has, between 1940 and 1999. */
function day(random: () => number): { readonly year: string; readonly month: string; readonly day: string } {
  const two = (value: number) => String(value).padStart(2, '0');
  return {
    year: String(1940 + Math.floor(random() * 60)),
    month: two(1 + Math.floor(random() * 12)),
    day: two(1 + Math.floor(random() * 28)),
  };
}

/** A form filled in: `#` a digit, `@` a letter, `%` either, `_` a space, `YYMMDD` and the like a day. */
function fill(form: string, random: () => number): string {
  return form
    .replace(/YYYYMMDD|YYMMDD|DDMMYY|YY\.MM\.DD/g, (order) => {
      const { year, month, day: date } = day(random);
      return order
        .replace('YYYY', year)
        .replace('YY', year.slice(2))
        .replace('MM', month)
        .replace('DD', date);
    })
    .replace(/[#@%_]/g, (sign) => {
      if (sign === '_') return ' ';
      return pick(random, sign === '#' ? digits : sign === '@' ? letters : letters + digits);
    });
}

/** Tries at most; a check lets at least one in several thousand pass. */
const mostTries = 400_000;

/** Fills a form anew until a check passes it, or fails it for look-alikes. */
const filled =
  (passes: boolean) =>
  (random: () => number, name = '', form = ''): string => {
    const check = piiChecks[name];
    if (check === undefined) throw new Error(`there is no check "${name}"`);
    for (let tries = 0; tries < mostTries; tries++) {
      const value = fill(form, random);
      if (check(value, '') === passes) return value;
    }
    throw new Error(`${passes ? 'no' : 'every'} "${form}" passes "${name}"`);
  };
const valid = filled(true);
const invalid = filled(false);

/** An account number of a country, in groups of four with a separator. */
function iban(random: () => number, country = 'DE', separator = ''): string {
  const length = ibanLengths[country] ?? 22;
  const body = times(length - 4, () => pick(random, digits));
  for (let key = 2; key < 99; key++) {
    const text = `${country}${String(key).padStart(2, '0')}${body}`;
    if (piiChecks['iban']?.(text, '') === true) {
      return text.replace(/.{4}(?=.)/g, `$&${separator === '_' ? ' ' : separator}`);
    }
  }
  return '';
}

/** Published addresses of test networks and specifications, put together so that no file holds them whole. */
const published: Readonly<Record<string, readonly (readonly string[])[]>> = {
  bitcoin: [
    ['1BvBMSEYstWetqTFn5', 'Au4m4GFg7xJaNVN2'],
    ['3J98t1WpEZ73CNmQvi', 'ecrnyiWrnqRhWNLy'],
  ],
  segwit: [
    ['bc1qw508d6qejxtdg4y', '5r3zarvary0c5xw7kv8f3t4'],
    ['bc1qar0srrr7xfkvy5l64', '3lydnw9re59gtzzwf5mdq'],
  ],
  ethereum: [
    ['0x5aAeb6053F3E94C9b9A0', '9f33669435E7Ef1BeAed'],
    ['0xfB6916095ca1df60bB79', 'Ce92cE3Ea74c37c5d359'],
    ['0xdbF03B407c01E7cD3CBe', 'a99509d93f8DDDC8C6FB'],
  ],
  ripple: [['rHb9CJAWyB4rj91VRW', 'n96DkukG4bwdtyTh']],
  tron: [['TJCnKsPa7y5okkXvQ', 'AidZBzqx3QyQ6sxMW']],
};

function address(random: () => number, network = 'bitcoin'): string {
  const known = published[network] ?? [];
  return known[Math.floor(random() * known.length)]?.join('') ?? '';
}

export const piiGenerators: Generators = {
  valid,
  invalid,
  iban,
  address,
  form: (random, form = '') => fill(form, random),
  cpf: (random) => valid(random, 'cpf', '###.###.###-##'),
  cnpj: (random) => valid(random, 'cnpj', '##.###.###/0001-##'),
  card: (random, first = '4', length = '16') => valid(random, 'card', first.padEnd(Number(length), '#')),
  base58: (random, count = '33') => times(Number(count), () => pick(random, base58)),
};
