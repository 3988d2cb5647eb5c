// Reads a stream line by line, each line bounded and strict UTF-8, so that one bad line spoils no other.

import { decodeUtf8, InputError } from '../core/index.ts';

/** A line as text, or why it cannot be read. */
export type Line = { readonly text: string } | { readonly error: InputError };

const newline = 0x0a;

/** The lines of a stream of bytes; a line longer than `limit` bytes is skipped to its end and reported. */
export async function* readLines(source: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Line> {
  let parts: Uint8Array[] = [];
  let length = 0;
  const finish = (): Line => {
    const line =
      length > limit
        ? { error: new InputError(`the line is longer than ${limit} bytes`) }
        : decoded(Buffer.concat(parts));
    parts = [];
    length = 0;
    return line;
  };
  const keep = (part: Uint8Array) => {
    length += part.length;
    if (length > limit) parts = [];
    else if (part.length > 0) parts.push(part);
  };
  for await (const chunk of source) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      keep(chunk.subarray(start, end));
      yield finish();
      start = end + 1;
    }
    keep(chunk.subarray(start));
  }
  if (length > 0) yield finish();
}

function decoded(bytes: Uint8Array): Line {
  try {
    return { text: decodeUtf8(bytes) };
  } catch (error) {
    if (error instanceof InputError) return { error };
    throw error;
  }
}
