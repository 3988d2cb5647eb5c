// Events that are like one before them in all but a text, and perhaps a number: these are known by their letters. A
// stream has thousands of them, and to read each as JSON and to write it anew costs more than to judge its text.

import { type SseEvent, sseText } from './sse.ts';
import type { Flowing } from './wires/wire.ts';

/** What differs in an event that is like another. */
export interface VaryingText {
  readonly text: string;
  /** As it is written; empty where there is none. */
  readonly number: string;
}

/** The letters of an event around its text, and around its number if it has one. */
interface Letters {
  readonly event: string;
  readonly head: string;
  readonly middle: string;
  readonly tail: string;
}

export class ResponseTemplate {
  readonly flowing: Flowing;
  readonly #came: Letters;
  readonly #sent: Letters;

  private constructor(flowing: Flowing, came: Letters, sent: Letters) {
    this.flowing = flowing;
    this.#came = came;
    this.#sent = sent;
  }

  /**
   * The template of an event, of what was read in it, and of what was sent for it; null where its text or its number
   * cannot be separated from the rest. INVARIANT: it has one if its letters are those that we would write ourselves; so no
   * letters hide that mean something else, such as a key that stands twice.
   */
  static of(came: SseEvent, meant: string, sent: SseEvent, flowing: Flowing): ResponseTemplate | null {
    if (came.data !== meant) return null;
    const [before, after] = [lettersOf(came, flowing), lettersOf(sent, flowing)];
    return before === null || after === null ? null : new ResponseTemplate(flowing, before, after);
  }

  /** What differs in an event; null if more does, or if its text is not written as it is. */
  read({ event, data }: SseEvent): VaryingText | null {
    const { head, middle, tail } = this.#came;
    if (event !== this.#came.event || !data.startsWith(head) || !data.endsWith(tail)) return null;
    const numbered = this.flowing.number !== undefined;
    const number = numbered ? data.slice(head.length, endOfNumber(data, head.length)) : '';
    if (numbered && String(Number(number)) !== number) return null;
    const at = head.length + number.length;
    const [from, to] = [at + middle.length, data.length - tail.length];
    if (to <= from || !data.startsWith(middle, at)) return null;
    const text = data.slice(from, to);
    return special.test(text) ? null : { text, number };
  }

  /** What goes to the client for an event with this piece, of which this text may be shown. */
  written({ number }: VaryingText, text: string): string {
    const { event, head, middle, tail } = this.#sent;
    return sseText(event, `${head}${number}${middle}${JSON.stringify(text).slice(1, -1)}${tail}`);
  }
}

/** What may not stand in a text of JSON as it is. */
const special = /["\\\x00-\x1f]/;

function endOfNumber(data: string, from: number): number {
  let at = from;
  for (let unit = data.charCodeAt(at); (unit >= 48 && unit <= 57) || unit === 46; )
    unit = data.charCodeAt(++at);
  return at;
}

/** INVARIANT: quotes of JSON only begin and end texts, so a name in quotes with a colon behind it is a member's. */
function lettersOf({ event, data: json }: SseEvent, { key, number }: Flowing): Letters | null {
  const from = behind(json, `${JSON.stringify(key)}:"`);
  if (from === null) return null;
  const to = from + (/^(?:[^"\\]|\\.)*/.exec(json.slice(from))?.[0].length ?? 0);
  const at = number === undefined ? 0 : behind(json, `${JSON.stringify(number)}:`);
  if (at === null || at > from) return null;
  const head = number === undefined ? from : at;
  return {
    event,
    head: json.slice(0, head),
    middle: json.slice(number === undefined ? from : endOfNumber(json, at), from),
    tail: json.slice(to),
  };
}

/** Where something ends that stands in a text once. */
function behind(json: string, wanted: string): number | null {
  const place = json.indexOf(wanted);
  return place < 0 || json.includes(wanted, place + 1) ? null : place + wanted.length;
}
