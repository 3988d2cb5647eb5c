// An overlay of folders for one command: it sees them as they are and may change everything, and its changes go to a
// folder of our own. Overlayfs in a user and mount namespace, which needs no rights; bubblewrap runs inside of it.

import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, visible } from '../../core/index.ts';
import { isAlive, nameOf, systemPath, thisProcess } from '../../ledger/snapshots/index.ts';
import { closeInherited } from '../process.ts';
import { isSound, type Mounted, shell } from '../sandbox.ts';

/** One folder that a command sees through the overlay. */
export interface Layer {
  /** The real path of the folder. */
  readonly lower: string;
  /** The changes of the command, in the format of overlayfs. */
  readonly upper: string;
  /** The mount point of the overlay; visible in the namespace of the command alone. */
  readonly merged: string;
}

/** A process, by its number and when it began. */
type Owner = ReturnType<typeof thisProcess>;

/** Why there is no overlay on this machine, and what to do about it. */
export interface NoOverlay {
  readonly problem: string;
  readonly hint: string;
}

/** INVARIANT: never looked for in PATH, which the caller could have filled. */
const unsharePlaces = ['/usr/bin/unshare', '/bin/unshare', '/run/current-system/sw/bin/unshare'];
const mountPlaces = ['/usr/bin/mount', '/bin/mount', '/run/current-system/sw/bin/mount'];

/**
 * Mounts the overlays of the folders up to `--`, then becomes what follows. The names in the options are relative, so that
 * no path needs escaping; `redirect_dir` and `metacopy` stay off, so that the upper folder holds whole files under their
 * own names.
 */
const mountScript = [
  'mount=$1; options=$2; shift 2',
  'while [ "$1" != -- ]; do cd "$1" || exit 125',
  '"$mount" -t overlay overlay -o "userxattr,$options" merged || exit 125',
  'shift; done; shift; cd / && exec "$@"',
].join('; ');

/**
 * How the overlays are mounted: for the command, without waiting for a disk that nothing of this need be on; to find out
 * whether they can be; and to read what the command left.
 */
const mountOptions = {
  command: 'volatile,lowerdir=lower,upperdir=upper,workdir=work',
  trial: 'volatile,lowerdir=lower,upperdir=upper,workdir=trial',
  reading: 'ro,lowerdir=upper:lower',
};

/** Prints the names in each folder of a file of names, each ended by a zero byte, and one more after each folder. */
const listScript = [
  'shopt -s dotglob nullglob; while IFS= read -r -d \'\' folder; do cd "$folder" || exit 125',
  'for name in *; do printf \'%s\\0\' "$name"; done; printf \'\\0\'; done <"$1"',
].join('; ');

/**
 * A shell whose input is a socket takes itself for a remote one, and would run what the person's start files say. `-p`: it
 * takes no functions and no start file from the environment, which may be a host's.
 */
const quiet = ['--noprofile', '--norc', '-p'];

const patienceMs = 20_000;
const mostListed = 268_435_456;

export class Overlay implements Mounted {
  readonly layers: readonly Layer[];
  /**
   * When it was created, by the clock of the file system: a file below with a later `ctime` was changed by another
   * process.
   */
  readonly startedMs: number;
  readonly #folder: string;

  /**
   * Creates the folders of an overlay below Sallyport's own folder. Nothing is mounted before the command starts. Once
   * the owning process has exited, the next overlay removes it.
   */
  constructor(home: string, lowers: readonly string[], { pid, born }: Owner = thisProcess()) {
    const all = join(home, 'shell');
    mkdirSync(all, { recursive: true, mode: 0o700 });
    removeAbandoned(all);
    this.#folder = join(all, `${pid}-${born}-${randomUUID()}`);
    mkdirSync(this.#folder, { mode: 0o700 });
    this.layers = lowers.map((lower, index) => makeLayer(join(this.#folder, String(index)), lower));
    const start = join(this.#folder, 'start');
    writeFileSync(start, '');
    this.startedMs = statSync(start).ctimeMs;
  }

  /** The words that a command is started with, so that it finds the overlays mounted. */
  get words(): readonly string[] {
    return this.#wordsFor('command');
  }

  /** The same for a command that a host starts, from which every descriptor but the first four is taken. */
  get wordsForHost(): readonly string[] {
    return this.#wordsFor('command', `${closeInherited}; ${mountScript}`);
  }

  /** A file in which bubblewrap reports that the command started. */
  get statusFile(): string {
    return join(this.#folder, 'status');
  }

  #wordsFor(way: keyof typeof mountOptions, script = mountScript): readonly string[] {
    const unshare = unsharePlaces.find(isSound) ?? 'unshare';
    const mount = mountPlaces.find(isSound) ?? 'mount';
    const folders = this.layers.map(({ upper }) => join(upper, '..'));
    const words = [shell, ...quiet, '-c', script, 'sh', mount, mountOptions[way], ...folders, '--'];
    return [unshare, '-Urm', '--', ...words];
  }

  /** Why the overlay cannot be mounted; null if it can. */
  async problem(): Promise<NoOverlay | null> {
    if (process.platform !== 'linux') {
      const problem = 'the transactional shell needs overlayfs, which exists on Linux only';
      return { problem, hint: 'run Sallyport in a Linux machine or container' };
    }
    try {
      await this.#run('trial', [shell, ...quiet, '-c', ':']);
      return null;
    } catch (error) {
      const said = messageOf(error).split('\n').slice(1).join(' ').trim();
      return { problem: `overlayfs cannot be mounted here: ${visible(said, 300)}`, hint: unmountable };
    }
  }

  /** The names that a command would find in folders of a layer, by their paths from the layer on. */
  async namesIn(layer: Layer, folders: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    if (folders.length === 0) return new Map();
    const list = join(this.#folder, 'folders');
    const paths = folders.map((folder) => Buffer.from(systemPath(join(layer.merged, folder))));
    writeFileSync(list, Buffer.concat(paths.flatMap((path) => [path, Buffer.from([0])])));
    const printed = await this.#run('reading', [shell, ...quiet, '-c', listScript, 'sh', list]);
    const found = new Map<string, Set<string>>();
    let at = 0;
    for (const folder of folders) {
      const names = new Set<string>();
      for (let end = printed.indexOf(0, at); end > at; end = printed.indexOf(0, at)) {
        names.add(nameOf(printed.subarray(at, end)));
        at = end + 1;
      }
      at += 1;
      found.set(folder, names);
    }
    if (at !== printed.length) throw new Error('the folders of an overlay could not be listed');
    return found;
  }

  /** Discards everything that the command changed. */
  remove(): void {
    removeTree(this.#folder);
  }

  #run(way: keyof typeof mountOptions, command: readonly string[]): Promise<Buffer> {
    const [program = '', ...words] = [...this.#wordsFor(way), ...command];
    return new Promise((resolve, reject) => {
      execFile(
        program,
        words,
        { encoding: 'buffer', timeout: patienceMs, maxBuffer: mostListed, env: {}, cwd: '/' },
        (error, stdout) => (error === null ? resolve(stdout) : reject(error)),
      );
    });
  }
}

const unmountable =
  'it needs Linux 5.11 or newer, user namespaces for ordinary accounts (on Ubuntu 24.04 an AppArmor profile), and a ' +
  'file system for $SALLYPORT_HOME that can hold the upper folder (ext4, xfs, btrfs, tmpfs; not another overlay or NFS)';

function makeLayer(folder: string, lower: string): Layer {
  mkdirSync(folder, { mode: 0o700 });
  const layer = { lower, upper: join(folder, 'upper'), merged: join(folder, 'merged') };
  for (const path of [layer.upper, layer.merged, join(folder, 'work'), join(folder, 'trial')])
    mkdirSync(path);
  // The top of the overlay has the mode of the folder that it replaces.
  chmodSync(layer.upper, statSync(lower).mode & 0o7777);
  symlinkSync(lower, join(folder, 'lower'));
  return layer;
}

/** Takes away what processes left that were killed. */
function removeAbandoned(all: string): void {
  for (const name of readdirSync(all)) {
    const [pid = '', born = ''] = name.split('-');
    if (!isAlive({ pid: Number(pid), born })) removeTree(join(all, name));
  }
}

/** Takes a tree away, whatever modes a command gave its folders. */
function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    openTree(path);
    rmSync(path, { recursive: true, force: true });
  }
}

function openTree(path: string): void {
  chmodSync(systemPath(path), 0o700);
  for (const entry of readdirSync(systemPath(path), { withFileTypes: true, encoding: 'buffer' })) {
    if (entry.isDirectory()) openTree(join(path, nameOf(entry.name)));
  }
}
