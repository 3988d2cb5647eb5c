// Reads HTML and XML: the text that a page shows and, separately, the text that it contains but does not show.

import type { ExtractedText, HidingPlace } from '../../core/index.ts';
import { tokens } from './markup.ts';
import { isSentence, Texts } from './texts.ts';

/** Elements that have no content. */
const empty: ReadonlySet<string> = new Set([
  ...['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'source', 'track', 'wbr'],
]);

/** Inline elements; all others begin a new line. */
const inline: ReadonlySet<string> = new Set([
  ...[
    'a',
    'abbr',
    'b',
    'bdi',
    'bdo',
    'big',
    'cite',
    'code',
    'data',
    'del',
    'dfn',
    'em',
    'font',
    'i',
    'ins',
    'kbd',
  ],
  ...[
    'label',
    'mark',
    'q',
    's',
    'samp',
    'small',
    'span',
    'strike',
    'strong',
    'sub',
    'sup',
    'time',
    'tspan',
    'tt',
  ],
  ...['u', 'var', 'wbr'],
]);

/** Elements that are never shown, and contain code rather than text. */
const code: ReadonlySet<string> = new Set(['script', 'style']);
const unshown: ReadonlySet<string> = new Set([
  'template',
  'head',
  'datalist',
  'metadata',
  'desc',
  'noscript',
]);

/** Attributes with text for users who do not see the page. */
const spoken = ['alt', 'title', 'aria-label', 'aria-description', 'placeholder', 'summary'] as const;

/** Attributes without words, or whose words are read elsewhere. */
const plain: ReadonlySet<string> = new Set([
  ...['class', 'style', 'd', 'points', 'transform', 'srcset', 'sizes', 'content', 'value', ...spoken],
]);

interface Open {
  readonly name: string;
  readonly hidden: HidingPlace | undefined;
  /** The background colour, if one is named. */
  readonly background: string;
}

/** Browsers do not nest deeper either. */
const deepest = 512;

/** The texts of a page. */
export function readHtml(source: string): readonly ExtractedText[] {
  const texts = new Texts();
  const hiding = hidingSelectors(source);
  const open: Open[] = [];
  const top = (): Open => open.at(-1) ?? { name: '', hidden: undefined, background: 'white' };
  for (const token of tokens(source)) {
    switch (token.kind) {
      case 'text': {
        const { name, hidden } = top();
        if (code.has(name)) texts.add(token.text, `a ${name}`);
        else texts.add(token.text, 'the page', name === 'title' ? undefined : hidden);
        break;
      }
      case 'comment':
        texts.aside(token.text, 'a comment', 'comment');
        break;
      case 'close': {
        const index = open.findLastIndex(({ name }) => name === token.name);
        if (index >= 0) open.splice(index);
        if (!inline.has(token.name)) texts.line();
        break;
      }
      case 'open': {
        const { name, attributes } = token;
        if (!inline.has(name)) texts.line();
        for (const [key, value] of attributes) {
          if (!plain.has(key) && !key.startsWith('on') && isSentence(value)) {
            texts.aside(value, 'an attribute', 'markup');
          }
        }
        for (const key of spoken) {
          const said = attributes.get(key) ?? '';
          if (isSentence(said)) texts.aside(said, `the attribute ${key}`, 'alternative_text');
          else texts.aside(said, 'the attributes');
        }
        if (name === 'meta') texts.aside(attributes.get('content') ?? '', 'the metadata', 'metadata');
        if (name === 'input') {
          const concealed = attributes.get('type')?.toLowerCase() === 'hidden';
          texts.aside(attributes.get('value') ?? '', 'a field', concealed ? 'markup' : undefined);
        }
        if (token.empty || empty.has(name)) break;
        const outer = top();
        const style = styleOf(attributes);
        const background = backgroundOf(style) ?? outer.background;
        const hidden = outer.hidden ?? hidingOf(name, attributes, style, background, hiding);
        if (open.length < deepest) open.push({ name, hidden, background });
      }
    }
  }
  return texts.all;
}

type Attributes = ReadonlyMap<string, string>;

function styleOf(attributes: Attributes): string {
  const colour = attributes.get('color') ?? attributes.get('fill');
  const size = attributes.get('font-size');
  return [
    (attributes.get('style') ?? '').toLowerCase().replaceAll(/\s+/g, ' '),
    ...(colour === undefined ? [] : [`color: ${colour.toLowerCase()}`]),
    ...(size === undefined ? [] : [`font-size: ${size.toLowerCase()}`]),
    ...(attributes.get('display') === 'none' ? ['display: none'] : []),
    ...(attributes.get('opacity') === '0' ? ['opacity: 0'] : []),
  ].join(';');
}

function hidingOf(
  name: string,
  attributes: Attributes,
  style: string,
  background: string,
  hiding: ReadonlySet<string>,
): HidingPlace | undefined {
  if (unshown.has(name) || attributes.has('hidden')) return 'markup';
  const names = [
    name,
    ...(attributes.get('class') ?? '').split(/\s+/).map((one) => `.${one}`),
    `#${attributes.get('id') ?? ''}`,
  ];
  if (names.some((one) => hiding.has(one))) return 'markup';
  return hidingStyle(style, background);
}

/** How a style hides a text; undefined if it does not. */
function hidingStyle(style: string, background: string): HidingPlace | undefined {
  if (style === '') return undefined;
  if (
    /display ?: ?none|visibility ?: ?(?:hidden|collapse)|(?<![-\w])opacity ?: ?0*(?:\.0\d*)?(?![.\d])/.test(
      style,
    )
  ) {
    return 'invisible';
  }
  if (isTiny(style)) return 'size';
  if (
    /(?:left|right|top|bottom|text-indent|margin(?:-left|-top)?|translate[xy]?)\s?[:(] ?-\d{3,}/.test(style)
  ) {
    return 'off_page';
  }
  if (/clip(?:-path)? ?: ?(?:rect\(0|inset\((?:50|100)%)/.test(style)) return 'off_page';
  if (
    /overflow ?: ?hidden/.test(style) &&
    /(?:^|[; ])(?:max-)?(?:height|width) ?: ?[01](?:px)?(?![\d.])/.test(style)
  ) {
    return 'size';
  }
  const colour = /(?<![-\w])color ?: ?([^;]+)/.exec(style)?.[1]?.trim();
  return colour !== undefined && isNear(colour, background) ? 'colour' : undefined;
}

function isTiny(style: string): boolean {
  const [, size = '', unit = ''] = /font-size ?: ?(\d*\.?\d+)(px|pt|em|rem|%|)/.exec(style) ?? [];
  if (size === '') return false;
  const points = { px: 0.75, em: 12, rem: 12, '%': 0.12, pt: 1, '': 0.75 }[unit] ?? 1;
  return Number(size) * points < 2;
}

function backgroundOf(style: string): string | undefined {
  return /background(?:-color)? ?: ?([^;]+)/.exec(style)?.[1]?.trim();
}

/** Whether two colours can hardly be distinguished; an unknown one counts as different. */
function isNear(one: string, other: string): boolean {
  if (/transparent|rgba\([^)]*, ?0(?:\.0\d*)?\)/.test(one)) return true;
  const [first, second] = [rgbOf(one), rgbOf(other)];
  if (first === undefined || second === undefined) return false;
  return first.every((value, index) => Math.abs(value - (second[index] ?? 0)) <= nearColours);
}

/** Colour components, of 255, that differ by less look the same to the eye. */
export const nearColours = 24;

const colourNames: Readonly<Record<string, readonly number[]>> = {
  white: [255, 255, 255],
  snow: [255, 250, 250],
  ivory: [255, 255, 240],
  ghostwhite: [248, 248, 255],
  whitesmoke: [245, 245, 245],
  floralwhite: [255, 250, 240],
  black: [0, 0, 0],
};

function rgbOf(colour: string): readonly number[] | undefined {
  const name = colourNames[colour.replace(/ .*/, '')];
  if (name !== undefined) return name;
  const hex = /#([0-9a-f]{3,8})/.exec(colour)?.[1];
  if (hex !== undefined) {
    const digits = hex.length < 6 ? [...hex].map((digit) => digit + digit).join('') : hex;
    return [0, 2, 4].map((at) => Number.parseInt(digits.slice(at, at + 2), 16));
  }
  const parts = /rgba?\( ?(\d+)[, ]+(\d+)[, ]+(\d+)/.exec(colour)?.slice(1);
  return parts?.map(Number);
}

/** A longer rule is not written by hand, and hides nothing of interest. */
const longestRule = 4000;

/** The plain selectors that the page's own styles hide. */
function hidingSelectors(source: string): ReadonlySet<string> {
  const found = new Set<string>();
  let inStyle = false;
  for (const token of tokens(source)) {
    if (token.kind === 'open') inStyle = token.name === 'style';
    if (token.kind !== 'text' || !inStyle) continue;
    for (const rule of token.text.split('}')) {
      const [selectors = '', declarations = ''] = rule.split('{');
      if (rule.length > longestRule) continue;
      const style = declarations.toLowerCase().replaceAll(/\s+/g, ' ');
      if (hidingStyle(style, backgroundOf(style) ?? 'white') === undefined) continue;
      for (const selector of selectors.split(',')) {
        const last = /([.#]?[\w-]+)\s*$/.exec(selector)?.[1];
        if (last !== undefined) found.add(last);
      }
    }
  }
  return found;
}
