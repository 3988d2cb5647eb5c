// Collects the texts of a file: the shown text as one, and one for each way of hiding, so that an attack that is spread
// over many places is read as one text.

import type { ExtractedText, HidingPlace } from '../../core/index.ts';

interface Gathered {
  /** Joined at the end: a text that grows in chunks would be copied for each. */
  readonly pieces: string[];
  readonly place: string;
  readonly hidden: HidingPlace | undefined;
  readonly drawn: boolean;
}

export class Texts {
  /** By way of hiding and place; shown text is stored under its place alone. */
  readonly #texts = new Map<string, Gathered>();

  /** Continues the text of a place. */
  add(text: string, place: string, hidden?: HidingPlace): void {
    if (text === '') return;
    const key = `${hidden ?? ''} ${place}`;
    const known = this.#texts.get(key);
    if (known === undefined) this.#texts.set(key, { pieces: [text], place, hidden, drawn: false });
    else known.pieces.push(text);
  }

  /** A separate text, in lines of its own. */
  aside(text: string, place: string, hidden?: HidingPlace): void {
    if (text.trim() !== '') this.add(`${text.trim()}\n`, place, hidden);
  }

  /** The text that was read from the pixels of a picture. */
  picture(text: string, place: string): void {
    this.#texts.set(`drawn ${this.#texts.size}`, { pieces: [text], place, hidden: undefined, drawn: true });
  }

  /** Begins a new line in every open text. */
  line(): void {
    for (const { pieces } of this.#texts.values()) if (pieces.at(-1) !== '\n') pieces.push('\n');
  }

  /** Every text that contains words. */
  get all(): readonly ExtractedText[] {
    return [...this.#texts.values()]
      .map(({ pieces, place, hidden, drawn }) => ({
        text: pieces
          .join('')
          .replaceAll(/[ \t]+/g, ' ')
          .replaceAll(/ ?\n[\n ]*/g, '\n')
          .trim(),
        place,
        ...(hidden === undefined ? {} : { hidden }),
        ...(drawn ? { drawn: true as const } : {}),
      }))
      .filter(({ text }) => text !== '');
  }
}

/** Whether a property or a description is longer than a title: six words in a row. */
export function isSentence(text: string): boolean {
  return /(?<!\p{L})(?:\p{L}{2,}[\s,.:;]+){5}\p{L}{2,}/u.test(text);
}
