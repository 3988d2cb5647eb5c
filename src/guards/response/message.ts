// Reads the texts of one message across their seams: a client that joins blocks, or the arguments of calls, has every secret
// that is spread over two of them. What one text says alone its own stream has judged.

import { Scanner } from '../../detect/index.ts';
import { createReader, seam } from '../../detect/reader/index.ts';
import { literalRules } from './facts.ts';

/** So much of the end of a text, and of the beginning of the next, is read together: more than any such secret has. */
const reach = 400;

/** The beginning and the end of a text, as far as they are read together with others. */
interface Text {
  head: string;
  tail: string;
}

/** The texts of one message, in the order in which they end. */
export class MessageReader {
  readonly #open = new Map<string, Text>();
  /** The end of what ended, with its seams. */
  #before = '';
  /** Whether that may be the beginning of a secret that another text goes on with. */
  isOpen = false;

  /** Takes what is shown of a text; says whether a secret goes on in it. */
  push(name: string, shown: string): boolean {
    const text = this.#open.get(name) ?? { head: '', tail: '' };
    this.#open.set(name, text);
    text.head += shown.slice(0, Math.max(0, reach - text.head.length));
    text.tail = (text.tail + shown).slice(-reach);
    return this.isOpen && this.#goesOn(text.head, text.head.length < reach);
  }

  /** The end of a text; says whether a secret went on in it. */
  finish(name: string): boolean {
    const text = this.#open.get(name);
    if (text === undefined) return false;
    this.#open.delete(name);
    if (this.isOpen && this.#goesOn(text.head, false)) return true;
    const isWhole = text.head.length < reach;
    this.#before = isWhole ? (this.#before + seam + text.head).slice(-2 * reach) : text.tail;
    this.isOpen = isUnsettled(this.#before);
    return false;
  }

  #goesOn(head: string, mayGoOn: boolean): boolean {
    const text = this.#before + seam + head;
    const at = this.#before.length;
    const reader = open();
    const safe = reader.push(text).length;
    if (mayGoOn) {
      // A text that was shown in part settles the question by what does not belong to a secret.
      if (safe > at && !reader.found) this.isOpen = false;
    } else reader.end();
    return reader.finds.some(({ start, end }) => start < at && at + seam.length < end);
  }
}

/** Whether texts that belong to one message hold a secret over the seam of two of them. */
export function holdsInPieces(texts: readonly string[]): boolean {
  const reader = new MessageReader();
  return texts.some((text, at) => {
    const name = String(at);
    return reader.push(name, text) || reader.finish(name);
  });
}

function open() {
  return createReader([{ open: () => new Scanner(literalRules()), ways: ['unmarked'] }]);
}

function isUnsettled(text: string): boolean {
  const { length } = open().push(text);
  return length < text.length && /\w/.test(text.slice(length));
}
