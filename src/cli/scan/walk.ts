// Walks files and folders for a scan: sorted by path, ignore rules honoured, links never followed.

import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';
import { type Level, parseIgnore, type Rules, whatRulesSay } from '../../core/ignore.ts';
import { UsageError, visible } from '../../core/index.ts';
import { bytesOf, codeOf, reasonOf, type Target } from './file.ts';
import { nothingTracked, readIndex, type Tracked } from './tracked.ts';

/** A place to begin, as somebody named it. */
export interface Root extends Target {
  readonly folder: boolean;
}

/** What was passed by; the walk counts. */
export interface Passed {
  ignored: number;
  links: number;
  special: number;
}

/** A file to scan, or a place that could not be read. */
export type Step =
  | { readonly target: Target }
  | { readonly unread: Omit<Target, 'size'>; readonly reason: string };

/** A folder's rules, and the repository that the folder is in. */
interface FolderRules extends Rules {
  readonly repository: Repository | undefined;
}

interface Repository {
  /** How many bytes of an absolute path come before the part that git knows. */
  readonly prefix: number;
  /** Read when something is first ignored. */
  readonly tracked: () => Tracked;
}

export const noRules: FolderRules = { own: undefined, git: undefined, repository: undefined };

const gitFile = '.gitignore';
const ownFile = '.sallyportignore';
/** An ignore file that is larger than this is not read, so what it names is scanned. */
const mostIgnoreBytes = 1 << 20;
const mostIndexBytes = 1 << 28;

/** The places that words of the command line name, sorted; throws `UsageError` for one that is not there. */
export function rootsOf(words: readonly string[], folder: string): readonly Root[] {
  const roots = words.map((word): Root => {
    const named = resolve(folder, word);
    try {
      const status = statSync(named);
      if (!status.isFile() && !status.isDirectory()) {
        throw new UsageError(
          `${visible(word)} is neither a file nor a folder`,
          'pipe its content in: sallyport scan --stdin',
        );
      }
      // A link that somebody names is meant; those that are met on the way are not followed.
      const path = realpathSync(named, { encoding: 'buffer' }).toString('latin1');
      const shown = Buffer.from(normalize(word).replace(/(?<=.)\/$/, '')).toString('latin1');
      return { path, shown, folder: status.isDirectory(), size: status.size };
    } catch (error) {
      if (error instanceof UsageError) throw error;
      throw new UsageError(
        codeOf(error) === 'ENOENT' ? `there is no ${visible(word)}` : `${visible(word)}: ${reasonOf(error)}`,
      );
    }
  });
  return roots.toSorted((a, b) => (a.shown < b.shown ? -1 : a.shown > b.shown ? 1 : 0));
}

interface Frame {
  readonly path: string;
  readonly shown: string;
  readonly rules: FolderRules;
  /** Git ignores the folder, and yet tracks something in it, which alone is scanned. */
  readonly trackedOnly: boolean;
  /** Entries in the reverse of their order, so that the next one is taken from the end. */
  readonly rest: { readonly name: string; readonly entry: Dirent<string> }[];
}

export interface WalkOptions {
  readonly roots: readonly Root[];
  /** Whether the ignore rules hold. */
  readonly ignoring: boolean;
  /** Files that the scan itself is writing. */
  readonly without: ReadonlySet<string>;
  readonly passed: Passed;
}

/** Every file under the roots. */
export function* walk({ roots, ignoring, without, passed }: WalkOptions): Generator<Step> {
  const seen = roots.length > 1 ? new Set<string>() : undefined;
  for (const root of roots) {
    if (seen?.has(root.path)) continue;
    seen?.add(root.path);
    if (!root.folder) {
      yield { target: root };
      continue;
    }
    for (const step of walkFolder(root, ignoring, passed)) {
      if ('target' in step) {
        const { path } = step.target;
        if (without.has(path) || seen?.has(path)) continue;
        seen?.add(path);
      }
      yield step;
    }
  }
}

function* walkFolder(root: Root, ignoring: boolean, passed: Passed): Generator<Step> {
  const stack: Frame[] = [];
  function* enter(path: string, shown: string, outer: FolderRules, trackedOnly: boolean): Generator<Step> {
    try {
      const entries = readdirSync(bytesOf(path), { encoding: 'latin1', withFileTypes: true });
      const rules = ignoring ? rulesIn(path, outer, new Set(entries.map(({ name }) => name))) : noRules;
      const rest = entries
        .map((entry) => ({
          name: entry.name,
          key: entry.isDirectory() ? `${entry.name}/` : entry.name,
          entry,
        }))
        .sort((a, b) => (a.key < b.key ? 1 : -1));
      stack.push({ path, shown, rules, trackedOnly, rest });
    } catch (error) {
      yield { unread: { path, shown }, reason: reasonOf(error) };
    }
  }
  yield* enter(root.path, root.shown, ignoring ? rulesAround(root.path) : noRules, false);
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const next = frame.rest.pop();
    if (next === undefined) {
      stack.pop();
      continue;
    }
    const { name, entry } = next;
    if (name === '.git') continue;
    const path = `${frame.path === '/' ? '' : frame.path}/${name}`;
    const shown = frame.shown === '.' ? name : `${frame.shown === '/' ? '' : frame.shown}/${name}`;
    const take = takeEntry(frame, path, name, entry.isDirectory());
    if (take === 'nothing') passed.ignored++;
    else if (entry.isSymbolicLink()) passed.links++;
    else if (entry.isDirectory()) yield* enter(path, shown, frame.rules, take === 'what is tracked');
    else yield* fileStep(path, shown, passed);
  }
}

/** How much of an entry is scanned. Git ignores nothing that it tracks, and so do we. */
function takeEntry(
  { rules, trackedOnly }: Frame,
  path: string,
  name: string,
  folder: boolean,
): 'all' | 'what is tracked' | 'nothing' {
  const say = whatRulesSay(rules, path, name, folder);
  if (say === 'we ignore it') return 'nothing';
  if (say === 'we keep it' || (say === undefined && !trackedOnly)) return 'all';
  const { prefix, tracked } = rules.repository ?? { prefix: 0, tracked: () => nothingTracked };
  const own = path.slice(prefix);
  return (folder ? tracked().hasIn(own) : tracked().has(own)) ? 'what is tracked' : 'nothing';
}

function* fileStep(path: string, shown: string, passed: Passed): Generator<Step> {
  try {
    const status = lstatSync(bytesOf(path));
    if (status.isFile()) yield { target: { path, shown, size: status.size } };
    else passed.special++;
  } catch (error) {
    yield { unread: { path, shown }, reason: reasonOf(error) };
  }
}

// ── rules on disk

/** The folder of the repository around a folder, if there is one. */
export function repositoryOf(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (lstatSync(bytesOf(join(at, '.git')), { throwIfNoEntry: false }) !== undefined) return at;
    if (at === dirname(at)) return undefined;
  }
}

/** What the folders around a folder say about it, up to the top of its repository. */
function rulesAround(folder: string): FolderRules {
  let top: string | undefined;
  try {
    top = repositoryOf(folder);
  } catch {
    return noRules;
  }
  if (top === undefined || top === folder) return noRules;
  const between: string[] = [];
  for (let at = dirname(folder); at.length >= top.length; at = dirname(at)) between.unshift(at);
  return between.reduce((rules, at) => rulesIn(at, rules), noRules);
}

/** What is in force in a folder. A repository in a repository begins anew; our own rules reach into it. */
export function rulesIn(folder: string, outer: FolderRules, names?: ReadonlySet<string>): FolderRules {
  const has = (name: string) => names === undefined || names.has(name);
  const prefix = folder === '/' ? 1 : folder.length + 1;
  const level = (file: string, around: Level | undefined): Level | undefined => {
    const patterns = parseIgnore(readText(file));
    return patterns.length === 0 ? around : { outer: around, prefix, patterns };
  };
  let { own, git, repository } = outer;
  const data = has('.git') ? gitData(join(folder, '.git')) : undefined;
  if (data !== undefined) {
    git = level(join(data.common, 'info', 'exclude'), undefined);
    repository = { prefix, tracked: once(() => readTracked(join(data.own, 'index'))) };
  }
  if (has(gitFile)) git = level(join(folder, gitFile), git);
  if (has(ownFile)) own = level(join(folder, ownFile), own);
  return { own, git, repository };
}

/** Where git keeps its data: in a worktree or a submodule, `.git` is a file that says where. */
function gitData(path: string): { readonly own: string; readonly common: string } | undefined {
  const status = lstatSync(bytesOf(path), { throwIfNoEntry: false });
  if (status === undefined) return undefined;
  const named = status.isFile() ? /^gitdir: (.+?)\n?$/.exec(readText(path))?.[1] : undefined;
  if (named === undefined) return { own: path, common: path };
  const own = resolve(dirname(path), named);
  const common = readText(join(own, 'commondir')).trimEnd();
  return { own, common: common === '' ? own : resolve(own, common) };
}

/** What an index tracks; nothing where it cannot be read. */
function readTracked(path: string): Tracked {
  const bytes = readRegular(path, mostIndexBytes);
  return (bytes === undefined ? undefined : readIndex(bytes)) ?? nothingTracked;
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The text of a small regular file, bytes as characters; nothing where there is none that can be read. */
function readText(path: string): string {
  return readRegular(path, mostIgnoreBytes)?.toString('latin1') ?? '';
}

function readRegular(path: string, most: number): Buffer | undefined {
  let descriptor: number | undefined;
  try {
    const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
    descriptor = openSync(bytesOf(path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const status = fstatSync(descriptor);
    return status.isFile() && status.size <= most ? readFileSync(descriptor) : undefined;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
