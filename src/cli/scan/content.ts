// Scans the content of one file, whatever its size: bytes in pieces become text, and text becomes findings.

import { StringDecoder } from 'node:string_decoder';
import type { Engine } from './engine.ts';
import { type Finding, Locator } from './locate.ts';

/** What came of one content. */
export interface Content {
  readonly bytes: number;
  readonly binary: boolean;
  readonly findings: readonly Finding[];
  readonly unlisted: number;
}

/** A NUL among this many first bytes makes a file binary. */
const binaryReach = 8192;

export class ContentScan {
  readonly #push: (piece: string, last: boolean) => void;
  readonly #locator: Locator;
  /** The last piece of text, which waits until it is known whether another follows: most files are one piece. */
  #piece = '';
  /** The first bytes, until there are enough to tell text from other things. */
  #first: Uint8Array | undefined = new Uint8Array(0);
  #decode: ((bytes: Uint8Array | undefined) => string) | undefined;
  #bytes = 0;
  #binary = false;

  /** `path` is what rules for certain files go by, and what fingerprints are bound to. */
  constructor(engine: Engine, path: string) {
    this.#locator = new Locator(engine, path);
    this.#push = engine.open(path, this.#locator);
  }

  /** Takes the next bytes, which may be overwritten afterwards. False: it is binary, and no more are needed. */
  write(bytes: Uint8Array): boolean {
    this.#bytes += bytes.length;
    if (this.#first === undefined) this.#read(bytes);
    else {
      const first = this.#first.length === 0 ? bytes : Buffer.concat([this.#first, bytes]);
      if (first.length < binaryReach) this.#first = Uint8Array.from(first);
      else this.#begin(first);
    }
    return !this.#binary;
  }

  /** There are no more bytes. */
  end(): Content {
    if (this.#first !== undefined) this.#begin(this.#first);
    if (!this.#binary) {
      this.#piece += this.#decode?.(undefined) ?? '';
      this.#scan(true);
      this.#locator.end();
    }
    const { findings, unlisted } = this.#locator;
    return { bytes: this.#bytes, binary: this.#binary, findings, unlisted };
  }

  #begin(first: Uint8Array): void {
    this.#first = undefined;
    this.#decode = decoderOf(first);
    this.#binary = this.#decode === undefined;
    this.#read(first);
  }

  #read(bytes: Uint8Array): void {
    const text = this.#decode?.(bytes) ?? '';
    if (text === '') return;
    if (this.#piece !== '') this.#scan(false);
    this.#piece = text;
  }

  #scan(last: boolean): void {
    this.#locator.take(this.#piece);
    this.#push(this.#piece, last);
    if (!last) this.#locator.letGo();
  }
}

/** The way to read bytes that begin like this, in pieces; none if they are no text. Never fails on any bytes. */
function decoderOf(first: Uint8Array): ((bytes: Uint8Array | undefined) => string) | undefined {
  const [a, b, c] = first;
  const wide = a === 0xff && b === 0xfe ? 'utf-16le' : a === 0xfe && b === 0xff ? 'utf-16be' : undefined;
  if (wide !== undefined && !(c === 0 && first[3] === 0)) {
    const decoder = new TextDecoder(wide);
    return (bytes) => (bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true }));
  }
  if (first.subarray(0, binaryReach).includes(0)) return undefined;
  const decoder = new StringDecoder('utf8');
  let marked = a === 0xef && b === 0xbb && c === 0xbf;
  return (bytes) => {
    const text =
      bytes === undefined
        ? decoder.end()
        : decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
    if (!marked || text === '') return text;
    marked = false;
    return text.slice(1);
  };
}
