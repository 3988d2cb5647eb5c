// Reads HTML and XML into tags, texts and comments, in one pass and without failing: however a browser would parse it,
// no text is lost.

export type Token =
  | {
      readonly kind: 'open';
      /** In lower case. */
      readonly name: string;
      readonly attributes: ReadonlyMap<string, string>;
      /** It has no content. */
      readonly empty: boolean;
    }
  | { readonly kind: 'close'; readonly name: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'comment'; readonly text: string };

/** Elements whose content is not markup. */
const raw: ReadonlySet<string> = new Set([
  'script',
  'style',
  'textarea',
  'title',
  'xmp',
  'iframe',
  'noembed',
]);

/** The tokens of a text, in order. */
export function* tokens(source: string): Generator<Token> {
  let at = 0;
  while (at < source.length) {
    const open = source.indexOf('<', at);
    if (open < 0) return yield { kind: 'text', text: entities(source.slice(at)) };
    if (open > at) yield { kind: 'text', text: entities(source.slice(at, open)) };
    if (source.startsWith('<!--', open)) {
      const end = source.indexOf('-->', open + 4);
      const until = end < 0 ? source.length : end;
      yield { kind: 'comment', text: source.slice(open + 4, until) };
      at = until + 3;
    } else if (source.startsWith('<![CDATA[', open)) {
      const end = source.indexOf(']]>', open + 9);
      const until = end < 0 ? source.length : end;
      yield { kind: 'text', text: source.slice(open + 9, until) };
      at = until + 3;
    } else if (/[!?]/.test(source.charAt(open + 1))) {
      const end = source.indexOf('>', open);
      const until = end < 0 ? source.length : end;
      yield { kind: 'comment', text: declared(source.slice(open + 2, until)) };
      at = until + 1;
    } else if (/[a-z/]/i.test(source.charAt(open + 1))) {
      const tag = readTag(source, open);
      yield tag.token;
      at = tag.end;
      if (tag.token.kind !== 'open' || tag.token.empty || !raw.has(tag.token.name)) continue;
      const end = endOfRaw(source, at, tag.token.name);
      yield { kind: 'text', text: source.slice(at, end) };
      at = end;
    } else {
      yield { kind: 'text', text: '<' };
      at = open + 1;
    }
  }
}

/** The text of a declaration other than its name; a doctype and the XML version contain no text. */
function declared(text: string): string {
  return /^(?:doctype|xml|mso-|if |endif)/i.test(text) ? '' : text;
}

function endOfRaw(source: string, from: number, name: string): number {
  const close = new RegExp(`</${name}`, 'gi');
  close.lastIndex = from;
  return close.exec(source)?.index ?? source.length;
}

/** The tag at a position; one without an end takes the rest of the input. */
function readTag(source: string, open: number): { token: Token; end: number } {
  const closing = source.charAt(open + 1) === '/';
  const namePattern = /[^\s/>]+/y;
  namePattern.lastIndex = open + (closing ? 2 : 1);
  const name = (namePattern.exec(source)?.[0] ?? '').toLowerCase();
  let at = namePattern.lastIndex || open + 2;
  const attributes = new Map<string, string>();
  const attribute = /[\s/]*([^\s/>=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]*)))?/y;
  for (;;) {
    attribute.lastIndex = at;
    const match = attribute.exec(source);
    if (match === null) break;
    const [, key = '', double, single, bare] = match;
    const value = entities(double ?? single ?? bare ?? '');
    if (!attributes.has(key.toLowerCase())) attributes.set(key.toLowerCase(), value);
    at = attribute.lastIndex;
  }
  const close = source.indexOf('>', at);
  const end = close < 0 ? source.length : close + 1;
  const empty = source.charAt(end - 2) === '/';
  return { token: closing ? { kind: 'close', name } : { kind: 'open', name, attributes, empty }, end };
}

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  shy: '\u00ad',
  zwnj: '\u200c',
  zwj: '\u200d',
  hellip: '…',
  ndash: '–',
  mdash: '—',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  commat: '@',
  period: '.',
  colon: ':',
  sol: '/',
  lowbar: '_',
  Tab: ' ',
  NewLine: '\n',
};

/** The text with its entities decoded. */
function entities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{2,10}));?/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return named[name] ?? whole;
    const code = Number.parseInt(hex ?? decimal, hex === undefined ? 10 : 16);
    const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : '\ufffd';
  });
}
