// Ignore rules as git reads them: patterns of .gitignore, .git/info/exclude and .sallyportignore, bytes for bytes.
//
// Names and patterns are compared as bytes, one character a byte (latin1), so that a name in any encoding is met
// exactly. Matching never backtracks further than the last star, so that no pattern is slow.

/** One line of an ignore file. */
export interface Pattern {
  /** The line began with `!`: its matches are not ignored after all. */
  readonly negated: boolean;
  readonly folderOnly: boolean;
  matches(path: string, name: string): boolean;
}

/** The patterns of one folder, on top of those of its parent folders. */
export interface Level {
  readonly outer: Level | undefined;
  /** How many bytes of an absolute path come before the part that the patterns are about. */
  readonly prefix: number;
  readonly patterns: readonly Pattern[];
}

/** The effective rules in a folder. */
export interface Rules {
  readonly own: Level | undefined;
  readonly git: Level | undefined;
}

/** The source of a rule; our own rules precede git's, and may include files that git ignores. */
export type Say = 'we ignore it' | 'we keep it' | 'git ignores it' | undefined;

/** The result of the rules for an entry; its folder is not ignored, or the entry would not be checked. */
export function whatRulesSay(rules: Rules, path: string, name: string, folder: boolean): Say {
  const own = lastMatch(rules.own, path, name, folder);
  if (own !== undefined) return own.negated ? 'we keep it' : 'we ignore it';
  return lastMatch(rules.git, path, name, folder)?.negated === false ? 'git ignores it' : undefined;
}

/** The pattern that decides: of the innermost folder that has one, the last that matches. */
function lastMatch(
  innermost: Level | undefined,
  path: string,
  name: string,
  folder: boolean,
): Pattern | undefined {
  for (let level = innermost; level !== undefined; level = level.outer) {
    const own = path.slice(level.prefix);
    const found = level.patterns.findLast(
      (pattern) => (folder || !pattern.folderOnly) && pattern.matches(own, name),
    );
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The patterns of an ignore file, in its order. */
export function parseIgnore(text: string): readonly Pattern[] {
  const byteOrderMark = '\u00ef\u00bb\u00bf';
  const body = text.startsWith(byteOrderMark) ? text.slice(byteOrderMark.length) : text;
  return body.split('\n').flatMap((line) => {
    const pattern = parsePattern(line.endsWith('\r') ? line.slice(0, -1) : line);
    return pattern === undefined ? [] : [pattern];
  });
}

function parsePattern(line: string): Pattern | undefined {
  if (line.startsWith('#')) return undefined;
  let text = withoutTrailingSpaces(line);
  const negated = text.startsWith('!');
  if (negated) text = text.slice(1);
  const folderOnly = text.endsWith('/');
  if (folderOnly) text = text.slice(0, -1);
  if (text === '') return undefined;
  if (!text.includes('/')) {
    const glob = parseGlob(text);
    return { negated, folderOnly, matches: (_, name) => matchesGlob(glob, name) };
  }
  // An escaped slash is a slash like any other.
  const plain = text.replace(/^\//, '').replace(/\\./gs, (pair) => (pair === '\\/' ? '/' : pair));
  const parts = plain.split('/').map(parsePart);
  return { negated, folderOnly, matches: (path) => matchesParts(parts, path.split('/')) };
}

/** Trailing spaces are ignored, unless a backslash precedes them. */
function withoutTrailingSpaces(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === ' ') end--;
  if (end === line.length) return line;
  let backslashes = 0;
  while (line[end - 1 - backslashes] === '\\') backslashes++;
  return line.slice(0, backslashes % 2 === 1 ? end + 1 : end);
}

// ── one name

type Token = '*' | '?' | { readonly is: string } | { readonly in: (character: string) => boolean };
/** A name without special characters is compared literally; `null` is a pattern that matches nothing. */
type Glob = string | readonly Token[] | null;

function parseGlob(text: string): Glob {
  if (!/[*?[\\]/.test(text)) return text;
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (character === '*') {
      if (tokens.at(-1) !== '*') tokens.push('*');
    } else if (character === '?') tokens.push('?');
    else if (character === '\\') {
      at++;
      if (at >= text.length) return null;
      tokens.push({ is: text[at] ?? '' });
    } else if (character === '[') {
      const set = parseSet(text, at + 1);
      if (set === undefined) return null;
      tokens.push({ in: set.has });
      at = set.end;
    } else tokens.push({ is: character });
  }
  return tokens;
}

const classes: Readonly<Record<string, RegExp>> = {
  alnum: /[A-Za-z0-9]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  cntrl: /[\x00-\x1f\x7f]/,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[ \t-\r]/,
  upper: /[A-Z]/,
  xdigit: /[A-Fa-f0-9]/,
};

/** A set such as [a-z], read after its bracket; an unterminated one is not a set. */
function parseSet(
  text: string,
  start: number,
): { has: (character: string) => boolean; end: number } | undefined {
  let at = start;
  const negated = text[at] === '!' || text[at] === '^';
  if (negated) at++;
  const tests: ((character: string) => boolean)[] = [];
  for (let first = true; ; first = false) {
    const character = text[at];
    if (character === undefined) return undefined;
    if (character === ']' && !first) break;
    if (character === '[' && text[at + 1] === ':') {
      const end = text.indexOf(':]', at + 2);
      const known = classes[text.slice(at + 2, end)];
      if (end < 0 || known === undefined) return undefined;
      tests.push((one) => known.test(one));
      at = end + 2;
      continue;
    }
    const low = character === '\\' ? text[++at] : character;
    at++;
    let high = low;
    if (text[at] === '-' && text[at + 1] !== undefined && text[at + 1] !== ']') {
      high = text[at + 1] === '\\' ? text[at + 2] : text[at + 1];
      at += text[at + 1] === '\\' ? 3 : 2;
    }
    if (low === undefined || high === undefined) return undefined;
    const [from, to] = [low, high];
    tests.push((one) => one >= from && one <= to);
  }
  return { has: (one) => tests.some((test) => test(one)) !== negated, end: at };
}

function matchesGlob(glob: Glob, name: string): boolean {
  if (glob === null) return false;
  if (typeof glob === 'string') return glob === name;
  return matchesStarred(
    glob.length,
    name.length,
    (index) => glob[index] === '*',
    (index, place) => {
      const token = glob[index];
      const character = name[place] ?? '';
      if (token === undefined || token === '*') return false;
      if (token === '?') return true;
      return 'is' in token ? token.is === character : token.in(character);
    },
  );
}

// ── paths

type Part = '**' | Glob;

function parsePart(text: string): Part {
  return /^\*\*+$/.test(text) ? '**' : parseGlob(text);
}

function matchesParts(parts: readonly Part[], path: readonly string[]): boolean {
  // `a/**` is about what is in a, and not about a.
  const inside = parts.at(-1) === '**';
  const wanted = inside ? [...parts, parseGlob('*')] : parts;
  return matchesStarred(
    wanted.length,
    path.length,
    (index) => wanted[index] === '**',
    (index, place) => matchesGlob(wanted[index] ?? null, path[place] ?? ''),
  );
}

/**
 * Whether a sequence with stars matches another one. A star takes as little as it can, and only the most recent star is
 * extended on a mismatch: that is enough, and takes at most length × length steps.
 */
function matchesStarred(
  length: number,
  places: number,
  isStar: (index: number) => boolean,
  fits: (index: number, place: number) => boolean,
): boolean {
  let index = 0;
  let place = 0;
  let star = -1;
  let taken = 0;
  while (place < places) {
    if (index < length && isStar(index)) {
      star = index++;
      taken = place;
    } else if (index < length && fits(index, place)) {
      index++;
      place++;
    } else if (star >= 0) {
      index = star + 1;
      place = ++taken;
    } else return false;
  }
  while (index < length && isStar(index)) index++;
  return index === length;
}
