// A snapshot: the state of files before a change, in a separate file that is on disk before the change begins.

import { hash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { type Facts, type Finding, isJsonObject, SallyportError } from '../../core/index.ts';
import type { Content } from './anchor.ts';
import { stagedIn } from './git-index.ts';

/** The file is not a snapshot, or was truncated while it was written. */
export class SnapshotDamaged extends SallyportError {}

/** The state of a path, without its bytes. */
export interface State {
  readonly type: Content['type'];
  /** Empty for a folder. */
  readonly hash: string;
  readonly mode: number;
  /** The first of the file's names in the workspace, if it has several. */
  readonly group?: string;
  /** The inode number of a file that has names elsewhere too. */
  readonly outside?: number;
}

/** One file that a change affects; null: absent. */
export interface Step {
  readonly path: string;
  readonly before: State | null;
  readonly after: State | null;
  /** The previous bytes are not stored, so this file cannot be restored. */
  readonly lost?: true;
}

/** An entry that a call may change and that could not be restored. */
export interface NotCaptured {
  readonly path: string;
  readonly why: string;
}

/**
 * The pre-image of a call. INVARIANT: it is on disk before the call begins, so its readers rely on a fact: `complete`
 * states that everything the call may change in the workspace, and in the repositories that belong to it, is restored
 * by undo. Folders that tools create again (`node_modules`) are never part of it.
 */
export interface PreImage {
  /** Its name in the store. */
  readonly id: string;
  readonly complete: boolean;
  /** The entries that are not stored, up to a limit; empty if it is complete. */
  readonly unkept: readonly NotCaptured[];
}

/** The guards' results from before, for the receipt that is written after. */
export interface Judged {
  readonly findings: readonly Pick<Finding, 'guard' | 'decision'>[];
  readonly facts: Facts;
}

/** Another call that had begun and had not ended. */
export interface Running {
  readonly agent: string;
  readonly run: string;
  readonly tool: string;
}

/** The declared effect of a call, by which a change was judged before it was made. */
export interface Doing {
  /** The programs that it starts, as far as they are named. */
  readonly programs: readonly string[];
  /** It installs, updates or removes packages, and runs no code that could not be followed. */
  readonly packages?: true;
  /** It schedules code that runs later; the user was asked about that. */
  readonly persists?: true;
  readonly deletes?: true;
  /** It runs git, and nothing else. */
  readonly onlyGit?: true;
}

/** The author of a change, and its cause. */
export interface Cause {
  /** `tool`: a host's tool with unknown effects. */
  readonly action: 'apply' | 'shell' | 'tool' | 'rollback';
  readonly user: string;
  readonly tenant: string;
  readonly agent: string;
  /** The run or session that it belongs to. */
  readonly run: string;
  readonly decisionId: string;
  /** The snapshot that a rollback reverts. */
  readonly of?: string;
  /** A rollback that reverts only selected files. */
  readonly partial?: true;
  /** The host's tool. */
  readonly tool?: string;
  /** Other calls that ran at the same time: the changes may be theirs. */
  readonly during?: readonly Running[];
  readonly judged?: Judged;
  readonly doing?: Doing;
  /** The hashes of the files after a call, as far as declared; null: deleted. */
  readonly expected?: Readonly<Record<string, string | null>>;
  /** All paths that the call can change, relative to the workspace, if that is certain. */
  readonly writes?: readonly string[];
}

export interface Snapshot extends Cause {
  /** The pre-image of the call, if it may have changed anything; older snapshots do not contain it. */
  readonly preImage?: PreImage;
  readonly id: string;
  readonly time: number;
  readonly workspace: string;
  readonly steps: readonly Step[];
  /** Folders that the change created. */
  readonly made: readonly string[];
}

/** The content of the file beside the snapshot itself. */
interface Header extends Snapshot {
  readonly version: 1;
  /** The process that makes the change; while it is running, no other process ends the change. */
  readonly maker: Maker;
  /** The offset of the bytes of each hash in the rest of the file. */
  readonly bytes: Readonly<Record<string, readonly [number, number]>>;
  readonly sum: string;
}

/** A process; a process id alone may be another's after a restart. */
export interface Maker {
  readonly pid: number;
  readonly born: string;
}

export function thisProcess(): Maker {
  return { pid: process.pid, born: bornOf(process.pid) ?? '' };
}

/** A running process, by its id; null if there is none. */
export function processOf(pid: number): Maker | null {
  const born = bornOf(pid);
  return born === null ? null : { pid, born };
}

/** When a process started, in the system's unit; empty if unknown, null if there is no such process. */
function bornOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return process.platform === 'linux' ? null : '';
  }
}

/** Whether the process that began a change is still running. */
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

/** A file's content for comparison; for an index of git, its staged content. */
function contentHash(bytes: Uint8Array, path: string): string {
  const staged = path === 'index' || path.endsWith('/index') ? stagedIn(bytes) : null;
  return hashOf(staged ?? bytes);
}

export function hashOf(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

/** Whether two states have the same content and mode, regardless of other names. */
export function isSame(a: State | null, b: State | null): boolean {
  if (a === null || b === null) return a === b;
  return a.type === b.type && a.hash === b.hash && (a.type === 'link' || a.mode === b.mode);
}

/** Whether two states are the same and have the same names. */
export function isSameFile(a: State | null, b: State | null): boolean {
  return isSame(a, b) && a?.group === b?.group;
}

/** Writes a snapshot with the previous bytes, and waits until it is on disk. */
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

/** A snapshot as read, with access to the previous bytes. */
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

/** How much of a file is read at a time to find its first line. */
const headChunk = 65_536;

/** Reads a snapshot without verifying its bytes; throws `SnapshotDamaged` if it is not one. */
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
    // Names that are not valid UTF-8 contain lone surrogates, which are invalid in JSON from other sources.
    const header = JSON.parse(text);
    return isJsonObject(header) && header['version'] === 1 && Array.isArray(header['steps'])
      ? (header as unknown as Header)
      : null;
  } catch {
    return null;
  }
}
