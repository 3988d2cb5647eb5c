// Reads one file from disk for a scan. Nothing but a regular file is ever opened for long, and no link is followed.

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { type Content, ContentScan } from './content.ts';
import type { Engine } from './engine.ts';

/** A file to scan. Paths are bytes, one character a byte (latin1), since a name need not be UTF-8. */
export interface Target {
  /** Where it is. */
  readonly path: string;
  /** How it is called in what is shown. */
  readonly shown: string;
  readonly size: number;
}

/** What came of one file: its content scanned, or why not. */
export type Outcome =
  | { readonly content: Content }
  | { readonly unread: string }
  | { readonly skipped: 'link' | 'special' };

/** How much is read at once. */
const chunkBytes = 1 << 20;

let shared: Buffer | undefined;

/**
 * Scans a file; `progress` hears of every piece, and of what is left out. INVARIANT: never throws; what goes wrong is
 * the outcome.
 */
export function scanFile(
  engine: Engine,
  path: string,
  name: string,
  progress: (bytes: number) => void = () => {},
): Outcome {
  let descriptor: number | undefined;
  try {
    // Without waiting: opening a pipe that nobody writes to would wait for ever.
    const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_NOCTTY = 0 } = constants;
    descriptor = openSync(bytesOf(path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    const status = fstatSync(descriptor);
    if (!status.isFile()) return { skipped: 'special' };
    return { content: scanDescriptor(engine, descriptor, status.size, name, progress) };
  } catch (error) {
    const code = codeOf(error);
    return code === 'ELOOP' ? { skipped: 'link' } : { unread: reasonOf(error) };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function scanDescriptor(
  engine: Engine,
  descriptor: number,
  size: number,
  name: string,
  progress: (bytes: number) => void,
): Content {
  shared ??= Buffer.allocUnsafeSlow(chunkBytes);
  const scan = new ContentScan(engine, name);
  // What is written behind the end while we read is another scan's; a size of nothing may be a file made on the fly.
  let left = size > 0 ? size : Number.POSITIVE_INFINITY;
  while (left > 0) {
    const length = readSync(descriptor, shared, 0, Math.min(left, shared.length), null);
    if (length === 0 || !scan.write(shared.subarray(0, length))) break;
    left -= length;
    progress(length);
  }
  if (Number.isFinite(left)) progress(left);
  return scan.end();
}

/** The bytes of a path. */
export function bytesOf(path: string): Buffer {
  return Buffer.from(path, 'latin1');
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'it is gone',
  ENOTDIR: 'it is gone',
  ENAMETOOLONG: 'the path is too long',
  EIO: 'the disk failed to read it',
  EMFILE: 'too many files are open',
  ENOSPC: 'the disk is full',
};

/** Why something could not be read, without anything of its content. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  if (code !== undefined) return reasons[code] ?? code;
  return `an error of ours (${error instanceof Error ? error.name : typeof error})`;
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** A path as text: UTF-8 where it is, and every other byte as \xNN. */
export function textOfPath(path: string): string {
  if (/^[\x00-\x7f]*$/.test(path)) return path;
  const bytes = bytesOf(path);
  const text = bytes.toString();
  if (!text.includes('\ufffd') || Buffer.from(text).equals(bytes)) return text;
  return escapeBroken(bytes);
}

/** Each byte that is no part of a character is written as \xNN, so that no two names look alike. */
function escapeBroken(bytes: Buffer): string {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at] ?? 0;
    const wanted = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    const part = bytes.subarray(at, at + wanted);
    const character = part.toString();
    const whole = Buffer.from(character).equals(part) && [...character].length === 1;
    text += whole ? character : `\\x${first.toString(16).padStart(2, '0')}`;
    at += whole ? wanted : 1;
  }
  return text;
}
