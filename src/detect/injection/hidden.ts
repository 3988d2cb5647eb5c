// What a text hides from the eye: characters that are not shown, and HTML that a page does not show.

import type { Span } from './fold.ts';

const injectionFlags = [
  'tag_characters',
  'bidi',
  'zero_width',
  'homoglyphs',
  'hidden_text',
  'decoded_blob',
] as const;

export type InjectionFlag = (typeof injectionFlags)[number];

/** Units that any sign below has; a text without them is done with one look. */
const suspects =
  /[\u0370-\u052f\u180e\u200b-\u200d\u202a-\u202e\u2060-\u2069\ufeff\uff21-\uff5a\ud835\udb40]/;

const signs: readonly (readonly [InjectionFlag, RegExp])[] = [
  // A few tags after a black flag make the flag of a region.
  ['tag_characters', /(?<!\u{1f3f4}[\u{e0020}-\u{e007e}]{0,6})[\u{e0020}-\u{e007e}]/u],
  ['bidi', /[\u202a-\u202e\u2066-\u2069]/],
  ['zero_width', /[\u200b\u2060-\u2064\u180e]|.\ufeff|[A-Za-z0-9][\u200c\u200d]+[A-Za-z0-9]/],
  [
    'homoglyphs',
    /[A-Za-z][\u0370-\u03ff\u0400-\u04ff]|[\u0370-\u03ff\u0400-\u04ff][A-Za-z]|[\uff21-\uff5a]{3}|(?:\ud835[\udc00-\udea3]){3}/,
  ],
];

/** The flags of a text as it came. */
export function flagsOf(source: string): InjectionFlag[] {
  if (!suspects.test(source)) return [];
  return signs.filter(([, pattern]) => pattern.test(source)).map(([flag]) => flag);
}

const longestTag = 600;
const longestHidden = 2000;

const hidingTag =
  /display ?: ?none|visibility ?: ?hidden|font-size ?: ?0|opacity ?: ?0(?![.\d])|color ?: ?(?:white|#fff|transparent)|left ?: ?-\d{3}|\shidden\b/i;
const alternativeText = /\balt ?= ?"([^"]{40,})"/i;
const sentence = /[a-z]{2,} [a-z]{2,}/i;

/** Where text is that a page would not show: comments, hidden elements, long alternative texts. */
export function hiddenSpans(source: string): Span[] {
  const spans: Span[] = [];
  let commentsEnd = true;
  for (let at = source.indexOf('<'); at >= 0; at = source.indexOf('<', at + 1)) {
    if (source.startsWith('<!--', at)) {
      const end = commentsEnd ? source.indexOf('-->', at + 4) : -1;
      if (end < 0) {
        commentsEnd = false;
        continue;
      }
      if (sentence.test(source.slice(at + 4, Math.min(end, at + longestHidden)))) spans.push([at, end + 3]);
      at = end;
      continue;
    }
    if (!isLetter(source.charCodeAt(at + 1))) continue;
    const end = source.indexOf('>', at);
    if (end < 0) break;
    if (end - at > longestTag) continue;
    const tag = source.slice(at, end);
    if (alternativeText.test(tag)) spans.push([at, end]);
    if (hidingTag.test(tag)) {
      const close = source.indexOf('<', end);
      const to = Math.min(close < 0 ? source.length : close, end + longestHidden);
      if (sentence.test(source.slice(end, to))) spans.push([at, to]);
    }
    at = end;
  }
  return spans;
}

function isLetter(unit: number): boolean {
  return (unit | 32) >= 97 && (unit | 32) <= 122;
}
