// Finds where in a text calls stand, each form by its own finder, piece by piece. What began and has not ended is kept in
// parts, so that a long text costs its length and not its square.

import { type Budget, BudgetExceeded, type JsonValue, parseJson } from '../../../core/index.ts';
import { pythonCalls } from './python.ts';
import { argumentsOf, callsIn, isToolName, type Written } from './shapes.ts';

/** Calls that stand in one place. */
export interface Place {
  readonly start: number;
  readonly end: number;
  /** The character before it. */
  readonly before: string;
  /** The character behind it, where that was read before it was known that calls stand here. */
  readonly after?: string;
  readonly calls: readonly Written[];
}

/** Reads a text as it comes. */
export interface Finder {
  /** Takes a piece that begins at this place of the text; gives what is complete with it. */
  push(piece: string, at: number, last: boolean): readonly Place[];
}

export function createFinders(budget: Budget): readonly Finder[] {
  return [new Json(budget), new Tags(), new Lines()];
}

/** Most of a text that may be kept for one call. */
const longest = 1_048_576;

/** JSON values: from an opening bracket to the one that closes it. */
class Json implements Finder {
  readonly #budget: Budget;
  /** The value that began and has not ended. */
  #open: Value | null = null;
  #before: string;

  constructor(budget: Budget, before = '') {
    this.#budget = budget;
    this.#before = before;
  }

  push(piece: string, at: number, last: boolean): readonly Place[] {
    const found: Place[] = [];
    let from = 0;
    while (from < piece.length || (last && this.#open !== null)) {
      if (this.#open === null) {
        from = nextBracket(piece, from);
        if (from === piece.length) break;
        const before = charBefore(piece, from, this.#before);
        this.#open = {
          start: at + from,
          before,
          first: piece.charAt(from),
          parts: [],
          size: 0,
          depth: 0,
          state: 'plain',
          opened: [],
          least: 0,
        };
      }
      const open = this.#open;
      const { to, end } = follow(piece, from, open);
      open.parts.push(piece.slice(from, to));
      open.size += to - from;
      from = to;
      if (end === 'open' && !last && open.size <= longest) break;
      this.#open = null;
      found.push(...this.#read(open, end === 'whole', piece.charAt(from)));
    }
    this.#before = piece.at(-1) ?? this.#before;
    return found;
  }

  /** The calls in a value; where it is none, those in what follows its bracket. */
  #read(value: Value, whole: boolean, after: string): readonly Place[] {
    const { start, before, parts, size } = value;
    this.#budget.spend(1 + (size >> 1));
    const text = parts.join('');
    const calls = whole ? readCalls(text) : null;
    if (calls === null) {
      const from = whole ? 1 : behindOpen(value);
      return new Json(this.#budget, text.charAt(from - 1)).push(text.slice(from), start + from, true);
    }
    const behind = after === '' ? {} : { after };
    return calls.length === 0 ? [] : [{ start, end: start + size, before, ...behind, calls }];
  }
}

interface Value {
  readonly start: number;
  readonly before: string;
  /** The bracket. */
  readonly first: string;
  readonly parts: string[];
  size: number;
  depth: number;
  state: 'plain' | 'string' | 'escape';
  /** Where brackets open, from the first, as long as none closes and none stands in a text. */
  readonly opened: number[];
  /** The least depth after the last of these; 0 while more of them may come. */
  least: number;
}

/**
 * Where to read on behind a value that does not end: its first brackets stay open for a reader from any of them, so that
 * a text of brackets costs its length and not its square.
 */
function behindOpen({ opened, least }: Value): number {
  const open = least === 0 ? opened.length : Math.min(least, opened.length);
  return opened[open] ?? (opened.at(-1) ?? 0) + 1;
}

function nextBracket(piece: string, from: number): number {
  for (let at = from; at < piece.length; at++) {
    const unit = piece.charCodeAt(at);
    if (unit === 123 || unit === 91) return at;
  }
  return piece.length;
}

/** The signs of JSON outside of its texts, save quotes and brackets; a hostile text is read again for each of its brackets. */
const plainSigns = Uint8Array.from({ length: 128 }, (_, sign) =>
  /[\s\w,:.+-]/.test(String.fromCharCode(sign)) ? 1 : 0,
);

/** Reads on in a value: up to where, and whether it is whole, goes on behind the piece, or is none. */
function follow(
  piece: string,
  from: number,
  value: Value,
): { readonly to: number; readonly end: 'whole' | 'open' | 'none' } {
  for (let at = from; at < piece.length; at++) {
    const sign = piece.charCodeAt(at);
    if (value.state !== 'plain') {
      if ((sign === 123 || sign === 91) && value.least === 0) value.least = value.depth;
      if (value.state === 'escape') value.state = 'string';
      else if (sign === 34) value.state = 'plain';
      else if (sign === 92) value.state = 'escape';
      else if (sign === 10) return { to: at, end: 'none' };
    } else if (sign < 128 ? plainSigns[sign] === 1 : /\s/.test(piece.charAt(at))) {
      // A number, a word, or what stands between values.
    } else if (sign === 34) value.state = 'string';
    else if (sign === 123 || sign === 91) {
      value.depth++;
      if (value.least === 0) value.opened.push(value.size + at - from);
    } else if (sign === 125 || sign === 93) {
      value.depth--;
      if (value.depth === 0) return { to: at + 1, end: 'whole' };
      value.least = value.least === 0 ? value.depth : Math.min(value.least, value.depth);
    } else {
      // JSON has no other signs outside of its texts.
      return { to: Math.max(at, from + 1), end: 'none' };
    }
  }
  return { to: piece.length, end: 'open' };
}

/** The calls of a JSON text; null if it is none. */
function readCalls(text: string): readonly Written[] | null {
  try {
    // As loosely as a harness would read it.
    return callsIn(JSON.parse(text) as JsonValue);
  } catch {
    return null;
  }
}

const opening =
  /<(?:[a-z]{1,12}:)?(?:invoke\s+name\s*=\s*["']([^"'<>]{1,128})["']\s*>|function=([\w.:/-]{1,128})>|tool_call>\s*([\w.:/-]{1,128})\s*(?=<arg_key>))/g;
const longestOpening = 320;
const closings = [/<\/(?:[a-z]{1,12}:)?invoke>/, /<\/function>/, /<\/tool_call>/] as const;
const longestClosing = 24;

/** Tags: `<invoke name="…">`, `<function=…>`, and `<tool_call>` with a name and keys in tags of their own. */
class Tags implements Finder {
  /** What was read and may be the beginning of a tag, and the character before it. */
  #rest = '';
  #before = '';
  #open: {
    tool: string;
    start: number;
    before: string;
    closing: RegExp;
    parts: string[];
    size: number;
  } | null = null;

  push(piece: string, at: number, last: boolean): readonly Place[] {
    const found: Place[] = [];
    if (this.#open === null && this.#rest === '' && !piece.includes('<')) {
      this.#before = piece.at(-1) ?? this.#before;
      return found;
    }
    let text = this.#rest + piece;
    let before = this.#before;
    let base = at - this.#rest.length;
    const skip = (count: number) => {
      before = charBefore(text, count, before);
      text = text.slice(count);
      base += count;
    };
    for (;;) {
      if (this.#open === null) {
        opening.lastIndex = 0;
        const tag = opening.exec(text);
        if (tag === null) break;
        const tool = tag[1] ?? tag[2] ?? tag[3] ?? '';
        const closing = closings[tag[1] !== undefined ? 0 : tag[2] !== undefined ? 1 : 2];
        const start = base + tag.index;
        this.#open = {
          tool: tool.trim(),
          start,
          before: charBefore(text, tag.index, before),
          closing,
          parts: [],
          size: 0,
        };
        skip(tag.index + tag[0].length);
      }
      const open = this.#open;
      const close = open.closing.exec(text);
      // Without its end it may still be read by somebody who forgives that.
      if (close === null && !last) break;
      const size = close === null ? text.length : close.index;
      const end = size + (close?.[0].length ?? 0);
      open.parts.push(text.slice(0, size));
      if (isToolName(open.tool)) {
        const { tool, start, parts } = open;
        const calls = [{ tool, arguments: bodyOf(parts.join('')) }];
        found.push({ start, end: base + end, before: open.before, calls });
      }
      this.#open = null;
      skip(end);
    }
    this.#keep(text, before);
    return found;
  }

  /** Keeps what the end of a tag may lie in; the rest belongs to the call, or to nothing. */
  #keep(text: string, before: string): void {
    const size = this.#open === null ? longestOpening : longestClosing;
    const tag = text.lastIndexOf('<', text.length - 1);
    // Outside of a call only a tag that has begun is kept; the one before it may hold it in its look ahead.
    const from = this.#open === null ? (tag < 0 ? text.length : text.lastIndexOf('<', tag - 1)) : 0;
    const cut = Math.max(0, text.length - size, from < 0 ? tag : from);
    if (this.#open !== null && cut > 0) {
      this.#open.parts.push(text.slice(0, cut));
      this.#open.size += cut;
      if (this.#open.size > longest) throw new BudgetExceeded('a call in the text does not end');
    }
    this.#rest = text.slice(cut);
    this.#before = charBefore(text, cut, before);
  }
}

/** The character before a place of a text, where another stands before its first. */
function charBefore(text: string, place: number, before: string): string {
  return place === 0 ? before : text.charAt(place - 1);
}

/** The arguments in the body of a tag: JSON, or a tag for each. */
function bodyOf(body: string): Written['arguments'] {
  const whole = argumentsOf(body.trim(), false);
  if (whole !== null) return whole;
  const given: [string, JsonValue][] = [];
  const tags =
    /<(?:[a-z]{1,12}:)?parameter(?:\s+name\s*=\s*["']([^"'<>]{1,128})["'][^<>]{0,80}|=([\w.-]{1,128}))>|<arg_key>([^<>]{1,128})<\/arg_key>\s*<arg_value>/g;
  for (let tag = tags.exec(body); tag !== null; tag = tags.exec(body)) {
    const from = tag.index + tag[0].length;
    const closing = tag[3] === undefined ? /<\/(?:[a-z]{1,12}:)?parameter>/g : /<\/arg_value>/g;
    closing.lastIndex = from;
    const close = closing.exec(body)?.index ?? body.length;
    given.push([(tag[1] ?? tag[2] ?? tag[3] ?? '').trim(), scalarOf(body.slice(from, close))]);
    tags.lastIndex = close;
  }
  return Object.fromEntries(given);
}

/** A value as it is written: JSON where it is an object, a list, a number or a word of JSON; else the text. */
function scalarOf(written: string): JsonValue {
  const trimmed = written.trim();
  if (/^(?:[{[]|-?\d+(?:\.\d+)?$|true$|false$|null$)/.test(trimmed)) {
    try {
      return parseJson(trimmed);
    } catch {
      // It only looked like JSON.
    }
  }
  return written.replace(/^\n|\n$/g, '');
}

const label =
  /^[\s*_>#-]{0,8}(Action Input|Action|Observation|Thought|Final Answer|Question)\s{0,3}\d{0,3}[*_]{0,2}\s{0,3}:[*_]{0,2}[ \t]*/i;

/** Longer lines are read as far as this. */
const longestLine = 65_536;

/** Lines: `Action:` with its input, as agents that think in lines write, and lists of calls as Python writes them. */
class Lines implements Finder {
  #parts: string[] = [];
  #size = 0;
  #action: { tool: string; start: number; end: number; input: string[] | null } | null = null;

  push(piece: string, at: number, last: boolean): readonly Place[] {
    const found: Place[] = [];
    let from = 0;
    for (let next = piece.indexOf('\n'); next >= 0; next = piece.indexOf('\n', from)) {
      this.#keep(piece.slice(from, next));
      this.#line(at + next, found);
      from = next + 1;
    }
    this.#keep(piece.slice(from));
    if (last) {
      this.#line(at + piece.length, found);
      this.#close(found);
    }
    return found;
  }

  #keep(part: string): void {
    this.#parts.push(part);
    this.#size += part.length;
  }

  /** A line is whole, and ends here. */
  #line(end: number, found: Place[]): void {
    const line = this.#parts.join('').slice(0, longestLine);
    const start = end - this.#size;
    this.#parts = [];
    this.#size = 0;
    const labelled = label.exec(line);
    const said = labelled === null ? '' : line.slice(labelled[0].length);
    const name = labelled?.[1]?.toLowerCase();
    const action = this.#action;
    if (name === 'action input' && action !== null) {
      action.input = [said];
      action.end = end;
    } else if (name !== undefined || (action !== null && line.trim() === '' && isFull(action.input))) {
      this.#close(found);
      if (name === 'action') this.#begin(said, start, end, found);
    } else if (action !== null) {
      // A label that no input follows is prose: "Action: none".
      if (action.input === null) this.#action = line.trim() === '' ? action : null;
      else {
        action.input.push(line);
        action.end = end;
        if (end - action.start > longest) throw new BudgetExceeded('a call in the text does not end');
      }
    } else if (/^\s*\[[A-Za-z_]/.test(line)) {
      const calls = pythonCalls(line);
      if (calls !== null) found.push({ start, end, before: '\n', calls });
    }
  }

  #begin(said: string, start: number, end: number, found: Place[]): void {
    const whole =
      /^[`*_]{0,3}([A-Za-z_][\w.:/-]{0,127})[`*_]{0,3}\s{0,3}(?:\[(.*)\]|\((.*)\))?[`*_.]{0,3}\s*$/.exec(
        said,
      );
    const tool = whole?.[1];
    if (tool === undefined) return;
    const input = whole?.[2] ?? whole?.[3];
    if (input === undefined) {
      this.#action = { tool, start, end, input: null };
      return;
    }
    const calls = pythonCalls(`[${tool}(${input})]`) ?? [{ tool, arguments: inputOf(input) }];
    found.push({ start, end, before: '\n', calls });
  }

  /** Ends the action that is being read. */
  #close(found: Place[]): void {
    const action = this.#action;
    this.#action = null;
    if (action === null || action.input === null) return;
    const { tool, start, end, input } = action;
    found.push({ start, end, before: '\n', calls: [{ tool, arguments: inputOf(input.join('\n')) }] });
  }
}

/** Whether an input is there and is no JSON that goes on. */
function isFull(input: readonly string[] | null): boolean {
  const text = input?.join('\n').trim() ?? '';
  return text !== '' && (!/^[{[]/.test(text) || readCalls(text) !== null);
}

function inputOf(text: string): Written['arguments'] {
  const bare = text
    .trim()
    .replace(/^```\w*\s*|\s*```$/g, '')
    .trim();
  return argumentsOf(bare, true) ?? { input: bare };
}
