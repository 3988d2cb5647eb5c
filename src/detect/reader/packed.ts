// Reads runs of base64 that hold a gzip: the run is held until it ends, and its text is read as one.

import { type BytesDecoder, bytesIn, isRunLetter, type Units } from './ways.ts';

/** Unpacks a gzip as far as it goes; undefined where it is none. Text that is longer than the reader wants is cut. */
export type Unpack = (bytes: Uint8Array) => Uint8Array | undefined;

/** How the base64 of every gzip begins. */
const beginning = 'H4sI';

/** So many letters of a run are unpacked. */
const longestRun = 1_048_576;

/** A run of base64 that may hold a gzip, and its text once it has ended. */
export class Packed implements BytesDecoder {
  readonly #unpack: Unpack;
  #at = 0;
  #run = '';
  #runAt = 0;
  /** Whether the run that is being read begins otherwise. */
  #isOther = false;

  constructor(unpack: Unpack) {
    this.#unpack = unpack;
  }

  get open(): number {
    return this.#run === '' ? this.#at : this.#runAt;
  }

  skip(length: number): void {
    this.#at += length;
  }

  push(piece: string, last: boolean): Units {
    let text = '';
    const origins: number[] = [];
    const end = (): void => {
      const found = this.#run.length > beginning.length ? this.#unpacked() : '';
      text += found;
      for (let unit = 0; unit < found.length; unit++) origins.push(this.#runAt);
      this.#run = '';
      this.#isOther = false;
    };
    for (let index = 0; index < piece.length; index++) {
      if (!isRunLetter(piece.charCodeAt(index))) end();
      else if (!this.#isOther && this.#run.length < longestRun) {
        if (this.#run === '') this.#runAt = this.#at + index;
        this.#run += piece.charAt(index);
        const start = this.#run.slice(0, beginning.length);
        if (!beginning.startsWith(start)) {
          this.#run = '';
          this.#isOther = true;
        }
      }
    }
    this.#at += piece.length;
    if (last) end();
    return { text, at: this.#at, origins };
  }

  #unpacked(): string {
    const bytes = this.#unpack(bytesIn(this.#run));
    return bytes === undefined ? '' : `\n${new TextDecoder().decode(bytes)}\n`;
  }
}
