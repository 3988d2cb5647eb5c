// The dates of many files in the format of an index of git. Git compares them with the disk in several threads, which
// takes a third of the time of checking each file here. Git reads this index and the dates, and nothing else: no file,
// no setting of the user or the workspace, no object.

import {
  accessSync,
  constants,
  mkdirSync,
  renameSync,
  type Stats,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { worksForAnother } from '../../config/index.ts';
import { nameOf } from './names.ts';
import type { Program, Runner } from './runner.ts';
import { Helper } from './turns.ts';

/** Where git is searched. INVARIANT: never in PATH, which an agent may have changed. */
const gitPlaces = [
  '/usr/bin/git',
  '/usr/local/bin/git',
  '/opt/homebrew/bin/git',
  '/run/current-system/sw/bin/git',
];

/** The git of this machine; undefined if there is none, or if the daemon may start no program in a workspace. */
export function findGit(): string | undefined {
  // INVARIANT: a system daemon starts no program on files that agents wrote: it would have the daemon's rights.
  return worksForAnother() ? undefined : gitPlaces.find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const headerBytes = 12;
/** Ten numbers, an id and the length of the name. */
const entryBytes = 62;
const sumBytes = 20;
/** The id of an empty file: an entry of size 0 with another id counts as changed. */
const emptyId = Buffer.from('e69de29bb2d1d6434b8b29ae775ad8c2e48c5391', 'hex');
/** Git compares whole seconds: a file that changed this recently may change again without a change of its dates. */
const coarse = 2000;
/** An index that is older than a file makes git read the file; one of the year 2100 is never older. */
const newest = 4_102_444_800;
/** An entry that matches no file. Git reports it, or has not compared anything. */
const canary = '.git/sallyport-canary';

const settings = [
  ...['-c', 'core.trustctime=true', '-c', 'core.checkStat=default', '-c', 'core.ignoreStat=false'],
  ...['-c', 'core.fsmonitor=false', '-c', 'core.preloadIndex=true', '-c', 'core.fileMode=true'],
  ...['-c', 'index.threads=1'],
];

export class StatIndex {
  readonly #started: number;
  #bytes = Buffer.alloc(65_536);
  #at = headerBytes;
  #count = 0;
  #folder = '';
  #stamp = '';

  /** `started`: when the scan began. */
  constructor(started: number) {
    this.#started = started;
    this.#put(canary, [0, 0, 0, 0, 0, 0, 0o100644, 0, 0, 1]);
  }

  /** Adds a file or link; false if its dates would not show a change. */
  add(path: string, found: Stats): boolean {
    if (found.ctimeMs > this.#started - coarse || !path.isWellFormed()) return false;
    const executable = (found.mode & 0o100) === 0 ? 0o100644 : 0o100755;
    const mode = found.isSymbolicLink() ? 0o120000 : executable;
    const { ctimeMs, mtimeMs, dev, ino, uid, gid, size } = found;
    this.#put(path, [secondsOf(ctimeMs), 0, secondsOf(mtimeMs), 0, dev, ino, mode, uid, gid, size]);
    return true;
  }

  #put(path: string, numbers: readonly number[]): void {
    const length = Buffer.byteLength(path);
    const end = this.#at + Math.ceil((entryBytes + length + 1) / 8) * 8;
    if (end + sumBytes > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(this.#bytes.length * 2, end + sumBytes));
      this.#bytes.copy(larger, 0, 0, this.#at);
      this.#bytes = larger;
    }
    let at = this.#at;
    for (const number of numbers) at = this.#bytes.writeUInt32BE(number % 4_294_967_296, at);
    emptyId.copy(this.#bytes, at);
    this.#bytes.writeUInt16BE(Math.min(length, 0xfff), at + emptyId.length);
    this.#bytes.write(path, this.#at + entryBytes);
    this.#at = end;
    this.#count++;
  }

  /** Writes the index to git's location, replacing any other. INVARIANT: the caller holds the lock. */
  write(store: string): void {
    this.#folder = folderIn(store);
    for (const name of ['objects', 'refs'])
      mkdirSync(join(this.#folder, name), { recursive: true, mode: 0o700 });
    writeFileSync(join(this.#folder, 'HEAD'), 'ref: refs/heads/none\n', { mode: 0o600 });
    this.#bytes.write('DIRC', 0, 'latin1');
    this.#bytes.writeUInt32BE(2, 4);
    this.#bytes.writeUInt32BE(this.#count, 8);
    const file = join(this.#folder, 'index');
    writeFileSync(`${file}.new`, this.#bytes.subarray(0, this.#at + sumBytes), { mode: 0o600 });
    utimesSync(`${file}.new`, newest, newest);
    renameSync(`${file}.new`, file);
    this.#bytes = Buffer.alloc(0);
    this.#stamp = stampOf(file);
  }

  /** Asks git for the files that differ; null if the index is not the one that this wrote. */
  ask(git: Runner): Helper | null {
    return stampOf(join(this.#folder, 'index')) === this.#stamp ? new Helper(git) : null;
  }
}

/** Compares a workspace with the index in a store. */
export function comparing(program: string, workspace: string, store: string): Program {
  return {
    program,
    words: ['-C', workspace, ...settings, 'diff-files', '--name-only', '-z'],
    environment: {
      GIT_DIR: folderIn(store),
      GIT_WORK_TREE: workspace,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_OPTIONAL_LOCKS: '0',
      LC_ALL: 'C',
    },
  };
}

/** The location of the index in a store. */
function folderIn(store: string): string {
  return join(store, 'stat-index');
}

/** The paths that git printed; null if it has not compared. */
export function flaggedIn(output: Buffer | null): readonly string[] | null {
  if (output === null) return null;
  const paths: string[] = [];
  for (let at = 0, end = output.indexOf(0); end >= 0; at = end + 1, end = output.indexOf(0, at))
    paths.push(nameOf(output.subarray(at, end)));
  const at = paths.indexOf(canary);
  if (at < 0) return null;
  paths.splice(at, 1);
  return paths;
}

function secondsOf(milliseconds: number): number {
  const seconds = Math.floor(milliseconds / 1000) % 4_294_967_296;
  return seconds < 0 ? seconds + 4_294_967_296 : seconds;
}

function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? '' : `${found.ino} ${found.ctimeMs} ${found.size}`;
}
