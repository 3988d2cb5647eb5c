// Cuts Python into logical lines of tokens. A scanner and no parser: it reads what no grammar knows yet, and is fast.

/** What a token is. */
export const token = { name: 1, text: 2, number: 3, sign: 4 } as const;

/** The tokens of one logical line; arrays are used again for the next one, and what stands behind its last is of others. */
export interface Line {
  /** Columns of white space before the first token. */
  indent: number;
  /** Where the line begins and where the next one does. */
  start: number;
  next: number;
  /** How many tokens it has. */
  length: number;
  readonly kinds: number[];
  readonly starts: number[];
  readonly ends: number[];
  readonly words: string[];
}

export function newLine(): Line {
  return { indent: 0, start: 0, next: 0, length: 0, kinds: [], starts: [], ends: [], words: [] };
}

const letter = /[\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}]/u;
const longSigns =
  /\*\*=|\/\/=|>>=|<<=|\.\.\.|:=|->|==|!=|<=|>=|\+=|-=|\*=|\/=|%=|&=|\|=|\^=|@=|\*\*|\/\/|<<|>>/y;

function isNameStart(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || code > 127;
}

/** Whether a sign may go on with this character; most do not, which saves the pattern. */
function isLong(code: number): boolean {
  return code === 61 || code === 42 || code === 47 || code === 46 || code === 62 || code === 60;
}

function longSign(text: string, at: number): number {
  longSigns.lastIndex = at;
  return longSigns.test(text) ? longSigns.lastIndex : at + 1;
}

function isNamePart(code: number): boolean {
  return isNameStart(code) || (code >= 48 && code <= 57);
}

/** Reads the next logical line that has tokens, from the beginning of a line; false at the end of the text. */
export function readLine(text: string, from: number, line: Line): boolean {
  const { kinds, starts, ends, words } = line;
  const { length } = text;
  let count = 0;
  let at = from;
  let indent = 0;
  let depth = 0;
  let begun = false;
  while (at < length) {
    const code = text.charCodeAt(at);
    if (code === 10 || code === 13) {
      at++;
      if (begun && depth === 0) {
        line.next = at;
        line.length = count;
        return true;
      }
      if (!begun) indent = 0;
    } else if (code === 32 || code === 9 || code === 12) {
      if (!begun) indent = code === 9 ? (indent & ~7) + 8 : code === 12 ? 0 : indent + 1;
      at++;
    } else if (code === 35) {
      const end = text.indexOf('\n', at);
      at = end < 0 ? length : end;
    } else if (code === 92 && (text.charCodeAt(at + 1) === 10 || text.charCodeAt(at + 1) === 13)) {
      at += text.charCodeAt(at + 1) === 13 && text.charCodeAt(at + 2) === 10 ? 3 : 2;
    } else {
      if (!begun) {
        begun = true;
        line.indent = indent;
        line.start = at;
      }
      const start = at;
      let kind: number = token.sign;
      if (isNameStart(code)) {
        at++;
        while (at < length && isNamePart(text.charCodeAt(at))) at++;
        const quote = text.charCodeAt(at);
        if (
          (quote === 34 || quote === 39) &&
          at - start <= 2 &&
          /^(?:[rbuft]|[rR][bBfFtT]|[bBfFtT][rR])$/i.test(text.slice(start, at))
        ) {
          kind = token.text;
          at = textEnd(text, at, text.slice(start, at));
        } else {
          kind = token.name;
          // A character beyond ASCII that is no letter ends a name.
          if (code > 127 && !letter.test(text.slice(start, start + 2))) kind = token.sign;
        }
      } else if (code === 34 || code === 39) {
        kind = token.text;
        at = textEnd(text, at, '');
      } else if (code >= 48 && code <= 57) {
        kind = token.number;
        at++;
        while (at < length && (isNamePart(text.charCodeAt(at)) || text.charCodeAt(at) === 46)) at++;
      } else {
        if (code === 40 || code === 91 || code === 123) depth++;
        else if ((code === 41 || code === 93 || code === 125) && depth > 0) depth--;
        at = isLong(text.charCodeAt(at + 1)) ? longSign(text, at) : at + 1;
      }
      kinds[count] = kind;
      starts[count] = start;
      ends[count] = at;
      // Texts are never compared, and may be long.
      words[count] = kind === token.text ? '"' : text.slice(start, at);
      count++;
    }
  }
  line.next = length;
  line.length = count;
  return begun;
}

/** Where a text ends that begins with the quote at a place. */
function textEnd(text: string, at: number, prefix: string): number {
  const formatted = /[ft]/i.test(prefix);
  const quote = text[at] ?? '';
  const triple = text.startsWith(quote + quote + quote, at);
  const mark = triple ? quote + quote + quote : quote;
  const start = at + mark.length;
  if (!formatted) return plainEnd(text, start, mark);
  return formattedEnd(text, start, mark, 0) ?? plainEnd(text, start, mark);
}

/** A text that has no end on its line ends with the line, so that one mistake does not swallow the file. */
function plainEnd(text: string, start: number, mark: string): number {
  if (mark.length > 1) return closingEnd(text, start, mark);
  const quote = mark.charCodeAt(0);
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 92) at++;
    else if (code === 10) return at;
    else if (code === quote) return at + 1;
  }
  return text.length;
}

/** Where a text between triple quotes ends, from a place inside of it. */
export function closingEnd(text: string, from: number, mark: string): number {
  let end = text.indexOf(mark, from);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf(mark, end + 1);
  return end < 0 ? text.length : end + mark.length;
}

function isEscaped(text: string, at: number): boolean {
  let count = 0;
  while (text.charCodeAt(at - 1 - count) === 92) count++;
  return count % 2 === 1;
}

/** The end of a text with fields, which may hold texts with the same quotes; null where it has none. */
function formattedEnd(text: string, start: number, mark: string, nesting: number): number | null {
  if (nesting > 8) return null;
  const short = mark.length === 1;
  const quote = mark.charCodeAt(0);
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 92) at++;
    else if (depth === 0 && code === quote && (short || text.startsWith(mark, at))) return at + mark.length;
    else if (code === 10 && short && depth === 0) return null;
    else if (code === 123) {
      if (depth === 0 && text.charCodeAt(at + 1) === 123) at++;
      else depth++;
    } else if (code === 125) {
      if (depth > 0) depth--;
    } else if (depth > 0 && (code === 34 || code === 39)) {
      const character = text[at] ?? '';
      const inner = text.startsWith(character.repeat(3), at) ? character.repeat(3) : character;
      const end = formattedEnd(text, at + inner.length, inner, nesting + 1);
      if (end === null) return null;
      at = end - 1;
    }
  }
  return null;
}
