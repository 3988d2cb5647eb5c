// Plans a revert before anything is changed: which files are restored, and which are left because they were changed
// since.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { statAt } from './anchor.ts';
import { nameOf, systemPath } from './names.ts';
import { isSame, type State, type Step } from './snapshot.ts';

/** A file that is left unchanged. */
export interface Left {
  readonly path: string;
  readonly why: string;
}

export interface PlanOptions {
  readonly root: string;
  /** The current entry at a path. */
  readonly stateAt: (path: string) => State | null;
  readonly isGitData: (path: string) => boolean;
}

type Fate = 'do' | 'done' | Left;

/** The steps that can be reverted, and the files that are left. */
export function planOf(
  steps: readonly Step[],
  options: PlanOptions,
): { readonly steps: readonly Step[]; readonly left: readonly Left[] } {
  const fates = new Map<Step, Fate>(steps.map((step) => [step, fateOf(step, options)]));
  leaveRepositories(fates, options);
  leaveBelow(fates, options);
  return {
    steps: steps.filter((step) => fates.get(step) === 'do'),
    left: [...fates.values()].filter((fate) => typeof fate === 'object'),
  };
}

function fateOf(step: Step, { root, stateAt }: PlanOptions): Fate {
  const { path, before, after, lost } = step;
  const now = stateAt(path);
  if (isSame(now, before) && (before === null || !isSplit(root, path, before))) return 'done';
  if (lost === true) return { path, why: 'what it was before is not kept' };
  if (isObject(path) && now !== null && after === null) return 'done';
  if (before?.type === 'folder' && after === null && now?.type === 'folder') return 'done';
  if (after?.type === 'folder' && before === null && now?.type === 'folder') return 'do';
  if (isSame(now, after) || isSame(now, before)) return 'do';
  return { path, why: now === null ? 'it was deleted since' : 'it was changed since' };
}

/** Whether a file had another name in the workspace that is another file now. */
export function isSplit(root: string, path: string, { group }: State): boolean {
  if (group === undefined || group === path) return false;
  return statAt(root, path)?.ino !== statAt(root, group)?.ino;
}

/** A file in an object store of git. */
function isObject(path: string): boolean {
  return /(?:^|\/)objects\/(?:[0-9a-f]{2}\/[0-9a-f]{38,62}|pack\/[^/]+|.*\/[0-9a-f]{64})$/.test(path);
}

/** Branches, index and logs of a repository depend on each other: if one was changed since, all of them are left. */
function leaveRepositories(fates: Map<Step, Fate>, { isGitData }: PlanOptions): void {
  const moved = new Set<string>();
  for (const [{ path }, fate] of fates) {
    if (typeof fate === 'object' && isGitData(path) && !isIncidental(path)) moved.add(repositoryOf(path));
  }
  if (moved.size === 0) return;
  for (const [step, fate] of fates) {
    const { path, after } = step;
    // A missing object is restored whatever else is left: that is always safe.
    const isLostObject = isObject(path) && after === null;
    if (fate !== 'do' || isLostObject || !isGitData(path) || !moved.has(repositoryOf(path))) continue;
    fates.set(step, { path, why: 'its repository was changed since' });
  }
}

/** Files that git writes incidentally, and that no branch and no index depends on. */
function isIncidental(path: string): boolean {
  return /(?:^|\/)(?:COMMIT_EDITMSG|FETCH_HEAD|gc\.log|gc\.pid|objects\/.*|info\/refs|description)$/.test(
    path,
  );
}

/** The folder that a repository's data begins with. */
function repositoryOf(path: string): string {
  const [whole = ''] = /^.*?(?:^|\/)\.git(?=\/|$)/.exec(path) ?? [];
  return whole === '' ? '/' : whole;
}

/** An entry below a file that is left cannot be restored, nor a file in place of a folder with other entries. */
function leaveBelow(fates: Map<Step, Fate>, { root, stateAt }: PlanOptions): void {
  const left = new Set([...fates.values()].flatMap((fate) => (typeof fate === 'object' ? [fate.path] : [])));
  const removed = new Set(
    [...fates].flatMap(([{ path, before }, fate]) => (fate === 'do' && before === null ? [path] : [])),
  );
  const isCleared = (folder: string): boolean =>
    entriesIn(join(root, folder)).every((name) => {
      const path = `${folder}/${name}`;
      return removed.has(path) && (stateAt(path)?.type !== 'folder' || isCleared(path));
    });
  for (const [step, fate] of fates) {
    const { path, before, after } = step;
    if (fate === 'do' && before === null && after?.type === 'folder' && !isCleared(path))
      fates.set(step, { path, why: 'there are other files in it' });
    if (fate !== 'do' || before === null) continue;
    const above = aboveOf(path).find((folder) => left.has(folder) && stateAt(folder)?.type !== 'folder');
    if (above !== undefined) fates.set(step, { path, why: `${above} is in the way` });
    else if (after?.type === 'folder' && before.type !== 'folder' && !isCleared(path))
      fates.set(step, { path, why: 'the folder in its place has other files in it' });
  }
}

function entriesIn(folder: string): readonly string[] {
  try {
    return readdirSync(systemPath(folder), { encoding: 'buffer' }).map(nameOf);
  } catch {
    return [];
  }
}

function aboveOf(path: string): readonly string[] {
  const names = path.split('/');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'));
}
