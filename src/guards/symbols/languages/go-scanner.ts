// Splits Go into tokens: names, texts, numbers and signs, without blanks and comments.

export const token = { name: 0, text: 1, number: 2, sign: 3 } as const;
type TokenKind = (typeof token)[keyof typeof token];

/** The tokens of a file, by number. */
export class GoTokens {
  readonly kinds: TokenKind[] = [];
  readonly words: string[] = [];
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  /** Whether a line break stands before the token. */
  readonly breaks: boolean[] = [];

  get length(): number {
    return this.words.length;
  }

  /** The word of a token; empty beyond the ends. */
  word(index: number): string {
    return this.words[index] ?? '';
  }

  /** Whether a token is a name that is no keyword. */
  isName(index: number): boolean {
    return this.kinds[index] === token.name && !keywords.has(this.words[index] ?? '');
  }

  /** Whether a statement begins at a token: it is the first, or the one before ends a line or a statement. */
  begins(index: number): boolean {
    const before = index - 1;
    if (before < 0 || this.words[before] === ';') return true;
    return this.breaks[index] === true && this.#endsLine(before);
  }

  /** Whether a line break behind a token ends the statement. */
  #endsLine(index: number): boolean {
    const word = this.words[index] ?? '';
    if (this.kinds[index] === token.sign)
      return word === ')' || word === ']' || word === '}' || /[+-]{2}/.test(word);
    return !keywords.has(word) || /^(?:break|continue|fallthrough|return)$/.test(word);
  }

  /** The token behind the bracket that closes the one at a place, or the end. */
  behind(open: number): number {
    let depth = 0;
    for (let index = open; index < this.length; index++) {
      if (this.kinds[index] !== token.sign) continue;
      const word = this.words[index] ?? '';
      if (word === '(' || word === '[' || word === '{') depth++;
      else if ((word === ')' || word === ']' || word === '}') && --depth <= 0) return index + 1;
    }
    return this.length;
  }
}

const keywords: ReadonlySet<string> = new Set([
  ...[
    'break',
    'case',
    'chan',
    'const',
    'continue',
    'default',
    'defer',
    'else',
    'fallthrough',
    'for',
    'func',
    'go',
  ],
  ...[
    'goto',
    'if',
    'import',
    'interface',
    'map',
    'package',
    'range',
    'return',
    'select',
    'struct',
    'switch',
    'type',
  ],
  'var',
]);

const pattern =
  /(\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)|([\p{L}_][\p{L}\p{Nd}_]*)|(`[^`]*`|"(?:[^"\\\n]|\\[^\n])*"|'(?:[^'\\\n]|\\[^\n])*')|([0-9][\w.]*)|(:=|\.\.\.|\+\+|--|[\s\S])/uy;

/** The tokens of a text; null where it is not Go: a text or comment without end, a bracket that fits no other. */
export function readGo(text: string): GoTokens | null {
  const tokens = new GoTokens();
  const open: string[] = [];
  let isBroken = false;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const [word, blank, name, quoted, number] = match;
    if (blank !== undefined) {
      // A comment over several lines counts as a line break, as those in it do.
      isBroken ||= blank.includes('\n');
      continue;
    }
    const kind =
      name !== undefined
        ? token.name
        : quoted !== undefined
          ? token.text
          : number !== undefined
            ? token.number
            : token.sign;
    // Nothing behind the beginning of a comment without end can be read.
    if (kind === token.sign && (!fits(word, open) || text.startsWith('/*', match.index))) return null;
    tokens.kinds.push(kind);
    tokens.words.push(word);
    tokens.starts.push(match.index);
    tokens.ends.push(match.index + word.length);
    tokens.breaks.push(isBroken);
    isBroken = false;
  }
  return open.length === 0 ? tokens : null;
}

const closes: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** Keeps the brackets that are open; false for one that fits no other, and for the beginning of a text without end. */
function fits(word: string, open: string[]): boolean {
  if (word === '"' || word === '`' || word === "'") return false;
  if (word === '(' || word === '[' || word === '{') open.push(word);
  const opener = closes[word];
  return opener === undefined || open.pop() === opener;
}
