// Patterns of the shell (`*`, `?`, `[a-z]`, `@(a|b)`), matched in time linear in the text for each token.

/** One token of a pattern. */
type Token =
  | { readonly kind: 'character'; readonly character: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'many' }
  | { readonly kind: 'set'; readonly negated: boolean; readonly holds: (character: string) => boolean }
  | { readonly kind: 'group'; readonly operator: string; readonly choices: readonly Pattern[] };

export type Pattern = readonly Token[];

const classes: Readonly<Record<string, RegExp>> = {
  alpha: /[A-Za-z]/,
  digit: /[0-9]/,
  alnum: /[A-Za-z0-9]/,
  upper: /[A-Z]/,
  lower: /[a-z]/,
  space: /\s/,
  blank: /[ \t]/,
  punct: /[!-/:-@[-`{-~]/,
  xdigit: /[0-9A-Fa-f]/,
  cntrl: /[\u0000-\u001f\u007f]/,
  print: /[ -~]/,
  graph: /[!-~]/,
  word: /\w/,
};

/** The pattern that a text spells; a backslash takes the meaning from the character behind it. */
export function readPattern(text: string): Pattern {
  const tokens: Token[] = [];
  let index = 0;
  while (index < text.length) {
    const character = text[index] ?? '';
    if (/[?*+@!]/.test(character) && text[index + 1] === '(') {
      const group = readGroup(text, index + 2);
      if (group !== null) {
        tokens.push({ kind: 'group', operator: character, choices: group.choices });
        index = group.end;
        continue;
      }
    }
    if (character === '\\' && index + 1 < text.length) {
      tokens.push({ kind: 'character', character: text[index + 1] ?? '' });
      index += 2;
      continue;
    }
    const set = character === '[' ? readSet(text, index) : null;
    if (set !== null) {
      tokens.push(set.token);
      index = set.end;
      continue;
    }
    if (character === '*') tokens.push({ kind: 'many' });
    else if (character === '?') tokens.push({ kind: 'any' });
    else tokens.push({ kind: 'character', character });
    index += 1;
  }
  return tokens;
}

function readGroup(text: string, start: number): { choices: Pattern[]; end: number } | null {
  const choices: Pattern[] = [];
  let depth = 1;
  let from = start;
  for (let index = start; index < text.length; index++) {
    const character = text[index];
    if (character === '\\') index += 1;
    else if (character === '(') depth += 1;
    else if (character === ')' || character === '|') {
      if (character === ')') depth -= 1;
      if (depth > 1 || (depth === 1 && character === ')')) continue;
      choices.push(readPattern(text.slice(from, index)));
      from = index + 1;
      if (depth === 0) return { choices, end: index + 1 };
    }
  }
  return null;
}

function readSet(text: string, start: number): { token: Token; end: number } | null {
  let index = start + 1;
  const negated = text[index] === '!' || text[index] === '^';
  if (negated) index += 1;
  const tests: ((character: string) => boolean)[] = [];
  const first = index;
  while (index < text.length) {
    const character = text[index] ?? '';
    if (character === ']' && index > first) {
      const holds = (candidate: string): boolean => tests.some((test) => test(candidate));
      return { token: { kind: 'set', negated, holds }, end: index + 1 };
    }
    const named = /^\[:(\w+):\]/.exec(text.slice(index, index + 12));
    if (named !== null) {
      const expression = classes[named[1] ?? ''];
      if (expression !== undefined) tests.push((candidate) => expression.test(candidate));
      index += named[0].length;
      continue;
    }
    const low = character === '\\' ? (text[++index] ?? '') : character;
    if (text[index + 1] === '-' && text[index + 2] !== undefined && text[index + 2] !== ']') {
      const high = text[index + 2] ?? '';
      tests.push((candidate) => candidate >= low && candidate <= high);
      index += 3;
    } else {
      tests.push((candidate) => candidate === low);
      index += 1;
    }
  }
  return null;
}

/** The places at which a match may end that starts at any of the given places. */
function advance(pattern: Pattern, text: string, starts: ReadonlySet<number>): ReadonlySet<number> {
  let places = starts;
  for (const token of pattern) {
    if (places.size === 0) return places;
    places = step(token, text, places);
  }
  return places;
}

function step(token: Token, text: string, places: ReadonlySet<number>): ReadonlySet<number> {
  const next = new Set<number>();
  switch (token.kind) {
    case 'many':
      for (let index = leastOf(places); index <= text.length; index++) next.add(index);
      return next;
    case 'group': {
      if (token.operator === '?' || token.operator === '*') for (const place of places) next.add(place);
      if (token.operator === '!') return step({ kind: 'many' }, text, places);
      const repeats = token.operator === '*' || token.operator === '+';
      let from: ReadonlySet<number> = places;
      for (let round = 0; round <= text.length && from.size > 0; round++) {
        const fresh = new Set<number>();
        for (const choice of token.choices)
          for (const place of advance(choice, text, from))
            if (!next.has(place) || round === 0) fresh.add(place);
        const before = next.size;
        for (const place of fresh) next.add(place);
        if (!repeats || next.size === before) break;
        from = fresh;
      }
      return next;
    }
    default:
      for (const place of places) {
        const character = text[place];
        if (character !== undefined && accepts(token, character)) next.add(place + 1);
      }
      return next;
  }
}

function leastOf(places: ReadonlySet<number>): number {
  let least = Number.POSITIVE_INFINITY;
  for (const place of places) least = Math.min(least, place);
  return least;
}

function accepts(token: Token, character: string): boolean {
  if (token.kind === 'character') return token.character === character;
  if (token.kind === 'set') return token.holds(character) !== token.negated;
  return token.kind === 'any';
}

/** Whether the whole text matches. */
export function matches(pattern: Pattern, text: string): boolean {
  return advance(pattern, text, new Set([0])).has(text.length);
}

function reversed(pattern: Pattern): Pattern {
  return pattern
    .map((token) => (token.kind === 'group' ? { ...token, choices: token.choices.map(reversed) } : token))
    .reverse();
}

/** The text without the shortest or longest start that matches. */
export function removeStart(pattern: Pattern, text: string, longest: boolean): string {
  const ends = [...advance(pattern, text, new Set([0]))];
  if (ends.length === 0) return text;
  return text.slice(longest ? Math.max(...ends) : Math.min(...ends));
}

/** The text without the shortest or longest end that matches. */
export function removeEnd(pattern: Pattern, text: string, longest: boolean): string {
  const mirror = [...text].reverse().join('');
  return [...removeStart(reversed(pattern), mirror, longest)].reverse().join('');
}

/** The text with its first or every longest match replaced. */
export function replaceMatches(
  pattern: Pattern,
  text: string,
  replacement: string,
  where: '/' | '//' | '/#' | '/%',
): string {
  if (where === '/#') {
    const rest = removeStart(pattern, text, true);
    return matches(pattern, text.slice(0, text.length - rest.length)) ? replacement + rest : text;
  }
  if (where === '/%') {
    const rest = removeEnd(pattern, text, true);
    return matches(pattern, text.slice(rest.length)) ? rest + replacement : text;
  }
  let result = '';
  let index = 0;
  while (index <= text.length) {
    const ends = [...advance(pattern, text, new Set([index]))];
    const end = ends.length === 0 ? -1 : Math.max(...ends);
    if (end > index) {
      result += replacement;
      index = end;
      if (where === '/') break;
    } else {
      result += text[index] ?? '';
      index += 1;
    }
  }
  return result + text.slice(index);
}

/** The text with every character that means something in a pattern quoted. */
export function quotePattern(text: string): string {
  return text.replace(/[\\*?[\]!@+()|]/g, (character) => `\\${character}`);
}
