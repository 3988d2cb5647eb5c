// Which changes of a command are judged as a write, and in which form: declared changes were judged before, and so were
// the routine changes of tools. All others are judged on the one request path, with their content if it can be read.

import { join } from 'node:path';
import { type ActionOf, type Facts, isJsonObject } from '../../core/index.ts';
import type { Cleared } from '../../decide/cleared.ts';
import { isLockOf, protectionOf } from '../../detect/protect.ts';
import { type Content, contentAt, type Doing, isGitData } from '../../ledger/snapshots/index.ts';
import type { CommandKind } from '../command.ts';
import { doingOf } from '../integrity/doing.ts';
import { loosenedSettings, runningSettings } from '../integrity/git-config.ts';
import { fromHistory, type Placed, Tips } from '../integrity/history.ts';
import { isMade } from '../integrity/steps.ts';
import { entriesOf, lookAt } from '../look.ts';
import { isRepository, partsElsewhere, settingsText } from '../repositories.ts';
import type { Changed, Difference } from './difference.ts';
import type { Layer } from './overlay.ts';

/** The declared effects in the text of a command. */
interface Said {
  readonly doing: Doing;
  /** It deletes, and runs nothing that could hide another deletion. */
  readonly deletes: boolean;
  /** It is a package manager at work, and nothing else. */
  readonly packages: boolean;
  readonly changesGit: boolean;
  readonly workspace: string;
}

/** Programs that start no others, and may accompany others. */
const plainPrograms = 'cd echo printf true ls cat head tail grep wc pwd test mkdir touch sleep';
const deletingPrograms = new Set(`rm rmdir unlink find git mv ${plainPrograms}`.split(' '));
const packagePrograms = new Set(
  `npm pnpm yarn bun pip pip3 pipx uv poetry pdm pipenv conda cargo go gem bundle composer dotnet nuget mvn gradle deno mix dart flutter pod swift ${plainPrograms}`.split(
    ' ',
  ),
);

type Change = NonNullable<ActionOf<'write'>['changes']>[number];

/** The largest content that is judged; a larger file is judged by its path. */
const largestText = 1_048_576;

/** The write that a command's changes are judged as; null if its text declared all of them. */
export async function writeOf(
  difference: Difference,
  cleared: Pick<Cleared<CommandKind>, 'action' | 'context' | 'facts'>,
  changesRepositories: boolean,
): Promise<ActionOf<'write'> | null> {
  const { action, context, facts } = cleared;
  // The question about the text was not asked yet.
  const isUnasked = facts['deferred'] === true;
  const said: Said = {
    doing: doingOf([{ action, facts }]),
    deletes: !isUnasked && isOnly(facts, 'delete', deletingPrograms),
    packages: isOnly(facts, 'package', packagePrograms),
    changesGit: changesRepositories,
    workspace: context.workspace,
  };
  const starting = new Starting(difference);
  const open = difference.changes.filter(
    (change) => starting.has(change) || !isSaid(change, said, difference),
  );
  const historic = isUnasked ? new Set() : await historicIn(open, said, difference);
  const judged = open.filter(({ path }) => !historic.has(path));
  if (judged.length === 0) return null;
  const starts = judged.filter((change) => starting.has(change)).map(({ path }) => path);
  return {
    kind: 'write',
    by: 'command',
    changes: judged.map((change) => changeOf(change, difference)),
    ...(starts.length === 0 ? {} : { starts }),
    ...(isUnasked ? { unasked: true as const } : {}),
  };
}

/** Whether a command has an effect, and nothing runs in it but some programs. */
function isOnly(facts: Facts, effect: string, allowed: ReadonlySet<string>): boolean {
  const { effects, unknowns, errors, programs } = facts;
  const count = isJsonObject(effects) ? Number(effects[effect] ?? 0) : 0;
  const named = Array.isArray(programs) ? programs.map(String) : [];
  return count > 0 && unknowns === 0 && errors === 0 && named.every((name) => allowed.has(name));
}

/** Whether a change was judged with the text of the command, or is what tools make all day. */
function isSaid(change: Changed, said: Said, { layer }: Difference): boolean {
  const { path, before, after } = change;
  if (after === null && isCore(path)) return false;
  if ((after?.type ?? 'folder') === 'folder' && (before ?? 'folder') === 'folder') return true;
  if (isGitData(path)) return said.changesGit && !startsPrograms(change, layer.lower, layer.upper);
  const names = path.toLowerCase().split('/');
  const protection = protectionOf(names);
  if (protection === 'installed') return said.packages || isFresh(change, said);
  if (isMade(path, protection, said.workspace)) return true;
  if (after === null && said.deletes) return true;
  if (protection !== 'manifest') return false;
  return said.packages || isLockOf(names.at(-1) ?? '', said.doing.programs);
}

/** The essential parts of a repository, which git itself never deletes. */
function isCore(path: string): boolean {
  return /(?:^|\/)\.git(?:\/(?:HEAD|config|objects|refs|refs\/heads))?$/.test(path);
}

/** Whether a file is new in a virtual environment or the like that the command created as a whole. */
function isFresh({ path, before }: Changed, { doing }: Said): boolean {
  return (
    before === null &&
    doing.programs.some((name) => /^python[\d.]*$|^virtualenv$|^uv$/.test(name)) &&
    isEnvironment(path)
  );
}

function isEnvironment(path: string): boolean {
  return /(?:^|\/)\.?v?env\/(?:bin|scripts|lib)\//i.test(path);
}

/** Whether a change of git's data makes git start a program that it did not start before. */
function startsPrograms({ path, op, after }: Changed, lower: string, upper: string): boolean {
  if (op === 'delete' || after === null) return false;
  const part = /(?:^|\/)\.git\/(.*)$/.exec(path)?.[1] ?? '';
  if (/(?:^|\/)hooks\//.test(part)) return !part.endsWith('.sample');
  if (after.type === 'link') return true;
  if (!/(?:^|\/)config(?:\.worktree)?$/.test(part)) return false;
  const text = settingsText(join(upper, path));
  return text === null || loosenedSettings(settingsText(join(lower, path)) ?? '', text, new Set()) !== null;
}

/** Files by which git starts programs, although their names do not show that. */
class Starting {
  readonly #layer: Layer;
  /** Folders of hooks and files of settings that the repository of the workspace names. */
  readonly #named: readonly string[];

  constructor({ layer }: Difference) {
    this.#layer = layer;
    const data = join(layer.lower, '.git');
    this.#named = isRepository(data) ? partsElsewhere(data, data).filter((part) => part !== layer.lower) : [];
  }

  has({ path, after }: Changed): boolean {
    if (after === null || after.type === 'folder' || isGitData(path)) return false;
    const file = join(this.#layer.lower, path);
    if (this.#named.some((part) => file === part || file.startsWith(`${part}/`))) return true;
    const [, folder = '', part = ''] = /^(.+?)\/(config|config\.worktree|hooks\/[^/]+)$/.exec(path) ?? [];
    if (part === '' || part.endsWith('.sample') || !this.#isBare(folder)) return false;
    if (after.type === 'link' || part.startsWith('hooks/')) return true;
    const { lower, upper } = this.#layer;
    const text = settingsText(join(upper, path));
    return text === null || loosenedSettings(settingsText(join(lower, path)) ?? '', text, new Set()) !== null;
  }

  /** Whether a folder holds the data of a repository, as the command left it. */
  #isBare(folder: string): boolean {
    const { lower, upper } = this.#layer;
    return ['HEAD', 'objects'].every((name) =>
      [upper, lower].some((root) => lookAt(join(root, folder, name)) !== null),
    );
  }
}

/** Files that a command of git alone took from a commit which the repository had before. */
async function historicIn(
  changes: readonly Changed[],
  { doing, workspace }: Said,
  { layer }: Difference,
): Promise<ReadonlySet<string>> {
  if (doing.onlyGit !== true) return new Set();
  const data = join(workspace, '.git');
  const tracked = changes.filter(({ path }) => !isGitData(path));
  const files = tracked.flatMap(({ path, after }): readonly Placed[] => {
    const content = after === null ? null : contentAt(layer.upper, path, largestText);
    return content === null ? [] : [{ path, content }];
  });
  const tips = new Tips().of(data);
  const found = await fromHistory({ data, top: workspace }, files, tips, false);
  // Git alone removes what the commit that it checks out does not have; a program that it starts may remove anything.
  const gone = startsAny(data) ? [] : tracked.flatMap(({ path, after }) => (after === null ? [path] : []));
  return new Set([...found, ...gone]);
}

/** Whether git starts programs in a repository by itself: hooks, filters and the like. */
function startsAny(data: string): boolean {
  const hooks = entriesOf(join(data, 'hooks')).some(({ name }) => !name.endsWith('.sample'));
  const settings = settingsText(join(data, 'config'));
  return (
    hooks ||
    settings === null ||
    runningSettings(settings).length > 0 ||
    partsElsewhere(data, data).length > 0
  );
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function changeOf(change: Changed, { layer }: Difference): Change {
  const { path, op, after, before } = change;
  if (after === null) return { op: 'delete', path };
  const content = after.type === 'folder' ? null : contentAt(layer.upper, path, largestText);
  const text = content === null ? null : textOf(content);
  const isNew = before === null;
  const runs = (after.mode & 0o111) !== 0;
  if (op === 'mode') return { op: 'edit', path, executable: runs };
  return {
    op: isNew ? 'create' : 'edit',
    path,
    ...(text === null ? {} : { content: text }),
    ...(isNew && runs && after.type === 'file' ? { executable: true } : {}),
  };
}

/** The text of a file, or the target of a link; null if it is unreadable. */
function textOf({ bytes }: Content): string | null {
  if (bytes.includes(0)) return null;
  try {
    return strict.decode(bytes);
  } catch {
    return null;
  }
}

/** How a command runs where transactions are on: on an overlay, where nothing can be written, or as without them. */
export function wayOf(
  { action, facts }: Pick<Cleared<CommandKind>, 'action' | 'facts'>,
  isAlways: boolean,
): 'aside' | 'read' | 'plain' {
  if (facts['reads_only'] === true) return 'read';
  if (isAlways) return 'aside';
  // A verdict allowed it to take effect outside, which no overlay reverts.
  if (facts['class'] === 'outward') return 'plain';
  // Git compares the inodes of files that it links, which an overlay changes. INVARIANT: the word alone excuses nothing;
  // a command in which another program runs is a transaction.
  const isClone = action.kind === 'shell' && /\bclone\b/.test(action.command);
  return isClone && doingOf([{ action, facts }]).onlyGit === true ? 'plain' : 'aside';
}
