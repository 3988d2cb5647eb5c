// Unpacks the content of a gzip as far as it arrived: its end may be missing, and any bytes may follow it.

/** Most bytes that are unpacked from one. */
const largest = 16_777_216;

/**
 * The optional parts of a header, by its flags: extra bytes with a length, two texts that end in a zero byte, a
 * checksum.
 */
const [hasChecksum, hasExtra, hasName, hasComment] = [2, 4, 8, 16];

export function gunzip(bytes: Uint8Array): Uint8Array | undefined {
  if (bytes.length < 12 || bytes[0] !== 0x1f || bytes[1] !== 0x8b || bytes[2] !== 8) return undefined;
  const flags = bytes[3] ?? 0;
  let at = 10;
  if (flags & hasExtra) at += 2 + (bytes[at] ?? 0) + ((bytes[at + 1] ?? 0) << 8);
  for (const flag of [hasName, hasComment]) if (flags & flag) at = bytes.indexOf(0, at) + 1;
  if (flags & hasChecksum) at += 2;
  try {
    // Loaded here: few actions contain a gzip.
    const { constants, inflateRawSync } = process.getBuiltinModule('node:zlib');
    return inflateRawSync(bytes.subarray(at), {
      maxOutputLength: largest,
      finishFlush: constants.Z_SYNC_FLUSH,
    });
  } catch {
    return undefined;
  }
}
