// What a push would publish: the files of a repository that say where its branches, tags and remotes are. An approval is
// bound to what they hold, so that a commit in between is asked about again.

import { normalise } from '../../detect/path.ts';
import type { Facts } from './effects.ts';
import type { PathScope } from './where.ts';

/** The text of a file by its absolute path; null where there is none. */
type Read = (path: string) => string | null;

/** Refs that one push is bound to, and words of a command that may name one. */
const mostRefs = 64;
const mostWords = 256;

/** Options that push more than is named, and the folders of the refs that they push. */
const wide: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^--(?:all|mirror|branches)$/, ['refs/heads']],
  [/^--(?:tags|mirror|follow-tags)$/, ['refs/tags']],
];

/** The files that hold the state that a push publishes; none where nothing is pushed. */
export function filesPublished(
  source: string,
  { effects }: Pick<Facts, 'effects'>,
  { cwd, workspace, list }: Pick<PathScope, 'cwd' | 'workspace' | 'list'>,
  read: Read,
): readonly string[] {
  const pushes = effects.filter(({ kind, detail }) => kind === 'git' && /push/.test(detail ?? ''));
  if (pushes.length === 0) return [];
  const folder = gitFolder(cwd, workspace, read);
  if (folder === null) return [];
  const common = commonFolder(folder, read);
  const head = join(folder, 'HEAD');
  const current = /^ref: (\S+)/.exec(read(head) ?? '')?.[1];
  const words = source.split(/[\s'"]+/, mostWords);
  const named = words.map((word) => word.replace(/^\+|:.*$/g, '')).filter((word) => /^[\w./-]+$/.test(word));
  const all = wide.flatMap(([option, folders]) => (words.some((word) => option.test(word)) ? folders : []));
  const refs = [
    ...(current === undefined ? [] : [current]),
    ...named.flatMap((name) => [`refs/heads/${name}`, `refs/tags/${name}`]),
    ...all.flatMap((place) => (list?.(join(common, place)) ?? []).map(({ name }) => `${place}/${name}`)),
  ].filter((ref) => !ref.includes('..'));
  const files = refs.map((ref) => join(common, ref)).filter((path) => read(path) !== null);
  // A branch without a file of its own stands in the list of packed ones.
  const packed = current !== undefined && !files.includes(join(common, current));
  const state = [head, join(common, 'config'), ...(packed ? [join(common, 'packed-refs')] : [])];
  return [...new Set([...state, ...files])].slice(0, mostRefs);
}

function join(folder: string, name: string): string {
  return normalise(name, { cwd: folder, home: null });
}

function above(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf('/')));
}

/** The folder of the repository around a folder, within the workspace. */
function gitFolder(cwd: string, workspace: string, read: Read): string | null {
  for (let at = cwd; ; at = above(at)) {
    const inside = join(at, '.git');
    if (read(join(inside, 'HEAD')) !== null) return inside;
    const elsewhere = /^gitdir: (.+)/.exec(read(inside) ?? '')?.[1];
    if (elsewhere !== undefined) return join(at, elsewhere);
    if (at === workspace || above(at) === at) return null;
  }
}

/** The folder that a worktree shares with its repository. */
function commonFolder(folder: string, read: Read): string {
  const common = read(join(folder, 'commondir'))?.trim();
  return common === undefined ? folder : join(folder, common);
}
