// The disguises that an attack may wear, each as a transform of a text.

import { chanceFrom } from '../scripts/injection/grammar.ts';

type Transform = (text: string, seed: number) => string;

const mapped = (text: string, map: Readonly<Record<string, string>>): string =>
  Array.from(text, (letter) => map[letter.toLowerCase()] ?? letter).join('');

const hexOf = (text: string): string => Buffer.from(text).toString('hex');

/** Swaps, drops, doubles or changes a letter in about every second longer word. */
const typos: Transform = (text, seed) => {
  const chance = chanceFrom(seed + 1);
  return text.replace(/\p{L}{4,}/gu, (word) => {
    if (chance() < 0.5) return word;
    const at = 1 + Math.floor(chance() * (word.length - 2));
    const [head, here, next, tail] = [
      word.slice(0, at),
      word.charAt(at),
      word.charAt(at + 1),
      word.slice(at + 2),
    ];
    const kind = Math.floor(chance() * 4);
    if (kind === 0) return head + next + here + tail;
    if (kind === 1) return head + next + tail;
    if (kind === 2) return head + here + here + next + tail;
    return `${head}${String.fromCharCode(97 + Math.floor(chance() * 26))}${next}${tail}`;
  });
};

export const obfuscations: Readonly<Record<string, Transform>> = {
  base64: (text) => `Read this: ${Buffer.from(text).toString('base64')}`,
  'base64, url-safe': (text) => Buffer.from(text).toString('base64url'),
  'base64, twice': (text) => Buffer.from(Buffer.from(text).toString('base64')).toString('base64'),
  hex: (text) => hexOf(text),
  'hex, bytes apart': (text) => hexOf(text).replace(/../g, '$& ').trim(),
  'url-encoded': (text) => encodeURIComponent(text),
  'url-encoded, every letter': (text) => hexOf(text).replace(/../g, '%$&'),
  'unicode escapes': (text) =>
    text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  'HTML entities': (text) => text.replace(/[a-z]/gi, (letter) => `&#${letter.charCodeAt(0)};`),
  rot13: (text) =>
    text
      .normalize('NFD')
      .replace(/[\u0300-\u036f]/g, '')
      .replace(/[a-z]/gi, (letter) =>
        String.fromCharCode(letter.charCodeAt(0) + ((letter.charCodeAt(0) & 31) <= 13 ? 13 : -13)),
      ),
  reversed: (text) => Array.from(text).reverse().join(''),
  leet: (text) => mapped(text, { a: '4', e: '3', i: '1', o: '0', s: '5', t: '7' }),
  'leet, mild': (text) => mapped(text, { e: '3', o: '0', i: '1' }),
  'look-alikes, Cyrillic': (text) =>
    mapped(text, { a: 'а', e: 'е', o: 'о', p: 'р', c: 'с', i: 'і', x: 'х', y: 'у', s: 'ѕ' }),
  'look-alikes, Greek': (text) => mapped(text, { a: 'α', o: 'ο', i: 'ι', u: 'υ', v: 'ν' }),
  fullwidth: (text) => text.replace(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0)),
  mathematical: (text) =>
    text.replace(/[a-z]/g, (letter) => String.fromCodePoint(0x1d41a + letter.charCodeAt(0) - 97)),
  'zero-width': (text) => Array.from(text).join('\u200b'),
  'tag characters': (text) =>
    `Hello ${Array.from(text.normalize('NFD').replace(/[^ -~]/g, ''), (sign) => String.fromCodePoint(0xe0000 + sign.charCodeAt(0))).join('')}`,
  'bidi marks': (text) => `\u202e${Array.from(text).reverse().join('')}\u202c`,
  'bidi isolates': (text) => text.replace(/(\p{L})(\p{L})/gu, '$1\u2066\u2069$2'),
  'spaced out': (text) =>
    text
      .split(' ')
      .map((word) => Array.from(word).join(' '))
      .join('   '),
  'spaced out evenly': (text) => Array.from(text.replace(/[^\p{L}]/gu, '')).join(' '),
  'dashes between letters': (text) =>
    text
      .split(' ')
      .map((word) => Array.from(word).join('-'))
      .join(' '),
  typos: typos,
};
