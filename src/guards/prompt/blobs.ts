// Finds what is written in a text in base64, or as a data URL: other texts, and whole files.

import { textOfBytes } from '../../core/text.ts';
import { base64Bytes, isBlobUnit } from '../../detect/injection/blobs.ts';

export type Span = readonly [start: number, end: number];

/** Something in a text that is written in another way. */
export type Blob =
  | { readonly span: Span; readonly text: string }
  | { readonly span: Span; readonly contentBase64: string };

/** So many files in one text are read. */
export const mostFiles = 8;
/** So many texts in base64 are read in one prompt; a hostile one is all blobs. */
export const mostBlobs = 512;
/** A shorter run holds no more than a word or two. */
const shortestRun = 20;
/** A shorter one is no file that anybody could look at. */
const shortestFile = 64;

/** How the base64 of files begins that can carry text. */
const fileStarts = /^(?:JVBERi|iVBORw0KGgo|\/9j\/|R0lGOD|UklGR|Qk[0-3]|SUkq|TU0A|UEsDB|H4sI|0M8R4K)/;

/** The first of them, in order. */
export function blobsIn(text: string, most: number): readonly Blob[] {
  const found: Blob[] = [];
  for (const run of runsIn(text)) {
    if (found.length >= most) break;
    const { span, payload } = run;
    if (payload.length >= shortestFile && fileStarts.test(payload)) {
      found.push({ span, contentBase64: standard(payload) });
      continue;
    }
    const plain = textOfBytes(base64Bytes(payload));
    if (plain !== null && plain.length >= 11) found.push({ span, text: plain });
  }
  return found;
}

interface Run {
  readonly span: Span;
  /** The signs of base64 alone. */
  readonly payload: string;
}

/** A line of base64 that is shorter is the last one. */
const shortestLine = 40;

/** The runs of signs of base64; lines that belong together are one, also where a JSON string has them escaped. */
function* runsIn(text: string): Generator<Run> {
  let at = 0;
  while (at < text.length) {
    if (!isBlobUnit(text.charCodeAt(at))) {
      at++;
      continue;
    }
    const start = at;
    let payload = '';
    let line = at;
    for (;;) {
      while (at < text.length && isBlobUnit(text.charCodeAt(at))) at++;
      const gap = gapAt(text, at);
      if (gap === 0 || !isBlobUnit(text.charCodeAt(at + gap))) break;
      if (text.charAt(at + 1) !== '/' && at - line < shortestLine) break;
      payload += text.slice(line, at);
      at += gap;
      line = at;
    }
    // Most are words, of which nothing is copied.
    if (at - start < shortestRun) continue;
    payload += text.slice(line, at);
    if (payload.length < shortestRun) continue;
    // A name before the value is not of it.
    const equals = payload.search(/=(?=[^=])/);
    const value = payload.slice(equals + 1);
    if (value.length >= shortestRun) {
      yield { span: [payload.length === at - start ? start + equals + 1 : start, at], payload: value };
    }
  }
}

/** How many units at a place separate two lines of one run: a line break, or its escape in a JSON string. */
function gapAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if (unit !== 0x0a && unit !== 0x0d && unit !== 0x5c) return 0;
  if (text.startsWith('\r\n', at)) return 2;
  if (text.startsWith('\n', at)) return 1;
  if (text.startsWith('\\r\\n', at)) return 4;
  if (text.startsWith('\\n', at)) return 2;
  return text.startsWith('\\/', at) ? 1 : 0;
}

/** Base64 in its one alphabet, padded. */
function standard(payload: string): string {
  const plain = payload.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
  const whole = plain.length % 4 === 1 ? plain.slice(0, -1) : plain;
  return whole + '='.repeat((4 - (whole.length % 4)) % 4);
}
