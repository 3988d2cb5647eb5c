// Which folders may be the workspace of an agent. Decided here for every surface: an agent may write to a workspace
// without approval, so neither the system nor a home nor Sallyport's own folder is one.

/** The reference paths for checking a folder, all real paths. */
export interface WorkspaceScope {
  /** The homes of the user that agents run as. */
  readonly homes: readonly string[];
  /** The home of Sallyport, as it is named and by its real path; empty if it is not known. */
  readonly own: readonly string[];
}

/** Folders of the whole machine: none of them is a workspace, and nothing that holds one. Folders in them may be. */
const shared = [
  ...[
    '/usr',
    '/usr/local',
    '/usr/src',
    '/var',
    '/var/tmp',
    '/tmp',
    '/opt',
    '/mnt',
    '/media',
    '/nix',
    '/snap',
  ],
  ...['/home', '/root', '/private', '/private/var', '/private/tmp', '/Users', '/Users/Shared', '/Volumes'],
];

/** Folders of the system: nothing in them is a workspace either. */
const closed = [
  ...[
    '/bin',
    '/boot',
    '/dev',
    '/etc',
    '/lib',
    '/lib32',
    '/lib64',
    '/libx32',
    '/proc',
    '/run',
    '/sbin',
    '/sys',
  ],
  ...['/System', '/Library', '/Applications', '/cores', '/nix/store', '/private/etc'],
  ...[
    'bin',
    'etc',
    'games',
    'include',
    'lib',
    'lib32',
    'lib64',
    'libexec',
    'libx32',
    'sbin',
    'share',
  ].flatMap((name) => [`/usr/${name}`, `/usr/local/${name}`]),
  ...[
    'backups',
    'cache',
    'crash',
    'db',
    'lib',
    'local',
    'lock',
    'log',
    'mail',
    'root',
    'run',
    'spool',
    'vm',
  ].flatMap((name) => [`/var/${name}`, `/private/var/${name}`]),
];

/** The parent folders of homes. */
const homesOf = /^\/(?:home|Users|var\/home)\/[^/]+$|^\/root$|^(?:\/private)?\/var\/root$/;

/** The paths of a home that contain keys, start programs, or define agents' rights. */
const guarded = [
  ...['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker', '.password-store', '.local/share/keyrings'],
  ...['.config/autostart', '.config/systemd', '.config/environment.d', 'Library/LaunchAgents'],
  ...['.claude', '.codex', '.gemini', '.cursor', '.copilot', '.config/opencode', '.qwen', '.config/kilo'],
];

/** Why a folder cannot be a workspace, as the rest of a sentence after its name. */
const reasons = {
  own: "contains Sallyport's own folder or is in it",
  home: 'is a home folder',
  keys: 'is where a home keeps keys, programs that start by themselves, or settings of agents',
  machine: 'is a folder of the whole machine',
  system: 'is a system folder',
} as const;

export interface UnfitWorkspace {
  readonly kind: keyof typeof reasons;
  readonly why: string;
}

/** Why a folder, by its real path, cannot be a workspace; null if it can. */
export function unfitWorkspace(folder: string, scope: WorkspaceScope): UnfitWorkspace | null {
  const kind = kindOf(folder, scope);
  return kind === null ? null : { kind, why: reasons[kind] };
}

function kindOf(folder: string, { homes, own }: WorkspaceScope): UnfitWorkspace['kind'] | null {
  if (homes.includes(folder) || homesOf.test(folder)) return 'home';
  if (own.some((home) => isIn(home, folder) || isIn(folder, home))) return 'own';
  const near = [...homes, ...homesAbove(folder)];
  if (near.some((home) => guarded.some((name) => isIn(folder, `${home}/${name}`)))) return 'keys';
  if ([...shared, ...homes].some((path) => isIn(path, folder))) return 'machine';
  // Services have homes below /var; files in a home belong to its owner.
  const personal = homes.some((home) => isIn(folder, home) && !closed.includes(home));
  return !personal && closed.some((path) => isIn(folder, path)) ? 'system' : null;
}

/** Homes that contain a folder, by the usual locations of homes. */
function homesAbove(folder: string): readonly string[] {
  const [home] = /^\/(?:home|Users|var\/home)\/[^/]+(?=\/)|^\/root(?=\/)/.exec(folder) ?? [];
  return home === undefined ? [] : [home];
}

/** Whether a path is a folder or inside it. */
function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}
