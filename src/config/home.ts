// The location of Sallyport's own files: the home folder, the files in it, and the safe way to write them.

import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { InputError, messageOf } from '../core/errors.ts';
import type { World } from '../core/index.ts';
import { decodeUtf8 } from '../core/json.ts';
import { visible } from '../core/text.ts';
import { ConfigError, HomeError } from './errors.ts';
import { giveToAccount, systemPlaces, systemUserOf, worksForAnother } from './system.ts';

/** The environment that locations and `${…}` are read from. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The absolute path of the home folder: `$SALLYPORT_HOME`, else `$HOME/.sallyport`. */
export function homeFolder(environment: Environment): string {
  const own = environment['SALLYPORT_HOME'];
  if (own !== undefined && own !== '') return absolute('SALLYPORT_HOME', own);
  const user = environment['HOME'];
  if (user !== undefined && user !== '') return join(absolute('HOME', user), '.sallyport');
  throw new ConfigError('there is no folder for keys and records: neither SALLYPORT_HOME nor HOME is set', {
    hint: 'set SALLYPORT_HOME to an absolute path',
  });
}

function absolute(name: string, path: string): string {
  if (isAbsolute(path) && !path.includes('\0')) return resolve(path);
  throw new ConfigError(`${name} must be an absolute path, not "${visible(path, 100)}"`, {
    hint: 'set SALLYPORT_HOME to an absolute path',
  });
}

/** The files and folders inside a home folder. */
export interface HomePaths {
  readonly config: string;
  readonly ledger: string;
  readonly keys: string;
  /** The state of files before changes, by workspace. */
  readonly snapshots: string;
  /** Entries of the log that are acknowledged before they are committed, by process. */
  readonly deferred: string;
  /** The symbols of workspaces, by name. */
  readonly symbols: string;
  /** The events of each run of the harness. */
  readonly runs: string;
  readonly run: string;
  /** The socket for all requests, by the account of the daemon alone. */
  readonly socket: string;
  /** The socket for agents; a different one only if the daemon has an account of its own. */
  readonly ask: string;
  readonly daemon: string;
  readonly lock: string;
  /** How the daemon was started last. */
  readonly start: string;
  /** Exists while the user wants the daemon stopped: clients do not start it then. */
  readonly stopped: string;
  /** The credential that local hooks and agents use. */
  readonly token: string;
  readonly trust: string;
  readonly approver: string;
  /** A key that takes the place of the approver's once its waiting time is over. */
  readonly approverNext: string;
  /** The results of bench runs. */
  readonly bench: string;
  /** The programs that agent hosts call. */
  readonly bin: string;
  /** The credentials that agents and their hosts hold. */
  readonly held: string;
  /** Which hosts were wired in, and in which files. */
  readonly hosts: string;
  /** Which workspace each session of a host works in. */
  readonly sessions: string;
}

/** The paths inside a home folder. */
export function paths(home: string): HomePaths {
  const user = systemUserOf(home);
  const own = pathsIn(home);
  if (user === null) return own;
  const { clients, socket } = systemPlaces(user);
  return { ...own, ask: socket, bin: clients, held: clients, token: join(clients, 'decide.token') };
}

function pathsIn(home: string): HomePaths {
  return {
    config: join(home, 'sallyport.toml'),
    ledger: join(home, 'ledger.db'),
    keys: join(home, 'keys'),
    snapshots: join(home, 'snapshots'),
    deferred: join(home, 'deferred'),
    symbols: join(home, 'symbols'),
    runs: join(home, 'runs'),
    run: join(home, 'run'),
    socket: join(home, 'run', 'sallyport.sock'),
    ask: join(home, 'run', 'sallyport.sock'),
    daemon: join(home, 'run', 'daemon.json'),
    lock: join(home, 'run', 'daemon.lock'),
    start: join(home, 'run', 'start.json'),
    stopped: join(home, 'run', 'stopped'),
    token: join(home, 'keys', 'decide.token'),
    trust: join(home, 'trust.json'),
    approver: join(home, 'approver.json'),
    approverNext: join(home, 'approver-next.json'),
    bench: join(home, 'bench'),
    bin: join(home, 'bin'),
    held: join(home, 'keys'),
    hosts: join(home, 'hosts.json'),
    sessions: join(home, 'sessions.json'),
  };
}

/** Creates the home folder and its subfolders for the owner alone; throws `HomeError` if it cannot be safe. */
export function prepareHome(home: string): void {
  privateFolder(home, true);
  const { keys, run, bin, snapshots, symbols, runs } = paths(home);
  for (const folder of [keys, run, bin, snapshots, symbols, runs]) {
    // The clients of a system daemon are not in its home: root made a folder for them that agents can reach.
    if (isInside(home, folder)) privateFolder(folder, false);
  }
}

function privateFolder(folder: string, mayBeLink: boolean): void {
  const shown = visible(folder);
  let found = lookAt(folder, lstatSync);
  if (found === null) {
    attempt(`${shown} cannot be created`, () => createFolders(folder));
    found = lookAt(folder, lstatSync);
  }
  if (found?.isSymbolicLink()) {
    if (!mayBeLink) throw new HomeError(`${shown} is a symbolic link`, { hint: 'remove the link' });
    found = lookAt(folder, statSync);
  }
  if (found === null) {
    throw new HomeError(`${shown} leads nowhere`, { hint: 'remove the link, or set SALLYPORT_HOME' });
  }
  if (!found.isDirectory()) {
    throw new HomeError(`${shown} is not a folder`, { hint: 'move it away, or set SALLYPORT_HOME' });
  }
  const self = process.geteuid?.();
  if (self !== undefined && found.uid !== self) {
    throw new HomeError(`${shown} belongs to another user (id ${found.uid}, you are ${self})`, {
      hint: 'set SALLYPORT_HOME to a folder of your own',
    });
  }
  if ((found.mode & 0o077) !== 0 && !isOurs(folder)) {
    // Closing a folder that others use, such as /tmp, would break them.
    throw new HomeError(`${shown} is open to others and holds things that are not Sallyport's`, {
      hint: 'set SALLYPORT_HOME to a folder of its own, or close this one yourself: chmod 700',
    });
  }
  if ((found.mode & 0o777) !== 0o700) {
    attempt(`${shown} is open to others and cannot be closed`, () => chmodSync(folder, 0o700));
  }
  attempt(`${shown} cannot be written to`, () => accessSync(folder, constants.W_OK | constants.X_OK));
}

/** The files of a home, and those that a folder may contain before it becomes one. */
const ownNames: ReadonlySet<string> = new Set([
  ...['sallyport.toml', 'ledger.db', 'ledger.db-wal', 'ledger.db-shm', 'trust.json', 'approver.json'],
  ...[
    'ledger.key',
    'chain.id',
    'head.json',
    'decide.token',
    'keys',
    'run',
    'daemon.json',
    'daemon.lock',
    'daemon.lock-journal',
  ],
  ...[
    'daemon.log',
    'sallyport.sock',
    'cache',
    'bench',
    'bin',
    'hosts.json',
    'sessions.json',
    'snapshots',
    'symbols',
    'deferred',
    'runs',
  ],
]);

/** Whether a folder holds nothing but what Sallyport puts there. */
function isOurs(folder: string): boolean {
  return namesIn(folder).every(isOurName);
}

function isOurName(name: string): boolean {
  return ownNames.has(name) || /^(?:ledger\.db\.|hook-)/.test(name);
}

function namesIn(folder: string): readonly string[] {
  return attempt(`${visible(folder)} cannot be looked at`, () => readdirSync(folder));
}

/** Deletes what Sallyport keeps in its home, and the home where nothing else is in it. */
export function removeHome(home: string): void {
  if (!existsSync(home)) return;
  attempt(`${visible(home)} cannot be deleted`, () => {
    for (const name of namesIn(home).filter(isOurName))
      rmSync(join(home, name), { recursive: true, force: true });
    if (namesIn(home).length === 0) rmSync(home, { recursive: true });
  });
}

/** Creates a folder and its ancestors one by one; Node's own function never ends if a file system returns ENOENT. */
function createFolders(folder: string): void {
  const parent = dirname(folder);
  if (parent !== folder && statSync(parent, { throwIfNoEntry: false }) === undefined) createFolders(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

function lookAt(path: string, look: (path: string, options: { throwIfNoEntry: false }) => Stats | undefined) {
  return attempt(`${visible(path)} cannot be looked at`, () => look(path, { throwIfNoEntry: false })) ?? null;
}

const plainReasons: Readonly<Record<string, string>> = {
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'your quota of the disk is used up',
  EACCES: 'the system does not permit it',
  EPERM: 'the system does not permit it',
  ENOTDIR: 'a file is in the place of a folder',
  ELOOP: 'the symbolic links go in a circle',
  ENOENT: 'a folder on the way does not exist',
};

/** The `code` of a system error, or nothing. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function attempt<T>(what: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof HomeError) throw error;
    const reason = plainReasons[codeOf(error)] ?? messageOf(error);
    throw new HomeError(`${what}: ${reason}`, { cause: error, hint: 'check it, or set SALLYPORT_HOME' });
  }
}

/** A private file was to be created, and one is there already. */
export class AlreadyExists extends HomeError {}

/**
 * Writes a file for the owner alone, atomically: a temporary file beside it, synced, then renamed. With `exclusive`, an
 * existing file is left unchanged and `AlreadyExists` is thrown.
 */
export function writePrivate(path: string, text: string, options: { exclusive?: boolean } = {}): void {
  const { randomBytes } = process.getBuiltinModule('node:crypto');
  const folder = dirname(path);
  const temporary = join(folder, `.${basename(path)}.${randomBytes(8).toString('hex')}`);
  attempt(`${visible(path)} cannot be written`, () => {
    const file = openSync(
      temporary,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
      0o600,
    );
    try {
      try {
        writeFileSync(file, text);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      if (options.exclusive) place(temporary, path);
      else renameSync(temporary, path);
    } catch (error) {
      discard(temporary);
      throw error;
    }
    syncFolder(folder);
  });
}

/** Writes a file that agents hold, for the account that they run as alone. */
export function writeHeld(path: string, text: string): void {
  writePrivate(path, text);
  openToAccount(path);
}

/** Writes a program of ours that agent hosts start. */
export function writeClientProgram(path: string, text: string): void {
  writePrivate(path, text);
  chmodSync(path, clientProgramMode());
}

/** In a system daemon the account runs the client, and only the daemon can change it. */
export function clientProgramMode(): number {
  return worksForAnother() ? 0o755 : 0o700;
}

function openToAccount(path: string): void {
  if (!worksForAnother()) return;
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    fchmodSync(file, 0o400);
    giveToAccount(file);
  } finally {
    closeSync(file);
  }
}

/** Gives a file its name only if nothing has that name yet. */
function place(temporary: string, path: string): void {
  try {
    linkSync(temporary, path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    throw new AlreadyExists(`${visible(path)} exists already`);
  }
  unlinkSync(temporary);
}

function discard(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It may never have been created; the error that led here is the relevant one.
  }
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, constants.O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Largest configuration or trust file that is read. */
export const maxConfigBytes = 1_048_576;

/** The functions of the world that the configuration needs; all of it is synchronous. */
export type ConfigWorld = Pick<World, 'now' | 'realPath' | 'readText'>;

/**
 * The text of a regular file of at most `maxConfigBytes`, or null if there is none.
 * Throws `InputError` for anything else and for what is refused, and never waits on a pipe or a device.
 */
export function readRegularFile(
  path: string,
  isRefused: (descriptor: number) => boolean = () => false,
): string | null {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return null;
    throw new InputError(`cannot be read: ${plainReasons[codeOf(error)] ?? messageOf(error)}`, {
      cause: error,
    });
  }
  try {
    if (isRefused(file)) throw new InputError("belongs to Sallyport's own account");
    const { size } = regular(fstatSync(file));
    if (size > maxConfigBytes) throw new InputError(`is larger than ${maxConfigBytes} bytes`);
    return decodeUtf8(readUpTo(file, maxConfigBytes));
  } finally {
    closeSync(file);
  }
}

function regular(found: Stats): Stats {
  if (!found.isFile()) throw new InputError('is not a regular file');
  return found;
}

/** All bytes of an open file; one that grew beyond the limit since it was checked is refused. */
function readUpTo(file: number, limit: number): Uint8Array {
  const pieces: Uint8Array[] = [];
  let total = 0;
  for (;;) {
    const piece = new Uint8Array(65_536);
    const count = readSync(file, piece);
    if (count === 0) return Buffer.concat(pieces, total);
    total += count;
    if (total > limit) throw new InputError(`is larger than ${limit} bytes`);
    pieces.push(piece.subarray(0, count));
  }
}

/**
 * The system's error codes for a path without an entry, and, with a name too long for a folder, without a possible one.
 */
const leadsNowhere: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']);

/** The world as it is on this machine. */
export const diskWorld: ConfigWorld = {
  now: () => Date.now(),
  realPath: (path) => {
    try {
      return realpathSync.native(path);
    } catch (error) {
      if (leadsNowhere.has(codeOf(error))) return null;
      throw new InputError(`cannot be resolved: ${plainReasons[codeOf(error)] ?? messageOf(error)}`, {
        cause: error,
      });
    }
  },
  readText: (path) => readRegularFile(path),
};

/** Whether a path is a folder or inside it; both are real paths. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/**
 * Whether an agent that works in the workspace could reach the home folder: one is inside the other. A workspace that
 * is `$HOME` or `/` contains `~/.sallyport`, which is common enough that surfaces decide whether to warn or to refuse.
 * A path that cannot be resolved counts as exposed.
 */
export function homeIsExposed(home: string, workspace: string): boolean {
  const realHome = realOrNearest(home);
  const realWorkspace = realOrNearest(workspace);
  if (realHome === null || realWorkspace === null) return true;
  return isInside(realWorkspace, realHome) || isInside(realHome, realWorkspace);
}

/** The real path; for what does not exist yet, that of its nearest ancestor with the rest put behind. */
function realOrNearest(path: string): string | null {
  let rest = '';
  for (let at = resolve(path); ; at = dirname(at)) {
    try {
      return join(realpathSync.native(at), rest);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || dirname(at) === at) return null;
      rest = join(basename(at), rest);
    }
  }
}
