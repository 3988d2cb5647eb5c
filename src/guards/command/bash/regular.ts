// Regular expressions of grep and sed as those of the language here, as far as they cannot take long.

const classes: Readonly<Record<string, string>> = {
  alpha: 'A-Za-z',
  digit: '0-9',
  alnum: 'A-Za-z0-9',
  upper: 'A-Z',
  lower: 'a-z',
  space: '\\s',
  blank: ' \\t',
  punct: '!-\\/:-@\\[-`{-~',
  xdigit: '0-9A-Fa-f',
  print: ' -~',
  graph: '!-~',
  cntrl: '\\u0000-\\u001f',
};

/** Longest text that is searched with an expression that repeats something. */
const maxRepeated = 2048;
/** Longest text that is searched with an expression that repeats two things. */
const maxTwice = 128;
/** Longest expression. */
const maxSource = 512;

/** The expression; null where it cannot be read, or could take long on the text. */
export function readExpression(
  pattern: string,
  extended: boolean,
  flags: string,
  textLength: number,
): RegExp | null {
  const source = translate(pattern, extended);
  if (source === null || source.length > maxSource) return null;
  const bare = source.replace(/\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]/g, 'x');
  const repeats = bare.match(/[*+?]|\{\d*,\d*\}/g)?.length ?? 0;
  // A repeated group, or several repeats one behind the other, may try every way to divide the text.
  if (/\)(?:[*+?]|\{)/.test(bare) || repeats > 2) return null;
  if (textLength > (repeats === 0 ? Number.POSITIVE_INFINITY : repeats === 1 ? maxRepeated : maxTwice))
    return null;
  try {
    return new RegExp(source, flags);
  } catch {
    return null;
  }
}

function translate(pattern: string, extended: boolean): string | null {
  let source = '';
  let index = 0;
  while (index < pattern.length) {
    const character = pattern[index] ?? '';
    if (character === '[') {
      const set = translateSet(pattern, index);
      if (set === null) return null;
      source += set.source;
      index = set.end;
      continue;
    }
    if (character === '\\') {
      const next = pattern[index + 1] ?? '';
      index += 2;
      if (/[1-9]/.test(next)) return null;
      if (/[(){}+?|]/.test(next)) source += extended ? `\\${next}` : next;
      else if (/[wWsSbBnt]/.test(next)) source += `\\${next}`;
      else if (next === '<' || next === '>') source += '\\b';
      else source += `\\${next}`.replace(/^\\(?=[A-Za-z0-9])/, '');
      continue;
    }
    index += 1;
    if (/[(){}+?|]/.test(character)) source += extended ? character : `\\${character}`;
    else if (character === '*' && (source === '' || source.endsWith('('))) source += '\\*';
    else if (character === '^' && source !== '' && !/[(|]$/.test(source)) source += '\\^';
    else if (character === '/') source += '\\/';
    else source += character;
  }
  return source;
}

function translateSet(pattern: string, start: number): { source: string; end: number } | null {
  let index = start + 1;
  let source = '[';
  if (pattern[index] === '^') {
    source += '^';
    index += 1;
  }
  const first = index;
  while (index < pattern.length) {
    const character = pattern[index] ?? '';
    if (character === ']' && index > first) return { source: `${source}]`, end: index + 1 };
    const named = /^\[:(\w+):\]/.exec(pattern.slice(index, index + 12));
    if (named !== null) {
      const members = classes[named[1] ?? ''];
      if (members === undefined) return null;
      source += members;
      index += named[0].length;
      continue;
    }
    source += /[\\\][]/.test(character) ? `\\${character}` : character;
    index += 1;
  }
  return null;
}
