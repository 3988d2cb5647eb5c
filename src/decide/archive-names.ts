// Lists the names in an archive without unpacking it: tar, plain or in gzip, and ZIP. An archive that cannot be listed
// yields no names; the files unpacked from it are inspected after the call.

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** Largest archive that is read, largest tar that is unpacked from a gzip, and most names. */
const largest = 8_388_608;
const largestUnpacked = 16_777_216;
const mostNames = 512;

/** The names in an archive; empty if it is not an archive, or is too large to be read. */
export function namesInArchive(path: string): readonly string[] {
  try {
    const bytes = bytesOf(path);
    if (bytes === null) return [];
    if (bytes.length > 4 && bytes.readUInt32LE(0) === 0x0403_4b50) return namesInZip(bytes);
    const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
    return namesInTar(
      isGzip
        ? process.getBuiltinModule('node:zlib').gunzipSync(bytes, { maxOutputLength: largestUnpacked })
        : bytes,
    );
  } catch {
    return [];
  }
}

function bytesOf(path: string): Buffer | null {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(file);
    if (!found.isFile() || found.size > largest) return null;
    const bytes = Buffer.alloc(found.size);
    return bytes.subarray(0, readSync(file, bytes, 0, found.size, 0));
  } finally {
    closeSync(file);
  }
}

const block = 512;

function namesInTar(bytes: Buffer): readonly string[] {
  const names: string[] = [];
  let longName: string | null = null;
  for (let at = 0; at + block <= bytes.length && names.length < mostNames; ) {
    const header = bytes.subarray(at, at + block);
    const size = Number.parseInt(textAt(header, 124, 12), 8);
    if (header[0] === 0 || Number.isNaN(size)) break;
    const type = String.fromCharCode(header[156] ?? 0);
    const content = bytes.subarray(at + block, at + block + size);
    at += block + Math.ceil(size / block) * block;
    if (type === 'L') longName = textAt(content, 0, content.length);
    else if (type === 'x')
      longName = /(?:^|\n)\d+ path=([^\n]*)/.exec(content.toString('utf8'))?.[1] ?? longName;
    else if (type !== 'g' && type !== 'K') {
      const prefix = textAt(header, 345, 155);
      names.push(longName ?? (prefix === '' ? '' : `${prefix}/`) + textAt(header, 0, 100));
      longName = null;
    }
  }
  return names;
}

function textAt(bytes: Buffer, at: number, length: number): string {
  return (
    bytes
      .subarray(at, at + length)
      .toString('utf8')
      .split('\u0000')[0] ?? ''
  ).trim();
}

function namesInZip(bytes: Buffer): readonly string[] {
  const end = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end === -1) return [];
  const names: string[] = [];
  let at = bytes.readUInt32LE(end + 16);
  while (at + 46 <= end && bytes.readUInt32LE(at) === 0x0201_4b50 && names.length < mostNames) {
    const length = bytes.readUInt16LE(at + 28);
    names.push(bytes.subarray(at + 46, at + 46 + length).toString('utf8'));
    at += 46 + length + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return names;
}
