// What a command would publish or apply: the refs of a push, the plan of an apply, the image of a push, the tree of a
// deployment. An approval is bound to what they hold, so that a change in between is asked about again.

import type { World } from '../../core/index.ts';
import { normalise } from '../../detect/path.ts';
import type { Effect, Facts, Invocation } from './effects.ts';
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

/** Effects that send what local files hold to others, or apply it elsewhere. */
const publishing: ReadonlySet<Effect['kind']> = new Set([
  'deploy',
  'cloud',
  'database',
  'connect',
  'message',
]);

/** Programs whose deployments are of what stands elsewhere already, unless a file is named. */
const elsewhere =
  /^(?:kubectl|oc|helm|gh|glab|aws|az|argocd|nomad|crane|skopeo|docker|podman|nerdctl|systemctl)$/;

/** Names that one command is bound to. */
const mostNames = 64;

/**
 * What a command would publish or apply beside refs of git, in the words of `World.stateOf`: files by their absolute
 * paths, `tree /path` and `image NAME`.
 */
export function statePublished(
  { effects, invocations }: Pick<Facts, 'effects' | 'invocations'>,
  cwd: string,
  look: World['look'],
): readonly string[] {
  const sending = effects.filter(({ kind }) => publishing.has(kind));
  if (sending.length === 0) return [];
  const folders = foldersIn(invocations, cwd);
  const found = sending.flatMap((effect) => {
    if (effect.detail === 'push-image') return imageOf(effect);
    const named = wordsOf(effect, invocations).flatMap((word) => placesOf(word, folders, look));
    const isTree = effect.kind === 'deploy' && named.length === 0 && !elsewhere.test(effect.program);
    return isTree ? [`tree ${folders.at(-1) ?? cwd}`] : named;
  });
  return [...new Set(found)].slice(0, mostNames);
}

function imageOf({ target }: Effect): readonly string[] {
  const name = target.kind === 'name' && target.name.kind === 'literal' ? target.name.text : '';
  return name === '' ? [] : [`image ${name}`];
}

/** The folders that a script may be in when it publishes: where it starts, and where it goes. */
function foldersIn(invocations: readonly Invocation[], cwd: string): readonly string[] {
  const folders = [cwd];
  for (const { program, args } of invocations) {
    const [to] = args;
    if (program === 'cd' && to?.kind === 'literal')
      folders.push(normalise(to.text, { cwd: folders.at(-1) ?? cwd, home: null }));
  }
  return folders;
}

/** The words of the command that has an effect which may name a file: as they are, and behind a sign. */
function wordsOf({ span: [from, to] }: Effect, invocations: readonly Invocation[]): readonly string[] {
  const own = invocations.filter(({ span: [start, end] }) => start < to && from < end);
  const words = own.flatMap(({ args }) =>
    args.flatMap((arg) => (arg.kind === 'literal' && arg.text !== '' ? [arg.text] : [])),
  );
  return words.slice(0, mostWords).flatMap((word) => [word, ...behind(word)]);
}

/** What stands behind the signs that options and uploads put before a file: -f=FILE, data=@FILE. */
function behind(word: string): readonly string[] {
  const [, text] = /[=@]@?([^=@]+)$/.exec(word) ?? [];
  return text === undefined ? [] : [text];
}

/** The file or the tree that a word names; none where nothing stands there. */
function placesOf(word: string, folders: readonly string[], look: World['look']): readonly string[] {
  if (word.startsWith('-') || word.includes('\0')) return [];
  return folders.flatMap((cwd) => {
    const path = normalise(word, { cwd, home: null });
    const found = standingAt(path, look);
    if (found === 'folder') return [`tree ${path}`];
    return found === 'file' || found === 'link' ? [path] : [];
  });
}

function standingAt(path: string, look: World['look']) {
  try {
    return look(path)?.type ?? null;
  } catch {
    return null;
  }
}

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
