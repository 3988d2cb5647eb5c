// How much of an upload is read. What is over a limit is refused by that limit's name; nothing is cut and passed.

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
  /** Files in an archive, those in archives inside it included. */
  files: 500,
  /** Archives in one another. */
  depth: 3,
  /** Bytes of everything that is unpacked. */
  unpacked: 64 * 1024 * 1024,
  /** How many times its packed size a file may have, once it is larger than `smallest`. */
  ratio: 100,
  smallest: 1024 * 1024,
  /** Milliseconds from the question to the answer, waiting included. */
  time: 30_000,
  /** Uploads that wait at a time. */
  waiting: 64,
} as const;

/** An upload that is not read, and why. */
export class Unreadable extends SallyportError {
  readonly problem: UploadProblem;
  readonly detail: string | undefined;

  constructor(problem: UploadProblem, detail?: string) {
    super(detail ?? problem);
    this.problem = problem;
    this.detail = detail;
  }
}

/** What one upload has used so far; every part of it draws on the same. */
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

  /** The most bytes that so many packed ones may still become. */
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
