// The read-only parts of a workspace for a command: repositories, files that start programs later, and files that
// define an agent's rights. A path that does not exist yet cannot be mounted read-only, so it is checked again
// afterwards.

import { readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { isInside } from '../config/index.ts';
import { messageOf, visible } from '../core/index.ts';
import { protectionOf, startsLater } from '../detect/protect.ts';
import { entriesOf, lookAt, realOf } from './look.ts';
import {
  dataFolders,
  findRepositories,
  isRepository,
  isWorkTree,
  modulesIn,
  partsElsewhere,
  renamed,
  setAside,
  settingsText,
  startingParts,
  startsMore,
} from './repositories.ts';

/** The guarded parts of a workspace while one command runs. */
export interface Guarded {
  /** The arguments of bubblewrap that mount it, after those of the workspace. */
  readonly mounts: readonly string[];
  /** Read-only paths, relative to the workspace. */
  readonly readOnly: readonly string[];
  /**
   * Restores and sets aside what no mount could protect; returns notes for the user. Called when the command has ended.
   */
  readonly lookAgain: () => readonly string[];
}

/** The most repositories inside the workspace that are mounted, nearest first: each mount takes some time. */
const mostRepositories = 50;

/**
 * Determines the paths to guard. `changesGit`: the command may change the data of repositories, but not the files that
 * start programs.
 */
export function guardWorkspace(workspace: string, changesGit: boolean): Guarded {
  const mounts = new Mounts(workspace);
  const names = laterNames(workspace);
  for (const path of names) mounts.readOnly(path);
  const found = findRepositories(workspace);
  const known = new Set(found.slice(mostRepositories).flatMap((dotGit) => partsIn(dotGit, workspace)));
  for (const dotGit of found.slice(0, mostRepositories)) guardRepository(mounts, dotGit, changesGit);
  if (isRepository(workspace)) for (const part of startingParts(workspace)) mounts.readOnly(part);
  for (const path of otherRepositories(workspace)) {
    if (!changesGit) mounts.readOnly(path);
    for (const settings of otherSettings) mounts.readOnly(join(path, settings));
  }
  return {
    mounts: mounts.arguments(),
    readOnly: mounts.guarded().map((path) => relative(workspace, path)),
    lookAgain: () => [
      ...mounts.links.flatMap((link) => putBack(link, workspace)),
      ...mounts.settings.flatMap((settings) => restore(settings, workspace)),
      ...findRepositories(workspace)
        .flatMap((dotGit) => partsIn(dotGit, workspace))
        .filter(
          (part) =>
            !known.has(part) && !mounts.holds(part) && !mounts.links.some(({ path }) => path === part),
        )
        .flatMap((part) => disarm(part, workspace)),
      ...laterNames(workspace)
        .filter((path) => !names.includes(path))
        .map(
          (path) =>
            `the command made ${shown(path, workspace)}, which starts programs later or says what an agent may do: look at it`,
        ),
    ],
  };
}

/** Settings of other version control systems, which name programs too, below the folder of a repository. */
const otherSettings = ['hgrc', 'repo/config.toml'];

/** The data of repositories of other version control systems at the top of a workspace. */
function otherRepositories(workspace: string): readonly string[] {
  return entriesOf(workspace)
    .filter((entry) => entry.isDirectory() && protectionOf([entry.name.toLowerCase()]) === 'version_control')
    .filter(({ name }) => name.toLowerCase() !== '.git')
    .map(({ name }) => join(workspace, name));
}

/** The files at the top of a workspace that start programs later, or define an agent's rights. */
function laterNames(workspace: string): readonly string[] {
  return entriesOf(workspace).flatMap(({ name }) => {
    const lower = name.toLowerCase();
    if (startsLater([lower])) return [join(workspace, name)];
    if (lower !== '.github') return [];
    return entriesOf(join(workspace, name))
      .filter((entry) => startsLater([lower, entry.name.toLowerCase()]))
      .map((entry) => join(workspace, name, entry.name));
  });
}

function guardRepository(mounts: Mounts, dotGit: string, changesGit: boolean): void {
  const { workspace } = mounts;
  const found = lookAt(dotGit);
  if (found?.isSymbolicLink() === true) mounts.keepLink(dotGit);
  // Git itself removes the `.git` file of a work tree; the target of another one is checked afterwards.
  else if (found?.isFile() === true && (!changesGit || dirname(dotGit) === workspace))
    mounts.readOnly(dotGit);
  for (const folder of dataFolders(dotGit, workspace)) {
    if (!changesGit && folder !== workspace) mounts.readOnly(folder);
    // Git removes the private data of a work tree, too.
    else if (!isWorkTree(folder)) mounts.writable(folder);
    const parts = [...startingParts(folder), ...partsElsewhere(dotGit, folder)];
    guardParts(mounts, parts, found?.isFile() === true && /\/modules\//.test(folder.slice(workspace.length)));
    for (const module of modulesIn(folder)) {
      mounts.writable(module);
      guardParts(mounts, startingParts(module), true);
    }
  }
}

/** Git writes the settings of a submodule whenever it updates it, so these are compared afterwards. */
function guardParts(mounts: Mounts, parts: readonly string[], ofModule: boolean): void {
  for (const part of parts) {
    if (ofModule && basename(part) === 'config') mounts.keepSettings(part);
    else mounts.readOnly(part);
  }
}

function partsIn(dotGit: string, workspace: string): readonly string[] {
  return dataFolders(dotGit, workspace).flatMap((folder) => [
    ...[folder, ...modulesIn(folder)].flatMap(startingParts),
    ...partsElsewhere(dotGit, folder),
  ]);
}

/** A path relative to the workspace, for display. */
function shown(path: string, workspace: string): string {
  return visible(relative(workspace, path), 200);
}

/** Sets aside an entry that the command created and that would start a program. */
function disarm(part: string, workspace: string): readonly string[] {
  const name = shown(part, workspace);
  try {
    const aside = setAside(part);
    if (aside === null) return [];
    return [`the command made ${name}, which starts programs; it is now ${shown(aside, workspace)}`];
  } catch (error) {
    return [
      `the command made ${name}, which starts programs, and it could not be set aside: ${messageOf(error)}`,
    ];
  }
}

interface Link {
  readonly path: string;
  readonly target: string;
}

function linkAt(path: string): readonly Link[] {
  try {
    return [{ path, target: readlinkSync(path) }];
  } catch {
    return [];
  }
}

/** Restores a link that the command replaced. */
function putBack({ path, target }: Link, workspace: string): readonly string[] {
  if (linkAt(path)[0]?.target === target) return [];
  const name = shown(path, workspace);
  try {
    const aside = lookAt(path) === null ? null : renamed(path);
    symlinkSync(target, path);
    return [
      `the command replaced the link ${name}; it was put back${aside === null ? '' : `, and ${shown(aside, workspace)} is what the command made`}`,
    ];
  } catch (error) {
    return [`the command replaced the link ${name}, and it could not be put back: ${messageOf(error)}`];
  }
}

/** Settings that git itself must be able to write. */
interface Settings {
  readonly path: string;
  readonly text: string;
}

/** Restores settings that start more programs than before. */
function restore({ path, text }: Settings, workspace: string): readonly string[] {
  const found = lookAt(path);
  if (found === null || (found.isFile() && !startsMore(text, settingsText(path)))) return [];
  const name = shown(path, workspace);
  try {
    const aside = renamed(path);
    writeFileSync(path, text, { flag: 'wx' });
    return [
      `the command had ${name} start programs; it was put back, and ${shown(aside, workspace)} is what the command made`,
    ];
  } catch (error) {
    return [`the command had ${name} start programs, and it could not be put back: ${messageOf(error)}`];
  }
}

/**
 * Mounts over a workspace. INVARIANT: every folder between the workspace and a mounted path is a mount point of its
 * own, because a mount point cannot be renamed, and a folder with one in it can.
 */
class Mounts {
  readonly workspace: string;
  /** Links that must not change: a link cannot be a mount point. */
  readonly links: Link[] = [];
  readonly settings: Settings[] = [];
  readonly #mounts = new Map<string, '--bind' | '--ro-bind'>();

  constructor(workspace: string) {
    this.workspace = workspace;
  }

  /** Makes the entry at a path, or the target of a link there, read-only; ignored if that is not in the workspace. */
  readOnly(path: string): void {
    this.keepLink(path);
    this.#mount(path, '--ro-bind');
  }

  /** A link stays unchanged. */
  keepLink(path: string): void {
    this.links.push(...linkAt(path));
  }

  /** Writable settings, which are compared afterwards. */
  keepSettings(path: string): void {
    const text = settingsText(path);
    if (text !== null) this.settings.push({ path, text });
  }

  /** Whether a path is guarded in one of these ways. */
  keeps(path: string): boolean {
    return this.holds(path) || [...this.links, ...this.settings].some((kept) => kept.path === path);
  }

  /** A folder cannot be renamed; its entries can be changed. */
  writable(path: string): void {
    this.#mount(path, '--bind');
  }

  #mount(path: string, how: '--bind' | '--ro-bind'): void {
    const real = realOf(path);
    if (real === null || real === this.workspace || !isInside(this.workspace, real)) return;
    for (let parent = dirname(real); parent !== this.workspace; parent = dirname(parent)) {
      if (!this.#mounts.has(parent)) this.#mounts.set(parent, '--bind');
    }
    if (how === '--ro-bind' || !this.#mounts.has(real)) this.#mounts.set(real, how);
  }

  /** Read-only paths, without those below them. */
  guarded(): readonly string[] {
    return [...this.#mounts].flatMap(([path, how]) =>
      how === '--ro-bind' && !this.holds(dirname(path)) ? [path] : [],
    );
  }

  /** Whether a path is read-only, or below such a path. */
  holds(path: string): boolean {
    for (let at = path; isInside(this.workspace, at) && at !== this.workspace; at = dirname(at)) {
      if (this.#mounts.get(at) === '--ro-bind') return true;
    }
    return false;
  }

  /** Folders before their entries. */
  arguments(): readonly string[] {
    return [...this.#mounts]
      .filter(([path]) => !this.holds(dirname(path)))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([path, how]) => [how, path, path]);
  }
}
