// A snapshot: what files were before a change, in one file of its own that is on disk before the change begins.

import { hash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { type Facts, type Finding, isJsonObject, SallyportError } from '../../core/index.ts';
import type { Content } from './anchor.ts';
import { stagedIn } from './git-index.ts';

/** The file is no snapshot, or was cut off while it was written. */
export class SnapshotDamaged extends SallyportError {}

/** What was at a path, without its bytes. */
export interface State {
  readonly type: Content['type'];
  /** Empty for a folder. */
  readonly hash: string;
  readonly mode: number;
  /** The first of the names in the workspace that the file has, where it has several. */
  readonly group?: string;
  /** The number of a file on the disk that has names elsewhere too. */
  readonly outside?: number;
}

/** One file that a change touches; null: not there. */
export interface Step {
  readonly path: string;
  readonly before: State | null;
  readonly after: State | null;
  /** The bytes from before are not kept, so this file cannot be brought back. */
  readonly lost?: true;
}

/** Something that a call may change and that could not be brought back. */
export interface NotCaptured {
  readonly path: string;
  readonly why: string;
}

/**
 * What was kept before a call. INVARIANT: it is on disk before the call begins, so who reads it relies on a fact:
 * `complete` says that everything the call may change in the workspace, and in the repositories that belong to it, comes
 * back with undo. Folders that tools make again (`node_modules`) are never part of it.
 */
export interface PreImage {
  /** The name under which it is stored. */
  readonly id: string;
  readonly complete: boolean;
  /** What is not kept, as far as names are given; empty where it is complete. */
  readonly unkept: readonly NotCaptured[];
}

/** What the guards said before, for the receipt that is written after. */
export interface Judged {
  readonly findings: readonly Pick<Finding, 'guard' | 'decision'>[];
  readonly facts: Facts;
}

/** Somebody's call that had begun and had not ended. */
export interface Running {
  readonly agent: string;
  readonly run: string;
  readonly tool: string;
}

/** What a call says that it does, by which a change was judged before it was made. */
export interface Doing {
  /** The programs that it starts, as far as they are named. */
  readonly programs: readonly string[];
  /** It installs, updates or removes packages, and runs nothing that could not be followed. */
  readonly packages?: true;
  /** It sets up something that runs later; a person was asked about that. */
  readonly persists?: true;
  readonly deletes?: true;
  /** It is git at work, and nothing else. */
  readonly onlyGit?: true;
}

/** Who changed something, and why. */
export interface Cause {
  /** `tool`: a host's tool whose effects nobody knows. */
  readonly action: 'apply' | 'shell' | 'tool' | 'rollback';
  readonly user: string;
  readonly tenant: string;
  readonly agent: string;
  /** The run or session that it belongs to. */
  readonly run: string;
  readonly decisionId: string;
  /** The snapshot that a rollback takes back. */
  readonly of?: string;
  /** A rollback that takes back only files that were chosen. */
  readonly partial?: true;
  /** The host's tool. */
  readonly tool?: string;
  /** Other calls that ran at the same time: what changed may be theirs. */
  readonly during?: readonly Running[];
  readonly judged?: Judged;
  readonly doing?: Doing;
  /** The hashes of what the files of a call become, as far as it says; null: gone. */
  readonly expected?: Readonly<Record<string, string | null>>;
  /** All that the call can change, from the workspace on, where that is certain. */
  readonly writes?: readonly string[];
}

export interface Snapshot extends Cause {
  /** What was kept before the call, where it may have changed anything; older snapshots do not say. */
  readonly preImage?: PreImage;
  readonly id: string;
  readonly time: number;
  readonly workspace: string;
  readonly steps: readonly Step[];
  /** Folders that the change made. */
  readonly made: readonly string[];
}

/** What the file holds beside the snapshot itself. */
interface Header extends Snapshot {
  readonly version: 1;
  /** The process that makes the change; as long as it lives, nobody else ends the change. */
  readonly maker: Maker;
  /** Where in the rest of the file each hash's bytes stand. */
  readonly bytes: Readonly<Record<string, readonly [number, number]>>;
  readonly sum: string;
}

/** A process; a number alone may be another's after a restart. */
export interface Maker {
  readonly pid: number;
  readonly born: string;
}

export function thisProcess(): Maker {
  return { pid: process.pid, born: bornOf(process.pid) ?? '' };
}

/** A process that lives, by its number; null if there is none. */
export function processOf(pid: number): Maker | null {
  const born = bornOf(pid);
  return born === null ? null : { pid, born };
}

/** When a process began, as the system counts; empty where it does not tell, null if there is no such process. */
function bornOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return process.platform === 'linux' ? null : '';
  }
}

/** Whether the process that began a change still lives. */
export function isAlive({ pid, born }: Maker): boolean {
  if (process.platform === 'linux') return bornOf(pid) === born;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

export function stateOf({ type, bytes, mode }: Content, path = ''): State {
  return { type, hash: type === 'folder' ? '' : contentHash(bytes, path), mode };
}

/** What tells a file's content from another; of an index of git, what it stages. */
function contentHash(bytes: Uint8Array, path: string): string {
  const staged = path === 'index' || path.endsWith('/index') ? stagedIn(bytes) : null;
  return hashOf(staged ?? bytes);
}

export function hashOf(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

/** Whether two states have the same content and mode, under whatever other names. */
export function isSame(a: State | null, b: State | null): boolean {
  if (a === null || b === null) return a === b;
  return a.type === b.type && a.hash === b.hash && (a.type === 'link' || a.mode === b.mode);
}

/** Whether two states are the same and have the same names. */
export function isSameFile(a: State | null, b: State | null): boolean {
  return isSame(a, b) && a?.group === b?.group;
}

/** Writes a snapshot with the bytes from before, and waits until the disk has them. */
export function writeSnapshot(
  file: string,
  snapshot: Snapshot,
  kept: ReadonlyMap<string, Uint8Array>,
  maker: Maker = thisProcess(),
): void {
  const bytes: Record<string, [number, number]> = {};
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const [name, piece] of kept) {
    bytes[name] = [at, piece.length];
    pieces.push(piece);
    at += piece.length;
  }
  const rest = Buffer.concat(pieces);
  const header: Header = { version: 1, ...snapshot, maker, bytes, sum: hashOf(rest) };
  const fd = openSync(file, 'wx', 0o600);
  try {
    writeAll(fd, Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), rest]));
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}

/** A snapshot as read, with the way to the bytes from before. */
export interface ReadSnapshot {
  readonly snapshot: Snapshot;
  readonly maker: Maker;
  bytesOf(state: State): Uint8Array | null;
}

/** Reads a snapshot; throws `SnapshotDamaged` if any of it is missing. */
export function readSnapshot(file: string): ReadSnapshot {
  const whole = readFileSync(file);
  const end = whole.indexOf(10);
  const header = end < 0 ? null : headerOf(whole.subarray(0, end).toString('utf8'));
  if (header === null) throw new SnapshotDamaged(`${file} is no snapshot`);
  const rest = whole.subarray(end + 1);
  const { version: _, maker, bytes, sum, ...snapshot } = header;
  if (hashOf(rest) !== sum) throw new SnapshotDamaged(`${file} was cut off or changed`);
  return {
    snapshot,
    maker,
    bytesOf: ({ hash: name }) => {
      const place = Object.hasOwn(bytes, name) ? bytes[name] : undefined;
      return place === undefined ? null : rest.subarray(place[0], place[0] + place[1]);
    },
  };
}

/** How much of a file is read at a time for its first line. */
const headChunk = 65_536;

/** Reads a snapshot without its bytes, which are then not checked; throws `SnapshotDamaged` if it is none. */
export function readHeader(file: string): { readonly snapshot: Snapshot; readonly maker: Maker } {
  const fd = openSync(file, 'r');
  try {
    const pieces: Buffer[] = [];
    for (let end = -1; end < 0; ) {
      const piece = Buffer.alloc(headChunk);
      const count = readSync(fd, piece, 0, headChunk, null);
      if (count === 0) break;
      end = piece.subarray(0, count).indexOf(10);
      pieces.push(piece.subarray(0, end < 0 ? count : end));
    }
    const header = headerOf(Buffer.concat(pieces).toString('utf8'));
    if (header === null) throw new SnapshotDamaged(`${file} is no snapshot`);
    const { version: _, maker, bytes: __, sum: ___, ...snapshot } = header;
    return { snapshot, maker };
  } finally {
    closeSync(fd);
  }
}

// INVARIANT: the folder is ours alone and the sum covers the bytes, so the members are what `writeSnapshot` wrote.
function headerOf(text: string): Header | null {
  try {
    // Names that are no UTF-8 are in it as lone surrogates, which no JSON of others may hold.
    const header = JSON.parse(text);
    return isJsonObject(header) && header['version'] === 1 && Array.isArray(header['steps'])
      ? (header as unknown as Header)
      : null;
  } catch {
    return null;
  }
}
