// Reads calls of tools out of a text, whole or as it flows. They are never run from there: each is handed on as an
// action of its own. A call in a code block that more text follows is mentioned, not made.

import type { Budget, Child, Finding } from '../../../core/index.ts';
import { weighCall } from '../rules.ts';
import { createFinders, type Finder, type Place } from './finders.ts';
import type { Written } from './shapes.ts';

/** A call in a text. */
export interface TextCall extends Written {
  readonly start: number;
  readonly end: number;
}

/** A line that begins or ends a code block. */
interface Fence {
  readonly start: number;
  /** Where the line ends; not known while it goes on. */
  end: number | null;
}

/** Reads calls as the text comes. */
export class CallReader {
  readonly #finders: readonly Finder[];
  readonly #fences: Fence[] = [];
  #taken = 0;
  /** The beginning of the line that is being read. */
  #line = '';
  #lineStart = 0;
  /** Where the last character is that is no blank. */
  #lastText = -1;
  /** Calls of which it is not known yet whether they are only mentioned. */
  #waiting: Place[] = [];

  constructor(budget: Budget) {
    this.#finders = createFinders(budget);
  }

  /** Takes a piece; gives the calls that are complete now. */
  push(piece: string): readonly TextCall[] {
    return piece === '' ? [] : this.#read(piece, false);
  }

  end(): readonly TextCall[] {
    return this.#read('', true);
  }

  /** From here on nothing is shown yet: a call waits for what comes behind it. */
  get open(): number {
    let open = this.#taken;
    for (const { end } of this.#waiting) open = Math.min(open, end - 1);
    return open;
  }

  #read(piece: string, last: boolean): readonly TextCall[] {
    const at = this.#taken;
    this.#readLines(piece, at);
    this.#taken += piece.length;
    const places: Place[] = [];
    for (const finder of this.#finders) places.push(...finder.push(piece, at, last));
    if (places.length + this.#waiting.length === 0) return [];
    const live: Place[] = [];
    const waiting: Place[] = [];
    for (const place of [...this.#waiting, ...places]) {
      const told = this.#isTold(place, piece, at, last);
      if (told === null) waiting.push(place);
      else if (!told) live.push(place);
    }
    this.#waiting = waiting;
    return live.flatMap(({ start, end, calls }) => calls.map((call) => ({ ...call, start, end })));
  }

  /** Notes where code blocks begin and end, and where there is text. */
  #readLines(piece: string, at: number): void {
    const trimmed = piece.trimEnd();
    if (trimmed !== '') this.#lastText = at + trimmed.length - 1;
    for (let from = 0; ; ) {
      const next = piece.indexOf('\n', from);
      const known = this.#line;
      if (known.length < longestIndent) {
        this.#line = (known + piece.slice(from, next < 0 ? undefined : next)).slice(0, longestIndent);
        if (!isFence(known) && isFence(this.#line)) this.#fences.push({ start: this.#lineStart, end: null });
      }
      if (next < 0) return;
      const fence = this.#fences.at(-1);
      if (fence?.end === null) fence.end = at + next;
      from = next + 1;
      this.#line = '';
      this.#lineStart = at + from;
    }
  }

  /**
   * Whether a call is only mentioned: it is in a line's code, or in a code block that more text follows. Null
   * as long as more of the text decides.
   */
  #isTold({ start, end, before, after }: Place, piece: string, at: number, last: boolean): boolean | null {
    if (before === '`') {
      if (end === this.#taken && !last) return null;
      if ((after ?? piece.charAt(end - at)) === '`') return true;
    }
    const open = this.#fences.filter((fence) => fence.start < start).length;
    if (open % 2 === 0) return false;
    const closing = this.#fences[open];
    if (closing !== undefined && closing.end !== null && this.#lastText > closing.end) return true;
    return last ? false : null;
  }
}

/** A fence has at most three blanks before it. */
const longestIndent = 6;

function isFence(line: string): boolean {
  return /^ {0,3}(?:```|~~~)/.test(line);
}

/** The calls in a whole text. */
export function readCalls(text: string, budget: Budget): readonly TextCall[] {
  const reader = new CallReader(budget);
  return [...reader.push(text), ...reader.end()];
}

/** A call as a part of the response, for layer 3; nothing of it goes back into the text. */
export function childOf(call: TextCall): Child<'response'> {
  return {
    pointer: '/text',
    place: () => ({ pointer: '/text', span: [call.start, call.end] }),
    action: { kind: 'tool', tool: call.tool, arguments: call.arguments },
    weigh: (finding: Finding) => weighCall(finding, call.tool),
    replace: (parent) => parent,
  };
}
