// Unpacks archives: every file of a ZIP, a gzip or a tar, each within its limit. An archive that two readers could
// interpret differently is refused.

import { gunzipSync, inflateRawSync } from 'node:zlib';
import { type Allowance, Unreadable } from './limits.ts';
import { viewOf } from './sniff.ts';

/** A file of an archive. */
export interface Packed {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const broken = (detail: string) => new Unreadable('broken', detail);
const utf8 = new TextDecoder();

/** The files of a ZIP, in the order of its directory. */
export function* unzip(bytes: Uint8Array, allowance: Allowance): Generator<Packed> {
  const view = viewOf(bytes);
  const end = endOf(view);
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  if (at === 0xffff_ffff || count === 0xffff) throw broken('a ZIP of more than 4 GB');
  for (let index = 0; index < count; index++) {
    if (at + 46 > end || view.getUint32(at, true) !== 0x0201_4b50) throw broken('its directory is not whole');
    const flags = view.getUint16(at + 8, true);
    const method = view.getUint16(at + 10, true);
    const packed = view.getUint32(at + 20, true);
    const size = view.getUint32(at + 24, true);
    const nameLength = view.getUint16(at + 28, true);
    const extra = view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    const local = view.getUint32(at + 42, true);
    const name = utf8.decode(bytes.subarray(at + 46, at + 46 + nameLength));
    at += 46 + nameLength + extra;
    if ((flags & 1) !== 0) throw new Unreadable('encrypted', 'a file in the ZIP');
    if (name.endsWith('/')) continue;
    allowance.file();
    const content = packedContent(bytes, local, packed, name);
    const unpacked = inflated(content, method, allowance);
    if (unpacked.length !== size) throw broken('a file in the ZIP has another size than it says');
    yield { name, bytes: unpacked };
  }
}

/** The end of the directory. Only one position may qualify, or readers would differ. */
function endOf(view: DataView): number {
  for (let at = view.byteLength - 22; at >= Math.max(0, view.byteLength - 65_557); at--) {
    if (view.getUint32(at, true) !== 0x0605_4b50) continue;
    if (at + 22 + view.getUint16(at + 20, true) !== view.byteLength) continue;
    return at;
  }
  throw broken('a ZIP without an end');
}

/** The packed bytes of a file; its own header must give the same name as the directory. */
function packedContent(bytes: Uint8Array, at: number, packed: number, name: string): Uint8Array {
  const view = viewOf(bytes);
  if (at + 30 > bytes.length || view.getUint32(at, true) !== 0x0403_4b50) {
    throw broken('a file of the ZIP is not where its directory says');
  }
  const nameLength = view.getUint16(at + 26, true);
  const start = at + 30 + nameLength + view.getUint16(at + 28, true);
  if (utf8.decode(bytes.subarray(at + 30, at + 30 + nameLength)) !== name) {
    throw new Unreadable('polyglot', 'two names for one file of the ZIP');
  }
  if (start + packed > bytes.length) throw broken('a file of the ZIP is cut off');
  return bytes.subarray(start, start + packed);
}

function inflated(content: Uint8Array, method: number, allowance: Allowance): Uint8Array {
  if (method !== 0 && method !== 8) throw new Unreadable('unknown_type', 'a ZIP packed in an unknown way');
  const bytes = method === 0 ? content : within(content, allowance, inflateRawSync);
  allowance.unpack(bytes.length);
  return bytes;
}

/** The file in a gzip. */
export function gunzip(bytes: Uint8Array, allowance: Allowance): Uint8Array {
  allowance.file();
  const unpacked = within(bytes, allowance, gunzipSync);
  allowance.unpack(unpacked.length);
  return unpacked;
}

type Inflate = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array;

/** Unpacks, and stops if the output exceeds the limit. */
function within(bytes: Uint8Array, allowance: Allowance, inflate: Inflate): Uint8Array {
  const maxOutputLength = allowance.most(bytes.length);
  try {
    return inflate(bytes, { maxOutputLength });
  } catch (error) {
    if (error instanceof RangeError) throw new Unreadable('bomb', 'it is larger than it may be');
    throw broken('it cannot be unpacked');
  }
}

const block = 512;

/** The files of a tar. */
export function* untar(bytes: Uint8Array, allowance: Allowance): Generator<Packed> {
  let longName: string | null = null;
  for (let at = 0; at + block <= bytes.length; ) {
    const header = bytes.subarray(at, at + block);
    if (header.every((byte) => byte === 0)) return;
    if (checksum(header) !== octal(header, 148, 8)) throw broken('a tar whose sums are wrong');
    const size = octal(header, 124, 12);
    const start = at + block;
    if (start + size > bytes.length) throw broken('a file of the tar is cut off');
    at = start + Math.ceil(size / block) * block;
    const type = String.fromCharCode(header[156] ?? 0);
    const content = bytes.subarray(start, start + size);
    const prefix = textAt(header, 345, 155);
    const name: string = longName ?? (prefix === '' ? '' : `${prefix}/`) + textAt(header, 0, 100);
    longName = type === 'L' ? textAt(content, 0, content.length) : null;
    if (type !== '0' && type !== '\u0000') continue;
    allowance.file();
    yield { name, bytes: content };
  }
}

function textAt(bytes: Uint8Array, at: number, length: number): string {
  return (utf8.decode(bytes.subarray(at, at + length)).split('\u0000')[0] ?? '').trim();
}

function octal(header: Uint8Array, at: number, length: number): number {
  const digits = textAt(header, at, length);
  if (!/^[0-7]+$/.test(digits)) throw broken('a tar with a number that is none');
  return Number.parseInt(digits, 8);
}

function checksum(header: Uint8Array): number {
  return header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0);
}
