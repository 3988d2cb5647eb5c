// The state of a folder as undo must bring it back: every name, kind, mode and byte, and what git says of each repository.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from 'node:fs';

/** What is at each path; paths hold bytes as latin1, so that every name can be told from every other. */
export type TreeState = ReadonlyMap<string, string>;

/** Prefix of lines about a repository. */
const gitPrefix = 'git ';

/** The state of folders, given by their absolute paths. */
export function stateOf(folders: readonly string[]): TreeState {
  const state = new Map<string, string>();
  const repositories = new Set<string>();
  for (const folder of folders) {
    const links = new Map<string, string>();
    const root = Buffer.from(folder).toString('latin1');
    collect({ root, state, links, repositories }, root, false);
  }
  for (const data of repositories) {
    for (const [what, value] of gitState(data)) state.set(`${gitPrefix}${data}: ${what}`, value);
  }
  return state;
}

interface Collected {
  readonly root: string;
  readonly state: Map<string, string>;
  /** The first path of each file that has several names. */
  readonly links: Map<string, string>;
  readonly repositories: Set<string>;
}

const bytes = (path: string): Buffer => Buffer.from(path, 'latin1');

function collect(into: Collected, folder: string, isGit: boolean): void {
  const names = readdirSync(bytes(folder), { encoding: 'buffer' })
    .map((name) => name.toString('latin1'))
    .sort();
  if (names.includes('HEAD') && names.includes('objects') && names.includes('refs')) {
    into.repositories.add(folder);
  }
  for (const name of names) {
    const path = `${folder}/${name}`;
    const found = lstatSync(bytes(path));
    const inGit = isGit || name === '.git';
    // The index has dates of files in it, and objects are compared by their ids: git is asked about both.
    if (inGit && (name === 'index' || (name === 'objects' && names.includes('HEAD')))) continue;
    // Logs of maintenance, and an empty folder or file that git makes whenever it wants.
    if (inGit && /^(?:gc\.log|gc\.pid|branches)$/.test(name)) continue;
    into.state.set(path, describe(into, path, found));
    if (found.isDirectory()) collect(into, path, inGit);
  }
}

function describe({ links }: Collected, path: string, found: Stats): string {
  const mode = (found.mode & 0o7777).toString(8);
  if (found.isSymbolicLink())
    return `link ${readlinkSync(bytes(path), { encoding: 'buffer' }).toString('latin1')}`;
  if (found.isDirectory()) return `folder ${mode}`;
  if (found.isFIFO()) return `fifo ${mode}`;
  if (!found.isFile()) return `other ${mode}`;
  const key = `${found.dev} ${found.ino}`;
  const first = links.get(key) ?? path;
  links.set(key, first);
  const same = first === path ? '' : ` = ${first}`;
  const digest = createHash('sha256')
    .update(readFileSync(bytes(path)))
    .digest('hex');
  return `file ${mode} ${found.size} ${digest}${same}`;
}

/** Runs git on the data of a repository without writing to it. */
function git(data: string, args: readonly string[]): string {
  try {
    return execFileSync('git', [`--git-dir=${data}`, ...args], {
      encoding: 'utf8',
      env: { ...process.env, GIT_OPTIONAL_LOCKS: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 64 * 1024 * 1024,
    });
  } catch (error) {
    return `failed: ${error instanceof Error && 'status' in error ? String(error.status) : 'killed'}`;
  }
}

function gitState(data: string): readonly (readonly [string, string])[] {
  const indexes = [data, ...worktreesOf(data)].filter((folder) => existsSync(`${folder}/index`));
  return [
    ['refs', git(data, ['for-each-ref'])],
    ['stashes', git(data, ['stash', 'list', '--format=%H %gs'])],
    ['reachable', git(data, ['rev-list', '--objects', '--all', '--reflog', '--no-object-names'])],
    ['is sound', git(data, ['fsck', '--full', '--no-dangling', '--no-progress'])],
    ['objects', git(data, ['cat-file', '--batch-all-objects', '--batch-check=%(objectname)'])],
    ...indexes.map((folder) => [`index of ${folder}`, git(folder, ['ls-files', '--stage', '-v'])] as const),
  ];
}

function worktreesOf(data: string): readonly string[] {
  const folder = `${data}/worktrees`;
  return existsSync(folder) ? readdirSync(folder).map((name) => `${folder}/${name}`) : [];
}

/** Whether a line is about a repository as a whole, and not about its index. */
export function isSummary(path: string): boolean {
  return path.startsWith(gitPrefix) && !/: (?:index of .*|is sound)$/.test(path);
}

/** The paths at which two states differ. Objects may be more than before: what nothing refers to does no harm. */
export function differences(wanted: TreeState, found: TreeState): readonly string[] {
  const paths = new Set([...wanted.keys(), ...found.keys()]);
  return [...paths].filter((path) => !isSame(path, wanted.get(path), found.get(path))).sort();
}

function isSame(path: string, wanted: string | undefined, found: string | undefined): boolean {
  if (wanted === found) return true;
  if (wanted === undefined || found === undefined || !path.startsWith(gitPrefix)) return false;
  if (path.endsWith(': reachable')) return sorted(wanted) === sorted(found);
  if (!path.endsWith(': objects')) return false;
  const there = new Set(found.split('\n'));
  return wanted.split('\n').every((object) => there.has(object));
}

function sorted(lines: string): string {
  return lines.split('\n').sort().join('\n');
}
