// The index of a git repository without the parts that git rewrites on every read: dates of files, and caches. Two
// indexes with the same staged content compare equal.

const signature = 'DIRC';
const entryHead = 40;
const modeAt = 24;
/** Extensions that affect the staged content: resolved conflicts, a split index, sparse folders. */
const meant: ReadonlySet<string> = new Set(['REUC', 'link', 'sdir']);

/** The staged content of an index, as comparable bytes; null if the bytes are not an index. */
export function stagedIn(bytes: Uint8Array): Buffer | null {
  const index = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (index.length < 32 || index.toString('latin1', 0, 4) !== signature) return null;
  // Ids have 20 bytes, or 32 in a repository with SHA-256.
  return stagedWith(index, 20) ?? stagedWith(index, 32);
}

function stagedWith(index: Buffer, idLength: number): Buffer | null {
  const version = index.readUInt32BE(4);
  const count = index.readUInt32BE(8);
  if (version < 2 || version > 4) return null;
  const pieces: Buffer[] = [index.subarray(0, 12)];
  const end = index.length - idLength;
  let at = 12;
  for (let entry = 0; entry < count; entry++) {
    const flagsAt = at + entryHead + idLength;
    if (flagsAt + 2 > end) return null;
    const isExtended = version >= 3 && (index.readUInt16BE(flagsAt) & 0x4000) !== 0;
    const nameAt = flagsAt + (isExtended ? 4 : 2);
    const nameEnd = index.indexOf(0, version === 4 ? afterNumber(index, nameAt) : nameAt);
    if (nameEnd < 0 || nameEnd > end) return null;
    pieces.push(index.subarray(at + modeAt, at + modeAt + 4), index.subarray(at + entryHead, nameEnd + 1));
    at = version === 4 ? nameEnd + 1 : at + Math.ceil((nameEnd + 1 - at) / 8) * 8;
  }
  while (at + 8 <= end) {
    const length = index.readUInt32BE(at + 4);
    if (meant.has(index.toString('latin1', at, at + 4))) pieces.push(index.subarray(at, at + 8 + length));
    at += 8 + length;
  }
  return at === end ? Buffer.concat(pieces) : null;
}

/** The end of a variable-length number. */
function afterNumber(index: Buffer, at: number): number {
  let end = at;
  while (((index[end] ?? 0) & 0x80) !== 0) end++;
  return end + 1;
}
