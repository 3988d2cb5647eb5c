// Names of files as texts. A name is bytes, which need not be UTF-8: an invalid byte is encoded as a lone surrogate
// (U+DC80 to U+DCFF), so that every name has a unique text which converts back to the bytes.

const escapeBase = 0xdc00;

/** The text of a name. */
export function nameOf(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (!text.includes('\ufffd') || Buffer.from(text).equals(bytes)) return text;
  let name = '';
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    name +=
      length === 0
        ? String.fromCharCode(escapeBase + (bytes[at] ?? 0))
        : bytes.toString('utf8', at, at + length);
    at += Math.max(length, 1);
  }
  return name;
}

/** The length in bytes of the character at a position; 0 if it is invalid. */
function sequenceLength(bytes: Buffer, at: number): number {
  for (let length = 1; length <= 4 && at + length <= bytes.length; length++) {
    const piece = bytes.subarray(at, at + length);
    const text = piece.toString('utf8');
    if (!text.includes('\ufffd') || Buffer.from(text).equals(piece)) return length;
  }
  return 0;
}

/** A path for system calls: a text whenever that is exact. */
export function systemPath(path: string): string | Buffer {
  if (path.isWellFormed()) return path;
  return Buffer.concat(
    Array.from(path, (character) => {
      const code = character.codePointAt(0) ?? 0;
      return code >= escapeBase + 0x80 && code <= escapeBase + 0xff
        ? Buffer.from([code - escapeBase])
        : Buffer.from(character);
    }),
  );
}

/** A path for display: invalid bytes are written as `\xe9`. */
export function shownPath(path: string): string {
  if (path.isWellFormed()) return path;
  return Array.from(path, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code >= escapeBase && code <= escapeBase + 0xff
      ? `\\x${(code - escapeBase).toString(16)}`
      : character.toWellFormed();
  }).join('');
}

/**
 * Whether a path belongs to the data of a git repository: below `.git`, or outside the workspace, where only git data
 * is stored.
 */
export function isGitData(path: string, workspace = ''): boolean {
  return path.split('/').includes('.git') || (path.startsWith('/') && !path.startsWith(`${workspace}/`));
}
