// Whether a file's content comes from a commit that a repository had before a call, or that the call fetched: a
// checkout or a pull, rather than content that the call itself produced.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Content, findGit } from '../../ledger/snapshots/index.ts';
import { settingsText } from '../repositories.ts';
import { readGitSettings } from './git-config.ts';
import { stampAt } from './restore.ts';

/** How long git may search, in milliseconds, and how much it may print. */
const longestSearch = 2000;
const mostPrinted = 4_194_304;
/** How many tips of branches are known of a repository, and how many files are searched for in its whole history. */
const mostTips = 2000;
const mostSearched = 8;

/** The location of a repository's data, and the top of its work tree. */
export interface Repository {
  readonly data: string;
  readonly top: string;
}

/** A file, by its path relative to its work tree; null: deleted. */
export interface Placed {
  readonly path: string;
  readonly content: Content | null;
}

/** The tips of all branches, tags and stashes of a repository, read from its files: nothing of it is run for that. */
export class Tips {
  /** The data read of a folder or file, as long as it is in the same state. */
  readonly #known = new Map<
    string,
    { readonly stamp: string; readonly tips: readonly string[]; readonly folders: readonly string[] }
  >();

  of(data: string): readonly string[] {
    const packed = this.#read(join(data, 'packed-refs'), (file) => idsIn(readFileSync(file, 'utf8')));
    // Of stashes only the last has a name; all have a line in the log.
    const stashes = this.#read(join(data, 'logs', 'refs', 'stash'), (file) =>
      idsIn(readFileSync(file, 'utf8')),
    );
    const head = this.#read(join(data, 'HEAD'), (file) => idsIn(readFileSync(file, 'utf8')));
    const loose: string[] = [];
    const open = [join(data, 'refs')];
    for (let folder = open.pop(); folder !== undefined && loose.length < mostTips; folder = open.pop()) {
      const { tips, folders } = this.#folder(folder);
      loose.push(...tips);
      open.push(...folders);
    }
    return [...new Set([...head, ...loose, ...stashes, ...packed])].slice(0, mostTips);
  }

  /** Git writes a ref by renaming a file, which its folder shows. */
  #folder(folder: string): { readonly tips: readonly string[]; readonly folders: readonly string[] } {
    const stamp = stampAt(folder);
    const known = this.#known.get(folder);
    if (known?.stamp === stamp) return known;
    const tips: string[] = [];
    const folders: string[] = [];
    for (const entry of attempt(() => readdirSync(folder, { withFileTypes: true })) ?? []) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else tips.push(...(attempt(() => idsIn(readFileSync(path, 'utf8').slice(0, 200))) ?? []));
    }
    this.#remember(folder, { stamp, tips, folders });
    return { tips, folders };
  }

  #read(file: string, read: (file: string) => readonly string[]): readonly string[] {
    const stamp = stampAt(file);
    if (stamp === 'none') return [];
    const known = this.#known.get(file);
    if (known?.stamp === stamp) return known.tips;
    const tips = attempt(() => read(file)) ?? [];
    this.#remember(file, { stamp, tips, folders: [] });
    return tips;
  }

  #remember(
    path: string,
    found: { readonly stamp: string; readonly tips: readonly string[]; readonly folders: readonly string[] },
  ): void {
    if (this.#known.size > 20 * mostTips) this.#known.clear();
    this.#known.set(path, found);
  }
}

function attempt<Value>(work: () => Value): Value | null {
  try {
    return work();
  } catch {
    return null;
  }
}

function idsIn(text: string): readonly string[] {
  return text.match(/\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/g)?.filter((id) => !/^0+$/.test(id)) ?? [];
}

/** The tips of branches that were fetched, as they are now. */
export function fetchedTips(data: string): readonly string[] {
  const open = [join(data, 'refs', 'remotes')];
  const tips: string[] = [];
  for (let folder = open.pop(); folder !== undefined && tips.length < mostTips; folder = open.pop()) {
    for (const entry of attempt(() => readdirSync(folder ?? '', { withFileTypes: true })) ?? []) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) open.push(path);
      else tips.push(...(attempt(() => idsIn(readFileSync(path, 'utf8').slice(0, 200))) ?? []));
    }
  }
  const packed = attempt(() => readFileSync(join(data, 'packed-refs'), 'utf8')) ?? '';
  const remote = packed.split('\n').filter((line) => line.includes(' refs/remotes/'));
  const fetched = attempt(() => readFileSync(join(data, 'FETCH_HEAD'), 'utf8')) ?? '';
  return [...tips, ...idsIn(remote.join('\n')), ...idsIn(fetched.replaceAll(/\t.*$/gm, ''))];
}

/**
 * Those of some files whose content is at the same path in one of the tips or an ancestor of one. A deleted file
 * qualifies if `isGone` and the current commit does not contain it. Content that is not found before the timeout comes
 * from no commit.
 */
export async function fromHistory(
  repository: Repository,
  files: readonly Placed[],
  tips: readonly string[],
  isGone: boolean,
): Promise<ReadonlySet<string>> {
  const program = findGit();
  if (program === undefined || files.length === 0) return new Set();
  const { data } = repository;
  const git = (args: readonly string[], input: string) => run(program, repository, args, input);
  const algorithm = objectFormat(data);
  const found = new Set<string>();
  const blobs = new Map(
    files.flatMap(({ path, content }) =>
      content === null ? [] : [[path, blobOf(content, algorithm)] as const],
    ),
  );
  const asked = [...blobs].flatMap(([path, blob]) =>
    tips.slice(0, 50).map((tip) => ({ path, blob, name: `${tip}:${path}` })),
  );
  const gone = isGone ? files.filter(({ content }) => content === null).map(({ path }) => path) : [];
  const names = [...asked.map(({ name }) => name), ...gone.map((path) => `HEAD:${path}`)].filter(
    (name) => !name.includes('\n'),
  );
  const said = (await git(['cat-file', '--batch-check=%(objectname)'], names.join('\n'))).split('\n');
  const answers = new Map(names.map((name, index) => [name, said[index] ?? '']));
  for (const { path, blob, name } of asked) if (answers.get(name) === blob) found.add(path);
  for (const path of gone) if (answers.get(`HEAD:${path}`)?.endsWith(' missing') === true) found.add(path);
  const rest = [...blobs].filter(([path]) => !found.has(path)).slice(0, mostSearched);
  if (tips.length === 0) return found;
  for (const [path, blob] of rest) {
    const search = [
      'log',
      '-m',
      '-1',
      '--format=%H',
      `--find-object=${blob}`,
      '--no-ext-diff',
      '--no-textconv',
    ];
    const where = ['--no-show-signature', '--ignore-missing', '--stdin', '--', path];
    const commit = await git([...search, ...where], tips.join('\n'));
    if (/^[0-9a-f]{40}/.test(commit)) found.add(path);
  }
  return found;
}

function objectFormat(data: string): 'sha1' | 'sha256' {
  const settings = readGitSettings(settingsText(join(data, 'config')) ?? '') ?? [];
  const format = settings.find(({ key }) => key === 'extensions.objectformat')?.value;
  return format === 'sha256' ? 'sha256' : 'sha1';
}

function blobOf({ bytes }: Content, algorithm: 'sha1' | 'sha256'): string {
  return createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/** Settings of the repository that would start a program, or ask another machine, do not count here. */
const harmless = [
  ...['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'core.pager=cat', 'protocol.allow=never'],
  ...['log.showSignature=false', 'core.alternateRefsCommand=true'],
].flatMap((setting) => ['-c', setting]);

/** The output of git; empty if it fails or times out. */
function run(
  git: string,
  { data, top }: Repository,
  args: readonly string[],
  input: string,
): Promise<string> {
  return new Promise((resolve) => {
    const child = execFile(
      git,
      [`--git-dir=${data}`, `--work-tree=${top}`, '--no-pager', '--literal-pathspecs', ...harmless, ...args],
      {
        cwd: top,
        timeout: longestSearch,
        killSignal: 'SIGKILL',
        maxBuffer: mostPrinted,
        env: {
          PATH: '/usr/local/bin:/usr/bin:/bin',
          HOME: '/nonexistent',
          LC_ALL: 'C',
          GIT_CONFIG_NOSYSTEM: '1',
          GIT_CONFIG_GLOBAL: '/dev/null',
          GIT_NO_LAZY_FETCH: '1',
          GIT_OPTIONAL_LOCKS: '0',
          GIT_TERMINAL_PROMPT: '0',
        },
      },
      (error, stdout) => resolve(error === null ? stdout : ''),
    );
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}
