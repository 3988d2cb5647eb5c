// The bounds of a source: what is larger, denser or deeper is not read at all, and counts as code that cannot be followed.

import type { Facts } from '../effects.ts';

const largest = 65_536;
const deepest = 64;
/** So many tokens a parser reads in a few milliseconds. */
const mostTokens = 8000;
/** A line that goes on after a backslash costs Python's parser as much as so many tokens. */
const continuation = 20;
/** Python's parser reads, at each comment, all comments that follow it; so many characters take a few milliseconds. */
const mostCommentWork = 500_000;
/** So many signs with no word or bracket between them are no Python, and its parser takes long to find a way through them. */
const mostSigns = 32;

/** The facts of a source that is beyond the bounds; null: it is within them. One pass, no parser. */
export function bounded(source: string, program: 'python' | 'node'): Facts | null {
  if (source.length > largest) return beyond(`code longer than ${largest} characters`, source, program);
  let depth = 0;
  let tokens = 0;
  let word = false;
  let comments = { start: 0, end: -1 };
  let commentWork = 0;
  let signs = 0;
  for (let index = 0; index < source.length; index++) {
    if (isWordUnit(source.charCodeAt(index))) {
      if (!word) tokens++;
      word = true;
      signs = 0;
      continue;
    }
    word = false;
    // Here, since a source may be of words alone.
    if (tokens > mostTokens) return beyond(`code of more than ${mostTokens} tokens`, source, program);
    const letter = source.charAt(index);
    if (letter === ' ' || letter === '\t' || letter === '\r') continue;
    tokens++;
    if (/[,()[\]{}"'#]/.test(letter)) signs = 0;
    // Lines may be empty, and the others may stand before one another.
    else if (!/[\n+~-]/.test(letter)) signs++;
    if (signs > mostSigns && program === 'python') return beyond('code of signs alone', source, program);
    if (letter === '"' || letter === "'" || letter === '`') {
      const end = endOfText(source, index);
      if (end !== null) {
        // What is written into a text, and escapes, are nodes of their own.
        for (let inside = index; inside < end; inside++) if (opensNode(source.charCodeAt(inside))) tokens++;
        index = end - 1;
      }
    } else if (letter === '#' && program === 'python') {
      const found = source.indexOf('\n', index);
      const end = found < 0 ? source.length : found;
      const goesOn = comments.end >= 0 && source.slice(comments.end, index).trim() === '';
      comments = { start: goesOn ? comments.start : index, end };
      commentWork += end - comments.start;
      if (commentWork > mostCommentWork) return beyond('code with too many comments', source, program);
      index = end - 1;
    } else if (letter === '\\') tokens += continuation;
    else if (letter === '(' || letter === '[' || letter === '{') {
      depth++;
      if (depth > deepest) return beyond('code that is nested too deeply', source, program);
    } else if (depth > 0 && (letter === ')' || letter === ']' || letter === '}')) depth--;
  }
  return null;
}

/** A letter, digit, `_` or `$`. */
function isWordUnit(unit: number): boolean {
  return (
    (unit >= 97 && unit <= 122) ||
    (unit >= 65 && unit <= 90) ||
    (unit >= 48 && unit <= 57) ||
    unit === 95 ||
    unit === 36
  );
}

/** `{`, `\\` or `$`. */
function opensNode(unit: number): boolean {
  return unit === 123 || unit === 92 || unit === 36;
}

/** Where a quoted text ends; null: it does not. */
function endOfText(source: string, start: number): number | null {
  const quote = source.charAt(start);
  const mark = source.startsWith(quote.repeat(3), start) && quote !== '`' ? quote.repeat(3) : quote;
  for (let index = start + mark.length; index < source.length; index++) {
    const letter = source.charAt(index);
    if (letter === '\\') index++;
    else if (letter === '\n' && mark.length === 1 && quote !== '`') return null;
    else if (letter === quote && source.startsWith(mark, index)) return index + mark.length;
  }
  return null;
}

/** The facts of a source that is not read. */
export function beyond(what: string, source: string, program: string): Facts {
  const span = [0, source.length] as const;
  return {
    effects: [{ kind: 'run', target: { kind: 'none' }, origins: ['unknown'], program, through: [], span }],
    invocations: [],
    unknowns: [{ what, span }],
    errors: [],
  };
}
