// The sandbox of commands: bubblewrap with a readable system, a writable workspace, and nothing else.

import { spawn } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { isInside, type SandboxSettings, type ServerSandbox } from '../config/index.ts';
import { type UnfitWorkspace, unfitWorkspace, visible } from '../core/index.ts';
import { SandboxUnavailable, WorkspaceUnfit } from './errors.ts';
import { type Guarded, guardWorkspace } from './guarded.ts';
import { entriesOf, lookAt, realOf } from './look.ts';

/** A verified program that creates sandboxes here. */
export interface Sandbox {
  readonly program: string;
}

/** Why this machine has no sandbox, and how to fix it. */
export interface NoSandbox {
  readonly problem: string;
  readonly hint: string;
}

/** Where bubblewrap is searched. INVARIANT: never in PATH, which the caller could change. */
const places = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap', '/run/current-system/sw/bin/bwrap'];

const tried = new Map<string, Promise<Sandbox | NoSandbox>>();

/** The sandbox of this machine; tested once for each process. */
export function findSandbox(programs: readonly string[] = places): Promise<Sandbox | NoSandbox> {
  const key = programs.join('\n');
  let found = tried.get(key);
  if (found === undefined) {
    found = find(programs);
    tried.set(key, found);
  }
  return found;
}

async function find(programs: readonly string[]): Promise<Sandbox | NoSandbox> {
  if (process.platform !== 'linux') {
    return {
      problem: 'commands run in bubblewrap, which is there for Linux only',
      hint: 'run Sallyport in a Linux machine or container',
    };
  }
  const program = programs.find(isSound);
  if (program === undefined) {
    return {
      problem: 'bubblewrap is not installed',
      hint: 'install it: apt install bubblewrap, dnf install bubblewrap, or pacman -S bubblewrap',
    };
  }
  const complaint = await tryOut(program);
  if (complaint === null) return { program };
  return {
    problem: `bubblewrap cannot make a sandbox here: ${visible(complaint, 300)}`,
    hint: hintFor(complaint),
  };
}

/** Whether only the system's own account can have installed the program. */
export function isSound(program: string): boolean {
  try {
    const { uid, mode } = statSync(program);
    return uid === 0 && (mode & 0o022) === 0;
  } catch {
    return false;
  }
}

/** Starts a shell in an empty sandbox; returns the error, or null. */
function tryOut(program: string): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn(program, [...isolation('off'), ...system(), '--', shell, '-c', ':'], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {},
      timeout: 10_000,
      killSignal: 'SIGKILL',
    });
    let complaint = '';
    child.stderr.on('data', (piece: Buffer) => {
      if (complaint.length < 2000) complaint += piece.toString('utf8');
    });
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code) =>
      resolve(code === 0 ? null : complaint.trim() || `it ended with status ${code}`),
    );
  });
}

function hintFor(complaint: string): string {
  if (/unknown option/i.test(complaint)) return 'install bubblewrap 0.8.0 or newer';
  if (/proc/.test(complaint)) {
    return 'in a container, start it so that /proc may be mounted, as with --security-opt systempaths=unconfined';
  }
  return (
    'let programs make user namespaces: sysctl kernel.unprivileged_userns_clone=1, ' +
    'or on Ubuntu 24.04 an AppArmor profile for bwrap; in a container, a seccomp profile that allows it'
  );
}

/** The shell that sets limits and runs commands; at this path inside a sandbox and outside. */
export const shell = '/bin/bash';

/** Maximum size in bytes of each private folder. */
const privateBytes = 536_870_912;

/** System folders, read-only inside. Any other folder is absent: no /run with its sockets, no homes. */
const systemFolders = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/nix/store', '/gnu/store'],
  '/run/current-system',
];

/**
 * Paths in a home that contain keys, or define an agent's rights. Hidden in every readable folder that contains them.
 */
const secretNames = [
  ...['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker', '.config', '.mozilla', '.netrc', '.npmrc'],
  ...[
    '.pypirc',
    '.pgpass',
    '.my.cnf',
    '.git-credentials',
    '.gitconfig',
    '.password-store',
    '.terraform.d',
    '.vault-token',
  ],
  ...[
    '.cargo/credentials',
    '.cargo/credentials.toml',
    '.gem/credentials',
    '.m2/settings.xml',
    '.m2/settings-security.xml',
    '.gradle/gradle.properties',
    '.yarnrc.yml',
    '.local/share/keyrings',
    '.bash_history',
  ],
  ...[
    '.zsh_history',
    '.python_history',
    '.node_repl_history',
    '.psql_history',
    '.sallyport',
    '.claude',
    '.claude.json',
  ],
  ...[
    '.codex',
    '.gemini',
    '.cursor',
    '.copilot',
    '.codeium',
    '.windsurf',
    '.kiro',
    '.cline',
    '.roo',
    '.qwen',
  ],
];

/** Overlays that are mounted around a sandbox. */
export interface Mounted {
  /** The command prefix that mounts them, before that of bubblewrap. */
  readonly words: readonly string[];
  /** The folders that they replace, and their mount points. */
  readonly layers: readonly { readonly lower: string; readonly merged: string }[];
}

/** The location of a command. */
export interface SandboxPlan {
  /** Real paths; the second is inside the first. */
  readonly workspace: string;
  readonly cwd: string;
  /** Sallyport's own folder. */
  readonly home: string;
  readonly network: SandboxSettings['network'];
  readonly settings: Pick<SandboxSettings, 'readPaths' | 'path'>;
  /** Whether the command may change the data of git repositories. */
  readonly changesGit: boolean;
  /**
   * The overlay that the command runs on. It may then change everything in the workspace, because its changes are
   * judged before they are applied; the home is readable and writable if the overlay contains it.
   */
  readonly overlay?: Mounted;
  /** The workspace is read-only. */
  readonly isReadOnly?: boolean;
}

/** A sandbox for one command. */
export interface Prepared {
  /** The arguments of bubblewrap up to the program that it runs. */
  readonly words: readonly string[];
  readonly guarded: Guarded;
}

/** Prepares the sandbox of one command; throws `WorkspaceUnfit`. */
export function prepareSandbox(plan: SandboxPlan): Prepared {
  const { workspace, cwd, home, network, settings, changesGit, overlay, isReadOnly = false } = plan;
  const homes = personalHomes();
  checkWorkspace(workspace, home, homes);
  const guarded = overlay === undefined && !isReadOnly ? guardWorkspace(workspace, changesGit) : unguarded;
  const added = [...settings.readPaths, ...settings.path].flatMap((path) => realOf(path) ?? []);
  const layers = (overlay?.layers ?? []).filter(({ lower }) => lower !== workspace);
  const own = overlay?.layers.find(({ lower }) => lower === workspace)?.merged ?? workspace;
  const readable = [...systemFolders, ...added, ...layers.map(({ lower }) => lower)];
  const isReadable = (path: string) => readable.some((folder) => isInside(folder, path));
  const hidden = hiddenPaths(home, homes);
  const words = [
    ...isolation(network),
    ...(overlay === undefined ? [] : sameAccount()),
    ...system(),
    ...(network === 'host' ? nameResolution() : []),
    ...homes.filter((folder) => !isReadable(folder)).flatMap(privateFolder),
    ...layers.flatMap(({ lower, merged }) => ['--bind', merged, lower]),
    ...added.flatMap((path) => ['--ro-bind', path, path]),
    // Hidden before the workspace is mounted, which may be below a hidden path.
    ...hidden.filter(isReadable).flatMap(hide),
    ...[isReadOnly ? '--ro-bind' : '--bind', own, workspace],
    ...guarded.mounts,
    ...['--remount-ro', '/', '--chdir', cwd],
  ];
  return { words, guarded };
}

/** The location of a long-running server program. */
export interface ServedPlan extends ServerSandbox {
  /** Null: a separate home, which is empty. */
  readonly cwd: string | null;
  /** Sallyport's own folder. */
  readonly home: string;
}

/** The arguments of bubblewrap for a long-running server program; throws `WorkspaceUnfit`. */
export function prepareServed({ read, write, network, cwd, home }: ServedPlan): readonly string[] {
  const homes = personalHomes();
  for (const path of write) checkWorkspace(path, home, homes);
  const [readable, writable] = [read, write].map((paths) => paths.flatMap((path) => realOf(path) ?? []));
  const shown = [...systemFolders, ...(readable ?? [])];
  const hidden = hiddenPaths(home, homes).filter((path) => shown.some((folder) => isInside(folder, path)));
  return [
    ...isolation(network),
    ...system(),
    ...(network === 'host' ? nameResolution() : []),
    ...homes.flatMap(privateFolder),
    ...(readable ?? []).flatMap((path) => ['--ro-bind', path, path]),
    ...hidden.flatMap(hide),
    ...(writable ?? []).flatMap((path) => ['--bind', path, path, ...guardWorkspace(path, false).mounts]),
    ...['--remount-ro', '/', '--chdir', cwd ?? homes[0] ?? '/tmp', '--'],
  ];
}

/** Paths that are hidden from every program in a sandbox, wherever it may read. */
function hiddenPaths(home: string, homes: readonly string[]): readonly string[] {
  return [
    ...[realOf(home) ?? home, ...homes.flatMap((folder) => secretNames.map((name) => join(folder, name)))],
    ...closedFiles(),
  ];
}

/** The location of a command that an agent host starts. */
export interface HostedPlan {
  readonly workspace: string;
  readonly cwd: string;
  /** Sallyport's own folder. */
  readonly home: string;
  readonly overlay: Mounted;
}

/** The descriptor on which bubblewrap reports that a command of a host started. */
const statusDescriptor = 3;

/**
 * The arguments of bubblewrap for a command of an agent host, which expects the usual machine: everything is readable,
 * the network and the environment are those of the host. Only the overlay, temporary folders and caches of tools are
 * writable. Throws `WorkspaceUnfit`.
 */
export function prepareHosted({ workspace, cwd, home, overlay }: HostedPlan): readonly string[] {
  const homes = personalHomes();
  checkWorkspace(workspace, home, homes);
  const own = overlay.layers.find(({ lower }) => lower === workspace)?.merged ?? workspace;
  const others = overlay.layers.filter(({ lower }) => lower !== workspace);
  const caches = homes.flatMap((folder) => cacheNames.map((name) => join(folder, name)));
  const same = (path: string) => ['--bind', path, path];
  return [
    ...['--unshare-user', '--unshare-ipc', '--unshare-pid', '--new-session', '--die-with-parent'],
    ...['--cap-drop', 'ALL', ...sameAccount(), '--json-status-fd', String(statusDescriptor)],
    ...['--ro-bind', '/', '/', '--dev-bind', '/dev', '/dev', '--proc', '/proc'],
    // Sockets by which other programs could be made to act outside: the bus, containers, terminals.
    ...['--tmpfs', '/run', ...keptOfRun().flatMap((path) => ['--ro-bind', path, path])],
    ...sharedFolders.filter((path) => lookAt(path)?.isDirectory()).flatMap(same),
    ...sharedFolders.flatMap(socketFolders).flatMap(hide),
    ...others.flatMap(({ lower, merged }) => ['--bind', merged, lower]),
    ...caches.filter((path) => lookAt(path)?.isDirectory() && !isInside(path, workspace)).flatMap(same),
    ...hide(realOf(home) ?? home),
    ...['--bind', own, workspace, '--chdir', cwd, '--'],
  ];
}

/**
 * Temporary folders are shared with the host: it stores the working folder of a session there, passes files to its own
 * tools in them, and agents pass files from one command to the next in them.
 */
const sharedFolders = ['/tmp', '/var/tmp'];

/** Folders of sockets to programs outside. */
function socketFolders(folder: string): readonly string[] {
  return entriesOf(folder)
    .filter(({ name }) => /^(?:tmux-\d+|ssh-\w+|\.X11-unix|\.ICE-unix|cc-socks)$/.test(name))
    .map(({ name }) => join(folder, name));
}

/** Caches of compilers and package managers in a home: without them every build would start from scratch. */
const cacheNames = [
  ...['.cache', '.npm', '.cargo/registry', '.cargo/git', 'go/pkg', '.gradle/caches', '.m2/repository'],
  ...['.nuget/packages', '.ivy2/cache', '.ccache', '.pnpm-store', '.local/share/pnpm/store'],
  ...['.yarn/berry/cache', '.bun/install/cache', '.deno', '.composer/cache', '.hex', '.pub-cache'],
];

/** Whether a path of a home is in such a cache. */
export function isCache(path: string): boolean {
  return cacheNames.some(
    (name) => path === name || path.startsWith(`${name}/`) || name.startsWith(`${path}/`),
  );
}

/** The parts of /run that programs need to find the system and other machines. */
function keptOfRun(): readonly string[] {
  const names = realOf('/etc/resolv.conf');
  const wanted = ['/run/current-system', '/run/opengl-driver', ...(names === null ? [] : [names])];
  return wanted.filter((path) => path.startsWith('/run/') && lookAt(path) !== null);
}

/** The guarded paths if a command runs on an overlay, or read-only: its changes are not applied yet. */
const unguarded: Guarded = { mounts: [], readOnly: [], lookAgain: () => [] };

/** In the namespace around an overlay the account is its own superuser; the command sees its real account. */
function sameAccount(): readonly string[] {
  const { uid, gid } = userInfo();
  return ['--uid', String(uid), '--gid', String(gid)];
}

/** Separate namespaces, no capabilities, and no path back. */
function isolation(network: SandboxSettings['network']): readonly string[] {
  return [
    ...['--unshare-user', '--unshare-ipc', '--unshare-pid', '--unshare-uts', '--unshare-cgroup-try'],
    ...(network === 'off' ? ['--unshare-net'] : []),
    // A separate session has no terminal to inject input into; a nested namespace would expose more of the kernel.
    ...[
      '--new-session',
      '--die-with-parent',
      '--disable-userns',
      '--cap-drop',
      'ALL',
      '--hostname',
      'sandbox',
    ],
  ];
}

function system(): readonly string[] {
  return [
    ...systemFolders.filter((path) => existsSync(path)).flatMap(sameFolder),
    // The kernel settings in /proc are writable for the system's own account, even without capabilities.
    ...['--proc', '/proc', '--remount-ro', '/proc'],
    ...['--dev', '/dev', ...privateFolder('/dev/shm'), '--remount-ro', '/dev'],
    ...privateFolder('/tmp'),
    ...privateFolder('/var/tmp'),
  ];
}

function sameFolder(path: string): readonly string[] {
  return lstatSync(path).isSymbolicLink()
    ? ['--symlink', readlinkSync(path), path]
    : ['--ro-bind', path, path];
}

function privateFolder(path: string): readonly string[] {
  return ['--size', String(privateBytes), '--tmpfs', path];
}

/** Replaces an existing path by an empty one. */
function hide(path: string): readonly string[] {
  const found = lookAt(path);
  // The target of a link has a path of its own, and exists only if that one does.
  if (found === null || found.isSymbolicLink()) return [];
  return found.isDirectory() ? ['--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path];
}

/** The resolver configuration, if it is a link into a folder that is absent. */
function nameResolution(): readonly string[] {
  const real = realOf('/etc/resolv.conf');
  return real === null || real.startsWith('/etc/') ? [] : ['--ro-bind', real, real];
}

/** The homes of the current account: by the system, and by the environment. */
export function personalHomes(): readonly string[] {
  const named = [userInfo().homedir, process.env['HOME'] ?? ''];
  return [...new Set(named.flatMap((path) => (path.startsWith('/') ? (realOf(path) ?? []) : [])))].filter(
    (path) => path !== '/',
  );
}

/**
 * Paths in /etc that are not world-readable. An ordinary account cannot read them anyway; the system's own, which owns
 * them, could.
 */
function closedFiles(): readonly string[] {
  if (process.getuid?.() !== 0) return [];
  const found: string[] = [];
  const look = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isSymbolicLink()) continue;
      const path = join(folder, entry.name);
      const everybody = entry.isDirectory() ? 0o005 : 0o004;
      const mode = lookAt(path)?.mode ?? 0;
      if ((mode & everybody) !== everybody) found.push(path);
      else if (entry.isDirectory()) look(path);
    }
  };
  look('/etc');
  return found;
}

/** The risk of a command in an unfit workspace. */
const unfitReasons: Readonly<Record<UnfitWorkspace['kind'], string>> = {
  own: "Sallyport's own folder would be in reach",
  home: 'your whole home would be writable',
  keys: 'it lies where keys are kept',
  machine: 'it is a folder of the whole machine',
  system: 'it lies in a folder of the system',
};

function checkWorkspace(workspace: string, home: string, homes: readonly string[]): void {
  const unfit = (why: string) =>
    new WorkspaceUnfit(`${visible(workspace, 200)} cannot be the workspace of a command: ${why}`, {
      hint: 'work in a folder of its own, such as one project',
    });
  const found = unfitWorkspace(workspace, { homes, own: [home, realOf(home) ?? home] });
  if (found !== null) throw unfit(unfitReasons[found.kind]);
  const secrets = homes.flatMap((folder) => secretNames.map((name) => join(folder, name)));
  const secret = secrets.find((path) => isInside(path, workspace));
  if (secret !== undefined) throw unfit(unfitReasons.keys);
}

/** The sandbox, or `SandboxUnavailable` with the fix. */
export function needSandbox(found: Sandbox | NoSandbox, what = 'the command was not run'): Sandbox {
  if ('program' in found) return found;
  throw new SandboxUnavailable(`${what}: ${found.problem}`, { hint: found.hint });
}
