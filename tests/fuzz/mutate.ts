// Bends inputs: bytes, words of a grammar, nesting, numbers, and parts of other inputs, each by chance that can be repeated.

import type { Random } from '../metamorphic/random.ts';

export interface Material {
  readonly seeds: readonly string[];
  /** Words of the grammar that the inputs are written in. */
  readonly words: readonly string[];
  /** The signs of an input are bytes. */
  readonly bytes: boolean;
  /** Longest input, in signs. */
  readonly largest: number;
}

const pairs = [
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
  ['"', '"'],
  ["'", "'"],
  ['`', '`'],
  ['<', '>'],
  ['/*', '*/'],
  ['\n', '\n'],
] as const;

/** Where readers go wrong: ends of texts, of encodings and of what two readers agree on. */
const signs =
  '\u0000 \u0001 \t \n \r \r\n \u001b \u007f \u0080 \u00a0 \u00ad \u00e9 \u00ff " \' ` \\ / * # $ % & ( ) [ ] { } < > = + - , ; : ! ? @ ^ | ~ _ .'.split(
    ' ',
  );
const wideSigns = [
  '\u200b',
  '\u202e',
  '\u2028',
  '\ufeff',
  '\ufffd',
  '\ud800',
  '\udc00',
  '\u{1f4a3}',
  'ﬀ',
  'İ',
];
const numbers = [
  '0',
  '-0',
  '-1',
  '1',
  '7',
  '64',
  '65',
  '255',
  '256',
  '4096',
  '65535',
  '65536',
  '2147483647',
].concat([
  '2147483648',
  '4294967295',
  '9007199254740991',
  '9007199254740993',
  '1e308',
  '1e309',
  '1e-400',
  '0x10',
  '01',
  '1_0',
]);

type Bend = (text: string, random: Random, material: Material) => string;

const word = /[A-Za-z_][\w-]*|\d[\d.eE+-]*|\s+|[^\sA-Za-z_\d]+/g;

/** A stretch of a text: mostly a short one. */
function stretch(text: string, random: Random): readonly [number, number] {
  const from = random.below(text.length + 1);
  const reach = random.chance(0.8) ? 12 : text.length;
  return [from, Math.min(text.length, from + random.below(reach + 1))];
}

function put(text: string, from: number, to: number, piece: string): string {
  return text.slice(0, from) + piece + text.slice(to);
}

/** One of the words of a text, where it has any. */
function wordIn(text: string, random: Random): RegExpExecArray | null {
  word.lastIndex = random.below(text.length + 1);
  return word.exec(text);
}

const bends: readonly Bend[] = [
  // a sign in place of a stretch
  (text, random, { bytes }) => {
    const [from, to] = stretch(text, random);
    const sign = bytes || random.chance(0.7) ? random.pick(signs) : random.pick(wideSigns);
    return put(text, from, random.chance(0.5) ? from : to, sign);
  },
  // a bit
  (text, random) => {
    if (text === '') return text;
    const at = random.below(text.length);
    return put(text, at, at + 1, String.fromCharCode(text.charCodeAt(at) ^ (1 << random.below(8))));
  },
  // a word of the grammar
  (text, random, { words }) => {
    const [from, to] = stretch(text, random);
    return words.length === 0 ? text : put(text, from, random.chance(0.6) ? from : to, random.pick(words));
  },
  // a word in place of a word
  (text, random, { words, seeds }) => {
    const found = wordIn(text, random);
    const piece =
      words.length > 0 && random.chance(0.5)
        ? random.pick(words)
        : (wordIn(random.pick(seeds), random)?.[0] ?? '');
    return found === null ? text : put(text, found.index, found.index + found[0].length, piece);
  },
  // less
  (text, random) => {
    const [from, to] = stretch(text, random);
    return put(text, from, to, '');
  },
  // the same again
  (text, random) => {
    const [from, to] = stretch(text, random);
    return put(text, to, to, text.slice(from, to));
  },
  // the same again and again
  (text, random) => {
    const [from, to] = stretch(text, random);
    const times = random.chance(0.9) ? 40 : 4000;
    return put(text, to, to, text.slice(from, to).repeat(1 + random.below(times)));
  },
  // the beginning of one and the end of another
  (text, random, { seeds }) => {
    const other = random.pick(seeds);
    return put(text, random.below(text.length + 1), text.length, other.slice(random.below(other.length + 1)));
  },
  // a part of another inside
  (text, random, { seeds }) => {
    const other = random.pick(seeds);
    const [from, to] = stretch(other, random);
    const at = random.below(text.length + 1);
    return put(text, at, at, other.slice(from, to));
  },
  // two parts change places
  (text, random) => {
    const [from, to] = stretch(text, random);
    const rest = put(text, from, to, '');
    const at = random.below(rest.length + 1);
    return put(rest, at, at, text.slice(from, to));
  },
  // deeper
  (text, random) => {
    const [open, close] = random.pick(pairs);
    const [from, to] = stretch(text, random);
    const depth = random.chance(0.9) ? 1 + random.below(8) : 1 + random.below(600);
    return put(text, from, to, open.repeat(depth) + text.slice(from, to) + close.repeat(depth));
  },
  // another number
  (text, random) => {
    const found = [...text.matchAll(/\d+/g)];
    if (found.length === 0) return text;
    const { index, 0: digits } = random.pick(found);
    return put(text, index, index + digits.length, random.pick(numbers));
  },
  // other letters
  (text, random) => {
    const [from, to] = stretch(text, random);
    const part = text.slice(from, to);
    return put(text, from, to, part === part.toUpperCase() ? part.toLowerCase() : part.toUpperCase());
  },
];

/** One input, bent at some places. */
export function bent(random: Random, material: Material): string {
  let text = random.pick(material.seeds);
  for (let times = 1 + random.below(5); times > 0; times--) {
    text = random.pick(bends)(text, random, material).slice(0, material.largest);
  }
  if (!material.bytes) return text;
  return text.replace(/[^\u0000-\u00ff]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) & 0xff));
}

/** The shortest part of an input that was found for which something still holds; asks at most so often. */
export async function shortened(
  text: string,
  holds: (text: string) => Promise<boolean>,
  questions = 400,
): Promise<string> {
  let best = text;
  let left = questions;
  for (let size = Math.ceil(best.length / 2); size > 0; size = Math.floor(size / 2)) {
    for (let at = 0; at < best.length && left > 0; ) {
      const shorter = put(best, at, at + size, '');
      left--;
      if (shorter !== best && (await holds(shorter))) best = shorter;
      else at += size;
    }
  }
  return best;
}
