// The names that git tracks, read from its index: what is tracked is no more ignored, whatever a pattern says.
//
// The file is read as it lies there, without git: scanning a folder runs nothing that the folder could have set up.

/** Tracked paths, from the top of the worktree, sorted by their bytes. */
export interface Tracked {
  has(path: string): boolean;
  /** Whether anything in a folder is tracked. */
  hasIn(folder: string): boolean;
}

export const nothingTracked: Tracked = { has: () => false, hasIn: () => false };

/** Fields of an entry before its object name: times, device, inode, mode, owner, group, size. */
const fixedBytes = 40;
const extended = 0x4000;

/** Reads an index; undefined if it is of a form that is not understood, such as a split one. */
export function readIndex(bytes: Buffer): Tracked | undefined {
  const paths = readPaths(bytes, 20) ?? readPaths(bytes, 32);
  return paths === undefined ? undefined : trackedFrom(paths);
}

function readPaths(bytes: Buffer, objectBytes: 20 | 32): readonly string[] | undefined {
  if (bytes.length < 12 + objectBytes || bytes.toString('latin1', 0, 4) !== 'DIRC') return undefined;
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) return undefined;
  const end = bytes.length - objectBytes;
  const paths: string[] = [];
  let at = 12;
  let previous = '';
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const start = at;
    at += fixedBytes + objectBytes;
    if (at + 2 > end) return undefined;
    const flags = bytes.readUInt16BE(at);
    at += (flags & extended) === 0 ? 2 : 4;
    let kept = '';
    if (version === 4) {
      const dropped = readNumber(bytes, at);
      if (dropped === undefined || dropped.value > previous.length) return undefined;
      kept = previous.slice(0, previous.length - dropped.value);
      at = dropped.end;
    }
    const zero = bytes.indexOf(0, at);
    if (zero < 0 || zero >= end) return undefined;
    const path = kept + bytes.toString('latin1', at, zero);
    // The length that the flags tell, up to their limit, says whether the object name was as long as assumed.
    if ((flags & 0xfff) !== Math.min(path.length, 0xfff) || path < previous) return undefined;
    paths.push(path);
    previous = path;
    at = version === 4 ? zero + 1 : start + ((zero - start + 8) & ~7);
  }
  for (; at + 8 <= end; at += 8 + bytes.readUInt32BE(at + 4)) {
    // In lower case: what cannot be passed over. The rest of a split index is elsewhere, or folders stand for files.
    if (/^[a-z]/.test(bytes.toString('latin1', at, at + 4))) return undefined;
  }
  return paths;
}

/** A number as version 4 writes it: seven bits a byte, each further byte adding one. */
function readNumber(bytes: Buffer, start: number): { value: number; end: number } | undefined {
  let at = start;
  let byte = bytes[at++];
  let value = (byte ?? 0) & 0x7f;
  while (byte !== undefined && (byte & 0x80) !== 0) {
    byte = bytes[at++];
    value = (value + 1) * 128 + ((byte ?? 0) & 0x7f);
    if (value > bytes.length) return undefined;
  }
  return byte === undefined ? undefined : { value, end: at };
}

function trackedFrom(paths: readonly string[]): Tracked {
  /** The first place whose path is not before the wanted one. */
  const place = (wanted: string): number => {
    let [low, high] = [0, paths.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((paths[middle] ?? '') < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    has: (path) => paths[place(path)] === path,
    hasIn: (folder) => paths[place(`${folder}/`)]?.startsWith(`${folder}/`) === true,
  };
}
