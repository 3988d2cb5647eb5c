// What the bytes of a write are: a text of bounded size, or something that no reviewer can read.

/** The largest file that is written, in bytes. */
const largestFile = 1_048_576;

/** Why content is no text that can be reviewed. */
export type ContentProblem = 'too_large' | 'binary' | 'not_utf8';

export type ContentFacts =
  | { readonly problem: ContentProblem; readonly bytes: number }
  | { readonly problem: null; readonly bytes: number; readonly text: string };

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads content that is given as text. */
export function readText(text: string, bytes: number): ContentFacts {
  if (bytes > largestFile) return { problem: 'too_large', bytes };
  if (text.includes('\u0000')) return { problem: 'binary', bytes };
  if (!text.isWellFormed()) return { problem: 'not_utf8', bytes };
  return { problem: null, bytes, text };
}

/** Reads content that is given as base64; throws nothing. */
export function readBase64(encoded: string): ContentFacts {
  if (encoded.length > (largestFile / 3) * 4 + 8) {
    return { problem: 'too_large', bytes: Math.floor((encoded.length / 4) * 3) };
  }
  const bytes = bytesOfBase64(encoded);
  if (bytes === null) return { problem: 'not_utf8', bytes: 0 };
  if (bytes.length > largestFile) return { problem: 'too_large', bytes: bytes.length };
  // A byte order mark of UTF-16 or UTF-32: most of what follows would be NUL, and all of it is unreadable here.
  const [first, second] = bytes;
  const wide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (bytes.includes(0) && !wide) return { problem: 'binary', bytes: bytes.length };
  try {
    return { problem: null, bytes: bytes.length, text: strict.decode(bytes) };
  } catch {
    return { problem: 'not_utf8', bytes: bytes.length };
  }
}

function bytesOfBase64(encoded: string): Uint8Array | null {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(encoded) || encoded.length % 4 !== 0) return null;
  const binary = atob(encoded);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}
