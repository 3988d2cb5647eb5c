// How much of an upload is read. A part over a limit is refused by that limit's name; nothing is truncated and passed.

import { SallyportError, type UploadProblem } from '../../core/index.ts';

export const limits = {
  /** Bytes of one upload. */
  bytes: 16 * 1024 * 1024,
  /** Pages of a document. */
  pages: 200,
  /** Pixels of a picture. */
  pixels: 16_000_000,
  /** UTF-16 units of all texts of an upload. */
  characters: 4 * 1024 * 1024,
  /** Files in an archive, including those in nested archives. */
  files: 500,
  /** Depth of nested archives. */
  depth: 3,
  /** Bytes of all unpacked data. */
  unpacked: 64 * 1024 * 1024,
  /** Maximum ratio of a file's size to its packed size, once it is larger than `smallest`. */
  ratio: 100,
  smallest: 1024 * 1024,
  /** Milliseconds from the request to the answer, including waiting. */
  time: 30_000,
  /** Uploads that wait at the same time. */
  waiting: 64,
} as const;

/** An upload that is not read, and the reason. */
export class Unreadable extends SallyportError {
  readonly problem: UploadProblem;
  readonly detail: string | undefined;

  constructor(problem: UploadProblem, detail?: string) {
    super(detail ?? problem);
    this.problem = problem;
    this.detail = detail;
  }
}

/** The usage of one upload so far; all of its parts share it. */
export class Allowance {
  #files = 0;
  #unpacked = 0;
  #characters = 0;

  file(): void {
    if (++this.#files > limits.files) {
      throw new Unreadable('too_many_files', `at most ${limits.files} are read`);
    }
  }

  /** Bytes that were unpacked. */
  unpack(bytes: number): void {
    this.#unpacked += bytes;
    if (this.#unpacked > limits.unpacked) {
      throw new Unreadable('bomb', `more than ${limits.unpacked} bytes`);
    }
  }

  /** The most bytes that the given number of packed bytes may still expand to. */
  most(packed: number): number {
    const left = limits.unpacked - this.#unpacked;
    return Math.max(1, Math.min(left, Math.max(limits.smallest, packed * limits.ratio)));
  }

  text(characters: number): void {
    this.#characters += characters;
    if (this.#characters > limits.characters) {
      throw new Unreadable('too_much_text', `at most ${limits.characters} characters are read`);
    }
  }
}
