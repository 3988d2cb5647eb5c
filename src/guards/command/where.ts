// Layer 2's eyes: where a path leads, through `..`, `~`, patterns, /proc/self/root and the links of the real file system.

import { type Listed, unfitWorkspace } from '../../core/index.ts';
import type { Target, Value } from './effects.ts';

/** What kind of place a path is. */
export type Zone =
  /** A folder that the workspace lies in. */
  | 'above'
  | 'workspace_root'
  | 'workspace'
  /** On the workspace's own allowlist. */
  | 'allowed'
  | 'temporary'
  /** A device that keeps nothing, such as /dev/null. */
  | 'stream'
  | 'device'
  /** The root of the whole file system. */
  | 'filesystem'
  | 'system'
  /** Somebody's home, or the folder of all homes. */
  | 'home_root'
  | 'home'
  | 'elsewhere'
  /** Not known. */
  | 'unknown';

/** The rules of layer 2, by how a path leaves the workspace. */
export type Escape = 'path_traversal' | 'absolute_path' | 'outside_workspace' | 'symlink_escape';

/** One place that a value may mean. */
export interface Place {
  /** As written, as far as it is known. */
  readonly given: string;
  /** Absolute, links followed; a pattern's own names stand as they are. Null: not known. */
  readonly path: string | null;
  readonly zone: Zone;
  /** A pattern of names stands in the path. */
  readonly pattern: boolean;
  /** All that is in the folder, and not the folder by its name. */
  readonly contents: boolean;
  /** Only the beginning is known. */
  readonly open: boolean;
  /** A link on the way leads out of where the path seems to be. */
  readonly linked: boolean;
  /** It is a link itself, and not followed. */
  readonly link: boolean;
}

/** What paths are measured against. */
export interface PathScope {
  /** Absolute folder that relative paths start from. */
  readonly cwd: string;
  /** Real path of the workspace. */
  readonly workspace: string;
  readonly home: string | null;
  /** Absolute folders that count as part of the workspace for reading and writing. */
  readonly allowed: readonly string[];
  /** The real path of something that exists, or null; undefined where that cannot be known. */
  readonly realPath: (path: string) => string | null | undefined;
  /** What is in a folder; null where that cannot be known. Absent where nobody can look. */
  readonly list?: (folder: string) => readonly Listed[] | null;
  /** The folder with the guard's own keys, records and settings, by each of its paths. */
  readonly own?: readonly string[];
  /** How the shell is set to read patterns: whether they also mean hidden names, and whether case counts. */
  readonly globbing?: { readonly dots: boolean; readonly anyCase: boolean };
  readonly spend: (steps: number) => void;
}

/** How a path is meant. */
export interface Manner {
  /** Whether a link at its end is followed; deleting a link leaves alone what it leads to. */
  readonly follow: boolean;
}

/** Longer paths exist on no system that is guarded. */
const longestPath = 4096;
/** Stands for a home whose path is not known. */
export const unknownHome = '/home/~';

/** The places that a target may mean; none where it is no path. */
export function locate(pathScope: PathScope, target: Target, manner: Manner): readonly Place[] {
  if (target.kind !== 'path') return [];
  return textsOf(target.path).map(({ text, open }) =>
    place(pathScope, text, { ...manner, open, glob: target.glob === true }),
  );
}

function textsOf(value: Value): readonly { readonly text: string; readonly open: boolean }[] {
  switch (value.kind) {
    case 'literal':
      return [{ text: value.text, open: false }];
    case 'choice':
      return value.texts.map((text) => ({ text, open: false }));
    case 'prefix':
      return [{ text: value.text, open: true }];
    case 'unknown':
      return [{ text: '', open: true }];
  }
}

interface Reading extends Manner {
  readonly open: boolean;
  readonly glob: boolean;
}

function place(pathScope: PathScope, given: string, { follow, open, glob }: Reading): Place {
  const unknown: Place = {
    given,
    path: null,
    zone: 'unknown',
    pattern: false,
    contents: false,
    open,
    linked: false,
    link: false,
  };
  if (given.length > longestPath || given.includes('\u0000')) return unknown;
  // What follows the last slash of a beginning may be part of a longer name.
  const known = open ? given.slice(0, given.lastIndexOf('/') + 1) || (/^\w/.test(given) ? './' : '') : given;
  if (known === '' || (open && known === '/')) return unknown;
  pathScope.spend(1 + (given.length >> 6));
  const { names, pattern } = split(absolute(pathScope, known), glob);
  const through = throughProc(pathScope, names);
  const keepsLast = !follow && pattern.length === 0 && !open && !given.endsWith('/');
  const lexical = joined(normal(through.names));
  const walked = walk(pathScope, through.names, keepsLast);
  const real = walked ?? lexical;
  const contents = pattern.length > 0 && pattern.every(isEverything);
  const seeming = zoneIn(pathScope, real, pattern, contents, open);
  // A way that cannot be followed may lead out of wherever it seems to be.
  const zone = walked === undefined && isNear(seeming) ? 'unknown' : seeming;
  const linked =
    through.linked || (isWithin(lexical, pathScope.workspace) && !isWithin(real, pathScope.workspace));
  const path = [real === '/' && pattern.length > 0 ? '' : real, ...pattern].join('/');
  const link = keepsLast && (pathScope.realPath(real) ?? real) !== real;
  return { given, path, zone, pattern: pattern.length > 0, contents, open, linked, link };
}

/** Whether a zone is one in which an agent may work unasked. */
function isNear(zone: Zone): boolean {
  return ['workspace', 'workspace_root', 'allowed', 'temporary', 'above'].includes(zone);
}

/** The names of the path from the root of the file system on, with `.` and `..` still in them. */
function absolute(pathScope: PathScope, text: string): readonly string[] {
  const tilde = /^~([^/]*)(?=\/|$)/.exec(text);
  if (tilde !== null) {
    const [whole, user = ''] = tilde;
    const home = user === '' ? (pathScope.home ?? unknownHome) : user === 'root' ? '/root' : `/home/${user}`;
    return namesOf(home + text.slice(whole.length));
  }
  return namesOf(text.startsWith('/') ? text : `${pathScope.cwd}/${text}`);
}

/** The names of an absolute path. */
export function namesOf(path: string): readonly string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.');
}

/** The names before the first pattern, and the pattern with all that follows it. */
function split(
  names: readonly string[],
  glob: boolean,
): { readonly names: readonly string[]; readonly pattern: readonly string[] } {
  const first = glob ? names.findIndex((name) => isPattern(name)) : -1;
  return first === -1
    ? { names, pattern: [] }
    : { names: names.slice(0, first), pattern: names.slice(first) };
}

/** The names without the links of /proc that every process has to its root, and this one to its folder. */
function throughProc(
  pathScope: PathScope,
  names: readonly string[],
): { readonly names: readonly string[]; readonly linked: boolean } {
  let rest = names;
  let linked = false;
  while (rest[0] === 'proc' && /^(?:self|thread-self|[0-9]+)$/.test(rest[1] ?? '')) {
    const skipped = rest[2] === 'task' ? 4 : 2;
    const link = rest[skipped];
    // The folder of another process is not this one's.
    if (link !== 'root' && (link !== 'cwd' || /^[0-9]/.test(rest[1] ?? ''))) break;
    rest = [...(link === 'cwd' ? namesOf(pathScope.cwd) : []), ...rest.slice(skipped + 1)];
    linked = true;
  }
  return { names: rest, linked };
}

/** The names with `..` taken by the letter. */
function normal(names: readonly string[]): readonly string[] {
  const result: string[] = [];
  for (const name of names) {
    if (name === '..') result.pop();
    else result.push(name);
  }
  return result;
}

function joined(names: readonly string[]): string {
  return `/${names.join('/')}`;
}

/** The real path: `..` is taken from where a link leads, as the system does. Undefined: that cannot be known. */
function walk(pathScope: PathScope, names: readonly string[], keepLast: boolean): string | undefined {
  let current: string[] = [];
  for (const name of names) {
    if (name === '..') {
      const folder = realOf(pathScope, current);
      if (folder === undefined) return undefined;
      current = [...namesOf(folder)].slice(0, -1);
    } else current.push(name);
  }
  const last = keepLast ? current.pop() : undefined;
  const real = realOf(pathScope, current);
  if (real === undefined) return undefined;
  return last === undefined ? real : real === '/' ? `/${last}` : `${real}/${last}`;
}

/** The real path of what exists, with what does not exist yet behind it. Undefined: that cannot be known. */
function realOf(pathScope: PathScope, names: readonly string[]): string | undefined {
  for (let length = names.length; length > 0; length--) {
    pathScope.spend(1);
    const path = joined(length === names.length ? names : names.slice(0, length));
    const found = pathScope.realPath(path);
    if (found === undefined) return undefined;
    if (found === path && length === names.length) return path;
    if (found !== null) return joined([...namesOf(found), ...names.slice(length)]);
  }
  return joined(names);
}

/** Whether a path is the folder or below it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || folder === '/' || path.startsWith(`${folder}/`);
}

/** Whether a name of a path is a pattern. */
export function isPattern(name: string): boolean {
  return /[*?[]|[@+!]\(/.test(name);
}

/** Patterns that leave nothing out, or all but what they name. */
function isEverything(pattern: string): boolean {
  return /^[*?.]*\*[*?.]*$|^\.?\[[!^]\.\]\*$|^[*?.]*!\([^()]*\)[*?.]*$/.test(pattern);
}

// ── zones

const systemNames = [
  ...['bin', 'boot', 'dev', 'etc', 'lib', 'lib32', 'lib64', 'libx32', 'proc', 'run', 'sbin', 'sys', 'usr'],
  ...['var', 'private', 'System', 'Library', 'Applications'],
];
/** Folders at the top that hold what others installed or mounted; what is in them is not of the system itself. */
const sharedNames = ['opt', 'srv', 'mnt', 'media', 'nix', 'snap', 'Volumes'];
const homesNames = ['home', 'Users'];
const topNames = [...systemNames, ...sharedNames, ...homesNames, 'root'];
const systemTop: ReadonlySet<string> = new Set(systemNames);
const sharedTop: ReadonlySet<string> = new Set(sharedNames);
const homesTop: ReadonlySet<string> = new Set(homesNames);

/** What a person keeps at the top of a home and nothing restores. */
const personalNames = [
  ...['Documents', 'Desktop', 'Downloads', 'Pictures', 'Music', 'Videos', 'Movies', 'Library', 'Projects'],
  ...['.ssh', '.gnupg', '.aws', '.kube', '.config', '.local', '.password-store', '.mozilla', '.docker'],
];
const personal: ReadonlySet<string> = new Set(personalNames);

/** Temporary folders; what is in them may go at any time. */
const temporary = [
  ...['/tmp', '/var/tmp', '/private/tmp', '/private/var/tmp', '/var/folders', '/private/var/folders'],
  ...['/dev/shm', '/var/cache', '/var/lib/apt/lists'],
];
/** Below these the system keeps what an installer or a service put there. */
const installed = ['/usr/local', '/var/www', '/var/opt', '/run', '/Library/Caches'];
const temporaryInside = temporary.map((folder) => `${folder}/`);
const streams =
  /^\/dev\/(?:null|zero|full|random|urandom|tty|stdin|stdout|stderr|ptmx|fd(?:\/.*)?|pts\/.*|tcp(?:\/.*)?|udp(?:\/.*)?)$/;

function zoneIn(
  pathScope: PathScope,
  real: string,
  pattern: readonly string[],
  contents: boolean,
  open: boolean,
): Zone {
  const [first, ...more] = pattern;
  if (first === undefined) {
    // Of a beginning, what follows lies below the folder; only homes are all alike.
    return zoneOf(pathScope, open && real !== '/home' && real !== '/Users' ? below(real, 'x') : real, true);
  }
  if (contents) return zoneOf(pathScope, real, false);
  if (more.length === 0) {
    const patterns = simplePatterns(first);
    const named = namesIn(pathScope, real).filter((name) => patterns.some((one) => matchesStars(one, name)));
    for (const name of named) {
      const zone = zoneOf(pathScope, below(real, name), true);
      if (isProtected(zone)) return zone;
    }
  } else if (real === '/' && isEverything(first)) return 'system';
  return zoneOf(pathScope, [real === '/' ? '' : real, ...pattern.map(plain)].join('/'), true);
}

/** The path of a name in a folder. */
export function below(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`;
}

function plain(pattern: string): string {
  return isPattern(pattern) ? 'x' : pattern;
}

/** The patterns that one with lists in it stands for: `@(a|b)c` is `ac` and `bc`. */
function simplePatterns(pattern: string): readonly string[] {
  const [whole, before = '', how, listed = '', after = ''] =
    /^(.*?)([@?*+!])\(([^()]*)\)(.*)$/.exec(pattern) ?? [];
  if (whole === undefined) return [pattern];
  const repeated = how === '*' || how === '+' ? ['*'] : how === '?' ? [''] : [];
  const chosen = how === '!' ? ['*'] : [...listed.split('|').slice(0, 8), ...repeated];
  // Of a second list any text is taken.
  const rest = after.replace(/[@?*+!]\([^()]*\)/g, '*');
  return chosen.map((one) => `${before}${one}${rest}`);
}

/** Names that a folder is known to have and that matter. */
function namesIn(pathScope: PathScope, folder: string): readonly string[] {
  if (folder === '/') return topNames;
  if (folder === '/home' || folder === '/Users') return ['x'];
  if (folder === '/usr') return ['bin', 'lib', 'local', 'sbin', 'share'];
  return folder === (pathScope.home ?? unknownHome) ? personalNames : [];
}

/** Zones whose loss is the loss of a machine or a home. */
export function isProtected(zone: Zone): boolean {
  return zone === 'filesystem' || zone === 'system' || zone === 'home_root';
}

/** The zone of an absolute path; `named`: the path itself is meant, and not what is in it. */
function zoneOf(pathScope: PathScope, path: string, named: boolean): Zone {
  const own = ownZone(pathScope, path, named);
  // A folder that no workspace may be makes nothing in it less precious, nor any of it the agent's to write to.
  if (isWithin(path, pathScope.workspace) && !isBroad(pathScope))
    return path === pathScope.workspace ? 'workspace_root' : 'workspace';
  if (isProtected(own) || own === 'device' || own === 'stream') return own;
  if (isWithin(pathScope.workspace, path)) return 'above';
  if (pathScope.allowed.some((folder) => isWithin(path, folder))) return 'allowed';
  return own;
}

/** Whether the workspace is a folder that no workspace may be, so that what is in it stays as precious as it is. */
export function isBroad({ workspace, home, own = [] }: PathScope): boolean {
  return unfitWorkspace(workspace, { homes: home === null ? [] : [home], own }) !== null;
}

function ownZone(pathScope: PathScope, path: string, named: boolean): Zone {
  if (path === '/') return 'filesystem';
  if (path.startsWith('/dev/') && streams.test(path)) return 'stream';
  const home = pathScope.home ?? unknownHome;
  // A home stays one wherever it lies; only a temporary folder that serves as one stays temporary.
  if (!temporary.includes(home)) {
    if (isWithin(home, path)) return 'home_root';
    if (isWithin(path, home)) return 'home';
  }
  if (temporaryInside.some((folder) => path.startsWith(folder))) return 'temporary';
  if (temporary.includes(path)) return named ? 'elsewhere' : 'temporary';
  const [top = '', second, ...deeper] = namesOf(path);
  if (top === 'dev') return second === undefined ? 'system' : 'device';
  if (path === '/root' || path === '/var/root') return 'home_root';
  if (homesTop.has(top)) return deeper.length === 0 ? 'home_root' : 'home';
  if (top === 'root') return 'home';
  if (sharedTop.has(top)) return second === undefined ? 'system' : 'elsewhere';
  if (!systemTop.has(top)) return 'elsewhere';
  return installed.some((folder) => path.startsWith(`${folder}/`)) ? 'elsewhere' : 'system';
}

/** Whether a place is one of the folders at the top of a home that a person keeps things in, or their contents. */
export function isPersonal(pathScope: PathScope, { path }: Place): boolean {
  if (path === null) return false;
  const home = pathScope.home ?? unknownHome;
  const names = isWithin(path, home) ? namesOf(path.slice(home.length)) : namesOf(path).slice(2);
  const [first = '', second, ...more] = names;
  return more.length === 0 && personal.has(first) && (second === undefined || isEverything(second));
}

/** Files on which accounts, rights and the start of the machine rest. */
const critical =
  /^(?:\/private)?\/etc\/(?:passwd|shadow|group|gshadow|sudoers|fstab|crypttab|ld\.so\.preload|ssh\/sshd_config|(?:sudoers|pam|ssh\/sshd_config)\.d(?:\/.*)?)-?$|^\/boot\/|^\/proc\/sysrq-trigger$/;

/** Whether a place is a file on which the system rests. */
export function isCritical({ path }: Place): boolean {
  return path !== null && critical.test(path);
}

/** Whether a name fits a pattern; a set in brackets stands for any character. Linear in both. */
export function matchesStars(pattern: string, name: string): boolean {
  // Behind the last bracket that closes no set can end, and looking for one from every place would take long.
  const closed = pattern.lastIndexOf(']') + 1;
  const wanted = pattern.slice(0, closed).replace(/\[(?:\[:\w+:\]|[^\]])*\]/g, '?') + pattern.slice(closed);
  let at = 0;
  let star = -1;
  let mark = 0;
  let index = 0;
  while (index < name.length) {
    const character = wanted[at];
    if (character === '*') {
      star = at++;
      mark = index;
    } else if (character === '?' || character === name[index]) {
      at++;
      index++;
    } else if (star === -1) return false;
    else {
      at = star + 1;
      index = ++mark;
    }
  }
  while (wanted[at] === '*') at++;
  return at === wanted.length;
}

/** How a place leaves the workspace; `segment` is the piece of source that names it. Null: it stays. */
export function escapeOf({ given, zone, linked }: Place, segment: string): Escape | null {
  if (zone === 'workspace_root' || zone === 'workspace' || zone === 'allowed' || zone === 'stream')
    return null;
  if (linked) return 'symlink_escape';
  if (hasParent(given) || (given.startsWith('/') && !segment.includes(given) && hasParent(segment))) {
    return 'path_traversal';
  }
  return given.startsWith('/') && segment.includes(given) ? 'absolute_path' : 'outside_workspace';
}

/** Whether a text has `..` as a name of a path. */
export function hasParent(text: string): boolean {
  return /(?:^|[/\s='":])\.\.(?:$|[/\s'":;)])/.test(text);
}
