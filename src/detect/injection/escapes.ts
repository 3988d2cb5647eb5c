// Escapes of URLs, of strings and of HTML, decoded in place: each decoded letter keeps the place of its escape.

import { type Decoded, mostDecoded, placed } from './decoded.ts';

const utf8 = new TextDecoder();

const escapeSign =
  /%[0-9a-f]{2}|\\["n]|\\u\{[0-9a-f]{1,6}\}|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|&#\d{1,7};?|&#x[0-9a-f]{1,6};?|&(?:amp|lt|gt|quot|apos|nbsp|excl|comma|period|colon|lpar|rpar|Tab|NewLine);/gi;

/** How far apart two escapes may stand to be decoded as one text. */
const escapeReach = 40;

/** Regions with two or more escapes of URLs, strings or HTML. */
export function escapes(text: string): Decoded[] {
  if (!/[%\\&]/.test(text)) return [];
  const found: Decoded[] = [];
  let group: RegExpExecArray[] = [];
  const close = () => {
    if (group.length >= 2 && found.length < mostDecoded) found.push(unescaped(text, group));
    group = [];
  };
  for (const match of text.matchAll(escapeSign)) {
    const last = group.at(-1);
    if (last !== undefined && match.index - last.index - last[0].length > escapeReach) close();
    group.push(match);
  }
  close();
  return found;
}

/** The bytes of one letter, which may take several, each with its own sign. */
function octetsFrom(group: readonly RegExpExecArray[], index: number): readonly number[] {
  const octets: number[] = [];
  let end: number | undefined;
  for (const { 0: sign, index: start } of group.slice(index, index + 4)) {
    const follows = (octets[0] ?? 0) >= 0xc0 && start === end && /^%[89ab]/i.test(sign);
    if (octets.length > 0 && !follows) break;
    octets.push(Number.parseInt(sign.slice(1), 16));
    end = start + sign.length;
  }
  return octets;
}

function unescaped(text: string, group: readonly RegExpExecArray[]): Decoded {
  const first = group[0]?.index ?? 0;
  const last = group.at(-1);
  let from = first;
  while (from > 0 && first - from < escapeReach && text.charCodeAt(from - 1) > 32) from--;
  const groupEnd = (last?.index ?? 0) + (last?.[0].length ?? 0);
  let to = groupEnd;
  while (to < text.length && to - groupEnd < escapeReach && text.charCodeAt(to) !== 10) to++;
  const parts: string[] = [];
  // The place of each decoded UTF-16 unit.
  const places = new Int32Array(to - from);
  let size = 0;
  const copy = (start: number, end: number) => {
    parts.push(text.slice(start, end));
    for (let index = start; index < end; index++) places[size++] = index;
  };
  let at = from;
  for (let index = 0; index < group.length; index++) {
    const match = group[index];
    if (match === undefined) continue;
    copy(at, match.index);
    at = match.index + match[0].length;
    let plain: string;
    if (match[0].startsWith('%')) {
      const octets = octetsFrom(group, index);
      at += 3 * (octets.length - 1);
      index += octets.length - 1;
      plain =
        octets.length === 1 ? String.fromCharCode(octets[0] ?? 0) : utf8.decode(Uint8Array.from(octets));
    } else plain = plainOf(match[0]);
    parts.push(plain);
    for (let unit = 0; unit < plain.length; unit++) places[size++] = match.index;
  }
  copy(at, to);
  const kind = group[0]?.[0].charAt(0);
  return placed(
    parts.join(''),
    places.subarray(0, size),
    kind === '%' ? 'url' : kind === '&' ? 'entity' : 'escape',
  );
}

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  excl: '!',
  comma: ',',
  period: '.',
  colon: ':',
  lpar: '(',
  rpar: ')',
  tab: ' ',
  newline: '\n',
};

function plainOf(sign: string): string {
  if (sign === '\\n') return '\n';
  if (sign === '\\"') return '"';
  const isEntity = sign.startsWith('&');
  if (isEntity && sign.charAt(1) !== '#') return named[sign.slice(1, -1).toLowerCase()] ?? ' ';
  const isHex = !isEntity || /x/i.test(sign.charAt(2));
  const digits = sign.replace(/^(?:\\[ux]\{?|&#x?)/i, '');
  const code = Number.parseInt(digits, isHex ? 16 : 10);
  return code <= 0x10ffff ? String.fromCodePoint(code) : ' ';
}
