// What a write is, before any file system is asked: its path, its bytes, and whether an agent host orders its model to write it.

import { type Context, isJsonObject, type JsonValue, type World } from '../../core/index.ts';
import { fold } from '../../detect/protect.ts';

// ── What a write is, before any file system is asked: its path and its bytes.

// ── What the text of a path says before any file system is asked: how another system would read it, and whether that is
// still a plain way down from the workspace.

/** One reading of a path that is not plain. */
export type PathProblem =
  | 'control'
  | 'absolute'
  | 'traversal'
  | 'encoded'
  | 'look_alike'
  | 'device'
  | 'folder'
  | 'too_long';

export interface PathFacts {
  readonly given: string;
  /** In the order in which they are reported. */
  readonly problems: readonly PathProblem[];
  /** The names on the way; a backslash parts names too, since some systems read it so. */
  readonly names: readonly string[];
  /** The names as the most forgiving file systems compare them. */
  readonly folded: readonly string[];
}

/** What no common file system takes, in bytes. */
const longestName = 255;
const longestPath = 4095;

const separators = /[/\\]/;
/** Characters that are drawn like a separator and are none. */
const drawnLikeSlash = /[\u2044\u2215\u2216\u29f5\u29f8\u29f9\ufe68\uff0f\uff3c]/;

/** Reads the text of a path that should lead down from the workspace. */
export function readPath(given: string): PathFacts {
  const names = given.split(separators);
  const problems: PathProblem[] = [];
  if (isControlled(given)) problems.push('control');
  if (isAbsolute(given)) problems.push('absolute');
  if (names.some(climbs)) problems.push('traversal');
  if (isEncoded(given)) problems.push('encoded');
  if (looksLikeMore(given)) problems.push('look_alike');
  if (names.some(isDevice)) problems.push('device');
  if (/[/\\]\.?$/.test(given) || given === '.') problems.push('folder');
  if (bytesOf(given) > longestPath || names.some((name) => bytesOf(name) > longestName)) {
    problems.push('too_long');
  }
  const way = names.filter((name) => name !== '' && name !== '.');
  return { given, problems, names: way, folded: way.map(fold) };
}

/** Empty, or with characters that end a name early, hide a part of it or are half of a character. */
function isControlled(text: string): boolean {
  return (
    text === '' ||
    /[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/u.test(text) ||
    invisible.test(text)
  );
}

/**
 * Characters that nobody sees and no script needs. Joiners and variants stand in honest names of some scripts and in
 * emoji, but behind no plain letter; behind a digit a variant begins a keycap.
 */
const invisible =
  /\u034f|[\u00ad\u115f\u1160\u180e\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\u{e0000}-\u{e007f}]|[!-~](?:[\u200c\u200d]|[\ufe00-\ufe0f](?!\u20e3))/u;

function isAbsolute(text: string): boolean {
  return (
    separators.test(text.charAt(0)) || /^~[\w.-]*(?:[/\\]|$)|^[a-z]:|^[a-z][a-z0-9+.-]*:[/\\]/i.test(text)
  );
}

/** `..`, with what Windows takes off a name's end. */
function climbs(name: string): boolean {
  return /^\.\.[. ]*$/.test(name) && name !== '...';
}

/** Whether a later layer that decodes percent signs would find a separator, a dot or an end in it. */
function isEncoded(text: string): boolean {
  let at = text;
  for (let layer = 0; layer < 3 && at.includes('%'); layer++) {
    const next = at.replace(/%([0-9a-f]{2})/gi, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    );
    if (next === at) return false;
    if (/%(?:2e|2f|5c|[01][0-9a-f]|7f|c0|c1|e0%80|u)/i.test(at)) return true;
    at = next;
  }
  return false;
}

/** Whether the text has more separators or steps up once its characters are folded into plain ones. */
function looksLikeMore(text: string): boolean {
  if (drawnLikeSlash.test(text)) return true;
  const plain = text.normalize('NFKC');
  if (plain === text) return false;
  const before = text.split(separators);
  const after = plain.split(separators);
  return after.length > before.length || after.some((name, at) => climbs(name) && !climbs(before[at] ?? ''));
}

const devices = /^(?:con|prn|aux|nul|clock\$|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])$/i;

/** A name that Windows gives to a device or a stream, or that it shortens to another. */
function isDevice(name: string): boolean {
  if (name === '' || name === '.' || climbs(name)) return false;
  if (name.includes(':') || /[. ]$/.test(name)) return true;
  return devices.test((name.split('.')[0] ?? '').trimEnd());
}

/** Bytes in UTF-8. */
export function bytesOf(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (unit >= 0xd800 && unit < 0xdc00) {
      bytes += 4;
      at += 1;
    } else bytes += 3;
  }
  return bytes;
}

// ── What the bytes of a write are: a text of bounded size, or something that no reviewer can read.

/** The largest file that is written, in bytes. */
const largestFile = 1_048_576;

/** Why content is no text that can be reviewed. */
export type ContentProblem = 'too_large' | 'binary' | 'not_utf8';

export type ContentFacts =
  | { readonly problem: ContentProblem; readonly bytes: number }
  | { readonly problem: null; readonly bytes: number; readonly text: string };

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads content that is given as text. */
export function readText(text: string, bytes: number): ContentFacts {
  if (bytes > largestFile) return { problem: 'too_large', bytes };
  if (text.includes('\u0000')) return { problem: 'binary', bytes };
  if (!text.isWellFormed()) return { problem: 'not_utf8', bytes };
  return { problem: null, bytes, text };
}

/** Reads content that is given as base64; throws nothing. */
export function readBase64(encoded: string): ContentFacts {
  if (encoded.length > (largestFile / 3) * 4 + 8) {
    return { problem: 'too_large', bytes: Math.floor((encoded.length / 4) * 3) };
  }
  const bytes = bytesOfBase64(encoded);
  if (bytes === null) return { problem: 'not_utf8', bytes: 0 };
  if (bytes.length > largestFile) return { problem: 'too_large', bytes: bytes.length };
  // A byte order mark of UTF-16 or UTF-32: most of what follows would be NUL, and all of it is unreadable here.
  const [first, second] = bytes;
  const wide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (bytes.includes(0) && !wide) return { problem: 'binary', bytes: bytes.length };
  try {
    return { problem: null, bytes: bytes.length, text: strict.decode(bytes) };
  } catch {
    return { problem: 'not_utf8', bytes: bytes.length };
  }
}

function bytesOfBase64(encoded: string): Uint8Array | null {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(encoded) || encoded.length % 4 !== 0) return null;
  const binary = atob(encoded);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

// ── Files that an agent host orders its own model to write: plans, memories and scratch files. Each host's are known by
// their place, which the user's home, the workspace and the session say, and nothing else there is.

/** Where a file of a host stands: the folder that it is reached from, and the names on the way down. */
export interface HostFile {
  readonly root: string;
  readonly names: readonly string[];
}

interface Whose extends Pick<Context, 'workspace' | 'session'> {
  readonly home: string;
  readonly world: Pick<World, 'readText'>;
}

/** A folder, and the way down from it as a pattern. */
type Place = readonly [root: string, way: RegExp];

/** One name, of whatever characters a file may have. */
const name = '[^/]+';

const places: Readonly<Record<string, (whose: Whose) => readonly Place[]>> = {
  claude: ({ home, workspace, session }) => {
    const project = literal(workspace.replace(/[^A-Za-z0-9]/g, '-'));
    return [
      [home, way(`\\.claude/plans/${name}\\.md`)],
      [home, way(`\\.claude/projects/${project}/memory/(?:${name}/)*${name}\\.md`)],
      ['/tmp', way(`claude-\\d+/${project}/${literal(session)}/scratchpad/(?:${name}/)*${name}`)],
    ];
  },
  gemini: (whose) => {
    const project = geminiProject(whose);
    if (project === undefined) return [];
    const folder = `\\.gemini/tmp/${literal(project)}`;
    return [
      [whose.home, way(`${folder}/${literal(whose.session)}/plans/(?:${name}/)*${name}\\.md`)],
      [whose.home, way(`${folder}/memory/(?:${name}/)*${name}\\.md`)],
    ];
  },
  copilot: ({ home, session }) => {
    const folder = `\\.copilot/session-state/${literal(session)}`;
    return [
      [home, way(`${folder}/plan\\.md`)],
      [home, way(`${folder}/files/(?:${name}/)*${name}`)],
    ];
  },
  opencode: opencodeLike('opencode'),
  kilo: opencodeLike('kilo'),
};

/** The places of opencode, or of a host made from it. */
function opencodeLike(host: string): (whose: Whose) => readonly Place[] {
  return ({ home, workspace }) => [
    [workspace, way(`\\.${host}/plans/${name}\\.md`)],
    [home, way(`\\.local/share/${host}/plans/${name}\\.md`)],
    ['/tmp', way(`${host}/(?:${name}/)*${name}`)],
  ];
}

function way(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`, 'su');
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** Gemini CLI's own name of a project, as it writes it down itself. */
function geminiProject({ home, workspace, world }: Whose): string | undefined {
  try {
    const known: JsonValue = JSON.parse(world.readText(`${home}/.gemini/projects.json`) ?? '{}');
    const projects = isJsonObject(known) ? known['projects'] : undefined;
    const found = isJsonObject(projects) ? projects[workspace] : undefined;
    return typeof found === 'string' && /^[\w-]+$/.test(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

/** The file of the host that an absolute path names, or null. The path is plain: nothing in it steps up. */
export function hostFileOf(
  path: string,
  { host, workspace, session }: Context,
  world: Pick<World, 'readText' | 'home'>,
): HostFile | null {
  const { home } = world;
  if (host === undefined || !Object.hasOwn(places, host) || home === undefined || home === null) return null;
  if (session === '') return null;
  const all = places[host]?.({ home, workspace, session, world }) ?? [];
  for (const [root, pattern] of all) {
    if (!path.startsWith(`${root}/`)) continue;
    const rest = path.slice(root.length + 1);
    if (pattern.test(rest)) return { root, names: rest.split('/') };
  }
  return null;
}
