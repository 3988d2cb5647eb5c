// Judges the files of a workspace that a call actually changed: which must be reverted, which must be reviewed, and
// which are only noted.

import { dirname, join, resolve } from 'node:path';
import { canonicalJson, type HostName } from '../../core/index.ts';
import { classify } from '../../detect/path.ts';
import { isLockOf, type Protection, protectionOf, protections } from '../../detect/protect.ts';
import type { Content, Doing, Snapshot, Snapshots, Step } from '../../ledger/snapshots/index.ts';
import { lookAt, shortText } from '../look.ts';
import { allDataFolders, isRepository, settingsText } from '../repositories.ts';
import { loosenedSettings, readGitSettings } from './git-config.ts';
import { fetchedTips, fromHistory } from './history.ts';
import { largest } from './restore.ts';
import { isHostFile, jsonTable, leadsHost, type Unhooked, unhookedBy, type WithoutOurs } from './unhook.ts';

/** A protected file that a call changed. */
export interface Judged {
  readonly path: string;
  readonly why: string;
  readonly outcome: 'restore' | 'ask' | 'note';
  /** The owner of the affected control. */
  readonly of?: HostName | 'sallyport' | 'git';
  /** The expected state, if it is to be reverted; null: absent. */
  readonly right?: Content | null;
}

export interface StepsInput {
  readonly snapshots: Snapshots;
  readonly snapshot: Snapshot;
  /** The tips of each repository before the call, by the folder of its data. */
  readonly tips: ReadonlyMap<string, readonly string[]>;
  /** Whether the user's own settings let agents change a file. */
  readonly isAllowed: (path: string) => Promise<boolean>;
  readonly withoutOurs: WithoutOurs | undefined;
}

/** A file that is protected, before it is known whether something excuses its change. */
interface Candidate {
  readonly step: Step;
  readonly why: string;
  readonly outcome: Judged['outcome'];
  readonly unhooked?: Loosening;
}

/** How a file unhooks or loosens us, and what it should be. */
interface Loosening extends Pick<Unhooked, 'why' | 'isExcusable'> {
  readonly of: NonNullable<Judged['of']>;
  readonly right: Content | null;
}

/** Judges every file of a snapshot. */
export async function judgeSteps(input: StepsInput): Promise<readonly Judged[]> {
  const { snapshot, snapshots } = input;
  // The files of these were named and judged before.
  if (snapshot.action !== 'shell' && snapshot.action !== 'tool') return [];
  const places = new Places(snapshots);
  const candidates: Candidate[] = [];
  for (const step of snapshot.steps) {
    if (isOfRepository(step)) continue;
    const found = await candidateOf(step, input, places);
    if (found !== null) candidates.push(found);
  }
  const open = candidates.filter(
    ({ outcome, unhooked }) => outcome !== 'note' && unhooked?.isExcusable !== false,
  );
  const excused = await excusedOf(open, input, places);
  return candidates.map(({ step: { path }, why, outcome, unhooked }): Judged => {
    const isExcused = excused.has(path);
    if (unhooked === undefined) return { path, why, outcome: isExcused ? 'note' : outcome };
    // Code that the host runs must be reviewed, even if a commit contains it.
    if (isExcused) return { path, why, outcome: 'ask' };
    return { path, why, outcome: 'restore', of: unhooked.of, right: unhooked.right };
  });
}

/** Git data is checked separately, and a folder starts nothing by itself. */
function isOfRepository({ path, before, after }: Step): boolean {
  const isFolder = (before ?? after)?.type === 'folder' && (after ?? before)?.type === 'folder';
  return isFolder || path.startsWith('/') || /(?:^|\/)\.git\//.test(path);
}

async function candidateOf(step: Step, input: StepsInput, places: Places): Promise<Candidate | null> {
  const { path, before, after } = step;
  const way = path.toLowerCase().split('/');
  const unhooked = unhookedIn(step, input) ?? bareIn(step, input);
  if (unhooked !== null) return { step, why: unhooked.why, outcome: 'restore', unhooked };
  // Only permissions changed, which start nothing by themselves here.
  if (before !== null && after !== null && before.type === after.type && before.hash === after.hash)
    return null;
  const protection = protectionOf(way) ?? (places.isHook(path) ? 'hook' : null);
  // Tools install, link and compile there all day: only an agent's own edit is protected, and it was judged before.
  if (protection === 'installed') return null;
  if (protection === null || isMade(path, protection, input.snapshots.workspace)) return null;
  const why = protections[protection].text;
  const isNoted =
    isExpected(step, protection, input) || isPermission(step, input) || (await input.isAllowed(path));
  return { step, why, outcome: isNoted ? 'note' : 'ask' };
}

// ── what unhooks or loosens us

/** The content that a host would read at a path now: through links, and through other names of the file. */
function textNow(workspace: string, path: string): string | 'unreadable' | null {
  const file = join(workspace, path);
  if (lookAt(file) === null) return null;
  return shortText(file, largest) ?? 'unreadable';
}

function unhookedIn(step: Step, { snapshots, snapshot, withoutOurs }: StepsInput): Loosening | null {
  const { path, before, after } = step;
  const old = contentBefore(step, snapshots, snapshot);
  if (after?.type === 'link' && leadsHost(path)) {
    return { of: 'sallyport', why: 'it leads hosts to settings elsewhere', right: old, isExcusable: true };
  }
  if (!isHostFile(path)) return null;
  const now = textNow(snapshots.workspace, path);
  if (now === 'unreadable') {
    return {
      of: 'sallyport',
      why: 'it cannot be read, so it may unhook a host',
      right: old,
      isExcusable: false,
    };
  }
  const text = old === null ? null : textOf(old);
  const found = unhookedBy(path, text, now, withoutOurs);
  if (found === null) return null;
  const { right, ...rest } = found;
  if (right === text) return { ...rest, right: old };
  const mode = after?.mode ?? before?.mode ?? 0o644;
  return { ...rest, right: right === null ? null : { type: 'file', bytes: Buffer.from(right), mode } };
}

/**
 * The data of a repository without a work tree, among the files of the workspace: its users run the programs that it
 * names.
 */
function bareIn(step: Step, { snapshots, snapshot }: StepsInput): Loosening | null {
  const { path, after } = step;
  const [, folder = '', part = ''] = /^(.+?)\/(config|config\.worktree|hooks\/[^/]+)$/.exec(path) ?? [];
  if (part === '' || part.endsWith('.sample') || !isRepository(join(snapshots.workspace, folder)))
    return null;
  const old = contentBefore(step, snapshots, snapshot);
  if (part.startsWith('hooks/')) {
    return { of: 'git', why: 'it is a hook of git', right: old, isExcusable: true };
  }
  const now = textNow(snapshots.workspace, path);
  if (now === null) return null;
  const found =
    now === 'unreadable' ? null : loosenedSettings((old === null ? null : textOf(old)) ?? '', now, new Set());
  if (found === null && now !== 'unreadable') return null;
  const bytes = Buffer.from(found?.right ?? '');
  const right: Content | null = found === null ? old : { type: 'file', bytes, mode: after?.mode ?? 0o644 };
  const why = `its settings start programs${found === null ? '' : `: ${found.keys.join(', ')}`}`;
  return { of: 'git', why, right, isExcusable: false };
}

function contentBefore({ path, before }: Step, snapshots: Snapshots, { id }: Snapshot): Content | null {
  const bytes = before === null ? null : snapshots.contentBefore(id, path);
  return before === null || bytes === null ? null : { type: before.type, mode: before.mode, bytes };
}

function textOf({ type, bytes }: Content): string | null {
  return type === 'link' ? null : Buffer.from(bytes).toString('utf8');
}

// ── what needs no look

/** Whether a file is in a folder for the output of tools. */
export function isMade(path: string, protection: Protection | null, workspace: string): boolean {
  const place = { cwd: workspace, home: null };
  const folder = dirname(path);
  const names = path.toLowerCase().split('/');
  // The pointer of a work tree or a submodule; its target is checked as git data.
  if (names.at(-1) === '.git') return true;
  if (names.includes('site-packages') || names.includes('dist-packages')) return true;
  if (folder !== '.' && classify(`${workspace}/${folder}`, place).rebuildable) return true;
  return protection === 'dotfile' && classify(`${workspace}/${path}`, place).rebuildable;
}

/** The declared effects of the call; they do not cover changes by concurrent calls. */
function doingOf({ doing, during }: Snapshot): Doing | undefined {
  return during === undefined ? doing : undefined;
}

/** Whether a call declared a change of such a file. */
function isExpected(
  { path, before, after }: Step,
  protection: Protection,
  { snapshot }: StepsInput,
): boolean {
  const doing = doingOf(snapshot);
  if (after === null) return doing?.deletes === true;
  if (protection !== 'manifest' && protection !== 'dotfile') return false;
  if (doing?.packages === true && protection === 'manifest') return true;
  if (isLockOf(path.toLowerCase().split('/').at(-1) ?? '', doing?.programs ?? [])) return true;
  // A project that was made as a whole starts nothing of the one around it.
  return before === null && snapshot.made.some((folder) => path.startsWith(`${folder}/`));
}

/** Whether only the host's own permissions changed: a user who answers its prompt with "always" has it write them. */
function isPermission(step: Step, { snapshots, snapshot }: StepsInput): boolean {
  if (!isHostFile(step.path) || step.after === null) return false;
  const old = contentBefore(step, snapshots, snapshot);
  const now = jsonTable(textNow(snapshots.workspace, step.path) ?? '');
  const then = old === null ? {} : jsonTable(textOf(old) ?? '');
  if (now === null || then === null) return false;
  const rest = ({ permissions: _, ...others }: typeof now) => canonicalJson(others);
  return rest(now) === rest(then);
}

// ── content from a commit

/** The repositories of a workspace, and which files of it belong to which. */
class Places {
  readonly #tops: readonly string[];
  readonly #workspace: string;
  #hooks: readonly string[] | undefined;

  constructor({ workspace, repositories }: Snapshots) {
    this.#workspace = workspace;
    // The deepest first: a file belongs to the nearest repository around it.
    this.#tops = repositories
      .map((path) => path.slice(0, -'.git'.length))
      .toSorted((a, b) => b.length - a.length);
  }

  /** The way from the workspace to the top of the repository that a file belongs to, with a slash at its end. */
  topOf(path: string): string | undefined {
    return this.#tops.find((top) => path.startsWith(top));
  }

  dataOf(top: string): readonly string[] {
    return allDataFolders(join(this.#workspace, top, '.git'));
  }

  /** Whether git takes its hooks from the folder of a file. */
  isHook(path: string): boolean {
    this.#hooks ??= this.#tops.flatMap((top) =>
      this.dataOf(top).flatMap((data) =>
        (readGitSettings(settingsText(join(data, 'config')) ?? '') ?? []).flatMap(({ key, value }) =>
          key === 'core.hookspath' ? [resolve(this.#workspace, top, value)] : [],
        ),
      ),
    );
    const file = join(this.#workspace, path);
    // A folder that is the work tree itself would make a hook of everything.
    return this.#hooks.some((folder) => folder !== this.#workspace && file.startsWith(`${folder}/`));
  }
}

/** The files whose content a repository had before the call, or that a plain command of git fetched. */
async function excusedOf(
  candidates: readonly Candidate[],
  { snapshots, snapshot, tips }: StepsInput,
  places: Places,
): Promise<ReadonlySet<string>> {
  const isGit = doingOf(snapshot)?.onlyGit === true;
  const excused = new Set<string>();
  const byTop = Map.groupBy(candidates, ({ step }) => places.topOf(step.path));
  for (const [top, some] of byTop) {
    if (top === undefined) continue;
    const all = places.dataOf(top);
    const [data] = all;
    if (data === undefined) continue;
    const known = all.flatMap((folder) => [
      ...(tips.get(folder) ?? []),
      ...(isGit ? fetchedTips(folder) : []),
    ]);
    const files = some.flatMap(({ step: { path, after } }) => {
      const content = after === null ? null : look(snapshots, path);
      return content === undefined ? [] : [{ path: path.slice(top.length), content }];
    });
    const repository = { data, top: join(snapshots.workspace, top) };
    for (const path of await fromHistory(repository, files, [...new Set(known)], isGit))
      excused.add(top + path);
  }
  return excused;
}

/** The entry at a path; undefined if it cannot be read. */
function look(snapshots: Snapshots, path: string): Content | null | undefined {
  try {
    return snapshots.look(path);
  } catch {
    return undefined;
  }
}
