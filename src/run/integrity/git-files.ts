// The files from which git starts programs: hooks, and settings that name programs, of every repository in a workspace
// and of the user. They are scanned before a call and after it; additions that start programs are reverted.

import { readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { writePrivate } from '../../config/index.ts';
import type { Content } from '../../ledger/snapshots/index.ts';
import { entriesOf, lookAt, realOf } from '../look.ts';
import { allDataFolders, isInclude, isRepository, modulesIn, startingParts } from '../repositories.ts';
import { loosenedSettings, readGitSettings, runningSettings, settingText } from './git-config.ts';
import { contentAt, stampAt } from './restore.ts';

/** A file that git takes programs from, as it was seen. */
interface Seen {
  readonly kind: 'hook' | 'settings';
  readonly stamp: string;
  /** `other`: an entry that cannot be stored, such as a folder or a very large file. */
  readonly content: Content | 'other';
}

/** The scan of a workspace, by absolute paths. */
type View = ReadonlyMap<string, Seen>;

/** A file that starts more than it did. */
export interface Started {
  readonly file: string;
  readonly why: string;
  /** The expected state; null: absent. */
  readonly right: Content | null;
  /** Whether the call declared this before. */
  readonly isNamed: boolean;
}

/** The declared effects of a call, so that it was judged before. */
export interface Named {
  /** It sets up hooks or settings that start programs; the user was asked about that. */
  readonly hooks: boolean;
  readonly deletes: boolean;
}

/** Files that settings lead to: other settings, and folders of hooks. */
interface Leads {
  readonly includes: readonly string[];
  readonly hooks: readonly string[];
}

/** How deep included settings are followed, and how much is stored. */
const deepestInclude = 4;
const mostHooks = 200;
const mostRepositories = 50;
const mostWorkspaces = 50;
const mostFiles = 1000;

export class GitFiles {
  readonly #home: string;
  readonly #views = new Map<string, View>();
  /** The targets of settings, by the file and its state. */
  readonly #leads = new Map<string, Leads & { readonly stamp: string }>();
  readonly #fileFor: (workspace: string) => string;

  /** `home`: of the user. `fileFor`: where the scan of a workspace is stored to survive a crash. */
  constructor(home: string, fileFor: (workspace: string) => string) {
    this.#home = home;
    this.#fileFor = fileFor;
  }

  /**
   * Scans before a call, if no other is running: the call may not add to the current state. Returns the files that
   * start more programs than at the last scan; no call of ours changed them, so they stay.
   */
  before(workspace: string, dotGits: readonly string[]): readonly string[] {
    const last = this.#views.get(workspace);
    const view = this.#look(workspace, dotGits, last);
    const noted = last === undefined ? [] : startedIn(last, view, nothingNamed).map(({ file }) => file);
    this.#keep(workspace, view);
    return noted;
  }

  /** Additions since the running or just finished calls began; all other entries become the new baseline. */
  after(workspace: string, dotGits: readonly string[], named: Named): readonly Started[] {
    const last = this.#views.get(workspace);
    if (last === undefined) return [];
    const view = this.#look(workspace, dotGits, last);
    const started = startedIn(last, view, named);
    if (started.length === 0) this.#keep(workspace, view);
    return started;
  }

  /** Takes what is there now for what was there before, after all that had to be put back was. */
  settle(workspace: string, dotGits: readonly string[]): void {
    this.#keep(workspace, this.#look(workspace, dotGits, this.#views.get(workspace)));
  }

  /** Restores the stored scan of a dead process from before its calls. */
  recall(workspace: string, text: string): void {
    // INVARIANT: the folder is ours alone; a file that was cut off does not parse.
    const kept = JSON.parse(text) as readonly (readonly [string, Seen['kind'], string, number, string])[];
    const view = kept.map(([file, kind, type, mode, bytes]): [string, Seen] => {
      const content: Seen['content'] =
        type === 'file' || type === 'link' ? { type, mode, bytes: Buffer.from(bytes, 'base64') } : 'other';
      return [file, { kind, stamp: '', content }];
    });
    this.#views.set(workspace, new Map(view));
  }

  #keep(workspace: string, view: View): void {
    const last = this.#views.get(workspace);
    this.#views.delete(workspace);
    this.#views.set(workspace, view);
    const [oldest] = this.#views.keys();
    if (this.#views.size > mostWorkspaces && oldest !== undefined) this.#views.delete(oldest);
    if (last !== undefined && isSameView(last, view)) return;
    const lines = Array.from(view, ([file, { kind, content }]) =>
      content === 'other'
        ? [file, kind, 'other', 0, '']
        : [file, kind, content.type, content.mode, Buffer.from(content.bytes).toString('base64')],
    );
    writePrivate(this.#fileFor(workspace), JSON.stringify(lines));
  }

  /** Every file of a workspace from which git starts programs; unchanged ones are not read again. */
  #look(workspace: string, dotGits: readonly string[], last: View | undefined): View {
    const view = new Map<string, Seen>();
    const see = (file: string, kind: Seen['kind']): void => {
      if (view.has(file)) return;
      const stamp = stampAt(file);
      if (stamp === 'none') return;
      const known = last?.get(file);
      if (known?.stamp === stamp && known.kind === kind) view.set(file, known);
      else {
        const content = contentAt(file);
        if (content !== null) view.set(file, { kind, stamp, content });
      }
    };
    const others: string[] = [];
    const settings = (file: string, depth: number): void => {
      see(file, 'settings');
      const { includes, hooks } = this.#leadsOf(file, view.get(file));
      others.push(...hooks.filter((folder) => folder !== workspace && !folder.startsWith(`${workspace}/`)));
      if (depth < deepestInclude) for (const included of includes) settings(included, depth + 1);
    };
    const bare = isRepository(workspace) ? [workspace] : [];
    const data = dotGits
      .slice(0, mostRepositories)
      .flatMap((dotGit) => allDataFolders(join(workspace, dotGit)));
    for (const folder of new Set([...data.flatMap((one) => [one, ...modulesIn(one)]), ...bare])) {
      for (const part of startingParts(folder)) {
        if (part.endsWith('/hooks')) for (const hook of hooksIn(part)) see(hook, 'hook');
        else settings(part, 0);
      }
    }
    for (const file of ['.gitconfig', '.config/git/config']) settings(join(this.#home, file), 0);
    // Files in the workspace are judged with its other files.
    for (const folder of new Set(others)) for (const hook of hooksIn(folder)) see(hook, 'hook');
    return view;
  }

  #leadsOf(file: string, seen: Seen | undefined): Leads {
    if (seen === undefined || seen.content === 'other') return { includes: [], hooks: [] };
    if (seen.content.type === 'link') {
      const target = realOf(file);
      return { includes: target === null ? [] : [target], hooks: [] };
    }
    const known = this.#leads.get(file);
    if (known?.stamp === seen.stamp && seen.stamp !== '') return known;
    const named = readGitSettings(textOf(seen.content)) ?? [];
    const paths = (isMeant: (key: string) => boolean) =>
      named.flatMap(({ key, value }) => (isMeant(key) ? [this.#path(dirname(file), value)] : []));
    const leads = { includes: paths(isInclude), hooks: paths((key) => key === 'core.hookspath') };
    if (this.#leads.size > mostFiles) this.#leads.clear();
    this.#leads.set(file, { ...leads, stamp: seen.stamp });
    return leads;
  }

  #path(folder: string, path: string): string {
    return path.startsWith('~/') ? join(this.#home, path.slice(2)) : resolve(folder, path);
  }
}

const nothingNamed: Named = { hooks: false, deletes: false };

/** The hooks in a folder, with files beside them that they may call; the samples installed by git never run. */
function hooksIn(folder: string): readonly string[] {
  const found = lookAt(folder);
  if (found === null) return [];
  const own = found.isSymbolicLink() ? [folder] : [];
  const files = entriesOf(folder).flatMap((entry): readonly string[] => {
    const path = join(folder, entry.name);
    if (entry.name.endsWith('.sample')) return [];
    return entry.isDirectory() ? namesIn(path).map((name) => join(path, name)) : [path];
  });
  return [...own, ...files.slice(0, mostHooks)];
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function textOf({ bytes }: Content): string {
  return Buffer.from(bytes).toString('utf8');
}

function isSameView(a: View, b: View): boolean {
  return a.size === b.size && [...a].every(([file, seen]) => isSameSeen(seen, b.get(file)));
}

function isSameSeen(a: Seen, b: Seen | undefined): boolean {
  if (a === b) return true;
  if (b === undefined) return false;
  if (a.content === 'other' || b.content === 'other') return a.content === b.content && a.stamp === b.stamp;
  const { type, mode, bytes } = a.content;
  return type === b.content.type && mode === b.content.mode && Buffer.from(bytes).equals(b.content.bytes);
}

/** The programs that a file starts, regardless of its name: so a repository that was only moved is recognized. */
function knownIn(view: View): {
  readonly hooks: ReadonlySet<string>;
  readonly settings: ReadonlySet<string>;
} {
  const hooks = new Set<string>();
  const settings = new Set<string>();
  for (const { kind, content } of view.values()) {
    if (content === 'other') continue;
    if (kind === 'hook') hooks.add(Buffer.from(content.bytes).toString('latin1'));
    else for (const setting of runningSettings(textOf(content))) settings.add(settingText(setting));
  }
  return { hooks, settings };
}

/** The files that start more in one view than in the one before. */
function startedIn(last: View, now: View, named: Named): readonly Started[] {
  if (isSameView(last, now)) return [];
  const known = knownIn(last);
  const started: Started[] = [];
  for (const [file, seen] of now) {
    const before = last.get(file);
    if (before !== undefined && isSameSeen(before, seen)) continue;
    const found =
      seen.kind === 'hook'
        ? hookStarted(before, seen, known.hooks)
        : settingsStarted(before, seen, known.settings);
    if (found !== null) started.push({ file, isNamed: named.hooks, ...found });
  }
  for (const [file, { kind, content }] of last) {
    if (kind !== 'hook' || now.has(file) || content === 'other') continue;
    // If the repository was moved with its hooks, nothing was disabled.
    if (lookAt(dirname(dirname(file))) !== null) {
      const isNamed = named.deletes || named.hooks;
      started.push({ file, why: 'a hook of git was taken away', right: content, isNamed });
    }
  }
  return started;
}

type Found = Pick<Started, 'why' | 'right'> | null;

/** The hooks that Git LFS writes by itself: they start Git LFS, or say that it is missing. */
const ofLfs =
  /^#!\/bin\/sh\ncommand -v git-lfs >\/dev\/null 2>&1 \|\| \{ (?:echo|printf) >&2(?: "[^"`$]*")+; exit 2; \}\ngit lfs [a-z-]+ "\$@"\n?$/;

function hookStarted(before: Seen | undefined, { content }: Seen, known: ReadonlySet<string>): Found {
  const right = before === undefined || before.content === 'other' ? null : before.content;
  if (
    before === undefined &&
    content !== 'other' &&
    known.has(Buffer.from(content.bytes).toString('latin1'))
  ) {
    return null;
  }
  if (content !== 'other' && content.type === 'file' && ofLfs.test(textOf(content))) return null;
  return { why: right === null ? 'it is a new hook of git' : 'a hook of git was changed', right };
}

function settingsStarted(before: Seen | undefined, { content }: Seen, known: ReadonlySet<string>): Found {
  const former = before === undefined || before.content === 'other' ? null : before.content;
  if (content === 'other' || content.type === 'link') {
    return { why: 'settings of git cannot be read, or are a link now', right: former };
  }
  const found = loosenedSettings(former === null ? '' : textOf(former), textOf(content), known);
  if (found === null) return null;
  const why = `its settings start programs: ${found.keys.join(', ')}`;
  return { why, right: found.right === '' ? null : { ...content, bytes: Buffer.from(found.right) } };
}
