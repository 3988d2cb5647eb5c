// The system daemon: Sallyport under a user id of its own, for one account whose agents it guards. The location of its
// files, the record that root stores of it, and the account for which a process works.

import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { dirname } from 'node:path';
import { messageOf, SallyportError } from '../core/errors.ts';
import { parseJson } from '../core/json.ts';
import { type Infer, integer, object, readShape, text } from '../core/shape.ts';
import { visible } from '../core/text.ts';
import { ConfigError } from './errors.ts';

/** Where root stores one record for each account that has a system daemon. */
const recordFolder = '/etc/sallyport/system';

/** An account's name as `useradd` takes it: it becomes part of paths, of a unit's name and of a shell script. */
const accountName = /^[A-Za-z_][A-Za-z0-9_.-]{0,31}$/;

export function isAccountName(name: string): boolean {
  return accountName.test(name);
}

const name = text({ max: 32, pattern: accountName, what: 'the plain name of an account' });
const path = text({ max: 4096, pattern: /^\/[^\0\n]*$/, what: 'an absolute path' });
const id = integer(1, 0xffff_fffe);

const shape = object({
  user: name,
  uid: id,
  gid: id,
  user_home: path,
  as: name,
  port: integer(1, 65_535),
  node: path,
  program: path,
});

/** One system daemon: the account that it guards, the account that it runs as, and the program that it is. */
export type SystemDaemon = Infer<typeof shape>;

/** The locations of a system daemon's files. */
interface SystemPlaces {
  /** Store, keys and configuration: for the daemon's own account alone. */
  readonly home: string;
  /** The files for agents: the clients of hosts and their credentials for requests. */
  readonly clients: string;
  /** The folder of the socket that agents ask on. */
  readonly run: string;
  readonly socket: string;
  readonly record: string;
  /** The script by which root starts a command as the daemon's account. */
  readonly enter: string;
  /** Variables for the daemon, one `NAME=value` a line; only where an administrator wrote it. */
  readonly environment: string;
  readonly unit: string;
  /** The daemon's output if there is no service manager. */
  readonly log: string;
}

export function systemPlaces(user: string): SystemPlaces {
  const state = `/var/lib/sallyport/${user}`;
  const run = `/run/sallyport/${user}`;
  return {
    home: `${state}/home`,
    clients: `${state}/clients`,
    run,
    socket: `${run}/ask.sock`,
    record: `${recordFolder}/${user}.json`,
    enter: `${recordFolder}/${user}.sh`,
    environment: `${recordFolder}/${user}.env`,
    unit: `/etc/systemd/system/sallyport-${user}.service`,
    log: `/var/log/sallyport-${user}.log`,
  };
}

/** The account that a folder is the home of a system daemon for; null if it is none. */
export function systemUserOf(home: string): string | null {
  const user = /^\/var\/lib\/sallyport\/([^/]+)\/home$/.exec(home)?.[1];
  return user !== undefined && isAccountName(user) ? user : null;
}

/** The text of a record. */
export function recordText(daemon: SystemDaemon): string {
  return `${JSON.stringify(daemon, null, 2)}\n`;
}

/** Reads the text of a record; throws `InputError`. */
export function readRecord(text: string): SystemDaemon {
  return readShape(shape, parseJson(text));
}

/** Every system daemon of this machine; throws `ConfigError` for a record that does not count. */
export function systemDaemons(): readonly SystemDaemon[] {
  let names: readonly string[];
  try {
    names = readdirSync(recordFolder).filter((file) => file.endsWith('.json'));
  } catch {
    return [];
  }
  return names.map((file) => recordIn(`${recordFolder}/${file}`));
}

/** INVARIANT: a record is valid only if root alone can have written it. */
function recordIn(file: string): SystemDaemon {
  const problem = (why: string) =>
    new ConfigError(`${visible(file)} ${why}`, { hint: "run 'sudo sallyport up --system' again" });
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { uid, mode } = fstatSync(descriptor);
    if (!isRoot(uid) || (mode & 0o022) !== 0) throw problem('can be written by others than root');
    const daemon = readRecord(readFileSync(descriptor, 'utf8'));
    if (systemPlaces(daemon.user).record !== file) throw problem('names another account');
    return daemon;
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw problem(`cannot be read: ${messageOf(error)}`);
  } finally {
    closeSync(descriptor);
  }
}

/** The user id that the kernel shows for every id that a user namespace does not map. */
const unknownId = 65_534;

/** Whether a file's owner is root: in the namespace of a system daemon, root has no id. */
function isRoot(uid: number): boolean {
  if (uid === 0) return true;
  return uid === unknownId && !/^\s*0\s/m.test(readFileSync('/proc/self/uid_map', 'utf8'));
}

/** The account whose agents this process guards, and in whose folders it reads and writes. */
export interface Account {
  readonly user: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

/** The daemon that this process is, or a command that root started as its account; null everywhere else. */
let own: SystemDaemon | null | undefined;

function ownSystem(): SystemDaemon | null {
  if (own === undefined) own = findOwnSystem();
  return own;
}

function findOwnSystem(): SystemDaemon | null {
  const home = process.env['SALLYPORT_HOME'];
  const user = home === undefined ? null : systemUserOf(home);
  if (home === undefined || user === null) return null;
  const daemon = systemDaemons().find((one) => one.user === user);
  const self = process.geteuid?.();
  if (daemon === undefined || self === undefined || self === 0 || self === daemon.uid) return null;
  return statSync(home).uid === self ? daemon : null;
}

/** Whether this process works for another account than its own: it is a system daemon, or a command inside one. */
export function worksForAnother(): boolean {
  return ownSystem() !== null;
}

/** The account that this process works for: its own, but in a system daemon. */
export function account(): Account {
  const daemon = ownSystem();
  if (daemon !== null) {
    const { user, uid, gid, user_home: home } = daemon;
    return { user, uid, gid, home };
  }
  const uid = process.getuid?.() ?? -1;
  return {
    // Asked for only where it is needed: the system may have to look the name up elsewhere.
    get user() {
      return userName(uid);
    },
    uid,
    gid: process.getgid?.() ?? -1,
    home: homedir(),
  };
}

function userName(uid: number): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${uid < 0 ? 'unknown' : uid}`;
  }
}

/** The folders of a system daemon that belong to its own account; none in any other process. */
export function ownFolders(): readonly string[] {
  const daemon = ownSystem();
  if (daemon === null) return [];
  const { home, clients, run } = systemPlaces(daemon.user);
  return [home, clients, run];
}

/**
 * Whether only the daemon's own account may open a real path, so that no agent's request may lead there: the kernel
 * denies the daemon every other file that the agent's account could not open itself.
 */
export function isOwnPlace(real: string): boolean {
  if (!worksForAnother()) return false;
  const inside = (folder: string) => real === folder || real.startsWith(`${folder}/`);
  return [...ownFolders(), `/proc/${process.pid}`].some(inside);
}

/** Whether an open file is one of those, whatever path led to it. */
export function isOwnDescriptor(descriptor: number): boolean {
  return worksForAnother() && isOwnPlace(readlinkSync(`/proc/self/fd/${descriptor}`));
}

/** Gives an open file or folder that this process made in the account's folders to that account. */
export function giveToAccount(descriptor: number): void {
  const daemon = ownSystem();
  if (daemon === null) return;
  // A group inherited from its folder is the one that it would have had from the account itself.
  const { gid } = fstatSync(descriptor);
  fchownSync(descriptor, daemon.uid, gid === process.getegid?.() ? daemon.gid : gid);
}

/** A path that a request led into a folder of the system daemon's own. */
class OwnPlace extends SallyportError {}

/** Throws `OwnPlace` if a file of the account's would be in a folder of the daemon's own, through any links. */
export function refuseOwnPlace(file: string): void {
  if (!worksForAnother()) return;
  const folder = nearestFolder(dirname(file));
  if (isOwnPlace(realpathSync.native(folder))) {
    throw new OwnPlace(`${visible(file)} leads into a folder of Sallyport's own`);
  }
}

function nearestFolder(folder: string): string {
  const isThere = lstatSync(folder, { throwIfNoEntry: false }) !== undefined;
  return isThere || dirname(folder) === folder ? folder : nearestFolder(dirname(folder));
}

/**
 * Writes a file in the account's folders atomically, creates the parent folders, and gives both to the account. Every
 * write there except those of snapshots uses this function.
 */
export function writeForAccount(file: string, content: string | Uint8Array, mode: number): void {
  refuseOwnPlace(file);
  makeFolders(dirname(file));
  const scratch = `${file}.sallyport-${process.pid}`;
  rmSync(scratch, { force: true });
  const written = openSync(scratch, 'wx', mode);
  try {
    writeFileSync(written, content);
    // The mask of the process may have taken some of it.
    fchmodSync(written, mode);
    giveToAccount(written);
  } finally {
    closeSync(written);
  }
  renameSync(scratch, file);
}

/** Makes a folder of the account's and those above it, where they are missing. */
function makeFolders(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  if (dirname(folder) !== folder) makeFolders(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return;
    throw error;
  }
  if (!worksForAnother()) return;
  const made = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    giveToAccount(made);
  } finally {
    closeSync(made);
  }
}
