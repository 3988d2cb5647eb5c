// Tells code from comments and quoted texts in languages without a parser here, so that what is only said is not done.

import { hole } from './values.ts';

/** Languages whose comments and texts are known. */
export type Scripted = 'lua' | 'julia' | 'perl' | 'ruby' | 'php' | 'r';

export function isScripted(language: string): language is Scripted {
  return Object.hasOwn(grammars, language);
}

/** One piece of code at a place: where it ends, and what stands for it. */
interface CodeUnit {
  readonly end: number;
  readonly text: string;
  /** What stands for it where texts may become code, if not the piece itself. */
  readonly asCode?: string;
  /** Code that a text holds and runs when it is read. */
  readonly inside?: string;
}

/** Null: it is not known what begins here; undefined: plain code. */
type Reader = (code: string, at: number) => CodeUnit | null | undefined;

interface Grammar {
  /** What makes it unsure, wherever it stands. */
  readonly never?: RegExp;
  /** The first that knows a place has the say. */
  readonly readers: readonly Reader[];
}

/**
 * The code without its comments, and with every text spelled so that no call can be seen in it.
 * Null where it is not sure what is a text: then all of it is to be taken for code.
 */
export function withoutMentions(code: string, language: Scripted): string | null {
  const { never, readers } = grammars[language];
  if (unsureAnywhere.test(code) || never?.test(code) === true) return null;
  let [masked, bare, at] = ['', '', 0];
  const inside: string[] = [];
  while (at < code.length) {
    const piece = firstUnit(readers, code, at);
    if (piece === null) return null;
    const end = piece?.end ?? at + 1;
    masked += piece?.text ?? code[at];
    bare += piece?.asCode ?? code.slice(at, end);
    if (piece?.inside !== undefined) inside.push(piece.inside);
    at = end;
  }
  // INVARIANT: where a text may become code, all that it says counts as code.
  return [evaluates.test(masked) ? bare : masked, ...inside].join('\n;');
}

function firstUnit(readers: readonly Reader[], code: string, at: number): CodeUnit | null | undefined {
  for (const reader of readers) {
    const piece = reader(code, at);
    if (piece !== undefined) return piece;
  }
  return undefined;
}

/** Ends of lines on which languages differ, parts that are not known, and an end of the code inside the code. */
const unsureAnywhere = new RegExp(
  `[\\r\\f\\v\\0\\u0085\\u2028\\u2029${hole}]|__(?:END|DATA)__|<<<|<<[~-]?(?:\\s*["'\`]|\\w)`,
);

/** Words with which a text becomes code, or a name a call. */
const evaluates =
  /\b(?:\w*eval\w*|\w+_(?:exec|send|function|handler|map|walk|filter)|load\w*|dofile|require\w*|include\w*|parse\w*|str2lang|Meta|\w*invoke\w*|send|method\w*|binding|assert|call_user_func\w*|usort|preg_replace\w*|[gs]etfenv|_G|_ENV|debug|package|source|get|do\.call|match\.fun|Reflection\w*|to_proc|const_get|Kernel|ObjectSpace|define_\w+|new|use|no|BEGIN|tie|bless|AUTOLOAD)\b|->\s*[$(]|&\s*[$:{(]|\$\w+\s*\(|\*\{|\bdo\s*["'$(q]|["'\])]\s*\(/;

/** The text as a literal in which every character of ASCII is an escape: no word and no quote can be seen in it. */
function spelled(content: string, quote: '"' | "'"): string {
  // How a file is opened stays to be seen.
  if (/^[<>+|]{0,2}[rwab+]{0,3}(?::[\w()-]{1,16})?$/.test(content)) return `${quote}${content}${quote}`;
  const hidden = [...content].map((character) => {
    const number = character.charCodeAt(0);
    return number < 128 ? `\\x${number.toString(16).padStart(2, '0')}` : character;
  });
  return `${quote}${hidden.join('')}${quote}`;
}

const simple: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  0: '\0',
  a: '\x07',
  e: '\x1b',
  s: ' ',
};

/** What escapes in a text stand for. */
function unescaped(content: string, decimal: boolean): string {
  return content.replace(
    /\\(?:x\{?([0-9a-fA-F]{1,6})\}?|u\{?([0-9a-fA-F]{1,6})\}?|(\d{1,3})|([\s\S]))/g,
    (_, hexadecimal, point, digits, character) => {
      const code = hexadecimal ?? point;
      const number =
        code !== undefined
          ? Number.parseInt(String(code), 16)
          : digits !== undefined
            ? Number.parseInt(String(digits), decimal ? 10 : 8)
            : Number.NaN;
      if (!Number.isNaN(number)) return number <= 0x10ffff ? String.fromCodePoint(number) : hole;
      return simple[String(character)] ?? String(character);
    },
  );
}

/** Places in a text where a language may run code. */
const runsInside = /[#$@]\{|\$\(|[$@]\w+(?:->)?[[{(]/;

/** Whether brackets that open behind the first such place are closed again, so that no quote ended the text too soon. */
function isWhole(content: string): boolean {
  const from = content.search(/[#$@]\{|\$\(|\{\$/);
  if (from === -1) return true;
  let depth = 0;
  for (const character of content.slice(from)) {
    if ('([{'.includes(character)) depth += 1;
    else if (')]}'.includes(character)) depth -= 1;
    if (depth < 0) return true;
  }
  return depth === 0;
}

function sticky(source: RegExp): (code: string, at: number) => RegExpExecArray | null {
  const pattern = new RegExp(source.source, `${source.flags}y`);
  return (code, at) => {
    pattern.lastIndex = at;
    return pattern.exec(code);
  };
}

function comment(source: RegExp): Reader {
  const match = sticky(source);
  return (code, at) => {
    const found = match(code, at);
    return found === null ? undefined : said(at + found[0].length);
  };
}

/** A piece that is no code. */
function said(end: number): CodeUnit {
  return { end, text: ' ', asCode: ' ' };
}

/** Code whose inside is not looked at. */
function verbatim(source: RegExp): Reader {
  const match = sticky(source);
  return (code, at) => {
    const found = match(code, at)?.[0];
    return found === undefined ? undefined : { end: at + found.length, text: found };
  };
}

function unsure(source: RegExp): Reader {
  const match = sticky(source);
  return (code, at) => (match(code, at) === null ? undefined : null);
}

/** A text in which only the quote and the backslash are escaped, or nothing is. */
function raw(source: RegExp): Reader {
  const match = sticky(source);
  return (code, at) => {
    const found = match(code, at);
    if (found === null) return undefined;
    const content = (found.groups?.['text'] ?? '').replace(/\\(['\\])/g, '$1');
    return { end: at + found[0].length, text: spelled(content, "'") };
  };
}

/** A text with escapes, into which a language may put values. */
function text(source: RegExp, { filled = true, decimal = false } = {}): Reader {
  const match = sticky(source);
  return (code, at) => {
    const found = match(code, at);
    if (found === null) return undefined;
    const content = found.groups?.['text'] ?? '';
    if (filled && !isWhole(content)) return null;
    const piece = {
      end: at + found[0].length,
      text: spelled(unescaped(content, decimal), filled ? '"' : "'"),
    };
    return filled && runsInside.test(content) ? { ...piece, inside: content } : piece;
  };
}

const double = /"(?<text>(?:[^"\\]|\\[\s\S])*)"/;
const single = /'(?<text>(?:[^'\\]|\\[\s\S])*)'/;
const toEndOfLine = /#[^\n]*/;
const backticks = verbatim(/`(?:[^`\\]|\\[\s\S])*`/);
/** A quote that nothing closes. */
const openQuote = unsure(/["'`]/);
/** Variables that are called like a quote or a mark. */
const punctuationVariable = unsure(/\$["'`/#%~;]/);

const pairs: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '<': '>' };

/** The place behind the end of what a delimiter at this place opens; -1 where it has none. */
function closedAt(code: string, at: number): number {
  const open = code[at] ?? '';
  const close = pairs[open] ?? open;
  let depth = 0;
  for (let place = at; place < code.length; place++) {
    const character = code[place];
    if (character === '\\') place += 1;
    else if (character === open && (depth === 0 || close !== open)) depth += 1;
    else if (character === close) depth -= 1;
    if (depth === 0 && place > at) return place + 1;
  }
  return -1;
}

/** A text between delimiters of its own choice, as `%q{…}` and `qq(…)`. */
function delimited(source: RegExp, fills: (kind: string) => boolean): Reader {
  const match = sticky(source);
  return (code, at) => {
    const found = match(code, at)?.[0];
    if (found === undefined) return undefined;
    const opens = at + found.length - 1;
    const end = closedAt(code, opens);
    if (end === -1) return null;
    const content = code.slice(opens + 1, end - 1);
    if (!fills(found.slice(0, -1))) return { end, text: spelled(content.replace(/\\([\\'])/g, '$1'), "'") };
    const piece = { end, text: spelled(unescaped(content, false), '"') };
    return runsInside.test(content) ? { ...piece, inside: content } : piece;
  };
}

/** A slash behind a value divides; any other may begin a pattern, whose end is sure only where no quote follows. */
const slash: Reader = (code, at) => {
  if (code[at] !== '/') return undefined;
  if (/(?:[)\]"']|[$@]\w+|(?<![\w$@])\d+)[ \t]*$/.test(code.slice(Math.max(0, at - 64), at)))
    return { end: at + 1, text: '/' };
  return /["'`#]/.test(code.slice(at)) ? null : { end: code.length, text: code.slice(at) };
};

/** Documentation in perl begins a line where a statement could begin. */
const pod: Reader = (code, at) => {
  if (code[at] !== '=' || !/^=[a-zA-Z]/.test(code.slice(at, at + 2))) return undefined;
  if (at > 0 && code[at - 1] !== '\n') return undefined;
  if (!/(?:^|[;}])\s*$/.test(code.slice(0, at))) return null;
  const cut = /\n=cut(?![a-zA-Z])[^\n]*/.exec(code.slice(at));
  return said(cut === null ? code.length : at + cut.index + cut[0].length);
};

const quoteWord = sticky(/(?<![\w$@%&]|->)(?:q[qwrx]?|m|s|y|tr)\b\s*(?!=>)[^\w\s,;)}]/);

/** Other words of perl that quote: their text may hold quotes, and a substitution may run its own. */
const otherQuote: Reader = (code, at) => {
  const found = quoteWord(code, at);
  if (found === null) return undefined;
  return lastQuoteIn(code) >= at + found[0].length ? null : undefined;
};

/** Kept for the code that is being read, which may ask at every word. */
let quotes = { code: '', last: -1 };

function lastQuoteIn(code: string): number {
  if (quotes.code !== code)
    quotes = { code, last: Math.max(...['"', "'", '`', '#'].map((quote) => code.lastIndexOf(quote))) };
  return quotes.last;
}

/** A percent sign begins a text in ruby where no value stands before it that could be divided. */
const percentText =
  /(?<=^|[(,=;{[|&\n]\s*|[(,=]\s*\*|(?:^|[;{(\n]\s*)(?:puts|print|warn|system|exec|spawn|eval)\s+)%[qQwWiI]?[([{<|!/]/;

const grammars: Readonly<Record<Scripted, Grammar>> = {
  lua: {
    readers: [
      comment(/--\[(=*)\[[\s\S]*?\]\1\]/),
      unsure(/--\[=*\[/),
      comment(/--[^\n]*/),
      raw(/\[(=*)\[(?<text>[\s\S]*?)\]\1\]/),
      text(/"(?<text>(?:[^"\\\n]|\\[\s\S])*)"/, { filled: false, decimal: true }),
      text(/'(?<text>(?:[^'\\\n]|\\[\s\S])*)'/, { filled: false, decimal: true }),
      openQuote,
    ],
  },
  julia: {
    readers: [
      comment(/#=(?:(?!#=|=#)[\s\S])*=#/),
      unsure(/#=/),
      comment(toEndOfLine),
      unsure(/(?<=\w)["`]/),
      text(/"""(?<text>(?:[^"\\]|\\[\s\S]|"(?!""))*)"""/),
      text(double),
      backticks,
      // Behind a value it turns a matrix round, unless what follows would be a character.
      unsure(/(?<=[\w)\]}'.])'(?:[^'\\]'|\\)/),
      verbatim(/(?<=[\w)\]}'.])'/),
      text(/'(?<text>[^'\\]|\\[^']{1,9})'/, { filled: false }),
      openQuote,
    ],
  },
  r: {
    readers: [
      unsure(/%[^%\n]*["'#`][^%\n]*%|(?<!\w)[rR]["']/),
      comment(toEndOfLine),
      text(double, { filled: false }),
      text(single, { filled: false }),
      backticks,
      openQuote,
    ],
  },
  php: {
    // Outside its tags all is text of the page.
    never: /[\s\S]<\?|\?>/,
    readers: [
      comment(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|#(?!\[)[^\n]*/),
      unsure(/\/\*/),
      text(double),
      raw(single),
      backticks,
      openQuote,
    ],
  },
  ruby: {
    // Somebody's own variable of that name could be divided.
    never:
      /(?<!:)\b(?:puts|print|warn|system|exec|spawn|eval)\s*(?:[-+*/|&]*=(?!=)|[,|)])|(?:\bin|=>)\s+(?:puts|print|warn|system|exec|spawn|eval)\b/,
    readers: [
      punctuationVariable,
      comment(/(?<=^|\n)=begin(?=\s)[\s\S]*?\n=end(?=\s|$)[^\n]*/),
      unsure(/(?<=^|\n)=begin\b/),
      unsure(/(?<![\w)\]}])\?["'`#%/]/),
      comment(toEndOfLine),
      delimited(percentText, (kind) => !/[qwi]$/.test(kind)),
      unsure(/%(?!\s)/),
      text(double),
      raw(single),
      backticks,
      openQuote,
      slash,
    ],
  },
  perl: {
    never: /^\s*format\b|[$@%&*](?:\{\s*[^\w\s]|\s+[#"'`])/m,
    readers: [
      verbatim(/\$#/),
      punctuationVariable,
      pod,
      unsure(/(?<=\w)'/),
      delimited(/(?<![\w$@%&>{-])q[qw]?[([{<|!/~^]/, (kind) => kind === 'qq'),
      otherQuote,
      unsure(/(?<![\w$@%&]|->)(?:q[qwrx]?|m|s|y|tr)\b\s*["'`#]/),
      comment(toEndOfLine),
      text(double),
      raw(single),
      backticks,
      openQuote,
      slash,
    ],
  },
};
