// The git repositories of a workspace: where their data is stored, which parts of it start programs, and how such parts
// are set aside if a command created them.

import { existsSync, renameSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isInside } from '../config/index.ts';
import { settingRuns } from '../guards/command/programs/cards/git/settings.ts';
import { leftOut } from '../ledger/snapshots/walk.ts';
import { readGitSettings } from './integrity/git-config.ts';
import { entriesOf, lookAt, realOf, shortText } from './look.ts';

/** The most folders of a workspace that are searched, nearest first. */
const mostFolders = 10_000;
/** The most repositories of submodules in one repository. */
const mostModules = 64;
/** The longest file of settings that is read. */
const longestSettings = 1_048_576;

/**
 * Every `.git` of a workspace, whether folder, file or link; nearest first. Folders that tools create again are
 * omitted.
 */
export function findRepositories(workspace: string): readonly string[] {
  const found: string[] = [];
  const folders = [workspace];
  for (let at = 0; at < folders.length; at++) {
    const folder = folders[at] ?? workspace;
    for (const entry of entriesOf(folder)) {
      const path = `${folder}/${entry.name}`;
      if (entry.name.toLowerCase() === '.git') found.push(path);
      else if (entry.isDirectory() && !leftOut.has(entry.name) && folders.length < mostFolders)
        folders.push(path);
    }
  }
  return found;
}

/** The folders in the workspace with a repository's data: its own, and the shared one. */
export function dataFolders(dotGit: string, workspace: string): readonly string[] {
  return allDataFolders(dotGit).filter((folder) => isInside(workspace, folder));
}

/** The same regardless of location: those of a linked work tree are with its main repository. */
export function allDataFolders(dotGit: string): readonly string[] {
  const real = realOf(dotGit);
  if (real === null) return [];
  const own = lookAt(real)?.isDirectory() === true ? real : pointedTo(real);
  if (own === null) return [];
  const shared = shortText(join(own, 'commondir'), 4096)?.trim();
  const common = shared === undefined ? null : realOf(resolve(own, shared));
  const both = common === null || lookAt(common)?.isDirectory() !== true ? [own] : [own, common];
  return [...new Set(both)];
}

/** The folder that a `.git` file of a work tree or a submodule leads to. */
function pointedTo(file: string): string | null {
  const path = /^gitdir: (.+?)\s*$/m.exec(shortText(file, 4096) ?? '')?.[1];
  const folder = path === undefined ? null : realOf(resolve(dirname(file), path));
  return folder !== null && isRepository(folder) ? folder : null;
}

/** Whether a folder is itself the data of a repository. */
export function isRepository(folder: string): boolean {
  return (
    existsSync(join(folder, 'HEAD')) &&
    (existsSync(join(folder, 'objects')) || existsSync(join(folder, 'commondir')))
  );
}

/** Whether a folder contains only the private data of one work tree. */
export function isWorkTree(folder: string): boolean {
  return existsSync(join(folder, 'commondir'));
}

/** The parts of a repository's own data that start programs, whether they exist or not. */
export function startingParts(folder: string): readonly string[] {
  const worktrees = entriesOf(join(folder, 'worktrees')).map(({ name }) => join(folder, 'worktrees', name));
  return [
    ...(isWorkTree(folder) ? [] : [join(folder, 'hooks'), join(folder, 'config')]),
    ...[folder, ...worktrees].map((data) => join(data, 'config.worktree')),
  ];
}

/** The data of submodules in that of a repository; their names may contain folders, and they may have submodules. */
export function modulesIn(data: string): readonly string[] {
  const found: string[] = [];
  const open = [join(data, 'modules')];
  for (let next = open.pop(); next !== undefined && found.length < mostModules; next = open.pop()) {
    if (isRepository(next)) {
      found.push(next);
      open.push(join(next, 'modules'));
    } else {
      const here = next;
      open.push(...entriesOf(here).flatMap((entry) => (entry.isDirectory() ? [join(here, entry.name)] : [])));
    }
  }
  return found;
}

/** Whether a setting includes another file of settings. */
export function isInclude(key: string): boolean {
  return /^include(?:if\..*)?\.path$/s.test(key);
}

/** Related files elsewhere in the workspace: a folder of hooks, included settings, targets of linked hooks. */
export function partsElsewhere(dotGit: string, folder: string): readonly string[] {
  const config = join(folder, 'config');
  const named = (readGitSettings(settingsText(config) ?? '') ?? []).flatMap(({ key, value }) => {
    if (key === 'core.hookspath') return [resolve(dirname(dotGit), value)];
    return isInclude(key) ? [resolve(folder, value)] : [];
  });
  const hooks = entriesOf(join(folder, 'hooks')).filter((entry) => entry.isSymbolicLink());
  return [...named, ...hooks.map(({ name }) => join(folder, 'hooks', name))];
}

/** The settings in a text that start programs, one per line; for an unreadable text they are unknown. */
function startingSettings(text: string): readonly string[] {
  const settings = readGitSettings(text);
  if (settings === null) return ['unknown'];
  return settings.flatMap(({ key, value }) =>
    key === 'core.hookspath' || settingRuns(key, { kind: 'literal', text: value }) ? [`${key}=${value}`] : [],
  );
}

/** Whether a file would start a program that was not installed with git. */
function startsPrograms(part: string): boolean {
  const found = lookAt(part);
  if (found === null) return false;
  if (found.isSymbolicLink()) return true;
  if (basename(part) === 'hooks') return entriesOf(part).some(({ name }) => !name.endsWith('.sample'));
  const text = settingsText(part);
  return text === null || startingSettings(text).length > 0;
}

/** The text of a settings file; null if there is none that can be read. */
export function settingsText(path: string): string | null {
  return shortText(path, longestSettings);
}

/** Whether settings start a program that they did not start before. */
export function startsMore(before: string, after: string | null): boolean {
  const known = startingSettings(before);
  return after === null || startingSettings(after).some((setting) => !known.includes(setting));
}

/** Renames a file that would start a program, so that git no longer finds it; returns its new path, or null. */
export function setAside(part: string): string | null {
  return startsPrograms(part) ? renamed(part) : null;
}

/** Renames the entry at a path; returns the new path. */
export function renamed(path: string): string {
  let name = `${path}.set-aside`;
  for (let count = 2; lookAt(name) !== null; count++) name = `${path}.set-aside-${count}`;
  renameSync(path, name);
  return name;
}
