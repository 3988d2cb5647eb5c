// Braces of the shell: the words that one word with choices or a range in it becomes.

import { hole } from './values.ts';

/** Most texts that braces are followed into. */
const maxBraceTexts = 64;

/** The texts that a word with braces becomes; null where they are too many. */
export function expandBraces(text: string): readonly string[] | null {
  const found = findBraces(text);
  if (found === null) return [text];
  const rests = expandBraces(text.slice(found.end));
  if (rests === null) return null;
  const before = text.slice(0, found.start);
  const results: string[] = [];
  for (const choice of found.choices) {
    const inner = expandBraces(choice);
    if (inner === null || results.length + inner.length * rests.length > maxBraceTexts) return null;
    for (const middle of inner) for (const rest of rests) results.push(before + middle + rest);
  }
  return results;
}

interface Braces {
  readonly start: number;
  readonly end: number;
  readonly choices: readonly string[];
}

function findBraces(text: string): Braces | null {
  for (let index = skipQuoted(text, 0); index < text.length; index = skipQuoted(text, index + 1)) {
    if (text[index] !== '{' || text[index - 1] === '$') continue;
    const braces = readBraces(text, index);
    if (braces !== null) return braces;
  }
  return null;
}

/** The next place at or behind the given one that stands outside quotes. */
function skipQuoted(text: string, start: number): number {
  let index = start;
  for (;;) {
    const character = text[index];
    if (character === '\\') index += 2;
    else if (character === "'" || character === '"' || character === '`') {
      let end = index + 1;
      while (end < text.length && text[end] !== character)
        end += text[end] === '\\' && character !== "'" ? 2 : 1;
      index = end + 1;
    } else if (character === '$' && (text[index + 1] === '(' || text[index + 1] === '{')) {
      index = closing(text, index + 1) + 1;
    } else return index;
  }
}

function closing(text: string, start: number): number {
  const open = text[start];
  const close = open === '(' ? ')' : '}';
  let depth = 0;
  for (let index = start; index < text.length; index++) {
    if (text[index] === '\\') index += 1;
    else if (text[index] === open) depth += 1;
    else if (text[index] === close && --depth === 0) return index;
  }
  return text.length;
}

function readBraces(text: string, start: number): Braces | null {
  const choices: string[] = [];
  let depth = 0;
  let from = start + 1;
  for (let index = start; index < text.length; index = skipQuoted(text, index + 1)) {
    const character = text[index];
    if (character === '{') depth += 1;
    else if (character === ',' && depth === 1) {
      choices.push(text.slice(from, index));
      from = index + 1;
    } else if (character === '}' && --depth === 0) {
      const last = text.slice(from, index);
      if (choices.length > 0) return { start, end: index + 1, choices: [...choices, last] };
      const range = readRange(last);
      return range === null ? null : { start, end: index + 1, choices: range };
    }
  }
  return null;
}

function readRange(text: string): readonly string[] | null {
  const match = /^(-?\d{1,9}|[A-Za-z])\.\.(-?\d{1,9}|[A-Za-z])(?:\.\.(-?\d{1,9}))?$/.exec(text);
  if (match === null) return null;
  const [, from = '', to = '', by] = match;
  const letters = /[A-Za-z]/.test(from);
  if (letters !== /[A-Za-z]/.test(to)) return null;
  const start = letters ? from.charCodeAt(0) : Number(from);
  const end = letters ? to.charCodeAt(0) : Number(to);
  const size = Math.max(1, Math.abs(Number(by ?? '1')));
  const step = start <= end ? size : -size;
  const width = /^-?0\d/.test(from) || /^-?0\d/.test(to) ? Math.max(from.length, to.length) : 0;
  const texts: string[] = [];
  for (let value = start; step > 0 ? value <= end : value >= end; value += step) {
    texts.push(letters ? String.fromCharCode(value) : String(value).padStart(width, '0'));
    if (texts.length > maxBraceTexts) return [hole];
  }
  return texts;
}
