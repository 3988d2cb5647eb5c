// What git is about to commit: the files that the index has changed, read from the index and never from the worktree.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { type Rules, whatRulesSay } from '../../core/ignore.ts';
import { SallyportError, UsageError, visible } from '../../core/index.ts';
import { type Content, ContentScan } from './content.ts';
import type { Engine } from './engine.ts';
import { codeOf } from './file.ts';
import { noRules, type Passed, rulesIn } from './walk.ts';

/** Git did not do what it was asked. */
class GitFailed extends SallyportError {}

export interface Staged {
  /** The top folder of the worktree. Paths are bytes as characters. */
  readonly top: string;
  readonly files: readonly StagedFile[];
}

export interface StagedFile {
  /** From the top folder on. */
  readonly path: string;
  readonly object: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A hook learns from these which repository and which index are meant; a commit of some files has an index of its own. */
const kept =
  /^GIT_(DIR|COMMON_DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|CONFIG\w*)$/;

/** Git's own variables that change what it prints, runs or fetches are taken out. */
function gitEnvironment(environment: Environment): Record<string, string | undefined> {
  const rest = Object.entries(environment).filter(([name]) => !name.startsWith('GIT_') || kept.test(name));
  return {
    ...Object.fromEntries(rest),
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_LITERAL_PATHSPECS: '1',
    LC_ALL: 'C',
  };
}

/** The files that are staged, or those of them that the words name. */
export async function stagedFiles(
  words: readonly string[],
  environment: Environment,
  folder: string,
): Promise<Staged> {
  const top = (await git(['rev-parse', '--show-toplevel'], environment, folder))
    .toString('latin1')
    .replace(/\n$/, '');
  if (top === '') throw new UsageError('there is no worktree here, so nothing can be staged');
  const raw = await git(
    // T: a link that became a file. Without renames a file is new under its new name.
    [
      'diff',
      '--cached',
      '--raw',
      '-z',
      '--no-abbrev',
      '--no-renames',
      '--no-relative',
      '--diff-filter=ACMT',
      '--no-ext-diff',
      '--ignore-submodules=none',
      '--',
      ...words,
    ],
    environment,
    folder,
  );
  return { top, files: parseRaw(raw.toString('latin1')) };
}

/** Reads `git diff --raw -z`: `:old-mode new-mode old-object new-object status`, a NUL, the path, a NUL. */
function parseRaw(raw: string): readonly StagedFile[] {
  const fields = raw.split('\0');
  const files: StagedFile[] = [];
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [, mode, object] = /^:\d+ (\d+) [0-9a-f]+ ([0-9a-f]+) [A-Z]\d*$/.exec(fields[index] ?? '') ?? [];
    const path = fields[index + 1];
    if (mode === undefined || object === undefined || path === undefined) {
      throw new GitFailed('git lists the staged files in a way that is not understood');
    }
    // Links and submodules have no content of their own.
    if (mode.startsWith('100')) files.push({ path, object });
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The files that .sallyportignore does not name. What git ignores does not count: it is staged all the same. */
export function notIgnored({ top, files }: Staged, passed: Passed): readonly StagedFile[] {
  const known = new Map<string, Rules | null>();
  /** The rules in a folder; null where the folder is ignored. */
  const rulesOf = (folder: string): Rules | null => {
    const found = known.get(folder);
    if (found !== undefined) return found;
    const rules = folder === top ? ownRules(folder, noRules) : inner(folder);
    known.set(folder, rules);
    return rules;
  };
  const inner = (folder: string): Rules | null => {
    const outer = rulesOf(dirname(folder));
    if (outer === null || whatRulesSay(outer, folder, nameOf(folder), true) === 'we ignore it') return null;
    return ownRules(folder, outer);
  };
  return files.filter(({ path }) => {
    const full = join(top, path);
    const rules = rulesOf(dirname(full));
    const ignored = rules === null || whatRulesSay(rules, full, nameOf(full), false) === 'we ignore it';
    if (ignored) passed.ignored++;
    return !ignored;
  });
}

function ownRules(folder: string, outer: Rules): Rules {
  return { own: rulesIn(folder, { ...noRules, own: outer.own }).own, git: undefined };
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Scans what the index holds of each file, in order; `undefined` is a file whose content git does not have. */
export async function* scanStaged(
  engine: Engine,
  files: readonly StagedFile[],
  environment: Environment,
  folder: string,
  nameOf: (file: StagedFile) => string,
): AsyncGenerator<{ readonly file: StagedFile; readonly content: Content | undefined }> {
  if (files.length === 0) return;
  const child = start(['cat-file', '--batch'], environment, folder);
  const ended = endOf(child);
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(files.map(({ object }) => `${object}\n`).join(''));
  const reader = new Reader(child.stdout ?? []);
  try {
    for (const file of files) {
      const header = await reader.line();
      const size = /^[0-9a-f]+ blob (\d+)$/.exec(header)?.[1];
      if (size === undefined) {
        if (!header.endsWith(' missing')) throw new GitFailed('git does not hand out the staged files');
        yield { file, content: undefined };
        continue;
      }
      const scan = new ContentScan(engine, nameOf(file));
      // Binary content is read to its end all the same: the next file stands behind it.
      for await (const bytes of reader.bytes(Number(size))) scan.write(bytes);
      await reader.line();
      yield { file, content: scan.end() };
    }
    await ended;
  } finally {
    child.kill();
    // Whoever stops early does not wait for how it ends.
    ended.catch(() => undefined);
  }
}

/** Reads lines and counted bytes from a stream. */
class Reader {
  readonly #chunks: AsyncIterator<Buffer> | Iterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer> | Iterable<Buffer>) {
    this.#chunks =
      Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  }

  async #more(): Promise<Buffer> {
    const { value, done } = await this.#chunks.next();
    if (done === true) throw new GitFailed('git ended before all staged files were read');
    return value;
  }

  async line(): Promise<string> {
    let end = this.#rest.indexOf(0x0a);
    while (end < 0) {
      if (this.#rest.length > 1 << 16) throw new GitFailed('git does not hand out the staged files');
      this.#rest = Buffer.concat([this.#rest, await this.#more()]);
      end = this.#rest.indexOf(0x0a);
    }
    const line = this.#rest.toString('latin1', 0, end);
    this.#rest = this.#rest.subarray(end + 1);
    return line;
  }

  async *bytes(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0; ) {
      if (this.#rest.length === 0) this.#rest = await this.#more();
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }
}

/** Starts git. What a repository's own configuration could have it run is turned off. */
function start(args: readonly string[], environment: Environment, folder: string): ChildProcess {
  return spawn('git', ['--no-pager', '-c', 'core.fsmonitor=false', ...args], {
    cwd: folder,
    env: gitEnvironment(environment),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/** Waits for git's end; throws what it said if it failed. */
async function endOf(child: ChildProcess): Promise<void> {
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    if (said.length < 4096) said += text;
  });
  let status: unknown;
  try {
    [status] = await once(child, 'close');
  } catch (error) {
    throw new GitFailed(
      codeOf(error) === 'ENOENT' ? 'git is not installed, or not on the PATH' : 'git cannot be started',
    );
  }
  if (status !== 0) throw new GitFailed(`git failed: ${visible(said.trim().split('\n')[0] ?? '', 300)}`);
}

async function git(args: readonly string[], environment: Environment, folder: string): Promise<Buffer> {
  const child = start(args, environment, folder);
  child.stdin?.on('error', () => undefined);
  child.stdin?.end();
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  await endOf(child);
  return Buffer.concat(chunks);
}
